/** Each place in its turn, and the leftovers after them: tried while it is planned, written when it is carried out. */
import { eachAtMost } from "../../domain/base/concurrency";
import { ApiError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import type { KubeObject } from "../../domain/kube/objects";
import { kindsIn } from "../../domain/kube/kinds";
import { readRoleRef } from "../../domain/kube/role-rules";
import type { Delete } from "../../domain/kube/change";
import { rbacFinding } from "../../domain/rbac/findings";
import type { Stale } from "../../domain/rbac/managed";
import type { Site } from "../../domain/rbac/site";
import { Fleet } from "../../kernel/fleet";
import { Session } from "../../kernel/session";
import type { ActingPorts, World } from "../../kernel/world";
import { Reviews } from "../../readers/reviews";
import { ChangedError } from "../../kernel/send";
import { listDeletions } from "./changes";
import { listPrunable } from "./plan";
import type { RbacPartWish } from "./input";
import { Places, type RbacDeps, type RbacOptions } from "./read";
import { Rights } from "./rights";
import { reportName, type SiteOutcome, Summary } from "./summary";
import { PlaceWorker, type Tools } from "./one-place";

/** The world of a plan or of its act, and what becomes of each place in it. */
export interface RbacWork extends Tools {
  readonly deps: RbacDeps;
  readonly options: RbacOptions;
  readonly summary: Summary;
  readonly tell: World["tell"];
}

/** The ports of what was begun: it is brought to its end, and interrupts are looked at in between. */
export function withoutInterrupt<P extends Pick<RbacDeps, "signal">>(ports: P): P {
  return { ...ports, signal: new AbortController().signal };
}

/** The work of a plan, or of its act. */
export function makeWork(
  ports: ActingPorts,
  wish: RbacPartWish,
  dryRun: World["dryRun"],
): RbacWork {
  const { command, runId, mode, prove } = wish;
  const { names, tell } = ports;
  const deps: RbacDeps = { ...ports, command, reviews: new Reviews(ports.cluster) };
  const witness = prove ? `${names.fieldManager}:${runId}` : undefined;
  const context = { names, command, mode, witness };
  return {
    ...{ deps, options: wish, tell, context, dryRun },
    summary: new Summary(),
    session: new Session(withoutInterrupt(deps), { ...wish, dryRun }),
    places: new Places(deps),
    rights: new Rights(deps, context),
  };
}

/**
 * Works on the cluster-wide places and the canary first, each alone; then on the others at once. Gives why no
 * further place was begun, undefined where all were.
 */
export async function workThrough(
  work: RbacWork,
  open: readonly Site[],
  worker: PlaceWorker = new PlaceWorker(withoutInterrupt(work.deps), work.options, work),
): Promise<string | undefined> {
  const { deps, options, summary } = work;
  const places = new Map(open.map((site) => [reportName(site), site]));
  const { canary } = options;
  const fleet = new Fleet<string>({
    ...{ concurrency: options.concurrency, maxFailures: options.maxFailures },
    alone: open.filter(({ namespace }) => namespace === undefined).map(reportName),
    canary: canary === undefined ? undefined : { item: canary, label: canary },
    noun: "namespaces",
    signal: deps.signal,
  });
  for (const { name } of summary.listFailed()) fleet.fail(name);
  const from = deps.clock.now();
  const tell = (outcome: SiteOutcome): void => {
    summary.add(outcome);
    if (outcome.result === "failed") fleet.fail(reportName(outcome.site));
    const progress = summary.nameProgress();
    const seconds = (deps.clock.now() - from) / 1000;
    if (progress !== undefined) deps.recorder.noteWaiting(progress, seconds);
  };
  await fleet.run([...places.keys()], async (name) => {
    const site = places.get(name);
    const prove = site && (await worker.workOn(site));
    return async () => {
      if (prove !== undefined) tell(await prove());
    };
  });
  await work.rights.tell();
  return fleet.stopped;
}

/** Deletes what is left where nothing is managed any more: `remove` sends a deletion, or plans it. */
export async function prune(
  work: RbacWork,
  all: readonly Stale[],
  remove: (deletion: Delete) => Promise<void>,
): Promise<void> {
  const { deps, options, summary, tell } = work;
  await eachAtMost(options.concurrency, listPrunable(all), async (stale) => {
    deps.signal.throwIfAborted();
    const findings = await pruneOne(work, stale, remove);
    tell(findings);
    summary.countPruned(findings.length === 0);
  });
}

/** A role that others use too is left to them. */
async function pruneOne(
  work: RbacWork,
  stale: Stale,
  remove: (deletion: Delete) => Promise<void>,
): Promise<readonly Finding[]> {
  try {
    for (const deletion of listDeletions(stale)) {
      if (deletion.object === stale.role && (await isShared(work, stale.role, stale))) continue;
      await remove(deletion);
    }
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) && !(error instanceof ChangedError)) throw error;
    const object = `Namespace/${stale.namespace ?? ""}`;
    return [rbacFinding("refused", { object, cause: error.message })];
  }
}

async function isShared(
  { deps }: RbacWork,
  role: KubeObject,
  { bindings }: Stale,
): Promise<boolean> {
  const { namespace } = role.metadata;
  const { binding: resource } = kindsIn(namespace);
  const within = namespace === undefined ? {} : { namespace };
  const all = (await deps.cluster.list(resource, within)) ?? [];
  const reference = `${role.kind}/${role.metadata.name ?? ""}`;
  const ours = bindings.map(({ metadata }) => metadata.name);
  return all.some((one) => readRoleRef(one) === reference && !ours.includes(one.metadata.name));
}
