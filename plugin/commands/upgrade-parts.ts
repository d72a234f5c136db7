/** The parts of the whole upgrade, each the command of its name (S9; domain facts 12). */
import { acceptable } from "../domain/databases/codes";
import type { Facts } from "../domain/facts";
import { type PartId, procedure, ownClusters, webhookOwner } from "../domain/procedure";
import type { Release } from "../domain/release/contents";
import { inTurn, type ReadyPart, type Stage } from "../run/upgrade/procedure";
import type { Report } from "../run/report";
import type { CommandContext } from "./context";
import { prepareReapplyRbac } from "./reapply-rbac";
import { jobRun, within } from "./run-ports";
import { prepareUnbindScc } from "./unbind-scc";
import { prepareUpgradeDatabase } from "./upgrade-database";
import type { ReapplyRbacFlags } from "./specs/rbac";
import type { UpgradeFlags } from "./specs/upgrade";
import { prepareUpgradeOperator } from "./upgrade-operator";
import { prepareUpgradeWebhook, verifyWebhook } from "./upgrade-webhook";
import {
  type AutoOffFlags,
  autoOffJob,
  type ClusterFlags,
  clusterJob,
} from "../run/cluster/upgrade";

/** What the parts are made from. */
export interface PartsOf {
  readonly context: CommandContext;
  readonly flags: UpgradeFlags;
  readonly opened: Release | undefined;
  readonly facts: Facts;
  /** The operator's release that is wanted, and the tag of the clusters that belongs to it. */
  readonly operatorVersion: string | undefined;
  readonly clusterTag: string | undefined;
}

type Run = (later: CommandContext) => Promise<Report>;
type Prepare = (stage: Stage) => Promise<Run>;

/** Every part, ready to be planned and run. */
export function readyParts(of: PartsOf): readonly ReadyPart[] {
  const { context, facts, flags } = of;
  const prepared: Readonly<Record<PartId, Prepare>> = {
    "auto-off": () => prepareAutoOff({ clusters: clusterNames(of), takeFields: flags.takeFields }),
    "rbac-expand": (stage) => rbac(of, "expand", stage),
    operator: () => operator(of),
    webhook: (stage) => webhook(of, stage),
    cluster: (stage) => clusters(of, stage),
    scc: ({ ahead }) => prepareUnbindScc(context, {}, ahead ? { assumeUpgraded: true } : {}),
    "rbac-contract": (stage) => rbac(of, "contract", stage),
    databases: (stage) => databases(of, stage),
  };
  return procedure.map((part) => {
    const skip = part.gate?.({ ...of, engineVersion: flags.engineVersion });
    return {
      part,
      ...(skip !== undefined && { skip }),
      run: async (stage) => {
        const run = await prepared[part.id](stage);
        const own = part.id === "databases" ? untried(stage) : stage;
        return await run(staged(context, own, part.id));
      },
      ...(part.id === "webhook" &&
        webhookOwner(facts) !== undefined &&
        flags.probe && {
          verify: (stage) => verifyWebhook(staged(context, stage, part.id)),
        }),
    };
  });
}

/** The webhook judges a database by what its cluster bundles: before the upgrade no dry run can tell. */
function untried(stage: Stage): Stage {
  return stage.ahead && stage.dryRun === "server" ? { ...stage, dryRun: "client" } : stage;
}

/** The parts that need the operator's pod, which may be moved, or listed late, once the upgrade began. */
const needOperator: readonly PartId[] = ["webhook", "cluster"];

/**
 * The context as a part sees it: its stage, and no question, since the plan was confirmed. A part that
 * needs the operator waits for it: a pod that restarts midway is no reason to leave half an upgrade
 * behind, and a Service's endpoints follow a Deployment that is ready, they do not come with it.
 */
function staged(context: CommandContext, { dryRun, recorder }: Stage, id: PartId): CommandContext {
  const { options, run } = context;
  const wait = options.wait || (dryRun === "none" && needOperator.includes(id));
  return within(context, recorder, {
    options: { ...options, dryRun, wait },
    run: { ...run, dryRun },
    ask: () => Promise.resolve(true),
  });
}

