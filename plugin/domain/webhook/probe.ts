/**
 * The proof that a webhook is in force, judged from observations: server-side dry-run twins, one
 * that must pass and one that must be refused by the entry (domain facts 4.3; cli contract, Probe).
 */

/** How the API server answered one dry-run edit. */
export type Answer =
  | { readonly is: "accepted" }
  /** A denial by a validating webhook, named by its entry. */
  | { readonly is: "refused"; readonly by: string; readonly detail: string }
  /** The webhook of the entry could not be called or did not answer properly. */
  | { readonly is: "failed"; readonly by: string; readonly detail: string }
  /** Refused by somebody else: schema, policy, quota, access, a dry-run-hostile webhook. */
  | { readonly is: "other"; readonly detail: string };

/** Which of the two twins was sent. */
export type Twin = "accept" | "deny";

/** One answer and when it was under way, in milliseconds. */
export interface Observation {
  readonly pair: string;
  readonly twin: Twin;
  readonly from: number;
  readonly to: number;
  readonly answer: Answer;
}

/**
 * Reads an answer from the Status of a refusal. The API server's own texts are the only place
 * that names the webhook (admission facts 4); they begin with it, so that a policy or another
 * webhook whose own words quote such a text is not taken for it.
 */
export function answerOf(refusal: { readonly status: number; readonly message: string }): Answer {
  const { message } = refusal;
  const denying = /^admission webhook "([^"]+)" denied the request/.exec(message)?.[1];
  if (denying !== undefined) return { is: "refused", by: denying, detail: message };
  const failing = /^(?:Internal error occurred: )?failed calling webhook "([^"]+)"/.exec(
    message,
  )?.[1];
  if (failing !== undefined) return { is: "failed", by: failing, detail: message };
  return { is: "other", detail: message };
}

/** True when the twin got what a working webhook gives it, whichever entry gave it. */
export function isRight({ twin, answer }: Observation): boolean {
  return twin === "accept" ? answer.is === "accepted" : answer.is === "refused";
}

/** Counts of one phase, as the report shows them. */
export interface Tally {
  readonly accept: { readonly ok: number; readonly of: number };
  readonly deny: { readonly ok: number; readonly of: number; readonly by: string };
}

/** Counts right answers per twin, and names who refused. */
export function tally(observations: readonly Observation[]): Tally {
  const of = (twin: Twin): readonly Observation[] =>
    observations.filter((observation) => observation.twin === twin);
  const right = (twin: Twin): number => of(twin).filter(isRight).length;
  const by = of("deny").flatMap(({ answer }) => (answer.is === "refused" ? [answer.by] : []));
  return {
    accept: { ok: right("accept"), of: of("accept").length },
    deny: { ok: right("deny"), of: of("deny").length, by: [...new Set(by)].sort().join(", ") },
  };
}

/** Whether the proof stands, and since when nothing was wrong. */
export type Proof =
  { readonly is: "proven" } | { readonly is: "waiting"; readonly because: string };

/**
 * Judges the observations of one pair: no wrong answer in the last `quietMs`, at least `pairs`
 * answers of each twin in that time, and the wanted entry seen refusing at least once.
 */
export function judgeProof(
  observations: readonly Observation[],
  wanted: { readonly entry: string; readonly quietMs: number; readonly pairs: number },
): Proof {
  const lastWrong = observations.findLastIndex((observation) => !isRight(observation));
  const wrong = observations[lastWrong];
  const quiet = observations.slice(lastWrong + 1);
  const denials = quiet.filter(({ twin }) => twin === "deny");
  const accepts = quiet.length - denials.length;
  const first = quiet[0];
  const last = quiet.at(-1);
  const stillWrong = wrong !== undefined && Math.min(accepts, denials.length) === 0;
  if (first === undefined || last === undefined || stillWrong) {
    return {
      is: "waiting",
      because: whyWrong(wrong, refusedElsewhere(observations, wanted.entry)),
    };
  }
  if (!denials.some(({ answer }) => answer.is === "refused" && answer.by === wanted.entry)) {
    return {
      is: "waiting",
      because: `no refusal by ${wanted.entry} was seen${others(denials)}`,
    };
  }
  const long = last.to - first.from >= wanted.quietMs;
  const many = Math.min(accepts, denials.length) >= wanted.pairs;
  if (long && many) return { is: "proven" };
  // right by turns is not right: who refuses everything refuses the bad twin too
  const because =
    wrong === undefined
      ? "answers are right, settling"
      : `not settled: ${whyWrong(wrong, refusedElsewhere(observations, wanted.entry))}`;
  return { is: "waiting", because };
}

