/** What a run tells of the objects that it kept: how each is put back, or many of them at once. */
import type { KubeObject, Resource } from "../../../../plugin/domain/objects";
import type { Change, PutBack } from "../../../../plugin/run/engine/change";
import { KeptObjects } from "../../../../plugin/run/engine/kept";

const resource: Resource = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap" };
const object = (name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name },
});
const told = { id: "test", resource, why: "", risk: "", reverse: "" };
const applied = (name: string): Change => ({
  ...{ ...told, verb: "apply" },
  ...{ object: object(name), live: object(name) },
});
const deleted = (name: string, putBack?: PutBack): Change => ({
  ...{ ...told, verb: "delete", object: object(name) },
  ...(putBack && { putBack }),
});
const numbered = (count: number) => Array.from({ length: count }, (_item, at) => `n${String(at)}`);

async function commandsFor(changes: readonly Change[]): Promise<readonly string[]> {
  const kept = new KeptObjects({
    save: ({ metadata }) => Promise.resolve(`/runs/1/${String(metadata.name)}.json`),
  });
  for (const change of changes) {
    await kept.save(change);
    kept.written(change);
  }
  return kept.backups((words) => words.join(" ")).map(({ command }) => command);
}

test.each<[string, readonly Change[], readonly string[]]>([
  ["nothing was kept", [deleted("n0")], []],
  [
    "up to five are put back one by one",
    numbered(5).map(applied),
    numbered(5).map((name) => `kubectl replace -f /runs/1/${name}.json`),
  ],
  ["more of one kind by their folder", numbered(6).map(applied), ["kubectl replace -f /runs/1"]],
  [
    "more that are not put back alike one by one",
    [...numbered(5).map(applied), deleted("gone", "create")],
    [
      ...numbered(5).map((name) => `kubectl replace -f /runs/1/${name}.json`),
      "kubectl create -f /runs/1/gone.json",
    ],
  ],
  [
    "what is changed first and deleted later is made again",
    [applied("n0"), deleted("n0", "replace --force")],
    ["kubectl replace --force -f /runs/1/n0.json"],
  ],
])("%s", async (_title, changes, commands) => {
  expect(await commandsFor(changes)).toEqual(commands);
});
