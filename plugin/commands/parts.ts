/** The parts of the whole upgrade, each the command of its name (S9; domain facts 12). */
import { acceptable } from "../domain/database/findings";
import { leftBy, type Part, type PlannedAhead, type PlannedChange, planOver } from "../kernel/part";
import { followedBy, type Projection, unchanged } from "../kernel/projected";
import type { JobRun } from "../kernel/runner";
import { kinds } from "../domain/kube/kinds";
import { refTo } from "../domain/kube/objects";
import { selects } from "../domain/kube/selectors";
import { operatorRelease, ownClusters, withOperator } from "../domain/engine-cluster/operator";
import { type Facts, isOpenShift } from "../domain/facts/facts";
import { imagesOn, inRegistry } from "../domain/release/images";
import { isChosen, procedure, webhookOwner } from "./upgrade/procedure";
import type { PartId } from "../kernel/report";
import type { Release } from "../domain/release/contents";
import { asString, getPath } from "../domain/base/values";
import { isSameRelease } from "../domain/base/versions";
import { inTurn } from "./upgrade/in-turn";
import type { PartRun, ReadyPart, Stage } from "./upgrade/upgrade";
import type { CommandContext } from "../cmdutil/context";
import { prepareReapplyRbac } from "./reapply-rbac/command";
import { type PreparedRun, runPorts, within } from "../cmdutil/run-ports";
import { jobRunOf, runOfPart } from "../cmdutil/job";
import { planUnbindScc, runUnbindScc } from "./unbind-scc/command";
import { prepareUpgradeDatabase } from "./upgrade-database/command";
import { defaultsOf } from "../cmdutil/spec";
import { upgradeDatabase } from "./upgrade-database/flags";
import { reapplyRbac } from "./reapply-rbac/flags";
import { upgradeWebhook } from "./upgrade-webhook/flags";
import type { UpgradeFlags } from "./upgrade/flags";
import { prepareUpgradeOperator } from "./upgrade-operator/command";
import { prepareUpgradeWebhook, verifyWebhook } from "./upgrade-webhook/command";
import { autoOffPart, type ClusterFlags, clusterPart } from "./upgrade-cluster/command";

/** What the parts are made from. */
interface PartsOf {
  readonly context: CommandContext;
  readonly flags: UpgradeFlags;
  readonly opened: Release | undefined;
  readonly facts: Facts;
  /** The operator's release that is wanted, and the tag of the clusters that belongs to it. */
  readonly operatorVersion: string | undefined;
  readonly clusterTag: string | undefined;
}

/** Whether a part is planned as if that earlier one were done: it is planned too, and comes before it. */
type IsAhead = (before: PartId) => boolean;

type Run = (stage: Stage, isAhead: IsAhead) => Promise<PartRun>;

/** The parts that are wanted, ready to be planned and run. */
export function readyParts(of: PartsOf): readonly ReadyPart[] {
  const { context, facts, flags } = of;
  const prepared =
    (id: PartId, prepare: (isAhead: IsAhead) => Promise<PreparedRun>): Run =>
    async (stage, isAhead) => {
      const run = await prepare(isAhead);
      return { report: await run(staged(context, stage, id)) };
    };
  const runs: Readonly<Record<PartId, Run>> = {
    "auto-off": (stage) => autoOff(of, stage),
    "rbac-expand": prepared("rbac-expand", (isAhead) => rbac(of, "expand", isAhead)),
    operator: async (stage, isAhead) => ({
      ...(await prepared("operator", () => operator(of))(stage, isAhead)),
      after: operatorOutcome(of, stage.recorder.writes),
    }),
    webhook: prepared("webhook", (isAhead) => webhook(of, isAhead)),
    cluster: (stage) => clusters(of, stage),
    scc: (stage) => scc(of, stage),
    "rbac-contract": prepared("rbac-contract", (isAhead) => rbac(of, "contract", isAhead)),
    databases: (stage, isAhead) => {
      const own = isAhead("cluster") ? untried(stage) : stage;
      return prepared("databases", () => databases(of, isAhead))(own, isAhead);
    },
  };
  const wanted = procedure.filter(({ id }) => isChosen(flags, id));
  return wanted.map((part) => {
    const skip = part.gate?.({ ...of, engineVersion: flags.engineVersion });
    return {
      part,
      ...(skip !== undefined && { skip }),
      run: async (stage: Stage) => {
        const isAhead = (before: PartId): boolean => stage.ahead && isChosen(flags, before);
        return await runs[part.id](stage, isAhead);
      },
      ...(part.id === "webhook" &&
        webhookOwner(facts) !== undefined &&
        flags.probe && {
          verify: (stage) => verifyWebhook(staged(context, stage, part.id), flags),
        }),
    };
  });
}

