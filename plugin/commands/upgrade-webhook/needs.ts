/** What `upgrade-webhook` needs. */
import { kinds } from "../../domain/kube/kinds";
import type { Names } from "../../domain/names/names";
import { type Permission, permissionOn } from "../../domain/kube/permissions";
import {
  configurationResource,
  findEntry,
  readServiceName,
} from "../../domain/admission/configuration";
import type { ProbePair } from "../../domain/admission/probe";
import { leftOutKeys } from "./left-out";
import type { SwapOptions } from "./read";
import type { SwapPlan } from "./plan";
import { type Probed, probeNeed, probedAnywhere, probedBy } from "../../domain/admission/needs";
import {
  calledServiceNeeds,
  groundNeeds,
  leftMarkNeeds,
  needList,
  type Needs,
  type NeedsPlace,
} from "../../domain/facts/needs";

/** The words of the command. */
export const swapCommand = "upgrade-webhook";

/** What a swap is told. */
export interface SwapWish extends NeedsPlace {
  readonly namespace: string;
  /** The Service that the template calls. */
  readonly service: string;
  /** The edits by which it is proven; none: it is not. */
  readonly probed: readonly Probed[];
  /** Nothing but the CA is written. */
  readonly caOnly?: boolean | undefined;
}

/** The swap, its way back included. */
export function swapNeeds(wish: SwapWish): Needs {
  const { names, namespace, service, probed, caOnly } = wish;
  const { webhook, operator } = names;
  const { configuration, oldConfiguration, secret } = webhook;
  const called = "to see that the webhook can be called";
  const back = { why: "to read the configuration back" };
  const selected = "to find a namespace whose edits can prove it";
  return {
    reads: [
      permissionOn("get", configurationResource, { ...back, name: configuration }),
      permissionOn("list", configurationResource, {
        why: "to find the old and the new configuration",
      }),
      permissionOn("get", kinds.namespace, { why: "to see that it exists", name: namespace }),
      permissionOn("get", kinds.secret, { why: "to read the CA", namespace, name: secret }),
      permissionOn("get", kinds.service, { why: called, namespace, name: service }),
      permissionOn("list", kinds.endpointSlice, { why: called, namespace }),
      permissionOn("get", kinds.deployment, {
        why: "to see that the operator is ready",
        namespace,
        name: operator.deployment,
      }),
    ],
    may: [
      ...swapWrites(names, undefined).filter(({ verb }) => caOnly !== true || verb === "patch"),
      permissionOn("get", configurationResource, { ...back, name: oldConfiguration }),
      permissionOn("update", configurationResource, {
        why: "to remove what an apply leaves in place",
        name: configuration,
      }),
      permissionOn("get", kinds.namespace, { why: "to see whether it exists" }),
      permissionOn("list", kinds.namespace, { why: selected }),
      ...probed.map(probeNeed),
    ],
    beside: [
      permissionOn("list", kinds.pod, { why: "to see what is behind the Service", namespace }),
      permissionOn("list", kinds.networkPolicy, { why: called, namespace }),
      permissionOn("list", kinds.mutatingConfiguration, {
        why: "to find what else checks the databases",
      }),
      ...calledServiceNeeds(),
      ...leftOutKeys.map((key) => needList(key, wish, "to name whom the selectors leave out")),
      ...groundNeeds(wish),
      ...leftMarkNeeds(),
    ],
  };
}

/** What the plan writes, its way back included; without a plan all that one may. */
export function swapWrites(
  { webhook: { configuration, oldConfiguration } }: Names,
  plan: Pick<SwapPlan, "live" | "apply" | "takeOut" | "remove"> | undefined,
): readonly Permission[] {
  const on = (verb: string, why: string, name?: string): Permission =>
    permissionOn(verb, configurationResource, { why, name });
  const creates = plan?.live === undefined;
  const removes = plan === undefined || plan.remove !== undefined;
  const patches = plan === undefined || [plan.apply, plan.takeOut].some((one) => one !== undefined);
  const wanted: readonly (readonly [boolean, Permission])[] = [
    [patches, on("patch", "to apply the new configuration", configuration)],
    [creates, on("create", "to apply a configuration that does not exist yet")],
    [creates, on("delete", "to roll back", configuration)],
    [removes, on("delete", "to delete the old configuration", oldConfiguration)],
    [!creates && removes, on("create", "to put the old one back")],
  ];
  return wanted.flatMap(([isNeeded, permission]) => (isNeeded ? [permission] : []));
}

/** What the swap may need in all, as far as it is known which edits prove it. */
export function listNeeds(
  names: Names,
  { namespace, template, probe, probePair, caOnly }: SwapOptions,
  pairs: readonly ProbePair[] | undefined = probePair && [probePair],
): Needs {
  const probed = pairs === undefined ? probedAnywhere(names) : pairs.map(probedBy);
  const service = readServiceName(findEntry(template, names.webhook.entry)) ?? "";
  return swapNeeds({ names, namespace, service, probed: probe ? probed : [], caOnly });
}
