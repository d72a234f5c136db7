/** `options`: the flags that every command takes, the names of the product, or the schema of documents. */
import { inlineYaml } from "../adapters/kubernetes/text/yaml";
import { type Names, namesTree, type NamesTree } from "../domain/names/names";
import { getOwn, suggestion } from "../domain/base/values";
import type { TextStyle } from "../output/text";
import { fitHelp } from "../domain/base/fit";
import type { Report } from "../kernel/report";
import type { CommandRun } from "../cmdutil/context";
import { type FlagSpec, listFlags, nameVariable } from "../cmdutil/flags";
import type { OptionsFlags } from "./flags";
import { connectionTable, explainFlag, runTable, spellFlag } from "../cmdutil/standard-flags";
import { NameSpec } from "../domain/names/types";
import { readShippedSchema } from "../adapters/shipped";
import { UsageError } from "../domain/base/errors";

/** The global flags as data, or the names as a names file has them. */
export const runOptions: CommandRun<OptionsFlags> = ({ names }, _args, flags) =>
  Promise.resolve({
    apiVersion: "cli.engine.com/v1",
    kind: "Options",
    ...answer(names, flags),
  });

function answer(names: Names, flags: OptionsFlags): Pick<Report, "details" | "exit"> {
  const done = (details: object, reason: string) =>
    ({ details, exit: { code: 0, reason } }) as const;
  if (flags.schema !== undefined) {
    return done({ schema: selectSchema(flags.schema.kind) }, "the JSON schema of the documents");
  }
  if (flags.names) return done({ names }, "the names of the product");
  const details = {
    connection: listFlags(connectionTable).map((flag) => describeFlag(flag, names)),
    run: listFlags(runTable).map((flag) => describeFlag(flag, names)),
  };
  return done(details, "the flags that every command takes");
}

/** Of every kind, or of one with the definitions that it leads to. */
function selectSchema(kind: string | undefined): object {
  const schema = readShippedSchema();
  const [report, { properties }, ...byKind] = schema.allOf;
  if (kind === undefined) return schema;
  const kinds = properties.kind.enum;
  if (!kinds.includes(kind)) {
    const hint = `use one of ${kinds.join(", ")}`;
    const what = `--schema: ${JSON.stringify(kind)} is not a kind of document`;
    throw new UsageError(`${what}${suggestion(kind, kinds)}`, { hint });
  }
  const own = byKind.find(({ if: { properties } }) => properties.kind.const === kind);
  const reached = new Map<string, object>();
  const reach = (part: object): void => {
    for (const [, name = ""] of JSON.stringify(part).matchAll(/"#\/definitions\/(\w+)"/g)) {
      const definition = schema.definitions[name];
      if (definition === undefined || reached.has(name)) continue;
      reached.set(name, definition);
      reach(definition);
    }
  };
  const allOf = [report, { properties: { kind: { const: kind } } }, own?.then ?? {}];
  reach(allOf);
  return { ...schema, title: kind, allOf, definitions: Object.fromEntries(reached) };
}

function describeFlag(flag: FlagSpec, names: Names) {
  return {
    flag: spellFlag(flag).trim(),
    help: explainFlag(flag, names),
    variable: nameVariable(flag),
  };
}

/** Names as YAML; else the flags in two parts, and how the environment comes in. */
export function optionsText({ details }: Report, { width }: TextStyle): string {
  const { names, schema, connection = [], run = [] } = details as OptionsDetails;
  if (schema !== undefined) return `${JSON.stringify(schema, undefined, 2)}\n`;
  if (names !== undefined) return namesText(names);
  const lines = [
    "The following flags can be given to any command.",
    "",
    "Connection, as in kubectl:",
    ...connection.flatMap(flagText),
    "Run and output:",
    ...run.flatMap(flagText),
    "An environment variable stands in for a flag that is not given; the flag wins. A variable of a",
    "flag without a value is true or false, one of a flag that may be repeated is separated by commas.",
    "Then the kubeconfig counts, then the default.",
  ];
  return `${fitHelp(lines.join("\n"), width)}\n`;
}

export interface OptionsDetails {
  readonly names?: Names;
  /** In the words of JSON Schema, draft 7. */
  readonly schema?: object;
  readonly connection?: readonly ReturnType<typeof describeFlag>[];
  readonly run?: readonly ReturnType<typeof describeFlag>[];
}

function flagText({ flag, help, variable }: ReturnType<typeof describeFlag>): readonly string[] {
  const indent = " ".repeat(10);
  return [
    `  ${flag.startsWith("--") ? "    " : ""}${flag}`,
    `${indent}${help}`,
    `${indent}${variable}`,
    "",
  ];
}

const head = `# The names of the product. A names file replaces any subset of these keys, lists as a whole:
# leave out what stays. Give it with --names FILE or ENGINE_NAMES=FILE, to the webhook as well.

`;

/** Every name with what it is. */
function namesText(names: unknown): string {
  return `${head}${lines(namesTree, names, "").join("\n")}\n`;
}

function lines(tree: NamesTree, names: unknown, indent: string): readonly string[] {
  let space: readonly string[] = [];
  return Object.entries(tree).flatMap(([key, named]) => {
    const value = getOwn(names, key);
    const before = space;
    space = named instanceof NameSpec ? [] : [""];
    return named instanceof NameSpec
      ? [...before, `${indent}# ${named.says}`, `${indent}${key}: ${inlineYaml(value)}`]
      : ["", `${indent}${key}:`, ...lines(named, value, `${indent}  `)];
  });
}
