/** How far something is that takes time: judged from facts, never from the clock alone. */
import { type Awaited, nameAwaited } from "../base/awaited";
import type { Finding } from "../base/findings";
import { renderFix, type Remedy } from "../base/remedy";

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
      readonly but?: readonly Problem[];
    }
  /** It will not come by waiting: `code` is a finding's. */
  | {
      readonly is: "stalled";
      readonly code: string;
      readonly object: string;
      readonly because: string;
      readonly fix: string;
      /** The same as data, where a command is a part of it. */
      readonly remedies?: readonly Remedy[] | undefined;
      /** Nothing failed, but the outcome was not seen either: the run timed out (124). */
      readonly unproven?: true;
      /** What stands against it beside, in the order in which it has to be handled. */
      readonly beside?: readonly Problem[];
    };

/** What will not come by waiting. */
export type Stalled = Extract<Progress, { readonly is: "stalled" }>;

/** What stands against a rollout; a stall once it is due. */
export interface Problem extends Omit<Stalled, "is" | "unproven" | "beside"> {
  /** Waiting alone does not fix it: said at once, not after a while without progress. */
  readonly definite?: boolean;
  /** Seen for certain, and it may still pass: told at once, and ends a wait only when nothing moves. */
  readonly evident?: boolean;
  /** It takes the time that it was given: however long, it is no standstill yet. */
  readonly patient?: boolean;
  /** When it began, RFC 3339, where the object tells. */
  readonly since?: string | undefined;
}

/** The problem as a verdict. */
export function makeStalled({ code, object, because, fix, remedies }: Problem): Stalled {
  return { is: "stalled", code, object, because, fix, ...(remedies && { remedies }) };
}

/** A fix as data, and in words. */
export function withRemedies(...remedies: readonly Remedy[]): {
  readonly fix: string;
  readonly remedies: readonly Remedy[];
} {
  return { fix: renderFix(remedies), remedies };
}

/** What is in the way of what is waited for. */
export function nameStalled({ object, because }: Pick<Problem, "object" | "because">): Awaited {
  return nameAwaited(object, because);
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

/** A stall as a finding; its source is that of its code. */
export function stallFinding(
  { code, object, because, fix, remedies }: Stalled,
  codes: readonly Pick<Finding, "code" | "source">[],
): Finding {
  const source = codes.find((known) => known.code === code)?.source ?? "Facts 11";
  const finding: Finding = { code, severity: "error", object, cause: because, fix, source };
  return remedies === undefined ? finding : { ...finding, remedies };
}

/** Findings that stand against it at once. */
export function problemsIn(findings: readonly Finding[]): readonly Problem[] {
  return findings.map(({ code, object, cause: because, fix, remedies }) => ({
    ...{ code, object: String(object), because, fix, remedies },
    definite: true,
  }));
}
