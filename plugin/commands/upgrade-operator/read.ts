/** What is there, and the permissions to read and to write it. */
import { type Awaited, nameAwaited } from "../../domain/base/awaited";
import {
  nameProgress,
  nameStalled,
  type Stalled,
  stallFinding,
} from "../../domain/rollout/progress";
import { deploymentFindings } from "../../domain/rollout/findings";
import { exitCodes, TimeoutError, BlockedError } from "../../domain/base/errors";
import { kinds } from "../../domain/kube/kinds";
import { findLivingOwner } from "../../domain/kube/owners";
import type { KubeObject, Ref } from "../../domain/kube/objects";
import { operatorFinding, operatorFindings } from "../../domain/operator/findings";
import { noOlm, type Olm } from "../../domain/operator/olm";
import type { Installed } from "../../domain/operator/refusals";
import { findOlmIn, olmKeys } from "./next";
import { bundleRef, isOperator, type DesiredObject } from "../../domain/operator/wanted";
import { rolloutKeys } from "./needs";
import type { Platform } from "../../domain/release/platforms";
import { namespaceMissing } from "../../domain/admission/findings";
import type { KubeClient } from "../../ports/kubernetes";
import { requireGround } from "../../readers/ground";
import { readLeftMarks } from "../../readers/left-marks";
import { readSnapshot } from "../../readers/snapshot";
import { clusterResource } from "./changes";
import type { Skip } from "../../domain/base/skip";
import type { RegistryWish } from "./clusters";
import type { ReleaseContents } from "../../domain/release/contents";
import type { RunPorts } from "../../kernel/world";
import { readCondition } from "./definitions";
import { judgeDeployment } from "../../domain/rollout/deployment";
import { waitFor } from "../../kernel/wait";

/** The platform that the API server shows by what it serves. */
export async function readPlatform(cluster: KubeClient): Promise<Platform> {
  const served = await Promise.all([
    cluster.serves("config.openshift.io", "v1"),
    cluster.serves("security.openshift.io", "v1"),
  ]);
  return served.some((resources) => (resources ?? []).length > 0) ? "openshift" : "kubernetes";
}

/** Stops where the namespace is not there, or what the upgrade stands on is being deleted. */
export async function requireNamespace(deps: OperatorDeps, name: string): Promise<void> {
  const found = await deps.cluster.get({ resource: kinds.namespace, name });
  if (found !== undefined) {
    await requireGround(deps, { namespace: name });
    return;
  }
  throw new BlockedError(exitCodes.blocked, [namespaceMissing(name)]);
}

/** The operator as it is installed, seen by the objects that the bundle would write. */
export async function readInstalled(
  deps: OperatorDeps,
  namespace: string,
  wanted: readonly DesiredObject[],
): Promise<Installed> {
  const { cluster, names, command, signal } = deps;
  const refs: readonly Ref[] = wanted.map(({ kind, object }) => bundleRef(kind, object));
  const found = await Promise.all(refs.map((ref) => cluster.get(ref, { signal })));
  const objects = found.filter((object) => object !== undefined);
  const deployment = objects.find((object) => isOperator(object, names));
  const left = await readLeftMarks(deps, objects);
  const isOlms = deployment && findLivingOwner(deployment, left)?.name === "OLM";
  const olm = isOlms === true ? await readOlm(deps, namespace, deployment) : noOlm;
  return { deployment, objects, olm, left, namespace, names, command };
}

/** What OLM keeps of the operator that it has made; what is not served or not to be read is absent. */
async function readOlm(
  deps: OperatorDeps,
  namespace: string,
  deployment: KubeObject | undefined,
): Promise<Olm> {
  const facts = await readSnapshot(deps, namespace, olmKeys);
  return findOlmIn(facts, deployment) ?? noOlm;
}

/** The Secret to pull images with. */
function pullSecretRef(namespace: string, name: string): Ref {
  return { resource: kinds.secret, name, namespace };
}

/** Stops where the Secret to pull with is not there; a copy of a cluster has no other Secrets. */
export async function requirePullSecret(
  { cluster, recorder, command }: OperatorDeps,
  { namespace, pullSecret, rehearsed }: BundleOptions,
): Promise<void> {
  if (pullSecret === undefined) return;
  if ((await cluster.get(pullSecretRef(namespace, pullSecret))) !== undefined) return;
  if (rehearsed === true) {
    recorder.note(
      `Secret/${namespace}/${pullSecret} is not in the copy: whether it exists is not known`,
    );
    return;
  }
  const file = "--from-file=.dockerconfigjson=FILE";
  const words = ["kubectl", "create", "secret", "docker-registry", pullSecret, file];
  throw new BlockedError(exitCodes.blocked, [
    operatorFinding("pullSecret", {
      object: `Secret/${namespace}/${pullSecret}`,
      fix: `create it with ${command(words)}, or correct --pull-secret`,
    }),
  ]);
}

