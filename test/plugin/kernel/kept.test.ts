/** What a run tells of the objects that it kept: how each is put back, or many of them at once. */
import type { KubeObject, Resource } from "../../../plugin/domain/kube/objects";
import type { Change, PutBack } from "../../../plugin/domain/kube/change";
import { KeptObjects } from "../../../plugin/kernel/journal";

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
const patched = (name: string): Change => ({
  ...{ ...told, verb: "patch", object: object(name) },
  edits: [{ path: ["data", "a"], from: undefined, to: "b" }],
});
const numbered = (count: number) => Array.from({ length: count }, (_item, at) => `n${String(at)}`);

async function commandsFor(changes: readonly Change[]): Promise<readonly (string | undefined)[]> {
  const kept = new KeptObjects({
    save: ({ metadata }) => Promise.resolve(`/runs/1/${String(metadata.name)}.json`),
  });
  for (const change of changes) {
    await kept.save(change);
    kept.noteWritten(change);
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
    "old values are put back one by one: a folder of them is none to replace",
    numbered(6).map(patched),
    numbered(6).map(
      (name) => `kubectl patch configmaps ${name} --type=merge --patch-file /runs/1/${name}.json`,
    ),
  ],
  [
    "what is changed first and deleted later is made again",
    [applied("n0"), deleted("n0", "replace --force")],
    ["kubectl replace --force -f /runs/1/n0.json"],
  ],
])("%s", async (_title, changes, commands) => {
  expect(await commandsFor(changes)).toEqual(commands);
});

/** What is told when some of the writes never came into force. */
async function commandsAfter(
  steps: readonly { readonly change: Change; readonly came: boolean }[],
): Promise<readonly (string | undefined)[]> {
  const files = new Map<string, number>();
  const kept = new KeptObjects({
    save: ({ metadata: { name = "" } }) => {
      const copy = (files.get(name) ?? 0) + 1;
      files.set(name, copy);
      return Promise.resolve(`/runs/1/${name}${copy === 1 ? "" : `_${String(copy)}`}.json`);
    },
  });
  for (const { change, came } of steps) {
    await kept.save(change);
    if (came) kept.noteWritten(change);
  }
  return kept.backups((words) => words.join(" ")).map(({ command }) => command);
}

const came = (change: Change) => ({ change, came: true });
const refused = (change: Change) => ({ change, came: false });

test.each<[string, Parameters<typeof commandsAfter>[0], readonly string[]]>([
  ["a write that was refused has nothing to be put back", [refused(applied("n0"))], []],
  [
    "a deletion that is refused after a change leaves the change to be put back",
    [came(applied("n0")), refused(deleted("n0", "create"))],
    ["kubectl replace -f /runs/1/n0.json"],
  ],
  [
    "what was read once more is put back as it was then, and not by a folder with its older file",
    [refused(applied("n0")), ...numbered(6).map((name) => came(applied(name)))],
    [
      "kubectl replace -f /runs/1/n0_2.json",
      ...numbered(6)
        .slice(1)
        .map((name) => `kubectl replace -f /runs/1/${name}.json`),
    ],
  ],
  [
    "a folder that holds a file of a write that was refused is not put back as a whole",
    [...numbered(6).map((name) => came(applied(name))), refused(applied("last"))],
    numbered(6).map((name) => `kubectl replace -f /runs/1/${name}.json`),
  ],
])("%s", async (_title, steps, commands) => {
  expect(await commandsAfter(steps)).toEqual(commands);
});
