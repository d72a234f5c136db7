/** Writes of the kernel on a cluster in memory. */
import { kinds } from "../../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import type { KubeObject } from "../../../plugin/domain/kube/objects";
import type { Patch } from "../../../plugin/domain/kube/change";
import type { Journal } from "../../../plugin/kernel/journal";
import { Session } from "../../../plugin/kernel/session";
import { aWitness, portsOf, watched } from "../commands/world";
import { ManualClock } from "../../support/manual-clock";
import { makeWorld } from "../../support/world";

const shop = { resource: kinds.namespace, name: "shop" };

async function aWorld(parts: Partial<Journal> = {}) {
  const seen = aWitness();
  const cluster = watched(makeWorld().connect(), seen);
  const object: KubeObject = { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } };
  const live = await cluster.create({ ...object });
  const given = { kind: "Test", cluster, clock: new ManualClock(), file: () => "/run/shop.json" };
  const usual = portsOf(seen, given);
  const ports = { ...usual, journal: { ...usual.journal, ...parts } };
  const { recorder } = ports;
  const session = new Session(ports, { fieldManager: names.fieldManager, dryRun: "none" });
  const patch: Patch = {
    ...{ verb: "patch", id: "label", resource: kinds.namespace, object: live },
    edits: [{ path: ["metadata", "labels", "tier"], from: undefined, to: "db" }],
    ...{ risk: "none", reverse: "by the printed command" },
  };
  return { cluster, seen, kept: seen.saved, recorder, session, patch };
}

test("a patch of the metadata keeps its fields and is bound to the object that was read", async () => {
  const { cluster, kept, recorder, session, patch } = await aWorld();
  session.noteConfirmed([patch]);
  await session.send(patch);
  expect((await cluster.get(shop))?.metadata.labels).toMatchObject({ tier: "db" });
  expect(kept).toMatchObject([{ metadata: { name: "shop", labels: { tier: null } } }]);
  expect(recorder.success("").backups).toEqual([
    {
      object: "Namespace/shop",
      file: "/run/shop.json",
      holds: "while nobody else has changed it",
      command: "kubectl patch namespaces shop --type=merge --patch-file /run/shop.json",
    },
  ]);
  // its resourceVersion is that of before the write
  await expect(session.send(patch)).rejects.toMatchObject({ code: "CHANGED-SINCE-READ" });
});

test("what nobody confirmed is not sent", async () => {
  const { cluster, kept, session, patch } = await aWorld();
  await expect(session.send(patch)).rejects.toMatchObject({ code: "PLAN-EXCEEDED", exitCode: 5 });
  const other = { ...patch, edits: [{ ...patch.edits[0], to: "web" }] } as Patch;
  session.noteConfirmed([other]);
  await expect(session.send(patch)).rejects.toMatchObject({ code: "PLAN-EXCEEDED" });
  expect((await cluster.get(shop))?.metadata.labels).not.toHaveProperty("tier");
  expect([kept, session.written]).toEqual([[], 0]);
});

test("a write is kept and its intent recorded before it is sent, the outcome after it", async () => {
  const { seen, kept, session, patch } = await aWorld();
  seen.before = (line) => Promise.resolve(void seen.journal.push(`${line}: ${kept.length} kept`));
  session.noteConfirmed([patch]);
  await session.send(patch);
  expect(seen.journal).toEqual([
    expect.stringMatching(/^intent /),
    "patch Namespace shop: 1 kept",
    expect.stringMatching(/^outcome /),
  ]);
});

test("a write whose intent cannot be recorded is not sent", async () => {
  const intent = () => Promise.reject(new Error("the disk is full"));
  const { cluster, session, patch } = await aWorld({ intent });
  session.noteConfirmed([patch]);
  await expect(session.send(patch)).rejects.toThrow("the disk is full");
  expect((await cluster.get(shop))?.metadata.labels).not.toHaveProperty("tier");
});
