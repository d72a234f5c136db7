/** `--advisories`: the rows that the tool ships, and those that a person gives beside them. */
import type { OpenedAdvisories } from "../adapters/advisories/open";
import { joinUpTo, type UpTo } from "../domain/advisories/age";
import type { Sourced } from "../domain/advisories/row";
import type { Finding } from "../domain/base/findings";
import { daysUntil } from "../domain/base/duration";
import { pick } from "../domain/base/values";
import { UsageError } from "../domain/base/errors";
import type { CommandContext, CommandRun } from "./context";
import type { AdvisoriesFlags } from "./common-flags";
import { splitList } from "./flags";

/** Which files of advisories are meant beside the shipped rows. */
export interface AdvisoriesWish {
  readonly sources: readonly string[];
  /** Digests that they have to have; every address needs one. */
  readonly sha256: readonly string[];
}

/** A file of a person's own that was read. */
export interface AdvisoriesFile {
  /** As it was given, without a query. */
  readonly origin: string;
  /** SHA-256 in hex. */
  readonly digest: string;
  /** The day up to which its knowledge has been kept. */
  readonly date?: string;
}

/** All rows that are to be judged, what is wrong with others, and which files they are of. */
export interface LoadedAdvisories {
  readonly rows: readonly Sourced[];
  readonly findings: readonly Finding[];
  readonly files: readonly AdvisoriesFile[];
  /** The newest releases whose notes were read. */
  readonly upTo: UpTo;
}

/** What reading them needs of the world. */
export type AdvisoriesPorts = Pick<CommandContext, "signal" | "env" | "onSlow" | "clock" | "event">;

/** Knowledge of this age, in days, is said to be old. */
const oldDays = 180;

/**
 * The sources of the flags, else of ENGINE_ADVISORIES; the digests of ENGINE_ADVISORIES_SHA256 belong to the sources
 * of the environment.
 */
export function readAdvisoriesWish(
  { advisories, advisoriesSha256 }: AdvisoriesFlags,
  env: NodeJS.ProcessEnv,
): AdvisoriesWish {
  if (advisories.length > 0) return { sources: advisories, sha256: advisoriesSha256 };
  const sha256 = splitList(env["ENGINE_ADVISORIES_SHA256"] ?? "");
  return {
    sources: splitList(env["ENGINE_ADVISORIES"] ?? ""),
    sha256: advisoriesSha256.length > 0 ? advisoriesSha256 : sha256,
  };
}

/** The shipped rows with those of the sources, which replace them; every source is told in a note. */
export async function loadAdvisories(
  { sources, sha256 }: AdvisoriesWish,
  ports: AdvisoriesPorts,
): Promise<LoadedAdvisories> {
  const { listShipped, shippedUpTo } = await import("../domain/advisories/shipped.ts");
  if (sources.length === 0 && sha256.length === 0) {
    return { rows: listShipped(), findings: [], files: [], upTo: shippedUpTo };
  }
  const { openAdvisories } = await import("../adapters/advisories/open.ts");
  const { mergeAdvisories } = await import("../domain/advisories/rows.ts");
  const opened = await openAdvisories(sources, {
    ...pick(ports, "signal", "env", "onSlow", "clock"),
    sha256,
  });
  for (const { file, digest, date } of opened) {
    ports.event({
      type: "note",
      text: `advisories ${file}, SHA-256 ${digest}${tellAge(date, ports)}`,
    });
  }
  return {
    rows: mergeAdvisories(listShipped(), ...opened.map(({ rows }) => rows)),
    findings: opened.flatMap(({ findings }) => findings),
    files: opened.map(describeFile),
    upTo: joinUpTo([shippedUpTo, ...opened.flatMap(({ upTo }) => upTo ?? [])]),
  };
}

/** What a report says of a file. */
export function describeFile({ file, digest, date }: OpenedAdvisories): AdvisoriesFile {
  return { origin: file, digest, ...(date !== undefined && { date }) };
}

/** A command that judges by advisories: a row that cannot be read may be one that forbids it, so it does not begin. */
export const requireAdvisories =
  <F extends Partial<AdvisoriesFlags>>(run: CommandRun<F>): CommandRun<F> =>
  async (context, args, flags) => {
    const { rows, findings } = await readGiven(context, flags);
    const problems = findings.map(({ cause, location, field }) => {
      const { file = "", line = 0, column = 0 } = location ?? {};
      return [`${file}:${line}:${column}`, field, cause].filter(Boolean).join(": ");
    });
    if (problems.length === 0) return await run({ ...context, ...rows }, args, flags);
    throw new UsageError(problems, {
      hint: "correct the rows that are named; kubectl engine advisories lint shows all of it",
    });
  };

/** The rows that are in force where others than the shipped ones are given, and what is wrong with some. */
export async function readGiven(
  context: CommandContext,
  { advisories = [], advisoriesSha256 = [] }: Partial<AdvisoriesFlags>,
): Promise<{
  readonly rows: Pick<CommandContext, "advised" | "upTo">;
  readonly findings: readonly Finding[];
}> {
  const wish = readAdvisoriesWish({ advisories, advisoriesSha256 }, context.env);
  if (wish.sources.length === 0 && wish.sha256.length === 0) return { rows: {}, findings: [] };
  const { rows, findings, upTo } = await loadAdvisories(wish, context);
  return { rows: { advised: rows, upTo }, findings };
}

function tellAge(date: string | undefined, { clock }: AdvisoriesPorts): string {
  if (date === undefined) return "";
  const days = daysUntil(date, clock.now());
  const isOld = days !== undefined && days < -oldDays;
  return `, of ${date}${isOld ? `: it is more than ${oldDays} days old` : ""}`;
}
