/** `options`: the flags that every command takes, the names of the product, or manifests under them. */
import { renderDocuments } from "../adapters/yaml";
import type { Names } from "../domain/names";
import { isObject, asArray, getOwn, asString } from "../domain/values";
import type { Report } from "../run/report";
import type { CommandRun } from "./context";
import { webhookManifests } from "./manifests";
import { namesText } from "./names-text";
import { type FlagSpec, listOf, variableOf } from "./flags";
import type { OptionsFlags } from "./specs/about";
import { connectionTable, explained, runTable, spelling } from "./standard-flags";

/** The global flags as data, the names as a names file has them, or the manifests under the names. */
export const runOptions: CommandRun<OptionsFlags> = ({ names }, _args, flags) =>
  Promise.resolve({
    apiVersion: "cli.engine.com/v1",
    kind: "Options",
    ...answer(names, flags),
  });

function answer(names: Names, flags: OptionsFlags): Pick<Report, "details" | "exit"> {
  const done = (details: object, reason: string) =>
    ({ details, exit: { code: 0, reason } }) as const;
  if (flags.manifests !== undefined) {
    const manifests = webhookManifests(names, flags.manifests.ownCert);
    return done({ manifests }, "the manifests of the companion webhook");
  }
  if (flags.names) return done({ names }, "the names of the product");
  const details = {
    connection: listOf(connectionTable).map(described),
    run: listOf(runTable).map(described),
  };
  return done(details, "the flags that every command takes");
}

function described(flag: FlagSpec): object {
  return { flag: spelling(flag).trim(), help: explained(flag), variable: variableOf(flag) };
}

/** Manifests or names as YAML; else the flags in two parts, and how the environment comes in. */
export function optionsText({ details }: Report): string {
  const manifests = getOwn(details, "manifests");
  if (manifests !== undefined) return renderDocuments(asArray(manifests));
  const names = getOwn(details, "names");
  if (names !== undefined) return namesText(names);
  const part = (name: string): readonly string[] =>
    asArray(getOwn(details, name)).filter(isObject).flatMap(flagText);
  return `${[
    "The following flags can be given to any command.",
    "",
    "Connection, as in kubectl:",
    ...part("connection"),
    "Run and output:",
    ...part("run"),
    "An environment variable stands in for a flag that is not given; the flag wins. A variable of a",
    "flag without a value is true or false, one of a flag that may be repeated is separated by commas.",
    "Then the kubeconfig counts, then the default.",
  ].join("\n")}\n`;
}

function flagText(flag: object): readonly string[] {
  const spelled = asString(getOwn(flag, "flag")) ?? "";
  const head = `  ${spelled.startsWith("--") ? "    " : ""}${spelled}`;
  return [
    head,
    `          ${asString(getOwn(flag, "help")) ?? ""}`,
    `          ${asString(getOwn(flag, "variable")) ?? ""}`,
    "",
  ];
}
