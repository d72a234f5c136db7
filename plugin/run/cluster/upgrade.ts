/**
 * Upgrades an EC: judges everything first, writes a few fields once, follows the roll by facts
 * (S12-S14, S48-S60, S68-S72). The cluster's state is the only memory.
 */
import { termOf } from "../../domain/names";
import { requireMatched } from "../../domain/checks/selection";
import { clusterFinding } from "../../domain/cluster/codes";
import { withOperator } from "../../domain/cluster/ahead";
import { type ClusterPlan, planCluster } from "../../domain/cluster/plan";
import { EngineError, exitCodes } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { objectLabel, type Resource } from "../../domain/objects";
import type { Patch } from "../engine/change";
import { isSameSpec, requireHome, requireYes, Session } from "../engine/session";
import { givenUp, waitFor } from "../engine/wait";
import { requirePermissions } from "../ledger";
import { requireRead } from "../prerequisites";
import { BlockedError } from "../recorder";
import type { Report } from "../report";
import type { UpgradeClusterDeps, UpgradeClusterOptions } from "./deps";
import { follow } from "./follow";
import {
  planned,
  readDefinition,
  withDefinition,
  readFacts,
  readPermissions,
  writePermission,
  ecResource,
} from "./read";
import { clusterPatch } from "./writes";

/** Upgrades; expected ends of every kind come back as a report. */
export async function upgradeCluster(
  deps: UpgradeClusterDeps,
  options: UpgradeClusterOptions,
): Promise<Report> {
  const run = new UpgradeCluster(deps, options);
  try {
    return await run.run();
  } catch (error) {
    return run.end(error);
  }
}

class UpgradeCluster {
  readonly #told = new Set<string>();
  readonly #session: Session;
  #resource: Resource | undefined;

  constructor(
    private readonly deps: UpgradeClusterDeps,
    private readonly options: UpgradeClusterOptions,
  ) {
    this.#session = new Session(deps, options);
  }

  async run(): Promise<Report> {
    const { deps, options } = this;
    const write = writePermission(deps.names, options);
    await requirePermissions(deps, readPermissions(deps.names, options), [write]);
    this.#resource = await ecResource(deps);
    const plan = await this.#fitPlan();
    const label = objectLabel(plan.ec);
    if (plan.edits.length > 0) {
      await requirePermissions(deps, [write]);
      if (options.dryRun !== "none") return await this.#dryRun(plan);
      await this.#write(plan);
    } else {
      await this.#standing(label);
    }
    const says = await this.#follow(label, plan);
    return deps.recorder.success(`${label}: ${says}`);
  }

  /** The report for an end by an error; after the write its state is told. */
  end(error: unknown): Report {
    const { recorder } = this.deps;
    if (!(error instanceof EngineError)) throw error;
    if (this.#session.written === 0) return recorder.failure(error);
    if (error instanceof BlockedError) this.#tell(error.findings);
    return recorder.report({
      code: error.exitCode,
      reason: `${error.message}; the change of the ${termOf(this.deps.names.ec)} is written`,
      next: error.hint ?? "run the same command again: it goes on from the state found",
    });
  }

  /** A plan that nothing stands against; what may be waited for is waited for. */
  async #fitPlan(): Promise<ClusterPlan> {
    const { limitMs, stallAfterMs } = this.options;
    return await waitFor(this.deps, {
      look: async () => {
        const plan = await this.#plan();
        const on = this.#waitsFor(plan);
        if (on !== undefined) return { is: "moving", on };
        return { is: "done", value: await this.#judged(plan) };
      },
      beforeWrite: true,
      total: { ms: limitMs ?? stallAfterMs, end: givenUp },
    });
  }

  #waitsFor({ ec, restarting, blocks }: ClusterPlan): string | undefined {
    if (this.options.dryRun !== "none") return undefined;
    const [first] = blocks;
    if (first === undefined) {
      return restarting ? `${objectLabel(ec)} to end its rolling restart` : undefined;
    }
    const passing = blocks.every(({ code }) => waitable.has(code));
    return this.options.wait && passing ? `${first.object ?? ""}: ${first.cause}` : undefined;
  }

