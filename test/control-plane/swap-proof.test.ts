/** A swap whose proof fails ends with 7 and leaves what was there before. */
import { readFileSync } from "node:fs";
import type { StatusDetails } from "../../plugin/commands/status/screen";
import { isWrite } from "./audit";
import { containing, matching, type PluginRun, runner, runPlugin } from "./plugin-run";
import { database } from "./scene";
import { type KubeObject, pathOf } from "./api";
import { openSuite, type Suite, verdictsOf } from "./suite";
import {
  applied,
  clear,
  deleted,
  entryOf,
  everyKind,
  type Found,
  lay,
  putNewConfiguration,
  putOldConfiguration,
  readBack,
  removeConfigurations,
  runSwap,
  settle,
  templateFile,
} from "./swap-states";
import type { Conduct } from "./stand-in-webhook";
import { until } from "./until";
import { newConfigurationName, newEntryName, oldEntryName } from "./webhook-configurations";

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite({ server: "stand-in" });
});
afterAll(() => suite.close());

/** The template of a release whose webhook behaves as given: the stand-in goes by the path. */
function templateTo(conduct: Conduct): string {
  return readFileSync(templateFile, "utf8").replace("path: /admission", `path: /${conduct}`);
}

function swapTo(conduct: Conduct, args: readonly string[] = []): Promise<PluginRun> {
  return runSwap(suite.controlPlane, ["--template", "-", ...args], { input: templateTo(conduct) });
}

const removed = `delete ${newConfigurationName}`;

type Row = readonly [
  name: string,
  found: Found,
  conduct: Conduct,
  writes: readonly string[],
  says: RegExp,
  /** Who refuses wrong edits before and after. */
  guard: string | undefined,
];

const rows: readonly Row[] = [
  [
    "a working old one, and a webhook that allows everything",
    { old: {} },
    "allows",
    [applied, removed],
    /must be refused passes|no refusal by/,
    oldEntryName,
  ],
  [
    "a working old one, and a webhook that refuses everything",
    { old: {} },
    "refuses",
    [applied, removed],
    /must pass is refused by redisenterprise\.admission\.engine/,
    oldEntryName,
  ],
  [
    "a working new one, and a release whose webhook never answers",
    { current: {} },
    "silent",
    [applied, applied],
    /does not answer/,
    newEntryName,
  ],
  [
    "a broken old one that matches every kind, and a webhook that allows everything",
    { old: { caBundle: "", rule: { resources: everyKind } } },
    "allows",
    [applied, deleted, "create edb-admission", removed],
    /must be refused passes/,
    undefined,
  ],
];

describe("the proof fails", () => {
  test.each(rows)("%s", async (_name, ...[found, conduct, writes, says, guard]) => {
    const { controlPlane, api, scene } = suite;
    await lay(suite, found);
    const before = await readBack(controlPlane);

    const run = await swapTo(conduct);

    expect(run.report.exit).toMatchObject({ code: 7, reason: matching(says) });
    expect(run.writes).toEqual(writes);
    const after = await readBack(controlPlane);
    expect(contentOf(after.old)).toEqual(contentOf(before.old));
    expect(contentOf(after.current)).toEqual(contentOf(before.current));
    await settle(api, scene);
    if (guard !== undefined) {
      expect(await verdictsOf(api, scene.namespace)).toEqual({
        right: "accepted",
        wrongRefusedBy: guard,
      });
      const proof = run.report.probes?.find(({ phase }) => phase === "rolled-back");
      expect(proof?.deny).toMatchObject({ by: guard });
    }
  });
});

describe("failurePolicy Ignore is in force, and no call is answered", () => {
  const open = { service: { path: "/cuts" }, entry: { failurePolicy: "Ignore" } };
  const policyOf = (one: KubeObject | undefined): unknown => entryOf(one)["failurePolicy"];

  /** Nothing shows that the API server calls them: every edit passes, called or not. */
  async function putOpen({ old, current }: Pick<Found, "old" | "current">): Promise<void> {
    const { api, scene } = suite;
    await clear(api, scene);
    if (old !== undefined) await putOldConfiguration(api, scene, { changes: old });
    if (current !== undefined) await putNewConfiguration(api, scene, { changes: current });
  }

  test.each<[string, Found, readonly string[]]>([
    ["only new: nothing is written", { current: open }, []],
    ["only old: what was written with Ignore is deleted again", { old: open }, [applied, removed]],
  ])("%s, 7", async (_name, found, writes) => {
    await putOpen(found);
    const before = await readBack(suite.controlPlane);
    const run = await swapTo("cuts");
    expect(run.report.exit).toMatchObject({
      code: 7,
      reason: containing("failurePolicy Ignore: calls that fail let edits pass"),
    });
    expect(run.writes).toEqual(writes);
    expect(run.report.gap).toMatchObject({ outageSeconds: 0 });
    const after = await readBack(suite.controlPlane);
    expect(contentOf(after.old)).toEqual(contentOf(before.old));
    expect(contentOf(after.current)).toEqual(contentOf(before.current));
  });

  test("a release whose webhook answers: Ignore, a refusal, Fail", async () => {
    await putOpen({ current: open });
    const run = await swapTo("judges");
    expect(run.report.exit.code).toBe(0);
    expect(run.writes).toEqual([applied, applied]);
    expect(run.report.gap).toMatchObject({ outageSeconds: 0 });
    expect(policyOf((await readBack(suite.controlPlane)).current)).toBe("Fail");
  });
});