/** The webhook judges a database by what its cluster bundles: before the upgrade no dry run can tell. */
function untried(stage: Stage): Stage {
  return stage.dryRun === "server" ? { ...stage, dryRun: "client" } : stage;
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
  isAhead: IsAhead,
): Promise<PreparedRun> {
  const { takeFields, probe } = flags;
  const rbacFlags = { ...defaultsOf(reapplyRbac), mode, takeFields, probe };
  return prepareReapplyRbac(context, rbacFlags, {
    ...(opened === undefined ? { release: operatorVersion } : { opened }),
    ...(mode === "contract" &&
      isAhead("rbac-expand") &&
      isAhead("operator") && { assumeExpanded: true }),
  });
}

function operator({ context, flags, opened }: PartsOf): Promise<PreparedRun> {
  return prepareUpgradeOperator(context, flags, {
    judged: true,
    ...(opened !== undefined && { opened }),
  });
}

function webhook({ context, flags, opened }: PartsOf, isAhead: IsAhead): Promise<PreparedRun> {
  const { takeFields, probe, probeFile } = flags;
  return prepareUpgradeWebhook(
    context,
    { ...defaultsOf(upgradeWebhook), takeFields, probe, probeFile },
    { opened, ...(isAhead("operator") && { assumeReady: true }) },
  );
}

/** The operator ready at the wanted release; its pods of the release before are gone. */
function operatorOutcome(
  { facts, operatorVersion }: PartsOf,
  writes: readonly PlannedChange[],
): Projection {
  const { deployment } = facts.names.operator;
  if (operatorVersion === undefined) return unchanged;
  const live = facts.objects.deployments.filter(
    ({ metadata }) => metadata.name === deployment && metadata.namespace === facts.namespace,
  );
  const planned = leftBy(writes).stored.filter(
    ({ kind, metadata }) => kind === kinds.deployment.kind && metadata.name === deployment,
  );
  const deployments = planned.length > 0 ? planned : live;
  const { objects } = withOperator(
    { ...facts, objects: { ...facts.objects, deployments } },
    operatorVersion,
  );
  const selectors = live.map((one) => getPath(one, ["spec", "selector"]));
  const isChanged = !isSameRelease(operatorRelease(facts).version, operatorVersion);
  const replaced = facts.objects.pods.filter(
    ({ metadata }) =>
      isChanged &&
      metadata.namespace === facts.namespace &&
      selectors.some((selector) => selects(selector, metadata.labels ?? {})),
  );
  const gone = replaced.map((pod) => refTo(kinds.pod, pod));
  return { ...unchanged, stored: objects.deployments, gone };
}

async function scc({ context }: PartsOf, stage: Stage): Promise<PartRun> {
  const own = staged(context, stage, "scc");
  if (stage.ahead) return await planUnbindScc(own, stage.after);
  return { report: await runUnbindScc(own, [], {}) };
}

