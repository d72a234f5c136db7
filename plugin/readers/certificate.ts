/** `cert inspect`: whether a certificate is fit for the webhook, from the cluster or from a file. */
import { unlessForbidden } from "../ports/forbidden";
import { daysUntil } from "../domain/base/duration";
import {
  absentSecret,
  type CertificateFacts,
  firstUnfit,
  judgeCertificate,
  type PemFacts,
} from "../domain/certificate/certificate";
import { exitCodes } from "../domain/base/errors";
import { kinds } from "../domain/kube/kinds";
import type { Names } from "../domain/names/names";
import { getTyped } from "../ports/typed";
import type { KubeObject, Ref } from "../domain/kube/objects";
import { inspectNeeds } from "../domain/checks/needs";
import { configurationResource } from "../domain/admission/configuration";
import { liveBundles, type LiveBundles } from "../domain/admission/injector";
import { asString } from "../domain/base/values";
import { requireNeeds } from "../kernel/permissions";
import type { RunPorts } from "../kernel/world";
import type { Clock } from "../ports/kubernetes";
import type { Recorder } from "../kernel/recorder";
import type { CertificateReport, Report } from "../kernel/report";

/** A new certificate and its private key, both PEM. */
export interface NewPair {
  readonly certPem: string;
  readonly keyPem: string;
}

/** The certificate library, as a port. */
export interface Certificates {
  readSecretCertificate(secret: KubeObject, names: Names, live?: LiveBundles): CertificateFacts;
  readPemCertificate(pem: string): CertificateFacts;
  /** Either form of a file; UsageError when it is neither. */
  parseCertificateFile(text: string, names: Names): { secret: KubeObject } | { pem: string };
  generatePair(request: {
    readonly namespace: string;
    readonly names: Names;
    readonly now: number;
    readonly years: number;
  }): Promise<NewPair>;
}

/** Ports of `cert inspect`, whatever it judges. */
interface InspectDeps {
  readonly clock: Clock;
  readonly names: Names;
  readonly certificates: Certificates;
  readonly recorder: Recorder;
}

/** What is judged: the namespace's Secret, or a PEM or Secret file offline. */
type InspectSource =
  | ({ readonly from: "cluster" } & Pick<RunPorts, "cluster" | "signal" | "yaml">)
  | {
      readonly from: "file";
      readonly path: string;
      readonly text: string;
      /** As given with -n; without it a file is judged for the namespace that it names itself. */
      readonly namespace?: string;
    };

/** A Secret of a namespace as the Cluster port addresses it. */
export function secretRef(namespace: string, name: string): Ref {
  return { resource: kinds.secret, namespace, name };
}

/** The report's part about a certificate; `secret` is `namespace/name` or a file. */
export function certificateReport(secret: string, { leaf }: PemFacts): CertificateReport[] {
  if (leaf === undefined) return [];
  return [{ secret, sha256: leaf.sha256, notAfter: leaf.notAfter, san: leaf.san }];
}

/** What was found, and the namespace whose webhook it is judged for. */
interface InspectedCertificate {
  readonly label: string;
  readonly namespace: string;
  readonly facts: CertificateFacts;
}

/** Judges; expected ends of every kind come back as a report. */
export async function inspectCertificate(
  deps: InspectDeps,
  source: InspectSource,
): Promise<Report> {
  const { recorder } = deps;
  try {
    if (source.from === "file") return verdict(deps, fromFile(deps, source));
    const found = await fromCluster(deps, source);
    if (found !== undefined) return verdict(deps, found);
    const finding = absentSecret(source.cluster.namespace, deps.names);
    recorder.addFindings([finding]);
    return recorder.report({ code: exitCodes.blocked, reason: finding.cause, next: finding.fix });
  } catch (error) {
    return recorder.failure(error);
  }
}

async function fromCluster(
  { certificates, names, clock, recorder }: InspectDeps,
  { cluster, signal, yaml }: Extract<InspectSource, { from: "cluster" }>,
): Promise<InspectedCertificate | undefined> {
  const { namespace } = cluster;
  const name = names.webhook.secret;
  const needs = inspectNeeds({ names, namespace });
  await requireNeeds({ cluster, yaml, recorder }, "cert inspect", needs);
  const secret = await cluster.get(secretRef(namespace, name), { signal });
  if (secret === undefined) return undefined;
  const live = await readLiveBundles({ cluster, signal }, { names, clock });
  const facts = certificates.readSecretCertificate(secret, names, live);
  return { label: `${namespace}/${name}`, namespace, facts };
}

/** What callers trust now; undefined where the configuration may not be read. */
async function readLiveBundles(
  { cluster, signal }: Pick<RunPorts, "cluster" | "signal">,
  { names, clock }: Pick<InspectDeps, "names" | "clock">,
): Promise<LiveBundles | undefined> {
  const name = names.webhook.configuration;
  const asked = getTyped(cluster, { resource: configurationResource, name }, { signal });
  const live = await unlessForbidden(asked, "unknown");
  if (live === "unknown") return undefined;
  return liveBundles(live === undefined ? [] : [live], { names, now: clock.now() });
}

function fromFile(
  { certificates, names }: InspectDeps,
  { path, text: content, namespace }: Extract<InspectSource, { from: "file" }>,
): InspectedCertificate {
  const input = certificates.parseCertificateFile(content, names);
  const facts =
    "secret" in input
      ? certificates.readSecretCertificate(input.secret, names)
      : certificates.readPemCertificate(input.pem);
  const label = path === "-" ? "stdin" : path;
  return { label, namespace: namespace ?? chooseNamespace(facts, names), facts };
}

/** The namespace that a file itself tells: the Secret's, else the one its certificate is made for. */
function chooseNamespace({ secret, leaf }: CertificateFacts, names: Names): string {
  return (
    asString(secret?.namespace) ??
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

function verdict(
  { clock, names, recorder }: InspectDeps,
  { label, namespace, facts }: InspectedCertificate,
): Report {
  const now = clock.now();
  for (const certificate of certificateReport(label, facts)) recorder.keep({ certificate });
  const findings = judgeCertificate(facts, { namespace, now, names });
  recorder.addFindings(findings);
  const unfit = firstUnfit(findings);
  const host = `${names.webhook.service}.${namespace}.svc`;
  const report = recorder.report(
    unfit === undefined
      ? { code: exitCodes.ok, reason: `${label} is valid for ${host}` }
      : { code: exitCodes.blocked, reason: `${label}: ${unfit.cause}`, next: unfit.fix },
  );
  return { ...report, details: describeDetails(facts, host, now) };
}

/** `details` of the document. */
export type CertificateDetails = ReturnType<typeof describeDetails>;

/** The facts for a person: names, dates, fingerprint; never a value of an item. */
function describeDetails(facts: CertificateFacts, host: string, now: number) {
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
