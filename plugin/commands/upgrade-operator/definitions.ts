/** Whether a stored definition may be changed to the release's: it is never lowered (domain facts 8). */
import type { Finding } from "../../domain/base/findings";
import { kubectl, type Remedy } from "../../domain/base/remedy";
import type { Names } from "../../domain/names/names";
import {
  annotationKey,
  readAnnotation,
  type KubeObject,
  objectLabel,
  readName,
} from "../../domain/kube/objects";
import type { CustomResourceDefinition } from "../../domain/kube/models";
import { findCondition as statusCondition } from "../../domain/kube/typed";
import {
  getPath,
  few,
  isObject,
  type Json,
  asArray,
  getOwn,
  asString,
} from "../../domain/base/values";
import { fileEntries, lastFile, lastFileOver } from "../../domain/kube/field-managers";
import { operatorFinding } from "../../domain/operator/findings";
import { findUnfitObjects } from "../../domain/operator/definition-limits";
import { compareTags } from "../../domain/base/versions";
import { type FactKey, factKeys, type Facts, factSources, isKnown } from "../../domain/facts/facts";

/** What becomes of a definition. */
export type DefinitionVerdict =
  /** `loses`: what goes with the old release; `keeps`: what is not known to be of it, and stays. */
  | { readonly is: "apply"; readonly loses: readonly string[]; readonly keeps: readonly string[] }
  /** `isMarked`: by its own mark it is of a newer release, and not only by the fields that it has beside. */
  | { readonly is: "keep"; readonly because: string; readonly isMarked?: true }
  /** Versions in which objects are stored and that would not be served any more. */
  | { readonly is: "refuse"; readonly versions: readonly string[] };

/** What the verdict rests on. */
interface DefinitionFacts {
  readonly live: CustomResourceDefinition;
  readonly wanted: KubeObject;
  /** The operator that runs is older than the release. */
  readonly goesUp: boolean;
  readonly names: Names;
  /** This tool's field manager; absent: the one of the names. */
  readonly ours?: string;
}

/** Judges one stored definition. */
export function judgeDefinition(facts: DefinitionFacts): DefinitionVerdict {
  const { live, wanted, goesUp, names } = facts;
  if (compareMarks(live, wanted, names) > 0) {
    const because = `it is marked as of release ${String(readMark(live, names))}`;
    return { is: "keep", because, isMarked: true };
  }
  const lost = lostBetween(live, wanted);
  const local = lost.filter(isAdded(facts));
  const rest = lost.filter((field) => !local.includes(field));
  const gains = lostBetween(wanted, live);
  if (rest.length > 0 && gains.length === 0) {
    return { is: "keep", because: `it has all that the release has, and also ${few(rest)}` };
  }
  if (rest.length > 0 && !goesUp) {
    return { is: "keep", because: `it has ${few(rest)}, which the release lacks` };
  }
  const served = servedVersions(wanted).map((version) => getOwn(version, "name"));
  const stored = live.status?.storedVersions?.filter((one) => !served.includes(one)) ?? [];
  if (stored.length > 0) return { is: "refuse", versions: stored };
  const keeps = lastFile(live) === undefined ? lost.filter(isField) : local;
  return { is: "apply", loses: lost.filter((field) => !keeps.includes(field)), keeps };
}

/**
 * Fields that someone added: the file of the last apply lacks them, a person's edit holds them, or
 * this tool has kept them, since it has marked the definition as of a release that is not newer.
 */
function isAdded({ live, wanted, names, ours }: DefinitionFacts): (field: string) => boolean {
  const file = lastFileOver(live);
  if (file !== undefined) {
    const added = lostBetween(live, file);
    return (field) => isField(field) && added.includes(field);
  }
  const tool = ours ?? names.fieldManager;
  const files = fileEntries(live, tool);
  const holders = (live.metadata.managedFields ?? []).filter(
    (entry) => getPath(entry.fieldsV1, ["f:spec", "f:versions"]) !== undefined,
  );
  const isEdited = holders.some((entry) => entry.manager !== tool && !files.includes(entry));
  const isKept =
    holders.length > 0 &&
    holders.every(({ manager }) => manager === tool) &&
    compareMarks(live, wanted, names) <= 0;
  return (field) => (isEdited || isKept) && isField(field);
}

/** A version that is not served any more is never kept. */
function isField(lost: string): boolean {
  return !lost.startsWith("version ");
}

/** Above 0 where the first is marked as of a newer release; NaN where a mark tells none. */
function compareMarks(live: KubeObject, wanted: KubeObject, names: Names): number {
  return compareTags(readMark(live, names), readMark(wanted, names));
}

function readMark(object: KubeObject, { annotations }: Names): string | undefined {
  return readAnnotation(object, annotations.operatorVersion);
}

/** The definition with the release that it is of, so that an older bundle leaves it alone later. */
export function markRelease(
  wanted: KubeObject,
  release: string | undefined,
  names: Names,
): KubeObject {
  const { operatorVersion } = names.annotations;
  if (release === undefined || annotationKey(wanted, operatorVersion) !== undefined) return wanted;
  const annotations = { [operatorVersion[0]]: release, ...wanted.metadata.annotations };
  return { ...wanted, metadata: { ...wanted.metadata, annotations } };
}

