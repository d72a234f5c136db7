/** The plan of an upgrade by chart: it reads and judges, and writes nothing (S20). */
import { BlockedError, exitCodes } from "../../domain/base/errors";
import { boundList, countNoun } from "../../domain/base/values";
import { findDeletion } from "../../domain/kube/deletion";
import { kinds } from "../../domain/kube/kinds";
import { isKubeObject, type KubeObject } from "../../domain/kube/objects";
import { makePlannedWrite, type StepInfo } from "../../domain/kube/planned-write";
import { describeHook, runsJob } from "../../domain/operator/chart-hooks";
import {
  type DeployedChart,
  judgeComparable,
  judgeRendered,
  type RenderedChart,
} from "../../domain/operator/chart-images";
import { listUnstable } from "../../domain/operator/chart-renders";
import { type ChartUpgrade, helmWords } from "../../domain/operator/refusals";
import { makeStopped, type Planned } from "../../kernel/part";
import { type Projection, unchanged } from "../../kernel/projection";
import { Session } from "../../kernel/session";
import { readStandingNamespace } from "../../readers/ground";
import type { ChartDeps, ChartPartOptions } from "./chart-options";
import { ChartAct, type ChartPlanned } from "./chart-act";
import { readBrought } from "./chart-definitions";
import {
  type FolderPlan,
  judgeFolder,
  nothingInFolder,
  planFolder,
  readFolder,
  tellFolder,
} from "./chart-folder";
import { type ChartFacts, describeWriter, gateChart } from "./chart-found";
import { type ChartObjects, helmManager, planChartObjects } from "./chart-objects";
import {
  callStep,
  type ChartDetails,
  describeChart,
  describeOperator,
  describeUpgrade,
  isUpToDate,
  readChart,
} from "./chart-release";
import { listChartSteps } from "./chart-steps";
import { requireFit } from "./evaluate";
import { requirePrerequisites } from "./prerequisites";
import { type ChartAhead, projectChart } from "./projection";
import { requireOwn } from "./read";

/** What a render is judged with. */
interface ChartRead {
  readonly before: ChartFacts;
  readonly upgrade: ChartUpgrade;
  /** Of the chart's crds/ folder. */
  readonly definitions: readonly KubeObject[];
  readonly folder: FolderPlan;
}

/** Reads and judges; writes nothing. */
export class ChartPlanning {
  constructor(
    private readonly deps: ChartDeps,
    private readonly options: ChartPartOptions,
  ) {}

