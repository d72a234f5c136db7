import {
  isSkipped,
  parseCode,
  parseSkip,
  unknownCodes,
} from "../../../../plugin/domain/checks/selection";

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
