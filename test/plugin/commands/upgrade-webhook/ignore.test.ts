/** failurePolicy Ignore in force: Fail is written only after a refusal was seen. */
import type { ValidatingWebhookConfiguration } from "../../../../plugin/domain/kube/models";
import { listEntries } from "../../../../plugin/domain/admission/configuration";
import { defaultNames } from "../../../../plugin/domain/names/names";
import { getOwn, asArray } from "../../../../plugin/domain/base/values";
import { testCa } from "../../../support/builders";
import { judgesAll, type WebhookServer } from "../../../support/served-webhooks";
import {
  aSwap,
  applyNew,
  codesOf,
  createOld,
  deleteNew,
  deleteOld,
  expectWanted,
  healthy,
  isWrite,
  newName,
  permissive,
  Scene,
  type Start,
  stepsOf,
} from "./scene";

const { entry: ours } = defaultNames.webhook;
const ignore = { failurePolicy: "Ignore" };
const older = { ...ignore, admissionReviewVersions: ["v1"] };
const wrongCa = "V1JPTkc=";
const everyKind = {
  rules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"] }],
};
const cut: WebhookServer = { ca: testCa, judge: judgesAll, down: "EOF" };

/** The failurePolicy of each write of our entry, as sent. */
function policiesSent({ cluster }: Scene): readonly unknown[] {
  return cluster.calls
    .filter(({ verb, dryRun }) => !dryRun && (verb === "apply" || verb === "update"))
    .map(({ object }) =>
      asArray(getOwn(object, "webhooks")).find((one) => getOwn(one, "name") === ours),
    )
    .map((one) => getOwn(one, "failurePolicy"));
}

const contentOf = (one: ValidatingWebhookConfiguration | undefined): unknown => [
  one?.metadata.labels,
  listEntries(one),
];

const starts: readonly [string, Start][] = [
  ["only old", { old: { entry: ignore } }],
  ["only new, that differs in nothing else", { new: { entry: ignore } }],
  ["only new, of an older release", { new: { entry: older } }],
  ["only new, with another CA", { new: { entry: ignore, caBundle: wrongCa } }],
  ["an old one with Fail and a new one", { old: { caBundle: "" }, new: { entry: older } }],
  ["both", { old: { entry: ignore }, new: { entry: older } }],
  ["an old one for every kind", { old: { entry: { ...ignore, ...everyKind } } }],
];

describe.each<[string, WebhookServer]>([
  ["ends each connection", cut],
  ["allows everything", permissive],
])("a webhook that %s: Fail is never sent, and what was there is back", (_title, server) => {
  test.each(starts)("%s", async (_state, start) => {
    const scene = new Scene(start);
    scene.world.servers.set("engine/admission", server);
    const before = [scene.old(), scene.live()].map(contentOf);

    const report = await scene.run();

    expect(report.exit.code).toBe(7);
    expect(report.exit.reason).toContain("failurePolicy Ignore: calls that fail let edits pass");
    expect(report.exit.reason).toContain("failurePolicy Fail was not written");
    expect(policiesSent(scene)).not.toContain("Fail");
    expect([scene.old(), scene.live()].map(contentOf)).toEqual(before);
    if (start.old === undefined) expect(report.gap?.outageSeconds).toBe(0);
    expect(codesOf(report)).toContain("WEBHOOK-ALLOWS-ALL");
    expect(JSON.stringify(report.findings)).not.toContain("see in its log why it lets them pass");
  });
});

test("where the entry whose calls fail has Fail, the reason does not speak of Ignore", async () => {
  const scene = new Scene({ old: { entry: ignore }, new: {} });
  scene.world.servers.set("engine/admission", cut);

  const report = await scene.run();

  expect(report.exit.code).toBe(7);
  expect(report.exit.reason).toContain(`the webhook ${ours} does not answer: `);
  expect(report.exit.reason).not.toContain("Ignore");
  expect(report.findings?.map(({ cause }) => cause).join()).toContain("edits that it checks fail");
  expect(scene.cluster.written).toEqual([]);
});

/** A server that cannot be called until the new configuration is there, and works from then on. */
function mendOnApply(scene: Scene): void {
  scene.world.servers.set("engine/admission", cut);
  scene.afterCall(isWrite("apply"), () => scene.world.servers.set("engine/admission", healthy));
}

