import { join } from "node:path";
import type { Api } from "./api";
import type { ControlPlane } from "./control-plane";
import { crdsDir } from "./crds";
import type { KubeObject } from "./objects";
import { type PluginOptions, type PluginRun, runPlugin } from "./plugin-run";
import type { Scene } from "./scene";
import { readConfiguration, removeConfigurations, untilCalled } from "./swap-states";
import {
  newConfigurationName,
  newEntryName,
  oldConfigurationName,
  oldEntryName,
} from "./webhook-configurations";

/** The two writes of a whole swap, as the audit log has them. */
export const applied = `patch ${newConfigurationName}`;
export const deleted = `delete ${oldConfigurationName}`;

/** The template as a release ships it. */
export const templateFile = join(crdsDir, "..", "admission", "webhook.yaml");

/** Both configurations as kubectl reads them; undefined where there is none. */
export interface Configurations {
  readonly old: KubeObject | undefined;
  readonly current: KubeObject | undefined;
}

export async function readBack(controlPlane: ControlPlane): Promise<Configurations> {
  const args = ["get", "validatingwebhookconfigurations", "-o", "json"];
  const { stdout } = await controlPlane.kubectl(args);
  const { items } = JSON.parse(stdout) as { readonly items: readonly KubeObject[] };
  const byName = (name: string): KubeObject | undefined =>
    items.find(({ metadata }) => metadata.name === name);
  return { old: byName(oldConfigurationName), current: byName(newConfigurationName) };
}

/** Runs the swap without a question. */
export function runSwap(
  controlPlane: ControlPlane,
  args: readonly string[] = [],
  options: PluginOptions = {},
): Promise<PluginRun> {
  return runPlugin(controlPlane, ["upgrade-webhook", "--yes", ...args], options);
}

/** An empty cluster, as far as webhook configurations go, and the API server knows it. */
export async function clear(api: Api, scene: Scene): Promise<void> {
  await removeConfigurations(api);
  await settle(api, scene);
}

/**
 * Waits until the API server acts on the configurations that are stored: it learns of them through
 * its watch. Where both are, one call is enough, since one refusal hides the other.
 */
export async function settle(api: Api, scene: Scene): Promise<void> {
  const entries = [
    {
      entry: oldEntryName,
      called: (await readConfiguration(api, oldConfigurationName)) !== undefined,
    },
    {
      entry: newEntryName,
      called: (await readConfiguration(api, newConfigurationName)) !== undefined,
    },
  ];
  if (entries.every(({ called }) => called)) {
    await Promise.race(entries.map((entry) => untilCalled(api, scene, entry)));
    return;
  }
  for (const entry of entries) {
    await untilCalled(api, scene, entry);
  }
}

/** The one entry of a configuration. */
export function entryOf(configuration: KubeObject | undefined): Readonly<Record<string, unknown>> {
  const webhooks = (configuration?.["webhooks"] ?? []) as readonly Record<string, unknown>[];
  const [entry] = webhooks;
  if (entry === undefined || webhooks.length !== 1) {
    throw new Error(
      `${String(webhooks.length)} entries in ${configuration?.metadata.name ?? "none"}`,
    );
  }
  return entry;
}
