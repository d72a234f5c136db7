/** What is said of one component: the four verdicts of status, and how they come about. */
import { factSources, isKnown, isPartlyRead, type FactKey, type Facts } from "../facts/facts";
import type { Finding } from "../base/findings";
import type { Remedy } from "../base/remedy";
import { pick } from "../base/values";
import type { Progress } from "./progress";

/** How one component fares; texts are for people, lower case, no full stop. */
export type ComponentHealth =
  | {
      readonly is: "fine";
      readonly says: string;
      /** What it was judged by, and what was not looked at. */
      readonly rests?: string;
    }
  /** There is none: nothing is well or unwell. */
  | { readonly is: "absent"; readonly says: string }
  /** On its way, nothing stands against it. */
  | { readonly is: "moving"; readonly on: string }
  /** It will not come by waiting. */
  | {
      readonly is: "stalled";
      readonly because: string;
      readonly fix: string;
      /** The same as data, where the finding has it so. */
      readonly remedies?: readonly Remedy[];
      /** A finding's, where there is one. */
      readonly code?: string;
      readonly object?: string;
      /**
       * What it was made of; no document has it here.
       * @internal
       */
      readonly finding?: Finding;
    }
  /** It could not be read: nothing is claimed. */
  | {
      readonly is: "unknown";
      readonly because: string;
      /** Nothing that was read is against it: it was not tried, since it was not wanted or the user may not. */
      readonly unproven?: "unwanted" | "forbidden";
    };

/** The verdict of what a finding tells. */
export function stalledBy(finding: Finding): ComponentHealth {
  const { cause: because, fix } = finding;
  return { is: "stalled", because, fix, ...pick(finding, "remedies", "code", "object"), finding };
}

/** From the best to the worst: unread is worse than moving, a standstill worse than unread. */
const order = ["absent", "fine", "moving", "unknown", "stalled"] as const;

/** The worst of several verdicts; fine where there is none. */
export function worst(verdicts: readonly ComponentHealth[]): ComponentHealth["is"] {
  return order.findLast((is) => verdicts.some((verdict) => verdict.is === is)) ?? "fine";
}

/** The first of the worst verdicts, undefined where there is none. */
export function findWorst(verdicts: readonly ComponentHealth[]): ComponentHealth | undefined {
  const is = worst(verdicts);
  return verdicts.find((verdict) => verdict.is === is);
}

/** What it waits for, what moved last, and what will stand against it although it moves. */
export function renderMoving({
  on,
  last,
  but = [],
}: Pick<Extract<Progress, { is: "moving" }>, "on" | "last" | "but">): string {
  const told = last === undefined ? on : `${on}; ${last}`;
  return but.length === 0 ? told : `${told}, but: ${but.map(({ cause }) => cause).join("; ")}`;
}

/** A verdict that names what it rests on, where it is that all is well. */
export function restingOn(verdict: ComponentHealth, rests: string): ComponentHealth {
  return verdict.is === "fine" ? { ...verdict, rests } : verdict;
}

/** What these lists hold may be less than there is: why, where one of them was not read. */
export function noteUnread(facts: Facts, keys: readonly FactKey[]): { readonly unread?: string } {
  const hidden = unreadVerdict(facts, keys);
  return hidden === undefined ? {} : { unread: hidden.because };
}

/** What a user has no permission to do. */
export function renderForbidden(act: string): string {
  return `may not ${act}`;
}

/** "unknown" with the lists that may not be read, or that a dump holds otherwise; undefined when all of them were. */
export function unreadVerdict(
  facts: Facts,
  keys: readonly FactKey[],
): Extract<ComponentHealth, { is: "unknown" }> | undefined {
  const missing = keys.filter((key) => !isKnown(facts, key));
  if (missing.length === 0) return undefined;
  const misfit = missing.find((key) => facts.misfits?.has(key));
  if (misfit !== undefined) return { is: "unknown", because: String(facts.unread.get(misfit)) };
  const sources = factSources(facts.names);
  const plurals = missing.map((key) => {
    const { plural } = sources[key].resource;
    return isPartlyRead(facts, key) ? `${plural} outside ${facts.namespace}` : plural;
  });
  return { is: "unknown", because: renderForbidden(`list ${plurals.join(", ")}`) };
}
