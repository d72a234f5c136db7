/** Switches the automatic upgrade off before the operator is upgraded (S51, S124). */
import { autoOffEdits } from "../../domain/cluster/auto-off";
import { holdersOf } from "../../domain/cluster/edits";
import { ownedBy } from "../../domain/cluster/plan";
import { EngineError, exitCodes, UsageError } from "../../domain/errors";
import { objectLabel } from "../../domain/objects";
import { requirePermissions } from "../ledger";
import { BlockedError, type StepInfo } from "../recorder";
import type { Report } from "../report";
import { conflictsOf } from "./conflicts";
import type { UpgradeClusterDeps, UpgradeClusterOptions } from "./deps";
import { ecResource, judged, readFacts, readPermissions, writePermission } from "./read";
import { type ClusterWrite, plannedOf, keepOldValues, tryEdits, writeEdits } from "./writes";

/** What is told beside the ECs' names. */
export type AutoOffOptions = Pick<
  UpgradeClusterOptions,
  "namespace" | "takeFields" | "dryRun" | "fieldManager"
> & { readonly clusters: readonly string[] };

/** Runs it; expected ends of every kind come back as a report. */
export async function switchAutoOff(
  deps: UpgradeClusterDeps,
  options: AutoOffOptions,
): Promise<Report> {
  try {
    return await run(deps, options);
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return deps.recorder.failure(error);
  }
}

async function run(deps: UpgradeClusterDeps, options: AutoOffOptions): Promise<Report> {
  const { clusters } = options;
  const each = clusters.map((name) => ({ ...unused, ...options, name }));
  await requirePermissions(
    deps,
    each.flatMap((one) => readPermissions(deps.names, one)),
  );
  const resource = await ecResource(deps);
  const facts = await readFacts(deps, { namespace: options.namespace, resource }, judged);
  const writes = each.flatMap((one) => {
    const ec = facts.objects.ecs.find(({ metadata }) => metadata.name === one.name);
    const edits = ec === undefined ? [] : autoOffEdits(facts, ec);
    return ec === undefined || edits.length === 0 ? [] : [{ one, write: { resource, ec, edits } }];
  });
  await requirePermissions(
    deps,
    writes.map(({ one }) => writePermission(deps.names, one)),
  );
  for (const { one, write } of writes) await switchOff(deps, one, write);
  const names = writes.map(({ write }) => objectLabel(write.ec)).join(", ");
  return deps.recorder.success(
    writes.length === 0
      ? "no cluster upgrades itself while databases use modules of their own"
      : `${names}: ${options.dryRun === "none" ? "switched off" : "would be switched off"}`,
  );
}

async function switchOff(
  deps: UpgradeClusterDeps,
  options: UpgradeClusterOptions,
  write: ClusterWrite,
): Promise<void> {
  const { ec, edits } = write;
  const { conflicts } = conflictsOf(deps, options, {
    ec,
    owned: ownedBy(ec),
    holders: holdersOf(ec, edits),
  });
  if (conflicts.length > 0) throw new BlockedError(exitCodes.conflict, conflicts);
  const { info, planned } = infoOf(deps, write);
  if (options.dryRun !== "none") {
    if (options.dryRun === "server") await tryEdits(deps, options, write);
    deps.recorder.done(planned, "planned");
    return;
  }
  const problem = await deps.journal.problem();
  if (problem !== undefined) {
    throw new UsageError(problem, { hint: "set ENGINE_HOME to a folder that can be written" });
  }
  await keepOldValues(deps, write);
  deps.signal.throwIfAborted();
  await deps.recorder.step(info, async () => {
    await writeEdits(deps, options, write);
    return { result: "changed", value: undefined };
  });
}

/** The step as it is reported, and as it is planned: this patch renews no pod. */
function infoOf(
  deps: UpgradeClusterDeps,
  write: ClusterWrite,
): { readonly info: StepInfo; readonly planned: StepInfo } {
  const { write: told, ...info } = plannedOf(deps, write);
  const own: StepInfo = { ...info, id: "cluster.auto-off" };
  if (told === undefined) return { info: own, planned: own };
  const risk = "none by itself: the cluster then waits for its own upgrade";
  const reverse = "by the printed command; the run saves the old value";
  return { info: own, planned: { ...own, write: { ...told, risk, reverse } } };
}

/** What an upgrade has to be told beside, and this one not. */
const unused = {
  skip: [],
  auto: false,
  stallAfterMs: 0,
  wait: false,
} as const;