/** All that a person wrote: what the server counts is another after a rollback. */
function contentOf(configuration: KubeObject | undefined): unknown {
  if (configuration === undefined) {
    return undefined;
  }
  const { labels, annotations } = configuration.metadata;
  return { labels, annotations, webhooks: configuration["webhooks"] };
}

const policyName = "someone-else";
const policyRef = (kind: string): KubeObject => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind,
  metadata: { name: policyName },
});
/** Refuses edits of the product's kinds before any webhook is asked. */
async function putPolicy(
  operations: readonly string[],
  validation: Readonly<Record<string, string>>,
): Promise<void> {
  const { api } = suite;
  await api.create({
    ...policyRef("ValidatingAdmissionPolicy"),
    spec: {
      failurePolicy: "Fail",
      matchConstraints: {
        resourceRules: [
          {
            apiGroups: ["app.engine.com"],
            apiVersions: ["*"],
            operations,
            resources: ["*"],
          },
        ],
      },
      validations: [validation],
    },
  });
  await api.create({
    ...policyRef("ValidatingAdmissionPolicyBinding"),
    spec: { policyName, validationActions: ["Deny"] },
  });
}
afterEach(async () => {
  for (const kind of ["ValidatingAdmissionPolicyBinding", "ValidatingAdmissionPolicy"]) {
    await suite.api.remove(policyRef(kind));
  }
});

describe("someone else refuses", () => {
  /** Refuses whatever the plugin edits in one of these ways. */
  async function putStranger(operations: readonly string[]): Promise<void> {
    const { api, controlPlane, scene } = suite;
    await putPolicy(operations, {
      expression: `request.userInfo.username != "${runner.name}"`,
      message: "someone else says no",
    });
    const kubeconfig = controlPlane.kubeconfigFor(runner.name);
    const edit = ["annotate", "edb", "orders", "-n", scene.namespace, "--dry-run=server", "a=b"];
    const make = ["create", "--dry-run=server", "-f", "-"];
    const input = JSON.stringify({
      ...(await api.read(databaseRef)),
      metadata: { name: "policy-check", namespace: scene.namespace },
    });
    await until("the policy to be in force", async () => {
      const wanted = operations.includes("UPDATE")
        ? await controlPlane.kubectl(edit, { kubeconfig })
        : await controlPlane.kubectl(make, { kubeconfig, input });
      return wanted.stderr.includes("someone else says no") || undefined;
    });
  }
  const databaseRef = {
    apiVersion: "app.engine.com/v1alpha1",
    kind: "EngineEnterpriseDatabase",
    metadata: { name: "orders", namespace: "engine" },
  };

  test("new objects: a stored database proves it", async () => {
    const { controlPlane } = suite;
    await lay(suite, { old: {} });
    await putStranger(["CREATE"]);
    const run = await swapTo("judges");
    expect(run.report.exit.code).toBe(0);
    expect(run.writes).toEqual([applied, deleted]);
    expect((await readBack(controlPlane)).old).toBeUndefined();
  });

  test("status and check do not blame the webhook: its keeper decides, who is told policy and binding", async () => {
    const { controlPlane, scene } = suite;
    await lay(suite, { current: {} });
    await putStranger(["CREATE", "UPDATE"]);
    const shown = await runPlugin(controlPlane, ["status"], scene);
    const { webhook } = shown.report.details as StatusDetails;
    expect([shown.code, shown.writes]).toEqual([0, []]);
    expect(webhook.probe?.says).toMatch(
      `ValidatingAdmissionPolicy '${policyName}' with binding '${policyName}'`,
    );
    expect(webhook.verdict).toMatchObject({
      is: "unknown",
      because: containing(
        `whoever keeps the policy decides whether it lets this through; see kubectl get validatingadmissionpolicy/${policyName} validatingadmissionpolicybinding/${policyName} -o yaml`,
      ),
    });
    const checked = await runPlugin(controlPlane, ["check"], scene);
    const blamed = (checked.report.findings ?? []).filter(
      ({ code, severity }) => severity === "error" && code.startsWith("WEBHOOK-"),
    );
    expect([checked.writes, blamed]).toEqual([[], []]);
  });

  test("every edit: 3 before the first write, and it is named", async () => {
    const { controlPlane } = suite;
    await lay(suite, { current: { service: { path: "/judges" } } });
    await putStranger(["CREATE", "UPDATE"]);
    const before = await readBack(controlPlane);
    const run = await swapTo("judges");
    expect(run.report.exit).toMatchObject({
      code: 3,
      reason: containing("someone else says no"),
      next: containing(`validatingadmissionpolicybinding/${policyName} -o yaml`),
    });
    expect(run.writes).toEqual([]);
    expect(await readBack(controlPlane)).toEqual(before);
  });
});

