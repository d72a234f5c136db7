/** Reads everything that the swap is planned from, and says what may still come: whoever runs the part waits for that. */
import { unlessForbidden } from "../../ports/forbidden";
import { operatorList } from "../../domain/operator/symptoms";
import { type Awaited, nameAwaited, nameFinding } from "../../domain/base/awaited";
import { absentSecret, firstUnfit } from "../../domain/certificate/certificate";
import type { Skip } from "../../domain/base/skip";
import { exitCodes, TimeoutError, BlockedError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { kinds, type KnownResource } from "../../domain/kube/kinds";
import type {
  BuiltInKind,
  Service,
  Typed,
  ValidatingWebhookConfiguration,
} from "../../domain/kube/models";
import { getTyped, listTyped } from "../../ports/typed";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import { readOperatorVersion } from "../../domain/operator/wanted";
import {
  configurationResource,
  hasOlmPair,
  isOlmServed,
  listCandidates,
  listEntries,
  readServiceNamespace,
} from "../../domain/admission/configuration";
import { listOthersEntries, selectsByLabels } from "../../domain/admission/others";
import { factsOf, type FactObjects, type Facts, withRead } from "../../domain/facts/facts";
import { readAlias } from "../../domain/admission/called-service";
import { asksForNamespaces } from "../../domain/admission/network";
import { type PlannedScene, plannedServerList } from "../../domain/admission/symptoms";
import { judgePlannedWay, readCalled } from "../../domain/admission/way";
import { gate } from "../../domain/diagnosis/diagnose";
import type { Diagnosed } from "../../domain/diagnosis/symptom";
import { liveBundles, type LiveBundles } from "../../domain/admission/injector";
import { webhookFinding } from "../../domain/admission/findings";
import { findOwner } from "../../domain/kube/owners";
import type { PlanFacts } from "./plan";
import { unlessUnknown } from "../../kernel/projection";
import type { Limit } from "../../kernel/wait";
import { readGoneServices } from "../../readers/called-services";
import { readLeftMarks } from "../../readers/left-marks";
import { gateInTwoLooks } from "../../readers/diagnosis";
import { readStandingNamespace } from "../../readers/ground";
import type { CertificateReport } from "../../kernel/report";
import type { ProbePair } from "../../domain/admission/probe";
import type { RunPorts } from "../../kernel/world";

/** What the Secret was found to be: a CA to use, or the findings that stand against it. */
export interface JudgedSecret {
  /** The Secret's item as stored, base64. */
  readonly caBundle: string;
  readonly certificate: CertificateReport | undefined;
  readonly facts?: Facts["certificate"];
  readonly findings: readonly Finding[];
}

/** The flags of the command, judged. */
export interface SwapOptions {
  readonly namespace: string;
  readonly template: ValidatingWebhookConfiguration;
  /** The template is the one that the tool ships. */
  readonly shippedTemplate?: boolean;
  readonly skip: readonly Skip[];
  readonly takeFields: readonly string[];
  readonly takeTemplateSelectors: boolean;
  readonly takeTemplateRules: boolean;
  readonly fieldManager: string;
  /** Nothing but the CA of the configuration that is there is written. */
  readonly caOnly?: boolean;
  /** A plan shows each object as it is and as it would be. */
  readonly shows?: boolean;
  readonly waitSecretMs: number;
  /** A server that does not answer yet is waited for, as long as `timeoutMs`. */
  readonly wait: boolean;
  readonly timeoutMs: number;
  readonly probe: boolean;
  /** A pair of one's own in place of the table's. */
  readonly probePair: ProbePair | undefined;
}

/** What a swap cannot tell by itself. */
export interface SwapHelpers {
  /** Judges the Secret (certificates are an adapter's matter), and by which of the live bundles it is trusted. */
  readonly judgeSecret: (secret: KubeObject, live?: LiveBundles) => JudgedSecret;
  /** A name for the probe's objects that nothing else has. */
  readonly probeName: string;
}

/** The world around a swap. */
export interface SwapDeps extends RunPorts, SwapHelpers {
  readonly tell: (findings: readonly Finding[]) => void;
}

/** What was read before planning. */
export interface SwapFacts {
  readonly is: "read";
  readonly namespace: KubeObject;
  readonly secret: JudgedSecret;
  /** What has to come about before anyone can know whether the webhook can be called. */
  readonly openUntil: Awaited | undefined;
}

/** Something that may come by itself. */
export interface Coming {
  readonly is: "awaited";
  readonly on: Awaited;
  readonly limit: Limit;
}

/**
 * Reads the namespace, the Secret and the server side; stops with 3 where they do not serve, with 5 where OLM
 * brings them. What may come is awaited where `waits`.
 */
export async function readSwapFacts(
  deps: SwapDeps,
  options: SwapOptions,
  waits: boolean,
): Promise<SwapFacts | Coming> {
  const namespace = await readStandingNamespace(deps, "upgrade-webhook", options.namespace);
  const secret = await readSecret(deps, options, waits);
  if ("on" in secret) return secret;
  const server = await unlessUnknown(() => serverFindings(deps, options));
  if (server.is === "open") return { is: "read", namespace, secret, openUntil: server.until };
  const [first] = server.value;
  if (first === undefined) return { is: "read", namespace, secret, openUntil: undefined };
  await requireNotOlms(deps, options);
  if (!waits || !options.wait) throw new BlockedError(exitCodes.blocked, server.value);
  const end: Limit["end"] = (on) =>
    new TimeoutError(`timed out waiting: ${on}`, { hint: first.fix });
  const on = nameFinding(first);
  return { is: "awaited", on, limit: { ms: options.timeoutMs, end } };
}

type Read =
  | "configurations"
  | "goneServices"
  | "left"
  | "livingNamespaces"
  | "mutatingConfigurations"
  | "namespaces"
  | "shippedFor";

/** What the plan is made from beside the prerequisites: read again when someone changed it. */
export async function readConfigurations(
  deps: SwapDeps,
  { namespace, shippedTemplate }: SwapOptions,
): Promise<Pick<PlanFacts, Read>> {
  const { cluster, names } = deps;
  const configurations = await listConfigurations(deps);
  const { configuration, oldConfiguration } = names.webhook;
  const served = configurations
    .filter(({ metadata }) => [configuration, oldConfiguration].includes(metadata.name ?? ""))
    .flatMap((object) => listEntries(object).map(readServiceNamespace));
  const mutatingConfigurations = (await listIfAllowed(deps, kinds.mutatingConfiguration)) ?? [];
  const others = listOthersEntries([...configurations, ...mutatingConfigurations], names);
  const called = others.map(({ entry }) => readServiceNamespace(entry));
  const asked = [...new Set([...served, ...called].filter((name) => name !== namespace))]
    .filter((name) => name !== undefined)
    .map(async (name) => ((await isThere(deps, name)) ? [name] : []));
  const livingNamespaces = [namespace, ...(await Promise.all(asked)).flat()];
  const selecting = others.some(({ entry }) => selectsByLabels(entry));
  const namespaces = selecting ? await listIfAllowed(deps, kinds.namespace) : undefined;
  const found = {
    ...{ configurations, mutatingConfigurations, livingNamespaces, namespaces },
    left: await readLeftMarks(deps, [...configurations, ...mutatingConfigurations]),
    goneServices: await readGoneServices(deps, others),
  };
  if (shippedTemplate !== true) return found;
  const name = names.operator.deployment;
  const operator = await cluster.get({ resource: kinds.deployment, name, namespace });
  return { ...found, shippedFor: readOperatorVersion(operator, names) };
}

async function listConfigurations({
  cluster,
  signal,
}: SwapDeps): Promise<readonly ValidatingWebhookConfiguration[]> {
  return (await listTyped(cluster, configurationResource, { signal })) ?? [];
}

/** A namespace that may not be read counts as there. */
async function isThere({ cluster, signal }: SwapDeps, name: string): Promise<boolean> {
  const asked = cluster.get({ resource: kinds.namespace, name }, { signal });
  return (await unlessForbidden(asked, "unknown")) !== undefined;
}

async function readSecret(
  deps: SwapDeps,
  { namespace, waitSecretMs: ms }: SwapOptions,
  waits: boolean,
): Promise<JudgedSecret | Coming> {
  const { cluster, recorder, names } = deps;
  const name = names.webhook.secret;
  const label = `Secret/${namespace}/${name}`;
  const why = `its ${names.webhook.secretCert} is the CA`;
  const end = (): Error => new BlockedError(exitCodes.blocked, [absentSecret(namespace, names)]);
  const found = cluster.get({ resource: kinds.secret, name, namespace });
  // a read that fails is a step, a look that finds nothing yet is none
  const isAbsent = (await found.catch(() => label)) === undefined;
  if (isAbsent) await requireNotOlms(deps, { namespace });
  if (isAbsent && waits)
    return { is: "awaited", on: nameAwaited(label, "to be created"), limit: { ms, end } };
  return await recorder.step(
    { id: "secret.read", action: "read", object: label, why, source: "S27, S28" },
    async () => {
      const secret = await found;
      if (secret === undefined) throw end();
      const ref = { resource: configurationResource, name: names.webhook.configuration };
      const live = await getTyped(cluster, ref);
      const bundles = liveBundles(live === undefined ? [] : [live], {
        names,
        now: deps.clock.now(),
      });
      return { result: "done", value: requireFitSecret(deps, secret, bundles) };
    },
  );
}

/** What OLM makes with a Service and a certificate of its own is for OLM to bring: what is missing there is not waited for. */
async function requireNotOlms(
  deps: SwapDeps,
  { namespace }: Pick<SwapOptions, "namespace">,
): Promise<void> {
  const { names } = deps;
  const configurations = await listConfigurations(deps);
  const served = { names, namespace, left: await readLeftMarks(deps, configurations) };
  if (!isOlmServed(configurations, served)) return;
  const findings = listCandidates(configurations, names).flatMap((one) => {
    const owner = findOwner(one);
    if (owner === undefined || !hasOlmPair(one, served)) return [];
    const cause = `${owner.name} made it with a Service and a certificate of its own, and writes it itself`;
    return [webhookFinding("owned", { object: objectLabel(one), cause, fix: owner.way })];
  });
  throw new BlockedError(exitCodes.conflict, findings);
}

function requireFitSecret(deps: SwapDeps, secret: KubeObject, live: LiveBundles): JudgedSecret {
  const verdict = deps.judgeSecret(secret, live);
  const { certificate } = verdict;
  if (certificate !== undefined) deps.recorder.keep({ certificate });
  // an unfit Secret is one finding: the most fundamental cause, the others follow from it
  const unfit = firstUnfit(verdict.findings);
  if (unfit !== undefined) throw new BlockedError(exitCodes.blocked, [unfit]);
  deps.tell(verdict.findings);
  return verdict;
}

async function serverFindings(deps: SwapDeps, options: SwapOptions): Promise<readonly Finding[]> {
  const { cluster, names } = deps;
  const { namespace, template } = options;
  const { name } = readCalled(template, names);
  const [service, endpointSlices, deployment, pods, networkPolicies] = await Promise.all([
    getTyped(cluster, { resource: kinds.service, name, namespace }),
    listTyped(cluster, kinds.endpointSlice, {
      namespace,
      labelSelector: `kubernetes.io/service-name=${name}`,
    }),
    getTyped(cluster, { resource: kinds.deployment, name: names.operator.deployment, namespace }),
    listIfAllowed(deps, kinds.pod, namespace),
    listIfAllowed(deps, kinds.networkPolicy, namespace),
  ]);
  const asks = (networkPolicies ?? []).some(asksForNamespaces);
  const namespaces = asks ? await listIfAllowed(deps, kinds.namespace) : undefined;
  const lists = {
    ...(namespaces && { namespaces }),
    ...(service === undefined ? { services: [] } : await readAliased(deps, service)),
    endpointSlices: endpointSlices ?? [],
    deployments: deployment === undefined ? [] : [deployment],
    ...(pods && { pods }),
    ...(networkPolicies && { networkPolicies }),
  };
  const marked = [...lists.services, ...lists.deployments, ...(networkPolicies ?? [])];
  const facts = {
    ...factsOf({ names, namespace, now: deps.clock.now() }, lists),
    left: await readLeftMarks(deps, marked),
  };
  const rows = { rows: operatorList, act: "upgrade-webhook" } as const;
  const operators = await gateInTwoLooks(deps, rows, facts);
  const { doubts = [] } = judgePlannedWay({ facts, template });
  deps.tell(doubts);
  const findings = [...operators, ...(await judgeServer(deps, { facts, template }))];
  const errors = findings.filter(({ severity }) => severity === "error");
  deps.tell(findings.filter((one) => !errors.includes(one)));
  return errors;
}

/** What its failed calls come to is asked once one would fail. */
async function judgeServer(deps: SwapDeps, scene: PlannedScene): Promise<readonly Diagnosed[]> {
  const found = gate(plannedServerList, "upgrade-webhook", scene);
  if (!found.some(({ severity }) => severity === "error")) return tellOnce(found);
  const webhookConfigurations = await listConfigurations(deps);
  const read = factsOf(scene.facts, { webhookConfigurations });
  const facts = withRead(scene.facts, read, ["webhookConfigurations"]);
  return tellOnce(gate(plannedServerList, "upgrade-webhook", { ...scene, facts }));
}

/** A list that several rows miss is told once. */
function tellOnce(findings: readonly Diagnosed[]): readonly Diagnosed[] {
  const blind = new Map(findings.flatMap((one) => (one.blind ? [[one.cause, one]] : [])));
  return findings.filter((one) => one.blind !== true || blind.get(one.cause) === one);
}

/** The Service, and what it is another name of as far as that is there or may not be read. */
async function readAliased(
  deps: SwapDeps,
  service: Service,
): Promise<Pick<FactObjects, "services"> & Partial<Pick<FactObjects, "namespaces">>> {
  const alias = readAlias(service);
  if (alias === undefined) return { services: [service] };
  const gone = await readGoneServices(deps, [{ entry: { clientConfig: { service: alias } } }]);
  const named = { ...service, metadata: { ...service.metadata, ...alias } };
  const services = gone.size > 0 ? [service] : [service, named];
  return (await isThere(deps, alias.namespace)) ? { services } : { services, namespaces: [] };
}

/** What is behind the Service, to tell why it does not answer; undefined where that may not be read. */
async function listIfAllowed<Kind extends BuiltInKind>(
  { cluster, signal }: SwapDeps,
  resource: KnownResource<Kind>,
  namespace?: string,
): Promise<readonly Typed<Kind>[] | undefined> {
  const within = { ...(namespace !== undefined && { namespace }), signal };
  return await unlessForbidden(listTyped(cluster, resource, within), undefined);
}
