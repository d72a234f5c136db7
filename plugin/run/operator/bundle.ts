/**
 * Upgrades the operator by its release's bundle: definitions, accounts, roles, bindings, Service,
 * Deployment, in that order (S15–S19). Everything is tried before anything is written, and the
 * cluster's state is the only memory: a run that was cut off is resumed by the next one.
 */
import { EngineError, exitCodes, UsageError } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import type { KubeObject } from "../../domain/objects";
import {
  clusterPatches,
  type ClusterPatch,
  judgeClusterImages,
  upgradesItself,
} from "../../domain/operator/clusters";
import { bundleRef, definitionResource } from "../../domain/operator/kinds";
import {
  type Installed,
  isOlmDone,
  judgeDirection,
  judgeOwners,
  judgeRegistry,
} from "../../domain/operator/refusals";
import {
  isOperator,
  operatorVersionOf,
  placeBundle,
  type Wanted,
} from "../../domain/operator/wanted";
import { plannedStep, refOf } from "../engine/change";
import { requireHome } from "../engine/session";
import { requirePermissions } from "../ledger";
import { requirePrerequisites } from "../prerequisites";
import { BlockedError } from "../recorder";
import type { Report } from "../report";
import { ClusterWriter } from "./cluster-writer";
import type { BundleOptions, OperatorDeps } from "./deps";
import { detailsOf } from "./details";
import { type Evaluated, evaluate } from "./evaluate";
import { clusterPermissions, readPermissions, writePermissions } from "./permissions";
import { readClusters, readInstalled, requireNamespace, requirePullSecret } from "./read";
import { applyInfo, plannedSteps } from "./steps";
import { waitForDefinition, waitForOperator } from "./wait";
import { BundleWriter, exitCodeOf } from "./writer";

/** Upgrades; expected ends of every kind come back as a report. */
export async function upgradeByBundle(deps: OperatorDeps, options: BundleOptions): Promise<Report> {
  return await new BundleUpgrade(deps, options).run();
}

interface Planned {
  readonly installed: Installed;
  readonly runs: string | undefined;
  readonly steps: readonly Evaluated[];
  /** Clusters whose own upgrade follows at once are patched before the operator, the others after. */
  readonly patches: {
    readonly before: readonly ClusterPatch[];
    readonly after: readonly ClusterPatch[];
  };
}

function writesOf(steps: readonly Evaluated[]): readonly Evaluated[] {
  return steps.filter(({ is }) => is === "create" || is === "change");
}

class BundleUpgrade {
  readonly #writer: BundleWriter;
  readonly #clusters: ClusterWriter;
  #planned: Planned | undefined;

  constructor(
    private readonly deps: OperatorDeps,
    private readonly options: BundleOptions,
  ) {
    this.#writer = new BundleWriter(deps, options);
    this.#clusters = new ClusterWriter(deps, options);
  }

  async run(): Promise<Report> {
    try {
      const reason = await this.#upgrade();
      this.#writer.report();
      return this.#detailed(this.deps.recorder.success(reason));
    } catch (error) {
      this.#writer.report();
      return this.#detailed(this.#failed(error));
    }
  }