describe("a policy refuses one of the bad edits", () => {
  const posing = `admission webhook "${newEntryName}" denied the request: nobody supports this`;
  test.each([
    ["in the entry's own words", posing],
    ["in its own words", "nobody supports this"],
  ])("%s: 7, and the policy is named", async (_title, message) => {
    const { controlPlane, api, scene } = suite;
    await clear(api, scene);
    await putPolicy(["CREATE"], {
      expression: 'object.spec.?engineVersion.orValue("") != "0.0"',
      message,
    });
    await until("the policy to be in force", async () => {
      const wrong = database({
        namespace: scene.namespace,
        name: "policy-check",
        engineVersion: "0.0",
      });
      const { body } = await api.send("POST", `${pathOf(wrong, "collection")}?dryRun=All`, {
        body: wrong,
      });
      return JSON.stringify(body).includes("nobody supports this") || undefined;
    });
    const run = await swapTo("allows");
    expect(run.report.exit).toMatchObject({
      code: 7,
      reason: containing(`ValidatingAdmissionPolicy '${policyName}'`),
    });
    expect(run.writes).toEqual([applied, removed]);
    expect((await readBack(controlPlane)).current).toBeUndefined();
  });
});

describe("status", () => {
  /** The API server acts on a configuration a moment after it was stored. */
  function saysOf(wanted: RegExp): Promise<StatusDetails["webhook"]> {
    const { controlPlane, scene } = suite;
    const look = async (): Promise<StatusDetails["webhook"] | undefined> => {
      const run = await runPlugin(controlPlane, ["status"], scene);
      expect([run.code, run.writes]).toEqual([0, []]);
      const { webhook } = run.report.details as StatusDetails;
      return wanted.test(webhook.probe?.says ?? "") ? webhook : undefined;
    };
    return until(`status to say ${wanted.source}`, look);
  }

  test.each<[Conduct, string, RegExp]>([
    ["judges", "fine", /refused a bad edit and passed a good one/],
    ["allows", "stalled", /must be refused passes/],
    ["refuses", "stalled", /must pass is refused/],
    ["fails", "stalled", /does not answer/],
  ])("a webhook that %s: the verdict is %s", async (conduct, is, says) => {
    const { api, scene } = suite;
    await putNewConfiguration(api, scene, { changes: { service: { path: `/${conduct}` } } });
    const webhook = await saysOf(says);
    expect([webhook.probe?.proven, webhook.verdict.is]).toEqual([is === "fine", is]);
  });

  const dryRuns = [
    "create engineenterpriseactiveactivedatabases",
    "create engineenterprisedatabases",
    "update engineenterprisedatabases",
  ];
  test.each<[command: string, args: readonly string[], probes: readonly string[]]>([
    ["status", [], dryRuns],
    ["check", [], dryRuns],
    ["status", ["--no-probe"], []],
    ["check", ["--no-probe"], []],
  ])("%s %j: beside reads and reviews dry runs alone are sent", async (command, args, probes) => {
    const { api, controlPlane, scene } = suite;
    await lay(suite, { current: { service: { path: "/judges" } } });
    await settle(api, scene);
    const mark = await controlPlane.auditMark();
    const { writes } = await runPlugin(controlPlane, [command, ...args], scene);
    const others = (await controlPlane.auditEvents(mark)).filter(
      ({ user, verb, objectRef }) =>
        user.username === runner.name &&
        !["get", "list"].includes(verb) &&
        objectRef !== undefined &&
        !objectRef.resource?.endsWith("reviews"),
    );
    expect(writes).toEqual([]);
    expect(others.filter(isWrite)).toEqual([]);
    const sent = others.map(({ verb, objectRef }) => `${verb} ${objectRef?.resource ?? ""}`);
    expect([...new Set(sent)].sort()).toEqual(probes);
  });

  test("without a configuration there is nothing to prove", async () => {
    await removeConfigurations(suite.api);
    expect((await saysOf(/no configuration/)).probe?.proven).toBe(false);
  });
});

describe("nothing to write, and nobody listens behind ready endpoints", () => {
  test("ends with 7 and writes nothing", async () => {
    const { controlPlane, api, scene } = suite;
    await suite.stopServer();
    await putNewConfiguration(api, scene, { changes: { service: { path: "/judges" } } });
    await settle(api, scene);
    const before = await readBack(controlPlane);
    const run = await swapTo("judges");
    expect(run.report.exit).toMatchObject({
      code: 7,
      reason: containing("connection refused"),
    });
    expect(run.writes).toEqual([]);
    expect(await readBack(controlPlane)).toEqual(before);
  });
});

describe("--no-probe", () => {
  test("goes without proof, and says so", async () => {
    const { controlPlane, api, scene } = suite;
    await suite.stopServer();
    await clear(api, scene);
    const run = await swapTo("judges", ["--no-probe"]);
    expect(run.report.exit.code).toBe(0);
    expect(run.report.findings?.map(({ code }) => code)).toContain("PROBE-SKIPPED");
    expect(run.writes).toEqual([applied]);
    expect((await readBack(controlPlane)).current).toBeDefined();
  });
});
