/**
 * The proof that a webhook is in force, judged from observations: server-side dry-run twins, one
 * that must pass and one that must be refused by the entry (domain facts 4.3; cli contract, Probe).
 */
import type { KindNames, Names } from "../names/names";
import type { ValidatingWebhook } from "../kube/models";
import type { KubeObject, Resource } from "../kube/objects";
import { fieldName, findFields } from "../rules/fields";
import { isObject, getOwn } from "../base/values";
import { matchesResource } from "./configuration";
import type { ProbeAnswer } from "./answers";
import { isUnevaluated } from "./call-texts";

/** One pair: an object that must pass, and its twins that must be refused. */
export interface ProbePair {
  readonly kind: string;
  readonly resource: Resource;
  readonly accept: KubeObject;
  readonly denies: readonly { readonly what: string; readonly object: KubeObject }[];
}

/** Where a pair is sent, and under which name. */
export interface ProbeContext {
  readonly names: Names;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Of the kinds; absent: that of the names. */
  readonly version?: string;
}

/**
 * Pairs for the kinds that the entry matches on CREATE, databases first. ERC has no twin that
 * any rule of ours refuses, an operator's own server may refuse one.
 */
export function pairsFor(
  entry: ValidatingWebhook | undefined,
  scene: ProbeContext,
): readonly ProbePair[] {
  const { names } = scene;
  return [names.edb, names.eaadb, names.erc]
    .filter((kind) =>
      matchesResource(entry, { group: names.group, plural: kind.plural, operation: "CREATE" }),
    )
    .map((kind) => makePair(kind, scene));
}

/** The pair of one kind, whether an entry matches it or not. */
export function makePair(kind: KindNames, scene: ProbeContext): ProbePair {
  const { names, version = names.version } = scene;
  const base: KubeObject = {
    apiVersion: `${names.group}/${version}`,
    kind: kind.kind,
    metadata: {
      name: scene.name,
      namespace: scene.namespace,
      ...(Object.keys(scene.labels).length > 0 && { labels: scene.labels }),
    },
    spec: {},
  };
  const accept = withParts(base, goodParts(kind, scene));
  return {
    kind: kind.kind,
    resource: { group: names.group, version, plural: kind.plural, kind: kind.kind },
    accept,
    denies: badParts(kind, names).map(({ what, parts }) => ({
      what,
      object: withParts(accept, parts),
    })),
  };
}

/** A value and the field that it is put in. */
interface Part {
  readonly path: readonly string[];
  readonly value: unknown;
}

function goodParts(kind: KindNames, { names, namespace }: ProbeContext): readonly Part[] {
  if (kind === names.edb) return [];
  if (kind === names.eaadb) {
    return [
      { path: names.eaadbFields.participatingClusters, value: [] },
      { path: names.fields.globalConfigurations, value: {} },
    ];
  }
  return [
    { path: names.ercFields.ecName, value: "probe" },
    { path: names.ercFields.ecNamespace, value: namespace },
  ];
}

function badParts(
  kind: KindNames,
  names: Names,
): readonly { readonly what: string; readonly parts: readonly Part[] }[] {
  if (kind === names.erc) {
    const part = { path: names.ercFields.ecName, value: "" };
    return [{ what: "a remote cluster without a name", parts: [part] }];
  }
  const { engineVersion, evictionPolicy, moduleLists } = names.fields;
  const { moduleName, moduleVersion } = names.entryFields;
  const { moduleParent, engineVersions } = findFields(kind === names.edb ? "edb" : "eaadb", names);
  const module = { [moduleName]: "no-such-module", [moduleVersion]: "0.0.0" };
  return [
    {
      what: `unknown ${fieldName(engineVersion)}`,
      // the API server drops it where the definition has no such place, and keeps it in the other one
      parts: engineVersions.map((path) => ({ path, value: "0.0" })),
    },
    {
      what: `illegal ${fieldName(evictionPolicy)}`,
      parts: [{ path: [...moduleParent, ...evictionPolicy.slice(1)], value: "no-such-policy" }],
    },
    {
      what: "undefined module",
      parts: [{ path: [...moduleParent, ...moduleLists.slice(-1)], value: [module] }],
    },
  ];
}

function withParts(object: KubeObject, parts: readonly Part[]): KubeObject {
  return parts.reduce((whole, { path, value }) => put(whole, path, value) as KubeObject, object);
}

/** The object with a value at a path; what stands beside it stays. */
function put(before: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  return { ...(isObject(before) && before), [key]: put(getOwn(before, key), rest, value) };
}

/** Turns a stored database into a pair: unchanged it must pass, with a bad version it must not. */
export function pairFromStored(stored: KubeObject, resource: Resource, names: Names): ProbePair {
  const kind = [names.edb, names.eaadb].find((item) => item.plural === resource.plural);
  return {
    kind: resource.kind,
    resource,
    accept: stored,
    denies: (kind === undefined ? [] : badParts(kind, names)).map(({ what, parts }) => ({
      what,
      object: withParts(stored, parts),
    })),
  };
}

