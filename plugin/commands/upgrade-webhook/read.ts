/** Reads everything that the swap is planned from, and waits for what may still come. */
import { absentSecret, firstUnfit, type LiveBundles } from "../../domain/certificate/certificate";
import type { Skip } from "../../domain/base/skip";
import { ApiError, exitCodes, TimeoutError, BlockedError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { kinds } from "../../domain/kube/kinds";
import type { Needs } from "../../domain/facts/needs";
import { probedAnywhere, probedBy, swapNeeds } from "./needs";
import type { KubeObject, Resource } from "../../domain/kube/objects";
import { operatorVersionOf } from "../../domain/operator/wanted";
import {
  configurationResource,
  entriesOf,
  entryOf,
  judgeOperator,
  serviceNameOf,
  serviceNamespaceOf,
} from "../../domain/admission/configuration";
import type { Facts } from "../../domain/facts/facts";
import { calledBy, judgeServerWay } from "../../domain/admission/way";
import { liveBundles } from "../../domain/admission/injector";
import { namespaceMissing } from "../../domain/admission/findings";
import type { PlanFacts } from "./plan";
import { waitFor } from "../../kernel/wait";
import { requireGround } from "../../readers/ground";
import type { CertificateReport } from "../../kernel/report";
import type { ProbePair } from "../../domain/admission/probe";
import type { AskingPorts } from "../../kernel/permissions";

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
  readonly template: KubeObject;
  /** The template is the one that the tool ships. */
  readonly shippedTemplate?: boolean;
  readonly dryRun: "none" | "client" | "server";
  readonly skip: readonly Skip[];
  readonly takeFields: readonly string[];
  readonly takeTemplateSelectors: boolean;
  readonly takeTemplateRules: boolean;
  readonly fieldManager: string;
  readonly waitSecretMs: number;
  readonly wait: boolean;
  readonly timeoutMs: number;
  readonly probe: boolean;
  /** Planned before the operator is ready: whether anything answers is judged when it is. */
  readonly assumeReady?: true;
  /** A pair of one's own in place of the table's. */
  readonly probePair: ProbePair | undefined;
}

/** The world around a swap. */
export interface SwapDeps extends AskingPorts {
  /** Judges the Secret (certificates are an adapter's matter), and by which of the live bundles it is trusted. */
  readonly judgeSecret: (secret: KubeObject, live?: LiveBundles) => JudgedSecret;
  /** A name for the probe's objects that nothing else has. */
  readonly probeName: string;
}

const pollMs = 500;

/** What was read before planning. */
interface SwapFacts {
  readonly namespace: KubeObject;
  readonly secret: JudgedSecret;
}

/** Reads the namespace, the Secret and the server side; stops with 3 where they do not serve. */
export async function readPrerequisites(deps: SwapDeps, options: SwapOptions): Promise<SwapFacts> {
  const namespace = await readNamespace(deps, options);
  const secret = await readSecret(deps, options);
  if (options.assumeReady !== true) await readServer(deps, options);
  return { namespace, secret };
}

/** What the plan is made from beside the prerequisites: read again when someone changed it. */
export async function readConfigurations(
  { cluster, names, signal }: SwapDeps,
  { namespace, shippedTemplate }: SwapOptions,
): Promise<Pick<PlanFacts, "configurations" | "livingNamespaces" | "shippedFor">> {
  const configurations = (await cluster.list(configurationResource, { signal })) ?? [];
  const { configuration, oldConfiguration } = names.webhook;
  const served = configurations
    .filter(({ metadata }) => [configuration, oldConfiguration].includes(metadata.name ?? ""))
    .flatMap((object) => entriesOf(object).map(serviceNamespaceOf));
  const asked = [...new Set(served)].filter((name) => name !== undefined);
  const living = await Promise.all(
    asked.map((name) => cluster.get({ resource: kinds.namespace, name })),
  );
  const livingNamespaces = asked.filter((_name, index) => living[index] !== undefined);
  if (shippedTemplate !== true) return { configurations, livingNamespaces };
  const name = names.operator.deployment;
  const operator = await cluster.get({ resource: kinds.deployment, name, namespace });
  return { configurations, livingNamespaces, shippedFor: operatorVersionOf(operator, names) };
}

async function readNamespace(deps: SwapDeps, options: SwapOptions): Promise<KubeObject> {
  const { namespace } = options;
  const found = await deps.cluster.get({ resource: kinds.namespace, name: namespace });
  if (found !== undefined) {
    await requireGround(deps, options);
    return found;
  }
  throw new BlockedError(exitCodes.blocked, [
    namespaceMissing(namespace, "the namespace does not exist"),
  ]);
}

