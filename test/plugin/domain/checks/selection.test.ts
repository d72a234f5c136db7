import { UsageError } from "../../../../plugin/domain/base/errors";
import type { Finding } from "../../../../plugin/domain/base/findings";
import {
  accept,
  isSkipped,
  parseCode,
  parseSkip,
  requireMatched,
  unknownCodes,
} from "../../../../plugin/domain/checks/selection";
import { skipWord, type Skip } from "../../../../plugin/domain/base/skip";

test.each([
  ["SOME-CODE", { code: "SOME-CODE" }],
  [" some_code ", { code: "SOME-CODE" }],
  ["SOME-CODE=Kind/ns/name", { code: "SOME-CODE", object: "Kind/ns/name" }],
  ["SOME-CODE=a=b", { code: "SOME-CODE", object: "a=b" }],
  ["", { code: "" }],
])("%j is read as %j", (word, skip) => {
  expect(parseSkip(word)).toEqual(skip);
});

test("a code is kept in capitals with dashes", () => {
  expect(parseCode("cluster_state")).toBe("CLUSTER-STATE");
});

test("unknown codes are named with the nearest that is known, all at once", () => {
  const known = ["CLUSTER-STATE", "CERT-EXPIRED"];
  const selection = {
    only: ["CLUSTER-STAT", "CERT-EXPIRED"],
    skip: [{ code: "CERT-EXPIERD" }, { code: "X" }],
  };
  expect(unknownCodes(selection, known)).toEqual([
    "--only: there is no check CLUSTER-STAT (did you mean CLUSTER-STATE?)",
    "--skip: there is no check CERT-EXPIERD (did you mean CERT-EXPIRED?)",
    "--skip: there is no check X",
  ]);
  expect(unknownCodes({}, known)).toEqual([]);
});

test("without a choice nothing is skipped", () => {
  expect(isSkipped({}, "CLUSTER-STATE")).toBe(false);
});

const finding = (code: string, object?: string): Finding => ({
  code,
  severity: "error",
  ...(object !== undefined && { object }),
  cause: "c",
  fix: "f",
  source: "S1",
});
const met = [finding("A-CODE", "Kind/one"), finding("A-CODE", "Kind/two"), finding("B-CODE")];
const one: Skip = { code: "A-CODE", object: "Kind/one" };

test.each<[string, readonly Skip[], readonly boolean[]]>([
  ["nothing", [], [false, false, false]],
  ["the one on this object", [one], [true, false, false]],
  ["all of a code", [{ code: "A-CODE" }], [true, true, false]],
  ["one without an object, by its code", [{ code: "B-CODE" }], [false, false, true]],
  ["none on another object", [{ code: "B-CODE", object: "Kind/one" }], [false, false, false]],
])("accepted is %s: shown as a warning, none is left out", (_, skip, accepted) => {
  expect(accept(met, skip)).toEqual(
    met.map((each, n) =>
      accepted[n] === true ? { ...each, severity: "warning", accepted: true } : each,
    ),
  );
});

function problemsOf(skip: readonly Skip[]): readonly string[] {
  try {
    requireMatched(skip, met);
    return [];
  } catch (error) {
    return error instanceof UsageError ? error.problems : ["another error"];
  }
}

test.each<[string, readonly Skip[], readonly string[]]>([
  ["none", [], []],
  ["those that match", [one, { code: "B-CODE" }], []],
  [
    "each that matches nothing, all at once",
    [one, { code: "A-CODE", object: "Kind/tow" }, { code: "B-COED" }, { code: "OTHER-THING" }],
    [
      "--skip A-CODE=Kind/tow matches no finding (A-CODE was found on Kind/one, Kind/two)",
      "--skip B-COED matches no finding (did you mean B-CODE?)",
      "--skip OTHER-THING matches no finding",
    ],
  ],
  [
    "an object where the finding has none",
    [{ code: "B-CODE", object: "Kind/one" }],
    ["--skip B-CODE=Kind/one matches no finding (did you mean B-CODE?)"],
  ],
])("wrong usage is %s", (_, skip, problems) => {
  expect(problemsOf(skip)).toEqual(problems);
});

test.each([
  [one, "A-CODE=Kind/one"],
  [{ code: "B-CODE" }, "B-CODE"],
])("%j is typed as %s", (skip, word) => {
  expect(skipWord(skip)).toBe(word);
});
