/** What dry runs of good and bad edits have shown of the webhook in force. */
import { renderAge } from "../base/duration";
import type { Finding } from "../base/findings";
import { type CallTrouble, readTrouble } from "./call-texts";
import type { FailurePolicy } from "./consequence";
import { type Hindrance, hindranceCause } from "./refusers";
import type { ProbeAnswer } from "./answers";

/** Where a pair of edits was sent: the kind in its short form, its version, the namespace. */
export interface ProbedPair {
  /** A change of an object that is there, of this name; else a new object. */
  readonly stored?: string;
  readonly kind: string;
  readonly version: string;
  readonly namespace: string;
}

/** How a webhook that does not work looks from outside; "unknown" where no text is known that says why. */
export type Seen = CallTrouble | "passes" | "refuses" | "unknown";

/** Its own answers are wrong, or it gives none. */
interface Failed {
  readonly is: "failed";
  readonly because: string;
  readonly seen: Seen;
  /** The policies of the entries in force: under Ignore a call that fails lets the edit pass. */
  readonly policies: readonly FailurePolicy[];
  /** How to repair it as far as the answer tells. */
  readonly finding?: Finding;
}

/** What the probe showed; a cause that is not the webhook's proves nothing either way. */
export type ProbeOutcome =
  | {
      readonly is: "proven";
      /** Of the last answer, in milliseconds since 1970. */
      readonly at: number;
      /** In a rehearsal nothing real has answered. */
      readonly isPlayed: boolean;
      readonly pairs: readonly ProbedPair[];
      /** What is not proven, and why. */
      readonly beside: readonly string[];
    }
  | Failed
  | { readonly is: "elsewhere"; readonly hindrance: Hindrance }
  | {
      readonly is: "open";
      readonly because: string;
      /** It may be the webhook that is wrong, so that no other answer makes it healthy. */
      readonly isDoubt?: true;
    }
  /** No edit was sent: it was not wanted, or the user may not send one. */
  | { readonly is: "unasked"; readonly because: string; readonly forbidden?: true };

/** How an answer that a working webhook does not give looks. */
export function readSeen(wrong: ProbeAnswer | undefined): Seen {
  if (wrong === undefined || wrong.is === "other") return "unknown";
  if (wrong.is === "accepted") return "passes";
  if (wrong.is === "refused") return "refuses";
  return readTrouble(wrong.detail) ?? "unknown";
}

/** The pair as texts name it. */
export function renderPair({ kind, version, namespace, stored }: ProbedPair): string {
  return stored === undefined
    ? `${kind} ${version} in ${namespace}`
    : `${kind} ${namespace}/${stored}`;
}

/**
 * One outcome of all pairs: what fails somewhere fails. Every kind has to be seen to work, by a new object or by a change;
 * what else was not seen is told beside it.
 */
export function gatherOutcomes(
  outcomes: readonly (readonly [pair: ProbedPair, outcome: ProbeOutcome])[],
  beside: readonly string[],
): ProbeOutcome {
  const all = outcomes.map(([, outcome]) => outcome);
  const seen = new Set(outcomes.flatMap(([{ kind }, { is }]) => (is === "proven" ? [kind] : [])));
  const worst =
    all.find(({ is }) => is === "failed") ??
    all.find(isStopping) ??
    outcomes.find(([{ kind }, { is }]) => is !== "proven" && !seen.has(kind))?.[1];
  if (worst !== undefined) return worst;
  const proven = all.flatMap((one) => (one.is === "proven" ? [one] : []));
  if (proven.length === 0) return { is: "open", because: "no edit was sent" };
  const others = outcomes.flatMap(([pair, one]) =>
    one.is === "proven" ? [] : [`not proven: ${renderPair(pair)} (${explainOpen(one)})`],
  );
  return {
    is: "proven",
    at: Math.max(...proven.map(({ at }) => at)),
    isPlayed: proven.some(({ isPlayed }) => isPlayed),
    pairs: proven.flatMap(({ pairs }) => pairs),
    beside: [...others, ...beside],
  };
}

/** Somebody else's webhook fails every edit, or it is in doubt whose fault it is. */
function isStopping(outcome: ProbeOutcome): boolean {
  if (outcome.is === "elsewhere") return outcome.hindrance.refuser.fails;
  return outcome.is === "open" && outcome.isDoubt === true;
}

/** Why nothing is proven. */
export function explainOpen(outcome: Exclude<ProbeOutcome, { readonly is: "proven" }>): string {
  return outcome.is === "elsewhere" ? hindranceCause(outcome.hindrance) : outcome.because;
}

/** What was seen, how long ago and where, then what was not. */
export function renderProven(
  { at, isPlayed, pairs, beside }: Extract<ProbeOutcome, { readonly is: "proven" }>,
  now: number,
): string {
  const seen = "refused a bad edit and passed a good one";
  const when = isPlayed ? "in this rehearsal" : `${renderSince(Math.max(0, now - at))} ago`;
  return [`${seen} ${when} (${renderPlaces(pairs)})`, ...beside].join("; ");
}

function renderSince(ms: number): string {
  return ms < 10_000 ? `${(ms / 1_000).toFixed(1)} s` : renderAge(ms);
}

/** Kinds, versions and namespaces by themselves where each was combined with each. */
function renderPlaces(all: readonly ProbedPair[]): string {
  const changed = all.filter(({ stored }) => stored !== undefined).map(renderPair);
  const pairs = all.filter(({ stored }) => stored === undefined);
  const changes = changed.length === 0 ? [] : [`changes of ${changed.join(" and ")}`];
  return [...(pairs.length === 0 ? [] : [renderNew(pairs)]), ...changes].join(", ");
}

function renderNew(pairs: readonly ProbedPair[]): string {
  const parts = (["kind", "version", "namespace"] as const).map((part) => [
    ...new Set(pairs.map((one) => one[part])),
  ]);
  const combined = parts.reduce((count, words) => count * words.length, 1);
  if (combined !== pairs.length) return pairs.map(renderPair).join(", ");
  const [kinds, versions, namespaces] = parts.map((words) => words.join(" and "));
  return `${String(kinds)} ${String(versions)} in ${String(namespaces)}`;
}