describe("a webhook that answers once the new configuration is there: Ignore, a refusal, Fail", () => {
  test.each<[string, Start, readonly string[]]>([
    ["only old", { old: { entry: ignore } }, [applyNew, applyNew, deleteOld]],
    ["only new, of an older release", { new: { entry: older } }, [applyNew, applyNew]],
    [
      "an old one for every kind",
      { old: { entry: { ...ignore, ...everyKind } } },
      [applyNew, applyNew, deleteOld],
    ],
  ])("%s", async (_state, start, written) => {
    const scene = new Scene(start);
    mendOnApply(scene);

    const report = await scene.run();

    expect(report.exit.code).toBe(0);
    expect(report.exit.reason).toContain(
      "; it was written with failurePolicy Ignore first, because no refusal was seen",
    );
    expect(scene.cluster.written).toEqual(written);
    expect(policiesSent(scene)).toEqual(["Ignore", "Fail"]);
    expectWanted(scene);
    expect(report.gap).toMatchObject({ outageSeconds: 0 });
    const { calls } = scene.cluster;
    const second = calls.findLastIndex(isWrite("apply"));
    expect(calls.slice(0, second).filter(({ verb }) => verb === "create").length).toBeGreaterThan(
      20,
    );
    const [trial, last] = (report.steps ?? []).filter(({ action }) => action === "apply");
    expect(trial).toMatchObject({ id: "webhook.apply-ignore" });
    expect(trial?.why).toContain(
      "written with failurePolicy Ignore first, because no refusal was seen while failurePolicy is Ignore",
    );
    expect(last?.why).toContain(`once ${ours} was seen refusing a bad edit`);
    // the files hold what was there before the run, and nothing of the run itself
    const files = start.old === undefined ? [newName] : [defaultNames.webhook.oldConfiguration];
    expect(scene.saved.map(({ metadata }) => metadata.name)).toEqual(files);
  });

  test("a stale CA alone is mended on trial", async () => {
    const scene = new Scene({ new: { entry: ignore, caBundle: wrongCa } });
    expect((await scene.run()).exit.code).toBe(0);
    expect(policiesSent(scene)).toEqual(["Ignore", "Fail"]);
    expectWanted(scene);
  });

  test("a broken old entry with Fail that no kind escapes goes before the proof, and Fail comes after it", async () => {
    const broken = { caBundle: wrongCa };
    const start = { old: { ...broken, entry: everyKind }, new: { ...broken, entry: older } };
    const scene = new Scene(start);
    expect((await scene.run()).exit.code).toBe(0);
    expect(scene.cluster.written).toEqual([applyNew, deleteOld, applyNew]);
    expect(policiesSent(scene)).toEqual(["Ignore", "Fail"]);
    expectWanted(scene);
  });

  test("an old entry in the new configuration is taken out after the trial", async () => {
    const { oldEntry } = defaultNames.webhook;
    const scene = new Scene({ new: { entry: { ...ignore, name: oldEntry } } });
    mendOnApply(scene);
    expect((await scene.run()).exit.code).toBe(0);
    expect(policiesSent(scene)).toEqual(["Ignore", "Fail"]);
    expectWanted(scene);
    expect(listEntries(scene.live())).toHaveLength(1);
  });
});

describe("Fail at once, in one write", () => {
  test.each<[string, Start]>([
    ["a refusal was seen", { new: { entry: older } }],
    ["a refusal by the old entry was seen", { old: { entry: ignore } }],
    ["Fail is in force in the new entry", { old: { entry: ignore }, new: { caBundle: wrongCa } }],
  ])("%s", async (_title, start) => {
    const scene = new Scene(start);
    expect((await scene.run()).exit.code).toBe(0);
    expect(policiesSent(scene)).toEqual(["Fail"]);
    expectWanted(scene);
  });

  test("--no-probe says that Fail is unproven", async () => {
    const scene = new Scene({ new: { entry: ignore } });
    scene.world.servers.set("engine/admission", cut);
    const report = await scene.run({ probe: false });
    expect(report.exit.code).toBe(0);
    expect(policiesSent(scene)).toEqual(["Fail"]);
    const skipped = report.findings?.find(({ code }) => code === "PROBE-SKIPPED");
    expect(skipped?.cause).toContain(
      "failurePolicy Fail takes the place of Ignore all the same: where calls fail, edits that it checks fail",
    );
  });
});

test("a template with Ignore is written once", async () => {
  const template = aSwap().template;
  const [entry] = listEntries(template);
  const scene = new Scene({ new: { entry: older } });
  expect(
    (await scene.run({ template: { ...template, webhooks: [{ ...entry, ...ignore }] } })).exit.code,
  ).toBe(0);
  expect(policiesSent(scene)).toEqual(["Ignore"]);
});

