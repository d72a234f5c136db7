/** How far an EC's upgrade is: state, revision and pods together, never the state alone (S68-S72). */
import type { Names } from "../names/names";
import { parseImage } from "../release/images";
import { findCauses, renderNoCause, thenRecover } from "./causes";
import { clusterFinding, clusterFindings } from "./findings";
import { findScaledCauses, readNodes } from "./scale";
import { readExpansion } from "./volumes";
import type { ApiLicense } from "../rest-api/records";
import type { StatefulSet, PodSpec } from "../kube/models";
import { isDeleting, renderDeletion } from "../kube/deletion";
import { type Facts, factNamed } from "../facts/facts";
import { type KubeObject, objectLabel } from "../kube/objects";
import { getPath, asString } from "../base/values";
import { compareTags } from "../base/versions";
import {
  findContainer,
  defaultStallAfterMs,
  dueOnes,
  type StallDeadline,
  listPods,
  type Roll,
  readRoll,
  renderRoll,
  listTroubles,
} from "../rollout/stateful-set";
import type { Finding } from "../base/findings";
import { kubectl, type Remedy, renderFix } from "../base/remedy";
import { type Timed, locate, tellAtOnce, type Progress, makeStalled } from "../rollout/progress";
import { rollFindings } from "../rollout/findings";
import { estimateRest } from "../rollout/estimate";
import { dropFuture, lastMovement, type Movement, renderSkew } from "../rollout/times";
import { renderAge } from "../base/duration";
import { listExplained, mistakenTag } from "./mistaken-tag";
import { findLicense, licenseCodes } from "./license";
import { notTaken, renderState } from "./not-taken";
import { explainOperator, operatorRemedies, readOperatorWords } from "./operator-words";
import { quorumLost } from "./quorum";
import { operatorLogWords } from "../operator/lease";

/** What the upgrade is to lead to; what is absent is as the EC's spec has it. */
export interface WantedCluster {
  readonly tag?: string | undefined;
  readonly repository?: string;
  readonly imagePullPolicy?: string;
  /** The small image of the tag counts as the usual one: the operator chooses. */
  readonly sameRelease?: true;
  /** State before the spec was changed: seen again, it says nothing of the change. */
  readonly stateBefore?: string;
  readonly patience?: StallDeadline;
  /** As the REST API told it, where that was asked. */
  readonly license?: ApiLicense | undefined;
}

/** How far the EC of this name is in the operator's namespace. */
export function judgeCluster(facts: Facts, name: string, wanted: WantedCluster = {}): Progress {
  const { names, namespace } = facts;
  const ec = factNamed(facts, "ecs", { name, namespace });
  if (ec === undefined) {
    const object = [names.ec.kind, namespace, name].join("/");
    const absent = clusterFinding("absent", { object, cause: "it does not exist" }, names);
    return makeStalled({ ...absent, object });
  }
  const seen = look(facts, ec, wanted);
  if (isDone(seen) && findScaledCauses(facts, ec).length === 0)
    return { is: "done", says: `${seen.shown} runs on all pods, state Running` };
  const patience = wanted.patience ?? { stallAfterMs: defaultStallAfterMs };
  const moved = findMovement(seen);
  const deadline = { patience, moved: moved?.at, now: facts.now };
  const problems = findProblems(facts, seen, wanted);
  const [due, ...beside] = findDue(problems, deadline).map((one) => withAge(one, deadline));
  if (due !== undefined) return { ...makeStalled(due), ...(beside.length > 0 && { beside }) };
  return describeMovement(facts, seen, { problems, moved });
}

/** A license that is not valid explains what comes after it: it is told with the first of all others (S114). */
function findDue(problems: readonly Timed[], deadline: Deadline): readonly Timed[] {
  const due = dueOnes(problems, deadline);
  if (due.length === 0) return [];
  return problems.filter((one) => due.includes(one) || licenseCodes.includes(one.code));
}

/** What it waits for, and what shows already. */
function describeMovement(
  facts: Facts,
  seen: ClusterState,
  {
    problems,
    moved,
  }: { readonly problems: readonly Timed[]; readonly moved?: Movement | undefined },
): Progress {
  const told = problems
    .filter(({ evident }) => evident === true)
    .slice(0, 1)
    .map(({ object, cause }) => `${object}: ${cause}`);
  const but = findAhead(facts, seen);
  return {
    is: "moving",
    on: [waitsFor(seen), ...listExpanding(facts, seen.ec), ...told].join("; "),
    step: [seen.state, seen.specStatus, seen.taken, seen.roll?.step].join(" "),
    last: moved && [describeLast(moved, facts.now), ...estimateRest(seen.roll)].join("; "),
    ...(but.length > 0 && { but }),
  };
}