  async #plan(): Promise<ClusterPlan> {
    const { deps, options } = this;
    const { name, namespace, target, auto, imagePullPolicy, imageRepository } = options;
    const resource = this.#known();
    const [facts, definition] = await Promise.all([
      readFacts(deps, { namespace, resource }, planned),
      readDefinition(deps, "ec"),
    ]);
    const { assumeOperator } = options;
    const seen = withDefinition(facts, definition);
    const plan = planCluster(
      assumeOperator === undefined ? seen : withOperator(seen, assumeOperator),
      {
        name,
        auto,
        ...(target !== undefined && { tag: target }),
        ...(imagePullPolicy !== undefined && { imagePullPolicy }),
        ...(imageRepository !== undefined && { repository: imageRepository }),
        version: resource.version,
        skip: options.skip,
      },
    );
    if (plan !== undefined) return plan;
    const there = facts.objects.ecs.map(({ metadata }) => metadata.name).join(", ");
    throw new BlockedError(exitCodes.blocked, [
      clusterFinding("absent", {
        object: [deps.names.ec.kind, namespace, name].join("/"),
        cause: `namespace ${namespace} has no ${termOf(deps.names.ec)} ${name}; it has ${there === "" ? "none" : there}`,
      }),
    ]);
  }

  async #judged(plan: ClusterPlan): Promise<ClusterPlan> {
    const { blocks, warnings } = plan;
    await requireRead(this.deps, plan);
    this.#requireMatched(plan);
    const { conflicts } = this.#session.conflictsOf(this.#patchOf(plan));
    const code = blocks.length > 0 ? exitCodes.blocked : exitCodes.conflict;
    if (blocks.length + conflicts.length > 0) {
      throw new BlockedError(code, [...blocks, ...conflicts, ...warnings]);
    }
    this.#tell(warnings);
    return plan;
  }

  /** Where nothing is to be written nothing is judged, and a run that is resumed goes on. */
  #requireMatched({ edits, blocks, warnings }: ClusterPlan): void {
    const { skipMayMiss, skip } = this.options;
    if (skipMayMiss === true || edits.length === 0) return;
    requireMatched(skip, [...blocks, ...warnings]);
  }

  async #dryRun(plan: ClusterPlan): Promise<Report> {
    await this.#session.plan(this.#patchOf(plan));
    return this.deps.recorder.success("dry run: 1 write planned, nothing was changed");
  }

  #patchOf({ ec, edits }: ClusterPlan): Patch {
    return clusterPatch({ resource: this.#known(), ec, edits });
  }

  /** Nothing is written; a re-run comes here, and goes on following. */
  async #standing(label: string): Promise<void> {
    this.#tell(await requireHome(this.deps, false));
    const why = "the spec is as wanted already";
    this.deps.recorder.done(
      { id: "cluster.patch", action: "patch", object: label, why },
      "unchanged",
    );
  }

  /** A status that moved meanwhile is read again; a spec that moved is somebody's: 5. */
  async #write(plan: ClusterPlan): Promise<void> {
    const patch = this.#patchOf(plan);
    await this.#confirm(patch);
    await this.#session.send(patch, async (error) => {
      const next = await this.#plan();
      if (!isSameSpec(plan.ec, next.ec)) throw error;
      return this.#patchOf(await this.#judged(next));
    });
  }

  async #confirm(patch: Patch): Promise<void> {
    const { deps, options } = this;
    await requireHome(deps, true);
    if (!this.#session.conflictsOf(patch).takes) return;
    const fields = options.takeFields.join(", ");
    await requireYes(deps, `Take ${fields} of ${objectLabel(patch.object)} from its manager?`);
  }

  async #follow(label: string, { wanted }: ClusterPlan): Promise<string> {
    const { deps, options } = this;
    const why = `until every pod runs ${wanted.tag ?? "it"} and the state is Running`;
    if (options.dryRun !== "none") return "its spec is as wanted, nothing would be written";
    return await deps.recorder.step(
      { id: "cluster.follow", action: "wait", object: label, why },
      async () => {
        const says = await follow(deps, options, { resource: this.#known(), wanted });
        return { result: "done", value: says, why: says };
      },
    );
  }

  #known(): Resource {
    if (this.#resource === undefined) throw new Error("the version of the clusters was not read");
    return this.#resource;
  }

  #tell(findings: readonly Finding[]): void {
    for (const finding of findings) {
      const key = JSON.stringify(finding);
      if (!this.#told.has(key)) this.deps.recorder.findings([finding]);
      this.#told.add(key);
    }
  }
}

/** What may pass by itself. */
const waitable = new Set(["OPERATOR-NOT-READY", "CLUSTER-BUSY", "CLUSTER-STATE"]);
