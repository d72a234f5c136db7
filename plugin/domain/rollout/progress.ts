/** How far something is that takes time: judged from facts, never from the clock alone. */
import { type Awaited, nameAwaited } from "../base/awaited";
import type { Finding } from "../base/findings";
import { renderFix, type Remedy } from "../base/remedy";
import { omit, pick } from "../base/values";

/** The verdict on a rollout; texts are for people, lower case, no full stop. */
export type Progress =
  | { readonly is: "done"; readonly says: string }
  /** Nothing stands against it; `step` changes whenever something moved. */
  | {
      readonly is: "moving";
      readonly on: string;
      readonly step: string;
      /** What moved last and when, where an object reports it. */
      readonly last?: string | undefined;
      /** What will stand against it, although it still moves. */
      readonly but?: readonly Finding[];
    }
  | Stalled;

/** A finding that will not go by waiting. */
export interface Stalled extends Finding {
  readonly is: "stalled";
  readonly object: string;
  /** Nothing failed, but the outcome was not seen either: the run timed out (124). */
  readonly unproven?: true;
  /** What stands against it beside, in the order in which it has to be handled. */
  readonly beside?: readonly Timed[];
}

/** When a finding on a rollout may be told. */
export interface Timing {
  /** Waiting alone does not fix it: said at once, not after a while without progress. */
  readonly definite?: boolean;
  /** Seen for certain, and it may still pass: told at once, and ends a wait only when nothing moves. */
  readonly evident?: boolean;
  /** It takes the time that it was given: however long, it is no standstill yet. */
  readonly patient?: boolean;
  /** When it began, RFC 3339, where the object tells. */
  readonly since?: string | undefined;
}

/** A finding on a rollout; a stall once it is due. */
export type Timed = Finding & Timing & Pick<Stalled, "object">;

/** What is recognized of one object, before it is known by its code. */
export type Recognized = Pick<Finding, "cause"> &
  Required<Pick<Finding, "remedies">> &
  Partial<Pick<Finding, "object">> &
  Timing;

/** When what was recognized may be told. */
export function readTiming(found: Timing): Timing {
  return pick(found, "definite", "evident", "patient", "since");
}

/** The finding as a verdict. */
export function makeStalled(found: Timed): Stalled {
  return { is: "stalled", ...omit(found, "definite", "evident", "patient", "since") };
}

/** A fix as data, and in words. */
export function withRemedies(...remedies: readonly Remedy[]): {
  readonly fix: string;
  readonly remedies: readonly Remedy[];
} {
  return { fix: renderFix(remedies), remedies };
}

/** A verdict with the object that it is of. */
type Named<P extends Progress> = P extends { readonly is: "moving" }
  ? Omit<P, "on"> & { readonly on: Awaited }
  : P;

/** The verdict on this object, as a wait takes it. */
export function nameProgress<P extends Progress>(object: string, progress: P): Named<P>;
export function nameProgress(object: string, progress: Progress): Named<Progress> {
  if (progress.is !== "moving") return progress;
  return { ...progress, on: nameAwaited(object, progress.on) };
}

/** True for the same cause at the same object: a stall counts when it is seen twice. */
export function isSameStall(one: Stalled | undefined, other: Stalled): boolean {
  return one?.code === other.code && one.object === other.object;
}

/** What is told of a rollout, without when it may be told. */
export function stallFinding(found: Finding): Finding {
  return pick(found, "code", "severity", "object", "field", "cause", "fix", "remedies", "source");
}

/** Findings that are told after a while, or as their own timing says. */
export function locate(findings: readonly Finding[], timing: Timing = {}): readonly Timed[] {
  return findings.map((one) => ({ ...one, object: String(one.object), ...timing }));
}

/** Findings that are told at once: no time mends them. */
export function tellAtOnce(findings: readonly Finding[]): readonly Timed[] {
  return locate(findings, { definite: true });
}
