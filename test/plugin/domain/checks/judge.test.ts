import { kubectl, type Remedy, tool } from "../../../../plugin/domain/base/remedy";
import { type Check, on } from "../../../../plugin/domain/checks/check";
import type { ProbeOutcome } from "../../../../plugin/domain/admission/probe-outcome";
import { isBlocked, judgeBy, type JudgedCheck } from "../../../../plugin/domain/checks/judge";
import { judgeChecks, listChecks } from "../../../../plugin/commands/checks";
import { provenAt } from "../../../support/probes";
import { fitWorld, openShiftWorld, type World } from "./world";
import { NotSeen } from "../../../../plugin/domain/diagnosis/diagnose";
import type { Facts } from "../../../../plugin/domain/facts/facts";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { describeSituation } from "../../../../plugin/domain/checks/context";
import { ec, edb, settings, webhook } from "./labels";

const aCheck = (parts: Partial<Check> = {}): Check => ({
  code: "SOME-CHECK",
  area: "cluster",
  severity: "error",
  title: "It is so",
  cause: "it is not so",
  fix: "make it so",
  source: "S1",
  needs: [],
  judge: () => [],
  ...parts,
});

let world: World;
beforeAll(async () => {
  world = await fitWorld();
});

async function judge(parts: Partial<Check>, selection = {}) {
  return judgeBy([aCheck(parts)], describeSituation(await world.facts(), {}), selection);
}

test("a finding takes from its check what it does not say itself", async () => {
  const { findings } = await judge({
    judge: () => [{ cause: "here", object: "Kind/x", field: "a.b" }],
  });
  expect(findings).toEqual([
    {
      code: "SOME-CHECK",
      severity: "error",
      object: "Kind/x",
      field: "a.b",
      cause: "here",
      fix: "make it so",
      source: "S1",
      row: "SOME-CHECK",
    },
  ]);
});

test("what a person has to look at says how it is accepted then", async () => {
  const found = [
    { cause: "x", object: "Kind/x" },
    { cause: "y", fix: "ask" },
  ];
  const { findings } = await judge({ vouched: true, judge: () => found });
  expect(findings.map(({ fix }) => fix)).toEqual([
    "make it so; then accept it with --skip SOME-CHECK=Kind/x",
    "ask; then accept it with --skip SOME-CHECK",
  ]);
});

test("a check that throws is a finding itself and hides no other", async () => {
  const facts = await world.facts();
  const broken = aCheck({
    code: "BROKEN-CHECK",
    judge: () => {
      throw new Error("secret words");
    },
  });
  const found = aCheck({ judge: () => [{ cause: "here" }] });
  const { judged, findings } = judgeBy([broken, found], describeSituation(facts, {}), {});
  expect(judged.map(({ verdict }) => verdict)).toEqual(["unjudged", "failed"]);
  expect(findings.map(({ code }) => code)).toEqual(["CHECK-BROKEN", "SOME-CHECK"]);
  expect(JSON.stringify(findings)).not.toContain("secret words");
});

