import type { ValidatingWebhookConfiguration } from "../../../../plugin/domain/kube/models";
import { readCaBundle, listEntries } from "../../../../plugin/domain/admission/configuration";
import { defaultNames } from "../../../../plugin/domain/names/names";
import type { Finding } from "../../../../plugin/domain/base/findings";
import {
  aNamespace,
  type ConfigurationChanges,
  ownerMarks,
  testCa,
} from "../../../support/builders";
import { expectGolden } from "../../../support/golden";
import {
  applyNew,
  codesOf,
  deleteOld,
  expectWanted,
  healthy,
  isWrite,
  newName,
  oldName,
  permissive,
  Scene,
  type Start,
  stepsOf,
} from "./scene";
import { ApiError } from "../../../../plugin/domain/base/errors";

const empty: ConfigurationChanges = { caBundle: "" };
const wrongCa: ConfigurationChanges = { caBundle: "V1JPTkc=" };
const raw: ConfigurationChanges = { namespace: "OPERATOR_NAMESPACE", caBundle: "" };
const olderRaw: ConfigurationChanges = { namespace: "NAMESPACE_OF_SERVICE_ACCOUNT", caBundle: "" };
const gone: ConfigurationChanges = { namespace: "gone" };
const everyKind = {
  rules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] }],
};

const databasesOnly = {
  rules: [
    {
      apiGroups: [defaultNames.group],
      apiVersions: [defaultNames.version],
      operations: ["CREATE"],
      resources: [defaultNames.edb.plural],
    },
  ],
};

/** A configuration that serves another namespace, as it is accepted. */
const moved = {
  code: "WEBHOOK-OTHER-NAMESPACE",
  object: "ValidatingWebhookConfiguration/engine-enterprise-admission",
};

describe("every state ends up to date, with no more writes than it needs", () => {
  test.each<[string, Start, readonly string[]]>([
    ["only old, healthy", { old: true }, [applyNew, deleteOld]],
    ["only old, wrong CA", { old: wrongCa }, [applyNew, deleteOld]],
    ["only old, empty CA", { old: empty }, [applyNew, deleteOld]],
    ["only old, placeholder left", { old: olderRaw }, [applyNew, deleteOld]],
    ["only old, namespace gone", { old: gone }, [applyNew, deleteOld]],
    [
      "only old, broken for every kind",
      { old: { ...wrongCa, entry: everyKind } },
      [applyNew, deleteOld],
    ],
    ["old and a right new", { old: true, new: true }, [deleteOld]],
    ["a broken old and a right new", { old: wrongCa, new: true }, [deleteOld]],
    ["old and a raw new", { old: true, new: raw }, [applyNew, deleteOld]],
    ["old and a new without CA", { old: true, new: empty }, [applyNew, deleteOld]],
    ["a broken old and a broken new", { old: wrongCa, new: wrongCa }, [applyNew, deleteOld]],
    ["only new, up to date", { new: true }, []],
    ["only new, raw", { new: raw }, [applyNew]],
    ["only new, raw with the older placeholder", { new: olderRaw }, [applyNew]],
    ["only new, CA empty", { new: empty }, [applyNew]],
    ["only new, CA wrong", { new: wrongCa }, [applyNew]],
    ["only new, namespace gone", { new: gone }, [applyNew]],
    ["only new, other failurePolicy", { new: { entry: { failurePolicy: "Ignore" } } }, [applyNew]],
    ["only new, of an older release", { new: { entry: databasesOnly } }, [applyNew]],
    [
      "only new, other review versions",
      { new: { entry: { admissionReviewVersions: ["v1"] } } },
      [applyNew],
    ],
    ["only new, no entry in it", { new: { entry: { name: "other.example.com" } } }, [applyNew]],
    ["none", {}, [applyNew]],
  ])("%s", async (_state, start, writes) => {
    const scene = new Scene(start);

    const report = await scene.run();

    expect(report.exit).toMatchObject({ code: 0 });
    expect(scene.cluster.written).toEqual(writes);
    expectWanted(scene);
    const again = await scene.run();
    expect(again.exit).toEqual({ code: 0, reason: "already up to date, nothing was written" });
    expect(scene.cluster.written).toEqual(writes);
    expect(stepsOf(again)).toEqual(["secret.read: done", "webhook.apply: unchanged"]);
  });
});

