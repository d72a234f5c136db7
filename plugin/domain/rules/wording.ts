/** How values of users are shown: quoted, escaped, cut; never a control character (admission facts 6). */
import { type Names, renderTerm } from "../names/names";
import type { Cause, ClusterFacts, ClusterLookup, Verdict } from "./types";

const userLimit = 64;
const nameLimit = 253;
const warningLimit = 120;
const listLimit = 8;
/** Supported values are shown to be chosen from: more of them than other things. */
const quotedLimit = 32;

/** Anything but printable ASCII: terminal escapes, line ends, look-alike letters. */
const unprintable = /[^\x20-\x7e]/g;
const hasUnprintable = /[^\x20-\x7e]/;

/** A text that is safe to print: printable ASCII alone, cut at a limit (admission facts 6.5). */
export function plain(text: string, limit = nameLimit): string {
  if (text.length <= limit && !hasUnprintable.test(text)) return text;
  return shorten(shorten(text, limit).replace(unprintable, codeUnit), limit);
}

/** A user's text in quotes, escaped and cut to 64 characters (admission facts 6.5). */
export function quote(text: string): string {
  return quoteWhole(shorten(text, userLimit));
}

/** The name of an object in quotes, escaped; names that Kubernetes accepts are shown whole. */
export function quoteName(name: string): string {
  return quoteWhole(shorten(name, nameLimit));
}

function quoteWhole(text: string): string {
  return JSON.stringify(text).replace(unprintable, codeUnit);
}

function codeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function shorten(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 3)}...` : text;
}

/** A value of any type, never whole: Kubernetes' convention for field errors (admission facts 5). */
export function show(value: unknown): string {
  if (typeof value === "string") return quote(value);
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (value === null || value === undefined) return "null";
  return Array.isArray(value) ? "[...]" : "{...}";
}

/** A list of texts, quoted, between commas; of a long one the first and how many there are more. */
export function quoteAll(texts: readonly string[]): string {
  const hidden = texts.length - quotedLimit;
  const shown = texts.slice(0, quotedLimit).map(quote);
  return [...shown, ...(hidden > 0 ? [`${hidden} more`] : [])].join(", ");
}

/** An EC as messages name it: namespace/name (admission facts 6.6). */
export function showCluster(
  { namespace, name }: Pick<ClusterFacts, "namespace" | "name">,
  names: Names,
): string {
  return `${renderTerm(names.ec)} ${plain(namespace)}/${plain(name)}`;
}

/** Why no EC was found, naming what was looked for and where (C16, C17). */
export function showMiss(
  lookup: Exclude<ClusterLookup, { readonly is: "found" }>,
  names: Names,
): string {
  const ec = renderTerm(names.ec);
  if (lookup.is === "ambiguous") return `several ${ec}s found: ${showSome(lookup.candidates)}`;
  const places = showPlaces(lookup.lookedIn);
  return lookup.name === undefined
    ? `no ${ec} found in ${places}`
    : `${ec} ${quote(lookup.name)} not found in ${places}`;
}

/** The namespaces that were looked in. */
export function showPlaces(lookedIn: readonly string[]): string {
  return `${lookedIn.length === 1 ? "namespace" : "namespaces"} ${quoteAll(lookedIn)}`;
}

function showSome(keys: readonly string[]): string {
  const shown = keys.slice(0, listLimit).map((key) => plain(key));
  const hidden = keys.length - shown.length;
  return [...shown, ...(hidden > 0 ? [`${hidden} more`] : [])].join(", ");
}

/** A warning that the API server passes on whole: 120 characters, its end kept (admission facts 4). */
export function renderWarning(text: string, end = ""): string {
  return `${plain(text, warningLimit - end.length)}${end}`;
}

/** A value of another type than `wanted`. */
export function wrongType(value: unknown, wanted: string) {
  const says = `Invalid value: ${show(value)}: must be ${wanted}`;
  return { reason: "FieldValueTypeInvalid", says, fix: `write ${wanted}` } as const;
}

/** One sentence what is wrong, one how to fix it. */
export function describeCause({ reason, says, fix }: Omit<Cause, "field" | "rule">): string {
  return reason === "FieldValueTypeInvalid" ? says : `${says}; ${fix}`;
}

/** The same as Kubernetes is told, `beside` before the rule's id in brackets. */
export function renderCause(cause: Omit<Cause, "field">, beside = ""): string {
  return `${describeCause(cause)}${beside} [${cause.rule}]`;
}

/** What is refused, as the request names it, and who refuses. */
export interface Refused {
  readonly kind: string;
  readonly group: string;
  /** Absent with generateName. */
  readonly name?: string | undefined;
  readonly verdict: Verdict;
  readonly webhookName: string;
}

/** A cause as Kubernetes has it. */
interface ToldCause extends Pick<Cause, "reason" | "field"> {
  readonly message: string;
}

/** The part of a Kubernetes Status that a refusal fills. */
export interface DenialStatus {
  readonly code: 422;
  readonly reason: "Invalid";
  readonly message: string;
  readonly details: {
    readonly group: string;
    readonly kind: string;
    readonly name?: string;
    readonly causes: readonly ToldCause[];
  };
}

/** More lines than this help nobody; the last one says how many are left out. */
const causeCount = 32;

/** The whole story both in the message and in the causes (C13; admission facts 6.1). */
export function denialStatus(refused: Refused): DenialStatus {
  const { verdict, webhookName, name = "" } = refused;
  const causes = boundCauses(verdict, webhookName);
  if (causes.length === 0) throw new Error("a denial needs at least one cause");
  const [kind, group] = [plain(refused.kind), plain(refused.group)];
  return {
    code: 422,
    reason: "Invalid",
    message: `${kind}.${group} ${quoteName(name)} is invalid: ${summary(causes)}`,
    details: { group, kind, ...(name === "" ? {} : { name: plain(name) }), causes },
  };
}

/** kubectl drops the webhook's name for Invalid: one cause has to carry it (admission facts 6.4). */
function boundCauses({ causes, more = 0 }: Verdict, webhookName: string): readonly ToldCause[] {
  const hidden = Math.max(0, causes.length - causeCount) + more;
  const signed = ` (refused by webhook ${plain(webhookName)})`;
  return causes.slice(0, causeCount).map((cause, at) => {
    const { reason, field, rule } = cause;
    const isLast = at === causeCount - 1 && hidden > 0;
    const message = isLast
      ? `${hidden + 1} more problems from here on are not shown [${rule}]`
      : renderCause(cause, at === 0 ? signed : "");
    return { reason, field, message };
  });
}

function summary(causes: readonly ToldCause[]): string {
  const errors = causes.map(({ field, message }) => `${field}: ${message}`);
  return errors.length === 1 ? errors.join("") : `[${errors.join(", ")}]`;
}
