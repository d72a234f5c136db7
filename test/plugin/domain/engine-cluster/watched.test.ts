/** Which namespaces an operator says that it looks after, and what is told of one that looks elsewhere. */
import { renderFix } from "../../../../plugin/domain/base/remedy";
import { explainWatched } from "../../../../plugin/domain/operator/watched";
import { anOperator, factsOf } from "./scene";

type Fields = Readonly<Record<string, unknown>>;

function watching(variable: Fields | undefined, annotations: Fields = {}) {
  const env =
    variable === undefined
      ? undefined
      : [{ name: "OTHER" }, { name: "WATCH_NAMESPACE", ...variable }];
  const container = { name: "engine-enterprise-operator", image: "engine/operator:8.0.2-2", env };
  const template = { metadata: { annotations }, spec: { containers: [container] } };
  return factsOf({ deployments: [{ ...anOperator(), spec: { replicas: 1, template } }] });
}
const field = (fieldPath: string): Fields => ({ valueFrom: { fieldRef: { fieldPath } } });
const ofOlm = field("metadata.annotations['olm.targetNamespaces']");

test.each<[string, Parameters<typeof watching>]>([
  ["no variable", [undefined]],
  ["all namespaces", [{ value: "" }]],
  ["this one among others", [{ value: "shop, engine" }]],
  ["its own", [field("metadata.namespace")]],
  ["OLM: all", [ofOlm, { "olm.targetNamespaces": "" }]],
  ["OLM: not told yet", [ofOlm]],
  ["OLM: this one", [ofOlm, { "olm.targetNamespaces": "engine" }]],
  ["a field that the Deployment does not tell", [field("spec.nodeName")]],
])("nothing is said: %s", (_title, wish) => {
  expect(explainWatched(watching(...wish))).toBeUndefined();
});

test("nothing is said without an operator", () => {
  expect(explainWatched(factsOf({}))).toBeUndefined();
});

test.each<[string, Parameters<typeof watching>, RegExp]>([
  [
    "by its variable",
    [{ value: "shop,billing" }],
    /\(WATCH_NAMESPACE\): kubectl describe deployment engine-enterprise-operator -n engine; then add engine to them$/,
  ],
  [
    "by its OperatorGroup",
    [ofOlm, { "olm.targetNamespaces": "shop,billing" }],
    /targetNamespaces\): kubectl get operatorgroups -n engine -o yaml; then add engine to them$/,
  ],
])("it looks elsewhere, %s", (_title, wish, step) => {
  const { words, remedies = [] } = explainWatched(watching(...wish)) ?? {};
  expect(words).toEqual([
    "the operator does not look here: Deployment/engine/engine-enterprise-operator watches shop, billing, not engine",
  ]);
  expect(renderFix(remedies)).toMatch(step);
});
