/** Whether a stored definition may be changed to the release's: it is never lowered (domain facts 8). */
import type { Names } from "../names";
import type { KubeObject } from "../objects";
import { at, isObject, type Json, list, own, text } from "../values";
import { compareReleaseTags, parseReleaseTag } from "../versions";

/** What becomes of a definition. */
export type DefinitionVerdict =
  /** `loses`: what the stored one has and the release's lacks. */
  | { readonly is: "apply"; readonly loses: readonly string[] }
  | { readonly is: "keep"; readonly because: string }
  /** Versions in which objects are stored and that would not be served any more. */
  | { readonly is: "refuse"; readonly versions: readonly string[] };

/** What the verdict rests on. */
export interface DefinitionFacts {
  readonly live: KubeObject;
  readonly wanted: KubeObject;
  /** The operator that runs is older than the release. */
  readonly goesUp: boolean;
  readonly names: Names;
}

/** Judges one stored definition. */
export function judgeDefinition({
  live,
  wanted,
  goesUp,
  names,
}: DefinitionFacts): DefinitionVerdict {
  const newer = newerMark(live, wanted, names);
  if (newer !== undefined) return { is: "keep", because: `it is marked as of release ${newer}` };
  const loses = lostBetween(live, wanted);
  const gains = lostBetween(wanted, live);
  if (loses.length > 0 && gains.length === 0) {
    return { is: "keep", because: `it has all that the release has, and also ${few(loses)}` };
  }
  if (loses.length > 0 && !goesUp) {
    return { is: "keep", because: `it has ${few(loses)}, which the release lacks` };
  }
  const served = servedVersions(wanted).map((version) => own(version, "name"));
  const stored = list(at(live, ["status", "storedVersions"])).filter(
    (one) => !served.includes(one),
  );
  if (stored.length > 0) return { is: "refuse", versions: stored.map(String) };
  return { is: "apply", loses };
}

/** The release that the stored definition is marked with, where it is newer than the wanted one's. */
function newerMark(live: KubeObject, wanted: KubeObject, names: Names): string | undefined {
  const mark = ({ metadata }: KubeObject): string | undefined =>
    text(own(metadata.annotations, names.annotations.operatorVersion));
  const [held, given] = [mark(live), mark(wanted)];
  const [one, other] = [parseReleaseTag(held), parseReleaseTag(given)];
  if (one === undefined || other === undefined) return undefined;
  return compareReleaseTags(one, other) > 0 ? held : undefined;
}

/** The definition with the release that it is of, so that an older bundle leaves it alone later. */
export function marked(wanted: KubeObject, release: string | undefined, names: Names): KubeObject {
  const key = names.annotations.operatorVersion;
  const annotations = {
    ...(release !== undefined && { [key]: release }),
    ...wanted.metadata.annotations,
  };
  return { ...wanted, metadata: { ...wanted.metadata, annotations } };
}

function servedVersions(definition: KubeObject): readonly unknown[] {
  return list(at(definition, ["spec", "versions"])).filter(
    (version) => own(version, "served") === true,
  );
}

/** Versions and fields that the one serves and the other does not. */
function lostBetween(one: KubeObject, other: KubeObject): readonly string[] {
  const others = servedVersions(other);
  return servedVersions(one).flatMap((version) => {
    const name = String(own(version, "name"));
    const found = others.find((each) => own(each, "name") === name);
    if (found === undefined) return [`version ${name}`];
    const path = ["schema", "openAPIV3Schema"];
    return lostFields(at(version, path), at(found, path), name);
  });
}

function lostFields(one: unknown, other: unknown, path: string): readonly string[] {
  if (!isObject(one) || own(other, "x-kubernetes-preserve-unknown-fields") === true) return [];
  const inner = (["items", "additionalProperties"] as const).flatMap((key) =>
    lostFields(own(one, key), own(other, key), `${path}[]`),
  );
  const properties = own(one, "properties");
  const fields: Json = isObject(properties) ? properties : {};
  return [
    ...inner,
    ...Object.entries(fields).flatMap(([key, field]) => {
      const found = at(other, ["properties", key]);
      return found === undefined ? [`${path}.${key}`] : lostFields(field, found, `${path}.${key}`);
    }),
  ];
}

/** The first of a list for a sentence. */
export function few(items: readonly string[]): string {
  const more = items.length > 3 ? ` and ${items.length - 3} more` : "";
  return `${items.slice(0, 3).join(", ")}${more}`;
}
