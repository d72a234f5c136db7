/** What is nearly one of the product's objects: kubectl refuses it, and the rules would never see it. */
import { ruledKinds } from "../../domain/rules/clusters";
import { fieldText, findFields } from "../../domain/rules/fields";
import { plain, quote } from "../../domain/rules/wording";
import type { Names } from "../../domain/names/names";
import {
  asString,
  editsBetween,
  type FieldPath,
  getOwn,
  isObject,
  type Json,
} from "../../domain/base/values";

/** One thing that is nearly right, and where. */
export interface NearMiss {
  /** `otherKind` may be intended. */
  readonly is: "nearMiss" | "otherKind";
  readonly cause: string;
  readonly fix?: string;
  readonly path: FieldPath;
}

const kindKeys = [...ruledKinds, "erc"] as const;

/** Letters that may be wrong; other kinds of the group differ in more. */
const mostEdits = 3;

/** Everything in an object that is nearly the product's; nothing for other objects (S56, S61). */
export function findNearMisses(object: unknown, names: Names): readonly NearMiss[] {
  if (!isObject(object)) return [];
  const readSaid = (key: string): string => asString(getOwn(object, keyIn(object, key))) ?? "";
  const [apiVersion, kind] = [readSaid("apiVersion"), readSaid("kind")];
  const group = apiVersion.replace(/\/.*$/s, "");
  const version = apiVersion.slice(group.length + 1);
  const own = kindKeys.map((key) => names[key].kind);
  if (group.toLowerCase() !== names.group) {
    return own.includes(kind) ? [otherGroup(kind, apiVersion, names)] : [];
  }
  return [
    ...(group === names.group ? [] : [miss(["apiVersion"], group, names.group)]),
    ...versionMiss(version, names),
    ...kindMiss(kind, names),
    ...fieldMisses(object, kind, names),
  ];
}

/** The key as it is written, where only capitals differ. */
function keyIn(object: Json, key: string): string {
  if (Object.hasOwn(object, key)) return key;
  return otherCase(object, key) ?? key;
}

function otherCase(object: Json, key: string): string | undefined {
  const lowered = key.toLowerCase();
  return Object.keys(object).find((each) => each !== key && each.toLowerCase() === lowered);
}

const miss = (path: FieldPath, found: string, wanted: string): NearMiss => ({
  is: "nearMiss",
  cause: `${quote(found)} is not known here (did you mean ${wanted}?)`,
  fix: `write ${wanted}`,
  path,
});

function otherGroup(kind: string, apiVersion: string, { group }: Names): NearMiss {
  const shown = apiVersion === "" ? "there is no apiVersion" : `apiVersion is ${quote(apiVersion)}`;
  const cause = `${kind} is a kind of ${group}, and ${shown}: the rules do not check it`;
  const is = apiVersion === "" ? "nearMiss" : "otherKind";
  return { is, cause, path: apiVersion === "" ? ["kind"] : ["apiVersion"] };
}

function versionMiss(version: string, { version: usual, ecVersion }: Names): readonly NearMiss[] {
  return [usual, ecVersion].includes(version) ? [] : [miss(["apiVersion"], version, usual)];
}

function kindMiss(kind: string, names: Names): readonly NearMiss[] {
  const own = kindKeys.map((key) => names[key].kind);
  if (own.includes(kind)) return [];
  const lowered = kind.toLowerCase();
  const near = kindKeys.find(
    (key) =>
      names[key].short === lowered ||
      editsBetween(names[key].kind.toLowerCase(), lowered.slice(0, 64)) <= mostEdits,
  );
  if (near !== undefined) return [miss(["kind"], kind, names[near].kind)];
  if (kind === "") {
    const cause = `it has no kind, and is of the group ${names.group}`;
    return [{ is: "nearMiss", cause, path: ["apiVersion"] }];
  }
  const cause = `${plain(kind)} is another kind of ${names.group}: the rules do not check it`;
  return [{ is: "otherKind", cause, path: ["kind"] }];
}

/** Each judged field that is there with other capitals, once. */
function fieldMisses(object: Json, kind: string, names: Names): readonly NearMiss[] {
  const key = ruledKinds.find((each) => names[each].kind === kind);
  const paths = [["apiVersion"], ["kind"], ...(key === undefined ? [] : listPaths(key, names))];
  const found = paths.flatMap((path) => fieldMiss(object, path) ?? []);
  return [...new Map(found.map((each) => [fieldText(each.path), each])).values()];
}

function listPaths(kind: (typeof ruledKinds)[number], names: Names): readonly FieldPath[] {
  const own = [
    ["metadata", "name"],
    ["metadata", "namespace"],
  ];
  if (kind === "ec") {
    const { fields } = names;
    const published = [fields.statusModules, fields.bundledDatabaseVersions];
    return [...own, fields.engineUpgradePolicy, fields.userDefinedModules, ...published];
  }
  const { engineVersions, clusterReference, moduleLists } = findFields(kind, names);
  return [...own, ...engineVersions, clusterReference, ...moduleLists];
}

function fieldMiss(object: Json, path: FieldPath): NearMiss | undefined {
  let inner: unknown = object;
  for (const [at, key] of path.entries()) {
    if (!isObject(inner)) return undefined;
    const other = otherCase(inner, key);
    const wanted = path.slice(0, at + 1);
    if (other !== undefined) return miss([...wanted.slice(0, -1), other], other, fieldText(wanted));
    inner = getOwn(inner, key);
  }
  return undefined;
}