/** What the API server says of a stored definition: "Established" is True once it is served. */
export function readCondition(
  definition: KubeObject | undefined,
  type: "Established" | "NamesAccepted",
): { readonly is: string | undefined; readonly because: string | undefined } | undefined {
  const found = statusCondition(definition, type);
  return found === undefined
    ? undefined
    : { is: asString(found.status), because: asString(found.message) };
}

function servedVersions(definition: KubeObject): readonly unknown[] {
  return asArray(getPath(definition, ["spec", "versions"])).filter(
    (version) => getOwn(version, "served") === true,
  );
}

/** Versions and fields that the one serves and the other does not. */
export function lostBetween(one: KubeObject, other: KubeObject): readonly string[] {
  const others = servedVersions(other);
  return servedVersions(one).flatMap((version) => {
    const name = String(getOwn(version, "name"));
    const found = others.find((each) => getOwn(each, "name") === name);
    if (found === undefined) return [`version ${name}`];
    const path = ["schema", "openAPIV3Schema"];
    return lostFields(getPath(version, path), getPath(found, path), name);
  });
}

function lostFields(one: unknown, other: unknown, path: string): readonly string[] {
  if (!isObject(one) || getOwn(other, "x-kubernetes-preserve-unknown-fields") === true) return [];
  const inner = (["items", "additionalProperties"] as const).flatMap((key) =>
    lostFields(getOwn(one, key), getOwn(other, key), `${path}[]`),
  );
  const properties = getOwn(one, "properties");
  const fields: Json = isObject(properties) ? properties : {};
  return [
    ...inner,
    ...Object.entries(fields).flatMap(([key, field]) => {
      const found = getPath(other, ["properties", key]);
      return found === undefined ? [`${path}.${key}`] : lostFields(field, found, `${path}.${key}`);
    }),
  ];
}

/** The definition with these fields of the stored one, each at its place. */
export function withFields(
  definition: KubeObject,
  live: KubeObject,
  fields: readonly string[],
): KubeObject {
  if (fields.length === 0) return definition;
  const held = servedVersions(live);
  const versions = asArray(getPath(definition, ["spec", "versions"])).map((version) => {
    const name = getOwn(version, "name");
    const from = held.find((each) => getOwn(each, "name") === name);
    const [mine, theirs] = [version, from].map((one) =>
      getPath(one, ["schema", "openAPIV3Schema"]),
    );
    if (!isObject(version) || !isObject(mine)) return version;
    const openAPIV3Schema = mergeSchemas(mine, theirs, { path: String(name), fields });
    return { ...version, schema: { ...(version["schema"] as Json), openAPIV3Schema } };
  });
  return { ...definition, spec: { ...(definition["spec"] as Json), versions } };
}

interface SchemaPlace {
  readonly path: string;
  readonly fields: readonly string[];
}

