/** The state of an object that a saved plan rests on: its generation, and every field but its status. */
import { createHash } from "node:crypto";
import { asArray, asString, isObject, omit } from "../../domain/base/values";
import { listHolders } from "../../domain/kube/edits";
import { kinds } from "../../domain/kube/kinds";
import type { KubeObject } from "../../domain/kube/objects";

/** As a plan keeps it. */
export interface BoundState {
  /** Absent where the API server counts none for the kind. */
  readonly generation?: number | undefined;
  /** Its values by their paths, as JSON; what is long or may be secret only as a digest, else left out. */
  readonly fields: Readonly<Record<string, string>>;
}

/** What controllers write there is no part of what a person asks for. */
const ofControllers = ["deployment.kubernetes.io/revision"];
/** Fields whose values no file may hold. */
const secretField = /(^|\.)(license|value|data\..*|stringData\..*)$/;
/** Kept by injectors and by the companion webhook, whoever else writes the object: known, and no reason. */
const injectedField = /(^|\.)caBundle$/;
const longest = 120;
/** What is shorter could be guessed from its digest. */
const guessable = 32;

interface Leaf {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The state of an object as it was read. */
export function bindState(object: KubeObject): BoundState {
  const { generation } = object.metadata;
  const fields = listLeaves(object).flatMap(({ path, value }) => {
    const name = renderPath(path);
    const shown = showValue(name, value);
    return shown === undefined ? [] : [[name, shown] as const];
  });
  return {
    ...(typeof generation === "number" && { generation }),
    fields: Object.fromEntries(fields),
  };
}

function listLeaves(object: KubeObject): readonly Leaf[] {
  const { labels = {}, annotations = {} } = object.metadata;
  const rest = omit(object, "apiVersion", "kind", "metadata", "status");
  const said = { labels, annotations: omit(annotations, ...ofControllers) };
  // a schema has thousands of fields, which tell a person nothing one by one
  const isWhole = object.kind === kinds.definition.kind;
  const content = Object.entries(rest).flatMap(([key, value]) =>
    isWhole && value !== undefined ? [{ path: [key], value }] : leavesBelow([key], value),
  );
  return [...content, ...leavesBelow(["metadata"], said)];
}

function leavesBelow(path: readonly string[], value: unknown): readonly Leaf[] {
  if (Array.isArray(value)) {
    return asArray(value).flatMap((item, at) => leavesBelow([...path, `[${at}]`], item));
  }
  if (!isObject(value)) return value === undefined ? [] : [{ path, value }];
  return Object.entries(value).flatMap(([key, one]) => leavesBelow([...path, key], one));
}

function renderPath(path: readonly string[]): string {
  return path.join(".").replaceAll(".[", "[");
}

function showValue(name: string, value: unknown): string | undefined {
  const text = JSON.stringify(value);
  const isSecret = secretField.test(name) || text.includes("-----BEGIN ");
  if (!isSecret && text.length <= longest) return text;
  if (isSecret && text.length < guessable) return undefined;
  return `SHA-256 ${createHash("sha256").update(text).digest("hex").slice(0, 16)}`;
}

/** A field that is not as the plan has it. */
interface Moved {
  readonly field: string;
  readonly was: string;
  readonly is: string;
}

/** What is known beside the state itself. */
export interface StateContext {
  /** The object as it is, to name who has changed it. */
  readonly live?: KubeObject | undefined;
  /** Present: `was` is what a write of these managers leaves, whose generation nobody knows before. */
  readonly ours?: readonly string[];
}

/** What makes a plan that rests on `was` stale, each with its field, both values and who changed it. */
export function listStateReasons(
  was: BoundState,
  is: BoundState,
  { live, ours }: StateContext,
): readonly string[] {
  const names = [...new Set([...Object.keys(was.fields), ...Object.keys(is.fields)])];
  const all = names.flatMap((field): readonly Moved[] => {
    const [before = "absent", now = "absent"] = [was.fields[field], is.fields[field]];
    return before === now ? [] : [{ field, was: before, is: now }];
  });
  const isSame = was.generation !== undefined && was.generation === is.generation;
  const moved = all.filter(
    (one) => !injectedField.test(one.field) && !isFilledIn(one, { isSame, live, ours }),
  );
  if (moved.length > 0) {
    return moved.map(
      (one) => `${one.field} is ${one.is}, it was ${one.was}${nameWriter(one, live)}`,
    );
  }
  if (ours !== undefined || all.length > 0 || was.generation === is.generation) return [];
  return [`its generation is ${String(is.generation)}, it was ${String(was.generation)}`];
}

/** Comes and goes with the definition of the kind, which gives defaults and drops what it does not know. */
function isFilledIn(
  { field, was, is }: Moved,
  { isSame, live, ours }: StateContext & { readonly isSame: boolean },
): boolean {
  if (!field.startsWith("spec.")) return false;
  if (isSame) return was === "absent" || is === "absent";
  if (ours === undefined || live?.metadata.managedFields === undefined) return false;
  return was === "absent" && findHolders(field, live).every((manager) => ours.includes(manager));
}

/** Who holds the field; of one that nobody holds, or of an item of a list, who has written last. */
function nameWriter({ field }: Moved, live: KubeObject | undefined): string {
  if (live === undefined) return "";
  const holders = findHolders(field, live);
  const writers = holders.length > 0 ? holders : lastWriters(live);
  return writers.length === 0 ? "" : `, changed by ${[...new Set(writers)].join(" and ")}`;
}

function findHolders(field: string, live: KubeObject): readonly string[] {
  const [path = ""] = field.split("[");
  const held = listHolders(live, [{ path: path.split("."), from: undefined, to: undefined }]);
  return held.flatMap(({ message }) => /"(.*)"/.exec(message)?.[1] ?? []);
}

function lastWriters({ metadata: { managedFields = [] } }: KubeObject): readonly string[] {
  const own = managedFields.filter(({ subresource = "" }) => subresource === "");
  const times = own.flatMap((entry) => asString(entry["time"]) ?? []).sort();
  const last = times.at(-1);
  return own.filter((entry) => entry["time"] === last).flatMap(({ manager }) => manager ?? []);
}
