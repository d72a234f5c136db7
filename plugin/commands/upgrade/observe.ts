/** What an upgrade observes of the webhook from before its first part to its end. */
import { EngineError } from "../../domain/base/errors";
import { renderAge } from "../../domain/base/duration";
import { readyEndpoints } from "../../domain/admission/configuration";
import { listSlices } from "../../domain/admission/way";
import type { Facts } from "../../domain/facts/facts";
import { kinds } from "../../domain/kube/kinds";
import type { PartId } from "../../domain/base/part-ids";
import type { Journal } from "../../kernel/journal";
import type { AskingPorts } from "../../kernel/world";
import type { GapReport, ReplicaReport } from "../../kernel/report";
import { OutageWatch, reportWatched } from "../../readers/outage-watch";
import { readSnapshot } from "../../readers/snapshot";
import { openInForce, probedFacts } from "../../readers/webhook-probe";
import { askReplicas } from "../../cmdutil/ask-replicas";
import type { CommandContext } from "../../cmdutil/context";
import { probePair, readProbeFile } from "../../cmdutil/probe-file";
import { nameProbe } from "../../cmdutil/run-ports";
import type { UpgradeFlags } from "./flags";
import { listTyped } from "../../ports/typed";

/** Parts that replace pods. */
const rollouts: ReadonlySet<PartId> = new Set<PartId>(["operator", "cluster"]);

const notAsked = "none was asked by its own address";

const unseenReplica = "which one answered a probe cannot be seen through the API server";

/** Watches beside the parts. */
export class UpgradeObserver {
  readonly #watch: OutageWatch;

  private constructor(
    private readonly ports: AskingPorts,
    /** Of the probe's objects. */
    private readonly name: string,
    open: ConstructorParameters<typeof OutageWatch>[1],
  ) {
    this.#watch = new OutageWatch(ports, open);
  }

  /** Undefined where nothing is to be probed. */
  static async open(
    context: CommandContext,
    flags: Pick<UpgradeFlags, "probe" | "probeFile">,
    { ports, facts }: { readonly ports: AskingPorts; readonly facts: Facts },
  ): Promise<UpgradeObserver | undefined> {
    if (!flags.probe) return undefined;
    const { names, namespace } = facts;
    const file = await readProbeFile(context, flags);
    const own = probePair(file, flags.probeFile ?? "", { namespace, names });
    const name = nameProbe(context);
    let found: Facts | undefined = facts;
    return new UpgradeObserver(ports, name, async () => {
      const now = found ?? (await readSnapshot(ports, namespace, probedFacts));
      found = undefined;
      return await openInForce(ports, now, { name, own });
    });
  }

  async begin(): Promise<void> {
    await this.#watch.begin();
  }

  /** What is probed how often follows from the part that begins. */
  enter(part: PartId): void {
    this.#watch.rollout(rollouts.has(part));
  }

  watchJournal(journal: Journal): Journal {
    return this.#watch.watchJournal(journal);
  }

  /** Ends it, and asks each replica once, by a forwarded port; what was seen goes into the report. */
  async end(): Promise<void> {
    const { recorder } = this.ports;
    const { tailMs } = this.#watch;
    if (tailMs > 0) {
      const left = renderAge(Math.ceil(tailMs / 1000) * 1000);
      recorder.note(`watching the webhook for ${left} more: the last write may still take it away`);
    }
    const watched = reportWatched(await this.#watch.end(), recorder);
    const replicas = await this.#replicas();
    recorder.keep({ gap: { ...joinGaps(watched, recorder.kept.gap), replicas } });
  }

  async #replicas(): Promise<ReplicaReport> {
    const { cluster, names, signal } = this.ports;
    const { namespace } = cluster;
    const { pair } = this.#watch;
    try {
      const all = (await listTyped(cluster, kinds.endpointSlice, { namespace, signal })) ?? [];
      const slices = listSlices(names.webhook.service, all);
      const uid = this.name;
      const asked = pair && (await askReplicas(this.ports, { slices, pair, uid }));
      const note = asked === undefined ? `${unseenReplica}; ${notAsked}` : unseenReplica;
      return { ready: readyEndpoints(slices), note, ...(asked !== undefined && { asked }) };
    } catch (error) {
      if (!signal.aborted && !(error instanceof EngineError)) throw error;
      return { note: "how many replicas stand behind the Service could not be read" };
    }
  }
}

/** The swap probes on its own while it writes: what it alone has seen is told too. */
function joinGaps(watched: GapReport, swap: GapReport | undefined): GapReport {
  const { windows = [] } = watched;
  const more = (swap?.windows ?? []).filter(
    (one) =>
      !windows.some(
        ({ is, at, ms }) => is === one.is && at <= one.at + one.ms && one.at <= at + ms,
      ),
  );
  const seconds = (is: "bypass" | "outage"): number =>
    more.filter((one) => one.is === is).reduce((sum, { ms }) => sum + ms, 0) / 1000;
  return {
    ...watched,
    bypassSeconds: watched.bypassSeconds + seconds("bypass"),
    outageSeconds: watched.outageSeconds + seconds("outage"),
    windows: [...windows, ...more].sort((one, other) => one.at - other.at),
  };
}
