/** Values of files that somebody fills in before they are applied: what they will be is not known. */
import type { Names } from "../../domain/names/names";
import { findFields, fieldText, readSubject } from "../../domain/rules/fields";
import type { ClusterFacts, Edit } from "../../domain/rules/types";
import {
  asArray,
  getOwn,
  getPath,
  isObject,
  type Json,
  oncePer,
  withValue,
} from "../../domain/base/values";

/** As shells, envsubst, kustomize, Helm, Jinja and their like have them. */
const placeholder = /\$\{[^{}]+\}|\$\([\w.-]+\)|^\$[A-Za-z_]\w*$|\{\{.*\}\}|\{%.*%\}|<%.*%>/s;

/** True for a text that has a placeholder in it. */
export function isPlaceholder(value: unknown): value is string {
  return typeof value === "string" && placeholder.test(value.slice(0, 1_024));
}

/** An edit with placeholders in judged fields as if they said nothing new, and these fields. */
export interface FilledIn {
  readonly edit: Edit;
  readonly fields: readonly string[];
}

/** Undefined where no judged field has a placeholder. */
export function fillEdit(edit: Edit, names: Names): FilledIn | undefined {
  const { shapes, engineVersions, moduleLists, clusterReference } = findFields(edit.kind, names);
  const paths = [...shapes.map(({ path }) => path), ...engineVersions, ...moduleLists];
  const whole = paths.filter(
    (path) => path !== clusterReference && isPlaceholder(getPath(edit.after, path)),
  );
  const known = whole.reduce<Json>(
    (object, path) => withValue(object, path, getPath(edit.before, path)),
    edit.after,
  );
  const lists = moduleLists.filter((path) =>
    asArray(getPath(known, path)).some((entry) => isUnnamed(entry, names)),
  );
  const after = lists.reduce((object, path) => withNames(object, path, names), known);
  const fields = [...whole, ...lists].map(fieldText);
  return fields.length === 0 ? undefined : { edit: { ...edit, after }, fields };
}

function isUnnamed(entry: unknown, { entryFields }: Names): boolean {
  return isPlaceholder(entry) || isPlaceholder(getOwn(entry, entryFields.moduleName));
}

/** Bundled modules in the place of those that are not named yet. */
function withNames(object: Json, path: readonly string[], names: Names): Json {
  const { entryFields, bundledModules } = names;
  const nameEntry = (entry: unknown): unknown =>
    isUnnamed(entry, names)
      ? { ...(isObject(entry) ? entry : {}), [entryFields.moduleName]: bundledModules[0] }
      : entry;
  return withValue(object, path, asArray(getPath(object, path)).map(nameEntry));
}

const unfilledIn = oncePer(({ policy, userModules }: ClusterFacts) => ({
  policy: isPlaceholder(policy),
  modules: userModules.some(isPlaceholder),
}));

/** All that an EC with placeholders may come to say of an edit; the EC itself is the first. */
export function clustersAsFilled(
  cluster: ClusterFacts,
  edit: Edit,
  names: Names,
): readonly ClusterFacts[] {
  const unfilled = unfilledIn(cluster);
  const policies = unfilled.policy
    ? [cluster.policy, names.majorChannel, names.latestChannel]
    : [cluster.policy];
  const { userModules } = cluster;
  const asked = readSubject(edit, names).modules.flatMap(({ name }) => name ?? []);
  const modules = unfilled.modules ? [userModules, [...userModules, ...asked]] : [userModules];
  if (policies.length + modules.length === 2) return [cluster];
  return policies.flatMap((policy) =>
    modules.map((each) => ({ ...cluster, policy, userModules: each })),
  );
}
