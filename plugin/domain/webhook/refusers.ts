/** Who refuses or fails an edit in the place of the product's webhook, and what to do about it. */
import type { Finding } from "../findings";
import { webhookFinding } from "./codes";
import type { Observation, ProbeAnswer } from "./probe";

/** A policy, or a webhook of someone else. */
export interface Refuser {
  readonly kind: "ValidatingAdmissionPolicy" | "MutatingAdmissionPolicy" | "webhook";
  readonly name: string;
  /** It was not asked in vain: it does not answer, or takes no dry runs. */
  readonly fails: boolean;
  readonly detail: string;
}

const policy = /^[^:]*: (?:: )?(Validating|Mutating)AdmissionPolicy '([^']+)'/;
const dryRun = /^admission webhook "([^"]+)" does not support dry run/;

/** Who else gave the answer; undefined for the webhook's own, and where the API server itself refuses. */
export function refuserOf(answer: ProbeAnswer, ours: readonly string[]): Refuser | undefined {
  if (answer.is === "accepted") return undefined;
  const refuser = answer.is === "other" ? refuserIn(answer.detail) : webhookOf(answer);
  const isOurs = refuser?.kind === "webhook" && ours.includes(refuser.name);
  return isOurs ? undefined : refuser;
}

function webhookOf(answer: Extract<ProbeAnswer, { readonly by: string }>): Refuser | undefined {
  const { is, by: name, detail } = answer;
  // without a name the call itself had no answer in time
  return name === "" ? undefined : { kind: "webhook", name, fails: is === "failed", detail };
}

function refuserIn(detail: string): Refuser | undefined {
  const [, form, called] = policy.exec(detail) ?? [];
  if (called !== undefined) {
    const kind = form === "Mutating" ? "MutatingAdmissionPolicy" : "ValidatingAdmissionPolicy";
    return { kind, name: called, fails: false, detail };
  }
  const name = dryRun.exec(detail)?.[1];
  return name === undefined ? undefined : { kind: "webhook", name, fails: true, detail };
}

/** The refuser by its kind and name. */
export function nameOfRefuser({ kind, name }: Refuser): string {
  return `${kind} ${name}`;
}

/** What a person does about it. */
export function adviceFor(refuser: Refuser): string {
  const { kind, name, fails } = refuser;
  if (kind !== "webhook")
    return `change the policy: kubectl get ${kind.toLowerCase()} ${name} -o yaml`;
  const act = fails ? "repair or remove" : "change or remove";
  return `${act} the webhook ${name}, which is not this operator's: kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations -o yaml`;
}

const otherwise =
  "or prove with an edit of your own (--probe-file), or go without proof (--no-probe)";

/** Before the first write: good edits that somebody else refuses prove nothing. */
export function refusedElsewhere(refuser: Refuser): Finding {
  const does = refuser.fails ? "fails" : "refuses";
  return webhookFinding("probeRefused", {
    object: `${refuser.kind}/${refuser.name}`,
    cause: `${nameOfRefuser(refuser)} ${does} an edit that must pass: ${refuser.detail}`,
    fix: `${adviceFor(refuser)}; ${otherwise}`,
  });
}

/** Before the first write: every bad edit is refused before the webhook is asked. */
export function hiddenBy(refuser: Refuser): Finding {
  return webhookFinding("probeHidden", {
    object: `${refuser.kind}/${refuser.name}`,
    cause: `${nameOfRefuser(refuser)} refuses every bad edit before the webhook is asked: ${refuser.detail}`,
    fix: `give a bad edit that it lets through (--probe-file), or go without proof (--no-probe)`,
  });
}

/** The last one that somebody else refused, of the twins of this kind. */
export function lastRefuser(
  observations: readonly Observation[],
  twin: Observation["twin"],
  ours: readonly string[],
): Refuser | undefined {
  return observations
    .filter((one) => one.twin === twin)
    .map(({ answer }) => refuserOf(answer, ours))
    .findLast((one) => one !== undefined);
}
