/** `upgrade-cluster NAME`: flags to options, then the upgrade of one EC (S10-S14, S48-S60). */
import { renderDocuments } from "../adapters/yaml";
import { quoteCommand } from "../output/quote";
import type { UpgradeClusterOptions } from "../run/cluster/deps";
import { upgradeCluster } from "../run/cluster/upgrade";
import { Recorder } from "../run/recorder";
import { journalOf } from "../run/record";
import type { Report } from "../run/report";
import type { CommandContext } from "./context";

/** Flags of `upgrade-cluster`, judged, with its argument. */
export interface UpgradeClusterFlags extends Pick<
  UpgradeClusterOptions,
  "target" | "auto" | "imagePullPolicy" | "imageRepository" | "takeFields" | "stallAfterMs"
> {
  /** --timeout was typed: it then limits the whole wait. */
  readonly limited: boolean;
}

/** What --timeout is when nobody gave it: no limit for a roll that goes on. */
const usualTimeoutMs = 5 * 60_000;

/** Upgrades the EC; every expected end comes back as a report. */
export async function runUpgradeCluster(
  context: CommandContext,
  args: readonly string[],
  flags: UpgradeClusterFlags,
): Promise<Report> {
  const [name = ""] = args;
  const go = await prepareUpgradeCluster(context, { ...flags, name });
  return await go(context);
}

/** What a command that includes this one knows of the time when it will run. */
export type ClusterPreparation = Pick<UpgradeClusterOptions, "assumeOperator">;

/** Takes the flags as they are judged; the run itself follows when wanted. */
export function prepareUpgradeCluster(
  _context: CommandContext,
  flags: UpgradeClusterFlags & { readonly name: string },
  ahead: ClusterPreparation = {},
): Promise<(later: CommandContext) => Promise<Report>> {
  return Promise.resolve((later) => run(later, { ...flags, ...ahead }));
}

async function run(
  context: CommandContext,
  { limited, ...flags }: UpgradeClusterFlags & ClusterPreparation & { readonly name: string },
): Promise<Report> {
  const { options, names, clock, run: identity } = context;
  const cluster = await context.connect();
  const { namespace } = cluster;
  const recorder = new Recorder(
    { kind: "UpgradeCluster", run: identity, target: { server: cluster.server, namespace } },
    { clock, event: context.event },
  );
  const timed = limited || options.timeoutMs !== usualTimeoutMs;
  return await upgradeCluster(
    {
      cluster,
      clock,
      names,
      recorder,
      signal: context.signal,
      ask: context.ask,
      journal: journalOf(await context.home(), identity.id),
      yaml: renderDocuments,
      command: (words) => quoteCommand([...words, ...options.contextArgs]),
    },
    {
      ...flags,
      namespace,
      ...(timed && { limitMs: options.timeoutMs }),
      wait: options.wait,
      dryRun: options.dryRun,
      fieldManager: options.fieldManager ?? names.fieldManager,
    },
  );
}
