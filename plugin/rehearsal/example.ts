/**
 * The cluster that a rehearsal without a source plays on: an operator of an older release with one
 * cluster resource, databases in three namespaces, the webhook configuration of old in force, and
 * the leftovers that an upgrade meets.
 */
import { generatePair } from "../adapters/certificate";
import type { Names } from "../domain/names";
import type { KubeObject } from "../domain/objects";
import { createRegistry } from "./kinds/registry";
import { settledWorkloads } from "./operator/settled";
import { exampleAccess } from "./example-access";
import { exampleDefinitions } from "./example-definitions";
import { exampleOperator } from "./example-operator";
import { asApplied } from "./example-owners";
import type { ExamplePlaces } from "./example-places";
import { exampleProduct } from "./example-product";
import type { Source } from "./source/source";

/** The example's objects, with a key pair that is recreated each time. */
export async function exampleSource(names: Names, now: number): Promise<Source> {
  const places: ExamplePlaces = {
    operator: names.operator.namespace,
    consumers: ["shop", "reports"],
    former: "archive",
  };
  const { operator } = places;
  const { certPem, keyPem } = await generatePair({ namespace: operator, names, now });
  const objects = [
    ...exampleDefinitions(names),
    ...[operator, ...places.consumers, places.former].map(namespaceOf),
    ...exampleOperator(names, places, { cert: certPem, key: keyPem }),
    ...exampleAccess(names, places),
    ...exampleProduct(names, places),
  ];
  const created = new Date(now - 90 * 24 * 3_600_000).toISOString().replace(/\.\d+Z$/, "Z");
  const registry = createRegistry();
  const complete = settledWorkloads(asApplied(objects, names, registry), {
    names,
    namespace: operator,
    now,
    registry,
  });
  return {
    objects: complete.map((object) => ({
      ...object,
      metadata: { ...object.metadata, creationTimestamp: created },
    })),
    pairs: [{ namespace: operator, cert: certPem, key: keyPem }],
    warnings: [],
    described: "the built-in example",
    namespace: operator,
  };
}

function namespaceOf(name: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
    spec: { finalizers: ["kubernetes"] },
    status: { phase: "Active" },
  };
}
