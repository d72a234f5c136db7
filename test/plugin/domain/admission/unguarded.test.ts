/** Whom entries leave out: where one has to look, and the few words that a run ends with. */
import {
  describeUnguarded,
  listUnguarded,
  mayLeaveOut,
} from "../../../../plugin/domain/admission/unguarded";
import type { ValidatingWebhook } from "../../../../plugin/domain/kube/models";
import { aDatabase, aNamespace, aNewConfiguration } from "../../../support/builders";
import { fitWorld } from "../checks/world";

const when = (expression: string): ValidatingWebhook => ({
  matchConditions: [{ name: "c", expression }],
});

test.each<[string, ValidatingWebhook, boolean]>([
  ["no selectors", {}, false],
  ["empty selectors", { namespaceSelector: {}, objectSelector: {} }, false],
  ["a selector of namespaces", { namespaceSelector: { matchLabels: { a: "b" } } }, true],
  ["a selector of objects", { objectSelector: { matchLabels: { a: "b" } } }, true],
  ["a condition that asks what changes", when("object.spec != oldObject.spec"), false],
  ["a condition that asks who edits", when("request.userInfo.username != 'x'"), true],
  ["a condition that asks for a permission", when("!authorizer.group('').check('x')"), true],
  ["a condition that asks for a namespace", when("request.namespace == 'shop'"), true],
  ["a condition that is never true", when(" false\n"), true],
])("%s: one has to look: %s", (_, entry, looks) => {
  expect(mayLeaveOut(entry)).toBe(looks);
});

const nothing = { namespaces: [], databases: [], conditions: [] };

test("everything is validated: there is nothing to say", () => {
  expect(describeUnguarded(nothing)).toEqual([]);
});

test("namespaces and databases are named, and what conditions ask", () => {
  const [entry = {}] = aNewConfiguration().webhooks ?? [];
  const one = { configuration: aNewConfiguration(), entry, field: "webhooks[name=x]" };
  const unguarded = {
    namespaces: [aNamespace("shop")],
    databases: [aDatabase("engine", "orders")],
    conditions: [{ ...one, asks: ["c is never true: no edit is checked"] }],
  };
  expect(describeUnguarded(unguarded)).toEqual([
    "it leaves out Namespace/shop, EngineEnterpriseDatabase/engine/orders",
    "c is never true: no edit is checked",
  ]);
  expect(describeUnguarded({ ...unguarded, databases: [], namespaces: [] })).toEqual([
    "c is never true: no edit is checked",
  ]);
});

test("without an entry of the product's nothing is compared", async () => {
  const world = await fitWorld();
  const facts = await world.facts();
  const databases = [{ object: aDatabase("engine", "orders") }];
  expect(listUnguarded([], { databases, facts })).toEqual(nothing);
});