function rbac(
  { context, flags, opened, operatorVersion }: PartsOf,
  mode: "expand" | "contract",
  { ahead }: Stage,
): Promise<Run> {
  const rbacFlags: ReapplyRbacFlags = {
    mode,
    dropLocal: [],
    prune: false,
    takeFields: flags.takeFields,
    takeOver: false,
    probe: flags.probe,
  };
  return prepareReapplyRbac(context, rbacFlags, {
    ...(opened === undefined ? { release: operatorVersion } : { opened }),
    ...(ahead && mode === "contract" && { assumeExpanded: true }),
  });
}

function operator({ context, flags, opened }: PartsOf): Promise<Run> {
  return prepareUpgradeOperator(context, flags, {
    judged: true,
    ...(opened !== undefined && { opened }),
  });
}

function webhook({ context, flags, opened }: PartsOf, { ahead }: Stage): Promise<Run> {
  return prepareUpgradeWebhook(
    context,
    {
      takeOver: false,
      takeFields: flags.takeFields,
      takeTemplateSelectors: false,
      takeTemplateRules: false,
      allowRules: [],
      waitSecretMs: 60_000,
      probe: flags.probe,
    },
    { opened, ...(ahead && { assumeReady: true }) },
  );
}

/** Every EC of the namespace, one after the other. */
async function clusters(of: PartsOf, { ahead }: Stage): Promise<Run> {
  const { context, flags, clusterTag, operatorVersion } = of;
  const prepared = clusterNames(of).map(async (name) => ({
    title: name,
    run: await prepareUpgradeCluster(
      context,
      {
        name,
        ...(clusterTag !== undefined && { target: clusterTag }),
        auto: flags.auto,
        takeFields: flags.takeFields,
        skip: flags.skip,
        stallAfterMs: flags.stallAfterMs,
        limited: flags.limited,
      },
      {
        skipMayMiss: true,
        ...(ahead && operatorVersion !== undefined && { assumeOperator: operatorVersion }),
      },
    ),
  }));
  const [first, ...others] = await Promise.all(prepared);
  if (first === undefined) throw new Error("there is nothing to run");
  return async (later) =>
    await inTurn(
      await first.run(later),
      others.map(({ title, run }) => ({ title, run: () => run(later) })),
    );
}

/** All databases of this operator's clusters, by their resources (S61). */
function databases(
  { context, flags, operatorVersion, clusterTag }: PartsOf,
  { ahead }: Stage,
): Promise<Run> {
  const { engineVersion, participants, takeFields, stallAfterMs, limited } = flags;
  return prepareUpgradeDatabase(
    context,
    {
      databases: [],
      all: true,
      everywhere: true,
      ...(engineVersion !== undefined && { version: engineVersion }),
      via: "resource",
      request: {},
      confirmed: [],
      participants,
      takeFields,
      skip: flags.skip.filter(({ code }) => acceptable.includes(code)),
      stallAfterMs,
      limited,
      api: { insecure: false },
    },
    {
      skipMayMiss: true,
      ...(ahead && { assumeUpgraded: true }),
      ...(ahead && clusterTag !== undefined && { assumeCluster: clusterTag }),
      ...(ahead && operatorVersion !== undefined && { assumeOperator: operatorVersion }),
    },
  );
}

function clusterNames({ facts }: PartsOf): readonly string[] {
  return ownClusters(facts).flatMap(({ metadata }) => metadata.name ?? []);
}

/** The run over these clusters, when wanted. */
export function prepareAutoOff(
  flags: AutoOffFlags,
): Promise<(later: CommandContext) => Promise<Report>> {
  return Promise.resolve((later) => jobRun("AutoOff", autoOffJob)(later, [], flags));
}

/** Upgrades the EC; every expected end comes back as a report. */
export const runUpgradeCluster = jobRun("UpgradeCluster", clusterJob);

/** Takes the flags as they are judged; the run itself follows when wanted. */
export function prepareUpgradeCluster(
  _context: CommandContext,
  { name, ...flags }: ClusterFlags & { readonly name: string },
  ahead: Pick<ClusterFlags, "assumeOperator" | "skipMayMiss"> = {},
): Promise<(later: CommandContext) => Promise<Report>> {
  return Promise.resolve((later) => runUpgradeCluster(later, [name], { ...flags, ...ahead }));
}
