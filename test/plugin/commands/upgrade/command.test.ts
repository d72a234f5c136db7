/** `upgrade` on a cluster in memory with the operator at play: planned, done, done again. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../../package.json";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import { type KubeObject, lastApplied } from "../../../../plugin/domain/kube/objects";
import { listImages } from "../../../../plugin/domain/operator/wanted";
import type { Report } from "../../../../plugin/kernel/report";
import { getPath, withValue } from "../../../../plugin/domain/base/values";
import { configurationResource } from "../../../../plugin/domain/admission/configuration";
import { exampleSource } from "../../../../plugin/simulator/example";
import { observe } from "../../../../plugin/simulator/observed-cluster";
import { testTime } from "../../../support/manual-clock";
import { typed } from "../../../support/program-world";
import { aPlayedWorld, here, type PlayedWorld, product } from "../../../support/played-operator";
import { writeRelease } from "../../../support/releases/tree";
import { folder, release, upgrade, withDatabases } from "../../../support/upgrade-runs";

let objects: readonly KubeObject[] = [];

beforeAll(async () => {
  objects = [...(await exampleSource(names, testTime)).objects];
});

async function wait(world: PlayedWorld): Promise<unknown> {
  await world.settle();
  const ec = await world.cluster.get(here(product.ec, "ec"));
  return [getPath(ec, names.ecFields.state), getPath(ec, names.ecFields.versionTag)];
}

test("goes from the state found to the release, and a second run writes nothing", async () => {
  const world = await aPlayedWorld({ objects });
  const first = await upgrade(world);
  expect([first.report.exit.code, first.report.exit.reason]).toEqual([
    0,
    expect.stringContaining("Unbind the old SCC") as string,
  ]);
  expect(first.report.release).toMatchObject({ source: release });
  expect(await wait(world)).toEqual(["Running", "8.0.2-17"]);
  const order = first.writes.map((write) => write.split(" ").slice(0, 2).join(" "));
  expect(order.indexOf("apply Role")).toBeLessThan(order.indexOf("apply Deployment"));
  expect(order.indexOf("apply Deployment")).toBeLessThan(
    order.indexOf("apply ValidatingWebhookConfiguration"),
  );
  expect(order.indexOf("delete ValidatingWebhookConfiguration")).toBeLessThan(
    order.indexOf(`patch ${names.ec.kind}`),
  );
  const again = await upgrade(world);
  expect(again.report.exit.code).toBe(0);
  expect(again.writes).toEqual([]);
});

test("with --engine-version the databases come last, and then all run it", async () => {
  const world = await aPlayedWorld({ objects });
  const { report, writes } = await upgrade(world, withDatabases);
  expect(report.exit.code).toBe(0);
  const databases = writes.flatMap((write, n) => (/patch \S*Database\b/.test(write) ? [n] : []));
  expect(databases).toHaveLength(5);
  expect(Math.min(...databases)).toBe(writes.length - databases.length);
  await world.settle();
  const edbs = (await world.cluster.list(product.edb)) ?? [];
  expect(edbs.map((edb) => getPath(edb, ["status", "version"]))).toEqual(
    edbs.map(() => expect.stringMatching(/^8\.0/) as string),
  );
  expect((await upgrade(world, withDatabases)).writes).toEqual([]);
});

const volatile = ["engine/config", "shop/orders", "shop/sessions", "reports/totals"].map(
  (place) => `${names.edb.kind}/${place}`,
);

test.each([
  ["the whole upgrade", []],
  ["--only databases", ["--only", "databases"]],
  ["the rest of it", ["--only", "operator,webhook,cluster,databases"]],
])("databases that keep nothing stop %s before its first write: 3", async (_title, more) => {
  const world = await aPlayedWorld({ objects });
  const words = withDatabases.filter((word) => word !== "--may-discard-data");
  const { report, writes } = await upgrade(world, [...words, ...more]);
  const errors = report.findings?.filter(({ code }) => code === "DATABASE-VOLATILE");
  expect(report.exit.code).toBe(3);
  expect(errors?.map(({ object }) => object)).toEqual(expect.arrayContaining(volatile));
  expect(writes).toEqual([]);
});

test("a saved plan carries that databases may lose their data, by name or for all", async () => {
  const file = join(folder, "lossy.json");
  const eaadb = `${names.eaadb.kind}/engine/carts`;
  const named = [...volatile, eaadb].map((one) => `--skip=DATABASE-VOLATILE=${one}`);
  const unnamed = withDatabases.filter((word) => word !== "--may-discard-data");
  for (const words of [withDatabases, [...unnamed, ...named]]) {
    const world = await aPlayedWorld({ objects });
    const { report } = await upgrade(world, [...words, "--plan-out", file]);
    expect(report.exit.code).toBe(0);
    const saved = JSON.parse(readFileSync(file, "utf8")) as { readonly words: readonly string[] };
    const line = saved.words.filter((word) => word !== "--engine-version");
    expect(line.join(" ")).toContain(
      words === withDatabases ? "--may-discard-data" : `DATABASE-VOLATILE=${eaadb}`,
    );
    const done = await upgrade(world, [...saved.words, "--yes", "--plan", file]);
    expect([done.report.exit.code, done.writes.length > 0]).toEqual([0, true]);
  }
});

test("databases on a channel are named: in the plan of the cluster, and where none is written", async () => {
  const edb = `${names.edb.kind}/shop/orders`;
  const followed = objects.map((object) =>
    object.kind === names.edb.kind && object.metadata.name === "orders"
      ? (withValue(object, ["spec", "engineVersion"], "major") as KubeObject)
      : object,
  );
  const world = await aPlayedWorld({ objects: followed });
  const { report, writes } = await upgrade(world, ["--dry-run=server"]);
  const found = report.findings?.filter(({ code }) => code === "DATABASE-CHANNEL");
  expect(found).toMatchObject([{ object: edb, severity: "warning" }]);
  expect(found?.[0]?.cause).toContain("with 8.0.2-17 it may go from 7.4 to 8.0");
  const parts = getPath(report.details, ["plan", "parts"]) as readonly { skipped?: string }[];
  expect(parts.at(-1)?.skipped).toBe(
    `no --engine-version was given, no database is written, and ${edb} (major) follows its cluster by a channel; the others keep their version`,
  );
  expect(writes).toEqual([]);
});

test("without --engine-version the report says that the databases keep theirs", async () => {
  const { report } = await upgrade(await aPlayedWorld({ objects }));
  expect(report.exit.reason).toContain("no --engine-version was given, the databases keep theirs");
});

test("waits for endpoints that come later than the Deployment is ready", async () => {
  const world = await aPlayedWorld({ objects });
  let late = 0;
  const cluster = observe(world.cluster, async (call, act) => {
    const value = await act();
    if (/^Deployment\b/.test(call.subject) && call.writes) late = 3;
    if (call.target?.kind !== "EndpointSlice" || late === 0) return value;
    late -= 1;
    return [] as typeof value;
  });
  const { report } = await upgrade({ ...world, cluster });
  expect([report.exit.code, late]).toEqual([0, 0]);
});

describe("before the first write", () => {
  test.each(["client", "server"])("--dry-run=%s shows every write and sends none", async (mode) => {
    const world = await aPlayedWorld({ objects });
    const { report, writes } = await upgrade(world, [`--dry-run=${mode}`]);
    expect(writes).toEqual([]);
    expect(report.exit).toMatchObject({
      code: 0,
      reason: expect.stringContaining("planned") as string,
    });
    const parts = new Set(report.steps?.map(({ id }) => id));
    expect([...parts]).toEqual(["rbac-expand", "operator", "webhook", "cluster", "rbac-contract"]);
    for (const { write } of report.steps ?? []) {
      expect(write).toMatchObject({
        risk: expect.stringMatching(/./) as string,
        reverse: expect.stringMatching(/./) as string,
      });
      // no line of kubectl takes fields over and changes no value
      const isTaken = write?.risk === "none, no value changes";
      expect(write?.command ?? "none").toMatch(isTaken ? /^none$/ : /^(kubectl|helm) /);
    }
  });

  test("both dry runs name the same writes, each with what it changes", async () => {
    const planned = await Promise.all(
      ["client", "server"].map(async (mode) => {
        const { report } = await upgrade(await aPlayedWorld({ objects }), [`--dry-run=${mode}`]);
        return (report.steps ?? []).map(({ id, action, object, why }) => [id, action, object, why]);
      }),
    );
    expect(planned[0]).toEqual(planned[1]);
    expect(JSON.stringify(planned)).not.toMatch(/\b0 fields/);
  });

  const taggedNew = "versionTag 7.8.2-34 -> 8.0.2-17";
  test.each<[string, object | undefined, string]>([
    ["no pull policy", { versionTag: "7.8.2-34" }, `${taggedNew}, imagePullPolicy absent -> If`],
    ["no tag", { repository: "mirror.local/x", imagePullPolicy: "Always" }, untaggedTo("8.0.2-17")],
    ["a repository alone", { repository: "mirror.local/x" }, untaggedTo("8.0.2-17")],
    ["a pull policy alone", { imagePullPolicy: "IfNotPresent" }, untaggedTo("8.0.2-17")],
    ["an empty tag", { versionTag: "", repository: "x" }, 'versionTag "" -> 8.0.2-17'],
    ["no image spec", undefined, untaggedTo("8.0.2-17")],
  ])("an EC with %s is upgraded, its repository stays", async (_, image, why) => {
    const change = (object: KubeObject): KubeObject => {
      if (object.kind !== names.ec.kind) return object;
      return {
        ...object,
        spec: { ...(object["spec"] as object), engineEnterpriseImageSpec: image },
      };
    };
    const planned = await upgrade(await changedWorld(change), ["--dry-run=server"]);
    const [step] = planned.report.steps?.filter(({ id }) => id === "cluster") ?? [];
    expect(step?.why).toEqual(expect.stringContaining(why));
    expect(step?.why).not.toContain("repository");
    const world = await changedWorld(change);
    expect((await upgrade(world)).report.exit.code).toBe(0);
    const ec = await world.cluster.get(here(product.ec, "ec"));
    expect(getPath(ec, ["spec", "engineEnterpriseImageSpec"])).toEqual({
      imagePullPolicy: "IfNotPresent",
      ...image,
      versionTag: "8.0.2-17",
    });
  });

  test.each([
    ["8.2", 0],
    ["8.4", 3],
  ])("--engine-version %s is checked by what the release bundles: %d", async (version, code) => {
    const world = await aPlayedWorld({ objects });
    const args = withDatabases.map((word) => (word === "8.0" ? version : word));
    const dry = code === 0 ? ["--dry-run=server"] : [];
    const { report, writes } = await upgrade(world, [...args, ...dry]);
    expect([report.exit.code, writes]).toEqual([code, []]);
    expect(report.exit.reason).toContain(code === 0 ? "planned" : version);
  });

  test("a part that could not be planned says why, and no plan is saved", async () => {
    const held = objects.map((object) =>
      object.kind === names.ec.kind
        ? {
            ...object,
            metadata: {
              ...object.metadata,
              labels: { ...object.metadata.labels, "app.kubernetes.io/managed-by": "Helm" },
            },
          }
        : object,
    );
    const file = join(folder, "held.json");
    for (const args of [["--dry-run=client"], ["--plan-out", file], ["--yes"]]) {
      const world = await aPlayedWorld({ objects: held });
      const { report, writes } = await upgrade(world, args);
      expect([report.exit.code, writes, existsSync(file)]).toEqual([5, [], false]);
      const { plan } = report.details as { plan: { parts: { id: string; unplanned?: string }[] } };
      const told = plan.parts.flatMap(({ id, unplanned }) => (unplanned ? [[id, unplanned]] : []));
      expect(told).toEqual([["cluster", expect.stringContaining("Helm owns it") as string]]);
    }
  });

  test.each<[string, (object: KubeObject) => KubeObject, string]>([
    [
      "a license that is not valid",
      (object) => withStatus(object, { licenseStatus: { licenseState: "Expired" } }),
      "icense",
    ],
    [
      "a spec that is not valid",
      (object) => withStatus(object, { specStatus: "Invalid" }),
      "Invalid",
    ],
  ])("%s ends with 3 and not one write", async (_, change, cause) => {
    const world = await changedWorld(change);
    const { report, writes } = await upgrade(world);
    expect([report.exit.code, writes]).toEqual([3, []]);
    expect(report.exit.reason).toContain(cause);
    expect(report.exit.next).toMatch(/./);
  });
});

describe("a release whose sample cluster has a tag with a suffix", () => {
  const tag = "8.0.2-17.rhel9-openshift";
  const suffixed = writeRelease(join(folder, "suffixed"), "8.0.2-2");
  const sample = join(suffixed, "deploy", "openshift", "ec_rhel.yaml");

  beforeAll(() => {
    writeFileSync(sample, readFileSync(sample, "utf8").replace("8.0.2-17", tag));
  });

  test("is written as it is published, and a second run writes nothing", async () => {
    const world = await aPlayedWorld({ objects });
    const args = ["--yes", "--release", suffixed];
    const { report } = await upgrade(world, args);
    const told = report.findings?.map(({ code }) => code);
    expect([report.exit.code, told]).toEqual([
      0,
      expect.not.arrayContaining(["RELEASE-PAIR-CONTRADICTS"]),
    ]);
    expect(await wait(world)).toEqual(["Running", tag]);
    expect((await upgrade(world, args)).writes).toEqual([]);
  });

  test.each([
    ["the EC's own image of that release stays", [], "8.0.2-17.minimal", 0],
    ["a tag that is given is written", ["--cluster-target", tag], tag, 0],
    [
      "an older one that is given is refused",
      ["--cluster-target", "7.4.2-54.rhel8-openshift"],
      "",
      3,
    ],
  ])("%s", async (...[, given, expected, code]) => {
    const world = await aPlayedWorld({ objects });
    const plain = ["--yes", "--cluster-target", "8.0.2-17.minimal"];
    expect((await upgrade(world, plain)).report.exit.code).toBe(0);
    const { report } = await upgrade(world, ["--yes", "--release", suffixed, ...given]);
    expect(report.exit.code).toBe(code);
    expect(await wait(world)).toEqual(["Running", expected === "" ? "8.0.2-17.minimal" : expected]);
  });
});

describe("helper images of the cluster", () => {
  const specOf = (tag: object) => ({
    bootstrapperImageSpec: { repository: "engine/operator", ...tag },
    engineEnterpriseServicesRiggerImageSpec: { repository: "engine/k8s-controller", ...tag },
    usageMeter: {
      callHomeClient: { imageSpec: { repository: "engine/call-home-client", ...tag } },
    },
  });
  const withHelpers =
    (spec: object) =>
    (object: KubeObject): KubeObject =>
      object.kind === names.ec.kind
        ? { ...object, spec: { ...(object["spec"] as object), ...spec } }
        : object;
  const about = (report: Report) =>
    (report.findings ?? []).filter(({ code }) => code === "CLUSTER-HELPER-IMAGES");

  test.each(["7.8.2-6", "v7.8.2-6"])(
    "at %s, the old operator's release, they move with the cluster's tag in one write",
    async (versionTag) => {
      const world = await changedWorld(withHelpers(specOf({ versionTag })));
      const { report, writes } = await upgrade(world);
      expect([report.exit.code, about(report)]).toEqual([0, []]);
      expect(writes.filter((write) => write.startsWith(`patch ${names.ec.kind} `))).toHaveLength(1);
      const ec = await world.cluster.get(here(product.ec, "ec"));
      expect(ec?.["spec"]).toMatchObject({
        ...specOf({ versionTag: "8.0.2-2" }),
        engineEnterpriseImageSpec: { versionTag: "8.0.2-17" },
      });
      expect((await upgrade(world)).writes).toEqual([]);
    },
  );

  test.each([
    ["another release", { versionTag: "7.8.2-5" }, 3],
    ["a digest", { versionTag: "7.8.2-6", digestHash: "sha256:00" }, 3],
    ["the new operator's release", { versionTag: "8.0.2-2" }, 0],
    ["no tag", {}, 0],
  ])("with %s they stay, and the plan warns of each", async (_, tag, warnings) => {
    const world = await changedWorld(withHelpers(specOf(tag)));
    const planned = await upgrade(world, ["--dry-run=server"]);
    expect([planned.code, new Set(about(planned.report).map(({ field }) => field)).size]).toEqual([
      0,
      warnings,
    ]);
    expect((await upgrade(world)).report.exit.code).toBe(0);
    const ec = await world.cluster.get(here(product.ec, "ec"));
    expect(ec?.["spec"]).toMatchObject(specOf(tag));
  });
});

describe("with --image-registry", () => {
  const registry = "hub.example.org:5000/team";

  /** What `kubectl set image` leaves: another image, its own manager, and the file of before. */
  function withImages(image: string) {
    return (object: KubeObject): KubeObject => {
      if (object.kind !== "Deployment") return object;
      const spec = object["spec"] as { template: { spec: { containers: { name: string }[] } } };
      const containers = spec.template.spec.containers.map((one) => ({ ...one, image }));
      const pod = { ...spec.template.spec, containers };
      const keys = containers.map(({ name }) => [`k:{"name":"${name}"}`, { "f:image": {} }]);
      const set = {
        ...{ manager: "kubectl-set", operation: "Update", apiVersion: "apps/v1" },
        ...{ fieldsType: "FieldsV1" },
        fieldsV1: {
          "f:spec": {
            "f:template": { "f:spec": { "f:containers": Object.fromEntries(keys) as object } },
          },
        },
      };
      const { apiVersion, kind, metadata } = object;
      const file = { apiVersion, kind, metadata: { name: metadata.name }, spec };
      const held = (metadata.managedFields ?? []).map((entry) => ({
        ...entry,
        fieldsV1: JSON.parse(
          JSON.stringify(entry.fieldsV1).replaceAll(/"f:image":\{\},?/g, ""),
        ) as object,
      }));
      return {
        ...object,
        metadata: {
          ...object.metadata,
          annotations: { ...object.metadata.annotations, [lastApplied]: JSON.stringify(file) },
          managedFields: [...held, set],
        },
        spec: { ...spec, template: { ...spec.template, spec: pod } },
      } as KubeObject;
    };
  }

  test.each([
    ["the release's path", `${registry}/engine/operator`],
    ["another path", `${registry}/copies/the-operator`],
  ])("what a person moved there, to %s, is taken and its path kept", async (_, repository) => {
    const image = { repository: `${registry}/copies/nodes`, versionTag: "7.8.2-34" };
    const world = await changedWorld((object) => {
      if (object.kind !== names.ec.kind) return withImages(`${repository}:7.8.2-6`)(object);
      const spec = { ...(object["spec"] as object), engineEnterpriseImageSpec: image };
      return { ...object, spec };
    });
    const args = ["--image-registry", registry];
    for (const mode of ["client", "server"]) {
      const { report } = await upgrade(world, [...args, `--dry-run=${mode}`]);
      expect([report.exit.code, JSON.stringify(report.steps)]).toEqual([
        0,
        expect.stringContaining(`${repository}:8.0.2-2`),
      ]);
    }
    const { report } = await upgrade(world, ["--yes", ...args]);
    expect(report.exit.code).toBe(0);
    const ec = await world.cluster.get(here(product.ec, "ec"));
    expect(getPath(ec, names.ecFields.repository)).toBe(image.repository);
    const operator = await world.cluster.get(here(kinds.deployment, names.operator.deployment));
    expect([...listImages(operator).values()]).toEqual(
      ["8.0.2-2", "8.0.2-2"].map((tag) => `${repository}:${tag}`),
    );
    expect((await upgrade(world, ["--yes", ...args])).writes).toEqual([]);
  });

  test.each([
    ["another registry", "other.example.org/engine/operator:7.8.2-6"],
    ["a registry whose name begins like it", `${registry}-old/engine/operator:7.8.2-6`],
    ["another tag", `${registry}/engine/operator:7.8.2-99`],
  ])("a person's change to %s stays a conflict", async (_, image) => {
    const world = await changedWorld(withImages(image));
    const { report, writes } = await upgrade(world, ["--yes", "--image-registry", registry]);
    expect([report.exit.code, writes]).toEqual([5, []]);
    expect(report.findings?.map(({ code }) => code)).toContain("OPERATOR-LOCAL-CHANGE");
  });
});

