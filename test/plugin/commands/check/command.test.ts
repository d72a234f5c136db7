import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listChecks } from "../../../../plugin/commands/checks";
import type { Report } from "../../../../plugin/kernel/report";
import { defaultNames } from "../../../../plugin/domain/names/names";
import { textIn } from "../../../../plugin/domain/names/text";
import { expectGoldenText } from "../../../support/golden";
import { type Ended, typed } from "../../../support/program-world";
import { writeRelease } from "../../../support/releases/tree";
import { fitWorld, type World } from "../../domain/checks/world";
import { deployment, ec, edb, webhook } from "../../domain/checks/labels";
import { serveAll } from "../../../support/probes";
import { admin, makeWorld } from "../../../support/world";
import { aFolder } from "../../../support/a-folder";

const checks = listChecks({});

let home = "";
beforeEach(() => {
  home = aFolder("home");
});

interface Run {
  readonly user?: string;
  readonly change?: (world: World) => unknown;
}

async function check(argv: readonly string[], { user, change }: Run = {}): Promise<Ended> {
  const world = await fitWorld();
  change?.(world);
  const servers = serveAll(world.objects);
  const plane = makeWorld({ objects: world.objects, servers }).controlPlane;
  const cluster = plane.connect({
    user: user === undefined ? admin : { name: user, groups: ["system:authenticated"] },
    namespace: "engine",
  });
  const before = plane.state;
  const ended = await typed(["check", ...argv], {
    env: { ENGINE_HOME: home },
    connect: () => Promise.resolve(cluster),
  });
  expect(plane.state).toBe(before);
  return ended;
}

const parsed = ({ out }: Ended) =>
  JSON.parse(out) as Report & { details: { checks: { code: string; verdict?: string }[] } };

/** The pair is recreated each time. */
const masked = (text: string): string => text.replaceAll(/\b[0-9a-f]{64}\b/g, "SHA-256");

const broken = (world: World): World =>
  world.set(ec, "status.licenseStatus.licenseState", "Expired").set(edb, "spec.replication", false);

test("where everything is in order it ends with 0", async () => {
  const ended = await check(["--target=8.0.2-2"]);
  expect(ended.code).toBe(0);
  expect(ended.out).toMatch(/0 errors, 0 warnings, 0 skipped, \d+ not checked/);
});

describe("a release whose notes no advisory is from", () => {
  const says = "no advisory is from the release notes of operator 99.0.0-1";
  const own = (upTo: string): string => {
    const file = join(home, "own.yaml");
    writeFileSync(file, `apiVersion: advisories/v1\n${upTo}advisories: []\n`);
    return `--advisories=${file}`;
  };

  test("is noted once, and the end is the same", async () => {
    const known = await check(["--target=8.2.0-18"]);
    const { code, err } = await check(["--target=99.0.0-1"]);
    expect([code, err.split(says).length]).toEqual([known.code, 2]);
    expect(known.err).not.toContain("no advisory is from");
  });

  test.each([
    ["has it", "upTo: { operator: 99.0.0-1 }\n", false],
    ["has a later one", "upTo: { operator: 99.0.0-2 }\n", false],
    ["has an earlier one", "upTo: { operator: 98.0.0-1 }\n", true],
    ["has none", "", true],
  ])("where a file of one's own %s", async (_title, upTo, isNoted) => {
    const { err } = await check(["--target=99.0.0-1", own(upTo)]);
    expect(err.includes(says)).toBe(isNoted);
  });
});

test("an error ends with 3 and says what to do", async () => {
  const { code, out } = await check([], { change: broken });
  expect(code).toBe(3);
  expectGoldenText("check-findings.txt", masked(out));
});

test("an operator of another namespace, which shares the definitions, is a warning", async () => {
  const change = (world: World) => world.copy(deployment, { namespace: "other" });
  const { code, out } = await check(["--only=DEFINITION-SHARED"], { change });
  expect(code).toBe(0);
  expect(out).toContain("Cause:  operators are also in other (8.0.2-2)");
});

test.each([
  ["jane", true],
  [undefined, false],
])(
  "%s, who may list Deployments of all namespaces or not, is told that it was not looked at: %s",
  async (user, told) => {
    const { err } = await check(["--allow-unread"], user === undefined ? {} : { user });
    expect(err.includes("share the definitions was not looked at")).toBe(told);
  },
);

test.each([
  ["7.22.2-43", "8.0.20-26", "stay at 7.22.2-43 until a later release of 8.0.20 is there"],
  ["6.4.2-8", "7.2.4-7", "choose another release than these two"],
  ["6.2.8-2", "6.2.18-41", "upgrade to a release in between first"],
])("what to do where %s cannot go to %s", async (runs, target, fix) => {
  const change = (world: World) => {
    for (const at of [0, 1]) {
      const path = `spec.template.spec.containers.${at}.image`;
      world.set(deployment, path, `engine/operator:${runs}`);
    }
  };
  const { code, out } = await check(["--only=RELEASE-PATH", `--target=${target}`], { change });
  expect([code, out]).toEqual([3, expect.stringContaining(`Fix:    ${fix}`)]);
});

