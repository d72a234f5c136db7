/**
 * What was seen of the webhook comes before what its objects lead one to expect. A symptom explains a probe that failed
 * only where it looks from outside as the probe did; beside any other answer it is a warning, since the answer
 * contradicts that it is the cause.
 */
import type { Found, Scene, Symptom } from "../diagnosis/symptom";
import { webhookFindings } from "./findings";
import type { ProbeOutcome, Seen } from "./probe-outcome";

/** Without a ready pod behind the Service: an API server that calls its address gets what the node's network says. */
const withoutPod: readonly Seen[] = ["no-endpoints", "closed", "late", "no-route"];
/** Behind the port is another program, or none. */
const otherProgram: readonly Seen[] = [
  ...(["closed", "late", "cut", "no-tls", "no-http", "no-path"] as const),
  ...(["other-name", "untrusted", "client-certificate", "no-review"] as const),
];
const withoutPair: readonly Seen[] = [
  ...withoutPod,
  ...(["no-certificate", "handshake", "cut", "untrusted", "unfit"] as const),
];

/** Of a CA that has expired, the API server says what it says of a certificate. */
const otherCa: readonly Seen[] = ["untrusted", "bundle", "unfit", "expired"];

/** How each symptom looks from outside; what is not here is about something else than the answers. */
const looks: Readonly<Record<string, readonly Seen[]>> = {
  [webhookFindings.entryAbsent.code]: ["passes"],
  [webhookFindings.rulesBehind.code]: ["passes"],
  [webhookFindings.probeNoMatch.code]: ["passes"],
  [webhookFindings.serviceMissing.code]: ["no-service"],
  [webhookFindings.servicePort.code]: ["no-port", "closed", "late"],
  [webhookFindings.selectsNothing.code]: withoutPod,
  [webhookFindings.noPods.code]: withoutPod,
  [webhookFindings.noEndpoints.code]: withoutPod,
  [webhookFindings.podsNotReady.code]: withoutPod,
  [webhookFindings.publishesUnready.code]: [...withoutPod, "cut", "busy", "broken"],
  [webhookFindings.strangerPod.code]: otherProgram,
  [webhookFindings.targetPort.code]: otherProgram,
  [webhookFindings.networkClosed.code]: ["late", "closed", "no-route"],
  [webhookFindings.placeholder.code]: ["no-service", "no-name", "bundle", "untrusted"],
  [webhookFindings.namespaceGone.code]: ["no-service", "no-name"],
  [webhookFindings.callsOther.code]: ["no-service", "no-port", "no-path", "closed", "late"],
  [webhookFindings.staleCa.code]: otherCa,
  [webhookFindings.injectedOther.code]: otherCa,
  "SECRET-MISSING": withoutPair,
  "SECRET-TYPE": withoutPair,
  "SECRET-ITEMS": withoutPair,
  "SECRET-NO-CERT": withoutPair,
  "SECRET-NOT-PEM": withoutPair,
  "SECRET-PRIVATE-KEY-IN-CERT": withoutPair,
  "CERT-REFUSED": ["unfit", "untrusted", "other-name"],
  "SECRET-CA": ["untrusted", "bundle"],
  "CERT-SAN": ["other-name"],
  "CERT-EXPIRED": ["expired"],
  "CERT-NOT-YET-VALID": ["expired"],
  "CERT-KEY-MISMATCH": withoutPair,
};

/** True where a symptom of this code explains what was seen. */
function explains(code: string, { seen, policies }: Failed): boolean {
  const seenAs = looks[code] ?? [];
  // under Ignore every call that fails lets the edit pass
  const isHidden = seen === "passes" && policies.includes("Ignore");
  return seenAs.includes(seen) || (isHidden && seenAs.length > 0);
}

type Failed = Extract<ProbeOutcome, { readonly is: "failed" }>;

/** What a probe is known of. */
interface Probed extends Scene {
  readonly probe?: ProbeOutcome | undefined;
}

/** The row as it is to be told beside what the probe showed. */
export function underProbe<S extends Probed>(row: Symptom<S>): Symptom<S> {
  return {
    ...row,
    judge: (scene) => row.judge(scene).map((found) => temper(found, row.code, scene.probe)),
  };
}

function temper(found: Found, row: string, probe: ProbeOutcome | undefined): Found {
  const { code = row } = found;
  if (isContradicted(code, probe)) return { ...found, severity: "warning" };
  // what would be a part of the edits only is what was seen to go wrong
  return probe?.is === "failed" && explains(code, probe) ? { ...found, severity: "error" } : found;
}

/** True where what was seen shows that a symptom of this code is not the cause of anything. */
export function isContradicted(code: string, probe: ProbeOutcome | undefined): boolean {
  if (looks[code] === undefined || probe === undefined) return false;
  return probe.is === "proven" || (probe.is === "failed" && !explains(code, probe));
}