describe("what could not be read is not claimed", () => {
  const unread = async (selection = {}) => {
    const blind = await fitWorld();
    blind.unread.set("edbs", "forbidden");
    blind.unread.set("nodes", "forbidden");
    const list = [
      aCheck({ needs: ["edbs"], judge: () => [{ cause: "never asked" }] }),
      aCheck({ code: "OTHER-CHECK", needs: ["edbs", "ecs"] }),
      aCheck({ code: "THIRD-CHECK" }),
    ];
    return judgeBy(list, describeSituation(await blind.facts(), {}), selection);
  };

  test("one finding a list, with the checks left out and the permission to ask for", async () => {
    const { judged, findings, missing } = await unread();
    expect(judged.map(({ verdict, because }) => [verdict, because])).toEqual([
      ["unjudged", "unread: edbs"],
      ["unjudged", "unread: edbs"],
      ["ok", undefined],
    ]);
    expect(findings).toMatchObject([
      {
        code: "CHECK-NOT-JUDGED",
        severity: "warning",
        object: "EngineEnterpriseDatabase",
        cause: "could not be read (forbidden), so these are not checked: SOME-CHECK, OTHER-CHECK",
        fix: "ask an administrator to grant: list engineenterprisedatabases.app.engine.com; then run again",
      },
    ]);
    expect(missing).toHaveLength(1);
  });

  test("a list that a dump holds otherwise takes a correction and no permission", async () => {
    const blind = await fitWorld();
    blind.unread.set("edbs", "a value of another type");
    const facts = { ...(await blind.facts()), misfits: new Set(["edbs"] as const) };
    const list = [aCheck({ needs: ["edbs"] })];
    const { findings, missing } = judgeBy(list, describeSituation(facts, {}), {});
    expect([findings, missing]).toEqual([
      [
        expect.objectContaining({
          cause:
            "could not be read (a value of another type), so these are not checked: SOME-CHECK",
          fix: "correct the dump as its own findings say, then rehearse again",
        }),
      ],
      [],
    ]);
  });

  test("nothing is said of a list that no check needs", async () => {
    const { findings } = await unread({ only: ["THIRD-CHECK"] });
    expect(findings).toEqual([]);
  });

  test("it can be accepted as any finding: nobody is asked for the permission then", async () => {
    const { findings, missing } = await unread({ skip: [{ code: "CHECK-NOT-JUDGED" }] });
    expect([findings, missing]).toEqual([[expect.objectContaining({ accepted: true })], []]);
  });

  test("a check that is skipped asks for nothing", async () => {
    const skip = ["SOME-CHECK", "OTHER-CHECK"].map((code) => ({ code }));
    const { judged, findings } = await unread({ skip });
    expect([judged.map(({ verdict }) => verdict), findings]).toEqual([
      ["skipped", "skipped", "ok"],
      [],
    ]);
  });

  // a person who may not read the Secret still learns that no call can succeed
  test.each([
    ["", "failed", ["WEBHOOK-CA-STALE"]],
    [undefined, "unjudged", ["CHECK-NOT-JUDGED"]],
  ] as const)("a caBundle %p is checked without the Secret: %s", async (bundle, verdict, codes) => {
    const blind = await fitWorld();
    blind.unread.set("webhookSecrets", "forbidden");
    if (bundle !== undefined) blind.set(webhook, "webhooks.0.clientConfig.caBundle", bundle);
    const only = ["WEBHOOK-CA-STALE"];
    const { judged, findings } = judgeChecks(await blind.facts(), {}, { selection: { only } });
    expect(judged.map((one) => one.verdict)).toEqual([verdict]);
    expect(findings.map(({ code }) => code)).toEqual(codes);
  });

  test("a check that fails on the part that was read is broken, not unread", async () => {
    const blind = await fitWorld();
    blind.unread.set("edbs", "forbidden");
    const broken = aCheck({
      needs: [],
      may: ["edbs"],
      judge: () => {
        throw new Error("x");
      },
    });
    const { findings } = judgeBy([broken], describeSituation(await blind.facts(), {}), {});
    expect(findings.map(({ code }) => code)).toContain("CHECK-BROKEN");
  });

  test("the permission is for the one Secret and the one namespace", async () => {
    const blind = await fitWorld();
    blind.unread.set("webhookSecrets", "forbidden");
    const { missing } = await blind.judge();
    expect(missing).toEqual([
      {
        verb: "list",
        group: "",
        resource: "secrets",
        namespace: "engine",
        name: "admission-tls",
        why: "checks rest on it",
      },
    ]);
  });
});

/** As a reader of lists alone leaves them. */
function uncertified(facts: Facts): Facts {
  const entries = Object.entries(facts).filter(([key]) => key !== "certificate");
  return Object.fromEntries(entries) as unknown as Facts;
}

test("without a reader of certificates the certificate is not checked", async () => {
  const facts = await world.facts();
  const without = uncertified(facts);
  const { judged } = judgeChecks(without, world.target, {
    selection: { only: ["CERT-EXPIRED", "SECRET-MISSING"] },
  });
  expect(judged.map(({ check, verdict }) => [check.code, verdict])).toEqual([
    ["SECRET-MISSING", "ok"],
    ["CERT-EXPIRED", "unjudged"],
  ]);
});

test("what a check asks of the target and is not given leaves it unjudged, without a finding", async () => {
  const { judged, findings } = judgeChecks(await world.facts(), {});
  const because = new Set(judged.flatMap((one) => one.because ?? []));
  expect([...because].sort()).toEqual([
    "give the release with --target",
    "give the release's files with --release",
    "not probed",
    "the role of the operator that runs is not known, give the release's files with --release",
    "there is no template to compare with",
  ]);
  expect(findings).toEqual([]);
});

