/** `status`: one snapshot, judged; or one after the other as things change (S57-S60, S68-S74). */
import { clusterLookups } from "../../domain/engine-cluster/fields";
import { exitCodes, PermissionError, BlockedError } from "../../domain/base/errors";
import { factKeys, type Facts, isOpenShift, knownHere } from "../../domain/facts/facts";
import type { KubeObject } from "../../domain/kube/objects";
import { factNeeds, statusKeys } from "../../domain/checks/needs";
import type { RoleFiles } from "../../domain/rbac/lines";
import type { ReleaseContents } from "../../domain/release/contents";
import { clusterAbsent } from "../../domain/engine-cluster/operator";
import { worst } from "../../domain/rollout/health";
import { judgeStatus, type Status } from "./status";
import { requirePermissions } from "../../kernel/permissions";
import type { Recorder } from "../../kernel/recorder";
import { isAway } from "../../kernel/wait";
import { withMethods } from "../../ports/delegate";
import type { KubeClient } from "../../ports/kubernetes";
import { readSnapshot, type SnapshotDeps } from "../../readers/snapshot";
import type { ProbeOutcome } from "../../domain/admission/probe-outcome";
import { probeWebhook, type ProbeWish } from "../../readers/webhook-probe";

/** The world around a status. */
interface StatusDeps extends SnapshotDeps {
  readonly recorder: Recorder;
  /** Renders a list of objects as YAML, for Roles to ask for. */
  readonly yaml: (objects: readonly object[]) => string;
}

/** What it is judged against. */
export interface StatusOptions {
  readonly namespace: string;
  /** The roles and bindings of the release, else the shipped ones. */
  readonly rbac: (contents: ReleaseContents | undefined) => RoleFiles;
  /** How the release was given, and its files as one platform has them. */
  readonly release?: {
    readonly given: string;
    readonly contents: (openShift: boolean) => ReleaseContents;
  };
  /** The EC that is asked about; absent: all of the namespace. */
  readonly ec?: string;
  readonly probe: ProbeWish;
}

/** A watch reads far more often than it sends dry runs, which audit logs show as refusals. */
const probeEveryMs = 60_000;

/** Reads the cluster as often as it is asked. */
export class StatusReader {
  #probe: { readonly at: number; readonly outcome: ProbeOutcome } | undefined;

  constructor(
    private readonly deps: StatusDeps,
    private readonly options: StatusOptions,
  ) {}

  /** The state now. */
  async read(): Promise<Status> {
    const { deps, options } = this;
    const all = await readSnapshot(deps, options.namespace);
    await requireAny(all, deps);
    const { release, rbac, ec } = options;
    const facts = ec === undefined ? all : factsOfCluster(all, ec);
    const contents = release?.contents(isOpenShift(facts));
    const probe = await this.#probed(facts);
    return judgeStatus(facts, {
      rbac: rbac(contents),
      probe,
      now: deps.clock.now(),
      ...(release && contents && { release: { contents, given: release.given } }),
    });
  }

  async #probed(facts: Facts): Promise<ProbeOutcome> {
    const { deps, options } = this;
    const now = deps.clock.now();
    if (this.#probe === undefined || now - this.#probe.at >= probeEveryMs) {
      this.#probe = { at: now, outcome: await probeWebhook(deps, facts, options.probe) };
    }
    return this.#probe.outcome;
  }
}

/** The cluster for looks at several namespaces: what was listed once is not read again. */
export function listedOnce(cluster: KubeClient): KubeClient {
  const lists = new Map<string, ReturnType<KubeClient["list"]>>();
  const list: KubeClient["list"] = (resource, options = {}) => {
    const key = JSON.stringify([resource, { ...options, signal: undefined }]);
    const asked = lists.get(key) ?? cluster.list(resource, options);
    lists.set(key, asked);
    return asked;
  };
  return withMethods(cluster, { list });
}

/** The facts with one EC of the operator's namespace alone, and of the databases those that belong to it. */
function factsOfCluster(all: Facts, name: string): Facts {
  const isIt = (one: { readonly namespace?: string; readonly name?: string }): boolean =>
    one.namespace === all.namespace && one.name === name;
  const ecs = all.objects.ecs.filter(({ metadata }) => isIt(metadata));
  if (ecs.length === 0 && !knownHere(all).unread.has("ecs")) {
    throw new BlockedError(exitCodes.blocked, [clusterAbsent(all, name)]);
  }
  const lookUp = clusterLookups(all);
  const own = (kind: "edb" | "eaadb"): readonly KubeObject[] =>
    all.objects[`${kind}s`].filter((object) => {
      const found = lookUp(object, kind);
      return found.is === "found" && isIt(found.cluster);
    });
  return { ...all, objects: { ...all.objects, ecs, edbs: own("edb"), eaadbs: own("eaadb") } };
}

export const why = "the status is read from it";

/** Ends with the Role to ask for where not one list may be read; else what is missing shows as unknown. */
async function requireAny(facts: Facts, deps: StatusDeps): Promise<void> {
  const { unread, unserved } = knownHere(facts);
  if (factKeys.some((key) => !unread.has(key) && !unserved.has(key))) return;
  await requirePermissions(
    deps,
    factNeeds(facts, { keys: statusKeys.filter((key) => facts.unread.has(key)), why }),
  );
  throw new PermissionError("nothing of the cluster may be read", {
    hint: "ask for the permission to list, or use another user with --context or --as",
  });
}

/** What a watch tells, each time it has looked. */
export interface StatusView {
  readonly status: Status;
  /** Set while the API server does not answer: the status is the last one that was read. */
  readonly old?: { readonly since: string; readonly because: string };
}

/** True where all is healthy; `unprobed` where a webhook that was not probed counts as its configuration shows it. */
export function isHealthy(
  { verdict, ...parts }: Status,
  { unprobed }: { readonly unprobed: boolean },
): boolean {
  if (verdict === "fine") return true;
  const { webhook, operator, clusters, databases, activeActive, rbac } = parts;
  const others = [operator, clusters, databases, activeActive, rbac].map((part) => part.verdict);
  const { verdict: own } = webhook;
  const isUnwanted = own.is === "unknown" && own.unproven === "unwanted";
  return unprobed && isUnwanted && ["fine", "absent"].includes(worst(others));
}

/** How a watch continues, and when it is over. */
interface StatusWatchOptions {
  readonly intervalMs: number;
  /** Infinity: only a signal ends it. */
  readonly timeoutMs: number;
  readonly until: (status: Status) => boolean;
  readonly show: (look: StatusView) => void;
}

/** Looks again and again; the first look has to succeed. "over" is what was waited for. */
export async function watchStatus(
  reader: StatusReader,
  { clock, signal }: Pick<StatusDeps, "clock" | "signal">,
  options: StatusWatchOptions,
): Promise<"over" | "timeout"> {
  const from = clock.now();
  let last: StatusView = { status: await reader.read() };
  for (;;) {
    options.show(last);
    if (last.old === undefined && options.until(last.status)) return "over";
    const left = options.timeoutMs - (clock.now() - from);
    if (left <= 0) return "timeout";
    await clock.sleep(Math.min(options.intervalMs, left), signal);
    last = await lookAgain(reader, last, clock.now());
  }
}

async function lookAgain(reader: StatusReader, last: StatusView, now: number): Promise<StatusView> {
  try {
    return { status: await reader.read() };
  } catch (error) {
    if (!isAway(error)) throw error;
    const since = last.old?.since ?? new Date(now).toISOString();
    return { status: last.status, old: { since, because: error.message } };
  }
}
