/** Who refuses or fails an edit in the place of the product's webhook, and what to do about it. */
import type { Finding } from "../base/findings";
import { look, type Remedy } from "../base/remedy";
import { webhookFinding } from "./findings";
import type { Observation, ProbeKind } from "./probe";
import type { ProbeAnswer } from "./answers";

/** A policy, or a webhook of someone else. */
export interface Refuser {
  readonly kind: "ValidatingAdmissionPolicy" | "MutatingAdmissionPolicy" | "webhook";
  readonly name: string;
  /** Of a policy, where the answer names it: what puts it in force, and for whom. */
  readonly binding?: string;
  /** It was not asked in vain: it does not answer, or takes no dry runs. */
  readonly fails: boolean;
  readonly detail: string;
}

/** Somebody else's answers stand against a proof: good edits that are refused, or every bad one. */
export interface Hindrance {
  readonly refuser: Refuser;
  readonly twin: ProbeKind;
}

const policy =
  /^[^:]{0,400}: (?:: )?(Validating|Mutating)AdmissionPolicy '([\w.-]{1,253})'(?: with binding '([\w.-]{1,253})')?/;
const dryRun = /^admission webhook "([\w.-]{1,253})" does not support dry run/;

/** Who else gave the answer; undefined for the webhook's own, and where the API server itself refuses. */
export function findRefuser(answer: ProbeAnswer, ours: readonly string[]): Refuser | undefined {
  if (answer.is === "accepted") return undefined;
  const refuser = answer.is === "other" ? refuserIn(answer.detail) : readWebhook(answer);
  const isOurs = refuser?.kind === "webhook" && ours.includes(refuser.name);
  return isOurs ? undefined : refuser;
}

function readWebhook(answer: Extract<ProbeAnswer, { readonly by: string }>): Refuser | undefined {
  const { is, by: name, detail } = answer;
  // without a name the call itself had no answer in time
  return name === "" ? undefined : { kind: "webhook", name, fails: is === "failed", detail };
}

function refuserIn(detail: string): Refuser | undefined {
  const [, form, called, binding] = policy.exec(detail) ?? [];
  if (called !== undefined) {
    const kind = form === "Mutating" ? "MutatingAdmissionPolicy" : "ValidatingAdmissionPolicy";
    return { kind, name: called, ...(binding !== undefined && { binding }), fails: false, detail };
  }
  const name = dryRun.exec(detail)?.[1];
  return name === undefined ? undefined : { kind: "webhook", name, fails: true, detail };
}

/** The refuser by its kind and name. */
export function nameOfRefuser({ kind, name }: Refuser): string {
  return `${kind} ${name}`;
}

/** What a person does about it. */
export function adviceFor(refuser: Refuser): Remedy {
  const { kind, name, binding, fails } = refuser;
  if (kind !== "webhook") {
    const plain = kind.toLowerCase();
    const bound = binding === undefined ? [] : [`${plain}binding/${binding}`];
    const objects = [`${plain}/${name}`, ...bound, "-o", "yaml"];
    return look("whoever keeps the policy decides whether it lets this through", "get", ...objects);
  }
  const act = fails ? "repair or remove" : "change or remove";
  const kinds = "validatingwebhookconfigurations,mutatingwebhookconfigurations";
  const says = `${act} the webhook ${name}, which is not this operator's`;
  return look(says, "get", kinds, "-o", "yaml");
}

/** The hindrance as the finding that ends a run before its first write. */
export function hindranceFinding({ refuser, twin }: Hindrance): Finding {
  const object = `${refuser.kind}/${refuser.name}`;
  const cause = hindranceCause({ refuser, twin });
  if (twin === "accept") {
    const says = "prove with an edit of your own (--probe-file), or go without proof (--no-probe)";
    return webhookFinding("probeRefused", {
      object,
      cause,
      remedies: [adviceFor(refuser), { says }],
    });
  }
  const fix =
    "give a bad edit that it lets through (--probe-file), or go without proof (--no-probe)";
  return webhookFinding("probeHidden", { object, cause, fix });
}

/** What was seen, for a reader who may not have the flags of the swap. */
export function hindranceCause({ refuser, twin }: Hindrance): string {
  const does = refuser.fails ? "fails" : "refuses";
  const what =
    twin === "accept"
      ? "an edit that must pass"
      : "every bad edit, so that no refusal by this operator's webhook is seen";
  return `${nameOfRefuser(refuser)} ${does} ${what}: ${refuser.detail}`;
}

/**
 * What stands against a proof, from the answers to one pair with so many bad edits.
 */
export function hindranceIn(
  observations: readonly Observation[],
  { ours, denies }: { readonly ours: readonly string[]; readonly denies: number },
): Hindrance | undefined {
  const good = lastRefuser(observations, "accept", ours);
  if (good !== undefined) return { refuser: good, twin: "accept" };
  const bad = observations.filter(({ twin }) => twin === "deny");
  const hidden = lastRefuser(bad, "deny", ours);
  const tried = new Set(bad.map(({ pair }) => pair)).size;
  const all = bad.every(({ answer }) => findRefuser(answer, ours) !== undefined);
  return hidden !== undefined && all && tried === denies
    ? { refuser: hidden, twin: "deny" }
    : undefined;
}

/** The last one that somebody else refused, of the twins of this kind. */
export function lastRefuser(
  observations: readonly Observation[],
  twin: ProbeKind,
  ours: readonly string[],
): Refuser | undefined {
  return observations
    .filter((one) => one.twin === twin)
    .map(({ answer }) => findRefuser(answer, ours))
    .findLast((one) => one !== undefined);
}
