/**
 * Upgrades the operator by its chart (S20–S22): helm does it, hooks and definitions included; what
 * the chart owns is left to helm. Values that a person gave before are kept.
 */
import { deletionOf } from "../../domain/kube/deletion";
import { EngineError, exitCodes, BlockedError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { kinds } from "../../domain/kube/kinds";
import type { KubeObject } from "../../domain/kube/objects";
import {
  type ChartRelease,
  chartReleaseOf,
  type ChartUpgrade,
  helmWords,
  isDeployed,
} from "../../domain/operator/refusals";
import {
  type ChartWish,
  judgeRendered,
  type RenderedChart,
  strayImages,
} from "../../domain/operator/chart-images";
import { operatorFinding } from "../../domain/operator/findings";
import { imagesOf, operatorVersionOf } from "../../domain/operator/wanted";
import { ownerOf } from "../../domain/kube/owners";
import { chartNeeds } from "./needs";
import { getPath, type Json, sameJson } from "../../domain/base/values";
import { requireNeeds } from "../../kernel/permissions";
import { Session } from "../../kernel/session";
import { plannedWrite, type StepInfo } from "../../domain/kube/planned-write";
import { requirePrerequisites } from "./prerequisites";
import type { Report } from "../../kernel/report";
import {
  type OperatorDeps,
  type OperatorOptions,
  platformOf,
  requireNamespace,
  waitForOperator,
} from "./read";

/** The chart's flags, judged. */
export interface ChartOptions extends OperatorOptions {
  readonly chart: string;
  readonly releaseName: string;
  readonly version: string;
  readonly values: string | undefined;
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
interface ChartDeps extends OperatorDeps {
  readonly helm: Helm;
  /** A helm command line for a person. */
  readonly helmCommand: (words: readonly string[]) => string;
}

/** `details` of the document, once the chart was read. */
export type ChartDetails = NonNullable<ReturnType<ChartUpgradeRun["details"]>>;

/** Upgrades; expected ends of every kind come back as a report. */
export async function upgradeByChart(deps: ChartDeps, options: ChartOptions): Promise<Report> {
  const run = new ChartUpgradeRun(deps, options);
  try {
    const reason = await run.run();
    return { ...deps.recorder.success(reason), details: run.details() };
  } catch (error) {
    return { ...deps.recorder.failure(error), details: run.details() };
  }
}

interface ChartFacts {
  readonly deployment: KubeObject | undefined;
  readonly release: ChartRelease | undefined;
}

class ChartUpgradeRun {
  #before: ChartFacts | undefined;
  #after: ChartFacts | undefined;

  constructor(
    private readonly deps: ChartDeps,
    private readonly options: ChartOptions,
  ) {}

  async run(): Promise<string> {
    const { deps, options } = this;
    await requireNeeds(deps, "upgrade-operator", chartNeeds({ ...options, names: deps.names }));
    await requireNamespace(deps, options.namespace);
    const before = await this.#read();
    this.#before = before;
    const deletion = deletionOf(before.deployment);
    if (deletion !== undefined) throw new BlockedError(exitCodes.blocked, [deletion]);
    this.#refuse(before);
    const upgrade = await this.#wanted();
    if (await this.#isThere(before, upgrade)) {
      deps.recorder.done(this.#info(upgrade), "unchanged");
      if (options.dryRun !== "none") return "dry run: the chart is up to date already";
      const says = await waitForOperator(deps, options);
      return `the chart is at ${options.version} already: nothing was written; the operator is ${says}`;
    }
    await requirePrerequisites(deps, options);
    await this.#requireUnpinned(before, upgrade);
    if (options.dryRun !== "none") return this.#dryRun(upgrade);
    const call = {
      step: this.#info(upgrade),
      send: () => deps.helm.upgrade(upgrade),
      end: () => Promise.resolve({ result: "changed", value: undefined } as const),
    };
    const session = new Session(deps, options);
    // the command itself asks for it: nobody is asked again
    session.confirmCalls([call]);
    await session.call(call);
    const says = await waitForOperator(deps, options);
    this.#after = await this.#read();
    const missed = this.#missed(before, this.#after);
    if (missed !== undefined) await this.#rollBack(session, before, missed);
    return `the chart is at ${options.version}: the operator is ${says}`;
  }

  /** Stops before the write where the operator would stay at another release. */
  async #requireUnpinned(before: ChartFacts, upgrade: ChartUpgrade): Promise<void> {
    const { deps, options } = this;
    const mode = options.dryRun === "client" ? "client" : "server";
    const findings = judgeRendered(await deps.helm.render(upgrade, mode), this.#asked(before));
    if (findings.length > 0) throw new BlockedError(exitCodes.blocked, findings);
  }

  /** Where this version of the chart is deployed, its image may be a person's own build. */
  #asked({ deployment, release }: ChartFacts): ChartWish {
    const { namespace, version } = this.options;
    const live = isDeployed(release, version) ? undefined : deployment;
    return { version, live, namespace, names: this.deps.names };
  }

  /** What is not as it was asked for, whatever helm says. */
  #missed(before: ChartFacts, { deployment, release }: ChartFacts): string | undefined {
    const { releaseName, version } = this.options;
    if (!isDeployed(release, version)) {
      const { chart = "none", status = "gone" } = release ?? {};
      return `release ${releaseName} has chart ${chart}, ${status}`;
    }
    const [stray] = strayImages(deployment, this.#asked(before));
    return stray && `container ${stray.container} runs ${stray.image}`;
  }

  /** Ends with 7 where helm's rollback brought back what was there, else with 8. */
  async #rollBack(session: Session, before: ChartFacts, missed: string): Promise<never> {
    const { deps, options } = this;
    const { releaseName, version } = options;
    const object = this.#object();
    const because = `after helm's upgrade to ${version} ${missed}`;
    const words = deps.helmCommand(["helm", "rollback", releaseName]);
    const call = {
      step: { ...this.#step(), id: "operator.rollback", why: `${because}: helm rollback` },
      send: () => deps.helm.rollback(releaseName),
      end: () => Promise.resolve({ result: "changed", value: undefined } as const),
    };
    session.confirmCalls([call]);
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
    const fix = `see helm history ${releaseName}, then bring the release before back with ${words}`;
    const finding = operatorFinding("chartMissed", { object, cause, fix });
    throw new BlockedError(exitCodes.rollbackIncomplete, [finding]);
  }

  /** What helm changed: charts, operators, images before and after. */
  details() {
    const { names } = this.deps;
    if (this.#before === undefined) return undefined;
    const shown = ({ deployment, release }: ChartFacts) => ({
      chart: release?.chart ?? "none",
      operator: operatorVersionOf(deployment, names) ?? "none",
      images: [...imagesOf(deployment)].map(([name, image]) => `${name}: ${image}`),
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
    return { deployment, release };
  }

  #refuse(found: ChartFacts): void {
    const findings = [...this.#otherOwner(found), ...this.#pending(found)];
    if (findings.length > 0) throw new BlockedError(exitCodes.conflict, findings.slice(0, 1));
  }

  #otherOwner({ deployment, release }: ChartFacts): readonly Finding[] {
    const { releaseName } = this.options;
    const object = this.#object();
    const owner = deployment === undefined ? undefined : ownerOf(deployment);
    if (owner !== undefined && owner.name !== "Helm") {
      const cause = `${owner.name} owns the operator and would undo or fight the change`;
      return [operatorFinding("owned", { object, cause, fix: owner.way })];
    }
    const held = deployment === undefined ? undefined : chartReleaseOf(deployment);
    if (release !== undefined && (deployment === undefined || held === releaseName)) return [];
    const other = held === undefined ? "no chart" : `release ${held} of a chart`;
    const cause = `the operator was installed by ${other}, not by release ${releaseName}`;
    const fix = held === undefined ? this.#adoption() : `give --release-name ${held}`;
    return [operatorFinding("notChart", { object, cause, fix })];
  }

  #pending({ release }: ChartFacts): readonly Finding[] {
    if (release?.status.startsWith("pending-") !== true) return [];
    const { name, status } = release;
    const rollback = this.deps.helmCommand(["helm", "rollback", name]);
    const cause = `helm left release ${name} in state ${status}: an earlier run was cut off`;
    const fix = `run ${rollback}, then run again`;
    return [operatorFinding("chartPending", { object: this.#object(), cause, fix })];
  }

  #object(): string {
    return `Deployment/${this.options.namespace}/${this.deps.names.operator.deployment}`;
  }

  /** What makes helm take objects that it did not make. */
  #adoption(): string {
    const { command, names } = this.deps;
    const { releaseName, namespace } = this.options;
    const what = ["deployment", names.operator.deployment];
    const label = command(["kubectl", "label", ...what, "app.kubernetes.io/managed-by=Helm"]);
    const marks = [
      `meta.helm.sh/release-name=${releaseName}`,
      `meta.helm.sh/release-namespace=${namespace}`,
    ];
    const annotate = command(["kubectl", "annotate", ...what, ...marks]);
    return `use the bundle with --release; or let a chart adopt every object of the operator, for this one with ${label} and ${annotate}, and install it with helm`;
  }

  async #wanted(): Promise<ChartUpgrade> {
    const { names, cluster } = this.deps;
    const { releaseName, chart, version, values } = this.options;
    const openShift = (await platformOf(cluster)) === "openshift";
    const sets = openShift ? [`${names.operator.chartOpenShift}=true`] : [];
    return { name: releaseName, chart, version, sets, values };
  }

  /** As wanted already: that version is deployed, its operator runs, and no value is to be changed. */
  async #isThere(before: ChartFacts, { name, version, sets, values }: ChartUpgrade) {
    const { deployment, release } = before;
    if (!isDeployed(release, version) || values !== undefined) return false;
    if (strayImages(deployment, this.#asked(before)).length > 0) return false;
    if (sets.length === 0) return true;
    const path = this.deps.names.operator.chartOpenShift.split(".");
    return getPath(await this.deps.helm.values(name), path) === true;
  }

  #dryRun(upgrade: ChartUpgrade): string {
    const { deps, options } = this;
    const info = this.#info(upgrade);
    const { releaseName, namespace } = options;
    const write = plannedWrite({
      verb: "patch",
      ref: { resource: kinds.deployment, name: deps.names.operator.deployment, namespace },
      before: this.#before?.deployment,
      risk: "helm writes all objects of the chart, hooks and definitions included, and the operator's pod is recreated",
      reverse: deps.helmCommand(["helm", "rollback", releaseName]),
      command: deps.helmCommand(helmWords(upgrade)),
    });
    deps.recorder.done({ ...info, write }, "planned");
    return "dry run: one helm upgrade planned, nothing was changed";
  }

  #step() {
    const { namespace, releaseName } = this.options;
    const object = `Release/${namespace}/${releaseName}`;
    return { id: "operator.chart", action: "chart", object } as const;
  }

  #info({ chart, version, sets }: ChartUpgrade): StepInfo {
    const settings = sets.length === 0 ? "" : ` with ${sets.join(", ")}`;
    return {
      ...this.#step(),
      why: `chart ${chart} at ${version}${settings} (S20, S21)`,
    };
  }
}

function imagesIn(facts: ChartFacts | undefined): readonly (readonly [string, string])[] {
  return [...imagesOf(facts?.deployment)];
}
