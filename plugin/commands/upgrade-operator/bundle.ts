/**
 * The operator by its release's bundle: definitions, accounts, roles, bindings, Service, Deployment, in that
 * order (S15–S19). Everything is tried before anything is written, and the cluster's state is the only memory: a
 * run that was cut off is resumed by the next one. `part.ts` makes a part of the two classes below: `BundlePlanning`
 * reads and judges, `BundleAct` writes what was planned.
 */
import { bring, tellWrites } from "./bring";
import { waitForOperator } from "./follow";
import { type EngineError, exitCodes, UsageError, BlockedError } from "../../domain/base/errors";
import { readStandingNamespace } from "../../readers/ground";
import { readLeftMarks } from "../../readers/left-marks";
import type { Finding } from "../../domain/base/findings";
import { objectLabel } from "../../domain/kube/objects";
import { operatorFindings } from "../../domain/operator/findings";
import type { Names } from "../../domain/names/names";
import { isAutoUpgraded } from "../../domain/engine-cluster/fields";
import { clusterPatches, isSamePatch, judgeClusterImages } from "./clusters";
import {
  explainUnfit,
  isOperator,
  readOperatorVersion,
  placeBundle,
  type DesiredObject,
} from "../../domain/operator/wanted";
import {
  gateOwners,
  type Installed,
  isOlmDone,
  judgeDirection,
  judgeRegistry,
} from "../../domain/operator/refusals";
import {
  type Change,
  type Patch,
  changeRef,
  describeStep,
  type PlannedChange,
} from "../../domain/kube/change";
import { requireExpected, type Outcome } from "../../kernel/part";
import type { ActingPorts, World } from "../../kernel/world";
import { makeChangedError } from "../../kernel/send";
import { requirePermissions } from "../../kernel/permissions";
import { Session } from "../../kernel/session";
import { isAway } from "../../kernel/wait";
import { requirePrerequisites } from "./prerequisites";
import {
  describeDetails,
  judgeHeldRights,
  type Evaluated,
  imagePatch,
  isWritten,
  listWrites,
  listWritePermissions,
} from "./changes";
import {
  type BundleOptions,
  readClusters,
  readInstalled,
  requireOwn,
  requirePullSecret,
} from "./read";
import { evaluate, requireFit } from "./evaluate";

/** What is to be written, in its order. */
export interface BundlePlan {
  readonly steps: readonly Evaluated[];
  readonly patches: readonly Patch[];
  /** Release of the operator that runs. */
  readonly runs: string | undefined;
  /** What stands against a patch of a cluster. */
  readonly stops: EngineError | undefined;
}

/** The writes of a plan. */
export function listChanges({ steps, patches }: BundlePlan): readonly Change[] {
  return [...steps.flatMap(listWrites), ...patches];
}

/** The cluster's own upgrade follows the operator's at once: it is patched before, others after. */
function isEarly({ object }: Patch, names: Names): boolean {
  return isAutoUpgraded(object, names);
}

/** What stands against a patch together with what was found of the objects, as one error. */
function joinFindings(
  stops: EngineError,
  findings: readonly Finding[],
  tell: World["tell"],
): EngineError {
  if (stops instanceof BlockedError) {
    return new BlockedError(stops.exitCode, [...stops.findings, ...findings]);
  }
  tell(findings);
  return stops;
}

/** Reads and judges; writes nothing. */
export class BundlePlanning {
  readonly #session: Session;

  constructor(
    private readonly world: World,
    private readonly options: BundleOptions,
  ) {
    this.#session = new Session(world, options);
  }

  /** Reads and tries every object; throws where nothing can be planned from what was read. */
  async plan(): Promise<BundlePlan> {
    const { world, options } = this;
    const { namespace } = options;
    const bundle = this.#place();
    await readStandingNamespace(world, "upgrade-operator", namespace);
    const installed = await readInstalled(world, options, bundle);
    const wanted = this.#chooseObjects(installed);
    await requirePullSecret(world, options);
    const patches = await this.#planPatches();
    await requirePermissions(world, listWritePermissions(options, installed, { wanted, patches }));
    // what would refuse a patch in the end refuses it now, and hides nothing of the objects
    const stops = await this.#tryPatches(patches).then(() => undefined, requireExpected);
    // a server that is away judges no object either
    if (isAway(stops)) throw stops;
    const runs = readOperatorVersion(installed.deployment, world.names);
    const tools = { deps: world, options, session: this.#session, runs };
    const steps: Evaluated[] = [];
    for (const one of wanted) steps.push(await evaluate(tools, one));
    return { steps, patches, runs, stops };
  }

  async #tryPatches(patches: readonly Patch[]): Promise<void> {
    for (const patch of patches) {
      this.#session.requireFree(patch);
      await this.#session.tryOut(patch);
    }
  }

  /** Throws what stands against the plan, and tells its warnings. */
  async judge(plan: BundlePlan): Promise<void> {
    const { world, options } = this;
    const { operatorVersion: version } = options.contents;
    const findings = plan.steps.flatMap((step) => step.findings);
    if (plan.stops !== undefined) throw joinFindings(plan.stops, findings, world.tell);
    if (findings.some(({ code }) => code === operatorFindings.fixedField.code)) {
      // once the operator is deleted, nothing tells any more whether the release may follow it
      await requirePrerequisites(world, { ...options, version }).catch((error: unknown) => {
        throw joinFindings(requireExpected(error), findings, world.tell);
      });
    }
    world.tell(requireFit(findings));
    world.tell(plan.steps.filter(isWritten).flatMap((step) => judgeHeldRights(step, world.names)));
    if (listChanges(plan).length > 0) await requirePrerequisites(world, { ...options, version });
    if (version === undefined) {
      world.recorder.note(
        "the release pins its operator by digest: which release it is cannot be determined",
      );
    }
  }