const describeLast = ({ what, at }: Movement, now: number): string =>
  `${what} moved last, at ${at}${renderSkew(at, now)}`;

/** What moved last, of the EC, its StatefulSet and its pods. */
function findMovement({ ec, set, roll }: ClusterState): Movement | undefined {
  const pods = (roll?.pods ?? []).map(({ pod }) => pod);
  return lastMovement({ set, pods, owner: ec });
}

interface Deadline {
  readonly patience: StallDeadline;
  readonly moved: string | undefined;
  readonly now: number;
}

/** Every verdict says for how long, where an object reports it. */
function withAge(problem: Timed, { patience, moved, now }: Deadline): Timed {
  const { definite, evident, cause } = problem;
  const since = dropFuture(problem.since, now);
  const isWatched = definite === true || evident === true || patience.idleMs !== undefined;
  const began = isWatched ? since : (since ?? moved);
  const from = Date.parse(began ?? "");
  if (Number.isNaN(from)) return problem;
  // of what tells no time of its own only the last movement is known
  const what = since === undefined ? "nothing has moved for" : "for";
  return {
    ...problem,
    cause: `${cause} (${what} ${renderAge(now - from)}, since ${String(began)})`,
  };
}

/** What will stand against an upgrade that still moves: prerequisites are judged all the way (S113, S114). */
function findAhead(facts: Facts, { ec, state, taken }: ClusterState): readonly Finding[] {
  if (state !== "Upgrade") return [];
  return [...findLicense(facts, ec), ...(taken ? findCauses("frozen", facts, { ec }) : [])];
}

/** The operator makes the StatefulSet anew while volumes are expanded, and the pods have no owner meanwhile. */
function listExpanding(facts: Facts, ec: KubeObject): readonly string[] {
  const found = readExpansion(facts, ec);
  return found === undefined ? [] : [found.finding.cause];
}

/** Of a digest, with the name of its algorithm. */
const shownDigits = "sha256:".length + 12;

/** The tags that the pods of an EC run, oldest first: more than one while it rolls (domain facts 7). Of an image without one, its digest. */
export function readRunningVersion(facts: Facts, ec: KubeObject): readonly string[] {
  const set = findSet(facts, ec);
  if (set === undefined) return [];
  const { container } = facts.names.pods;
  const tags = listPods(facts, set).flatMap((pod) => {
    const image = parseImage(findContainer(pod.spec, container)?.image);
    return image?.tag ?? image?.digest?.slice(0, shownDigits) ?? [];
  });
  const distinct = new Set(tags);
  return [...distinct].sort((one, other) => compareTags(one, other) || 0);
}

/** The StatefulSet of an EC has its name (S72). */
export function findSet({ objects }: Facts, { metadata }: KubeObject): StatefulSet | undefined {
  return objects.statefulSets.find(
    (set) => set.metadata.name === metadata.name && set.metadata.namespace === metadata.namespace,
  );
}

/** The roll of an EC's StatefulSet, once that asks for what is wanted. */
export function rollIn(facts: Facts, name: string, wanted: WantedCluster): Roll | undefined {
  const ec = factNamed(facts, "ecs", { name, namespace: facts.namespace });
  const seen = ec && look(facts, ec, wanted);
  return seen?.taken === true ? seen.roll : undefined;
}

/** Everything of an EC that the verdict rests on. */
interface ClusterState {
  readonly ec: KubeObject;
  readonly set: StatefulSet | undefined;
  readonly roll: Roll | undefined;
  readonly state: string;
  readonly specStatus: string;
  /** The StatefulSet's template has what is wanted. */
  readonly taken: boolean;
  /** All pods run it. */
  readonly running: boolean;
  /** The wanted tag for people. */
  readonly shown: string;
}

