/** Which operator pod leads: one that is ready does not act while another one holds the lease (domain facts 11). */
import { asString } from "../base/values";
import { renderAge } from "../base/duration";
import { kubectl, type Remedy } from "../base/remedy";
import { factNamed, type Facts, isKnown } from "../facts/facts";
import type { Lease } from "../kube/models";
import { objectLabel, readName } from "../kube/objects";
import { isReady } from "../rollout/pod-causes";

/** What keeps an operator that is ready from acting, and the way out. */
export interface OperatorWords {
  readonly words: readonly string[];
  readonly remedies: readonly Remedy[];
}

/** A lease that the operator's pods hold. */
interface HeldLease {
  readonly lease: Lease;
  /** Name of a pod. */
  readonly holder: string;
}

/** The name of a Deployment's pod ends in two words: that of its ReplicaSet, and its own. */
const podWords = /^-[a-z0-9]+-[a-z0-9]{5}$/;

/** By its holder: a pod's name, mostly with a number of the process behind it. */
function readHolder(lease: Lease, deployment: string): string | undefined {
  const holder = asString(lease.spec?.holderIdentity) ?? "";
  const pod = holder.replace(/_.*$/, "");
  if (!pod.startsWith(deployment)) return undefined;
  return podWords.test(pod.slice(deployment.length)) ? pod : undefined;
}

/** The one lease of the operator; where there are several, which of them decides is not known. */
function findLease({ objects, names, namespace }: Facts): HeldLease | undefined {
  const [found, ...others] = objects.leases.flatMap((lease): readonly HeldLease[] => {
    const holder = readHolder(lease, names.operator.deployment);
    return holder === undefined || lease.metadata.namespace !== namespace
      ? []
      : [{ lease, holder }];
  });
  return others.length > 0 ? undefined : found;
}

const usualSeconds = 15;
/** Clocks differ, and a new holder waits for a while. */
const toleranceMs = 120_000;

/** How long the lease has not been renewed: undefined where that is in order, NaN for one without a time. */
function readStaleness(lease: Lease, now: number): number | undefined {
  const ageMs = now - Date.parse(readRenewal(lease) ?? "");
  const lasts = (lease.spec?.leaseDurationSeconds ?? usualSeconds) * 1000;
  return ageMs <= lasts + toleranceMs ? undefined : ageMs;
}

function readRenewal(lease: Lease): string | undefined {
  return asString(lease.spec?.renewTime);
}

/** That no operator acts, and what lets one; undefined where the lease is in order, or cannot be judged. */
export function explainLease(facts: Facts): OperatorWords | undefined {
  const found = isKnown(facts, "pods") ? findLease(facts) : undefined;
  const ageMs = found && readStaleness(found.lease, facts.now);
  return found && ageMs !== undefined ? explainStale(facts, found, ageMs) : undefined;
}

function explainStale(
  facts: Facts,
  { lease, holder }: HeldLease,
  ageMs: number,
): ReturnType<typeof explainLease> {
  const { namespace } = facts;
  const pod = factNamed(facts, "pods", { name: holder, namespace });
  const runs = pod !== undefined && isReady(pod);
  const renewed = readRenewal(lease);
  // a lease without a time is held until its holder is gone
  if (runs && renewed === undefined) return undefined;
  const last =
    renewed === undefined ? "" : `, last renewed at ${renewed} (${renderAge(ageMs)} ago)`;
  const words = `the operator does not act: ${objectLabel(lease)} is held by Pod ${holder}`;
  const look = (then: Remedy): readonly Remedy[] => [
    { ...kubectl("see what the operator says of it", ...operatorLogWords(facts)), then },
  ];
  if (runs) {
    return {
      words: [`${words}${last}`],
      remedies: look(kubectl("let its pod start again", "delete", "pod", holder, "-n", namespace)),
    };
  }
  const state = pod === undefined ? "which does not exist" : "which is not ready";
  return {
    words: [`${words}, ${state}${last}`],
    remedies: look(
      kubectl(
        "delete the lease, and the pod that is ready takes it",
        ...["delete", "lease", readName(lease), "-n", namespace],
      ),
    ),
  };
}

/** The words that show the operator's log; its Deployment has a second container. */
export function operatorLogWords({ names, namespace }: Pick<Facts, "names" | "namespace">) {
  const { deployment, container } = names.operator;
  return ["logs", `deployment/${deployment}`, "-c", container, "-n", namespace];
}
