/** The names that --names leads to. */
import { Readable } from "node:stream";
import { parseDocuments } from "../adapters/kubernetes/text/yaml";
import { UsageError } from "../domain/base/errors";
import type { Names } from "../domain/names/names";
import { judgeNames } from "../domain/names/judge";
import { readInput } from "./input";

/** The names of a file, or every problem that stands against it. */
export interface ReadNames {
  readonly names?: Names;
  readonly problems: readonly string[];
}

/** Reads a names file, YAML or JSON; each problem names the file. */
export async function readNames(file: string): Promise<ReadNames> {
  const nameProblem = (problem: string): string => `--names ${file}: ${problem}`;
  if (file === "-") return { problems: [nameProblem("is stdin, give a file")] };
  try {
    const documents = parseDocuments(await readText(file), file, "marked");
    if (documents.length > 1) {
      return {
        problems: [nameProblem(`holds ${documents.length} documents where one is expected`)],
      };
    }
    const judged = judgeNames(documents[0]);
    return "names" in judged
      ? { names: judged.names, problems: [] }
      : { problems: judged.problems.map(nameProblem) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return { problems: [`--names: ${error.message}`] };
  }
}

async function readText(file: string): Promise<string> {
  return readInput(file, Readable.from([]), new AbortController().signal);
}