/** Every EC of the namespace, one after the other. */
async function clusters(of: PartsOf, stage: Stage): Promise<PartRun> {
  const { flags, facts } = of;
  const { auto, takeFields, skip, stallAfterMs, limited } = flags;
  const wanted: ClusterFlags = {
    ...{ auto, takeFields, skip, stallAfterMs, limited },
    skipMayMiss: true,
    operatorBefore: operatorRelease(facts).version,
  };
  const context = staged(of.context, stage, "cluster");
  let { after } = stage;
  const [first, ...others] = clusterNames(of).map((title) => ({
    title,
    run: async () => {
      const target = targetOf(of, title);
      const own = {
        ...wanted,
        ...(target !== undefined && { target }),
        ...repositoryOf(of, title),
      };
      if (!stage.ahead) return await runUpgradeCluster(context, [title], own);
      const planned = await ahead(context, { ...stage, after }, (run) =>
        clusterPart(own, { ...run, args: [title] }),
      );
      after = followedBy(after, planned.after);
      return planned.report;
    },
  }));
  if (first === undefined) throw new Error("there is nothing to run");
  return { report: await inTurn(await first.run(), others), after };
}

/** A part planned over what the earlier ones will leave behind. */
async function ahead(
  context: CommandContext,
  { dryRun, after }: Stage,
  make: (run: JobRun) => Part,
): Promise<PlannedAhead> {
  const ports = await runPorts(context, "Upgrade");
  return await planOver(ports, make(await jobRunOf(context, [], {})), { dryRun, after });
}

async function autoOff(of: PartsOf, stage: Stage): Promise<PartRun> {
  const flags = { clusters: clusterNames(of), takeFields: of.flags.takeFields };
  const context = staged(of.context, stage, "auto-off");
  if (stage.ahead) return await ahead(context, stage, (run) => autoOffPart(flags, run));
  return { report: await runOfPart("AutoOff", autoOffPart)(context, [], flags) };
}

/** An image of that release that an EC has already is its own choice, unless a person gives the tag. */
function targetOf({ facts, flags, clusterTag }: PartsOf, name: string): string | undefined {
  const ec = ownClusters(facts).find(({ metadata }) => metadata.name === name);
  const tag = asString(getPath(ec, facts.names.ecFields.versionTag));
  const isKept = flags.clusterTarget === undefined && isSameRelease(tag, clusterTag);
  return isKept ? tag : clusterTag;
}

/** With a tag of its own a cluster no longer has the operator's image: it then pulls from the same registry (S17). */
function repositoryOf({ facts, flags }: PartsOf, name: string): Partial<ClusterFlags> {
  const { registry, auto } = flags;
  const ec = ownClusters(facts).find(({ metadata }) => metadata.name === name);
  if (registry === undefined || auto || ec === undefined) return {};
  if (asString(getPath(ec, facts.names.ecFields.repository)) !== undefined) return {};
  const platform = isOpenShift(facts) ? "openshift" : "kubernetes";
  return { imageRepository: inRegistry(imagesOn(platform, "cluster", facts.names)[0], registry) };
}

/** All databases of this operator's clusters, by their resources (S61). */
function databases(
  { context, flags, operatorVersion, clusterTag }: PartsOf,
  isAhead: IsAhead,
): Promise<PreparedRun> {
  const { engineVersion, participants, takeFields, stallAfterMs, limited } = flags;
  return prepareUpgradeDatabase(
    context,
    {
      ...defaultsOf(upgradeDatabase),
      ...{ databases: [], all: true, everywhere: true, version: engineVersion },
      ...{ participants, takeFields, stallAfterMs, limited },
      skip: flags.skip.filter(({ code }) => acceptable.includes(code)),
    },
    {
      skipMayMiss: true,
      ...(isAhead("cluster") && { assumeUpgraded: true, assumeCluster: clusterTag }),
      ...(isAhead("operator") && { assumeOperator: operatorVersion }),
    },
  );
}

function clusterNames({ facts }: PartsOf): readonly string[] {
  return ownClusters(facts).flatMap(({ metadata }) => metadata.name ?? []);
}

/** Upgrades the EC; every expected end comes back as a report. */
export const runUpgradeCluster = runOfPart("UpgradeCluster", clusterPart);
