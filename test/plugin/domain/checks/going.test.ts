/** What goes with something that is being deleted gets no advice. */
import { silenceGoing } from "../../../../plugin/domain/checks/going";
import type { Finding } from "../../../../plugin/domain/base/findings";
import { defaultNames as names } from "../../../../plugin/domain/names/names";

const found = (code: string, object?: string): Finding => ({
  ...{ code, severity: "error", cause: "c", fix: "create it", source: "S1" },
  ...(object !== undefined && { object }),
  remedies: [{ says: "create it" }],
});
const definition = `CustomResourceDefinition/${names.ec.plural}.${names.group}`;
const ec = `${names.ec.kind}/engine/ec`;
const edb = `${names.edb.kind}/shop/orders`;

test.each([
  ["NAMESPACE-DELETING", "Namespace/engine", [undefined, ec, edb, "Secret/engine/tls"], []],
  ["DEFINITION-DELETING", definition, [ec], [undefined, edb, "Secret/engine/tls"]],
  ["DEFINITION-DELETING", "CustomResourceDefinition/others.app", [], [ec, edb]],
  ["CLUSTER-DELETING", ec, [ec], [edb, undefined]],
  ["OBJECT-DELETING", "Secret/engine/tls", ["Secret/engine/tls"], [ec]],
  ["OPERATOR-ABSENT", "Deployment/engine/o", [], ["Deployment/engine/o"]],
])("of %s %s", (code, object, goes, stays) => {
  const going = found(code, object);
  const other = found("NAMESPACE-DELETING" === code ? "CLUSTER-DELETING" : "OTHER", "x");
  const told = silenceGoing([going, other, ...goes.map((one) => found("ANY", one))], names);
  expect(told.slice(0, 2)).toEqual([going, other]);
  for (const one of told.slice(2)) {
    expect(one).toMatchObject({
      severity: "error",
      fix: `nothing while ${object} is being deleted`,
    });
    expect(one.remedies).toBeUndefined();
  }
  const left = stays.map((one) => found("ANY", one));
  expect(silenceGoing([going, ...left], names)).toEqual([going, ...left]);
});
