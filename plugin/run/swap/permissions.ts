/** Which permissions a swap needs, and the refusal when one is missing (exit 4). */
import { kinds } from "../../domain/kinds";
import type { Resource } from "../../domain/objects";
import type { Permission } from "../../domain/permissions";
import { configurationResource } from "../../domain/webhook/configuration";
import type { Plan } from "../../domain/webhook/plan";
import type { Pair } from "../../domain/webhook/probe";
import type { SwapDeps, SwapOptions } from "./deps";

const probeWhy = "to prove the webhook with dry runs (or go without proof: --no-probe)";

/** What is read in any case. */
export function readPermissions(deps: SwapDeps, options: SwapOptions): readonly Permission[] {
  const { namespace } = options;
  const ask = (verb: string, resource: Resource, why: string): Permission => ({
    verb,
    group: resource.group,
    resource: resource.plural,
    why,
  });
  return [
    ask("get", configurationResource, "to read the configuration back"),
    ask("list", configurationResource, "to find the old and the new configuration"),
    { ...ask("get", kinds.namespace, "to see that it exists"), name: namespace },
    { ...ask("get", kinds.secret, "to read the CA"), namespace, name: deps.names.webhook.secret },
    { ...ask("get", kinds.service, "to see that the webhook can be called"), namespace },
    { ...ask("list", kinds.endpointSlice, "to see that the webhook can be called"), namespace },
    { ...ask("get", kinds.deployment, "to see that the operator is ready"), namespace },
  ];
}

/** What the plan writes, its way back included. */
export function writePermissions(
  deps: SwapDeps,
  plan: Pick<Plan, "live" | "apply" | "remove"> | undefined,
): readonly Permission[] {
  const { configuration, oldConfiguration } = deps.names.webhook;
  const on = (verb: string, why: string, name?: string): Permission => ({
    verb,
    group: configurationResource.group,
    resource: configurationResource.plural,
    ...(name !== undefined && { name }),
    why,
  });
  const creates = plan === undefined || plan.live === undefined;
  return [
    ...(plan === undefined || plan.apply !== undefined
      ? [on("patch", "to apply the new configuration", configuration)]
      : []),
    ...(creates ? [on("create", "to apply a configuration that does not exist yet")] : []),
    ...(creates ? [on("delete", "to roll back", configuration)] : []),
    ...(plan === undefined || plan.remove !== undefined
      ? [on("delete", "to delete the old configuration", oldConfiguration)]
      : []),
    ...(!creates && plan.remove !== undefined ? [on("create", "to put the old one back")] : []),
  ];
}

/** What the probe's dry runs need. */
export function probePermissions(pairs: readonly Pair[]): readonly Permission[] {
  return pairs.map(({ resource, accept }) => ({
    verb: accept.metadata.uid === undefined ? "create" : "update",
    group: resource.group,
    resource: resource.plural,
    ...(accept.metadata.namespace !== undefined && { namespace: accept.metadata.namespace }),
    why: probeWhy,
  }));
}

/** The probe's usual permissions, for a refusal that comes before the probe could be built. */
export function usualProbePermissions(deps: SwapDeps, options: SwapOptions): readonly Permission[] {
  if (!options.probe || options.probePair !== undefined) return [];
  return [deps.names.edb, deps.names.eaadb].map(({ plural }) => ({
    verb: "create",
    group: deps.names.group,
    resource: plural,
    namespace: options.namespace,
    why: probeWhy,
  }));
}