describe("the report of", () => {
  test("the swap of a healthy old one, and of the second run", async () => {
    const scene = new Scene({ old: true });
    expectGolden("upgrade-webhook/only-old.json", await scene.run());
    expectGolden("upgrade-webhook/second-run.json", await scene.run());
  });

  test("a broken old one that no kind escapes says that it goes first", async () => {
    const scene = new Scene({ old: { ...wrongCa, entry: everyKind } });
    const report = await scene.run();
    expect(scene.events).toContainEqual({
      type: "note",
      text: expect.stringContaining("it goes first, the proof follows") as string,
    });
    expect(report.probes?.map(({ phase }) => phase)).toEqual(["before", "after"]);
    expect(report.gap?.outageSeconds).toBeGreaterThan(0);
  });

  test("no configuration at all says that nothing was validated, and for how long", async () => {
    const report = await new Scene().run();
    expect(codesOf(report)).toEqual(["WEBHOOK-ABSENT"]);
    expect(report.gap?.bypassSeconds).toBeGreaterThan(0);
    expect(report.gap?.outageSeconds).toBe(0);
  });

  test("a repaired one names every reason and the command that puts the old content back", async () => {
    const report = await new Scene({ new: raw }).run();
    const step = report.steps?.find(({ id }) => id === "webhook.apply");
    expect(step?.why).toContain("the placeholder OPERATOR_NAMESPACE is left in it");
    expect(step?.why).toContain("its caBundle is empty");
    expect(step?.why).toContain("clientConfig.service");
    expect(report.backups).toEqual([
      {
        object: `ValidatingWebhookConfiguration/${newName}`,
        holds: "while nobody else has changed it",
        file: `runs/1/${newName}.json`,
        command: `kubectl replace -f runs/1/${newName}.json`,
      },
    ]);
  });
});

describe("make before break", () => {
  test("the old one is deleted only after the new entry was seen refusing", async () => {
    const scene = new Scene({ old: true });
    await scene.run();
    const { calls } = scene.cluster;
    const applied = calls.findIndex(isWrite("apply"));
    const deleted = calls.findIndex(isWrite("delete"));
    const between = calls.slice(applied + 1, deleted).filter(({ verb }) => verb === "create");
    expect(between.length).toBeGreaterThan(80);
    expect(between.every(({ dryRun }) => dryRun)).toBe(true);
  });

  test.each<[string, Start]>([
    ["only old", { old: true }],
    ["old and new", { old: true, new: true }],
    ["only new, to be repaired in what is no fault", { new: { entry: databasesOnly } }],
  ])("%s: at no moment is there no configuration that works", async (_title, start) => {
    const scene = new Scene(start);
    const works = (one: ValidatingWebhookConfiguration | undefined): boolean =>
      listEntries(one).some((entry) => readCaBundle(entry) === testCa);
    scene.cluster.after = () => {
      expect(works(scene.old()) || works(scene.live())).toBe(true);
    };
    const report = await scene.run();
    expect(report.gap).toMatchObject({ bypassSeconds: 0, outageSeconds: 0 });
  });

  test("two runs at once: one of them at least does it, the other at most stops with 5", async () => {
    const scene = new Scene({ old: true });
    const runs = [scene.swap(), scene.swap()];
    const codes = (await Promise.all(runs)).map(({ exit }) => exit.code);
    expect(codes).toContain(0);
    expect([0, 5]).toEqual(expect.arrayContaining(codes));
    expectWanted(scene);
  });

  test("what is deleted or replaced is saved before its write, and each write is noted", async () => {
    const scene = new Scene({ old: true, new: empty });
    await scene.run();
    expect(scene.saved.map(({ metadata }) => metadata.name)).toEqual([newName, oldName]);
    expect(scene.journal).toEqual([applyNew, `${applyNew}: done`, deleteOld, `${deleteOld}: done`]);
  });
});

describe("asked before the first write", () => {
  test("a deletion names what is done and where, and a no ends with 2: nothing is written", async () => {
    const scene = new Scene({ old: true });
    scene.answer = () => Promise.resolve(false);
    expect((await scene.run()).exit.code).toBe(2);
    expect([scene.cluster.written, scene.journal]).toEqual([[], []]);
    expect(scene.questions).toEqual([
      "apply ValidatingWebhookConfiguration/engine-enterprise-admission, then delete ValidatingWebhookConfiguration/edb-admission?",
    ]);
  });

  test.each<[string, Start]>([
    ["nothing is deleted", {}],
    ["the new one is repaired", { new: empty }],
    ["all is up to date", { new: true }],
  ])("not where %s", async (_title, start) => {
    const scene = new Scene(start);
    await scene.run();
    expect(scene.questions).toEqual([]);
  });
});

