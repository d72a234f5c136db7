/** Switches the automatic upgrade off before the operator is upgraded (S51, S124). */
import { autoOffEdits } from "../../domain/cluster/auto-off";
import { EngineError } from "../../domain/errors";
import { objectLabel, refTo } from "../../domain/objects";
import type { Patch } from "../engine/change";
import { isSameSpec, requireHome, Session } from "../engine/session";
import { requirePermissions } from "../ledger";
import type { Report } from "../report";
import type { UpgradeClusterDeps, UpgradeClusterOptions } from "./deps";
import { ecResource, judged, readFacts, readPermissions, writePermission } from "./read";
import { clusterPatch, type ClusterWrite } from "./writes";

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
  const session = new Session(deps, options);
  for (const { write } of writes) await switchOff(session, deps, { options, write });
  const names = writes.map(({ write }) => objectLabel(write.ec)).join(", ");
  return deps.recorder.success(
    writes.length === 0
      ? "no cluster upgrades itself while databases use modules of their own"
      : `${names}: ${options.dryRun === "none" ? "switched off" : "would be switched off"}`,
  );
}

async function switchOff(
  session: Session,
  deps: UpgradeClusterDeps,
  { options, write }: { readonly options: AutoOffOptions; readonly write: ClusterWrite },
): Promise<void> {
  const patch = autoOffPatch(write);
  session.requireFree(patch);
  if (options.dryRun !== "none") {
    await session.plan(patch);
    return;
  }
  await requireHome(deps, true);
  await session.send(patch, async (error) => {
    const now = await deps.cluster.get(refTo(write.resource, write.ec), { signal: deps.signal });
    if (now === undefined || !isSameSpec(now, write.ec)) throw error;
    return autoOffPatch({ ...write, ec: now });
  });
}

/** This patch renews no pod. */
function autoOffPatch(write: ClusterWrite): Patch {
  return {
    ...clusterPatch(write),
    id: "cluster.auto-off",
    risk: "none by itself: the cluster then waits for its own upgrade",
    reverse: "by the printed command; the run saves the old value",
  };
}

/** What an upgrade has to be told beside, and this one not. */
const unused = {
  skip: [],
  auto: false,
  stallAfterMs: 0,
  wait: false,
} as const;
