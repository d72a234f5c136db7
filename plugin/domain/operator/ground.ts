/** What everything stands on and is being deleted: nothing is written into it, nor advised for it (Facts 6, 8). */
import { type Act, acts, type Symptom } from "../diagnosis/symptom";
import { findDeletingDefinitions, findDeletingNamespace } from "../facts/deletion";
import { deletionFindings } from "../kube/deletion";
import { kinds } from "../kube/kinds";

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
type Told = (typeof told)[number];

/** Of the definitions of these kinds, or of all but these. */
function definitionOf(chosen: readonly Told[], isTheirs: boolean): Symptom {
  const { definition } = groundSymptoms;
  return {
    ...definition,
    judge: (scene) => {
      const { group, ...names } = scene.facts.names;
      const labels = chosen.map(
        (kind) => `${kinds.definition.kind}/${names[kind].plural}.${group}`,
      );
      return definition
        .judge(scene)
        .filter(({ object }) => labels.includes(String(object)) === isTheirs);
    },
  };
}

/** Of the definition of one kind. */
export const definitionGround = (kind: Told): Symptom => definitionOf([kind], true);

/** What concerns all components: the operator tells it. */
export const operatorGround: readonly Symptom[] = [
  groundSymptoms.namespace,
  definitionOf(told, false),
];
