/** What everything stands on and is being deleted: nothing is written into it, nor advised for it (Facts 6, 8). */
import { type Act, acts, type Symptom } from "../diagnosis/symptom";
import { findDeletingDefinitions, findDeletingNamespace } from "../facts/deletion";
import { deletionFindings } from "../kube/deletion";
import { kinds } from "../kube/kinds";
import type { Names } from "../names/names";

/** Roles, bindings and Secrets are no objects of a definition. */
const ofDefinitions: readonly Act[] = [
  ...(["upgrade-operator", "upgrade-webhook", "upgrade-cluster"] as const),
  ...(["upgrade-database", "modules"] as const),
];

/** The rows. Who acts in one namespace need not be able to see these: what cannot be seen stops nobody. */
export const groundSymptoms = {
  definition: {
    ...deletionFindings.definition,
    title: "No definition of the product is being deleted",
    needs: [],
    forbids: ofDefinitions,
    judge: ({ facts }) => findDeletingDefinitions(facts),
  },
  namespace: {
    ...deletionFindings.namespace,
    title: "The operator's namespace is not being deleted",
    needs: [],
    forbids: acts,
    judge: ({ facts }) => findDeletingNamespace(facts),
  },
} as const satisfies Readonly<Record<string, Symptom>>;

/** The kinds whose own component tells of their definition. */
const told = ["ec", "edb", "eaadb"] as const;

/** Of the definition of one kind. */
export function definitionGround(kind: (typeof told)[number]): Symptom {
  const { definition } = groundSymptoms;
  return {
    ...definition,
    judge: (scene) =>
      definition.judge(scene).filter(({ object }) => object === label(kind, scene.facts.names)),
  };
}

function label(kind: (typeof told)[number], names: Names): string {
  return `${kinds.definition.kind}/${names[kind].plural}.${names.group}`;
}

/** What concerns all components: the operator tells it. */
export const operatorGround: readonly Symptom[] = [
  groundSymptoms.namespace,
  {
    ...groundSymptoms.definition,
    judge: (scene) =>
      groundSymptoms.definition
        .judge(scene)
        .filter(({ object }) => told.every((kind) => object !== label(kind, scene.facts.names))),
  },
];
