/** What the program says of itself, in the words of the names that it was given. */
import { catalogue } from "../commands/explain/catalogue";
import { checks } from "../commands/checks";
import type { Names } from "../domain/names/names";
import { wordingOf } from "../domain/names/wording";
import { escapeRegExp, isObject } from "../domain/base/values";
import type { TalkingReporter } from "../output/reporter";
import type { Event, Report } from "../kernel/report";
import { Readable } from "node:stream";
import { parseDocuments } from "../adapters/yaml";
import { UsageError } from "../domain/base/errors";
import { judgeNames } from "../domain/names/judge";
import { readInput } from "./input";

/** Sentences of the program, found wherever they stand: what came from a cluster stays as it is. */
export function sentencesIn(names: Names): (text: string) => string {
  const say = wordingOf(names);
  const sentences = [
    ...catalogue.flatMap(({ cause, fix }) => [cause, fix]),
    ...checks.flatMap(({ title, cause, fix }) => [title, cause, fix]),
  ].filter((sentence) => say(sentence) !== sentence);
  const said = new Map(sentences.map((sentence) => [sentence, say(sentence)]));
  const longestFirst = [...said.keys()].sort((one, other) => other.length - one.length);
  const pattern = new RegExp(longestFirst.map(escapeRegExp).join("|") || "(?!)", "g");
  return (text) => text.replace(pattern, (sentence) => String(said.get(sentence)));
}

/** A reporter that says these sentences in the words of the names. */
export function worded(reporter: TalkingReporter, say: (text: string) => string): TalkingReporter {
  return {
    event: (event) => {
      reporter.event(textsIn(event, say) as Event);
    },
    end: (report, text) => {
      reporter.end(reportIn(report, say), text);
    },
    rest: () => {
      reporter.rest();
    },
  };
}

/** The same of a whole document. */
export function reportIn(report: Report, say: (text: string) => string): Report {
  return textsIn(report, say) as Report;
}

function textsIn(value: unknown, say: (text: string) => string): unknown {
  if (typeof value === "string") return say(value);
  if (Array.isArray(value)) return value.map((item) => textsIn(item, say));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, textsIn(inner, say)]),
  );
}

/** The names of a file, or every problem that stands against it. */
export interface ReadNames {
  readonly names?: Names;
  readonly problems: readonly string[];
}

/** Reads a names file, YAML or JSON; each problem names the file. */
export async function readNames(file: string): Promise<ReadNames> {
  const named = (problem: string): string => `--names ${file}: ${problem}`;
  if (file === "-") return { problems: [named("is stdin, give a file")] };
  try {
    const documents = parseDocuments(await textOf(file), file, "marked");
    if (documents.length > 1) {
      return { problems: [named(`holds ${documents.length} documents where one is expected`)] };
    }
    const judged = judgeNames(documents[0]);
    return "names" in judged
      ? { names: judged.names, problems: [] }
      : { problems: judged.problems.map(named) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { problems: [`--names: ${error.message}`] };
  }
}

async function textOf(file: string): Promise<string> {
  return readInput(file, Readable.from([]), new AbortController().signal);
}
