/** How often and how long anything was wrong, from the observations of a probe (cli contract, Probe). */
import { isRight, type Observation, type ProbeKind } from "./probe";
import type { ProbeAnswer } from "./answers";
import {
  type Hole,
  HoleCounter,
  type HoleKind,
  longestPauseMs,
  readSights,
  type Unseen,
} from "./outage";
import { nameOfRefuser, findRefuser } from "./refusers";

/** Seconds in which a twin got a wrong answer: bad edits through, good edits refused. */
interface Gap {
  readonly bypassSeconds: number;
  readonly outageSeconds: number;
}

/**
 * The holes of one pair, each from its first wrong answer to the next right one, and what was not seen. A bad edit that
 * passes is bypass, a good edit that a webhook stops is outage; what a schema or someone else refuses shows neither.
 * The entries of the webhook are `ours`.
 */
export function wrongWindows(
  observations: readonly Observation[],
  ours: readonly string[],
): {
  readonly holes: readonly Hole[];
  readonly unseen: Readonly<Record<HoleKind, readonly Unseen[]>>;
} {
  const from = observations[0]?.from ?? 0;
  const counters = {
    bypass: new HoleCounter("bypass", from),
    outage: new HoleCounter("outage", from),
  };
  for (const seen of observations) {
    const { bypass, outage } = readSights(seen, { ours, bad: seen.pair });
    if (bypass !== undefined) counters.bypass.take(seen, bypass);
    if (outage !== undefined) counters.outage.take(seen, outage);
  }
  const to = observations.at(-1)?.to ?? 0;
  const [bypass, outage] = [counters.bypass.end(to), counters.outage.end(to)];
  return {
    holes: [...bypass.holes, ...outage.holes],
    unseen: { bypass: bypass.unseen, outage: outage.unseen },
  };
}

/** Adds up the holes. */
export function measureGap(holes: readonly Hole[]): Gap {
  const seconds = (kind: HoleKind): number => {
    const own = holes.filter(({ is }) => is === kind);
    return Math.round(own.reduce((sum, { ms }) => sum + ms, 0)) / 1000;
  };
  return { bypassSeconds: seconds("bypass"), outageSeconds: seconds("outage") };
}

/** Answers to one twin that say the same in a row, as one; sorted by when each began. */
export function answersInTurn(observations: readonly Observation[]): readonly {
  readonly twin: ProbeKind;
  readonly is: ProbeAnswer["is"];
  /** The entry that refused or failed. */
  readonly by?: string;
  readonly from: number;
  readonly to: number;
}[] {
  const turns = new Map<ProbeKind, { is: string; by: string | undefined; to: number }>();
  return observations
    .flatMap(({ twin, answer, from, to }) => {
      const { is } = answer;
      const by = "by" in answer && answer.by !== "" ? answer.by : undefined;
      const open = turns.get(twin);
      if (open !== undefined && open.is === is && open.by === by) {
        open.to = to;
        return [];
      }
      const turn = { twin, is, by, from, to };
      turns.set(twin, turn);
      return [turn];
    })
    .map(({ by, ...turn }) => (by === undefined ? turn : { ...turn, by }));
}

/**
 * The same stretches in fewer observations: of answers to one twin that say the same in a row, the first, the last and
 * as many in between as show that somebody looked. Gaps stay as they are; a tally counts what is left.
 */
export function thinObservations(observations: readonly Observation[]): readonly Observation[] {
  const last = new Map<ProbeKind, { readonly kept: Observation; readonly latest: Observation }>();
  const repeated = new Set<Observation>();
  for (const observation of observations) {
    const run = last.get(observation.twin);
    const goesOn = run !== undefined && saysTheSame(run.latest, observation);
    const isBetween = goesOn && run.latest !== run.kept;
    const isNear = isBetween && observation.from - run.kept.to < longestPauseMs;
    if (isNear) repeated.add(run.latest);
    const kept = !goesOn ? observation : isBetween && !isNear ? run.latest : run.kept;
    last.set(observation.twin, { kept, latest: observation });
  }
  return observations.filter((observation) => !repeated.has(observation));
}

function saysTheSame(one: Observation, other: Observation): boolean {
  return one.pair === other.pair && one.answer.is === other.answer.is;
}

/** Counts of one phase, as the report shows them. */
interface Tally {
  readonly accept: { readonly ok: number; readonly of: number };
  readonly deny: { readonly ok: number; readonly of: number; readonly by: string };
}

/** Counts right answers per twin, and names who refused; of `ours` alone where they are given. */
export function tally(observations: readonly Observation[], ours?: readonly string[]): Tally {
  const of = (twin: ProbeKind): readonly Observation[] =>
    observations.filter((observation) => observation.twin === twin);
  const elsewhere = (one: Observation) => ours && findRefuser(one.answer, ours);
  const right = (twin: ProbeKind): number =>
    of(twin).filter((one) => isRight(one) && elsewhere(one) === undefined).length;
  const by = of("deny").flatMap((one) => {
    const refuser = elsewhere(one);
    if (refuser !== undefined && !refuser.fails) return [nameOfRefuser(refuser)];
    return one.answer.is === "refused" ? [one.answer.by] : [];
  });
  return {
    accept: { ok: right("accept"), of: of("accept").length },
    deny: { ok: right("deny"), of: of("deny").length, by: [...new Set(by)].sort().join(", ") },
  };
}
