/**
 * Which databases the entries in force leave out, and by what: the selectors are compared with the namespaces and the
 * databases that there are; of conditions it is told what they ask (domain facts 4.3, 4.4).
 */
import { few } from "../base/values";
import { type Found, on, type Scene } from "../diagnosis/symptom";
import { factNamed } from "../facts/facts";
import type { Namespace, ValidatingWebhook } from "../kube/models";
import { type KubeObject, objectLabel, readName, readNamespace } from "../kube/objects";
import { isEmptySelector, selects } from "../kube/selectors";
import { type EntryInForce, selectsNamespace } from "./configuration";
import { fixByOwner } from "./owned";
import { fixByGroup, isFalse } from "./selected";

/** Over what the entries are judged. */
export interface GuardedScene extends Scene {
  /** Those of the operator's namespace and of the managed ones. */
  readonly databases: readonly { readonly object: KubeObject }[];
}

/** What no entry validates. */
export interface Unguarded {
  /** Namespaces with databases that no entry selects. */
  readonly namespaces: readonly KubeObject[];
  /** Databases of other namespaces that no entry selects. */
  readonly databases: readonly KubeObject[];
  /** The entries whose conditions decide on an edit, with what they ask. */
  readonly conditions: readonly (EntryInForce & { readonly asks: readonly string[] })[];
}

/** What a condition asks that tells whose edits, or edits of what, are left out. */
const questions: readonly (readonly [asks: RegExp, what: string, edits: string])[] = [
  [/\buserInfo\b|\bauthorizer\b/, "who edits", "edits by"],
  [
    /\bmetadata\.(name|namespace|labels|annotations)\b|\brequest\.(name|namespace)\b|\bnamespaceObject\b/,
    "for names, namespaces or labels",
    "edits of",
  ],
];

/** Whom the conditions of an entry may leave out, in their own words: an expression is not evaluated here. */
export function describeConditions(entry: ValidatingWebhook): readonly string[] {
  return (entry.matchConditions ?? []).flatMap((condition) => {
    const name = String(condition.name);
    if (isFalse(condition)) return [`${name} is never true: no edit is checked`];
    const expression = String(condition.expression);
    const [question] = questions.filter(([asks]) => asks.test(expression));
    if (question === undefined) return [];
    const [, what, edits] = question;
    const named = [...expression.matchAll(/(["'])([^"']+)\1/g)].map(([, , text]) => String(text));
    const whose = named.length === 0 ? "which edits are" : `whether ${edits} ${few(named)} are`;
    return [`${name} asks ${what}: look ${whose} to go unjudged`];
  });
}

/** True where an entry may leave out something, so that one has to look. */
export function mayLeaveOut(entry: ValidatingWebhook): boolean {
  const { namespaceSelector, objectSelector } = entry;
  const isLimited = [namespaceSelector, objectSelector].some((one) => !isEmptySelector(one));
  return isLimited || describeConditions(entry).length > 0;
}

/** What none of these entries validates; what a person added may match some kinds alone, and takes the place of none. */
export function listUnguarded(
  inForce: readonly EntryInForce[],
  { databases, facts }: GuardedScene,
): Unguarded {
  const entries = ownEntries(inForce, facts);
  if (entries.length === 0) return { namespaces: [], databases: [], conditions: [] };
  const placed = databases.flatMap(({ object }) => {
    const namespace = factNamed(facts, "namespaces", { name: readNamespace(object) });
    return namespace === undefined ? [] : [{ object, namespace }];
  });
  const selecting = (namespace: Namespace): readonly EntryInForce[] =>
    entries.filter(({ entry }) => selectsNamespace(entry, namespace));
  const isMissed = (namespace: Namespace): boolean => selecting(namespace).length === 0;
  const missed = placed.map(({ namespace }) => namespace).filter(isMissed);
  return {
    namespaces: [...new Set(missed)],
    databases: placed
      .filter(({ namespace }) => !isMissed(namespace))
      .filter(
        ({ object, namespace }) =>
          !selecting(namespace).some(({ entry }) =>
            selects(entry.objectSelector, object.metadata.labels ?? {}),
          ),
      )
      .map(({ object }) => object),
    conditions: entries
      .map((one) => ({ ...one, asks: describeConditions(one.entry) }))
      .filter(({ asks }) => asks.length > 0),
  };
}

function ownEntries(
  inForce: readonly EntryInForce[],
  { names: { webhook } }: Scene["facts"],
): readonly EntryInForce[] {
  return inForce.filter(({ entry }) =>
    [webhook.entry, webhook.oldEntry].some((name) => name === entry.name),
  );
}

/** In a few words; none where everything is validated. */
export function describeUnguarded({
  namespaces,
  databases,
  conditions,
}: Unguarded): readonly string[] {
  const labels = few([...namespaces, ...databases].map(objectLabel));
  return [
    ...(labels === "" ? [] : [`it leaves out ${labels}`]),
    ...conditions.flatMap(({ asks }) => asks),
  ];
}

const takesTemplates = "upgrade-webhook --take-template-selectors";

/** A warning for each: it may be meant. */
export function judgeUnguarded(
  inForce: readonly EntryInForce[],
  scene: GuardedScene,
): readonly Found[] {
  const { facts } = scene;
  const { namespaces, databases, conditions } = listUnguarded(inForce, scene);
  const [first] = ownEntries(inForce, facts);
  if (first === undefined) return [];
  const { configuration, field } = first;
  const byOwner = fixByOwner(configuration, facts);
  const left =
    databases.length === 0
      ? []
      : [
          on(
            configuration,
            `its objectSelector leaves out ${few(databases.map(objectLabel))}: nothing validates them`,
            {
              field: `${field}.objectSelector`,
              remedies: [
                { says: `take the selector out with ${takesTemplates}, or label the databases` },
              ],
              ...byOwner,
            },
          ),
        ];
  return [
    ...namespaces.map((namespace) =>
      on(namespace, `${readName(configuration)} does not select it`, {
        ...fixByGroup(first, readName(namespace), facts),
      }),
    ),
    ...left,
    ...conditions.map((one) =>
      on(one.configuration, `its conditions leave out edits: ${one.asks.join("; ")}`, {
        field: `${one.field}.matchConditions`,
        remedies: [
          { says: `nothing, if it is meant; else take the conditions out with ${takesTemplates}` },
        ],
        ...fixByOwner(one.configuration, facts),
      }),
    ),
  ];
}
