/** What tests do to a cluster that an operator plays on, and what they look at. */
import { kinds } from "../../../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { getPath, asArray, getOwn } from "../../../../plugin/domain/base/values";
import { exampleSource } from "../../../../plugin/simulator/example";

import { testTime } from "../../../support/manual-clock";
import { here, type PlayedWorld, product } from "../../../support/played-operator";

export const operator = names.operator.deployment;

/** As `kubectl set image` does, in both containers. */
export async function setOperator({ cluster }: PlayedWorld, version: string): Promise<void> {
  const image = `${names.images.operator}:${version}`;
  const containers = [names.operator.container, names.operator.admissionContainer];
  const body = {
    spec: { template: { spec: { containers: containers.map((name) => ({ name, image })) } } },
  };
  await cluster.patch(here(kinds.deployment, operator), body, { type: "strategic" });
}

export async function edit(
  { cluster }: PlayedWorld,
  ref: Parameters<PlayedWorld["cluster"]["get"]>[0],
  spec: object,
): Promise<void> {
  await cluster.patch(ref, { spec }, { type: "merge" });
}

export async function setTag(world: PlayedWorld, versionTag: string): Promise<void> {
  const spec = { engineEnterpriseImageSpec: { versionTag } };
  await edit(world, here(product.ec, "ec"), spec);
}

/** The operator of another release, at rest. */
export async function upgradeOperator(world: PlayedWorld, version = "7.22.0-7"): Promise<void> {
  await setOperator(world, version);
  await world.settle();
}

export async function look(
  { cluster }: PlayedWorld,
  ...[resource, name, namespace]: Parameters<typeof here>
): Promise<KubeObject | undefined> {
  return cluster.get(here(resource, name, namespace));
}

export async function ecStatus(world: PlayedWorld): Promise<unknown> {
  return (await look(world, product.ec, "ec"))?.["status"];
}

export async function edbStatus(world: PlayedWorld, name = "sessions"): Promise<unknown> {
  return (await look(world, product.edb, name, "shop"))?.["status"];
}

/** The tags of an EC's pods, the lowest ordinal first. */
export async function podTags({ cluster, namespace }: PlayedWorld): Promise<readonly string[]> {
  const pods = (await cluster.list(kinds.pod, { namespace })) ?? [];
  return pods
    .filter(({ metadata }) => metadata.name?.startsWith("ec-"))
    .map(
      (pod) =>
        String(getOwn(asArray(getPath(pod, ["spec", "containers"]))[0], "image")).split(":")[1] ??
        "",
    );
}

/** A fact of each stored change of a kind, each once in a row. */
export function history(
  { controlPlane }: PlayedWorld,
  kind: string,
  fact: (object: KubeObject, type: string) => unknown,
): readonly unknown[] {
  const seen: unknown[] = [];
  controlPlane.onChange(({ type, object }) => {
    if (object.kind !== kind) return;
    const said = fact(object, type);
    if (said !== undefined && JSON.stringify(said) !== JSON.stringify(seen.at(-1))) seen.push(said);
  });
  return seen;
}

export function states(world: PlayedWorld): readonly unknown[] {
  return history(world, names.ec.kind, (ec) => getPath(ec, names.ecFields.state));
}

/** The condition of an object, as its status and reason. */
export function condition(object: KubeObject | undefined, type: string): unknown {
  const found = asArray(getPath(object, ["status", "conditions"])).find(
    (one) => getOwn(one, "type") === type,
  );
  return found === undefined ? undefined : [getOwn(found, "status"), getOwn(found, "reason")];
}

/** What the first container of a pod waits for. */
export function waitingFor(pod: KubeObject | undefined): unknown {
  return getPath(asArray(getPath(pod, ["status", "containerStatuses"]))[0], [
    "state",
    "waiting",
    "reason",
  ]);
}

/** What the operator's log says went wrong. */
export function errorsOf({ play }: PlayedWorld): readonly unknown[] {
  return play.log.flatMap((line) => {
    const said = getOwn(JSON.parse(line), "error");
    return said === undefined ? [] : [said];
  });
}

/** The example with one of its objects otherwise. */
export async function sceneWith(
  isMeant: (object: KubeObject) => boolean,
  change: (object: KubeObject) => KubeObject,
): Promise<readonly KubeObject[]> {
  const { objects } = await exampleSource(names, testTime);
  return objects.map((object) => (isMeant(object) ? change(object) : object));
}

export const isEc = ({ kind }: KubeObject): boolean => kind === names.ec.kind;

export function withSpec(spec: object): (object: KubeObject) => KubeObject {
  return (object) => ({ ...object, spec: { ...(object["spec"] as object), ...spec } });
}

export function withStatus(status: object): (object: KubeObject) => KubeObject {
  return (object) => ({ ...object, status: { ...(object["status"] as object), ...status } });
}