describe("refused, and nothing written:", () => {
  const owned = Object.entries(ownerMarks).flatMap(([owner, metadata]) => [
    [`the old one is ${owner}'s`, owner, { old: { metadata } }] as const,
    [
      `the new one is ${owner}'s and has to be written`,
      owner,
      { new: { ...empty, metadata } },
    ] as const,
  ]);
  test.each(owned)("%s", async (_title, owner, start) => {
    const scene = new Scene(start);
    const report = await scene.run();
    expect(report.exit).toMatchObject({ code: 5, next: expect.any(String) as string });
    const finding = report.findings?.find(({ severity }) => severity === "error");
    expect(finding).toMatchObject({ code: "WEBHOOK-OWNED" });
    expect(finding?.cause).toContain(owner);
    expect((await scene.run({ dryRun: "client" })).exit).toEqual(report.exit);
    expect(scene.cluster.written).toEqual([]);
  });

  test("the new one serves another namespace that exists", async () => {
    const scene = new Scene({ new: { namespace: "other" } });
    scene.world.put(aNamespace("other"));
    const report = await scene.run();
    expect(report.exit.code).toBe(5);
    expect(codesOf(report)).toContain("WEBHOOK-OTHER-NAMESPACE");
    expect(report.exit.next).toContain(`--skip ${moved.code}=${moved.object}`);
    expect(scene.cluster.written).toEqual([]);
  });

  test("the API server refuses the write in spite of its answer: 4", async () => {
    const scene = new Scene({ old: true });
    scene.onCall(isWrite("apply"), () => {
      throw new ApiError("is forbidden", { status: 403 });
    });
    expect((await scene.run()).exit.code).toBe(4);
    expect([scene.cluster.written, scene.live()]).toEqual([[applyNew], undefined]); // sent once
  });

  test("the records of the run cannot be kept", async () => {
    const scene = new Scene({ old: true });
    scene.homeProblem = "cannot keep a record of the run in /ro (EROFS)";
    const report = await scene.run();
    expect(report.exit).toMatchObject({ code: 2, reason: scene.homeProblem });
    expect(scene.cluster.written).toEqual([]);
    expect(scene.questions).toEqual([]);
  });
});

test("a --skip that matches nothing ends with 2 before the first write", async () => {
  const scene = new Scene({ old: true });
  const report = await scene.run({ skip: [moved] });
  expect(report.exit.code).toBe(2);
  expect(report.exit.reason).toContain("matches no finding");
  expect(scene.cluster.written).toEqual([]);
});

describe("not refused:", () => {
  test("one that is accepted: it asks, and moves the new one here; again, it has nothing to do", async () => {
    const scene = new Scene({ new: { namespace: "other" } });
    scene.world.put(aNamespace("other"));
    scene.world.servers.set("other/admission", healthy);
    const report = await scene.run({ skip: [moved] });
    expect(report.exit.code).toBe(0);
    expect(codesOf(report)).toEqual(["WEBHOOK-OTHER-NAMESPACE"]);
    expect(scene.questions).toHaveLength(1);
    expectWanted(scene);
    expect((await scene.run({ skip: [moved] })).exit.code).toBe(0);
  });

  test.each<[string, Start]>([
    [
      "the label app.kubernetes.io/instance alone",
      { old: { metadata: { labels: { "app.kubernetes.io/instance": "engine" } } } },
    ],
    ["an owned new one that is up to date", { new: { metadata: ownerMarks.Helm } }],
  ])("%s", async (_title, start) => {
    const scene = new Scene(start);
    const report = await scene.run();
    expect(report.exit.code).toBe(0);
    expect(report.findings?.every(({ severity }) => severity === "warning")).toBe(true);
  });

  test("a record that cannot be kept is a warning where nothing is written", async () => {
    const scene = new Scene({ new: true });
    scene.homeProblem = "cannot keep a record of the run in /ro (EROFS)";
    const report = await scene.run();
    expect(report.exit.code).toBe(0);
    expect(codesOf(report)).toEqual(["HOME-NOT-WRITABLE"]);
  });
});

