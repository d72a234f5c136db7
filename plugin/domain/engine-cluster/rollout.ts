/** How far an EC's upgrade is: state, revision and pods together, never the state alone (S68-S72). */
import { explain } from "../names/codes";
import type { Names } from "../names/names";
import { parseImage } from "../release/images";
import { causesOf, recoverLine } from "./causes";
import { clusterFindings } from "./findings";
import { scaledCauses } from "./scale";
import { expansionOf } from "./volumes";
import { isDeleting, renderDeletion } from "../kube/deletion";
import { type Facts, factNamed } from "../facts/facts";
import { type KubeObject, objectLabel } from "../kube/objects";
import { getPath, getOwn, asString } from "../base/values";
import type { Finding } from "../base/findings";
import { compareTags, isOlder } from "../base/versions";
import {
  containerOf,
  defaultStallAfterMs,
  dueOnes,
  type StallDeadline,
  podsOf,
  type Roll,
  rollOf,
  renderRoll,
  troublesOf,
} from "../rollout/stateful-set";
import { judgeDeployment } from "../rollout/deployment";
import { type Problem, type Progress, stalledBy } from "../rollout/progress";
import { rollFindings } from "../rollout/findings";
import { lastMovement, latest, type Movement, writeTimes } from "../rollout/times";
import { renderAge } from "../base/duration";
import { mistakenTag } from "./mistaken-tag";
import { quorumLost } from "./quorum";
import { operatorRelease } from "./operator";

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
}

/** How far the EC of this name is in the operator's namespace. */
export function judgeCluster(facts: Facts, name: string, wanted: WantedCluster = {}): Progress {
  const { names, namespace } = facts;
  const ec = factNamed(facts, "ecs", { name, namespace });
  if (ec === undefined) {
    const { code, fix } = explain(clusterFindings.absent, names);
    const object = [names.ec.kind, namespace, name].join("/");
    return stalledBy({ code, object, because: "it does not exist", fix });
  }
  const seen = look(facts, ec, wanted);
  if (isDone(seen) && scaledCauses(facts, ec).length === 0)
    return { is: "done", says: `${seen.shown} runs on all pods, state Running` };
  const patience = wanted.patience ?? { stallAfterMs: defaultStallAfterMs };
  const moved = movementOf(seen);
  const deadline = { patience, moved: moved?.at, now: facts.now };
  const problems = problemsOf(facts, seen, wanted);
  const [due, ...beside] = dueOnes(problems, deadline).map((one) => withAge(one, deadline));
  if (due !== undefined) return { ...stalledBy(due), ...(beside.length > 0 && { beside }) };
  return movingOn(facts, seen, { problems, moved });
}

/** What it waits for, and what shows already. */
function movingOn(
  facts: Facts,
  seen: ClusterState,
  {
    problems,
    moved,
  }: { readonly problems: readonly Problem[]; readonly moved?: Movement | undefined },
): Progress {
  const told = problems
    .filter(({ evident }) => evident === true)
    .slice(0, 1)
    .map(({ object, because }) => `${object}: ${because}`);
  const but = aheadOf(facts, seen);
  return {
    is: "moving",
    on: [waitsFor(seen), ...expanding(facts, seen.ec), ...told].join("; "),
    step: [seen.state, seen.specStatus, seen.taken, seen.roll?.step].join(" "),
    last: moved && `${moved.what} moved last, at ${moved.at}`,
    ...(but.length > 0 && { but }),
  };
}

/** What moved last, of the EC, its StatefulSet and its pods. */
function movementOf({ ec, set, roll }: ClusterState): Movement | undefined {
  const pods = (roll?.pods ?? []).map(({ pod }) => pod);
  return lastMovement({ set, pods, owner: ec });
}

interface Deadline {
  readonly patience: StallDeadline;
  readonly moved: string | undefined;
  readonly now: number;
}

/** Every verdict says for how long, where an object reports it. */
function withAge(problem: Problem, { patience, moved, now }: Deadline): Problem {
  const { definite, evident, since, because } = problem;
  const watched = definite === true || evident === true || patience.idleMs !== undefined;
  const began = watched ? since : latest([since, moved]);
  const from = Date.parse(began ?? "");
  if (Number.isNaN(from)) return problem;
  return {
    ...problem,
    because: `${because} (for ${renderAge(now - from)}, since ${String(began)})`,
  };
}

/** What will stand against an upgrade that still moves: prerequisites are judged all the way (S113, S114). */
function aheadOf(facts: Facts, { ec, state, taken }: ClusterState): readonly Problem[] {
  if (state !== "Upgrade") return [];
  const found = [
    ...causesOf("license", facts, { ec }),
    ...(taken ? causesOf("frozen", facts, { ec }) : []),
  ];
  return found.map(({ code, object, cause: because, fix }) => ({
    ...{ code, object: String(object), because, fix },
  }));
}

