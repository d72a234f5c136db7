/** An upgrade by chart that is carried out: the definitions of crds/, helm's upgrade, its proof, its rollback (S20). */
import { BlockedError, EngineError, exitCodes } from "../../domain/base/errors";
import { countNoun, sameJson } from "../../domain/base/values";
import { strayImages } from "../../domain/operator/chart-images";
import { helm } from "../../domain/operator/chart-marks";
import { operatorFinding } from "../../domain/operator/findings";
import { type ChartUpgrade, isDeployed } from "../../domain/operator/refusals";
import { listImages } from "../../domain/operator/wanted";
import type { StepInfo } from "../../domain/kube/planned-write";
import type { Outcome } from "../../kernel/part";
import { Session } from "../../kernel/session";
import { bring } from "./bring";
import { listWrites } from "./changes";
import type { ChartDeps, ChartPartOptions } from "./chart-options";
import { type FolderPlan, makeFolderTools } from "./chart-folder";
import { type ChartFacts, nameOperator } from "./chart-found";
import type { ChartObjects } from "./chart-objects";
import { compareWithRender } from "./chart-proof";
import {
  callStep,
  type ChartDetails,
  describeChart,
  describeOperator,
  readChart,
  releaseStep,
} from "./chart-release";
import { ChartReader } from "./chart-reader";
import type { ToldStep } from "./chart-steps";
import { waitForOperator } from "./follow";
import type { ChartAhead } from "./projection";
import type { Unstable } from "../../domain/operator/chart-renders";

/** What helm renders, the steps by which a plan tells it, and what the end is compared with. */
export interface ChartPlanned extends ChartAhead, Pick<ChartObjects, "written" | "leaving"> {
  readonly steps: readonly ToldStep[];
  readonly takes?: ChartUpgrade["takes"];
  /** What a second render gives differently. */
  readonly unstable: Unstable;
}

/** A plan that is carried out. */
interface ChartActing {
  readonly before: ChartFacts;
  readonly upgrade: ChartUpgrade;
  readonly folder: FolderPlan;
  /** Absent: the chart is at that version already. */
  readonly rendered?: ChartPlanned;
}

/** Carries a plan out. */
export class ChartAct {
  #after: ChartFacts | undefined;

  constructor(
    private readonly deps: ChartDeps,
    private readonly options: ChartPartOptions,
    private readonly acting: ChartActing,
  ) {}

  /** What helm has begun is told, with the charts before and after. */
  async act(): Promise<Outcome> {
    const { recorder, tell } = this.deps;
    const { upgrade, rendered } = this.acting;
    const session = new Session(this.deps, this.options);
    try {
      await this.#bringFolder(session);
      const reason = await (rendered === undefined
        ? this.#stay(upgrade, session.written)
        : this.#upgrade(upgrade, rendered));
      return { code: exitCodes.ok, reason, details: this.#describe() };
    } catch (error) {
      const { written } = session;
      const stands = `${countNoun(written, "write")} to the definitions of the chart's crds/ folder ${written === 1 ? "stays" : "stay"}`;
      const midway = { tell, ...(written > 0 && { stands }) };
      return { ...recorder.endByError(error, midway), details: this.#describe() };
    }
  }

  async #bringFolder(session: Session): Promise<void> {
    const { deps, options, acting } = this;
    const { steps } = acting.folder;
    session.noteConfirmed(steps.flatMap(listWrites));
    const bringing = { ports: deps, ...makeFolderTools(deps, options, { ...acting, session }) };
    for (const step of steps) await bring(bringing, step);
  }

  async #stay(upgrade: ChartUpgrade, written: number): Promise<string> {
    const { deps, options } = this;
    deps.recorder.addStep(callStep(options, upgrade), "unchanged");
    const says = await waitForOperator(deps, options);
    const wrote =
      written === 0 ? "nothing was written" : "the definitions of its crds/ folder were applied";
    return `the chart is at ${options.version} already: ${wrote}; the operator is ${says}`;
  }

  async #upgrade(upgrade: ChartUpgrade, rendered: ChartPlanned): Promise<string> {
    const { deps, options } = this;
    const call = makeCall(callStep(options, upgrade), () => deps.helm.upgrade(upgrade));
    const session = new Session(deps, options);
    // the command itself asks for it: nobody is asked again
    session.noteConfirmedCalls([call]);
    await session.call(call);
    const says = await waitForOperator(deps, options);
    const after = await this.#read();
    const missed = this.#findMissed(after);
    if (missed !== undefined) await this.#rollBack(session, missed);
    const { namespace } = options;
    const reader = new ChartReader(deps, namespace);
    const compared = await compareWithRender(reader, rendered, { ...rendered, namespace });
    deps.tell(compared.findings);
    return `the chart is at ${options.version}: the operator is ${says}; ${compared.says}`;
  }

  /** What is not as it was asked for, whatever helm says. */
  #findMissed({ deployment, release }: ChartFacts): string | undefined {
    const { deps, options, acting } = this;
    const { releaseName, version } = options;
    if (!isDeployed(release, version)) {
      const { chart = "none", status = "gone" } = release ?? {};
      return `release ${releaseName} has chart ${chart}, ${status}`;
    }
    const [stray] = strayImages(deployment, describeOperator(deps, acting.before, options));
    return stray && `container ${stray.container} runs ${stray.image}`;
  }

  /** Ends with 7 where helm's rollback brought back what was there, else with 8. */
  async #rollBack(session: Session, missed: string): Promise<never> {
    const { deps, options, acting } = this;
    const { releaseName, version } = options;
    const object = nameOperator(deps.names, options);
    const because = `after helm's upgrade to ${version} ${missed}`;
    const step = { ...releaseStep(options), id: "operator.rollback" };
    const call = makeCall({ ...step, why: `${because}: helm rollback` }, () =>
      deps.helm.rollback(releaseName),
    );
    session.noteConfirmedCalls([call]);
    let failure = "the operator's images are not those of before";
    try {
      await session.call(call);
      await waitForOperator(deps, options);
      await this.#read();
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      failure = error.message;
    }
    if (sameJson(imagesIn(this.#after), imagesIn(acting.before))) {
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

  async #read(): Promise<ChartFacts> {
    this.#after = await readChart(this.deps, this.options);
    return this.#after;
  }

  #describe(): ChartDetails {
    const { before } = this.acting;
    const seen = { before, after: this.#after };
    return describeChart(this.deps.names, this.options.releaseName, seen);
  }
}

/** A call of helm that changes the release. */
function makeCall(step: StepInfo, send: () => Promise<void>) {
  const end = { result: "changed", value: undefined } as const;
  return { step, send, end: () => Promise.resolve(end) };
}

function imagesIn(facts: ChartFacts | undefined): readonly (readonly [string, string])[] {
  return [...listImages(facts?.deployment)];
}
