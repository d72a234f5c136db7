/**
 * Begins with the longest files, so that no worker is left with one of them at the end. jest knows
 * the seconds of a file only after a first run, and a fresh clone has none.
 */
import { createRequire } from "node:module";
import { basename } from "node:path";

const { default: Sequencer } = createRequire(import.meta.url)("@jest/test-sequencer");

/** Of each run, measured on two idle cores; what is not named here is short. */
const longest = [
  ...["parts", "wholes", "rest", "jobs", "adapters", "simulator", "webhook", "domain"],
  ...["laws", "laws-of-many-worlds", "hanging-whole", "role-without-a-rule", "hanging-operator"],
  ...["hanging-objects", "differential", "plans", "terminal", "next-gone", "printed-role"],
  ...["ways", "standstill", "upgrade-interrupt", "upgrade-misbehavior", "swap-table"],
  ...["unbind-scc", "upgrade-operator", "webhook-rollout", "upgrade-observed"],
];

const placeOf = ({ path }) => {
  const place = longest.indexOf(basename(path).replace(/(\.test)?\.ts$/, ""));
  return place < 0 ? longest.length : place;
};

export default class LongestFirst extends Sequencer {
  sort(tests) {
    return [...tests].sort((one, other) => placeOf(one) - placeOf(other));
  }
}
