/** What a call of the webhook that fails does to its edit: the failurePolicy of the entry decides, and nothing else does. */
import type { Finding } from "../base/findings";
import type { ProbeAnswer } from "./answers";
import type { ValidatingWebhook } from "../kube/models";

/** What the API server does with an edit when it gets no answer. */
export type FailurePolicy = "Fail" | "Ignore";

/** How many of the calls fail: all, or those that one of several pods gets. */
export type Extent = "all" | "some";

/** The policy of an entry; Fail is the API server's default. */
export function readFailurePolicy(entry: ValidatingWebhook | undefined): FailurePolicy {
  return entry?.failurePolicy === "Ignore" ? "Ignore" : "Fail";
}

/** The policies of entries, each once, Fail first. */
export function listPolicies(
  entries: readonly (ValidatingWebhook | undefined)[],
): readonly FailurePolicy[] {
  const found = entries.map(readFailurePolicy);
  return (["Fail", "Ignore"] as const).filter((policy) => found.includes(policy));
}

/** Why an edit that passes proves nothing under Ignore. */
export const failsOpen = "failurePolicy Ignore: calls that fail let edits pass";

const consequences: Readonly<Record<Extent, Readonly<Record<FailurePolicy, string>>>> = {
  all: {
    Fail: "edits that it checks fail",
    Ignore: `nothing is validated (${failsOpen})`,
  },
  some: {
    Fail: "edits whose call fails are refused",
    Ignore: `edits whose call fails are not validated (${failsOpen})`,
  },
};

/** What failed calls lead to; where entries differ in their policy, each is said with its policy. */
export function describeConsequence(
  policies: readonly FailurePolicy[],
  extent: Extent = "all",
): string {
  const [first = "Fail", second] = policies;
  const said = consequences[extent];
  return second === undefined
    ? said[first]
    : `of the entry with Fail ${said.Fail}, of the one with Ignore ${said.Ignore}`;
}

const planned: typeof consequences = {
  all: {
    Fail: "edits that it checks would fail",
    Ignore: `nothing would be validated (${failsOpen})`,
  },
  some: {
    Fail: "edits whose call fails would be refused",
    Ignore: `edits whose call fails would not be validated (${failsOpen})`,
  },
};

/** What failed calls would lead to, where nothing is in force: the entry of the template says it. */
export function describePlanned(
  policies: readonly FailurePolicy[],
  extent: Extent = "all",
): string {
  const policy = policies.includes("Ignore") ? "Ignore" : "Fail";
  return `with the new configuration ${planned[extent][policy]}`;
}

/** For texts that know no entry: what either policy leads to. */
export const eitherConsequence =
  "with failurePolicy Fail edits that it checks fail, with Ignore nothing is validated";

/**
 * Why a proof did not come, with what Ignore hides of it. Of a call that failed the API server names the entry only
 * where that stopped the edit: the entry has Fail, and Ignore hides nothing.
 */
export function explainUnproven(
  because: string,
  policies: readonly FailurePolicy[],
  wrong: ProbeAnswer | undefined,
): string {
  const isStopped = wrong?.is === "failed" && wrong.by !== "";
  return policies.includes("Ignore") && !isStopped ? `${because}; ${failsOpen}` : because;
}

/** The policies of entries in force, each once. */
export function policiesOf(
  entries: readonly { readonly entry: ValidatingWebhook }[],
): readonly FailurePolicy[] {
  return listPolicies(entries.map(({ entry }) => entry));
}

/** Says in each finding on a way what its failed calls come to. */
export function addConsequence<
  T extends { readonly findings: readonly Finding[]; readonly extent?: Extent },
>(way: T, policies: readonly FailurePolicy[], describe = describeConsequence): T {
  const consequence = describe(policies, way.extent);
  const findings = way.findings.map((one) => ({ ...one, cause: `${one.cause}; ${consequence}` }));
  return { ...way, findings };
}
