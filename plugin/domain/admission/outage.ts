/**
 * Holes in what a webhook does, from probes that come one after the other for as long as a run takes: bad edits that
 * passed, good edits that were stopped. Of a hole the edges are not seen, only the probes before and after them, so it
 * has a least and a most length. What is kept does not grow with the number of probes.
 */
import { asArray, getOwn } from "../base/values";
import { kinds } from "../kube/kinds";
import type { Names } from "../names/names";
import type { ProbeAnswer } from "./answers";
import type { Observation } from "./probe";
import { findRefuser, nameOfRefuser } from "./refusers";

/** What is watched: that bad edits are refused, that good edits pass. */
export type HoleKind = "bypass" | "outage";

/** What one probe shows of it: `unseen` is a probe that shows neither. */
export type Sight =
  { readonly is: "good" | "bad" } | { readonly is: "unseen"; readonly because: string };

/** When a probe was under way, in milliseconds since 1970: what it shows was so at a moment in between. */
export interface Moment {
  readonly from: number;
  readonly to: number;
}

/** From the first probe that shows it to the next one that does not. */
export interface Hole extends Moment {
  readonly is: HoleKind;
  /** Of all holes that are told as this one. */
  readonly ms: number;
  /** From the first probe that shows it to the last one, without what was not seen in between. */
  readonly leastMs: number;
  /** From the last good probe before it to the first one after it. */
  readonly mostMs: number;
  /** How many holes are told as this one; absent: one. */
  readonly holes?: number;
  /** No good probe came before it: it may be older. */
  readonly isOlder?: true;
  /** No good probe came after it: it may last longer. */
  readonly isOpen?: true;
}

/** Nothing was seen in between. */
export interface Unseen extends Moment {
  readonly because: string;
}

/** So many are told one by one; those that follow are told as one. */
const mostTold = 50;

/** Probes come at least every few seconds: a longer pause is time in which nobody looked. */
export const longestPauseMs = 20_000;

const nobodyAsked = "no probe was sent";

interface OpenHole {
  readonly from: number;
  /** The last good probe before it, or when watching began. */
  readonly since: number;
  readonly isOlder: boolean;
  leastMs: number;
  /** The first bad probe since something was last not seen. */
  firstTo: number;
  lastFrom: number;
}

/** Takes the probes of one kind, in the order in which they ended. */
export class HoleCounter {
  readonly #holes: Hole[] = [];
  readonly #unseen: Unseen[] = [];
  #lastGood: Moment | undefined;
  /** The last that showed something. */
  #lastSeen: Moment | undefined;
  #last: Moment | undefined;
  #missing: { readonly from: number; readonly because: string } | undefined;
  #open: OpenHole | undefined;

  constructor(
    private readonly is: HoleKind,
    /** When watching began. */
    private readonly from: number,
  ) {}

  take({ from, to }: Moment, sight: Sight): void {
    const before = this.#last?.to ?? this.from;
    if (from - before > longestPauseMs) this.#miss(before, nobodyAsked);
    this.#last = { from, to };
    if (sight.is === "unseen") {
      this.#miss(before, sight.because);
      return;
    }
    this.#see(from);
    this.#lastSeen = { from, to };
    if (sight.is === "bad") this.#takeBad({ from, to });
    else this.#takeGood({ from, to });
  }

  /** What was found by `until`, when watching ends. */
  end(until: number): { readonly holes: readonly Hole[]; readonly unseen: readonly Unseen[] } {
    const last = this.#last?.to ?? this.from;
    if (this.#missing === undefined && until - last > longestPauseMs) this.#miss(last, nobodyAsked);
    this.#see(until);
    this.#close({ from: until, to: until }, true);
    return { holes: this.#holes, unseen: this.#unseen };
  }

  #takeBad({ from, to }: Moment): void {
    const open = this.#open;
    if (open === undefined) {
      this.#open = {
        from,
        since: this.#lastGood?.from ?? this.from,
        isOlder: this.#lastGood === undefined,
        ...{ leastMs: 0, firstTo: to, lastFrom: from },
      };
      return;
    }
    // as long as nothing was seen, nothing is claimed
    if (open.lastFrom < 0) Object.assign(open, { firstTo: to });
    open.lastFrom = from;
  }