  async plan(): Promise<Planned> {
    const { deps, options } = this;
    await readStandingNamespace(deps, "upgrade-operator", options.namespace);
    const before = await readChart(deps, options);
    const details = describeChart(deps.names, options.releaseName, { before });
    try {
      return await this.#makePlanned(before, details);
    } catch (error) {
      const stops = makeStopped(error, this.#project(nothingAhead));
      return { ...stops, expects: { ...stops.expects, details } };
    }
  }

  async #makePlanned(before: ChartFacts, details: ChartDetails): Promise<Planned> {
    const { deps, options } = this;
    this.#requireOwn(before);
    const described = await describeUpgrade(deps, options);
    const isThere = await isUpToDate(deps, options, { before, upgrade: described });
    if (!isThere) await requirePrerequisites(deps, options);
    const definitions =
      isThere && !options.applyCrds ? [] : await readFolder(deps, options, described);
    const folder = options.applyCrds
      ? await planFolder(deps, options, { before, definitions })
      : nothingInFolder;
    const read = { before, upgrade: described, definitions, folder };
    const rendered = isThere ? this.#leave(folder) : await this.#render(read);
    const { steps, takes } = rendered;
    const upgrade = { ...described, takes };
    const call = this.#planCall(upgrade, before);
    const writes = tellFolder(deps, options, folder);
    if (options.dryRun !== "none") {
      deps.recorder.addStep(
        isThere ? callStep(options, upgrade) : call,
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
        details,
      },
      after: this.#project({
        ...rendered,
        definitions: [...rendered.definitions, ...folder.steps.map(({ object }) => object)],
      }),
      act: (ports) =>
        options.withHelm(async (helm) => {
          const acting = { before, upgrade, folder, ...(!isThere && { rendered }) };
          return await new ChartAct(
            { ...ports, helm },
            { ...options, dryRun: "none" },
            acting,
          ).act();
        }),
    };
  }

  /** The chart is at its version; what stands against its definitions is told all the same. */
  #leave({ findings }: FolderPlan): ChartPlanned {
    this.deps.tell(requireFit(findings));
    return nothingAhead;
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

  /** Stops before the write where the operator would stay at another release, or something be lost or refused. */
  async #render({ before, upgrade, definitions, folder }: ChartRead): Promise<ChartPlanned> {
    const { deps, options } = this;
    const { names, recorder, tell, command } = deps;
    const { namespace, releaseName, takeFields, allowObjects = [] } = options;
    // where the run is not a plan, the server is asked all the same
    const dryRun = options.dryRun === "client" ? "client" : "server";
    const rendered = await deps.helm.render(upgrade, dryRun);
    this.#requireOperator(rendered, { before, upgrade });
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
    const isByJob = runsJob(rendered.hooks);
    const { ahead, findings } = await readBrought(deps, options, {
      ...rendered,
      folder: isByJob ? definitions : [],
      judged: planned.written,
    });
    const isLeft = !isByJob && !options.applyCrds;
    const left = isLeft ? await judgeFolder(deps, definitions, options.version) : folder.findings;
    // what a definition comes to says more than the words in which the API server refuses it
    const stopped = findings.flatMap(({ severity, object }) =>
      severity === "error" ? [object] : [],
    );
    const others = planned.findings.filter(({ object }) => !stopped.includes(object));
    tell(requireFit([...others, ...findings, ...left]));
    for (const text of listNotes(planned, dryRun)) recorder.note(text);
    const shows = options.shows === true;
    const telling = { names, command, releaseName, shows, namespace, unstable };
    const steps = listChartSteps(planned, telling);
    const { written, leaving } = planned;
    const takes = rendered.appliesOnServer === true && planned.takes ? true : undefined;
    const compared = { written, leaving, unstable };
    return { objects: rendered.objects, definitions: ahead, steps, takes, ...compared };
  }

  /** Stops where the render does not bring the operator of that release, or cannot be compared with it. */
  #requireOperator(
    rendered: RenderedChart,
    { before, upgrade }: Pick<ChartRead, "before" | "upgrade">,
  ): void {
    const operator = describeOperator(this.deps, before, this.options);
    const compared = { ...operator, live: before.deployment };
    const uncompared = judgeComparable(rendered, compared, upgrade);
    if (uncompared.length > 0) throw new BlockedError(exitCodes.conflict, uncompared);
    const pinned = judgeRendered(rendered, operator);
    if (pinned.length > 0) throw new BlockedError(exitCodes.blocked, pinned);
  }

  /** The objects that helm merges from; none where it knows no release. */
  async #readDeployed({ release }: ChartFacts): Promise<DeployedChart> {
    return release === undefined ? { objects: [] } : await this.deps.helm.manifest(release);
  }

  #planCall(upgrade: ChartUpgrade, { deployment: before }: ChartFacts): StepInfo {
    const { deps, options } = this;
    const { releaseName, namespace } = options;
    const write = makePlannedWrite({
      verb: "patch",
      ref: { resource: kinds.deployment, name: deps.names.operator.deployment, namespace },
      before,
      risk: "helm writes all objects of the chart, hooks and definitions included, and the operator's pod is recreated",
      reverse: deps.command(["helm", "rollback", releaseName]),
      command: deps.command(helmWords(upgrade)),
    });
    return { ...callStep(options, upgrade), write };
  }
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

/** What is to be known of a plan beside its steps and findings. */
function listNotes(
  { byHelm, hooks }: Pick<ChartObjects, "byHelm" | "hooks">,
  dryRun: "client" | "server",
): readonly string[] {
  return [
    ...(dryRun === "client" ? [noLookup] : []),
    ...(byHelm.length === 0
      ? []
      : [`the chart changes or drops variables that helm has set before: ${boundList(byHelm)}`]),
    ...hooks.map(({ hook, event, label }) => `helm runs ${label}: ${describeHook(hook, event)}`),
  ];
}

const noLookup =
  "with --dry-run=client helm evaluates no lookup: what a chart looks up in the cluster counts as absent";

const nothingAhead: ChartPlanned = {
  ...{ objects: [], definitions: [], steps: [], written: [], leaving: [] },
  unstable: new Map(),
};
