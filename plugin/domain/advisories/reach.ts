/** Where a row holds, in words. */
import { dimensions, type Row } from "./row";

/** A line for each range: `operator from <8.0 to >=8.0`, `engine at <8.4`, `fixed in engine >=8.4.2`. */
export function describeReach({ crosses = {}, at = {}, fixedIn = {} }: Row): readonly string[] {
  return [
    ...dimensions.flatMap((what) => {
      const { from, to } = crosses[what] ?? {};
      const words = [what, ...say("from", from), ...say("to", to)];
      return words.length === 1 ? [] : [words.join(" ")];
    }),
    ...dimensions.flatMap((what) => say(`${what} at`, at[what])),
    ...dimensions.flatMap((what) => say(`fixed in ${what}`, fixedIn[what])),
  ];
}

function say(before: string, range: string | undefined): readonly string[] {
  return range === undefined ? [] : [`${before} ${range}`];
}