describe("a person's choice", () => {
  const two = {
    judge: () => [
      { cause: "x", object: "Kind/one" },
      { cause: "x", object: "Kind/two" },
    ],
  };

  test.each([
    ["nothing", {}, "failed", ["Kind/one", "Kind/two"]],
    ["one object", { skip: [{ code: "SOME-CHECK", object: "Kind/one" }] }, "failed", ["Kind/two"]],
    [
      "each object",
      { skip: ["Kind/one", "Kind/two"].map((object) => ({ code: "SOME-CHECK", object })) },
      "skipped",
      [],
    ],
    ["the code", { skip: [{ code: "SOME-CHECK" }] }, "skipped", []],
    ["another code", { skip: [{ code: "OTHER-CHECK" }] }, "failed", ["Kind/one", "Kind/two"]],
  ])("skips %s", async (...[, selection, verdict, left]) => {
    const { judged, findings } = await judge(two, selection);
    expect(judged[0]?.verdict).toBe(verdict);
    expect(findings).toHaveLength(2);
    const standing = findings.filter(({ accepted }) => accepted !== true);
    expect(standing.map(({ object }) => object)).toEqual(left);
  });

  test("only what was asked for is checked", async () => {
    const { judged } = await world.judge({ only: ["CLUSTER-STATE"] });
    expect(judged.map(({ check }) => check.code)).toEqual(["CLUSTER-STATE"]);
  });
});

test.each([
  ["an error", "error", false, [], true],
  ["a warning", "warning", false, [], false],
  ["a warning when strict", "warning", true, [], true],
  ["an accepted error", "error", false, ["SOME-CHECK"], false],
  ["an accepted warning when strict", "warning", true, ["SOME-CHECK"], false],
] as const)("%s blocks as it should", async (...[, severity, strict, codes, blocked]) => {
  const skip = codes.map((code) => ({ code }));
  const judgment = await judge({ severity, judge: () => [{ cause: "x" }] }, { skip });
  expect(isBlocked(judgment, strict)).toBe(blocked);
});

test.each<readonly [string, readonly Remedy[], boolean]>([
  ["an act of the upgrade", [tool("swap it", "upgrade-webhook")], false],
  [
    "an act of the upgrade with a flag of its own",
    [tool("x", "upgrade-webhook", "--ca-only")],
    true,
  ],
  ["another command of the tool", [tool("make a pair", "cert", "create")], true],
  [
    "a line of kubectl, before an act",
    [kubectl("look", "get", "x"), tool("x", "unbind-scc")],
    true,
  ],
  ["a person", [{ says: "decide" }], true],
])("an error that is fixed by %s", async (_, remedies, blocked) => {
  const judgment = await judge({ judge: () => [{ cause: "x", remedies }] });
  expect(isBlocked(judgment, false)).toBe(blocked);
  expect(isBlocked(judgment, true)).toBe(true);
});

test("nothing found blocks nothing, strict or not", async () => {
  expect(isBlocked(await judge({}), true)).toBe(false);
});

test("no Secret's value is in the facts, but for the certificate", async () => {
  const rich = (await fitWorld()).note("Secret/engine/ec", "annotations", {
    "kubectl.kubernetes.io/last-applied-configuration": "cA==",
  });
  rich.set("Secret/engine/ec", "data.password", "c2VjcmV0LXdvcmRz");
  const { objects, certificate } = await rich.facts();
  const secrets = JSON.stringify([...objects.namedSecrets, ...objects.webhookSecrets]);
  expect(secrets).not.toContain("c2VjcmV0LXdvcmRz");
  expect(secrets).not.toContain("last-applied");
  expect(objects.webhookSecrets[0]?.["data"]).toMatchObject({ privateKey: "" });
  expect(certificate?.matchesPrivateKey).toBe(true);
});

test("an object is named by its label", () => {
  const object = world.find(edb) as never;
  expect(on(object, "x")).toEqual({ object: edb, cause: "x" });
});

/** The facts with something taken from every object. */
async function spoilt(spoil: (object: KubeObject) => unknown): Promise<Facts> {
  const rich = await openShiftWorld();
  rich.set(ec, "spec.userDefinedModules", [{ name: "rg" }]).set(settings, "data", {
    EDB_NAMESPACES_LABEL: "kubernetes.io/metadata.name",
  });
  const facts = await rich.facts();
  const objects = Object.fromEntries(
    Object.entries(facts.objects).map(([key, list]) => [key, list.map(spoil)]),
  ) as unknown as Facts["objects"];
  return { ...facts, objects };
}

describe("malformed objects break no check", () => {
  test.each<[string, (object: KubeObject) => unknown]>([
    [
      "without a name",
      (object) => ({ ...object, metadata: { ...object.metadata, name: undefined } }),
    ],
    [
      "without a namespace",
      (object) => ({ ...object, metadata: { ...object.metadata, namespace: undefined } }),
    ],
    [
      "without spec and status",
      ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }),
    ],
    [
      "with texts in their place",
      (object) => ({
        ...object,
        spec: "x",
        status: "x",
        data: "x",
      }),
    ],
    [
      "with lists in their place",
      (object) => ({
        ...object,
        spec: [1],
        status: [1],
        webhooks: [1],
        rules: [1],
        subjects: [1],
        data: [1],
      }),
    ],
  ])("%s", async (_, spoil) => {
    const { target } = world.wants("8.0.2-2", { bundle: [world.objects[0] as KubeObject] });
    const { findings } = judgeChecks(await spoilt(spoil), target);
    expect(findings.filter(({ code }) => code === "CHECK-BROKEN")).toEqual([]);
  });
});