describe("kept from the live one", () => {
  const selectors = {
    namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "engine" } },
    objectSelector: { matchExpressions: [{ key: "skip", operator: "DoesNotExist" }] },
    matchConditions: [{ name: "all", expression: "true" }],
  };

  test.each<[string, Start]>([
    [
      "the new one, where it exists",
      { new: { ...empty, entry: { ...selectors, timeoutSeconds: 17 } } },
    ],
    [
      "the old one, where it alone exists",
      { old: { entry: { ...selectors, timeoutSeconds: 17 } } },
    ],
  ])("%s", async (_title, start) => {
    const scene = new Scene(start);
    const report = await scene.run();
    expect(report.exit.code).toBe(0);
    expect(scene.entry()).toMatchObject({ ...selectors, timeoutSeconds: 17 });
    expect(codesOf(report)).toEqual(Array<string>(4).fill("WEBHOOK-KEPT"));
    const writes = scene.cluster.writes.length;
    await scene.run();
    expect(scene.cluster.writes).toHaveLength(writes);
  });

  test("nothing but labels with --take-template-selectors", async () => {
    const scene = new Scene({ new: { entry: selectors } });
    const report = await scene.run({ takeTemplateSelectors: true });
    expect(report.exit.code).toBe(0);
    expect(scene.entry()).toMatchObject({ namespaceSelector: {}, objectSelector: {} });
    expect(scene.entry()).not.toHaveProperty("matchConditions");
  });
});

test("an unfit Secret is one finding, the most fundamental, and nothing is written", async () => {
  const finding = (code: string): Finding => ({
    code,
    severity: "error",
    object: "Secret/engine/admission-tls",
    cause: `because of ${code}`,
    fix: "make a new one",
    source: "S27",
  });
  const scene = new Scene({ old: true });
  scene.secretFindings = [finding("CERT-EXPIRED"), finding("SECRET-NOT-PEM")];
  const report = await scene.run();
  expect(report.exit).toEqual({
    code: 3,
    reason: "Secret/engine/admission-tls: because of SECRET-NOT-PEM",
    next: "make a new one",
  });
  expect(codesOf(report)).toEqual(["SECRET-NOT-PEM"]);
  expect(scene.cluster.written).toEqual([]);
});

const states: readonly [string, Start, readonly string[]][] = [
  ["only old", { old: true }, ["webhook.apply", "webhook.delete-old"]],
  ["old and a right new", { old: true, new: true }, ["webhook.delete-old"]],
  ["a new one to repair", { new: { caBundle: "" } }, ["webhook.apply"]],
  ["none", {}, ["webhook.apply"]],
  ["up to date", { new: true }, []],
];

describe.each(["client", "server"] as const)("--dry-run=%s", (dryRun) => {
  test.each(states)("%s: writes nothing and plans every write", async (_title, start, planned) => {
    const scene = new Scene(start);
    const report = await scene.run({ dryRun });
    expect(report.exit.code).toBe(0);
    expect(scene.cluster.written).toEqual([]);
    expect(stepsOf(report)).toEqual([
      "secret.read: done",
      ...planned.map((id) => `${id}: planned`),
    ]);
    expect(report.probes?.map(({ phase }) => phase)).toEqual(["found"]);
    expect(scene.questions).toEqual([]);
    expect(scene.journal).toEqual([]);
    expect(scene.saved).toEqual([]);
    expect(report.exit.reason).toContain(
      planned.length === 0 ? "nothing would be written" : `${planned.length} write`,
    );
  });

  test("a state that does not work is no failure: nothing came into force", async () => {
    const scene = new Scene({ old: true });
    scene.world.servers.set("engine/admission", permissive);
    expect((await scene.run({ dryRun })).exit.code).toBe(0);
  });
});

test("--dry-run=server finds what the server says against the write", async () => {
  const scene = new Scene({ old: true });
  scene.onCall(
    ({ verb }) => verb === "apply",
    () => {
      throw new ApiError("denied by policy", { status: 422 });
    },
  );
  const report = await scene.run({ dryRun: "server" });
  expect(report.exit).toMatchObject({ code: 1, reason: "denied by policy" });
});