  #takeGood(moment: Moment): void {
    this.#close(moment, false);
    this.#lastGood = moment;
  }

  #miss(from: number, because: string): void {
    this.#missing ??= { from: this.#lastSeen?.to ?? from, because };
    if (this.#open === undefined || this.#open.lastFrom < 0) return;
    this.#open.leastMs += stretch(this.#open);
    this.#open.lastFrom = -1;
  }

  /** Something is seen again. */
  #see(until: number): void {
    const missing = this.#missing;
    if (missing === undefined) return;
    this.#missing = undefined;
    const last = this.#unseen.at(-1);
    if (last === undefined || this.#unseen.length < mostTold) {
      this.#unseen.push({ ...missing, to: until });
    } else this.#unseen[mostTold - 1] = { ...last, to: until };
  }

  #close(next: Moment, isOpen: boolean): void {
    const open = this.#open;
    if (open === undefined) return;
    this.#open = undefined;
    const { from, since, isOlder } = open;
    const hole: Hole = {
      ...{ is: this.is, from, to: next.from, ms: next.from - from, mostMs: next.to - since },
      leastMs: open.leastMs + (open.lastFrom < 0 ? 0 : stretch(open)),
      ...(isOlder && { isOlder }),
      ...(isOpen && { isOpen }),
    };
    const last = this.#holes.at(-1);
    if (last === undefined || this.#holes.length < mostTold) this.#holes.push(hole);
    else this.#holes[mostTold - 1] = joinHoles(last, hole);
  }
}

function stretch({ firstTo, lastFrom }: Pick<OpenHole, "firstTo" | "lastFrom">): number {
  return Math.max(0, lastFrom - firstTo);
}

function joinHoles(one: Hole, other: Hole): Hole {
  return {
    ...one,
    to: other.to,
    ms: one.ms + other.ms,
    leastMs: one.leastMs + other.leastMs,
    mostMs: one.mostMs + other.mostMs,
    holes: (one.holes ?? 1) + 1,
    ...(other.isOpen === true && { isOpen: true }),
  };
}

/** A write, as the record of a run notes it. */
interface NotedWrite {
  readonly action?: unknown;
  readonly object?: unknown;
}

/** Whether a write can take the webhook away or bring it back: what it runs in, what leads to it, what it serves with. */
export function touchesWebhook({ action, object }: NotedWrite, names: Names): boolean {
  // a chart has all of it
  if (action === "chart") return true;
  const { webhook, operator } = names;
  const label = String(object);
  const [kind, name] = [
    label.slice(0, label.indexOf("/")),
    label.slice(label.lastIndexOf("/") + 1),
  ];
  const touched: Readonly<Record<string, readonly string[]>> = {
    [kinds.deployment.kind]: [operator.deployment],
    [kinds.service.kind]: [webhook.service],
    [kinds.secret.kind]: [webhook.secret],
    [kinds.webhookConfiguration.kind]: [webhook.configuration, webhook.oldConfiguration],
  };
  return asArray(getOwn(touched, kind)).includes(name);
}

/** Of whom an answer is, and what its twin is known for. */
interface SightScene {
  /** Entries of the product's webhook. */
  readonly ours: readonly string[];
  /** The bad edit that was seen refused; undefined: none was yet. */
  readonly bad: string | undefined;
}

/** What an answer shows of both kinds; absent: nothing, and nothing is missing either. */
export function readSights(
  observation: Observation,
  scene: SightScene,
): Partial<Record<HoleKind, Sight>> {
  const { twin, answer } = observation;
  const away = whyUnseen(answer, scene.ours);
  if (twin === "accept")
    return { outage: away ?? { is: answer.is === "accepted" ? "good" : "bad" } };
  // a webhook that cannot be called stops good edits as well
  const outage: Partial<Record<HoleKind, Sight>> =
    answer.is === "failed" && away === undefined ? { outage: { is: "bad" } } : {};
  return { ...outage, bypass: judgeBad(observation, scene, away) };
}

function judgeBad(
  { answer, pair }: Observation,
  { bad, ours }: SightScene,
  away: Sight | undefined,
): Sight {
  if (away !== undefined && findRefuser(answer, ours) === undefined) return away;
  if (bad !== pair) return { is: "unseen", because: "no bad edit was seen refused until then" };
  // whoever refuses it: a bad edit that is refused is not stored
  return { is: answer.is === "accepted" ? "bad" : "good" };
}

/** Why an answer says nothing of the webhook. */
function whyUnseen(answer: ProbeAnswer, ours: readonly string[]): Sight | undefined {
  const refuser = findRefuser(answer, ours);
  if (refuser !== undefined) {
    const does = refuser.fails ? "fails" : "refuses";
    return { is: "unseen", because: `${nameOfRefuser(refuser)} ${does} the probe` };
  }
  if (answer.is === "other") return { is: "unseen", because: answer.detail };
  // a call that the API server did not end itself may have been kept by the API server
  if (answer.is === "failed" && answer.by === "") return { is: "unseen", because: answer.detail };
  return undefined;
}
