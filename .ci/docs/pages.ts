/** The pages of the reference, made from the tables of the program. */
import { type FlagSpec, listFlags, nameVariable } from "../../plugin/cmdutil/flags";
import {
  connectionTable,
  explainFlag,
  runTable,
  spellFlag,
  standardFlags,
} from "../../plugin/cmdutil/standard-flags";
import { catalogue } from "../../plugin/commands/explain/catalogue";
import { type ExitCode, exitMeanings } from "../../plugin/domain/base/errors";
import { withPage } from "../../plugin/domain/base/findings";
import { explain } from "../../plugin/domain/names/codes";
import { defaultNames, type NamesTree, namesTree } from "../../plugin/domain/names/names";
import { type Text, textIn } from "../../plugin/domain/names/text";
import { NameSpec } from "../../plugin/domain/names/types";
import { entries, wrapperCommands } from "../../plugin/cli/commands";
import type { CommandEntry } from "../../plugin/cmdutil/entry";
import { environment } from "../../plugin/cli/environment";
import { placeholder } from "../../plugin/cli/help";
import type { Asked } from "../../test/support/asked";
import { settings } from "../../webhook/settings";
import type { Page, Part } from "./markup";

/** What each command asked of a cluster, by its path. */
export type AskedOf = ReadonlyMap<string, readonly Asked[]>;

/** A text in the words of the specification. */
export const inWords = (text: Text): string => textIn(text, defaultNames);

/** The name of a command's page. */
export const pageName = ({ path }: Pick<CommandEntry, "path">): string => path.replaceAll(" ", "-");

const flagRows = (flags: readonly FlagSpec[]): Part => ({
  heads: ["flag", "does"],
  rows: flags.map((flag) => [spellFlag(flag).trim(), explainFlag(flag, defaultNames)]),
});

const exitRows = (codes: readonly ExitCode[]): Part => ({
  heads: ["code", "means", "state left"],
  rows: codes.map((code) => [String(code), ...exitMeanings[code]]),
});

const allCodes = Object.keys(exitMeanings).map((code) => Number(code) as ExitCode);

/** Those of commands that reach no cluster. */
const offline: readonly ExitCode[] = [0, 1, 2, 70, 129, 130, 143];

const withOwn = (ends: readonly ExitCode[] = []): readonly ExitCode[] =>
  [...offline, ...ends].sort((one, other) => one - other);

/** The page of a command; without what the commands asked, as a page that has none beside it. */
export function commandPage({ path, argument, ...entry }: CommandEntry, asked?: AskedOf): Page {
  const words = argument === undefined ? path : `${path} ${placeholder(argument)}`;
  const examples = entry.examples.map(
    ({ does, line }) => `# ${does}\nkubectl engine ${inWords(line)}`,
  );
  return {
    title: `kubectl engine ${path}`,
    summary: inWords(entry.summary),
    parts: [
      "## Synopsis",
      { code: `kubectl engine ${words} [flags]` },
      "## Description",
      inWords(entry.description),
      ...argumentPart(argument),
      "## Examples",
      { code: examples.join("\n\n") },
      "## Flags",
      ...(entry.flags.length === 0 ? [] : [flagRows(entry.flags)]),
      "The flags that every command takes: [flags](../flags.md).",
      ...(asked === undefined ? [] : askedParts(path, asked.get(path))),
      "## Exit codes",
      exitRows(entry.cluster ? allCodes : withOwn(entry.ends)),
    ],
  };
}

function askedParts(path: string, asked: readonly Asked[] | undefined): readonly Part[] {
  const kinds = (asked ?? []).filter(({ writes }) => writes).map(namedVerb);
  const written = `On the example cluster: ${[...new Set(kinds)].sort().join(", ")}.`;
  const name = pageName({ path });
  const permissions = `What its user has to be allowed: [permissions](../permissions.md#${name}).`;
  return [
    "## What it writes",
    kinds.length === 0 ? "No Kubernetes object." : written,
    "## Permissions",
    asked === undefined ? "None of its own." : permissions,
  ];
}

function argumentPart(argument: CommandEntry["argument"]): readonly Part[] {
  if (argument === undefined) return [];
  const { name, help, choices = [] } = argument;
  return [`${name}: ${inWords(help)}${choices.length > 0 ? ` (${choices.join(", ")})` : ""}.`];
}

const resourceOf = ({ resource, group }: Asked): string =>
  group === "" ? resource : `${resource}.${group}`;
const namedVerb = (one: Asked): string => `${one.verb} ${resourceOf(one)}`;

/** One row for each resource and place: all objects there, or those that are named. */
function permissionRows(asked: readonly Asked[]): readonly (readonly string[])[] {
  const rows = new Map<string, readonly Asked[]>();
  for (const one of asked) {
    const isOwn = one.namespace === defaultNames.operator.namespace;
    const inside = isOwn ? "the operator's namespace" : "each managed namespace";
    const place = one.namespace === undefined ? "the cluster" : inside;
    const key = [resourceOf(one), place, one.name === undefined ? "all" : "named"].join("|");
    rows.set(key, [...(rows.get(key) ?? []), one]);
  }
  return [...rows.keys()].sort().map((key) => {
    const all = rows.get(key) ?? [];
    const [resource = "", place = "", objects = ""] = key.split("|");
    const each = (of: (one: Asked) => string | undefined): string =>
      [...new Set(all.map(of))].sort().join(", ");
    return [resource, each(({ verb }) => verb), place, each(({ name }) => name) || objects];
  });
}

