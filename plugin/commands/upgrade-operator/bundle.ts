/**
 * Upgrades the operator by its release's bundle: definitions, accounts, roles, bindings, Service,
 * Deployment, in that order (S15–S19). Everything is tried before anything is written, and the
 * cluster's state is the only memory: a run that was cut off is resumed by the next one.
 */
import { exitCodes, UsageError, BlockedError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import { operatorFinding } from "../../domain/operator/findings";
import { withoutField } from "../../domain/kube/differences";
import { autoOf } from "../../domain/engine-cluster/fields";
import { clusterPatches, isSamePatch, judgeClusterImages } from "./clusters";
import {
  bundleRef,
  heldRights,
  isOperator,
  operatorVersionOf,
  placeBundle,
  type DesiredObject,
} from "../../domain/operator/wanted";
import { kinds } from "../../domain/kube/kinds";
import {
  type Installed,
  isOlmDone,
  judgeDirection,
  judgeOwners,
  judgeRegistry,
} from "../../domain/operator/refusals";
import { type Change, type Patch, refOf, stepOf } from "../../domain/kube/change";
import { dryRunSays } from "../../kernel/runner";
import { changedError, replanned } from "../../kernel/send";
import { requireHome, requireNeeds, requirePermissions } from "../../kernel/permissions";
import { Session } from "../../kernel/session";
import { requirePrerequisites } from "./prerequisites";
import type { Report } from "../../kernel/report";
import {
  applyOf,
  detailsOf,
  type Evaluated,
  imagePatch,
  isWritten,
  rewritesOf,
  writesOf,
} from "./changes";
import {
  type BundleOptions,
  type OperatorDeps,
  needsOf,
  readClusters,
  readInstalled,
  requireNamespace,
  requirePullSecret,
  waitForDefinition,
  waitForOperator,
  writePermissions,
} from "./read";
import { attempts, evaluate, requireFit } from "./dry-run";

/** Upgrades; expected ends of every kind come back as a report. */
export async function upgradeByBundle(deps: OperatorDeps, options: BundleOptions): Promise<Report> {
  return await new BundleUpgrade(deps, options).run();
}

interface BundlePlan {
  readonly steps: readonly Evaluated[];
  readonly patches: readonly Patch[];
  /** Judges an object that someone changed once more. */
  readonly judge: (wanted: DesiredObject) => Promise<Evaluated>;
}

class BundleUpgrade {
  readonly #session: Session;
  #steps: readonly Evaluated[] = [];

  constructor(
    private readonly deps: OperatorDeps,
    private readonly options: BundleOptions,
  ) {
    this.#session = new Session(deps, options);
  }

  async run(): Promise<Report> {
    try {
      return this.#detailed(this.deps.recorder.success(await this.#upgrade()));
    } catch (error) {
      return this.#detailed(this.#failed(error));
    }
  }

  async #upgrade(): Promise<string> {
    const { deps, options } = this;
    const plan = await this.#plan();
    this.#steps = plan.steps;
    if (options.dryRun !== "none") return this.#told(plan);
    const changes = this.#changesOf(plan);
    deps.recorder.findings(await requireHome(deps, changes.length > 0));
    this.#session.confirm(changes);
    await this.#write(plan);
    const says = await waitForOperator(deps, options);
    await this.#patch(plan.patches.filter((patch) => !this.#isEarly(patch)));
    const to = options.contents.operatorVersion ?? "the release";
    return this.#session.written === 0
      ? `the operator is as ${to} has it already: nothing was written; it is ${says}`
      : `the operator is at ${to}: ${says}`;
  }

  /** Everything is read and tried first; whatever stands against it ends the run here. */
  async #plan(): Promise<BundlePlan> {
    const { deps, options } = this;
    const { recorder } = deps;
    const { namespace, contents } = options;
    const bundle = this.#placed();
    await requireNeeds(deps, "upgrade-operator", needsOf(deps, options, bundle));
    await requireNamespace(deps, namespace);
    const installed = await readInstalled(deps, namespace, bundle);
    const wanted = this.#wanted(installed);
    await requirePullSecret(deps, options);
    const patches = await this.#patches();
    await requirePermissions(deps, writePermissions(options, installed, { wanted, patches }));
    // what would refuse a patch in the end refuses it now
    for (const patch of patches) {
      this.#session.requireFree(patch);
      await this.#session.rehearse(patch);
    }
    const runs = operatorVersionOf(installed.deployment, deps.names);
    const tools = { deps, options, session: this.#session, runs };
    const judge: BundlePlan["judge"] = (one) => evaluate(tools, one);
    const steps: Evaluated[] = [];
    for (const one of wanted) steps.push(await judge(one));
    recorder.findings(requireFit(steps.flatMap(({ findings }) => findings)));
    recorder.findings(steps.filter(isWritten).flatMap((step) => this.#held(step)));
    const plan = { steps, patches, judge };
    if (this.#changesOf(plan).length > 0) {
      await requirePrerequisites(deps, { ...options, version: contents.operatorVersion });
    }
    if (contents.operatorVersion === undefined) {
      recorder.note(
        "the release pins its operator by digest: which release it is cannot be determined",
      );
    }
    return plan;
  }

  /** Unusual rights that are no new ones. */
  #held({ object, live }: Evaluated): readonly Finding[] {
    return heldRights(object, live, this.deps.names).map((right) =>
      operatorFinding("rightHeld", {
        object: objectLabel(object),
        cause: `${right}, as the one in the cluster does already`,
      }),
    );
  }

  /** The objects to write; throws where the operator is not to be upgraded by them. */
  #wanted(installed: Installed): readonly DesiredObject[] {
    const { contents, registry, takeFields } = this.options;
    const { names, recorder } = this.deps;
    if (isOlmDone(installed, contents.operatorVersion)) {
      recorder.note("OLM has brought the operator to the release: it writes it");
      return [];
    }
    const owned = judgeOwners(installed, contents.operatorVersion);
    if (owned.length > 0) throw new BlockedError(exitCodes.conflict, owned);
    const wanted = this.#placed(installed);
    const moved = wanted
      .filter(({ object }) => registry === undefined && isOperator(object, names))
      .flatMap(({ object }) => judgeRegistry(installed, object, takeFields));
    const findings = [...judgeDirection(installed, contents.operatorVersion), ...moved];
    if (findings.length > 0) throw new BlockedError(exitCodes.blocked, findings);
    return wanted;
  }

  #placed(installed?: Installed): readonly DesiredObject[] {
    const { bundle, source } = this.options.contents;
    const result = placeBundle(bundle, {
      ...{ ...this.options, names: this.deps.names },
      live: installed?.deployment,
      held: installed?.objects,
    });
    if (result.is === "placed") return result.objects;
    this.deps.recorder.findings(result.findings);
    const hint = result.allowable
      ? "look at what is named; where it is wanted, accept it with the --skip that is printed, then run again"
      : "give a release as it was published, with the operator's bundle for this platform";
    throw new UsageError(
      result.problems.map((problem) => `release ${source}: ${problem}`),
      { hint },
    );
  }

  /** What has the clusters pull from the operator's registry, in the order of writing. */
  async #patches(): Promise<readonly Patch[]> {
    const { deps, options } = this;
    if (options.registry === undefined && options.pullSecret === undefined) return [];
    const clusters = await readClusters(deps, options.namespace);
    deps.recorder.findings(judgeClusterImages(clusters, options, deps.names));
    const patches = clusterPatches(clusters, options, deps.names).map((one) =>
      imagePatch(one, deps.names),
    );
    return patches.sort((one, other) => Number(this.#isEarly(other)) - Number(this.#isEarly(one)));
  }

  /** The cluster's own upgrade follows the operator's at once: it is patched before, others after. */
  #isEarly({ object }: Patch): boolean {
    return autoOf(object, this.deps.names);
  }

  #changesOf({ steps, patches }: BundlePlan): readonly Change[] {
    return [...steps.flatMap(writesOf), ...patches];
  }

  /** A dry run's end: every write told as planned. */
  #told(plan: BundlePlan): string {
    for (const step of plan.steps) {
      this.#left(step);
      for (const change of writesOf(step)) {
        // the adoption changes no value, but has the apply take away what no dry run before it does
        const stored = step.stored && step.removed.reduce<unknown>(withoutField, step.stored);
        const told = change.verb === "rewrite" ? change.object : (stored as KubeObject | undefined);
        this.#session.tell(change, told);
      }
    }
    for (const patch of plan.patches) this.#session.tell(patch);
    return dryRunSays(this.#changesOf(plan).length);
  }

  /** Tells an object that is not written. */
  #left(step: Evaluated): void {
    if (isWritten(step)) return;
    const info = stepOf(applyOf(step));
    this.deps.recorder.done(info, step.is === "kept" ? "skipped" : "unchanged");
  }

  async #write({ steps, patches, judge }: BundlePlan): Promise<void> {
    const { deps, options } = this;
    for (const step of steps) {
      const { kind, object } = step;
      if (isOperator(object, deps.names)) {
        await this.#patch(patches.filter((patch) => this.#isEarly(patch)));
      }
      this.#left(step);
      await this.#bring(step, judge);
      if (kind.resource !== kinds.definition) continue;
      await waitForDefinition(deps, bundleRef(kind, object), options.timeoutMs);
    }
  }

  /** Brings an object to what was judged; what changed since is judged again. */
  async #bring(first: Evaluated, judge: BundlePlan["judge"]): Promise<void> {
    await replanned(this.deps, first, {
      attempts,
      work: async (step) => {
        let now = step;
        for (const rewrite of rewritesOf(step)) {
          const change = rewrite(now);
          if (change !== undefined) now = { ...now, live: await this.#session.send(change) };
        }
        if (isWritten(step)) await this.#session.send(applyOf(now));
      },
      again: async (_error, step) => {
        const now = await judge(step);
        requireFit(now.findings);
        this.#session.requireConfirmed(writesOf(now));
        return now;
      },
    });
  }

  /** Patches clusters, each as what is stored by now needs it. */
  async #patch(patches: readonly Patch[]): Promise<void> {
    const { recorder, signal } = this.deps;
    for (const planned of patches) {
      signal.throwIfAborted();
      const patch = await this.#patchNow(planned);
      if (patch === undefined) recorder.done(stepOf(planned), "unchanged");
      else await this.#session.send(patch, () => this.#patchNow(planned));
    }
  }

  /** Undefined where the cluster is up to date by now, or gone; throws where it is other work. */
  async #patchNow(planned: Patch): Promise<Patch | undefined> {
    const { deps, options } = this;
    const stored = await deps.cluster.get(refOf(planned));
    const [patch] = clusterPatches(stored === undefined ? [] : [stored], options, deps.names);
    if (patch === undefined) return undefined;
    if (isSamePatch(patch, planned, deps.names)) return imagePatch(patch, deps.names);
    throw changedError(undefined, objectLabel(planned.object));
  }

  /** After a write, the end says what stands. */
  #failed(error: unknown): Report {
    const { recorder } = this.deps;
    const { written } = this.#session;
    if (written === 0) return recorder.failure(error);
    return recorder.failure(error, {
      stands: written === 1 ? "1 write is done and stays" : `${written} writes are done and stay`,
      next: "run the same command again: it resumes from the state of the cluster",
    });
  }

  #detailed(report: Report): Report {
    if (this.#steps.length === 0) return report;
    return { ...report, details: detailsOf(this.#steps, this.options.contents, this.deps.names) };
  }
}
