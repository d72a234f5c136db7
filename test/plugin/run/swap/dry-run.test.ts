import { ApiError } from "../../../../plugin/domain/errors";
import { codesOf, permissive, Scene, type Start, stepsOf } from "./scene";

const states: readonly [string, Start, readonly string[]][] = [
  ["only old", { old: true }, ["webhook.apply", "webhook.delete-old"]],
  ["old and a right new", { old: true, new: true }, ["webhook.delete-old"]],
  ["a new one to repair", { new: { caBundle: "" } }, ["webhook.apply"]],
  ["none", {}, ["webhook.apply"]],
  ["as wanted", { new: true }, []],
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
    scene.cluster.servers.set("engine/admission", permissive);
    expect((await scene.run({ dryRun })).exit.code).toBe(0);
  });

  test("a refusal is the same as without it", async () => {
    const scene = new Scene({ old: { metadata: { labels: { "olm.owner": "x" } } } });
    const report = await scene.run({ dryRun });
    expect(report.exit.code).toBe(5);
    expect(codesOf(report)).toContain("WEBHOOK-OWNED");
  });
});

test("every planned write says on which state, at what risk, and how it is taken back", async () => {
  const scene = new Scene({ old: true });
  const report = await scene.run({ dryRun: "client" });
  const writes = (report.steps ?? []).flatMap(({ write }) => write ?? []);
  expect(writes.map(({ verb, target }) => `${verb} ${target.resource} ${target.name}`)).toEqual([
    "create validatingwebhookconfigurations engine-enterprise-admission",
    "delete validatingwebhookconfigurations edb-admission",
  ]);
  const { uid, resourceVersion } = scene.old()?.metadata ?? {};
  expect(writes.map(({ read }) => read)).toEqual([undefined, { uid, resourceVersion }]);
  for (const { risk, reverse, command } of writes) {
    expect([risk, reverse, command]).not.toContain("");
  }
});

test("--dry-run=client sends no configuration at all", async () => {
  const scene = new Scene({ old: true });
  await scene.run({ dryRun: "client" });
  const sent = scene.cluster.calls.filter(
    ({ verb, target }) =>
      ["apply", "delete", "update", "create"].includes(verb) &&
      target.startsWith("ValidatingWebhookConfiguration"),
  );
  expect(sent).toEqual([]);
});

test("--dry-run=server sends each write with dryRun, the deletion with its preconditions", async () => {
  const scene = new Scene({ old: true });
  const { uid, resourceVersion } = scene.old()?.metadata ?? {};
  await scene.run({ dryRun: "server" });
  const sent = scene.cluster.calls.filter(({ verb }) => verb === "apply" || verb === "delete");
  expect(sent.map(({ verb, dryRun }) => [verb, dryRun])).toEqual([
    ["apply", true],
    ["delete", true],
  ]);
  expect(sent[1]?.preconditions).toEqual({ uid, resourceVersion });
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
