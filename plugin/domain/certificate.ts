/**
 * Whether the secret that feeds the webhook can be trusted with it (S27, S28, S30): facts go in,
 * findings come out. Reading and parsing happen elsewhere; no item's value is ever a fact.
 */
import type { CertificateCode, CertificateContext } from "./certificate-checks";
import { certificateChecks, secretAbsent } from "./certificate-checks";
import type { CertificateFacts } from "./certificate-facts";
import type { Finding } from "./findings";
import type { Names } from "./names";

/** The catalogue entries of every code that this file gives out, the most fundamental first. */
export const certificateCodes: readonly CertificateCode[] = [
  secretAbsent,
  ...certificateChecks.map(({ code, severity, cause, fix, source }) => ({
    code,
    severity,
    cause,
    fix,
    source,
  })),
];

/** One finding per unfit fact, the most fundamental first; none for a fit certificate. */
export function judgeCertificate(
  facts: CertificateFacts,
  context: CertificateContext,
): readonly Finding[] {
  const object = facts.secret === undefined ? {} : { object: secretObject(facts.secret) };
  return certificateChecks.flatMap(({ code, severity, fix, source, field, judge }) => {
    const cause = judge(facts, context);
    if (cause === undefined) return [];
    return [{ code, severity, ...object, field: field(context.names), cause, fix, source }];
  });
}

/** The finding for a secret that is not there at all. */
export function absentSecret(namespace: string, names: Names): Finding {
  const name = names.webhook.secret;
  return {
    code: secretAbsent.code,
    severity: secretAbsent.severity,
    object: secretObject({ namespace, name }),
    cause: `the secret ${name} does not exist in namespace ${namespace}`,
    fix: secretAbsent.fix,
    source: secretAbsent.source,
  };
}

/** The one error that explains the others, undefined when there is none: warnings do not stop. */
export function firstUnfit(findings: readonly Finding[]): Finding | undefined {
  const errors = findings.filter(({ severity }) => severity === "error");
  const rank = ({ code }: Finding): number =>
    certificateCodes.findIndex((known) => known.code === code);
  return errors.sort((one, other) => rank(one) - rank(other))[0];
}

/** A secret as findings and steps write it. */
export function secretObject(secret: {
  readonly namespace: string;
  readonly name: string;
}): string {
  return `Secret/${secret.namespace}/${secret.name}`;
}
