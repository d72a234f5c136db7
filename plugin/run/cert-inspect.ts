/** `cert inspect`: whether a certificate is fit for the webhook, from the cluster or from a file. */
import { daysUntil } from "../domain/duration";
import { absentSecret, firstUnfit, judgeCertificate } from "../domain/certificate";
import type { CertificateFacts } from "../domain/certificate-facts";
import { exitCodes } from "../domain/errors";
import type { Names } from "../domain/names";
import { text } from "../domain/values";
import { inspectAccess } from "./cert-access";
import { type CertDeps, certificateReport, type RunIdentity, secretRef } from "./cert-parts";
import { requirePermissions } from "./ledger";
import type { Cluster } from "./ports";
import { Recorder } from "./recorder";
import type { Report } from "./report";

/** What is judged: the namespace's Secret, or a PEM or Secret file offline. */
export type InspectSource =
  | {
      readonly from: "cluster";
      readonly cluster: Cluster;
      readonly signal: AbortSignal;
      readonly yaml: (objects: readonly unknown[]) => string;
    }
  | { readonly from: "file"; readonly path: string; readonly text: string };

export interface InspectOptions {
  readonly run: RunIdentity;
  /** As given with -n; without it a file is judged for the namespace that it names itself. */
  readonly namespace?: string;
}

/** What was found, and the namespace whose webhook it is judged for. */
interface Judged {
  readonly label: string;
  readonly namespace: string;
  readonly facts: CertificateFacts;
}

/** Judges; expected ends of every kind come back as a report. */
export async function inspectCertificate(
  deps: CertDeps,
  source: InspectSource,
  options: InspectOptions,
): Promise<Report> {
  const recorder = new Recorder(baseOf(source, options), deps);
  try {
    const found =
      source.from === "cluster"
        ? await fromCluster(deps, source, recorder)
        : fromFile(deps, source, options);
    return found === undefined ? absent(deps, source, recorder) : verdict(deps, found, recorder);
  } catch (error) {
    return recorder.failure(error);
  }
}

function baseOf(source: InspectSource, { run }: InspectOptions) {
  return {
    kind: "CertInspect",
    run,
    ...(source.from === "cluster" && {
      target: { server: source.cluster.server, namespace: source.cluster.namespace },
    }),
  };
}

async function fromCluster(
  { certificates, names }: CertDeps,
  { cluster, signal, yaml }: Extract<InspectSource, { from: "cluster" }>,
  recorder: Recorder,
): Promise<Judged | undefined> {
  await requirePermissions({ cluster, yaml, recorder }, inspectAccess({ cluster, names }));
  const { namespace } = cluster;
  const name = names.webhook.secret;
  const secret = await cluster.get(secretRef(namespace, name), { signal });
  if (secret === undefined) return undefined;
  const facts = certificates.readSecretCertificate(secret, names);
  return { label: `${namespace}/${name}`, namespace, facts };
}

function fromFile(
  { certificates, names }: CertDeps,
  { path, text: content }: Extract<InspectSource, { from: "file" }>,
  options: InspectOptions,
): Judged {
  const input = certificates.parseCertificateFile(content, names);
  const facts =
    "secret" in input
      ? certificates.readSecretCertificate(input.secret, names)
      : certificates.readPemCertificate(input.pem);
  const namespace = options.namespace ?? namespaceOf(facts, names);
  return { label: path === "-" ? "stdin" : path, namespace, facts };
}

/** The namespace that a file itself tells: the Secret's, else the one its certificate is made for. */
function namespaceOf({ secret, leaf }: CertificateFacts, names: Names): string {
  return (
    text(secret?.namespace) ??
    namespaceIn(leaf?.san ?? [], names.webhook.service) ??
    names.operator.namespace
  );
}

/** The namespace in a DNS name of the form `<service>.<namespace>.svc`. */
function namespaceIn(san: readonly string[], service: string): string | undefined {
  const parts = san.map((name) => name.toLowerCase().split("."));
  return parts.find(
    ([first, , third, ...rest]) => first === service && third === "svc" && rest.length === 0,
  )?.[1];
}

function absent({ names }: CertDeps, source: InspectSource, recorder: Recorder): Report {
  const namespace = source.from === "cluster" ? source.cluster.namespace : "";
  const finding = absentSecret(namespace, names);
  recorder.findings([finding]);
  return recorder.report({ code: exitCodes.blocked, reason: finding.cause, next: finding.fix });
}

function verdict(
  { clock, names }: CertDeps,
  { label, namespace, facts }: Judged,
  recorder: Recorder,
): Report {
  const now = clock.now();
  for (const part of certificateReport(label, facts)) recorder.certificate(part);
  const findings = judgeCertificate(facts, { namespace, now, names });
  recorder.findings(findings);
  const unfit = firstUnfit(findings);
  const host = `${names.webhook.service}.${namespace}.svc`;
  const report = recorder.report(
    unfit === undefined
      ? { code: exitCodes.ok, reason: `${label} is fit for ${host}` }
      : { code: exitCodes.blocked, reason: `${label}: ${unfit.cause}`, next: unfit.fix },
  );
  return { ...report, details: detailsOf(facts, host, now) };
}

/** The facts for a person: names, dates, fingerprint; never a value of an item. */
function detailsOf(facts: CertificateFacts, host: string, now: number) {
  const { leaf, secret, count, chainOk, matchesPrivateKey } = facts;
  return {
    judgedFor: host,
    ...(secret !== undefined && { type: secret.type, items: secret.items }),
    certificates: count,
    chainOk,
    ...(matchesPrivateKey !== undefined && { matchesPrivateKey }),
    ...(leaf !== undefined && {
      ...leaf,
      daysLeft: daysUntil(leaf.notAfter, now),
    }),
  };
}
