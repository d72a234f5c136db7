/**
 * Upgrades the operator by its chart (S20–S22): helm does it, hooks and definitions included; what
 * the chart owns is left to helm. Values that a person gave before are kept.
 */
import { waitForOperator } from "./follow";
import { readStandingNamespace } from "../../readers/ground";
import { findDeletion } from "../../domain/kube/deletion";
import { EngineError, exitCodes, BlockedError } from "../../domain/base/errors";
import { kinds } from "../../domain/kube/kinds";
import { isKubeObject } from "../../domain/kube/objects";
import {
  type ChartRelease,
  type ChartUpgrade,
  changesMore,
  type HelmFlag,
  helmWords,
  isDeployed,
} from "../../domain/operator/refusals";
import { describeHook } from "../../domain/operator/chart-hooks";
import {
  type ChartWish,
  type DeployedChart,
  judgeComparable,
  judgeRendered,
  type RenderedChart,
  strayImages,
} from "../../domain/operator/chart-images";
import { listUnstable } from "../../domain/operator/chart-renders";
import { type ChartHome, helm, readChartMarks } from "../../domain/operator/chart-marks";
import { operatorFinding } from "../../domain/operator/findings";
import { listImages, readOperatorVersion } from "../../domain/operator/wanted";
import { chartNeeds } from "./needs";
import { boundList, getPath, type Json, sameJson } from "../../domain/base/values";
import type { Facts } from "../../domain/facts/facts";
import { type Outcome, type Part, type Planned, makeStopped } from "../../kernel/part";
import type { World } from "../../kernel/world";
import { type Projection, unchanged } from "../../kernel/projection";
import { type ChartFacts, gateChart, nameOperator } from "./chart-found";
import { requireFit } from "./evaluate";
import { type ChartAhead, projectChart } from "./projection";
import { readBrought } from "./chart-definitions";
import { helmManager, planChartObjects } from "./chart-objects";
import { listChartSteps, type ToldStep } from "./chart-steps";
import { Session } from "../../kernel/session";
import { makePlannedWrite, type StepInfo } from "../../domain/kube/planned-write";
import { requirePrerequisites } from "./prerequisites";
import {
  type OperatorDeps,
  type OperatorOptions,
  readOwned,
  readPlatform,
  requireOwn,
} from "./read";

/** The chart's flags, judged. */
export interface ChartOptions extends OperatorOptions {
  readonly chart: string;
  readonly releaseName: string;
  readonly version: string;
  readonly values: readonly string[];
  readonly given: readonly HelmFlag[];
  /** Where helm keeps the records of its releases. */
  readonly home: ChartHome;
  /** Local changes that the chart wins. */
  readonly takeFields: readonly string[];
  /** Objects that are accepted although they are unusual, or hold data and are deleted; absent: none. */
  readonly allowObjects?: readonly string[];
}

/** Helm, as far as it is used here. */
export interface Helm {
  /** The release of that name in the namespace, whatever its state; undefined when there is none. */
  find(name: string): Promise<ChartRelease | undefined>;
  /** The values that a person has given so far. */
  values(name: string): Promise<Json>;
  /** Throws when helm ends with an error of its own. */
  upgrade(upgrade: ChartUpgrade): Promise<void>;
  /** What it would write; the server's dry run asks the API server too. */
  render(upgrade: ChartUpgrade, mode: "client" | "server"): Promise<RenderedChart>;
  /** What it has written as the release is deployed today. */
  manifest(name: string): Promise<DeployedChart>;
  /** Back to the revision before. */
  rollback(name: string): Promise<void>;
}

/** The world around a run, helm with it. */
interface ChartDeps extends OperatorDeps, Pick<World, "tell"> {
  readonly helm: Helm;
}

/** What the part is told. */
export interface ChartPartOptions extends ChartOptions {
  /** Helm as long as something is done with it. */
  readonly withHelm: <T>(work: (helm: Helm) => Promise<T>) => Promise<T>;
  /** What the cluster was before a whole upgrade, for what is planned after this part; absent: nothing is. */
  readonly before?: Facts;
  /** The plan tells the operator's Deployment as it is and as it would be. */
  readonly shows?: boolean;
}

/** `details` of the document, once the chart was read. */
export type ChartDetails = NonNullable<ReturnType<ChartUpgradeRun["describeDetails"]>>;

