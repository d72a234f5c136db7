import type { ProbeAnswer } from "../../../../plugin/domain/admission/answers";
import {
  describeConsequence,
  describePlanned,
  type Extent,
  explainUnproven,
  type FailurePolicy,
  listPolicies,
} from "../../../../plugin/domain/admission/consequence";
import { policiesTo } from "../../../../plugin/domain/admission/configuration";
import type { Json } from "../../../../plugin/domain/base/values";
import type { ValidatingWebhook } from "../../../../plugin/domain/kube/models";

const failedBy = (by: string): ProbeAnswer => ({ is: "failed", by, detail: "EOF" });
const [fail, ignore] = [{ failurePolicy: "Fail" }, { failurePolicy: "Ignore" }];

test.each<[string, readonly ValidatingWebhook[], readonly FailurePolicy[]]>([
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

const hides = "because; failurePolicy Ignore: calls that fail let edits pass";

test.each<[string, readonly FailurePolicy[], ProbeAnswer | undefined, string]>([
  ["with Fail nothing is hidden", ["Fail"], { is: "accepted" }, "because"],
  ["with Ignore an edit that passes shows nothing", ["Ignore"], { is: "accepted" }, hides],
  ["with Ignore no answer shows nothing", ["Ignore"], undefined, hides],
  ["a failed call that stops its edit has Fail", ["Fail", "Ignore"], failedBy("ours"), "because"],
  ["a call without an answer in time names no entry", ["Fail", "Ignore"], failedBy(""), hides],
])("what Ignore hides stands beside the reason: %s", (_title, policies, answer, says) => {
  expect(explainUnproven("because", policies, answer)).toBe(says);
});

test.each<[FailurePolicy, Extent, string]>([
  ["Fail", "all", "edits that it checks would fail"],
  ["Fail", "some", "edits whose call fails would be refused"],
  ["Ignore", "all", "nothing would be validated"],
  ["Ignore", "some", "edits whose call fails would not be validated"],
])("where nothing is in force, %s, %s: %s", (policy, extent, says) => {
  expect(describePlanned([policy], extent)).toContain(`with the new configuration ${says}`);
  expect(describePlanned([policy])).toBe(describePlanned([policy], "all"));
});

const service = { namespace: "engine", name: "admission" };
const calling = (name: string, failurePolicy: FailurePolicy): { readonly entry: Json } => ({
  entry: { failurePolicy, clientConfig: { service: { ...service, name } } },
});

test.each<[string, readonly { readonly entry: Json }[], readonly FailurePolicy[]]>([
  ["those that call it", [calling("other", "Fail"), calling("admission", "Ignore")], ["Ignore"]],
  ["all where none calls it", [calling("other", "Fail")], ["Fail"]],
  ["none of no entry", [], []],
])("the policies of the entries toward a Service: %s", (_title, entries, policies) => {
  expect(policiesTo(entries, service)).toEqual(policies);
});
