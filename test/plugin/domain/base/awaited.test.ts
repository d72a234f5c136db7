/** What a wait is for says whose condition it is, once. */
import { nameAwaited, nameFinding } from "../../../../plugin/domain/base/awaited";
import { nameProgress, type Progress } from "../../../../plugin/domain/rollout/progress";
import { isNamed, listUnnamedWaits, listWaits } from "../../../support/named-waits";

const object = "Pod/engine/ec-0";

test.each([
  ["a condition", nameAwaited(object, "to be ready"), `${object}: to be ready`],
  ["one that names its object", nameAwaited(object, `${object}: ready`), `${object}: ready`],
  ["another object's", nameAwaited(object, "Node/a: ready"), `${object}: Node/a: ready`],
  ["a finding", nameFinding({ object, cause: "not ready" }), `${object}: not ready`],
  ["a finding of no object", nameFinding({ cause: "not read" }), "the cluster: not read"],
])("%s", (_, on, wanted) => {
  expect(on).toBe(wanted);
});

test.each<[Progress, unknown]>([
  [
    { is: "moving", on: "ready", step: "1" },
    { is: "moving", on: `${object}: ready`, step: "1" },
  ],
  [
    { is: "done", says: "ready" },
    { is: "done", says: "ready" },
  ],
])("a verdict %j", (progress, wanted) => {
  expect(nameProgress(object, progress)).toEqual(wanted);
});

test("the law sees a line that names nothing", () => {
  const lines = [
    "waiting for ",
    "step 1: read it",
    "the cluster's part: waiting for state Running",
    `waiting for ${object}: to be ready (4s)`,
    "waiting for undefined: to be ready",
    `waiting for ${object}:`,
  ];
  expect(listWaits(lines.join("\n"))).toHaveLength(5);
  expect(listUnnamedWaits(lines.join("\n"))).toHaveLength(4);
  expect(isNamed("namespaces: 1 of 2")).toBe(true);
});
