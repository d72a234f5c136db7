/** What the whole upgrade is told, and the words that say it again. */
import { type Skip, skipWord } from "../domain/checks/selection";
import { publicWords } from "../domain/public-words";
import type { ReleaseFlags } from "./context";
import type { ChartFlags } from "./operator-options";

/** Flags of `upgrade`, judged: a release or a chart, and what its parts need. */
export interface UpgradeFlags extends ReleaseFlags {
  readonly chart?: ChartFlags;
  readonly registry?: string;
  readonly pullSecret?: string;
  readonly takeFields: readonly string[];
  /** Objects of the bundle that are applied although they are unusual, as KIND/NAME. */
  readonly allowObjects?: readonly string[];
  /** The EC's tag, where it is not the one that belongs to the release. */
  readonly clusterTarget?: string;
  /** The ECs follow the operator by themselves (S13). */
  readonly auto: boolean;
  /** The databases' version; absent: they stay as they are (S61). */
  readonly engineVersion?: string;
  /** Other clusters that take part in active-active databases, as CONTEXT[/NAMESPACE]. */
  readonly participants: readonly string[];
  readonly stallAfterMs: number;
  /** False with --no-probe. */
  readonly probe: boolean;
  /** Findings that are accepted. */
  readonly skip: readonly Skip[];
  /** --timeout was typed: it then limits each wait. */
  readonly limited: boolean;
  /** A saved plan to carry out. */
  readonly plan?: string;
  /** Where the plan is kept instead of carried out. */
  readonly planOut?: string;
}

/** The words of the same upgrade, for the command that carries its plan out. */
export function wordsOf(flags: UpgradeFlags): readonly string[] {
  const { release, sha256, target, chart, registry, pullSecret, clusterTarget } = flags;
  return publicWords([
    ...worded("release", release),
    ...worded("sha256", sha256),
    ...worded("target", target),
    ...worded("chart", chart?.chart),
    ...worded("release-name", chart?.releaseName),
    ...worded("version", chart?.version),
    ...worded("values", chart?.values),
    ...worded("image-registry", registry),
    ...worded("pull-secret", pullSecret),
    ...worded("cluster-target", clusterTarget),
    ...worded("engine-version", flags.engineVersion),
    ...flags.participants.flatMap((one) => worded("participant", one)),
    ...flags.takeFields.flatMap((field) => worded("take-fields", field)),
    ...(flags.allowObjects ?? []).flatMap((one) => worded("allow-object", one)),
    ...flags.skip.flatMap((one) => worded("skip", skipWord(one))),
    ...(flags.auto ? ["--auto"] : []),
    ...(flags.probe ? [] : ["--no-probe"]),
  ]);
}

function worded(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [`--${name}`, value];
}
