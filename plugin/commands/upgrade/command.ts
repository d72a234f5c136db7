/** `upgrade`: the whole procedure in order, planned before the first write (S9-S34). */
import { requireMatched } from "../../domain/checks/selection";
import type { Skip } from "../../domain/base/skip";
import { upgradeNeeds } from "./needs";
import type { Release } from "../../domain/release/contents";
import type { UpgradePlan } from "./plan-document";
import { listPrerequisiteCodes } from "../../domain/checks/prerequisites";
import { requireRead } from "../../kernel/permissions";
import { choosePatience } from "../../kernel/wait";
import { openJournal } from "../../kernel/journal";
import type { PartId } from "../../domain/base/part-ids";
import type { UpgradePart, PartInputs } from "../../cmdutil/upgrade-part";
import type { Report } from "../../kernel/report";
import { makeBinding } from "./describe-plan";
import type { WantedPart } from "./plan-parts";
import { UpgradeObserver } from "./observe";
import { reportBlocked } from "./reports";
import { upgradeParts } from "./upgrade";
import type { CommandContext, CommandRun } from "../../cmdutil/context";
import { readChartInputs } from "../../cmdutil/chart-inputs";
import { findRelease, withRelease } from "../../cmdutil/release-option";
import { runPorts } from "../../cmdutil/run-ports";
import { readLimit } from "../../cmdutil/part-command";
import type { UpgradeFlags } from "./flags";
import { renderPlan } from "./text";
import { chooseParts } from "../parts";
import { requireAdvisories } from "../../cmdutil/advisories-option";
import { waitForSituation } from "./read";
import { readClusterUid, savePlan, readSavedPlan } from "./plan-file";

/** Plans, confirms and does every part; every expected end comes back as a report. */
export const runUpgrade: CommandRun<UpgradeFlags> = requireAdvisories(
  async (context, _args, flags) => {
    const saved = await readSavedPlan(context, flags);
    const opened = await findRelease(context, flags);
    if (flags.chart !== undefined) await readChartInputs(context, flags.chart);
    const report = await upgrade(context, flags, { opened, saved });
    return withRelease(report, opened);
  },
);

interface Given {
  readonly opened: Release | undefined;
  readonly saved: UpgradePlan | undefined;
}

async function upgrade(
  context: CommandContext,
  flags: UpgradeFlags,
  { opened, saved }: Given,
): Promise<Report> {
  const ports = await runPorts(context, "Upgrade");
  const { cluster, recorder } = ports;
  const situation = await waitForSituation(context, flags, { opened, recorder });
  const { findings } = situation;
  recorder.addFindings(findings);
  const inputs: PartInputs = { context, flags, opened, ...situation };
  const parts = chooseParts(flags);
  recorder.needs.declare("upgrade", upgradeNeeds(inputs, parts));
  try {
    await requireRead(ports, situation);
    requireMatched(keepPrerequisites(flags.skip, context), findings);
  } catch (error) {
    return recorder.failure(error);
  }
  const errors = findings.filter(({ severity }) => severity === "error");
  const { namespace } = cluster;
  // nobody asks for it where nothing is bound to it
  const uid =
    errors.length > 0 && saved === undefined ? "" : await readClusterUid(cluster, context);
  const binding = makeBinding({ flags, opened, uid, namespace });
  if (errors.length > 0) return await reportBlocked(ports, errors, { saved, binding });
  const home = await context.home();
  const { planOut } = flags;
  return await upgradeParts(
    parts.map((part) => makeWantedPart(part, inputs, parts)),
    {
      ports,
      planInputs: { clock: context.clock, flags, binding },
      nextJournal: () => openJournal(home, context.run.id, String(recorder.beginPart())),
      observer: await UpgradeObserver.open(context, flags, { ports, facts: situation.facts }),
      show: (shown) => {
        // a rehearsal has shown it in the stage before
        if (context.rehearsed === true) return;
        for (const text of renderPlan(shown, context.options.verbosity)) recorder.note(text);
      },
      judgeAgain: context.options.yes
        ? undefined
        : async () => (await waitForSituation(context, flags, { opened, recorder })).findings,
      save: planOut === undefined ? undefined : (made) => savePlan(made, planOut, context),
    },
    { ...chooseRunOptions(context, flags), skip: flags.skip, saved },
  );
}

function chooseRunOptions({ options }: CommandContext, { limited, stallAfterMs }: UpgradeFlags) {
  const { dryRun, wait } = options;
  return {
    dryRun,
    wait,
    limitMs: choosePatience({ ...readLimit(options, limited), stallAfterMs }),
  };
}

/** A part with what its gate says; its Parts are made anew for each plan. */
function makeWantedPart(
  part: UpgradePart,
  inputs: PartInputs,
  all: readonly UpgradePart[],
): WantedPart {
  const skipReason = part.gate?.(inputs);
  const prove = part.prove?.(inputs);
  return {
    part,
    ...(skipReason !== undefined && { skipReason }),
    ...(prove !== undefined && { prove }),
    makeParts: (plan, definitions) => {
      const isUnderWay = plan === "again";
      const isPlanned = (id: PartId): boolean => !isUnderWay && all.some((one) => one.id === id);
      return part.makeParts(inputs, { isUnderWay, isPlanned, definitions });
    },
  };
}

/** Those that the checks alone can match: the others may be for a part, which is planned later. */
function keepPrerequisites(
  skip: readonly Skip[],
  context: Pick<CommandContext, "advised">,
): readonly Skip[] {
  const codes = listPrerequisiteCodes(context);
  return skip.filter(({ code }) => codes.includes(code));
}