function others(denials: readonly Observation[]): string {
  const { by } = tally(denials).deny;
  return by === "" ? "" : `, only by ${by}`;
}

/** Who refused a bad twin in the entry's place, in that refuser's words. */
function refusedElsewhere(observations: readonly Observation[], entry: string): string | undefined {
  const seen = observations.findLast(
    ({ twin, answer }) =>
      twin === "deny" &&
      (answer.is === "other" || (answer.is === "refused" && answer.by !== entry)),
  );
  return seen === undefined || seen.answer.is === "accepted" ? undefined : seen.answer.detail;
}

function whyWrong(observation: Observation | undefined, elsewhere: string | undefined): string {
  if (observation === undefined) return "no answer was seen yet";
  const { twin, answer } = observation;
  switch (answer.is) {
    case "accepted":
      return elsewhere === undefined
        ? "an edit that must be refused passes: no webhook in force refuses it"
        : `an edit that must be refused passes, and another one is refused by something else: ${elsewhere}`;
    case "refused":
      return `an edit that must pass is refused by ${answer.by}: ${answer.detail}`;
    case "failed":
      return `the webhook ${answer.by} does not answer: ${answer.detail}`;
    case "other":
      return `the edit that must be ${twin === "accept" ? "accepted" : "refused by the webhook"} is refused by something else: ${answer.detail}`;
  }
}

/** Seconds in which a twin got a wrong answer: bad edits through, good edits refused. */
export interface Gap {
  readonly bypassSeconds: number;
  readonly outageSeconds: number;
}

/**
 * Adds up the stretches of wrong answers of one pair, each from its first wrong answer to the
 * next right one. A bad edit that passes is bypass, a good edit that a webhook stops is outage;
 * what a schema or somebody else refuses is neither.
 */
export function gapOf(observations: readonly Observation[]): Gap {
  const wrongMs = (twin: Twin, counts: (answer: Answer) => boolean): number => {
    let since: number | undefined;
    let sum = 0;
    let end = 0;
    for (const observation of observations.filter((item) => item.twin === twin)) {
      end = observation.to;
      if (counts(observation.answer)) since ??= observation.from;
      else if (since !== undefined) {
        sum += observation.from - since;
        since = undefined;
      }
    }
    return since === undefined ? sum : sum + end - since;
  };
  const seconds = (ms: number): number => Math.round(ms) / 1000;
  return {
    bypassSeconds: seconds(wrongMs("deny", (answer) => answer.is === "accepted")),
    outageSeconds: seconds(
      wrongMs("accept", (answer) => answer.is === "refused" || answer.is === "failed"),
    ),
  };
}

/**
 * The same stretches in fewer observations: of answers to one twin that say the same in a row, the
 * first and the last. Gaps stay as they are; a tally counts what is left.
 */
export function thinned(observations: readonly Observation[]): readonly Observation[] {
  const last = new Map<Twin, { readonly first: Observation; readonly latest: Observation }>();
  const repeated = new Set<Observation>();
  for (const observation of observations) {
    const run = last.get(observation.twin);
    const goesOn = run !== undefined && saysTheSame(run.latest, observation);
    if (goesOn && run.latest !== run.first) repeated.add(run.latest);
    last.set(observation.twin, { first: goesOn ? run.first : observation, latest: observation });
  }
  return observations.filter((observation) => !repeated.has(observation));
}

function saysTheSame(one: Observation, other: Observation): boolean {
  return one.pair === other.pair && one.answer.is === other.answer.is;
}

/** True when calls of the entry were seen to fail. */
export function seenBroken(
  observations: readonly Observation[],
  entries: readonly string[],
): boolean {
  return observations.some(({ answer }) => answer.is === "failed" && entries.includes(answer.by));
}

/** For how long every answer up to the last one was a failed call, in milliseconds. */
export function failingMs(observations: readonly Observation[]): number {
  const before = observations.findLastIndex(({ answer }) => answer.is !== "failed");
  const first = observations[before + 1];
  const last = observations.at(-1);
  return first === undefined || last === undefined ? 0 : last.to - first.from;
}
