/** The definitions of the kinds that the example has: the product's, as shipped, and OpenShift's. */
import { shippedCrds } from "../adapters/shipped-crds";
import { parseDocuments } from "../adapters/yaml";
import type { Names } from "../domain/names";
import type { KubeObject } from "../domain/objects";
import { rebrand } from "../domain/rebrand";
import { isObject } from "../domain/values";

/** The product's definitions as shipped, under its names. */
export function productDefinitions(names: Names): readonly KubeObject[] {
  return Object.entries(shippedCrds()).flatMap(([file, text]) =>
    parseDocuments(text, file)
      .map((document) => rebrand(document, names))
      .filter(isDefinition),
  );
}

/** The definitions of every kind of the example. */
export function exampleDefinitions(names: Names): readonly KubeObject[] {
  return [...productDefinitions(names), constraints];
}

function isDefinition(value: unknown): value is KubeObject {
  return isObject(value) && value["kind"] === "CustomResourceDefinition";
}

const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const texts = { type: "array", items: { type: "string" } };

/** OpenShift serves its constraints by itself; here they are a custom resource of the same form. */
const constraints: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "securitycontextconstraints.security.openshift.io" },
  spec: {
    group: "security.openshift.io",
    scope: "Cluster",
    names: {
      kind: "SecurityContextConstraints",
      listKind: "SecurityContextConstraintsList",
      plural: "securitycontextconstraints",
      singular: "securitycontextconstraints",
      shortNames: ["scc"],
    },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            ...free,
            properties: {
              users: texts,
              groups: texts,
              priority: { type: "integer", nullable: true },
            },
          },
        },
      },
    ],
  },
};
