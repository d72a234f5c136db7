/** What an upgrade leaves behind, and what it wrote: the same however often it was cut off. */
import { defaultNames as names } from "../../plugin/domain/names/names";
import { factSources } from "../../plugin/domain/facts/facts";
import { getOwn } from "../../plugin/domain/base/values";
import type { KubeObject } from "../../plugin/ports/kubernetes";
import type { AuditMark } from "./control-plane";
import { runner, writeLine } from "./plugin-run";
import { managed, namespace, type UpgradeScene } from "./upgrade-scene";

/** All that an upgrade is about, without what differs from cluster to cluster. */
export async function stateOf({ cluster }: UpgradeScene): Promise<unknown> {
  const sources = factSources(names);
  const lists = await Promise.all(keys.map((key) => cluster.list(sources[key].resource)));
  return lists
    .flatMap((list) => list ?? [])
    .filter(({ metadata }) => places.includes(metadata.namespace))
    .map(plain);
}

const keys = [
  "roles",
  "roleBindings",
  "deployments",
  "serviceAccounts",
  "webhookConfigurations",
  "ecs",
  "edbs",
] as const;
const places: readonly (string | undefined)[] = [undefined, namespace, ...managed];

function plain(object: KubeObject): unknown {
  const { kind, metadata } = object;
  const { name, namespace: where, labels, annotations, managedFields } = metadata;
  const owners = (managedFields as readonly unknown[] | undefined)
    ?.map((each) => [getOwn(each, "manager"), getOwn(each, "operation"), getOwn(each, "fieldsV1")])
    .filter(([manager]) => manager === names.fieldManager);
  const content = Object.entries(object).filter(([key]) => !["metadata", "status"].includes(key));
  return { kind, name, where, labels, annotations, owners, ...Object.fromEntries(content) };
}

/** The accepted writes of the plugin, each with its kind and namespace. */
export async function writesSince(
  { controlPlane }: UpgradeScene,
  mark: AuditMark,
): Promise<readonly string[]> {
  const events = await controlPlane.writesSince(mark, { user: runner.name, outcome: "accepted" });
  return events.map(
    (event) =>
      `${event.objectRef?.resource ?? ""} ${event.objectRef?.namespace ?? ""} ${writeLine(event)}`,
  );
}