/** Upgrades the operator by its chart. */
export function chartPart(options: ChartPartOptions): Part {
  const { withHelm } = options;
  return {
    command: "upgrade-operator",
    needs: (names) => chartNeeds({ ...options, names }),
    plan: (world) =>
      withHelm(async (helm) => {
        const run = new ChartUpgradeRun({ ...world, helm }, { ...options, dryRun: world.dryRun });
        return await run.plan();
      }),
  };
}

class ChartUpgradeRun {
  #before: ChartFacts | undefined;
  #after: ChartFacts | undefined;

  constructor(
    private readonly deps: ChartDeps,
    private readonly options: ChartPartOptions,
  ) {}

  async plan(): Promise<Planned> {
    const { deps, options } = this;
    await readStandingNamespace(deps, "upgrade-operator", options.namespace);
    const before = await this.#read();
    this.#before = before;
    try {
      return await this.#makePlanned(before);
    } catch (error) {
      const stops = makeStopped(error, this.#project(nothingAhead));
      return { ...stops, expects: { ...stops.expects, details: this.describeDetails() } };
    }
  }

  async #makePlanned(before: ChartFacts): Promise<Planned> {
    const { deps, options } = this;
    const deletion = findDeletion(before.deployment);
    if (deletion !== undefined) throw new BlockedError(exitCodes.blocked, [deletion]);
    requireOwn(deps, gateChart(options, before));
    const described = await this.#describeUpgrade();
    const isThere = await this.#isThere(before, described);
    if (!isThere) await requirePrerequisites(deps, options);
    const rendered = isThere ? nothingAhead : await this.#render(before, described);
    const { steps, takes } = rendered;
    const upgrade = { ...described, takes };
    const call = this.#planCall(upgrade);
    if (options.dryRun !== "none") {
      deps.recorder.addStep(
        isThere ? this.#describeCall(upgrade) : call,
        isThere ? "unchanged" : "planned",
      );
      for (const { info, result } of steps) deps.recorder.addStep(info, result);
    }
    const planned = steps.filter(({ result }) => result === "planned").map(({ info }) => info);
    const reason = isThere
      ? "dry run: the chart is up to date already"
      : "dry run: one helm upgrade planned, nothing was changed";
    return {
      writes: [],
      calls: isThere ? [] : [call, ...planned],
      questions: [],
      expects: { code: exitCodes.ok, reason, details: this.describeDetails() },
      after: this.#project(rendered),
      act: (ports) =>
        options.withHelm(async (helm) => {
          const run = new ChartUpgradeRun({ ...ports, helm }, { ...options, dryRun: "none" });
          return await run.act(before, isThere ? undefined : upgrade);
        }),
    };
  }

