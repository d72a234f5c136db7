/** Every job: a command that writes, by what the product's own list of commands says of it. */
import { defaultNames } from "../../plugin/domain/names/names";
import { textIn } from "../../plugin/domain/names/text";
import { entries } from "../../plugin/cli/commands";
import type { CommandEntry } from "../../plugin/cmdutil/entry";
import { parse, toGlobalOptions } from "../../plugin/cli/tree";
import { attribute, FlagReader, type RawFlags } from "../../plugin/cmdutil/flags";
import { type Place, type Start, starts, type Words } from "../support/starts";
import { type Opened, rest } from "./rest";

/** What a job needs beyond its first example that writes, on the example's cluster. */
interface Row extends Start {
  /** Tells rows of one command apart. */
  readonly way?: string;
  readonly words?: Words;
  /** Added to its own words. */
  readonly more?: readonly string[];
  /** A cluster with a REST API beside it. */
  readonly open?: () => Promise<Opened>;
  /** Objects that are not compared: their names are new in every run, or only their owners change. */
  readonly passing?: RegExp;
  /** Its parts are jobs of the table too: some of its reads stand for all. */
  readonly isWhole?: true;
}

/** A job, ready to be run. */
export interface Job extends Row {
  readonly title: string;
  readonly words: Words;
  /** Running it again changes nothing. */
  readonly settles: boolean;
}

/** No webhook answers here; its proof has tests of its own. */
const unproven = ["--no-probe"];

const withDatabases = [
  // the databases of the example are neither replicated nor persistent
  ...["--engine-version", "8.0", "--may-discard-data"],
  ...["--skip", "DATABASE-PARTICIPANT-UNSEEN=EngineEnterpriseActiveActiveDatabase/engine/carts"],
];

/** By the path of the command: a job that is not here runs its own example. */
const rows: Readonly<Record<string, readonly Row[]>> = {
  "upgrade-webhook": [{ more: unproven }],
  "reapply-rbac": [{}, { way: "contract", ...starts["reapply-rbac-contract"] }],
  "upgrade-operator": [{ before: starts["upgrade-operator"].before, passing: /^Service\// }],
  "upgrade-cluster": [{ before: starts["upgrade-cluster"].before }],
  "upgrade-database": [starts["upgrade-database"], { way: "api", ...rest.databases }],
  "unbind-scc": [starts["unbind-scc"]],
  "modules install": [rest.module],
  recover: [rest.frozen],
  "cert create": [
    starts["cert-create"],
    { way: "replace", ...starts["cert-replace"], passing: /^Secret\/engine\/admission-tls-\d/ },
  ],
  upgrade: [{ isWhole: true, more: [...unproven, ...withDatabases], passing: /^Service\// }],
};

/** Commands that write and are no jobs, each with its reason. */
export const excused: Readonly<Record<string, string>> = {
  rehearse: "runs a job on a copy in memory, and refuses to write to a real cluster",
  diff: "runs a job as a dry run: the disturbance `dry run` is what it does",
};

/** Whether it writes with some of its flags, by its own words. */
export function writes({ cluster, reads, flags }: CommandEntry): boolean {
  const all = flags.filter(({ value }) => value === undefined);
  const on = all.map(({ name }) => [attribute(name), !name.startsWith("no-")] as const);
  return cluster && reads?.(new FlagReader(Object.fromEntries(on))) !== true;
}

/** Every job of a list of commands. */
export function jobsOf(commands: readonly CommandEntry[]): readonly Job[] {
  return commands
    .filter((entry) => writes(entry) && excused[entry.path] === undefined)
    .flatMap((entry) => (rows[entry.path] ?? [{}]).map((row) => jobOf(entry, row)));
}

export const jobs = jobsOf(entries);

function jobOf(entry: CommandEntry, row: Row): Job {
  const own = row.words ?? exampleOf(entry);
  return {
    ...row,
    title: [entry.path, ...(row.way === undefined ? [] : [`(${row.way})`])].join(" "),
    words: (place) => [...own(place), ...(row.more ?? [])],
    settles: entry.settles === true,
  };
}

/** The words of its first example that writes, with files that are there. */
function exampleOf({ path, reads, examples }: CommandEntry): Words {
  const own = examples.find(({ line }) => {
    const { raw, chosen } = parse(textIn(line, defaultNames).split(" "), "kubectl engine");
    return !isDryRun(raw) && reads?.(new FlagReader(chosen?.raw ?? {})) !== true;
  });
  if (own === undefined) throw new Error(`${path}: give an example that writes`);
  return (place) =>
    textIn(own.line, defaultNames)
      .split(" ")
      .filter((word) => word !== "--yes")
      .map((word) => fileOf(word, place));
}

function isDryRun(raw: RawFlags): boolean {
  return toGlobalOptions(raw, {}).options.dryRun !== "none";
}

/** Examples name the release by a folder or an archive. */
function fileOf(word: string, { release }: Place): string {
  return /^\.\/release(\.tar\.gz)?$/.test(word) ? release : word;
}