  async #upgrade(): Promise<string> {
    const { deps, options } = this;
    const planned = await this.#plan();
    this.#planned = planned;
    const patches = [...planned.patches.before, ...planned.patches.after];
    const count = writesOf(planned.steps).length + patches.length;
    if (options.dryRun !== "none") return this.#dryRun(planned);
    deps.recorder.findings(await requireHome(deps, count > 0));
    await this.#write(planned);
    const says = await waitForOperator(deps, options);
    await this.#clusters.write(planned.patches.after);
    const to = options.contents.operatorVersion ?? "the release";
    if (this.#written() === 0) {
      return `the operator is as ${to} has it already: nothing was written; it is ${says}`;
    }
    return `the operator is at ${to}: ${says}`;
  }

  /** Everything is read and tried first; whatever stands against it ends the run here. */
  async #plan(): Promise<Planned> {
    const { deps, options } = this;
    const { namespace, contents } = options;
    const first = this.#place(undefined);
    await requirePermissions(deps, readPermissions(deps, options, first));
    await requireNamespace(deps, namespace);
    const installed = await readInstalled(deps, namespace, first);
    const byOlm = isOlmDone(installed, contents.operatorVersion);
    const wanted = byOlm ? [] : this.#place(installed.deployment);
    if (byOlm) deps.recorder.note("OLM has brought the operator to the release: it writes it");
    else this.#refuse(installed, wanted);
    await requirePullSecret(deps, options);
    const runs = operatorVersionOf(installed.deployment, deps.names);
    const there = new Set(installed.objects.map((object) => this.#key(object)));
    const patches = await this.#patches();
    await requirePermissions(deps, [
      ...writePermissions(
        wanted.map(({ kind, object }) => ({
          ref: bundleRef(kind, object),
          creates: !there.has(this.#key(object)),
        })),
      ),
      ...clusterPermissions(
        [...patches.before, ...patches.after].map((patch) => refOf(this.#clusters.patchOf(patch))),
      ),
    ]);
    // what would refuse a patch in the end refuses it now
    for (const patch of [...patches.before, ...patches.after]) {
      await this.#clusters.rehearse(patch);
    }
    const steps: Evaluated[] = [];
    for (const one of wanted) steps.push(await evaluate({ deps, options, runs }, one));
    const findings = steps.flatMap((step) => step.findings);
    const errors = findings.filter(({ severity }) => severity === "error");
    if (errors.length > 0) throw new BlockedError(exitCodeOf(steps), errors);
    deps.recorder.findings(findings);
    if (writesOf(steps).length + patches.before.length + patches.after.length > 0) {
      await requirePrerequisites(deps, { ...options, version: contents.operatorVersion });
    }
    if (contents.operatorVersion === undefined) {
      deps.recorder.note(
        "the release pins its operator by digest: which release it is cannot be told",
      );
    }
    return { installed, runs, steps, patches };
  }

  #key({ kind, metadata }: KubeObject): string {
    return `${kind}/${metadata.name ?? ""}`;
  }

  #place(live: KubeObject | undefined): readonly Wanted[] {
    const { deps, options } = this;
    const { namespace, contents, registry, pullSecret, allowObjects } = options;
    const placing = { namespace, registry, pullSecret, allowObjects, names: deps.names, live };
    const result = placeBundle(contents.bundle, placing);
    if (result.is === "placed") return result.objects;
    throw new UsageError(
      result.problems.map((problem) => `release ${contents.source}: ${problem}`),
      { hint: "give a release as it was published, with the operator's bundle for this platform" },
    );
  }

  #refuse(installed: Installed, wanted: readonly Wanted[]): void {
    const { contents, registry, takeFields } = this.options;
    const { names } = this.deps;
    const owned = judgeOwners(installed, contents.operatorVersion);
    if (owned.length > 0) throw new BlockedError(exitCodes.conflict, owned);
    const operator = wanted.find(({ object }) => isOperator(object, names));
    const findings: readonly Finding[] = [
      ...judgeDirection(installed, contents.operatorVersion),
      ...(operator === undefined || registry !== undefined
        ? []
        : judgeRegistry(installed, operator.object, takeFields)),
    ];
    if (findings.length > 0) throw new BlockedError(exitCodes.blocked, findings);
  }

  async #patches(): Promise<Planned["patches"]> {
    const { deps, options } = this;
    if (options.registry === undefined && options.pullSecret === undefined) {
      return { before: [], after: [] };
    }
    const clusters = await readClusters(deps, options.namespace);
    const patches = clusterPatches(clusters, options, deps.names);
    deps.recorder.findings(judgeClusterImages(clusters, options, deps.names));
    const early = patches.filter(({ cluster }) => upgradesItself(cluster, deps.names));
    return { before: early, after: patches.filter((patch) => !early.includes(patch)) };
  }

  #dryRun({ steps, patches }: Planned): string {
    const { deps, options } = this;
    const { recorder } = deps;
    let count = 0;
    const plan = (info: Parameters<typeof recorder.done>[0]): void => {
      recorder.done(info, "planned");
      count += 1;
    };
    for (const step of steps) {
      if (step.is === "kept" || step.is === "same") this.#left(step);
      else plannedSteps(step, deps, options).forEach(plan);
    }
    for (const patch of [...patches.before, ...patches.after]) {
      plan(plannedStep(this.#clusters.patchOf(patch), deps.command, options.fieldManager));
    }
    return count === 0
      ? "dry run: everything is as wanted, nothing would be written"
      : `dry run: ${count} ${count === 1 ? "write" : "writes"} planned, nothing was changed`;
  }

  #left(step: Evaluated): void {
    const { info } = applyInfo(step);
    this.deps.recorder.done(info, step.is === "kept" ? "skipped" : "unchanged");
  }

  async #write({ steps, patches, runs }: Planned): Promise<void> {
    const { deps, options } = this;
    for (const step of steps) {
      if (isOperator(step.object, deps.names)) await this.#clusters.write(patches.before);
      if (step.is === "kept" || step.is === "same") this.#left(step);
      else await this.#writer.write(step, runs);
      if (step.kind.resource !== definitionResource) continue;
      await waitForDefinition(deps, bundleRef(step.kind, step.object), options.timeoutMs);
    }
  }

  #written(): number {
    return this.#writer.written + this.#clusters.written;
  }

  /** After a write, the end says what stands. */
  #failed(error: unknown): Report {
    const { recorder } = this.deps;
    const written = this.#written();
    if (!(error instanceof EngineError) || written === 0) return recorder.failure(error);
    if (error instanceof BlockedError) recorder.findings(error.findings);
    const done =
      written === 1 ? "1 write is done and stays" : `${written} writes are done and stay`;
    return recorder.report({
      code: error.exitCode,
      reason: `${error.message}; ${done}`,
      next: error.hint ?? "run the same command again: it resumes from the state of the cluster",
    });
  }

  #detailed(report: Report): Report {
    const { steps = [] } = this.#planned ?? {};
    if (steps.length === 0) return report;
    return { ...report, details: detailsOf(steps, this.options.contents, this.deps.names) };
  }
}
