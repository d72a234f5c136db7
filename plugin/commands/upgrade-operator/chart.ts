/**
 * Upgrades the operator by its chart (S20–S22): helm does it, hooks and definitions included; what
 * the chart owns is left to helm. Values that a person gave before are kept.
 */
import { waitForOperator } from "./follow";
import { readStandingNamespace } from "../../readers/ground";
import { findDeletion } from "../../domain/kube/deletion";
import { EngineError, exitCodes, BlockedError } from "../../domain/base/errors";
import { kinds } from "../../domain/kube/kinds";
import type { PlannedChange } from "../../domain/kube/change";
import { isKubeObject, type KubeObject } from "../../domain/kube/objects";
import {
  type ChartRelease,
  type ChartUpgrade,
  changesMore,
  type HelmFlag,
  helmWords,
  isDeployed,
} from "../../domain/operator/refusals";
import { describeHook, runsJob } from "../../domain/operator/chart-hooks";
import {
  type ChartWish,
  type DeployedChart,
  judgeComparable,
  judgeRendered,
  type RenderedChart,
  strayImages,
} from "../../domain/operator/chart-images";
import { listUnstable, type Unstable } from "../../domain/operator/chart-renders";
import { type ChartHome, helm, readChartMarks } from "../../domain/operator/chart-marks";
import { operatorFinding } from "../../domain/operator/findings";
import { listImages, readOperatorVersion } from "../../domain/operator/wanted";
import { chartNeeds } from "./needs";
import { boundList, countNoun, getPath, type Json, sameJson } from "../../domain/base/values";
import type { Finding } from "../../domain/base/findings";
import { requirePermissions } from "../../kernel/permissions";
import type { Facts } from "../../domain/facts/facts";
import { type Outcome, type Part, type Planned, makeStopped } from "../../kernel/part";
import type { World } from "../../kernel/world";
import { type Projection, unchanged } from "../../kernel/projection";
import { type ChartFacts, describeWriter, gateChart, nameOperator, seekRelease } from "./chart-found";
import { requireFit } from "./evaluate";
import { type ChartAhead, projectChart } from "./projection";
import { bring, tellWrites } from "./bring";
import { type Evaluated, listWritePermissions, listWrites } from "./changes";
import { readBrought } from "./chart-definitions";
import { evaluateFolder, judgeFolder, listDesired } from "./chart-folder";
import { type ChartObjects, helmManager, planChartObjects } from "./chart-objects";
import { compareWithRender } from "./chart-proof";
import { ChartReader } from "./chart-reader";
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
  searchRecords,
} from "./read";

