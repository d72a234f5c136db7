/** What checks and gates are judged by, and what the checks find that no part settles; each part reads for itself. */
import { pick } from "../../domain/base/values";
import { judgeChecks } from "../checks";
import { UsageError } from "../../domain/base/errors";
import { type Facts, isOpenShift } from "../../domain/facts/facts";
import type { Finding } from "../../domain/base/findings";
import type { Permission } from "../../domain/kube/permissions";
import { clusterVersionFor } from "../../domain/release/platforms";
import type { Release, ReleaseContents } from "../../domain/release/contents";
import { judgePrerequisites } from "../../domain/checks/prerequisites";
import { readSnapshot } from "../../readers/snapshot";
import type { Recorder } from "../../kernel/recorder";
import type { Check } from "../../domain/checks/check";
import type { JudgedCheck } from "../../domain/checks/judge";
import type { UpgradePart } from "../../cmdutil/upgrade-part";
import { choosePatience } from "../../kernel/wait";
import { readAfterVolumeExpansion } from "../../readers/volume-expansion";
import type { CommandContext } from "../../cmdutil/context";
import { readContents } from "../../cmdutil/release-option";
import { noteBeyond } from "../../cmdutil/advisories-age";
import { readLimit } from "../../cmdutil/part-command";
import type { UpgradeFlags } from "./flags";
import { chooseParts, listParts } from "../parts";

interface UpgradeSituation {
  /** Permissions without which not every prerequisite was judged. */
  readonly missing: readonly Permission[];
  readonly facts: Facts;
  /** Of a release that was opened. */
  readonly contents: ReleaseContents | undefined;
  /** What the checks find that no part settles. */
  readonly findings: readonly Finding[];
  readonly operatorVersion: string | undefined;
  readonly clusterTag: string | undefined;
}

/** Reads and judges the cluster; with --wait again and again, while only volumes that are being expanded stand against the upgrade. */
export async function waitForSituation(
  context: CommandContext,
  flags: UpgradeFlags,
  { opened, recorder }: { readonly opened: Release | undefined; readonly recorder: Recorder },
): Promise<UpgradeSituation> {
  const { clock, signal, options } = context;
  const waits = options.wait && options.dryRun === "none";
  const { stallAfterMs, limited } = flags;
  const ms = choosePatience({ ...readLimit(options, limited), stallAfterMs });
  const read = () => readSituation(context, flags, opened);
  const found = await readAfterVolumeExpansion({ clock, signal, recorder }, { waits, ms }, read);
  noteBeyond(context, { operator: found.operatorVersion, cluster: found.clusterTag });
  return found;
}

/** The cluster as `snapshot.ts` reads it, judged against the release that is wanted. */
async function readSituation(
  context: CommandContext,
  flags: UpgradeFlags,
  opened: Release | undefined,
): Promise<UpgradeSituation> {
  const { names, clock, signal } = context;
  const cluster = await context.connect();
  const facts = await readSnapshot({ cluster, clock, names, signal }, cluster.namespace);
  const platform = isOpenShift(facts) ? "openshift" : "kubernetes";
  const contents = opened && readContents(opened, platform, { context });
  const operatorVersion = contents?.operatorVersion ?? flags.chart?.version;
  const advised = pick(context, "advised");
  const judgment = judgeChecks(
    facts,
    {
      ...advised,
      operatorVersion,
      contents,
      clusterTag: flags.clusterTarget,
      engineVersion: flags.engineVersion,
    },
    { selection: { skip: flags.skip } },
  );
  const { missing } = judgePrerequisites(
    facts,
    { ...advised, operatorVersion },
    { skip: flags.skip },
  );
  // the other parts judge by themselves what they need, as they do alone
  const chosen = chooseParts(flags);
  const isGuarded = chosen.some(({ blockedBy }) => blockedBy !== undefined);
  const clusterTag = chooseClusterTag(flags, contents, operatorVersion);
  const inputs = { context, flags, opened, contents, facts, operatorVersion, clusterTag };
  const isCarriedOut = ({ gate }: UpgradePart): boolean => gate?.(inputs) === undefined;
  return {
    missing: isGuarded ? missing : [],
    facts,
    contents,
    findings: isGuarded ? listUnsettled(judgment.judged, chosen, isCarriedOut) : [],
    operatorVersion,
    clusterTag,
  };
}

/** The EC's tag: given, of the release, or what belongs to the operator's; never a guess. */
function chooseClusterTag(
  flags: UpgradeFlags,
  contents: ReleaseContents | undefined,
  operatorVersion: string | undefined,
): string | undefined {
  const { clusterTarget, auto } = flags;
  const paired = operatorVersion === undefined ? undefined : clusterVersionFor(operatorVersion);
  const tag = clusterTarget ?? contents?.clusterVersion ?? paired;
  const isWanted = chooseParts(flags).some(({ id }) => id === "cluster");
  if (tag !== undefined || auto || !isWanted) return tag;
  throw new UsageError(
    `it is not known which cluster release belongs to operator ${operatorVersion ?? "of this release"}`,
    { hint: "give its tag with --cluster-target" },
  );
}

/**
 * The findings of all checks that no part settles; what a chosen part rests on only a chosen one before it settles,
 * and one that its gate leaves out settles nothing. A warning that a chosen part rests on becomes an error.
 */
export function listUnsettled(
  judged: readonly JudgedCheck[],
  chosen: readonly UpgradePart[] = listParts(),
  isCarriedOut: (part: UpgradePart) => boolean = () => true,
): readonly Finding[] {
  return judged.flatMap(({ check, findings }) => {
    const at = chosen.findIndex(({ restsOn = [] }) => restsOn.includes(check.code));
    if (isSettled(check, at === -1 ? listParts() : chosen.slice(0, at).filter(isCarriedOut)))
      return [];
    return at === -1 ? findings : findings.map((one) => (one.accepted ? one : toError(one)));
  });
}

function toError(finding: Finding): Finding {
  return { ...finding, severity: "error" };
}

function isSettled({ area, code }: Check, parts: readonly UpgradePart[]): boolean {
  return parts.some(
    ({ settles: { areas = [], codes = [], except = [] } = {} }) =>
      (areas.includes(area) && !except.includes(code)) || codes.includes(code),
  );
}