test("a check that lacks what it wants finds nothing", async () => {
  const facts = uncertified(await world.facts());
  const situation = describeSituation(facts, {});
  for (const check of listChecks({}).filter(({ wants }) => wants !== undefined)) {
    expect(check.judge(situation)).toEqual([]);
  }
});

test.each<[string, ProbeOutcome | undefined, JudgedCheck["verdict"], string | undefined]>([
  ["none was made", undefined, "unjudged", "not probed"],
  [
    "none was wanted",
    { is: "unasked", because: "not probed (--no-probe)" },
    "unjudged",
    "not probed (--no-probe)",
  ],
  ["it shows nothing", { is: "open", because: "exceeded quota" }, "unjudged", "exceeded quota"],
  ["it was right", provenAt(0), "ok", undefined],
  [
    "it failed",
    { is: "failed", because: "it fails", seen: "closed", policies: ["Fail"] },
    "ok",
    undefined,
  ],
])("a check that wants a probe is judged by one: %s", async (_, probe, verdict, because) => {
  const situation = describeSituation(await world.facts(), {}, probe);
  const { judged } = judgeBy([aCheck({ wants: "probe" })], situation, {});
  expect(judged).toMatchObject([{ verdict }]);
  expect(judged[0]?.because).toBe(because);
});

describe("a check whose findings another one supersedes", () => {
  const better = (object: string, rest: Partial<Check> = {}): Check =>
    aCheck({
      code: "BETTER-CHECK",
      judge: () => [{ cause: "here", object, supersedes: ["SOME-CHECK"] }],
      ...rest,
    });
  const judgeBoth = async (first: Check, selection = {}) => {
    const found = aCheck({ judge: () => [{ cause: "x", object: "Kind/x" }] });
    const situation = describeSituation(await world.facts(), {});
    const judgment = judgeBy([first, found], situation, selection);
    const [, other] = judgment.judged;
    return { told: judgment.findings.map(({ code }) => code), other, judgment };
  };

  test("is not ok, and says what tells it", async () => {
    const { told, other, judgment } = await judgeBoth(better("Kind/x"));
    expect(told).toEqual(["BETTER-CHECK"]);
    expect(other).toMatchObject({ verdict: "skipped", because: "told by BETTER-CHECK" });
    expect(isBlocked(judgment, false)).toBe(true);
  });

  test.each<[string, Check, object]>([
    ["of another object", better("Kind/y"), {}],
    ["of less weight", better("Kind/x", { severity: "warning" }), {}],
    ["that is accepted", better("Kind/x"), { skip: [{ code: "BETTER-CHECK" }] }],
    ["that cannot be judged", better("Kind/x", { wants: "version" }), {}],
  ])("fails beside one %s", async (_title, first, selection) => {
    const { other, judgment } = await judgeBoth(first, selection);
    expect(other?.verdict).toBe("failed");
    expect(isBlocked(judgment, false)).toBe(true);
  });

  test("of several objects tells the others", async () => {
    const two = aCheck({
      judge: () => [
        { cause: "x", object: "Kind/x" },
        { cause: "y", object: "Kind/y" },
      ],
    });
    const situation = describeSituation(await world.facts(), {});
    const { judged, findings } = judgeBy([better("Kind/x"), two], situation, {});
    expect(judged[1]?.verdict).toBe("failed");
    expect(findings.map(({ code, object }) => [code, object])).toEqual([
      ["BETTER-CHECK", "Kind/x"],
      ["SOME-CHECK", "Kind/y"],
    ]);
  });
});

test.each([
  ["who looks", {}, []],
  ["who acts", { acts: true }, [{ severity: "warning", cause: "not checked: of x" }]],
  ["who acts and accepts it", { acts: true, skip: [{ code: "SOME-CHECK" }] }, [{ accepted: true }]],
])("a value that is not known is told to %s", async (_title, selection, told) => {
  const unknown: Check["judge"] = () => {
    throw new NotSeen("of x", []);
  };
  const { findings, judged } = await judge({ judge: unknown }, selection);
  expect(findings).toMatchObject(told);
  expect(findings).toHaveLength(told.length);
  expect(judged[0]?.verdict).not.toBe("ok");
});
