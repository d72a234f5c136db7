/** Which checks have to hold before a whole upgrade begins (S113, S121-S127). */
import type { Area } from "../checks/check";
import type { JudgedCheck } from "../checks/judge";
import type { Finding } from "../findings";

/** What parts of the upgrade judge themselves, because it is what they bring in order. */
const areasElsewhere: ReadonlySet<Area> = new Set<Area>([
  "definitions",
  "webhook",
  "certificate",
  "rbac",
  "scc",
]);

/** What the operator's part brings in order and waits for, and the part before it switches off (S124). */
const codesElsewhere: ReadonlySet<string> = new Set([
  "OPERATOR-NOT-READY",
  "OPERATOR-IMAGES-DIFFER",
  "OPERATOR-ACCOUNT-ABSENT",
  "CLUSTER-AUTO-USER-MODULES",
]);

/**
 * Prerequisites that `check` only warns of, since they cannot be seen to the end from here: an upgrade
 * begun without them freezes (S54, S103, S126), so a person has to say that they are seen to.
 */
const vouched: ReadonlySet<string> = new Set([
  "MODULE-NAME",
  "MODULE-OS-BASE",
  "DATABASE-VERSION-UNSUPPORTED",
]);

/** The findings that no part of the upgrade does away with; what is missing for sure or maybe is an error. */
export function prerequisiteFindings(judged: readonly JudgedCheck[]): readonly Finding[] {
  return judged
    .filter(({ check }) => !areasElsewhere.has(check.area) && !codesElsewhere.has(check.code))
    .flatMap(({ findings }) => findings)
    .map((finding) =>
      vouched.has(finding.code) && finding.accepted !== true ? required(finding) : finding,
    );
}

function required(finding: Finding): Finding {
  const { code, object, fix } = finding;
  const named = object === undefined ? code : `${code}=${object}`;
  return { ...finding, severity: "error", fix: `${fix}; once that is seen to, --skip ${named}` };
}
