/** A preflight check as a value: what it says, what it needs to have been read, and its judgment. */
import type { Found, Symptom } from "../diagnosis/symptom";
import { warning } from "../base/findings";
import type { Code } from "../names/codes";
import type { KubeObject } from "../kube/objects";
import type { CheckContext } from "./context";

export type { CheckTarget } from "./context";
export { on } from "../diagnosis/symptom";

/** The areas in the order in which they are shown. */
export const areas = [
  "deletion",
  "platform",
  "operator",
  "release",
  "definitions",
  "cluster",
  "license",
  "databases",
  "modules",
  "active-active",
  "webhook",
  "certificate",
  "rbac",
  "scc",
  "rest",
] as const;

/** One area. */
export type Area = (typeof areas)[number];

/** What a check cannot do without, beside lists; `version` is told by either of two. */
export type Want = "version" | "contents" | "webhook" | "rbac" | "certificate" | "probe";

/** One check: an entry of a list. */
export interface Check extends Symptom<CheckContext> {
  readonly area: Area;
  readonly wants?: Want;
  /** The code is another command's too, which explains it. */
  readonly shared?: true;
  /** It cannot be determined from here: a person has to look, and says so with --skip (cli contract, Output). */
  readonly vouched?: true;
}

type OfCode = Omit<Check, keyof Code | "area" | "shared">;

/** The makers of an area's checks. */
export function makeChecks(area: Area) {
  const makeCheck =
    (severity: Check["severity"]) =>
    (
      code: string,
      source: string,
      rest: Omit<Check, "code" | "area" | "severity" | "source">,
    ): Check => ({ code, area, severity, source, ...rest });
  /** For a fact that a command's own finding is about: its code and words are kept. */
  const shareCode = (entry: Code, rest: OfCode): Check => ofSymptom({ ...entry, ...rest });
  /** For a symptom of a component, as all that act judge it. */
  const ofSymptom = (symptom: Symptom<CheckContext>, rest: Partial<OfCode> = {}): Check => ({
    ...symptom,
    ...{ shared: true, area },
    ...rest,
  });
  const ofSeverity = { error: makeCheck("error"), warning: makeCheck("warning") };
  return { ...ofSeverity, shared: shareCode, ofSymptom };
}

/** A judgment of each EC by itself. */
export const perCluster =
  (
    judge: (cluster: KubeObject, situation: CheckContext) => Found | readonly Found[] | undefined,
  ): Check["judge"] =>
  (situation) =>
    situation.clusters.flatMap((cluster) => judge(cluster, situation) ?? []);

/** A list that was not read, a check that failed itself. */
export const judgingCodes = {
  unread: warning("CHECK-NOT-JUDGED", "docs/reference/commands/check.md", {
    cause: "a list could not be read, so the checks that need it were not made",
    fix: "ask an administrator for the permission that is named, then run again",
  }),
  broken: warning("CHECK-BROKEN", "docs/reference/commands/check.md", {
    cause: "a check failed: it met data that it does not understand",
    fix: "check by hand what the check is about, and report the failure with the cluster's objects",
  }),
} as const satisfies Readonly<Record<string, Code>>;
