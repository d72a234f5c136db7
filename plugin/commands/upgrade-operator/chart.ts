/**
 * Upgrades the operator by its chart (S20–S22): helm does it, hooks and definitions included; what
 * the chart owns is left to helm. Values that a person gave before are kept.
 */
import { waitForOperator } from "./follow";
import { readStandingNamespace } from "../../readers/ground";
import { findDeletion } from "../../domain/kube/deletion";
import { EngineError, exitCodes, BlockedError } from "../../domain/base/errors";
import { kinds } from "../../domain/kube/kinds";
import {
  type ChartRelease,
  type ChartUpgrade,
  helmWords,
  isDeployed,
} from "../../domain/operator/refusals";
import {
  type ChartWish,
  findRenderedOperator,
  judgeComparable,
  judgeFixedByChart,
  judgeRendered,
  type RenderedChart,
  strayImages,
} from "../../domain/operator/chart-images";
import { helm, readChartMarks } from "../../domain/operator/chart-marks";
import { operatorFinding } from "../../domain/operator/findings";
import { listImages, readOperatorVersion } from "../../domain/operator/wanted";
import { chartNeeds } from "./needs";
import { boundList, getPath, type Json, sameJson } from "../../domain/base/values";
import type { Facts } from "../../domain/facts/facts";
import { type Outcome, type Part, type Planned, makeStopped } from "../../kernel/part";
import type { World } from "../../kernel/world";
import { type Projection, unchanged } from "../../kernel/projection";
import { judgeChartChanges, withoutLost } from "./chart-changes";
import { type ChartFacts, gateChart, nameOperator } from "./chart-found";
import { requireFit } from "./evaluate";
import { compareStates } from "../../kernel/preview";
import { type ChartAhead, projectChart } from "./projection";
import { readBrought } from "./chart-definitions";
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
  /** Local changes that the chart wins. */
  readonly takeFields: readonly string[];
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
    const upgrade = await this.#describeUpgrade();
    const isThere = await this.#isThere(before, upgrade);
    if (!isThere) await requirePrerequisites(deps, options);
    const rendered = isThere ? nothingAhead : await this.#render(before, upgrade);
    const call = this.#planCall(upgrade, rendered);
    if (options.dryRun !== "none") {
      deps.recorder.addStep(
        isThere ? this.#describeCall(upgrade) : call,
        isThere ? "unchanged" : "planned",
      );
    }
    const reason = isThere
      ? "dry run: the chart is up to date already"
      : "dry run: one helm upgrade planned, nothing was changed";
    return {
      writes: [],
      calls: isThere ? [] : [call],
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

  /** Stops before the write where the operator would stay at another release, or helm be refused. */
  async #render(before: ChartFacts, upgrade: ChartUpgrade): Promise<ChartAhead> {
    const { deps, options } = this;
    const mode = options.dryRun === "client" ? "client" : "server";
    const rendered = await deps.helm.render(upgrade, mode);
    const wish = { ...this.#makeWish(before), live: before.deployment };
    const uncompared = judgeComparable(rendered, wish, upgrade);
    if (uncompared.length > 0) throw new BlockedError(exitCodes.conflict, uncompared);
    const findings = [
      ...judgeRendered(rendered, this.#makeWish(before)),
      ...judgeFixedByChart(rendered, before.deployment, deps.names),
    ];
    if (findings.length > 0) throw new BlockedError(exitCodes.blocked, findings);
    this.#requireUnchanged(before, rendered);
    const definitions = await readBrought(deps, options, rendered);
    return { objects: rendered.objects, definitions };
  }

  /** Stops at local changes of the operator's Deployment that the chart does not have. */
  #requireUnchanged({ deployment: live }: ChartFacts, rendered: RenderedChart): void {
    const { deps, options } = this;
    const wanted = findRenderedOperator(rendered, deps.names);
    if (live === undefined || wanted === undefined) return;
    const { findings, byHelm } = judgeChartChanges({ live, wanted }, options.takeFields);
    requireFit(findings);
    if (byHelm.length === 0) return;
    deps.recorder.note(
      `the chart changes or drops variables that helm has set before: ${boundList(byHelm)}`,
    );
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
    const { releaseName, chart, version, values } = this.options;
    const openShift = (await readPlatform(cluster)) === "openshift";
    const sets = openShift ? [`${names.operator.chartOpenShift}=true`] : [];
    return { name: releaseName, chart, version, sets, values };
  }

  /** As wanted already: that version is deployed, its operator runs, and no value is to be changed. */
  async #isThere(before: ChartFacts, { name, version, sets, values }: ChartUpgrade) {
    const { deployment, release } = before;
    if (!isDeployed(release, version) || values.length > 0) return false;
    if (strayImages(deployment, this.#makeWish(before)).length > 0) return false;
    if (sets.length === 0) return true;
    const path = this.deps.names.operator.chartOpenShift.split(".");
    return getPath(await this.deps.helm.values(name), path) === true;
  }

  #planCall(upgrade: ChartUpgrade, ahead: ChartAhead): StepInfo {
    const { deps, options } = this;
    const { releaseName, namespace } = options;
    const states = options.shows === true && this.#compareOperator(ahead);
    const write = makePlannedWrite({
      verb: "patch",
      ref: { resource: kinds.deployment, name: deps.names.operator.deployment, namespace },
      before: this.#before?.deployment,
      risk: "helm writes all objects of the chart, hooks and definitions included, and the operator's pod is recreated",
      reverse: deps.command(["helm", "rollback", releaseName]),
      command: deps.command(helmWords(upgrade)),
      ...(states && { states }),
    });
    return { ...this.#describeCall(upgrade), write };
  }

  /** The operator's Deployment as it is, and with what helm renders. */
  #compareOperator({ objects }: ChartAhead): ReturnType<typeof compareStates> | undefined {
    const { names } = this.deps;
    const rendered = findRenderedOperator({ objects, values: {} }, names);
    const live = this.#before?.deployment;
    if (rendered === undefined) return undefined;
    const { namespace } = this.options;
    const placed = { ...rendered, metadata: { ...rendered.metadata, namespace } };
    const object = live === undefined ? placed : withoutLost({ live, wanted: placed });
    const told = { id: "operator.chart", why: "", risk: "", reverse: "" };
    const change = { verb: "apply", resource: kinds.deployment, object, live, ...told } as const;
    return compareStates(change, undefined, names);
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

const nothingAhead: ChartAhead = { objects: [], definitions: [] };

function imagesIn(facts: ChartFacts | undefined): readonly (readonly [string, string])[] {
  return [...listImages(facts?.deployment)];
}