/** The first schema with what the second has at the wanted places. */
function mergeSchemas(mine: unknown, theirs: unknown, { path, fields }: SchemaPlace): unknown {
  const isWanted = fields.some(
    (field) => field.startsWith(path) && /^($|[.[])/.test(field.slice(path.length)),
  );
  if (!isWanted || !isObject(theirs)) return mine;
  if (!isObject(mine)) return theirs;
  const inner = (["items", "additionalProperties"] as const).flatMap((key) => {
    const both = mergeSchemas(getOwn(mine, key), getOwn(theirs, key), {
      path: `${path}[]`,
      fields,
    });
    return both === undefined ? [] : [[key, both] as const];
  });
  const [known, held] = [getOwn(mine, "properties"), getOwn(theirs, "properties")];
  const added = Object.entries(isObject(held) ? held : {}).flatMap(([key, theirField]) => {
    const place = { path: `${path}.${key}`, fields };
    const both = mergeSchemas(getOwn(known, key), theirField, place);
    return both === undefined ? [] : [[key, both] as const];
  });
  return {
    ...mine,
    ...(Object.fromEntries(inner) as Json),
    ...(added.length > 0 && {
      properties: { ...(known as Json | undefined), ...Object.fromEntries(added) },
    }),
  };
}

/**
 * The way out of a verdict "refuse": where the stored definition writes another version by now, all
 * objects are stored again in it, and the versions taken off, which the API server never does itself.
 */
export function renewStored(
  live: CustomResourceDefinition,
  versions: readonly string[],
): Remedy | undefined {
  const name = live.spec?.versions?.find(({ storage }) => storage === true)?.name;
  if (!name || versions.includes(name)) return undefined;
  const status: CustomResourceDefinition["status"] = { storedVersions: [name] };
  const patch = JSON.stringify({ status });
  const file = `${readName(live)}.yaml`;
  return {
    ...kubectl(
      `store every object of the kind again, in ${name}, which the definition writes by now`,
      ...["replace", "-f", file],
    ),
    saves: { words: ["get", readName(live), "--all-namespaces", "-o", "yaml"], file },
    then: kubectl(
      "take the old version off its status",
      ...["patch", "customresourcedefinition", readName(live), "--subresource=status"],
      ...["--type=merge", `--patch=${patch}`],
    ),
  };
}

/** All that a stored definition says of a change to the release's; what it does to objects, as far as `facts` have them. */
export function judgeChange(
  verdict: DefinitionVerdict,
  { live, wanted }: Pick<DefinitionFacts, "live" | "wanted">,
  facts: Facts | undefined,
): readonly Finding[] {
  const object = objectLabel(wanted);
  if (verdict.is === "keep") {
    const cause = `the stored definition is left as it is: ${verdict.because}`;
    return [operatorFinding("definitionKept", { object, cause })];
  }
  const loses = verdict.is === "apply" ? verdict.loses : [];
  const changed = facts === undefined ? [] : judgeObjects(loses, { live, wanted }, facts);
  if (verdict.is === "apply") return changed;
  const cause = `objects are stored in version ${verdict.versions.join(", ")}, which the release does not serve`;
  const remedy = renewStored(live, verdict.versions);
  const about = { object, cause, ...(remedy && { remedies: [remedy] }) };
  return [operatorFinding("definitionStored", about), ...changed];
}

function judgeObjects(
  loses: readonly string[],
  definitions: Pick<DefinitionFacts, "live" | "wanted">,
  facts: Facts,
): readonly Finding[] {
  const object = objectLabel(definitions.wanted);
  const lacks = loses.length === 0 ? undefined : listLosses(loses, definitions.live, facts);
  const unfit = findUnfitObjects(definitions, listObjects(definitions.live, facts) ?? []);
  return [
    ...(lacks === undefined ? [] : [operatorFinding("definitionLoses", { object, cause: lacks })]),
    ...(unfit.length === 0
      ? []
      : [operatorFinding("definitionRefuses", { object, cause: few(unfit) })]),
  ];
}

/** The lists that have to be read before anything can be said of the product's objects. */
export const lossKeys = ["ecs", "edbs", "eaadbs", "ercs"] as const satisfies readonly FactKey[];

/**
 * What is lost, for a person to read; undefined where no object holds any of it. `loses` is of a
 * verdict on the definition: fields as `v1.spec.nodes`, and `version v1`. The status is left out,
 * since the operator writes it, and the new one as its own release has it.
 */
export function listLosses(
  loses: readonly string[],
  definition: KubeObject,
  facts: Facts,
): string | undefined {
  const told = loses.filter((field) => !/^[^.]+\.status\b/.test(field));
  const objects = listObjects(definition, facts);
  const versions = told.filter((field) => field.startsWith("version "));
  const fields = told.filter((field) => !versions.includes(field));
  const unknown = fields.filter((field) => !isReadable(field, objects, fields));
  const held = fields.flatMap((field) => {
    const holders = (objects ?? []).filter((object) => holds(object, readVersion(object), field));
    return holders.length === 0 ? [] : [{ field, holders }];
  });
  const says = [
    versions.length === 0 ? [] : few(versions),
    held.map(({ field, holders }) => {
      const hold = holders.length === 1 ? "holds" : "hold";
      return `${field}, and ${few(holders.map(objectLabel))} ${hold} something there: it is dropped`;
    }),
    unknown.length === 0
      ? []
      : `${few(unknown)}: whether objects hold something there, which would be dropped, is not known`,
  ].flat();
  return says.length === 0 ? undefined : `the release's definition lacks ${says.join("; ")}`;
}

/** Every object of the kind, undefined where they were not read. */
function listObjects({ metadata }: KubeObject, facts: Facts): readonly KubeObject[] | undefined {
  const sources = factSources(facts.names);
  const key = factKeys.find((each) => {
    const { plural, group } = sources[each].resource;
    return `${plural}.${group}` === metadata.name;
  });
  if (key === undefined || !isKnown(facts, key) || facts.unserved.has(key)) return undefined;
  return facts.objects[key];
}

/** True where the objects show whether they hold the field: one version may hide what another has. */
function isReadable(
  field: string,
  objects: readonly KubeObject[] | undefined,
  fields: readonly string[],
): boolean {
  const path = field.slice(field.indexOf("."));
  return objects?.every((object) => fields.includes(`${readVersion(object)}${path}`)) ?? false;
}

function readVersion({ apiVersion }: KubeObject): string {
  return apiVersion.slice(apiVersion.indexOf("/") + 1);
}

/** True where the value has something at the field, which is written as in a verdict. */
function holds(value: unknown, path: string, field: string): boolean {
  if (path === field) return true;
  if (!field.startsWith(path)) return false;
  if (Array.isArray(value)) return value.some((item) => holds(item, `${path}[]`, field));
  return (
    isObject(value) &&
    Object.entries(value).some(
      ([key, inner]) => holds(inner, `${path}.${key}`, field) || holds(inner, `${path}[]`, field),
    )
  );
}