function look(facts: Facts, ec: KubeObject, wanted: WantedCluster): ClusterState {
  const { ecFields } = facts.names;
  const set = findSet(facts, ec);
  const tag = wanted.tag ?? asString(getPath(ec, ecFields.versionTag));
  const fits = (podSpec: PodSpec | null | undefined): boolean =>
    runs(facts, podSpec, { ...wanted, tag });
  return {
    ec,
    set,
    roll: set === undefined ? undefined : readRoll(facts, set),
    state: asString(getPath(ec, ecFields.state)) ?? "",
    // a release that does not report it is not held to it
    specStatus: asString(getPath(ec, ecFields.specStatus)) ?? "Valid",
    taken: fits(set?.spec?.template?.spec),
    running: set !== undefined && listPods(facts, set).every((pod) => fits(pod.spec)),
    shown: tag ?? "the operator's own image",
  };
}

/** A pod or a template has the wanted image; a digest alone tells no tag and is not held against it. */
function runs(facts: Facts, podSpec: PodSpec | null | undefined, wanted: WantedCluster): boolean {
  const container = findContainer(podSpec, facts.names.pods.container);
  const image = parseImage(container?.image);
  if (image === undefined) return false;
  const { tag, repository, imagePullPolicy } = wanted;
  return (
    hasTag(image.tag, tag, wanted) &&
    (repository === undefined || image.repository === repository) &&
    (imagePullPolicy === undefined || container?.imagePullPolicy === imagePullPolicy)
  );
}

function hasTag(
  found: string | undefined,
  tag: string | undefined,
  { sameRelease }: WantedCluster,
): boolean {
  if (tag === undefined || found === undefined || found === tag) return true;
  return sameRelease === true && compareTags(found, tag) === 0;
}

function isDone({ ec, roll, state, specStatus, taken, running }: ClusterState): boolean {
  return (
    ec.metadata.deletionTimestamp === undefined &&
    state === "Running" &&
    specStatus === "Valid" &&
    taken &&
    running &&
    roll?.complete === true
  );
}

/** What stands against it; what has to be handled first comes first. */
function findProblems(facts: Facts, seen: ClusterState, wanted: WantedCluster): readonly Timed[] {
  const { ec, set, roll, state } = seen;
  const isRolling = set !== undefined && roll !== undefined && !roll.complete;
  const mistaken = wanted.tag === undefined ? mistakenTag(facts, ec) : [];
  const troubles = isRolling ? listTroubles(facts, set, roll) : [];
  const told = mistaken.length > 0 && seen.taken ? listExplained(troubles) : [];
  const resizing = findResizing(facts, ec, wanted);
  const found = [
    ...tellAtOnce([...findDeleting(ec, facts.names), ...mistaken]),
    ...findRefused(facts, seen, wanted),
    // without a valid license an upgrade fails (S114)
    ...locate(findLicense(facts, ec, wanted.license)),
    ...tellAtOnce(findScaledCauses(facts, ec)),
    ...quorumLost(facts, seen),
    ...tellAtOnce(frozen(facts, seen)),
    ...troubles.filter(
      (one) => !told.includes(one) && (one.code !== rollFindings.idle.code || !ends.has(state)),
    ),
    ...findFailed(facts, seen, wanted),
    ...(resizing.length > 0 || mistaken.length > 0 ? resizing : notTaken(facts, seen)),
  ];
  return withOperator(facts, found);
}

/** What is taken away by a change of the EC, which only the operator carries to the pods. */
const byOperator: readonly string[] = [
  ...[rollFindings.image, rollFindings.memory, rollFindings.evicted],
  ...[clusterFindings.quorumLost, clusterFindings.mistakenTag, clusterFindings.tagLowered],
].map(({ code }) => code);

/** A step that the operator has a part in does not help while it does not run. */
function withOperator(facts: Facts, problems: readonly Timed[]): readonly Timed[] {
  if (!problems.some(({ code }) => byOperator.includes(code))) return problems;
  const operator = explainOperator(facts);
  if (operator.remedies === undefined) return problems;
  const [words] = operator.words;
  const first = `${String(words)}, and only it takes a change of the spec to the pods: first ${renderFix(operator.remedies)}`;
  return problems.map((one) =>
    byOperator.includes(one.code) ? { ...one, fix: `${one.fix}; ${first}` } : one,
  );
}

/** What keeps a claim from being expanded is told at once; an expansion that goes on takes its time. */
function findResizing(facts: Facts, ec: KubeObject, { patience }: WantedCluster): readonly Timed[] {
  const found = readExpansion(facts, ec);
  if (found === undefined) return [];
  const isWatched = patience?.idleMs !== undefined;
  return locate([found.finding], found.failed ? { definite: true } : { patient: !isWatched });
}

