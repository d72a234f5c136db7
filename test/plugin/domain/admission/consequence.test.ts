import {
  describeConsequence,
  explainUnproven,
  type FailurePolicy,
  listPolicies,
} from "../../../../plugin/domain/admission/consequence";

const [fail, ignore] = [{ failurePolicy: "Fail" }, { failurePolicy: "Ignore" }];

test.each<[string, readonly unknown[], readonly FailurePolicy[]]>([
  ["Fail where nothing is said", [{}], ["Fail"]],
  ["each once, Fail first", [ignore, fail, ignore], ["Fail", "Ignore"]],
  ["none of no entry", [], []],
])("the policies of entries: %s", (_, entries, policies) => {
  expect(listPolicies(entries)).toEqual(policies);
});

test.each<[readonly FailurePolicy[], string]>([
  [[], "edits that it checks fail"],
  [["Fail"], "edits that it checks fail"],
  [["Ignore"], "nothing is validated (failurePolicy Ignore: calls that fail let edits pass)"],
  [
    ["Fail", "Ignore"],
    "of the entry with Fail edits that it checks fail, of the one with Ignore nothing is validated (failurePolicy Ignore: calls that fail let edits pass)",
  ],
])("%p: %s", (policies, says) => {
  expect(describeConsequence(policies)).toBe(says);
});

test("where some calls fail, only their edits are concerned", () => {
  expect(describeConsequence(["Fail"], "some")).toBe("edits whose call fails are refused");
  expect(describeConsequence(["Ignore"], "some")).toContain("are not validated");
});

test("what Ignore hides stands beside the reason", () => {
  expect(explainUnproven("it passes", ["Fail"])).toBe("it passes");
  expect(explainUnproven("it passes", ["Ignore"])).toContain("calls that fail let edits pass");
});
