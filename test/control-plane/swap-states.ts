/** Lays the states in which the swap of the webhook configurations is found over a seeded scene. */
import { type Api, ApiError, type KubeObject, pathOf, personsManager, type Ref } from "./api";
import { caBundleOf, makePair, type Pair } from "./certificate";
import { crdsDir, database, type Scene } from "./scene";
import { until } from "./until";
import {
  type ConfigurationOptions,
  newConfiguration,
  newConfigurationName,
  newEntryName,
  oldConfiguration,
  oldConfigurationName,
  oldEntryName,
} from "./webhook-configurations";
import { join } from "node:path";
import type { ControlPlane } from "./control-plane";
import { type PluginOptions, type PluginRun, runPlugin } from "./plugin-run";

export interface PutOptions {
  /** Laid over the healthy form. */
  readonly changes?: Partial<ConfigurationOptions>;
  /** The field manager that owns the fields afterwards: a person's by default. */
  readonly manager?: string | undefined;
}

/** The ways in which a configuration, old or new, is found broken. */
export const brokenConfigurations = {
  "no CA": () => ({ caBundle: "" }),
  "a CA of someone else": () => ({
    caBundle: caBundleOf(makePair({ namespace: "elsewhere" }).cert),
  }),
  "a service that is not there": () => ({ service: { name: "admission-gone" } }),
  "the placeholder left": () => ({ namespace: "OPERATOR_NAMESPACE", caBundle: "" }),
  "the older placeholder left": () => ({ namespace: "NAMESPACE_OF_SERVICE_ACCOUNT", caBundle: "" }),
} as const satisfies Readonly<Record<string, () => Partial<ConfigurationOptions>>>;

export function putOldConfiguration(
  api: Api,
  { namespace, caBundle }: Scene,
  { changes = {}, manager = personsManager }: PutOptions = {},
): Promise<KubeObject> {
  return api.replace(oldConfiguration({ namespace, caBundle, ...changes }), manager);
}

export function putNewConfiguration(
  api: Api,
  { namespace, caBundle }: Scene,
  { changes = {}, manager = personsManager }: PutOptions = {},
): Promise<KubeObject> {
  return api.replace(newConfiguration({ namespace, caBundle, ...changes }), manager);
}

/**
 * Makes the API server take any of the certificates. The entry's new name tells by which form of the
 * configuration a call was made, so that it is known when the server acts on this one. It stands
 * before the certificates too: no bundle is like an earlier one, whose connections would be used again.
 */
export async function trustPairs(
  api: Api,
  scene: Scene,
  { pairs, entry }: { readonly pairs: readonly Pair[]; readonly entry: string },
): Promise<void> {
  const { namespace } = scene;
  const caBundle = caBundleOf([`${entry}\n`, ...pairs.map(({ cert }) => cert)].join(""));
  const wanted = newConfiguration({ namespace, caBundle, entry: { name: entry } });
  const answer = await api.send("PATCH", pathOf(wanted), {
    body: { webhooks: wanted["webhooks"] },
    contentType: "application/merge-patch+json",
  });
  if (answer.status !== 200) {
    throw new ApiError("cannot change the trusted certificates", answer);
  }
  await untilCalled(api, scene, { entry });
}

/** Takes both configurations away: no swap has an earlier one to build on. */
export async function removeConfigurations(api: Api): Promise<void> {
  const names = [oldConfigurationName, newConfigurationName];
  await Promise.all(names.map((name) => api.remove(configurationRef(name))));
}

export function readConfiguration(api: Api, name: string): Promise<KubeObject | undefined> {
  return api.read(configurationRef(name));
}

function configurationRef(name: string): Ref {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name },
  };
}

/**
 * Waits until the API server calls the entry for an edit that must be refused, or no longer calls
 * it: the server learns of a changed configuration through its watch, a moment after the write. An
 * entry that is called in vain counts as called.
 */
export async function untilCalled(
  api: Api,
  { namespace }: Pick<Scene, "namespace">,
  { entry, called = true }: { readonly entry: string; readonly called?: boolean },
): Promise<void> {
  const wrong = database({ namespace, name: "harness-probe", engineVersion: "9.9" });
  const path = `${pathOf(wrong, "collection")}?dryRun=All`;
  await until(`${entry} to be ${called ? "called" : "left alone"}`, async () => {
    const { body } = await api.send("POST", path, { body: wrong });
    return JSON.stringify(body).includes(`webhook \\"${entry}\\"`) === called || undefined;
  });
}

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

/** What a run finds: each configuration that is there, as what is laid over its healthy form. */
export interface Found {
  readonly old?: Partial<ConfigurationOptions>;
  readonly current?: Partial<ConfigurationOptions>;
  /** Of both: a person's by default. */
  readonly manager?: string;
}

/** Laid by hand where it is no matter of the two configurations alone. */
export type FoundState<T> = Found | ((suite: T) => Promise<unknown>);

/** Lays the state over a cluster without any configuration, and the API server acts on it. */
export async function lay<T extends { readonly api: Api; readonly scene: Scene }>(
  suite: T,
  found: FoundState<T> = {},
): Promise<void> {
  const { api, scene } = suite;
  await clear(api, scene);
  if (typeof found === "function") await found(suite);
  else await put(api, scene, found);
  await settle(api, scene);
}

async function put(api: Api, scene: Scene, { old, current, manager }: Found): Promise<void> {
  if (old !== undefined) await putOldConfiguration(api, scene, { changes: old, manager });
  if (current !== undefined) await putNewConfiguration(api, scene, { changes: current, manager });
}

/** Every kind that the present configuration guards. */
export const everyKind = [
  "engineenterprisedatabases",
  "engineenterpriseactiveactivedatabases",
  "engineenterpriseremoteclusters",
];

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

/** What callers trust, PEM. */
export async function trustedPem(controlPlane: ControlPlane): Promise<string> {
  const entry = entryOf((await readBack(controlPlane)).current);
  const { caBundle } = entry["clientConfig"] as { readonly caBundle: string };
  return Buffer.from(caBundle, "base64").toString();
}
