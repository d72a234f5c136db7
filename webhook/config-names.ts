/** The names file of ENGINE_NAMES: the same file, judged by the same rules, as the plugin's --names. */
import { readFileSync } from "node:fs";
import { type JudgedNames, judgeNames, parseMarked } from "../plugin/domain/names/judge";
import { errorText } from "./log";
import { parseYaml } from "./yaml";

/** The names of a file, YAML or JSON, or every problem that stands against it. */
export function readNames(file: string): JudgedNames {
  try {
    const documents = parseMarked(readFileSync(file, "utf8"), parseYaml);
    return documents.length > 1
      ? { problems: [`holds ${documents.length} documents where one is wanted`] }
      : judgeNames(documents[0]);
  } catch (error) {
    const [reason = ""] = errorText(error).split("\n");
    return { problems: [`cannot be used: ${reason}`] };
  }
}