/** The cluster resources of the namespace. */
export async function readClusters(
  deps: OperatorDeps,
  namespace: string,
): Promise<readonly KubeObject[]> {
  const { cluster, names, signal } = deps;
  return (await cluster.list(clusterResource(names), { namespace, signal })) ?? [];
}

/** What both ways of upgrading are told. */
export interface OperatorOptions {
  /** The operator's. */
  readonly namespace: string;
  readonly dryRun: "none" | "client" | "server";
  readonly fieldManager: string;
  readonly timeoutMs: number;
  /** Findings of the prerequisites that are accepted; absent in a whole upgrade, which has judged them. */
  readonly skip?: readonly Skip[];
  /** Wait on while a cause stands in the way, instead of ending with it. */
  readonly wait: boolean;
}

/** The bundle's flags, judged. */
export interface BundleOptions extends OperatorOptions, RegistryWish {
  readonly contents: ReleaseContents;
  readonly takeFields: readonly string[];
  /** Objects of the bundle that are applied although they are unusual, each as `KIND/NAME`. */
  readonly allowObjects: readonly string[];
  /** The cluster is a copy in memory, which may lack what the real one has. */
  readonly rehearsed?: boolean;
}

/** The world around a run. */
export type OperatorDeps = RunPorts;

const codes = [...Object.values(operatorFindings), ...Object.values(deploymentFindings)];

/** What was seen at the end. A cause that is seen twice in a row ends the wait, unless told to stay. */
export async function waitForOperator(
  deps: OperatorDeps,
  options: OperatorOptions,
): Promise<string> {
  const { names, recorder } = deps;
  const object = `Deployment/${options.namespace}/${names.operator.deployment}`;
  const why = "1/1 ready";
  const info = { id: "operator.ready", action: "wait", object, why, source: "S19" } as const;
  let stalled: Stalled | undefined;
  return await recorder.step(info, async () => {
    const says = await waitFor<string>(deps, {
      look: async () => {
        const facts = await readSnapshot(deps, options.namespace, rolloutKeys);
        const seen = judgeDeployment(facts, names.operator.deployment);
        stalled = seen.is === "stalled" ? seen : undefined;
        if (seen.is === "done") return { is: "done", value: seen.says };
        if (seen.is === "moving") return nameProgress(object, seen);
        return options.wait ? { is: "moving", on: nameAwaited(object, nameStalled(seen)) } : seen;
      },
      total: { ms: options.timeoutMs, end: (on) => timedOut(on, stalled) },
      codes,
    });
    return { result: "done", value: says, why: says };
  });
}

/** Waits until the API server serves a definition. */
export async function waitForDefinition(
  deps: OperatorDeps,
  ref: Ref,
  timeoutMs: number,
): Promise<void> {
  const object = `${ref.resource.kind}/${ref.name}`;
  await waitFor<undefined>(deps, {
    look: async () => {
      const definition = await deps.cluster.get(ref, { signal: deps.signal });
      if (readCondition(definition, "Established")?.is === "True") {
        return { is: "done", value: undefined };
      }
      const names = readCondition(definition, "NamesAccepted");
      if (names?.is !== "False") return { is: "moving", on: `${object}: to be served` };
      const { code } = operatorFindings.definitionUnserved;
      const because = `the API server does not serve it: ${names.because ?? "its names are taken"}`;
      const look = deps.command(["kubectl", "describe", "crd", ref.name]);
      const fix = `see its conditions with ${look}; delete the definition that holds its names, then run again`;
      return { is: "stalled", code, object, because, fix };
    },
    everyMs: 200,
    total: { ms: timeoutMs, end: notServed },
    codes,
  });

  function notServed(): TimeoutError {
    return new TimeoutError(`the API server does not serve ${object} yet`, {
      hint: `see its conditions with kubectl get ${ref.resource.plural} ${ref.name} -o yaml, then run again`,
    });
  }
}

function timedOut(on: Awaited, stalled: Stalled | undefined): Error {
  if (stalled !== undefined) {
    return new BlockedError(exitCodes.timeout, [stallFinding(stalled, codes)]);
  }
  return new TimeoutError(`the operator is not ready in time: ${on}`, {
    hint: "run the same command again, with more time by --timeout: it continues to wait",
  });
}
