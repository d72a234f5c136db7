/** What the program says of itself, in the words of the names that it was given. */
import { catalogue } from "../domain/catalogue";
import { checks } from "../domain/checks/all";
import type { Names } from "../domain/names";
import { escaped, wordingOf } from "../domain/names/wording";
import { isObject } from "../domain/values";
import type { TalkingReporter } from "../output/reporter";
import type { Event, Report } from "../run/report";

/** Sentences of the program, found wherever they stand: what came from a cluster stays as it is. */
export function sentencesIn(names: Names): (text: string) => string {
  const say = wordingOf(names);
  const sentences = [
    ...catalogue.flatMap(({ cause, fix }) => [cause, fix]),
    ...checks.flatMap(({ title, cause, fix }) => [title, cause, fix]),
  ].filter((sentence) => say(sentence) !== sentence);
  const said = new Map(sentences.map((sentence) => [sentence, say(sentence)]));
  const longestFirst = [...said.keys()].sort((one, other) => other.length - one.length);
  const pattern = new RegExp(longestFirst.map(escaped).join("|") || "(?!)", "g");
  return (text) => text.replace(pattern, (sentence) => String(said.get(sentence)));
}

/** A reporter that says these sentences in the words of the names. */
export function worded(reporter: TalkingReporter, say: (text: string) => string): TalkingReporter {
  return {
    event: (event) => {
      reporter.event(textsIn(event, say) as Event);
    },
    end: (report, text) => {
      reporter.end(textsIn(report, say) as Report, text);
    },
    rest: () => {
      reporter.rest();
    },
  };
}

function textsIn(value: unknown, say: (text: string) => string): unknown {
  if (typeof value === "string") return say(value);
  if (Array.isArray(value)) return value.map((item) => textsIn(item, say));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, textsIn(inner, say)]),
  );
}