/** Which of the two twins was sent. */
export type ProbeKind = "accept" | "deny";

/** One answer and when it was under way, in milliseconds. */
export interface Observation {
  readonly pair: string;
  readonly twin: ProbeKind;
  readonly from: number;
  readonly to: number;
  readonly answer: ProbeAnswer;
}

/** True when the twin got what a working webhook gives it, whichever entry gave it. */
export function isRight({ twin, answer }: Observation): boolean {
  return twin === "accept" ? answer.is === "accepted" : answer.is === "refused";
}

/** The last answer that a working webhook would not have given. */
export function findLastWrong(observations: readonly Observation[]): ProbeAnswer | undefined {
  return observations.findLast((one) => !isRight(one))?.answer;
}

/** The entry that has to be seen refusing, or several of which any will do. */
export type WantedEntry = string | readonly string[] | undefined;

/** Whether the proof stands; where nothing was wrong so far, more answers alone are lacking. */
export type Proof =
  | { readonly is: "proven" }
  | { readonly is: "waiting"; readonly because: string; readonly isRight?: true };

/**
 * Judges the observations of one pair: no wrong answer in the last `quietMs`, at least `pairs`
 * answers of each twin in that time, and the wanted entry seen refusing at least once.
 */
export function judgeProof(
  observations: readonly Observation[],
  wanted: {
    /** One of several will do. Absent: answers are wanted, not a refusal; no rule may concern the kind. */
    readonly entry: WantedEntry;
    readonly quietMs: number;
    readonly pairs: number;
  },
): Proof {
  const lastWrong = observations.findLastIndex((one) => !isRightFor(wanted.entry, one));
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
      because: whyWrong(wrong, findRefusedElsewhere(observations, wanted.entry)),
    };
  }
  if (!isSeenRefusing(wanted.entry, denials)) {
    return {
      is: "waiting",
      because: `no refusal by ${listWanted(wanted.entry).join(" or ")} was seen${others(denials)}`,
    };
  }
  const long = last.to - first.from >= wanted.quietMs;
  const many = Math.min(accepts, denials.length) >= wanted.pairs;
  if (long && many) return { is: "proven" };
  if (wrong === undefined) {
    return { is: "waiting", because: "answers are right, settling", isRight: true };
  }
  // right by turns is not right: who refuses everything refuses the bad twin too
  const why = whyWrong(wrong, findRefusedElsewhere(observations, wanted.entry));
  return { is: "waiting", because: `not settled: ${why}` };
}

function listWanted(entry: WantedEntry): readonly string[] {
  return entry === undefined ? [] : [entry].flat();
}

function isRightFor(entry: WantedEntry, observation: Observation): boolean {
  if (entry !== undefined || observation.twin === "accept") return isRight(observation);
  return observation.answer.is !== "failed";
}

function isSeenRefusing(entry: WantedEntry, denials: readonly Observation[]): boolean {
  if (entry === undefined) return denials.length > 0;
  const wanted = listWanted(entry);
  return denials.some(({ answer }) => answer.is === "refused" && wanted.includes(answer.by));
}

/** The entries that refused, once each. */
function joinNames(observations: readonly Observation[]): string {
  const by = observations
    .map(({ answer }) => answer)
    .filter((answer) => answer.is === "refused")
    .map((refusal) => refusal.by);
  return [...new Set(by)].sort().join(", ");
}

function others(denials: readonly Observation[]): string {
  const by = joinNames(denials);
  return by === "" ? "" : `, only by ${by}`;
}

/** Who refused a bad twin in the entry's place, in that refuser's words. */
function findRefusedElsewhere(
  observations: readonly Observation[],
  entry: WantedEntry,
): string | undefined {
  const wanted = listWanted(entry);
  const seen = observations.findLast(
    ({ twin, answer }) =>
      twin === "deny" &&
      (answer.is === "other" || (answer.is === "refused" && !wanted.includes(answer.by))),
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
    case "other": {
      const must = twin === "accept" ? "accepted" : "refused by the webhook";
      const why = isUnevaluated(answer.detail)
        ? "refused before a call, as a condition of a webhook (matchConditions) cannot be evaluated for it"
        : "refused by something else";
      return `the edit that must be ${must} is ${why}: ${answer.detail}`;
    }
  }
}

/** True when calls of the entry were seen to fail. */
export function wasSeenBroken(
  observations: readonly Observation[],
  entries: readonly string[],
): boolean {
  return observations.some(({ answer }) => answer.is === "failed" && entries.includes(answer.by));
}

/** For how long every answer up to the last one was a failed call, in milliseconds. */
export function measureFailing(observations: readonly Observation[]): number {
  const before = observations.findLastIndex(({ answer }) => answer.is !== "failed");
  const first = observations[before + 1];
  const last = observations.at(-1);
  return first === undefined || last === undefined ? 0 : last.to - first.from;
}
