/** The built plugin as a process of its own, and what a run of it costs. */
import { join } from "node:path";
import type { AuditEvent } from "../../control-plane/audit";
import { type ControlPlane, distDir } from "../../control-plane/control-plane";
import { operatorNamespace } from "../../control-plane/managed-namespaces";
import { runner } from "../../control-plane/plugin-run";
import { type Program, runToEnd, type Usage, usageOf } from "../rbac/usage";

/** A command that has found something has come to its end too. */
const codes = [0, 3];

/** Where it runs, and whose processor time counts as the servers'. */
export interface Bench {
  readonly controlPlane: ControlPlane;
  readonly servers: readonly number[];
}

/** The most memory in MiB, and the requests by verb and resource. */
export interface PluginCost extends Usage {
  readonly mib: number;
  readonly requests: ReadonlyMap<string, number>;
  /** Requests that the API server turned away as too many (429). */
  readonly busy: number;
}

/** Who runs which executable; the built one, by a user without limits, unless told otherwise. */
export interface PluginRunner {
  readonly user?: string;
  readonly executable?: string;
}

/** The servers' processes are those that run now. */
export function benchOn(controlPlane: ControlPlane): Bench {
  return { controlPlane, servers: controlPlane.site.daemons.flatMap(({ pid }) => pid ?? []) };
}

/** A command line of the plugin, as the user whose requests are counted. */
export function pluginProgram(
  controlPlane: ControlPlane,
  words: readonly string[],
  { user = runner.name, executable = join(distDir, "kubectl-engine") }: PluginRunner = {},
): Program {
  const kubeconfig = controlPlane.kubeconfigFor(user, operatorNamespace);
  const args = [executable, ...words];
  return { file: process.execPath, args, env: controlPlane.kubectlEnv(kubeconfig), codes };
}

/** One run to its end. */
export async function costOfRun(
  { controlPlane, servers }: Bench,
  words: readonly string[],
  by: PluginRunner = {},
): Promise<PluginCost> {
  const { user: name = runner.name } = by;
  const mark = await controlPlane.auditMark();
  const program = pluginProgram(controlPlane, words, by);
  const { value: mib, ...usage } = await usageOf(servers, () => runToEnd(program));
  const all = await controlPlane.auditEvents(mark);
  const events = all.filter(({ user }) => user.username === name);
  const busy = events.filter(({ responseStatus }) => responseStatus?.code === 429).length;
  return { ...usage, mib, requests: countRequests(events), busy };
}

function countRequests(events: readonly AuditEvent[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { verb, objectRef } of events) {
    const name = `${verb} ${objectRef?.resource ?? "discovery"}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
