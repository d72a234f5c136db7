/**
 * Whose fields an object's are, and how those of a file that a person applied become this tool's
 * own (S16, S18). `kubectl apply` of the last bundle leaves every field to kubectl: they are the old
 * release's, not local changes. A field that someone changed since is held by another manager.
 */
import { type KubeObject, lastApplied, type ManagedFields } from "./objects";
import { isPersonsManager } from "./owners";
import { isObject, type Json, getOwn, parseJson, asString } from "../base/values";

/** Managers whose fields come from a whole file; `kubectl apply --server-side` is `kubectl`. */
const fileManagers = [
  "kubectl-client-side-apply",
  "kubectl-create",
  "kubectl-replace",
  "before-first-apply",
];

/** The file that a person applied last, undefined where kubectl kept none. */
export function lastFile({ metadata }: KubeObject): Json | undefined {
  const kept = asString(getOwn(metadata.annotations, lastApplied));
  const file = parseJson(kept ?? "");
  return isObject(file) ? file : undefined;
}

/** That file as an apply over the live object; undefined where kubectl kept none. */
export function lastFileOver(live: KubeObject): KubeObject | undefined {
  const file = lastFile(live);
  if (file === undefined) return undefined;
  const { apiVersion, kind } = live;
  const { name, namespace, uid } = live.metadata;
  const given = getOwn(file, "metadata");
  const kept = ["labels", "annotations"].flatMap((key) => {
    const held = getOwn(given, key);
    return isObject(held) ? [[key, held] as const] : [];
  });
  const metadata = { ...{ name, namespace, uid }, ...(Object.fromEntries(kept) as Json) };
  const content = Object.entries(file).filter(([key]) => key !== "status");
  return { ...Object.fromEntries(content), apiVersion, kind, metadata };
}

/** The entries of managers that hold the fields of a file, not those of a change. */
export function fileEntries(
  { apiVersion, metadata }: Pick<KubeObject, "apiVersion" | "metadata">,
  ours: string,
): readonly ManagedFields[] {
  return (metadata.managedFields ?? []).filter(
    (entry) =>
      entry.manager !== ours &&
      entry["apiVersion"] === apiVersion &&
      entry.subresource === undefined &&
      isOfFile(entry),
  );
}

function isOfFile({ manager = "", operation, fieldsV1 }: ManagedFields): boolean {
  if (!isPersonsManager(manager, [])) return false;
  if (operation === "Apply") return true;
  // whoever keeps the file in the annotation has applied it, whatever the kubectl of then was called
  const annotations = getOwn(getOwn(fieldsV1, "f:metadata"), "f:annotations");
  return fileManagers.includes(manager) || getOwn(annotations, `f:${lastApplied}`) !== undefined;
}

/** True when a conflict with this manager is one with a file that a person applied. */
export function isFileManager(object: KubeObject, manager: string, ours: string): boolean {
  return fileEntries(object, ours).some((entry) => entry.manager === manager);
}

/** `managedFields` in which the file's fields are this tool's; no value changes with it. */
export function adoptFields(object: KubeObject, ours: string): readonly ManagedFields[] {
  const taken = fileEntries(object, ours);
  const all = object.metadata.managedFields ?? [];
  const mine = all.filter(
    ({ manager, operation, subresource }) =>
      manager === ours && operation === "Apply" && subresource === undefined,
  );
  const fields = [...mine, ...taken].map(({ fieldsV1 }) => fieldsV1 ?? {});
  const [time] = [...taken, ...mine].flatMap((entry) => asString(entry["time"]) ?? []);
  return [
    {
      manager: ours,
      operation: "Apply",
      apiVersion: object.apiVersion,
      ...(time !== undefined && { time }),
      fieldsType: "FieldsV1",
      fieldsV1: fields.reduce(uniteFields, {}),
    },
    ...all.filter((entry) => !taken.includes(entry) && !mine.includes(entry)),
  ];
}

/** Both sets of fields; a set without children is the field itself. */
function uniteFields(one: Json, other: Json): Json {
  const [fewer, more] = [one, other].map((set) => Object.keys(set).length);
  if (fewer === 0) return other;
  if (more === 0) return one;
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(keys.map((key) => [key, uniteAt(one, other, key)]));
}

function uniteAt(one: Json, other: Json, key: string): Json {
  const [left, right] = [getOwn(one, key), getOwn(other, key)];
  if (!isObject(left)) return isObject(right) ? right : {};
  if (!isObject(right)) return left;
  const both = uniteFields(left, right);
  const alone = [left, right].some((set) => Object.keys(set).length === 0);
  // the field itself belongs to the set beside what lies below it
  return alone && Object.keys(both).length > 0 ? { ".": {}, ...both } : both;
}
