/** Flags of one command that contradict each other, or that say nothing. */
import { parse } from "../../../plugin/cli/tree";

test.each([
  ["reapply-rbac --namespaces=,", ["--namespaces: give at least one namespace"]],
  ["policy --schema=edb --mode=audit", ["--mode: goes only with the policies"]],
  ["policy --match-conditions --mode=audit", ["--mode: goes only with the policies"]],
  ["policy --mode=audit", []],
  [
    "upgrade --no-probe --probe-file=edit.yaml",
    ["--probe-file and --no-probe: give one of the two"],
  ],
  ["reapply-rbac --namespaces=a,b,a", []],
])("%s", (line, problems) => {
  const { chosen, problems: mistyped } = parse(line.split(" "), "kubectl engine");
  expect([...mistyped, ...(chosen?.entry.prepare(chosen.raw).problems ?? ["no command"])]).toEqual(
    problems,
  );
});
