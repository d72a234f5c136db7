/** What is told of a plan: its parts together, and the document that it is shown and saved as. */
import { version as program } from "../../../package.json";
import { distinct, type Finding } from "../../domain/base/findings";
import type { AskingPorts } from "../../kernel/world";
import type { Report, StepReport } from "../../kernel/report";
import { isGood, joinPartEnds } from "./ends";
import type { PartPlan } from "./plan-parts";
import type { PlanBinding, PlannedPart, PlannedStep, UpgradePlan } from "./plan-document";
import type { CommandContext } from "../../cmdutil/context";
import type { Release } from "../../domain/release/contents";
import type { UpgradeFlags } from "./flags";
import { publicText, publicWords } from "../../domain/base/redact";
import { skipWord } from "../../domain/base/skip";
import { unusualCode } from "../../domain/operator/findings";

/** Those of the checks and of all plans; those of namespaces too, which have no place of their own in the document. */
export function collectFindings(
  { recorder }: Pick<AskingPorts, "recorder">,
  plans: readonly PartPlan[],
): readonly Finding[] {
  const recorders = plans.flatMap(({ asides }) => asides.map(({ told }) => told.recorder));
  return distinct(
    [recorder, ...recorders].flatMap(({ found, kept }) => [
      ...found,
      ...(kept.namespaces ?? []).flatMap((one) => one.findings ?? []),
    ]),
  );
}

/** What is missing in all parts, as one. */
export function joinPermissions(plans: readonly PartPlan[]): Pick<Report, "permissions"> {
  const all = plans.flatMap(({ asides }) =>
    asides.flatMap(({ told }) => told.recorder.kept.permissions ?? []),
  );
  const last = all.at(-1);
  if (last === undefined) return {};
  const missing = [...new Set(all.flatMap((one) => one.missing))];
  // each holds what was known to be needed by then
  return { permissions: { ...last, missing } };
}

/** The writes of a plan as steps of a report. */
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

/** The parts as a plan names them. */
export function describeParts(plans: readonly PartPlan[]): readonly PlannedPart[] {
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

interface PlanInputs {
  readonly context: CommandContext;
  readonly flags: UpgradeFlags;
  readonly binding: PlanBinding;
  readonly found: readonly Finding[];
}

export function describePlan(plans: readonly PartPlan[], inputs: PlanInputs): UpgradePlan {
  const { context, flags, binding, found } = inputs;
  return {
    apiVersion: "cli.engine.com/v1",
    kind: "UpgradePlan",
    program,
    madeAt: new Date(context.clock.now()).toISOString(),
    ...binding,
    words: listWords(flags),
    parts: describeParts(plans),
    steps: plans.flatMap(({ steps }) => steps),
    findings: found.map(({ code, object }) => ({ code, ...(object !== undefined && { object }) })),
  };
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
    ...(flags.auto ? ["--auto"] : []),
    ...(flags.probe ? [] : ["--no-probe"]),
  ]);
}
