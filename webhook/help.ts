/** What the program says of itself, instead of running. */
import { version } from "../package.json";
import { built } from "../plugin/domain/base/built";
import { UsageError } from "../plugin/domain/base/errors";
import { fitText, readWidth } from "../plugin/domain/base/fit";
import { settings } from "./settings";

/** Help or version: what is asked with words, since it is configured by its environment alone. */
export function joinWords(words: readonly string[]): string {
  if (words.some((word) => word === "--help" || word === "-h")) return help();
  if (words.join(" ") === "--version") return versionLine;
  throw new UsageError(
    words.map(
      (word) =>
        `unknown argument ${JSON.stringify(word)}: settings come from the environment; see --help`,
    ),
  );
}

const versionLine = `engine-webhook v${version} (commit ${built.commit}, ${built.date}; Node v${process.versions.node})\n`;

function help(): string {
  const lines = Object.entries(settings).flatMap(([name, [unset, means]]) => [
    `  ${name}`,
    `      ${means} (default: ${unset})`,
  ]);
  const text = [
    "The companion admission webhook: it checks edits of databases before they are stored.",
    "It takes no arguments; every setting is an environment variable.",
    "",
    "Usage:",
    "  engine-webhook [--help | --version]",
    "",
    "Environment:",
    ...lines,
    "",
  ].join("\n");
  return fitText(text, readWidth(process.stdout));
}