  /** Every write as it was tried; what is left as it is is told in its place. */
  listWrites({ steps, patches }: BundlePlan): readonly PlannedChange[] {
    const writes = tellWrites(this.world.recorder, this.#session, steps);
    return [...writes, ...patches.map((patch) => this.#session.tellPlanned(patch))];
  }

  /** The objects to write; throws where the operator is not to be upgraded by them. */
  #chooseObjects(installed: Installed): readonly DesiredObject[] {
    const { contents, registry, takeFields } = this.options;
    const { names, recorder } = this.world;
    if (isOlmDone(installed, contents.operatorVersion)) {
      recorder.note("OLM has brought the operator to the release: it writes it");
      return [];
    }
    requireOwn(this.world, gateOwners(installed, contents.operatorVersion));
    const wanted = this.#place(installed);
    const moved = wanted
      .filter(({ object }) => registry === undefined && isOperator(object, names))
      .flatMap(({ object }) => judgeRegistry(installed, object, takeFields));
    const findings = [...judgeDirection(installed, contents.operatorVersion), ...moved];
    if (findings.length > 0) throw new BlockedError(exitCodes.blocked, findings);
    return wanted;
  }

  #place(installed?: Installed): readonly DesiredObject[] {
    const { bundle, source } = this.options.contents;
    const result = placeBundle(bundle, {
      ...{ ...this.options, names: this.world.names },
      live: installed?.deployment,
      held: installed?.objects,
    });
    if (result.is === "placed") return result.objects;
    const stops = explainUnfit(result, source);
    if (stops instanceof UsageError) this.world.tell(result.findings);
    throw stops;
  }

  /** What has the clusters pull from the operator's registry, in the order of writing. */
  async #planPatches(): Promise<readonly Patch[]> {
    const { world, options } = this;
    const { names } = world;
    if (options.registry === undefined && options.pullSecret === undefined) return [];
    const clusters = await readClusters(world, options.namespace);
    world.tell(judgeClusterImages(clusters, options, names));
    const left = await readLeftMarks(world, clusters);
    const patches = clusterPatches(clusters, options, names).map((one) =>
      imagePatch(one, { names, left }),
    );
    const order = (patch: Patch): number => Number(isEarly(patch, names));
    return patches.sort((one, other) => order(other) - order(one));
  }
}

/** Writes a plan, and waits for the operator. */
export class BundleAct {
  readonly #session: Session;

  constructor(
    private readonly ports: ActingPorts,
    private readonly options: BundleOptions,
    private readonly plan: BundlePlan,
  ) {
    this.#session = new Session(ports, options);
  }

  async act(): Promise<Outcome> {
    const { ports, options, plan } = this;
    const details = describeDetails(plan.steps, options.contents, ports.names);
    try {
      return { code: exitCodes.ok, reason: await this.#run(), details };
    } catch (error) {
      return { ...this.#end(error), details };
    }
  }

  async #run(): Promise<string> {
    const { ports, options, plan } = this;
    this.#session.noteConfirmed(listChanges(plan));
    await this.#write(plan);
    const says = await waitForOperator(ports, options);
    await this.#patch(plan.patches.filter((patch) => !isEarly(patch, ports.names)));
    const to = options.contents.operatorVersion ?? "the release";
    return this.#session.written === 0
      ? `the operator is as ${to} has it already: nothing was written; it is ${says}`
      : `the operator is at ${to}: ${says}`;
  }

  async #write({ steps, patches }: BundlePlan): Promise<void> {
    const { ports, options, plan } = this;
    const bringing = { ports, options, session: this.#session, runs: plan.runs };
    for (const step of steps) {
      if (isOperator(step.object, ports.names)) {
        await this.#patch(patches.filter((patch) => isEarly(patch, ports.names)));
      }
      await bring(bringing, step);
    }
  }

  /** Patches clusters, each as what is stored by now needs it. */
  async #patch(patches: readonly Patch[]): Promise<void> {
    const { recorder, signal } = this.ports;
    for (const planned of patches) {
      signal.throwIfAborted();
      const patch = await this.#patchNow(planned);
      if (patch === undefined) recorder.addStep(describeStep(planned), "unchanged");
      else await this.#session.send(patch, () => this.#patchNow(planned));
    }
  }

  /** Undefined where the cluster is up to date by now, or gone; throws where it is other work. */
  async #patchNow(planned: Patch): Promise<Patch | undefined> {
    const { ports, options } = this;
    const { cluster, names } = ports;
    const stored = await cluster.get(changeRef(planned));
    const [patch] = clusterPatches(stored === undefined ? [] : [stored], options, names);
    if (patch === undefined) return undefined;
    if (isSamePatch(patch, planned, names)) {
      return imagePatch(patch, { names, left: await readLeftMarks(ports, [patch.object]) });
    }
    throw makeChangedError(undefined, objectLabel(planned.object));
  }

  /** After a write, the end says what stands. */
  #end(error: unknown): Outcome {
    const { recorder, tell } = this.ports;
    const { written } = this.#session;
    if (written === 0) return recorder.endByError(error, { tell });
    return recorder.endByError(error, {
      stands: written === 1 ? "1 write is done and stays" : `${written} writes are done and stay`,
      next: "run the same command again: it resumes from the state of the cluster",
      tell,
    });
  }
}
