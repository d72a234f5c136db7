/** Help texts in kubectl's form, made from the list of commands. */
import type { Names } from "../domain/names/names";
import { textIn } from "../domain/names/text";
import type { Prefix } from "../cmdutil/context";
import type { FlagSpec } from "../cmdutil/flags";
import { type ArgumentSpec, groups } from "../cmdutil/spec";
import { explainFlag, spellFlag, standardFlags } from "../cmdutil/standard-flags";
import { entries, parents } from "./commands";
import type { CommandEntry } from "../cmdutil/entry";

/** The global flags that a command's help repeats, since most calls have one of them. */
const often = ["namespace", "output", "dry-run", "yes", "wait", "timeout"];

/** Help of the program itself. */
export function rootHelp(prefix: Prefix, names: Names): string {
  const listed = Object.values(groups).map((group) => {
    const members = entries.filter((entry) => entry.group === group);
    return section(group, summaries(members, names));
  });
  return page([
    `Upgrade ${names.product} on Kubernetes and OpenShift.`,
    section("Examples", [
      "# Put the new admission webhook in the place of the old one",
      `${prefix} upgrade-webhook -n ${names.operator.namespace}`,
    ]),
    ...listed,
    section("Usage", [`${prefix} COMMAND [flags]`]),
    `Use "${prefix} COMMAND --help" for more about a command.\n${optionsLine(prefix)}`,
  ]);
}

/** Help of a word that only leads to other commands. */
export function parentHelp(prefix: Prefix, name: string, names: Names): string {
  const members = entries.filter((entry) => entry.path.startsWith(`${name} `));
  return page([
    `${textIn(parents[name] ?? "", names)}.`,
    section("Available Commands", summaries(members, names)),
    section("Usage", [`${prefix} ${name} COMMAND [flags]`]),
    `Use "${prefix} ${name} COMMAND --help" for more about a command.\n${optionsLine(prefix)}`,
  ]);
}

/** Help of one command. */
export function commandHelp(prefix: Prefix, entry: CommandEntry, names: Names): string {
  const examples = entry.examples.flatMap(({ does, line }) => [
    `# ${does}`,
    `${prefix} ${textIn(line, names)}`,
    "",
  ]);
  const common = standardFlags.filter((flag) => often.includes(flag.name));
  const argument = entry.argument === undefined ? "" : ` ${placeholder(entry.argument)}`;
  return page([
    textIn(entry.description, names),
    section("Examples", examples.slice(0, -1)),
    ...argumentSection(entry, names),
    ...(entry.flags.length === 0 ? [] : [section("Options", flagLines(entry.flags, names))]),
    ...(entry.cluster ? [section("Often used global options", flagLines(common, names))] : []),
    section("Usage", [`${prefix} ${entry.path}${argument} [flags]`]),
    optionsLine(prefix),
  ]);
}

/** An argument as the line of usage shows it. */
export function placeholder({ name, optional, repeat }: ArgumentSpec): string {
  const shown = repeat === true ? `${name}...` : name;
  return optional === true ? `[${shown}]` : shown;
}

function argumentSection({ argument }: CommandEntry, names: Names): readonly string[] {
  if (argument === undefined) return [];
  const choices = argument.choices === undefined ? "" : `: ${argument.choices.join(", ")}`;
  return [
    section("Arguments", columns([[argument.name, `${textIn(argument.help, names)}${choices}`]])),
  ];
}

/** Flags with what they do, one a line. */
function flagLines(flags: readonly FlagSpec[], names: Names): readonly string[] {
  return columns(flags.map((flag) => [spellFlag(flag), explainFlag(flag, names)]));
}

function optionsLine(prefix: Prefix): string {
  return `Use "${prefix} options" for the flags that every command takes.`;
}

function summaries(members: readonly CommandEntry[], names: Names): readonly string[] {
  return columns(members.map(({ path, summary }) => [path, textIn(summary, names)]));
}

function section(title: string, lines: readonly string[]): string {
  return [`${title}:`, ...lines.map((line) => `  ${line}`.trimEnd())].join("\n");
}

function columns(rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(...rows.map(([first]) => first.length));
  return rows.map(([first, second]) => `${first.padEnd(width)}   ${second}`);
}

function page(parts: readonly string[]): string {
  return `${parts.join("\n\n")}\n`;
}