function findDeleting(ec: KubeObject, names: Names): readonly Finding[] {
  if (!isDeleting(ec)) return [];
  return [
    clusterFinding("deleting", { object: objectLabel(ec), cause: renderDeletion(ec) }, names),
  ];
}

/** The operator says no: InvalidUpgrade (S70), or a spec that it does not accept. */
function findRefused(
  facts: Facts,
  seen: ClusterState,
  { stateBefore }: WantedCluster,
): readonly Timed[] {
  const { ec, state, specStatus, taken } = seen;
  const { names } = facts;
  const invalid = state === "InvalidUpgrade";
  if (!invalid && specStatus === "Valid") return [];
  const causes = findCauses("refused", facts, { ec });
  const { state: ofState, specStatus: ofSpec } = names.ecFields;
  const [key, path, said] = invalid
    ? (["invalidUpgrade", ofState, "its state is InvalidUpgrade"] as const)
    : (["specInvalid", ofSpec, `its spec status is ${specStatus}`] as const);
  const log = kubectl("see what the operator says", ...operatorLogWords(facts));
  const [first] = causes;
  const words = [
    ...(first === undefined ? [renderNoCause(facts)] : []),
    ...causes.map(({ cause }) => cause),
    ...explainOperator(facts).words,
    ...readOperatorWords(facts, ec),
  ];
  const about = {
    object: objectLabel(ec),
    field: path.join("."),
    cause: `${said}${first === undefined ? ", and " : ": "}${words.join("; ")}`,
    remedies: [thenRecover(first === undefined ? log : allOf(causes), ec)],
  };
  const found = clusterFinding(key, about, names);
  // what was so before the change is no answer to it
  const definite = stateBefore !== "InvalidUpgrade" || taken || first !== undefined;
  return locate([found], { definite });
}

/** An upgrade that began without its prerequisites is stalled until they are met (S113). */
function frozen(facts: Facts, { ec, state, taken }: ClusterState): readonly Finding[] {
  if (state !== "Upgrade" || taken) return [];
  const causes = findCauses("frozen", facts, { ec });
  if (causes.length === 0) return [];
  const about = {
    object: objectLabel(ec),
    cause: `the upgrade has started and is stalled: ${causes.map(({ cause }) => cause).join("; ")}`,
    remedies: [thenRecover(allOf(causes), ec)],
  };
  return [clusterFinding("frozen", about)];
}

/** Several causes are no ways to choose from: each has to go. */
function allOf(causes: readonly Finding[]): Remedy {
  return { says: causes.map(({ fix }) => fix).join("; ") };
}

const ends = new Set(["Error", "Invalid"]);
/** An end that is well, and one that is told as a refusal. */
const settled = new Set(["Running", "InvalidUpgrade"]);

/** An end, or any other state that stays although every pod is renewed; its word is shown as it is. */
function findFailed(
  facts: Facts,
  seen: ClusterState,
  { patience }: WantedCluster,
): readonly Timed[] {
  const { ec, state } = seen;
  const renewed = isRenewed(facts, seen);
  const isEnd = ends.has(state);
  if (!isEnd && (!renewed || settled.has(state))) return [];
  const although = renewed ? ", although all its pods are renewed and ready" : "";
  const operator = explainOperator(facts);
  const words = [...operator.words, ...readOperatorWords(facts, ec)];
  const about = {
    object: objectLabel(ec),
    field: facts.names.ecFields.state.join("."),
    cause: [`its state is ${renderState(state)}${although}`, ...words].join("; "),
    remedies: operatorRemedies(facts, "read the operator's log"),
  };
  // while it is watched, it may still be left again
  const definite = isEnd && patience?.idleMs === undefined;
  return locate([clusterFinding("state", about, facts.names)], { definite });
}

/** As many pods as the EC asks for run what is wanted; none is never all. */
function isRenewed(facts: Facts, { ec, roll, taken, running }: ClusterState): boolean {
  return taken && running && roll?.complete === true && roll.wanted >= readNodes(facts, ec);
}

function waitsFor({ state, taken, running, set, roll, shown }: ClusterState): string {
  const now = renderState(state);
  if (set === undefined || roll === undefined) return `its StatefulSet (state ${now})`;
  if (!taken) return `the operator to take up ${shown} (state ${now})`;
  if (!roll.complete) return `${renderRoll(roll)}, state ${now}`;
  if (!running && state === "Running") return "pods with another image";
  return `state Running (now ${now})`;
}