describe("what is written on trial", () => {
  test("and stops answering once Fail is there is put back at once", async () => {
    const scene = new Scene({ new: { entry: older } });
    const before = contentOf(scene.live());
    mendOnApply(scene);
    let applies = 0;
    scene.cluster.before = (call) => {
      if (!isWrite("apply")(call)) return;
      applies += 1;
      if (applies === 2) scene.world.servers.set("engine/admission", cut);
    };
    const report = await scene.run();
    expect(report.exit.code).toBe(7);
    expect(scene.cluster.written).toEqual([applyNew, applyNew, applyNew]);
    expect(contentOf(scene.live())).toEqual(before);
    expect(report.gap?.outageSeconds).toBeLessThan(5);
  });

  test("and was made by this run is deleted again", async () => {
    const scene = new Scene({ old: { entry: ignore } });
    scene.world.servers.set("engine/admission", cut);
    const report = await scene.run();
    expect(scene.cluster.written).toEqual([applyNew, deleteNew]);
    expect(report.exit).toMatchObject({
      code: 7,
      reason: expect.stringContaining("no webhook in force refuses it") as string,
    });
    expect(scene.journal).toEqual([applyNew, `${applyNew}: done`, deleteNew, `${deleteNew}: done`]);
  });

  test("stays when the run is interrupted, and the next run goes on from it: proof first, then Fail", async () => {
    const scene = new Scene({ old: { entry: ignore } });
    scene.world.servers.set("engine/admission", cut);
    scene.afterCall(isWrite("apply"), () => {
      scene.interrupt();
    });
    const stopped = await scene.run();
    expect(stopped.exit.code).toBe(130);
    expect(stopped.exit.reason).toContain("written with failurePolicy Ignore and not yet proven");
    expect(scene.entry()).toMatchObject(ignore);

    const failed = await scene.run();
    expect(failed.exit.code).toBe(7);
    expect(scene.cluster.written).toEqual([applyNew]);
    expect(scene.entry()).toMatchObject(ignore);

    scene.world.servers.set("engine/admission", healthy);
    expect((await scene.run()).exit.code).toBe(0);
    expect(policiesSent(scene)).toEqual(["Ignore", "Fail"]);
    expectWanted(scene);
  });

  test("the rollback of a trial puts back an old configuration that had to go first", async () => {
    const old = { caBundle: wrongCa, entry: everyKind };
    const scene = new Scene({ old, new: { entry: older } });
    const before = [scene.old(), scene.live()].map(contentOf);
    scene.world.servers.set("engine/admission", permissive);
    const report = await scene.run();
    expect(report.exit.code).toBe(7);
    expect(scene.cluster.written).toEqual([applyNew, deleteOld, createOld, applyNew]);
    expect(policiesSent(scene).slice(0, 1)).toEqual(["Ignore"]);
    expect([scene.old(), scene.live()].map(contentOf)).toEqual(before);
  });
});

describe.each(["client", "server"] as const)("--dry-run=%s", (dryRun) => {
  test.each<[string, WebhookServer, Start, readonly string[]]>([
    [
      "two writes, of which the first has Ignore",
      cut,
      { new: { entry: older } },
      ["Ignore", "Fail"],
    ],
    ["one write after a refusal", healthy, { new: { entry: older } }, ["Fail"]],
    ["one write where Ignore is all that differs", cut, { new: { entry: ignore } }, ["Fail"]],
  ])("%s", async (_title, ...[server, start, policies]) => {
    const scene = new Scene(start);
    scene.world.servers.set("engine/admission", server);
    const report = await scene.run({ dryRun });
    expect(report.exit.code).toBe(0);
    expect(scene.cluster.written).toEqual([]);
    expect(stepsOf(report)).toEqual([
      "secret.read: done",
      ...(policies.length > 1 ? ["webhook.apply-ignore: planned"] : []),
      "webhook.apply: planned",
    ]);
    const paths = (report.steps ?? []).flatMap(({ write }) =>
      (write?.changes ?? []).filter(({ path }) => path.endsWith("failurePolicy")),
    );
    expect(paths.map(({ to }) => to)).toEqual(policies.slice(-1));
    const last = report.steps?.at(-1)?.why;
    if (server === cut) expect(last).toContain(`once ${ours} was seen refusing a bad edit`);
    else expect(last).not.toContain("once");
  });
});

test("the question names both policies", async () => {
  const scene = new Scene({ old: { entry: ignore } });
  scene.world.servers.set("engine/admission", cut);
  await scene.run();
  expect(scene.questions).toEqual([
    "apply ValidatingWebhookConfiguration/engine-enterprise-admission with failurePolicy Ignore, then apply ValidatingWebhookConfiguration/engine-enterprise-admission with failurePolicy Fail once a refusal was seen, then delete ValidatingWebhookConfiguration/edb-admission?",
  ]);
});