describe("a saved plan", () => {
  const file = (): string => join(folder, "plan.json");

  test("is carried out as it was looked at", async () => {
    const world = await aPlayedWorld({ objects });
    const saved = await upgrade(world, ["--plan-out", file()]);
    expect([saved.code, saved.writes]).toEqual([0, []]);
    expect(saved.report.exit.next).toContain(`--plan ${file()}`);
    expect(JSON.parse(readFileSync(file(), "utf8"))).toMatchObject({ kind: "UpgradePlan" });
    const done = await upgrade(world, ["--plan", file(), "--yes"]);
    expect(done.report.exit.code).toBe(0);
    expect(await wait(world)).toEqual(["Running", "8.0.2-17"]);
  });

  test("is refused, with what has changed, when the cluster is not as it was", async () => {
    const world = await aPlayedWorld({ objects });
    await upgrade(world, ["--plan-out", file()]);
    const ref = here(product.ec, "ec");
    const by = { type: "merge", fieldManager: "kubectl-edit" } as const;
    await world.cluster.patch(
      ref,
      { metadata: { labels: { seen: "yes" } }, spec: { username: "a@b.c" } },
      by,
    );
    const { report, writes } = await upgrade(world, ["--plan", file(), "--yes"]);
    expect([report.exit.code, writes]).toEqual([5, []]);
    expect(report.findings?.filter(({ code }) => code === "PLAN-STALE")).toMatchObject([
      {
        cause: `${names.ec.kind}/engine/ec: spec.username is "a@b.c", it was absent`,
      },
      {
        cause: `${names.ec.kind}/engine/ec: metadata.labels.seen is "yes", it was absent`,
      },
    ]);
  });

  test("holds where only a status has moved", async () => {
    const world = await aPlayedWorld({ objects });
    await upgrade(world, ["--plan-out", file()]);
    for (const ref of [here(product.ec, "ec"), here(kinds.deployment, names.operator.deployment)]) {
      const status = { conditions: [{ type: "Seen", status: "True" }] };
      await world.cluster.patch(ref, { status }, { type: "merge", subresource: "status" });
    }
    const { report } = await upgrade(world, ["--plan", file(), "--yes"]);
    expect(report.exit.code).toBe(0);
  });

  test("is refused where a status has moved to what the plan did not find", async () => {
    const world = await aPlayedWorld({ objects });
    await upgrade(world, ["--plan-out", file()]);
    const status = { licenseStatus: { licenseState: "Invalid" } };
    const ref = here(product.ec, "ec");
    await world.cluster.patch(ref, { status }, { type: "merge", subresource: "status" });
    const { report, writes } = await upgrade(world, ["--plan", file(), "--yes"]);
    expect([report.exit.code, writes]).toEqual([5, []]);
    expect(report.exit.reason).toContain(
      `CLUSTER-LICENSE ${names.ec.kind}/engine/ec: the license state is Invalid, which was not found when the plan was made`,
    );
  });

  test("that is carried out finds all done in its second run, also in a rehearsal", async () => {
    const items = objects.map(({ metadata, ...rest }, at): KubeObject => {
      return { ...rest, metadata: { uid: `uid-${String(at)}`, ...metadata } };
    });
    const world = await aPlayedWorld({ objects: items });
    await upgrade(world, ["--plan-out", file()]);
    expect((await upgrade(world, ["--plan", file(), "--yes"])).report.exit.code).toBe(0);
    const again = await upgrade(world, ["--plan", file(), "--yes"]);
    expect([again.report.exit.code, again.writes]).toEqual([0, []]);

    const from = join(folder, "dump.json");
    writeFileSync(from, JSON.stringify({ apiVersion: "v1", kind: "List", items }));
    const line = ["rehearse", "upgrade", "--no-probe", "--release", release, "--plan", file()];
    const rehearsed = await typed([...line, "--from", from, "-n", "engine", "-o", "json"], {
      env: { ENGINE_HOME: join(folder, "home"), HOME: folder },
      clock: world.clock,
    });
    const { exit, details } = JSON.parse(rehearsed.out) as Report;
    expect(exit.code).toBe(0);
    expect(details).toMatchObject({ stages: [{}, {}, {}] });
  });

  test.each([
    ["an older version of this tool", undefined],
    ["version 0.0.9 of this tool", "0.0.9"],
  ])(
    "that was saved by %s is refused with one sentence, nothing is written",
    async (by, program) => {
      const world = await aPlayedWorld({ objects });
      await upgrade(world, ["--plan-out", file()]);
      const plan = JSON.parse(readFileSync(file(), "utf8")) as object;
      writeFileSync(file(), JSON.stringify({ ...plan, program }));
      const { code, report, writes } = await upgrade(world, ["--plan", file(), "--yes"]);
      expect([code, report.exit.reason, report.exit.next, writes]).toEqual([
        2,
        `${file()} was saved by ${by}, and this is version ${version}`,
        "create a new plan with --plan-out FILE",
        [],
      ]);
    },
  );

  test("is refused where a flag asks for other writes than those that were looked at", async () => {
    const world = await aPlayedWorld({ objects });
    await upgrade(world, ["--plan-out", file(), ...withDatabases]);
    const args = withDatabases.map((word) => (word === "8.0" ? "8.2" : word));
    const { report, writes } = await upgrade(world, ["--plan", file(), ...args]);
    expect([report.exit.code, writes]).toEqual([5, []]);
    const causes = report.findings?.flatMap(({ code, cause }) =>
      code === "PLAN-STALE" ? [cause] : [],
    );
    expect(causes).toContain(
      `${names.edb.kind}/shop/sessions: its patch of .spec.engineVersion was not planned`,
    );
  });

  test("that is none is wrong usage", async () => {
    const world = await aPlayedWorld({ objects });
    const { code, writes } = await upgrade(world, [
      "--plan",
      join(release, "deploy", "bundle.yaml"),
    ]);
    expect([code, writes]).toEqual([2, []]);
  });
});