/** What the user of each command has to be allowed. */
export function permissionsPage(asked: AskedOf): Page {
  const heads = ["resource", "verbs", "in", "objects"];
  const ofCommand = entries.flatMap((entry): readonly Part[] => {
    const own = asked.get(entry.path);
    return own === undefined ? [] : [`## ${pageName(entry)}`, { heads, rows: permissionRows(own) }];
  });
  const given = wrapperCommands.map(({ path }) => path).join(" and ");
  return {
    title: "Permissions",
    summary:
      "What the user of each command has to be allowed: the Role that it prints on the example cluster for a user who may do nothing",
    parts: [
      `A command asks for all that it needs before its first write. Where something is missing it ends with 4, names it, and prints the Role to ask for: always the complete one of the command with the options given, whatever the user may do already. --print-role prints the same beforehand, for every command that writes, without asking a cluster: it then covers whatever the cluster may hold. It is applied once; its name follows from what it holds and for whom, so that no other Role is overwritten. ${given} need the permissions of the command that they are given, rehearse only the reading ones.`,
      `Names of objects are those of the example cluster, which is of Kubernetes with constraints; on OpenShift and with OLM their own kinds are read too. What is asked for in the whole cluster, since this user may not read which namespaces and clusters there are, is asked for only in those where they are given or may be read. A user may only write a role, or bind one, who holds what it gives, or has escalate and bind on it. Secrets and pods/portforward of commands with --api-ca are for the REST API only.`,
      ...ofCommand,
    ],
  };
}

/** Every exit code. */
export const exitCodesPage: Page = {
  title: "Exit codes",
  summary: "What a command ends with, and the state that it leaves",
  parts: [
    exitRows(allCodes),
    "A warning never changes the exit code.",
    "A second signal ends a run at once, with the code of the first. nohup does not keep SIGHUP away from a program that runs in Node: start a long run in tmux or screen, or with setsid, where the terminal may be closed.",
    "Where the program that reads stdout has ended, as with head -1, nothing is said and the code stays that of the command: one that writes continues to its end, and one that watches is over, with 0.",
  ],
};

/** The flags that every command takes. */
export const flagsPage: Page = {
  title: "Flags of every command",
  summary: "Flags that can be given to any command; a flag wins over its variable",
  parts: [
    "## Connection",
    flagRows(listFlags(connectionTable)),
    "## Run and output",
    flagRows(listFlags(runTable)),
  ],
};

/** The variables of the webhook. */
export const webhookPart: Part = {
  heads: ["variable", "means", "default"],
  rows: Object.entries(settings).map(([name, [unset, means]]) => [name, means, unset]),
};

/** The variables of both programs. */
export const environmentPage: Page = {
  title: "Environment",
  summary: "Variables that kubectl-engine and engine-webhook read",
  parts: [
    "## kubectl-engine",
    { heads: ["variable", "means"], rows: Object.entries(environment) },
    "## In the place of flags",
    "A flag that is given wins. A variable of a flag without a value is true or false.",
    {
      heads: ["variable", "flag"],
      rows: standardFlags.map((flag) => [nameVariable(flag), `--${flag.name}`]),
    },
    "## engine-webhook",
    "Durations are written 500ms, 15s, 2m, 24h, sizes 8Mi, booleans true and false, lists a,b.",
    webhookPart,
  ],
};

/** Every finding under a heading of its own, which is its anchor. */
export const findingsPage: Page = {
  title: "Findings",
  summary:
    "What kubectl engine explain CODE says offline, for every code. The source of each is named with its page",
  parts: catalogue
    .map((code) => explain(code, defaultNames))
    .flatMap(({ code, severity, cause, fix, source }) => [
      `## ${code}`,
      `${severity}: ${cause}`,
      `Fix: ${fix}`,
      `Source: ${withPage(source)}`,
    ]),
};

/** Every name of the product with its key in a names file. */
export const namesPage: Page = {
  title: "Names",
  summary: "Names of the product that a names file replaces, for the operator of a brand",
  parts: [
    "Give any subset of these keys in a file by --names FILE, or by ENGINE_NAMES, which engine-webhook reads too; a list is replaced as a whole. kubectl engine options --names prints them all as such a file, to start from.",
    { heads: ["key", "is", "default"], rows: nameRows(namesTree, "") },
  ],
};

function nameRows(tree: NamesTree, before: string): readonly (readonly string[])[] {
  return Object.entries(tree).flatMap(([key, named]) =>
    named instanceof NameSpec
      ? [[`${before}${key}`, named.says, [named.value].flat().join(named.sort.isPath ? "." : ", ")]]
      : nameRows(named, `${before}${key}.`),
  );
}
