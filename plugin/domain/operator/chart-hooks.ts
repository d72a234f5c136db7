/** The hooks of a chart: what helm makes and runs beside the objects of the release, and deletes again (S20). */
import { asArray, asString, boundList, getOwn, getPath } from "../base/values";
import type { KubeObject } from "../kube/objects";

/** One hook, as helm renders it. */
export interface ChartHook {
  /** `pre-upgrade`, `post-upgrade` and so on. */
  readonly events: readonly string[];
  readonly weight: number;
  /** When helm deletes it; none: before it is made again. */
  readonly deletePolicies: readonly string[];
  readonly object: KubeObject;
}

/** When the hooks of an upgrade are run, around the objects of the release. */
export type HookEvent = "pre-upgrade" | "post-upgrade";

/**
 * The hooks of an event in helm's order: by weight, then by name. What has both in common stays as helm prints it,
 * which is by kind.
 */
export function listHooks(
  hooks: readonly ChartHook[] = [],
  event: HookEvent,
): readonly ChartHook[] {
  return hooks
    .filter(({ events }) => events.includes(event))
    .sort((one, other) => one.weight - other.weight || compareText(hookName(one), hookName(other)));
}

/** True where the upgrade runs a Job, which may bring what helm itself does not write. */
export function runsJob(hooks: readonly ChartHook[] = []): boolean {
  const events: readonly HookEvent[] = ["pre-upgrade", "post-upgrade"];
  return events.some((event) =>
    listHooks(hooks, event).some(({ object }) => object.kind === "Job"),
  );
}

function hookName({ object }: ChartHook): string {
  return object.metadata.name ?? "";
}

/** Helm compares names byte by byte. */
function compareText(one: string, other: string): number {
  return Number(one > other) - Number(one < other);
}

/** A hook for a person to read: when it comes, what it runs, and what becomes of it. */
export function describeHook(hook: ChartHook, event: HookEvent): string {
  const { weight, deletePolicies, object } = hook;
  const when = event === "pre-upgrade" ? "before the upgrade" : "after the upgrade";
  const runs = listRuns(object);
  const policies = deletePolicies.length === 0 ? ["before-hook-creation"] : deletePolicies;
  return [
    `hook ${when}, weight ${weight}`,
    ...(runs.length === 0 ? [] : [`runs ${boundList(runs)}`]),
    `deleted: ${policies.join(", ")}`,
  ].join("; ");
}

const podPaths: Readonly<Record<string, readonly string[]>> = {
  Pod: ["spec"],
  Job: ["spec", "template", "spec"],
};

/** Image and command of each container. */
function listRuns(object: KubeObject): readonly string[] {
  const path = podPaths[object.kind];
  if (path === undefined) return [];
  const pod = getPath(object, path);
  return ["initContainers", "containers"]
    .flatMap((key) => asArray(getOwn(pod, key)))
    .map((container) => {
      const words = ["command", "args"].flatMap((key) => asArray(getOwn(container, key)));
      return [asString(getOwn(container, "image")) ?? "no image", ...words.map(String)].join(" ");
    });
}