  /** The operator as helm renders it, ready; what else a chart writes is not foretold. */
  #project(rendered: ChartAhead): Projection {
    const { before, version } = this.options;
    return before === undefined ? unchanged : projectChart(before, rendered, version);
  }

  /** What helm has begun is told, with the charts before and after. */
  async act(before: ChartFacts, upgrade: ChartUpgrade | undefined): Promise<Outcome> {
    const { recorder, tell } = this.deps;
    this.#before = before;
    try {
      const reason = await (upgrade === undefined ? this.#stay() : this.#upgrade(before, upgrade));
      return { code: exitCodes.ok, reason, details: this.describeDetails() };
    } catch (error) {
      return { ...recorder.endByError(error, { tell }), details: this.describeDetails() };
    }
  }

  async #stay(): Promise<string> {
    const { deps, options } = this;
    deps.recorder.addStep(this.#describeCall(await this.#describeUpgrade()), "unchanged");
    const says = await waitForOperator(deps, options);
    return `the chart is at ${options.version} already: nothing was written; the operator is ${says}`;
  }

  async #upgrade(before: ChartFacts, upgrade: ChartUpgrade): Promise<string> {
    const { deps, options } = this;
    const call = {
      step: this.#describeCall(upgrade),
      send: () => deps.helm.upgrade(upgrade),
      end: () => Promise.resolve({ result: "changed", value: undefined } as const),
    };
    const session = new Session(deps, options);
    // the command itself asks for it: nobody is asked again
    session.noteConfirmedCalls([call]);
    await session.call(call);
    const says = await waitForOperator(deps, options);
    this.#after = await this.#read();
    const missed = this.#findMissed(before, this.#after);
    if (missed !== undefined) await this.#rollBack(session, before, missed);
    return `the chart is at ${options.version}: the operator is ${says}`;
  }

  /** Stops before the write where the operator would stay at another release, or something be lost or refused. */
  async #render(before: ChartFacts, upgrade: ChartUpgrade): Promise<ChartPlanned> {
    const { deps, options } = this;
    const { names, recorder, tell, command } = deps;
    const { namespace, releaseName, takeFields, allowObjects = [] } = options;
    // where the run is not a plan, the server is asked all the same
    const dryRun = options.dryRun === "client" ? "client" : "server";
    const rendered = await deps.helm.render(upgrade, dryRun);
    const wish = { ...this.#makeWish(before), live: before.deployment };
    const uncompared = judgeComparable(rendered, wish, upgrade);
    if (uncompared.length > 0) throw new BlockedError(exitCodes.conflict, uncompared);
    const pinned = judgeRendered(rendered, this.#makeWish(before));
    if (pinned.length > 0) throw new BlockedError(exitCodes.blocked, pinned);
    const deployed = await this.#readDeployed(before);
    // certificates and passwords that a chart generates are others in every render
    const again = await deps.helm.render(upgrade, dryRun);
    const unstable = listUnstable(
      rendered.objects.filter(isKubeObject),
      again.objects.filter(isKubeObject),
      namespace,
    );
    const session = new Session(deps, { ...options, dryRun, fieldManager: helmManager });
    const planned = await planChartObjects(
      { deps, session, dryRun, namespace, releaseName, takeFields, allowObjects, unstable },
      rendered,
      deployed,
    );
    const { ahead: definitions, findings } = await readBrought(deps, options, rendered);
    // what a definition comes to says more than the words in which the API server refuses it
    const stopped = findings.flatMap(({ severity, object }) =>
      severity === "error" ? [object] : [],
    );
    const others = planned.findings.filter(({ object }) => !stopped.includes(object));
    tell(requireFit([...others, ...findings]));
    if (dryRun === "client") recorder.note(noLookup);
    if (planned.byHelm.length > 0) {
      recorder.note(
        `the chart changes or drops variables that helm has set before: ${boundList(planned.byHelm)}`,
      );
    }
    for (const { hook, event, label } of planned.hooks) {
      recorder.note(`helm runs ${label}: ${describeHook(hook, event)}`);
    }
    const shows = options.shows === true;
    const telling = { names, command, releaseName, shows, namespace, unstable };
    const steps = listChartSteps(planned, telling);
    const takes = rendered.appliesOnServer === true && planned.takes ? true : undefined;
    return { objects: rendered.objects, definitions, steps, takes };
  }

  /** The objects that helm merges from; none where it knows no release. */
  async #readDeployed({ release }: ChartFacts): Promise<DeployedChart> {
    return release === undefined ? { objects: [] } : await this.deps.helm.manifest(release.name);
  }

  /** Where this version of the chart is deployed, its image may be a person's own build. */
  #makeWish({ deployment, release }: ChartFacts): ChartWish {
    const { namespace, version } = this.options;
    const live = isDeployed(release, version) ? undefined : deployment;
    return { version, live, namespace, names: this.deps.names };
  }

  /** What is not as it was asked for, whatever helm says. */
  #findMissed(before: ChartFacts, { deployment, release }: ChartFacts): string | undefined {
    const { releaseName, version } = this.options;
    if (!isDeployed(release, version)) {
      const { chart = "none", status = "gone" } = release ?? {};
      return `release ${releaseName} has chart ${chart}, ${status}`;
    }
    const [stray] = strayImages(deployment, this.#makeWish(before));
    return stray && `container ${stray.container} runs ${stray.image}`;
  }

  /** Ends with 7 where helm's rollback brought back what was there, else with 8. */
  async #rollBack(session: Session, before: ChartFacts, missed: string): Promise<never> {
    const { deps, options } = this;
    const { releaseName, version } = options;
    const object = nameOperator(deps.names, options);
    const because = `after helm's upgrade to ${version} ${missed}`;
    const call = {
      step: { ...this.#step(), id: "operator.rollback", why: `${because}: helm rollback` },
      send: () => deps.helm.rollback(releaseName),
      end: () => Promise.resolve({ result: "changed", value: undefined } as const),
    };
    session.noteConfirmedCalls([call]);
    let failure = "the operator's images are not those of before";
    try {
      await session.call(call);
      await waitForOperator(deps, options);
      this.#after = await this.#read();
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      failure = error.message;
    }
    if (sameJson(imagesIn(this.#after), imagesIn(before))) {
      const cause = `${because}; helm's rollback brought the release before back`;
      const finding = operatorFinding("chartMissed", { object, cause });
      throw new BlockedError(exitCodes.rolledBack, [finding]);
    }
    const cause = `${because}; the rollback is incomplete: ${failure}`;
    const at = [releaseName, `--namespace=${options.namespace}`];
    const remedies = [
      {
        ...helm("see what helm has done", "history", ...at),
        then: helm("bring the release before back", "rollback", ...at),
      },
    ];
    const finding = operatorFinding("chartMissed", { object, cause, remedies });
    throw new BlockedError(exitCodes.rollbackIncomplete, [finding]);
  }

  /** What helm changed: charts, operators, images before and after. */
  describeDetails() {
    const { names } = this.deps;
    if (this.#before === undefined) return undefined;
    const shown = ({ deployment, release }: ChartFacts) => ({
      chart: release?.chart ?? "none",
      operator: readOperatorVersion(deployment, names) ?? "none",
      images: [...listImages(deployment)].map(([name, image]) => `${name}: ${image}`),
    });
    return {
      release: this.options.releaseName,
      before: shown(this.#before),
      ...(this.#after !== undefined && { after: shown(this.#after) }),
    };
  }

  async #read(): Promise<ChartFacts> {
    const { cluster, names, helm, signal } = this.deps;
    const { namespace, releaseName } = this.options;
    const ref = { resource: kinds.deployment, name: names.operator.deployment, namespace };
    const [deployment, release] = await Promise.all([
      cluster.get(ref, { signal }),
      helm.find(releaseName),
    ]);
    const marks = deployment && readChartMarks(deployment);
    const isOther = marks !== undefined && marks.name !== releaseName;
    const marked = isOther ? await helm.find(marks.name) : undefined;
    const objects = deployment === undefined ? [] : [deployment];
    const owned = await readOwned(this.deps, namespace, { deployment, objects });
    return { ...owned, release, marked };
  }

  async #describeUpgrade(): Promise<ChartUpgrade> {
    const { names, cluster } = this.deps;
    const { releaseName, chart, version, values, given } = this.options;
    const openShift = (await readPlatform(cluster)) === "openshift";
    const sets = openShift ? [`${names.operator.chartOpenShift}=true`] : [];
    return { name: releaseName, chart, version, sets, values, given };
  }

  /** As wanted already: that version is deployed, its operator runs, and no value is to be changed. */
  async #isThere(before: ChartFacts, { name, version, sets, ...more }: ChartUpgrade) {
    const { deployment, release } = before;
    if (!isDeployed(release, version) || changesMore(more)) return false;
    if (strayImages(deployment, this.#makeWish(before)).length > 0) return false;
    if (sets.length === 0) return true;
    const path = this.deps.names.operator.chartOpenShift.split(".");
    return getPath(await this.deps.helm.values(name), path) === true;
  }

  #planCall(upgrade: ChartUpgrade): StepInfo {
    const { deps, options } = this;
    const { releaseName, namespace } = options;
    const write = makePlannedWrite({
      verb: "patch",
      ref: { resource: kinds.deployment, name: deps.names.operator.deployment, namespace },
      before: this.#before?.deployment,
      risk: "helm writes all objects of the chart, hooks and definitions included, and the operator's pod is recreated",
      reverse: deps.command(["helm", "rollback", releaseName]),
      command: deps.command(helmWords(upgrade)),
    });
    return { ...this.#describeCall(upgrade), write };
  }

  #step() {
    const { namespace, releaseName } = this.options;
    const object = `Release/${namespace}/${releaseName}`;
    return { id: "operator.chart", action: "chart", object } as const;
  }

  #describeCall({ chart, version, sets }: ChartUpgrade): StepInfo {
    const settings = sets.length === 0 ? "" : ` with ${sets.join(", ")}`;
    return {
      ...this.#step(),
      why: `chart ${chart} at ${version}${settings}`,
      source: "S20, S21",
    };
  }
}

/** What helm renders, and the steps by which a plan tells it. */
interface ChartPlanned extends ChartAhead {
  readonly steps: readonly ToldStep[];
  readonly takes?: ChartUpgrade["takes"];
}

const noLookup =
  "with --dry-run=client helm evaluates no lookup: what a chart looks up in the cluster counts as absent";

const nothingAhead: ChartPlanned = { objects: [], definitions: [], steps: [] };

function imagesIn(facts: ChartFacts | undefined): readonly (readonly [string, string])[] {
  return [...listImages(facts?.deployment)];
}
