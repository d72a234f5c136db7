/** The plan of all parts as one document, which is shown and saved, and what a report has of it. */
import { version as program } from "../../../package.json";
import { distinct, type Finding } from "../../domain/base/findings";
import type { AskingPorts } from "../../kernel/world";
import type { StepReport } from "../../kernel/report";
import { isGood, joinPartEnds } from "./ends";
import type { PartPlan } from "./plan-parts";
import type { PlanBinding, PlannedPart, PlannedStep, UpgradePlan } from "./plan-document";
import type { Clock } from "../../ports/kubernetes";
import type { Release } from "../../domain/release/contents";
import { typedWords } from "../../cmdutil/chart-flags";
import type { UpgradeFlags } from "./flags";
import { publicText, publicWords } from "../../domain/base/redact";
import { skipWord } from "../../domain/base/skip";
import { unusualCode } from "../../domain/operator/findings";

interface BindingInputs {
  readonly flags: Pick<UpgradeFlags, "chart">;
  readonly opened: Release | undefined;
  readonly uid: string;
  readonly namespace: string;
}

/** What a plan that is made here is bound to. */
export function makeBinding({ flags, opened, uid, namespace }: BindingInputs): PlanBinding {
  const { chart } = flags;
  const release = opened?.source ?? publicText([chart?.chart, chart?.version].join(" "));
  return {
    cluster: uid,
    namespace,
    release,
    ...(opened !== undefined && { sha256: opened.sha256 }),
  };
}

/** What a plan is made of beside its parts. */
export interface PlanInputs {
  readonly clock: Pick<Clock, "now">;
  readonly flags: UpgradeFlags;
  readonly binding: PlanBinding;
}

/** The plans of all parts, and what was found, as one document. */
export function describePlan(
  plans: readonly PartPlan[],
  found: readonly Finding[],
  { clock, flags, binding }: PlanInputs,
): UpgradePlan {
  return {
    apiVersion: "cli.engine.com/v1",
    kind: "UpgradePlan",
    program,
    madeAt: new Date(clock.now()).toISOString(),
    ...binding,
    words: listWords(flags),
    parts: describeParts(plans),
    steps: plans.flatMap(({ steps }) => steps),
    findings: found.map(({ code, object }) => ({ code, ...(object !== undefined && { object }) })),
  };
}

/** The parts as a plan names them. */
function describeParts(plans: readonly PartPlan[]): readonly PlannedPart[] {
  return plans.map((plan) => {
    const { id, title, source } = plan.wanted.part;
    const { skipReason } = plan.wanted;
    const end = joinPartEnds(plan);
    const { questions, waitsFor, pause, later } = plan;
    return {
      id,
      title,
      source,
      ...(skipReason !== undefined && { skipped: skipReason }),
      ...(end !== undefined && !isGood(end) && { unplanned: end.reason }),
      ...(questions.length > 0 && { questions }),
      ...(waitsFor !== undefined && { waitsFor }),
      ...(pause !== undefined && { pauses: { because: pause.because, type: pause.type } }),
      ...(later === true && { later }),
    };
  });
}

/** The words of the same upgrade, for the command that carries its plan out. */
export function listWords(flags: UpgradeFlags): readonly string[] {
  const { release, sha256, target, chart, skip } = flags;
  const accepted = flags.allowObjects.map((object) => ({ code: unusualCode, object }));
  const valued = {
    ...{ release, sha256, target, chart: chart?.chart, "release-name": chart?.releaseName },
    ...{ version: chart?.version, values: chart?.values, "image-registry": flags.registry },
    ...{ "pull-secret": flags.pullSecret, "cluster-target": flags.clusterTarget },
    ...{ "engine-version": flags.engineVersion, participant: flags.participants },
    "probe-file": flags.probeFile,
    "take-fields": flags.takeFields,
    only: flags.only.join(",") || undefined,
    skip: [...skip, ...accepted].map(skipWord),
  };
  return publicWords([
    ...Object.entries(valued).flatMap(([name, value]) =>
      [value ?? []].flat().flatMap((one) => [`--${name}`, one]),
    ),
    ...(chart?.applyCrds === true ? ["--apply-crds"] : []),
    ...typedWords(chart?.given),
    ...(flags.auto ? ["--auto"] : []),
    ...(flags.mayDiscardData ? ["--may-discard-data"] : []),
    ...(flags.probe ? [] : ["--no-probe"]),
  ]);
}

/** The writes of a plan as steps of a report, each under the id of its part: they are told part by part. */
export function renderSteps(steps: readonly PlannedStep[]): readonly StepReport[] {
  return steps.map(({ part, action, object, why, source, write }, index) => ({
    n: index + 1,
    id: part,
    action,
    object,
    result: "planned",
    why,
    ...(source !== undefined && { source }),
    ms: 0,
    write,
  }));
}

/** Those of the checks and of all plans; those of namespaces too, which have no place of their own in the document. */
export function collectFindings(
  { recorder }: Pick<AskingPorts, "recorder">,
  plans: readonly PartPlan[],
): readonly Finding[] {
  const recorders = plans.flatMap(({ asides }) => asides.map(({ told }) => told.recorder));
  return distinct([recorder, ...recorders].flatMap(({ everyFinding }) => everyFinding));
}
