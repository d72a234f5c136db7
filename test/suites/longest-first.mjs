/**
 * Begins with the longest groups, so that no worker is left with one of them at the end. jest knows
 * the seconds of a group only after a first run, and a fresh clone has none.
 */
import { createRequire } from "node:module";
import { basename } from "node:path";

const { default: Sequencer } = createRequire(import.meta.url)("@jest/test-sequencer");

/** Measured on two idle cores; what is not named here is short. */
const longest = ["parts", "wholes", "rest", "jobs", "adapters", "simulator", "webhook", "domain"];

const placeOf = ({ path }) => {
  const place = longest.indexOf(basename(path, ".ts"));
  return place < 0 ? longest.length : place;
};

export default class LongestFirst extends Sequencer {
  sort(tests) {
    return [...tests].sort((one, other) => placeOf(one) - placeOf(other));
  }
}