/** The chart's flags, judged. */
export interface ChartOptions extends OperatorOptions {
  readonly chart: string;
  readonly releaseName: string;
  readonly version: string;
  readonly values: readonly string[];
  readonly given: readonly HelmFlag[];
  /** The definitions of the chart's crds/ folder are applied before helm runs. */
  readonly applyCrds: boolean;
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
  manifest(release: ChartRelease): Promise<DeployedChart>;
  /** The definitions of the chart's crds/ folder. */
  folderDefinitions(upgrade: ChartUpgrade): Promise<readonly KubeObject[]>;
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
    this.#requireOwn(before);
    const upgrade = await this.#describeUpgrade();
    const isThere = await this.#isThere(before, upgrade);
    if (!isThere) await requirePrerequisites(deps, options);
    const definitions = isThere && !options.applyCrds ? [] : await this.#readFolder(upgrade);
    const folder = options.applyCrds
      ? await this.#planFolder(before, definitions)
      : nothingInFolder;
    if (isThere) deps.tell(requireFit(folder.findings));
    const read = { before, upgrade, definitions, folder };
    const rendered = isThere ? nothingAhead : await this.#render(read);
    const call = this.#planCall(upgrade);
    const { steps } = rendered;
    const writes = this.#tellFolder(folder);
    if (options.dryRun !== "none") {
      deps.recorder.addStep(
        isThere ? this.#describeCall(upgrade) : call,
        isThere ? "unchanged" : "planned",
      );
      for (const { info, result } of steps) deps.recorder.addStep(info, result);
    }
    const planned = steps.filter(({ result }) => result === "planned").map(({ info }) => info);
    return {
      writes,
      calls: isThere ? [] : [call, ...planned],
      questions: [],
      expects: {
        code: exitCodes.ok,
        reason: describePlan(isThere, writes.length),
        details: this.describeDetails(),
      },
      after: this.#project({
        ...rendered,
        definitions: [...rendered.definitions, ...folder.steps.map(({ object }) => object)],
      }),
      act: (ports) =>
        options.withHelm(async (helm) => {
          const run = new ChartUpgradeRun({ ...ports, helm }, { ...options, dryRun: "none" });
          return await run.act({ before, upgrade, folder, ...(!isThere && { rendered }) });
        }),
    };
  }

  /** Stops where the operator is not this release's to upgrade; what cannot be seen of that is told. */
  #requireOwn(before: ChartFacts): void {
    const { deps, options } = this;
    const deletion = findDeletion(before.deployment);
    if (deletion !== undefined) throw new BlockedError(exitCodes.blocked, [deletion]);
    requireOwn(deps, gateChart(options, before));
    for (const text of describeWriter(before)) deps.recorder.note(text);
  }

  /** The operator as helm renders it, ready; what else a chart writes is not foretold. */
  #project(rendered: ChartAhead): Projection {
    const { before, version } = this.options;
    return before === undefined ? unchanged : projectChart(before, rendered, version);
  }

  /** What helm has begun is told, with the charts before and after. */
  async act(acting: ChartActing): Promise<Outcome> {
    const { recorder, tell } = this.deps;
    const { before, upgrade, rendered } = acting;
    this.#before = before;
    const session = new Session(this.deps, this.options);
    try {
      await this.#bringFolder(session, acting);
      const reason = await (rendered === undefined
        ? this.#stay(upgrade, session.written)
        : this.#upgrade(before, upgrade, rendered));
      return { code: exitCodes.ok, reason, details: this.describeDetails() };
    } catch (error) {
      const { written } = session;
      const stands = `${countNoun(written, "write")} to the definitions of the chart's crds/ folder ${written === 1 ? "stays" : "stay"}`;
      const midway = { tell, ...(written > 0 && { stands }) };
      return { ...recorder.endByError(error, midway), details: this.describeDetails() };
    }
  }

  async #bringFolder(session: Session, { before, folder }: ChartActing): Promise<void> {
    const { steps } = folder;
    session.noteConfirmed(steps.flatMap(listWrites));
    for (const step of steps)
      await bring({ ports: this.deps, ...this.#judging(before, session) }, step);
  }

  async #stay(upgrade: ChartUpgrade, written: number): Promise<string> {
    const { deps, options } = this;
    deps.recorder.addStep(this.#describeCall(upgrade), "unchanged");
    const says = await waitForOperator(deps, options);
    const wrote =
      written === 0 ? "nothing was written" : "the definitions of its crds/ folder were applied";
    return `the chart is at ${options.version} already: ${wrote}; the operator is ${says}`;
  }

  async #upgrade(
    before: ChartFacts,
    upgrade: ChartUpgrade,
    rendered: ChartPlanned,
  ): Promise<string> {
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
    const { namespace } = options;
    const reader = new ChartReader(deps, namespace);
    const compared = await compareWithRender(reader, rendered, { ...rendered, namespace });
    deps.tell(compared.findings);
    return `the chart is at ${options.version}: the operator is ${says}; ${compared.says}`;
  }

  /** The definitions of crds/; where helm does not show them and they are not to be applied, that is a note. */
  async #readFolder(upgrade: ChartUpgrade): Promise<readonly KubeObject[]> {
    const { helm, recorder } = this.deps;
    try {
      return await helm.folderDefinitions(upgrade);
    } catch (error) {
      const isHelms = error instanceof EngineError && error.code === "HELM-FAILED";
      if (!isHelms || this.options.applyCrds) throw error;
      recorder.note(
        `whether the definitions in the chart's crds/ folder differ from the stored ones is not known: ${error.message}`,
      );
      return [];
    }
  }

  async #planFolder(before: ChartFacts, definitions: readonly KubeObject[]): Promise<FolderPlan> {
    const { deps, options } = this;
    const session = new Session(deps, options);
    const wanted = listDesired(definitions);
    const permissions = listWritePermissions(options, { objects: [] }, { wanted, patches: [] });
    await requirePermissions(deps, permissions);
    const evaluating = { deps, ...this.#judging(before, session) };
    const steps = await evaluateFolder(evaluating, definitions);
    return { steps, findings: steps.flatMap(({ findings }) => findings) };
  }

  /** What definitions are judged with, which helm has made. */
  #judging({ deployment }: ChartFacts, session: Session) {
    const { names } = this.deps;
    const { version: operatorVersion } = this.options;
    const contents = { operatorVersion };
    return {
      options: {
        ...this.options,
        ...{ contents, registry: undefined, pullSecret: undefined },
        byHelm: true,
      },
      session,
      runs: readOperatorVersion(deployment, names),
    } as const;
  }

  #tellFolder({ steps }: FolderPlan): readonly PlannedChange[] {
    const { deps, options } = this;
    if (options.dryRun === "none") return steps.flatMap(listWrites).map((change) => ({ change }));
    return tellWrites(deps.recorder, new Session(deps, options), steps);
  }

  /** Stops before the write where the operator would stay at another release, or something be lost or refused. */
  async #render({ before, upgrade, definitions, folder }: ChartRead): Promise<ChartPlanned> {
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
    const byJob = runsJob(rendered.hooks) ? definitions : [];
    const { ahead, findings } = await readBrought(deps, options, rendered, byJob);
    const isLeft = byJob.length === 0 && !options.applyCrds;
    const left = isLeft ? await judgeFolder(deps, definitions, options.version) : folder.findings;
    // what a definition comes to says more than the words in which the API server refuses it
    const stopped = findings.flatMap(({ severity, object }) =>
      severity === "error" ? [object] : [],
    );
    const others = planned.findings.filter(({ object }) => !stopped.includes(object));
    tell(requireFit([...others, ...findings, ...left]));
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
    const { written, leaving } = planned;
    return { objects: rendered.objects, definitions: ahead, steps, written, leaving, unstable };
  }

  /** The objects that helm merges from; none where it knows no release. */
  async #readDeployed({ release }: ChartFacts): Promise<DeployedChart> {
    return release === undefined ? { objects: [] } : await this.deps.helm.manifest(release);
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
    const facts = { ...owned, release, marked };
    const sought = seekRelease(this.options, facts);
    return sought === undefined
      ? facts
      : { ...facts, search: await searchRecords(this.deps, sought) };
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