test("with -v 1 each check is listed", async () => {
  const { out } = await check(
    [
      "-v=1",
      "--only=CLUSTER-STATE,RELEASE-PATH,CLUSTER-LICENSE,DATABASE-VOLATILE",
      "--skip=DATABASE-VOLATILE",
    ],
    {
      change: broken,
    },
  );
  expectGoldenText("check-verbose.txt", masked(out));
});

test.each([
  ["warnings alone", [], 0],
  ["warnings when strict", ["--strict"], 3],
  ["warnings when strict and skipped", ["--strict", `--skip=DATABASE-VOLATILE=${edb}`], 0],
  ["another check alone", ["--strict", "--only", "cluster_state"], 0],
])("%s", async (_, argv, code) => {
  const change = (world: World) => world.set(edb, "spec.replication", false);
  expect((await check(argv, { change })).code).toBe(code);
});

test.each<[string, object, readonly string[]]>([
  ["without a pull policy", { versionTag: "8.0.2-17" }, ["IfNotPresent with the tag"]],
  ["without a tag", { repository: "x/y", imagePullPolicy: "Always" }, ["writes the tag"]],
  ["with an empty tag", { versionTag: "", imagePullPolicy: "Always" }, ["writes the tag"]],
  ["with a pull policy alone", { imagePullPolicy: "Always" }, ["writes the tag"]],
  ["with a repository alone", { repository: "x/y" }, ["writes the tag", "IfNotPresent"]],
])("an image spec %s is a note: the upgrade writes what is missing", async (_, spec, fixes) => {
  const change = (world: World) => world.set(ec, "spec.engineEnterpriseImageSpec", spec);
  const ended = await check(["--only=CLUSTER-IMAGE-INCOMPLETE"], { change });
  expect(ended.code).toBe(0);
  for (const fix of fixes) expect(ended.out).toContain(fix);
});

test("an operator from another registry than the release's is known before an upgrade", async () => {
  const folder = writeRelease(home, "8.0.2-2");
  const change = (world: World) => {
    for (const at of [0, 1]) {
      const path = `spec.template.spec.containers.${at}.image`;
      world.set(deployment, path, "mirror.local/engine/operator:8.0.2-2");
    }
  };
  const argv = ["--only=OPERATOR-REGISTRY", "--release", folder];
  const ended = await check(argv, { change });
  expect([ended.code, ended.out]).toEqual([
    3,
    expect.stringContaining("--image-registry mirror.local"),
  ]);
  expect((await check(argv)).code).toBe(0);
});

test("the document has every check with its verdict, and the certificate", async () => {
  const report = parsed(await check(["-o=json", "--target=8.0.2-2"], { change: broken }));
  expect(report).toMatchObject({
    kind: "Check",
    details: { target: "8.0.2-2" },
    certificate: { secret: "engine/admission-tls" },
    exit: { code: 3 },
  });
  const verdicts = Object.fromEntries(
    report.details.checks.map(({ code, verdict }) => [code, verdict]),
  );
  expect(Object.keys(verdicts)).toEqual(checks.map(({ code }) => code));
  expect(verdicts).toMatchObject({
    "CLUSTER-LICENSE": "failed",
    "CLUSTER-STATE": "ok",
    "RELEASE-NO-BUNDLE": "unjudged",
  });
  expect(report.steps).toEqual([]);
});

/** They are about constraints, which are not served here, as everybody may know. */
const unserved = [
  ...["SCC-ADJUSTMENT-UNMET", "SCC-PRIVILEGED-UNMET", "SCC-POD-OTHERS", "SCC-FSGROUP"],
  "SCC-UNPRIVILEGED",
];

test("who may read nothing is told what to ask for, and nothing is claimed", async () => {
  const ended = await check(["-o=json"], { user: "jane" });
  const report = parsed(ended);
  expect(ended.code).toBe(4);
  expect(report.exit).toMatchObject({
    reason: `${unserved.length} of ${checks.length} checks are ok, 0 errors, 0 warnings, 0 skipped, ${checks.length - unserved.length} not checked`,
    next: expect.stringContaining("--allow-unread") as string,
  });
  expect(report.findings?.map(({ code }) => code)).toContain("CHECK-NOT-JUDGED");
  expect(report.permissions?.manifest).toContain("name: jane");
  const judged = report.details.checks.filter(({ verdict }) => verdict !== "unjudged");
  expect(judged.map(({ code }) => code)).toEqual(unserved);
});