/** The operator makes the StatefulSet anew while volumes are expanded, and the pods have no owner meanwhile. */
function expanding(facts: Facts, ec: KubeObject): readonly string[] {
  const found = expansionOf(facts, ec);
  return found === undefined ? [] : [found.finding.cause];
}

/** The tags that the pods of an EC run, oldest first: more than one while it rolls (domain facts 7). */
export function runningVersion(facts: Facts, ec: KubeObject): readonly string[] {
  const set = setOf(facts, ec);
  if (set === undefined) return [];
  const { container } = facts.names.pods;
  const tags = podsOf(facts, set).map(
    (pod) => parseImage(getOwn(containerOf(getOwn(pod, "spec"), container), "image"))?.tag,
  );
  const distinct = new Set(tags.filter((tag) => tag !== undefined));
  return [...distinct].sort((one, other) => compareTags(one, other) || 0);
}

/** The StatefulSet of an EC has its name (S72). */
function setOf({ objects }: Facts, { metadata }: KubeObject): KubeObject | undefined {
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

/** True when the StatefulSet asks for what is wanted: from then on pods roll. */
export function isTakenUp(facts: Facts, name: string, wanted: WantedCluster): boolean {
  const ec = factNamed(facts, "ecs", { name, namespace: facts.namespace });
  return ec !== undefined && look(facts, ec, wanted).taken;
}

/** Everything of an EC that the verdict rests on. */
interface ClusterState {
  readonly ec: KubeObject;
  readonly set: KubeObject | undefined;
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
  const set = setOf(facts, ec);
  const tag = wanted.tag ?? asString(getPath(ec, ecFields.versionTag));
  const fits = (podSpec: unknown): boolean => runs(facts, podSpec, { ...wanted, tag });
  return {
    ec,
    set,
    roll: set === undefined ? undefined : rollOf(facts, set),
    state: asString(getPath(ec, ecFields.state)) ?? "",
    // a release that does not report it is not held to it
    specStatus: asString(getPath(ec, ecFields.specStatus)) ?? "Valid",
    taken: fits(getPath(set, ["spec", "template", "spec"])),
    running: set !== undefined && podsOf(facts, set).every((pod) => fits(getOwn(pod, "spec"))),
    shown: tag ?? "the operator's own image",
  };
}

/** A pod or a template has the wanted image; a digest alone tells no tag and is not held against it. */
function runs(facts: Facts, podSpec: unknown, wanted: WantedCluster): boolean {
  const container = containerOf(podSpec, facts.names.pods.container);
  const image = parseImage(getOwn(container, "image"));
  if (image === undefined) return false;
  const { tag, repository, imagePullPolicy } = wanted;
  return (
    hasTag(image.tag, tag, wanted) &&
    (repository === undefined || image.repository === repository) &&
    (imagePullPolicy === undefined || getOwn(container, "imagePullPolicy") === imagePullPolicy)
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

type Trouble = Omit<Problem, "object">;

/** What stands against it; what has to be handled first comes first. */
function problemsOf(facts: Facts, seen: ClusterState, wanted: WantedCluster): readonly Problem[] {
  const { ec, set, roll, state } = seen;
  const object = objectLabel(ec);
  const located = (trouble: Trouble | undefined): readonly Problem[] =>
    trouble === undefined ? [] : [{ object, ...trouble }];
  const isRolling = set !== undefined && roll !== undefined && !roll.complete;
  return [
    ...located(deleting(ec, facts.names)),
    ...problemsIn(scaledCauses(facts, ec)),
    ...problemsIn(mistakenTag(facts, ec)),
    ...located(quorumLost(facts, seen)),
    ...[refused(facts, seen, wanted), frozen(facts, seen)].flatMap(located),
    ...(isRolling ? troublesOf(facts, set, roll) : []).filter(
      ({ code }) => code !== rollFindings.idle.code || !ends.has(state),
    ),
    ...[failed(facts, seen, wanted), licensed(facts, seen)].flatMap(located),
    ...located(resizing(facts, ec, wanted) ?? notTaken(facts, seen)),
  ];
}

/** Findings that stand against it at once. */
function problemsIn(findings: readonly Finding[]): readonly Problem[] {
  return findings.map(({ code, object, cause: because, fix }) => ({
    ...{ code, object: String(object), because, fix },
    definite: true,
  }));
}

/** What keeps a claim from being expanded is told at once; an expansion that goes on takes its time. */
function resizing(facts: Facts, ec: KubeObject, { patience }: WantedCluster): Trouble | undefined {
  const found = expansionOf(facts, ec);
  if (found === undefined) return undefined;
  const { code, cause: because, fix } = found.finding;
  const isWatched = patience?.idleMs !== undefined;
  return { code, because, fix, ...(found.failed ? { definite: true } : { patient: !isWatched }) };
}

function deleting(ec: KubeObject, names: Names): Trouble | undefined {
  if (!isDeleting(ec)) return undefined;
  const { code, fix } = explain(clusterFindings.deleting, names);
  return { code, because: renderDeletion(ec), fix, definite: true };
}

/** The operator says no: InvalidUpgrade (S70), or a spec that it does not accept. */
function refused(
  facts: Facts,
  seen: ClusterState,
  { stateBefore }: WantedCluster,
): Trouble | undefined {
  const { ec, state, specStatus, taken } = seen;
  const invalid = state === "InvalidUpgrade";
  if (!invalid && specStatus === "Valid") return undefined;
  const causes = causesOf("refused", facts, { ec });
  const said = invalid ? "its state is InvalidUpgrade" : `its spec status is ${specStatus}`;
  const log = `see kubectl logs deployment/${facts.names.operator.deployment}`;
  const [first] = causes;
  return {
    code: invalid ? "CLUSTER-INVALID-UPGRADE" : "CLUSTER-SPEC-INVALID",
    because:
      first === undefined
        ? `${said}, and license, digests, databases and modules show no cause`
        : `${said}: ${causes.map(({ cause }) => cause).join("; ")}`,
    fix: `${first === undefined ? log : causes.map(({ fix }) => fix).join("; ")}; ${recoverLine(ec)} shows the fix`,
    // what was so before the change is no answer to it
    definite: stateBefore !== "InvalidUpgrade" || taken || first !== undefined,
  };
}

/** An upgrade that began without its prerequisites is stalled until they are met (S113). */
function frozen(facts: Facts, { ec, state, taken }: ClusterState): Trouble | undefined {
  if (state !== "Upgrade" || taken) return undefined;
  const causes = causesOf("frozen", facts, { ec });
  if (causes.length === 0) return undefined;
  return {
    code: "CLUSTER-FROZEN",
    because: `the upgrade has started and is stalled: ${causes.map(({ cause }) => cause).join("; ")}`,
    fix: [...causes.map(({ fix }) => fix), `${recoverLine(ec)} shows the fix`].join("; "),
    definite: true,
  };
}

const ends = new Set(["Error", "Invalid"]);

/** An end, or any other state that stays although every pod is renewed; its word is shown as it is. */
function failed(
  { names }: Facts,
  { state, roll, taken, running }: ClusterState,
  { patience }: WantedCluster,
): Trouble | undefined {
  const renewed = taken && running && roll?.complete === true;
  if (!ends.has(state) && !(renewed && state !== "Running")) return undefined;
  const although = renewed ? ", although all its pods are renewed and ready" : "";
  return {
    code: "CLUSTER-STATE",
    because: `its state is ${renderState(state)}${although}`,
    fix: `read its log with kubectl logs deployment/${names.operator.deployment}`,
    // while it is watched, it may still be left again
    definite: ends.has(state) && patience?.idleMs === undefined,
  };
}

/** Without a valid license an upgrade fails (S114). */
function licensed(facts: Facts, { ec }: ClusterState): Trouble | undefined {
  const [cause] = causesOf("license", facts, { ec });
  if (cause === undefined) return undefined;
  const { code, cause: because, fix } = cause;
  return { code, because, fix };
}

/** The operator has not acted on the spec: whether it runs at all is told first. */
function notTaken(
  facts: Facts,
  { ec, taken, state, shown, set }: ClusterState,
): Trouble | undefined {
  if (taken) return undefined;
  const { deployment } = facts.names.operator;
  const operator = judgeDeployment(facts, deployment);
  const isDown = operator.is === "stalled" && facts.objects.deployments.length > 0;
  const what =
    set === undefined ? "it has no StatefulSet" : `its StatefulSet does not ask for ${shown} yet`;
  return {
    code: "CLUSTER-NOT-TAKEN-UP",
    because: [
      `${what}, and its state is ${renderState(state)}`,
      ...(isDown ? [`the operator itself does not run: ${operator.because}`] : []),
      ...(set !== undefined && keepsFirstTag(facts, state)
        ? [
            `an operator before ${firstCorrectable} does not take another tag while its upgrade is under way`,
          ]
        : []),
    ].join("; "),
    fix: isDown
      ? operator.fix
      : `check whether the operator runs and what it says: kubectl logs deployment/${deployment}`,
    since: latest(writeTimes(ec, { status: false })),
  };
}

const firstCorrectable = "8.0.6-8";

function keepsFirstTag(facts: Facts, state: string): boolean {
  return state === "Upgrade" && isOlder(operatorRelease(facts).version, firstCorrectable);
}

function waitsFor({ state, taken, running, set, roll, shown }: ClusterState): string {
  const now = renderState(state);
  if (set === undefined || roll === undefined) return `its StatefulSet (state ${now})`;
  if (!taken) return `the operator to take up ${shown} (state ${now})`;
  if (!roll.complete) return `${renderRoll(roll)}, state ${now}`;
  if (!running && state === "Running") return "pods with another image";
  return `state Running (now ${now})`;
}

function renderState(state: string): string {
  return state === "" ? "not told" : state;
}