/** What helm renders, the steps by which a plan tells it, and what the end is compared with. */
interface ChartPlanned extends ChartAhead, Pick<ChartObjects, "written" | "leaving"> {
  readonly steps: readonly ToldStep[];
  /** What a second render gives differently. */
  readonly unstable: Unstable;
}

/** What --apply-crds would write. */
interface FolderPlan {
  readonly steps: readonly Evaluated[];
  readonly findings: readonly Finding[];
}

const nothingInFolder: FolderPlan = { steps: [], findings: [] };

/** What a render is judged with. */
interface ChartRead {
  readonly before: ChartFacts;
  readonly upgrade: ChartUpgrade;
  /** Of the chart's crds/ folder. */
  readonly definitions: readonly KubeObject[];
  readonly folder: FolderPlan;
}

/** A plan that is carried out. */
interface ChartActing extends Omit<ChartRead, "definitions"> {
  /** Absent: the chart is at that version already. */
  readonly rendered?: ChartPlanned;
}

function describePlan(isThere: boolean, definitions: number): string {
  const planned = [
    ...(definitions === 0 ? [] : [countNoun(definitions, "write")]),
    ...(isThere ? [] : ["one helm upgrade"]),
  ];
  return planned.length === 0
    ? "dry run: the chart is up to date already"
    : `dry run: ${planned.join(" and ")} planned, nothing was changed`;
}

const noLookup =
  "with --dry-run=client helm evaluates no lookup: what a chart looks up in the cluster counts as absent";

const nothingAhead: ChartPlanned = {
  ...{ objects: [], definitions: [], steps: [], written: [], leaving: [] },
  unstable: new Map(),
};

function imagesIn(facts: ChartFacts | undefined): readonly (readonly [string, string])[] {
  return [...listImages(facts?.deployment)];
}