async function readSecret(deps: SwapDeps, options: SwapOptions): Promise<JudgedSecret> {
  const { cluster, recorder, names } = deps;
  const { namespace, waitSecretMs } = options;
  const name = names.webhook.secret;
  const label = `Secret/${options.namespace}/${name}`;
  const info = {
    id: "secret.read",
    action: "read",
    object: label,
    why: `its ${names.webhook.secretCert} is the CA (S27, S28)`,
  } as const;
  const absent = (): Error => new BlockedError(exitCodes.blocked, [absentSecret(namespace, names)]);
  return await recorder.step(info, async () => {
    const secret = await waitFor<KubeObject>(deps, {
      look: async () => {
        const found = await cluster.get({ resource: kinds.secret, name, namespace });
        return found === undefined
          ? { is: "moving", on: `${label} to appear` }
          : { is: "done", value: found };
      },
      everyMs: pollMs,
      beforeWrite: true,
      total: { ms: waitSecretMs, end: absent },
    });
    const ref = { resource: configurationResource, name: names.webhook.configuration };
    const live = await cluster.get(ref);
    const bundles = liveBundles(live === undefined ? [] : [live], names);
    return { result: "done", value: judged(deps, secret, bundles) };
  });
}

function judged(deps: SwapDeps, secret: KubeObject, live: LiveBundles): JudgedSecret {
  const verdict = deps.judgeSecret(secret, live);
  const { certificate } = verdict;
  if (certificate !== undefined) deps.recorder.keep({ certificate });
  // an unfit Secret is one finding: the most fundamental cause, the others follow from it
  const unfit = firstUnfit(verdict.findings);
  if (unfit !== undefined) throw new BlockedError(exitCodes.blocked, [unfit]);
  deps.recorder.findings(verdict.findings);
  return verdict;
}

async function readServer(deps: SwapDeps, options: SwapOptions): Promise<void> {
  let hint = "";
  await waitFor(deps, {
    look: async () => {
      const findings = await serverFindings(deps, options);
      const [first] = findings;
      if (first === undefined) return { is: "done", value: undefined };
      if (!options.wait) throw new BlockedError(exitCodes.blocked, findings);
      hint = first.fix;
      return { is: "moving", on: `${first.object ?? ""}: ${first.cause}` };
    },
    everyMs: pollMs,
    beforeWrite: true,
    total: {
      ms: options.timeoutMs,
      end: (on) => new TimeoutError(`timed out waiting: ${on}`, { hint }),
    },
  });
}

async function serverFindings(deps: SwapDeps, options: SwapOptions): Promise<readonly Finding[]> {
  const { cluster, names } = deps;
  const { namespace } = options;
  const called = calledBy(options.template, names);
  const name = called.name;
  const [service, endpointSlices, deployment, pods, networkPolicies] = await Promise.all([
    cluster.get({ resource: kinds.service, name, namespace }),
    cluster.list(kinds.endpointSlice, {
      namespace,
      labelSelector: `kubernetes.io/service-name=${name}`,
    }),
    cluster.get({ resource: kinds.deployment, name: names.operator.deployment, namespace }),
    listed(deps, kinds.pod, namespace),
    listed(deps, kinds.networkPolicy, namespace),
  ]);
  const lists = {
    services: service === undefined ? [] : [service],
    endpointSlices: endpointSlices ?? [],
    deployments: deployment === undefined ? [] : [deployment],
    ...{ pods, networkPolicies },
  };
  const { findings } = judgeServerWay(called, { names, namespace, lists });
  return [...findings, ...judgeOperator(deployment)];
}

/** What is behind the Service, to tell why it does not answer; undefined where that may not be read. */
async function listed(
  { cluster, signal }: SwapDeps,
  resource: Resource,
  namespace: string,
): Promise<readonly KubeObject[] | undefined> {
  try {
    return await cluster.list(resource, { namespace, signal });
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}

/** What the swap may need in all, as far as it is known which edits prove it. */
export function needsOf(
  { names }: SwapDeps,
  { namespace, template, probe, probePair }: SwapOptions,
  pairs: readonly ProbePair[] | undefined = probePair && [probePair],
): Needs {
  const probed = pairs === undefined ? probedAnywhere(names) : pairs.map(probedBy);
  const service = serviceNameOf(entryOf(template, names.webhook.entry)) ?? "";
  return swapNeeds({ names, namespace, service, probed: probe ? probed : [] });
}