test("where no admission controller is in use, the webhook is skipped and the report says so", async () => {
  const world = await aPlayedWorld({ objects });
  await world.cluster.delete(
    { resource: configurationResource, name: names.webhook.oldConfiguration },
    {},
  );
  const { report, writes } = await upgrade(world);
  expect(report.exit.code).toBe(0);
  expect(report.exit.reason).toContain("skipped, no admission controller is in use");
  expect(writes.filter((write) => write.includes("Webhook"))).toEqual([]);
});

describe("where databases use user-defined modules and the clusters upgrade themselves (S51, S124)", () => {
  const gears = { name: "gears", source: { https: { url: "https://modules.example/gears.zip" } } };

  /** The EC upgrades itself and defines a module, which one of its databases uses. */
  function withModules(object: KubeObject): KubeObject {
    const spec = object["spec"] as object;
    if (object.kind === names.ec.kind) {
      const upgradeSpec = { autoUpgradeEngineEnterprise: true };
      return { ...object, spec: { ...spec, upgradeSpec, userDefinedModules: [gears] } };
    }
    if (object.kind !== names.edb.kind || object.metadata.name !== "config") return object;
    return { ...object, spec: { ...spec, modulesList: [{ name: "gears" }] } };
  }

  test("that is switched off before the operator is written, and the cluster is upgraded by its tag", async () => {
    // an active-active database needs a later operator (S127)
    const fit = objects.filter(({ kind }) => kind !== names.eaadb.kind);
    const world = await aPlayedWorld({ objects: fit.map(withModules) });
    const other = writeRelease(join(folder, "other"), "7.22.0-7");
    const args = ["--yes", "--release", other, "--skip", "MODULE-NAME"];
    const { report, writes } = await upgrade(world, args);
    expect(report.exit.code).toBe(0);
    const off = writes.findIndex((write) => write.startsWith(`patch ${names.ec.kind}`));
    expect(off).toBeGreaterThan(-1);
    expect(off).toBeLessThan(writes.findIndex((write) => write.startsWith("apply Deployment")));
    expect(await wait(world)).toEqual(["Running", "7.22.0-28"]);
    const ec = await world.cluster.get(here(product.ec, "ec"));
    expect(getPath(ec, ["spec", "upgradeSpec", "autoUpgradeEngineEnterprise"])).toBe(false);
    const again = await upgrade(world, args);
    expect([again.report.exit.code, again.writes]).toEqual([0, []]);
  });
});

function untaggedTo(tag: string): string {
  return `versionTag absent -> ${tag}`;
}

function withStatus(object: KubeObject, status: Record<string, unknown>): KubeObject {
  if (object.kind !== names.ec.kind) return object;
  return { ...object, status: { ...(object["status"] as object), ...status } };
}

async function changedWorld(change: (object: KubeObject) => KubeObject): Promise<PlayedWorld> {
  return await aPlayedWorld({ objects: objects.map(change) });
}
