/** Which edits reach the webhook: each way in which rules leave some of them out, as an API server matches. */
import {
  describeEdits,
  findUnguarded,
  isCalledFor,
  listServedVersions,
} from "../../../../plugin/domain/admission/coverage";
import type { Facts } from "../../../../plugin/domain/facts/facts";
import type { ValidatingWebhook } from "../../../../plugin/domain/kube/models";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { fitWorld } from "../checks/world";

const edb = names.edb.plural;
const rule = {
  apiGroups: [names.group],
  apiVersions: [names.version],
  operations: ["CREATE", "UPDATE"],
  resources: [edb, names.eaadb.plural],
};
const entryOf = (changes: object, more: object = {}): ValidatingWebhook => ({
  rules: [{ ...rule, ...changes }],
  ...more,
});

/** The databases are served in a second version. */
async function factsOf(second?: { readonly served: boolean }): Promise<Facts> {
  const world = await fitWorld();
  const name = `${edb}.${names.group}`;
  const facts = await world.facts();
  const definitions = facts.objects.definitions.map((one) =>
    one.metadata.name !== name || second === undefined
      ? one
      : {
          ...one,
          spec: {
            ...one.spec,
            versions: [...(one.spec?.versions ?? []), { name: "v1", ...second }],
          },
        },
  );
  return { ...facts, objects: { ...facts.objects, definitions } };
}

test.each<[string, ValidatingWebhook, readonly string[]]>([
  ["the rules of the template", entryOf({}), []],
  ["every version", entryOf({ apiVersions: ["*"] }), []],
  ["no rules", {}, [`CREATE ${edb}`, `UPDATE ${edb}`]],
  ["objects of no namespace", entryOf({ scope: "Cluster" }), [`CREATE ${edb}`, `UPDATE ${edb}`]],
  ["objects of namespaces", entryOf({ scope: "Namespaced" }), []],
  [
    "a version that nothing serves",
    entryOf({ apiVersions: ["v9"] }),
    [`CREATE ${edb}`, `UPDATE ${edb}`],
  ],
  [
    "rules without versions",
    entryOf({ apiVersions: undefined }),
    [`CREATE ${edb}`, `UPDATE ${edb}`],
  ],
  ["new objects alone", entryOf({ operations: ["CREATE"] }), [`UPDATE ${edb}`]],
  [
    "another kind",
    entryOf({ resources: [names.eaadb.plural] }),
    [`CREATE ${edb}`, `UPDATE ${edb}`],
  ],
])("of a kind in one version, with %s", async (_, entry, told) => {
  const facts = await factsOf();
  const template = entryOf({ resources: [edb] });
  const { edits, all } = findUnguarded([entry], template, facts);
  expect(edits.map(({ operation, plural }) => `${operation} ${plural}`)).toEqual(told);
  expect(all).toBe(told.length === 2);
});

test.each<[string, object, string]>([
  ["Equivalent by default", {}, ""],
  ["Equivalent", { matchPolicy: "Equivalent" }, ""],
  ["Exact", { matchPolicy: "Exact" }, `CREATE ${edb} in v1, UPDATE ${edb} in v1`],
])("of a kind in two versions, by the rules of one: %s", async (_, more, told) => {
  const facts = await factsOf({ served: true });
  const { edits, all } = findUnguarded([entryOf({}, more)], entryOf({ resources: [edb] }), facts);
  expect([describeEdits(edits, facts), all]).toEqual([told, false]);
});

test("a version that is not served takes no edit", async () => {
  const facts = await factsOf({ served: false });
  expect(listServedVersions(edb, facts)).toEqual([names.version]);
});

test("definitions that were not read leave the version of the release", async () => {
  const facts = await factsOf({ served: true });
  const unread = new Map([["definitions", "forbidden"] as const]);
  expect(listServedVersions(edb, { ...facts, unread })).toEqual([names.version]);
});

test("without a template databases are to be guarded, whatever guards them together", async () => {
  const facts = await factsOf();
  const both = [entryOf({ resources: [edb] }), entryOf({ resources: [names.eaadb.plural] })];
  expect(findUnguarded(both, undefined, facts)).toEqual({ edits: [], all: false });
  const { edits } = findUnguarded(both.slice(0, 1), undefined, facts);
  expect(describeEdits(edits, facts)).toBe(
    `CREATE ${names.eaadb.plural}, UPDATE ${names.eaadb.plural}`,
  );
  expect(
    isCalledFor(both[0] ?? {}, { plural: edb, version: "v1", operation: "DELETE" }, facts),
  ).toBe(false);
});