test.each([
  ["--allow-unread", []],
  ["--allow-unread", ["--strict"]],
  ["--skip=CHECK-NOT-JUDGED", []],
])(
  "with %s %j who may read nothing ends with 0, and what was not read is still said",
  async (flag, more) => {
    const ended = await check(["-o=json", flag, ...more], { user: "jane" });
    const report = parsed(ended);
    expect([ended.code, report.permissions]).toEqual([0, undefined]);
    expect(report.exit.reason).toContain(`${checks.length - unserved.length} not checked`);
    expect(report.findings?.every(({ accepted }) => accepted)).toBe(true);
  },
);

test("every skip that matches nothing is named, with what was found", async () => {
  const change = (world: World) => world.set(edb, "spec.replication", false);
  const argv = ["--skip=DATABASE-VOLATILE=x,CLUSTER-STATE", `--skip=DATABASE-VOLATILE=${edb}`];
  const { code, out } = await check(argv, { change });
  expect(code).toBe(2);
  expect(out).toContain(
    `--skip DATABASE-VOLATILE=x matches no finding (DATABASE-VOLATILE was found on ${edb})`,
  );
  expect(out).toContain("--skip CLUSTER-STATE matches no finding");
});

test("hundreds of findings alike are shown by some and counted", async () => {
  const { out } = await check(["--only=DATABASE-VOLATILE"], {
    change: (world) => {
      world.set(edb, "spec.replication", false);
      for (let n = 0; n < 20; n += 1) world.copy(edb, { name: `more-${n}` });
    },
  });
  expect(out.split("warning DATABASE-VOLATILE ")).toHaveLength(2);
  expect(out).toMatch(/^ {2}Also: {3}(?:\S+, ){7}\S+ and 12 more$/m);
});

test("a few more than fit are named", async () => {
  const { out } = await check(["--only=DATABASE-VOLATILE"], {
    change: (world) => {
      world.set(edb, "spec.replication", false);
      for (let n = 0; n < 4; n += 1) world.copy(edb, { name: `more-${n}` });
    },
  });
  expect(out).toMatch(/^ {2}Also: {3}(?:\S+, ){3}\S+$/m);
});

test("the shipped template and a release that it is not known for: a warning, where nothing is in force", async () => {
  const change = (world: World): World => world.remove(webhook);
  const codesOf = async (target: string): Promise<readonly string[]> =>
    (parsed(await check(["-o=json", `--target=${target}`], { change })).findings ?? []).map(
      ({ code }) => code,
    );
  expect(await codesOf("99.0.0-1")).toContain("WEBHOOK-TEMPLATE-OLDER");
  expect(await codesOf("8.0.2-2")).not.toContain("WEBHOOK-TEMPLATE-OLDER");
});

describe("--release", () => {
  test("its files are what is wanted: nothing is left unjudged", async () => {
    writeRelease(home, "8.0.2-2");
    const report = parsed(await check(["-o=json", "--release", home]));
    expect(report.release).toMatchObject({ source: home });
    expect(report.details).toMatchObject({ target: "8.0.2-2" });
    expect(report.details.checks.filter(({ verdict }) => verdict === "unjudged")).toEqual([]);
    expect(report.exit.code).toBe(0);
  });

  test("a folder that holds nothing of it is one error", async () => {
    const report = parsed(await check(["-o=json", "--release", home, "--only=RELEASE-NO-BUNDLE"]));
    expect(report.findings?.map(({ code }) => code)).toEqual(["RELEASE-NO-BUNDLE"]);
  });

  test("a template that is none is wrong usage", async () => {
    mkdirSync(join(home, "admission"));
    writeFileSync(join(home, "admission/webhook.yaml"), "kind: Other\n");
    const { code, err } = await check(["--release", home]);
    expect(code).toBe(2);
    expect(err).toContain("kind is");
  });
});

describe("--list", () => {
  test("shows every check and asks no cluster", async () => {
    const { code, out } = await typed(["check", "--list"]);
    expect(code).toBe(0);
    for (const { code: each, title } of checks) {
      expect(out).toContain(each);
      expect(out).toContain(textIn(title, defaultNames));
    }
  });

  test("shows those of --only, also as a document", async () => {
    const { out } = await typed(["check", "--list", "--only=CERT-EXPIRED", "-o=json"]);
    expect(JSON.parse(out)).toMatchObject({
      details: { checks: [{ code: "CERT-EXPIRED", area: "certificate", severity: "error" }] },
    });
  });
});

describe("wrong usage ends with 2", () => {
  test.each([
    [
      ["--only=CLUSTER-STAT"],
      "--only: there is no check CLUSTER-STAT (did you mean CLUSTER-STATE?)",
    ],
    [["--skip=NONSENSE=x"], "--skip: there is no check NONSENSE"],
    [["--target=newest"], '--target: "newest" is not a tag such as 8.0.2-2'],
    [["--sha256=00"], "--sha256: goes with --release"],
  ])("%j", async (argv, message) => {
    const { code, err } = await typed(["check", ...argv]);
    expect(code).toBe(2);
    expect(err).toContain(message);
  });
});
