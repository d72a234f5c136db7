/** What several cases do on their way. */
import type {
  KubeClient,
  KubeObject,
  WriteOptions,
  ApplyOptions,
} from "../../plugin/ports/kubernetes";
import { binding, configMap, configuration, entry, refTo, role, type kinds } from "./objects";
import { refusalOf } from "./plain";
import type { World } from "./world";

type Applied = Partial<ApplyOptions>;

/** Applies without force as `us`, if nothing else is said. */
export function apply(
  { cluster }: Pick<World, "cluster">,
  object: KubeObject,
  options: Applied = {},
): Promise<KubeObject> {
  return cluster.apply(object, { fieldManager: "us", ...options });
}

/** Reads an object back. */
export function read(
  { cluster }: Pick<World, "cluster">,
  resource: (typeof kinds)[keyof typeof kinds],
  object: KubeObject,
): Promise<KubeObject | undefined> {
  return cluster.get(refTo(resource, object));
}

/** A Role `reader` with these rules, bound to a user, in force. */
export async function grant(
  world: World,
  user: string,
  rules: readonly { readonly verbs: readonly string[]; readonly resources: readonly string[] }[],
): Promise<KubeClient> {
  const { namespace, cluster, settle } = world;
  await cluster.create(role(namespace, rules));
  await cluster.create(binding(namespace, user));
  const person = await world.as(user);
  await settle(async () => {
    const answers = rules.map(({ verbs, resources, ...rest }) => {
      const { apiGroups, resourceNames } = rest as Readonly<Record<string, readonly string[]>>;
      return person.can({
        verb: verbs[0] ?? "",
        group: apiGroups?.[0] ?? "",
        resource: resources[0] ?? "",
        namespace,
        ...(resourceNames?.[0] !== undefined && { name: resourceNames[0] }),
      });
    });
    return (await Promise.all(answers)).every((allowed) => allowed);
  });
  return person;
}

/** Creates a webhook configuration and waits until it is in force. */
export async function hook(world: World, entries: readonly object[]): Promise<KubeObject> {
  const { cluster, namespace } = world;
  const created = await cluster.create(configuration(namespace, entries));
  await inForce(world);
  return created;
}

/**
 * Configurations come into force in the order of their writing: when a marker that fails every
 * call is seen to act, so does whatever was written before it.
 */
export async function inForce({ cluster, namespace, settle }: World): Promise<void> {
  const name = `${namespace}-marker`;
  const labels = { marker: name };
  const marker = entry(namespace, {
    name: "marker.contract.example",
    clientConfig: { service: { namespace, name: "nobody" } },
    rules: [
      { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] },
    ],
    objectSelector: { matchLabels: labels },
  });
  const made = await cluster.create(configuration(namespace, [marker], name));
  const probe = configMap(namespace, {}, "marker");
  const marked = { ...probe, metadata: { ...probe.metadata, labels } };
  await settle(async () => {
    const seen = await refusalOf(cluster.create(marked, { dryRun: true }));
    return JSON.stringify(seen).includes("marker.contract.example");
  });
  const resource = {
    group: "admissionregistration.k8s.io",
    version: "v1",
    plural: "validatingwebhookconfigurations",
    kind: made.kind,
  };
  await cluster.delete({ resource, name }, {});
}

/** The warnings of a write and how it ended. */
export async function warningsOf(
  write: (options: WriteOptions) => Promise<unknown>,
): Promise<unknown> {
  const warnings: string[] = [];
  const outcome = await refusalOf(write({ onWarning: (text) => warnings.push(text) }));
  return { outcome, warnings };
}
