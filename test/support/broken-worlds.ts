/** What people reported of clusters that are broken before an upgrade, each as a wish, and plans over them. */
import { defaultNames as names } from "../../plugin/domain/names/names";
import { type PartId, partIds } from "../../plugin/domain/base/part-ids";
import { withValue } from "../../plugin/domain/base/values";
import type { KubeObject } from "../../plugin/domain/kube/objects";
import {
  chosenBy,
  describeWishes,
  obstacles,
  type UpgradeWorld,
  type Wish,
  worldOf,
} from "./upgrade-worlds";

type Change = (object: KubeObject) => KubeObject | undefined;

const set =
  (
    [kind, name]: readonly [kind: string, name?: string],
    path: readonly string[],
    value: unknown,
  ): Change =>
  (object) =>
    object.kind === kind && (name === undefined || object.metadata.name === name)
      ? (withValue(object, path, value) as KubeObject)
      : object;

const drop =
  (kind: string, name: string, namespace?: string): Change =>
  (object) =>
    object.kind === kind &&
    object.metadata.name === name &&
    (namespace === undefined || object.metadata.namespace === namespace)
      ? undefined
      : object;

const inTurn =
  (...changes: readonly Change[]): Change =>
  (object) => {
    let now: KubeObject | undefined = object;
    for (const change of changes) if (now !== undefined) now = change(now);
    return now;
  };

const leaving = { deletionTimestamp: "2026-08-01T09:00:00Z", finalizers: ["example.com/hold"] };

const isLeaving =
  (kind: string, name: string): Change =>
  (object) =>
    object.kind === kind && object.metadata.name === name
      ? { ...object, metadata: { ...object.metadata, ...leaving } }
      : object;

const { kind: edb } = names.edb;
const { deployment } = names.operator;

/** Each is broken in one way. */
export const broken: readonly Wish[] = [
  {
    name: "a partition",
    change: set(["StatefulSet"], ["spec", "updateStrategy"], {
      type: "RollingUpdate",
      rollingUpdate: { partition: 2 },
    }),
  },
  {
    name: "pods renewed by hand",
    change: set(["StatefulSet"], ["spec", "updateStrategy"], { type: "OnDelete" }),
  },
  {
    name: "an expired license",
    change: set([names.ec.kind], names.ecFields.licenseState, "Expired"),
  },
  {
    name: "a refused upgrade",
    change: set([names.ec.kind], names.ecFields.state, "InvalidUpgrade"),
  },
  { name: "a broken cluster", change: set([names.ec.kind], names.ecFields.state, "Error") },
  {
    name: "a database before 7.2",
    change: inTurn(
      set([edb, "sessions"], names.fields.engineVersion, "6.2"),
      set([edb, "sessions"], ["status", "version"], "6.2.20"),
    ),
  },
  {
    name: "a failed database",
    change: set([edb, "orders"], names.edbFields.status, "creation-failed"),
  },
  {
    name: "a refused database",
    change: set([edb, "orders"], names.edbFields.specStatus, "Invalid"),
  },
  { name: "a database that is being deleted", change: isLeaving(edb, "orders") },
  { name: "a cluster that is being deleted", change: isLeaving(names.ec.kind, "ec") },
  { name: "a namespace that is being deleted", change: isLeaving("Namespace", "shop") },
  { name: "no operator", change: drop("Deployment", deployment) },
  {
    name: "an operator of no pods",
    change: set(["Deployment", deployment], ["spec", "replicas"], 0),
  },
  { name: "a role that is missing", change: drop("Role", names.rbac.consumerRole, "shop") },
  { name: "no Secret of the webhook", change: drop("Secret", names.webhook.secret) },
  { name: "no Service of the webhook", change: drop("Service", names.webhook.service) },
  {
    name: "pinned images",
    change: set([names.ec.kind], ["spec", "engineEnterpriseImageSpec"], {
      versionTag: "7.8.2-34",
      digestHash: "a".repeat(64),
    }),
  },
  {
    name: "a module that nothing defines",
    change: set([edb, "orders"], ["spec", "modulesList"], [{ name: "gears" }]),
  },
  {
    name: "a node that is not ready",
    more: [
      {
        ...{ apiVersion: "v1", kind: "Node", metadata: { name: "worker-1" } },
        status: { conditions: [{ type: "Ready", status: "False" }] },
      },
    ],
  },
  {
    name: "a claim that waits",
    more: [
      {
        ...{ apiVersion: "v1", kind: "PersistentVolumeClaim" },
        metadata: { name: "store-ec-0", namespace: "engine" },
        spec: {},
        status: { phase: "Pending" },
      },
    ],
  },
];

const isWhole = (seed: number): boolean => seed % 8 === 7 || (seed >= 800 && seed % 10 === 0);

/** A plan by a seed: one of 200 worlds, some of them broken or with an obstacle, and the whole upgrade or some of its parts. */
export async function planBy(seed: number): Promise<{
  readonly title: string;
  readonly world: UpgradeWorld;
  readonly parts: readonly PartId[] | undefined;
}> {
  const obstacle = obstacles[seed % (2 * obstacles.length)];
  const harm = seed % 4 === 3 ? broken[Math.floor(seed / 4) % broken.length] : undefined;
  const against = [obstacle, harm].filter((one) => one !== undefined);
  const all = [...chosenBy(seed % 200), ...against];
  const turn = Math.floor(seed / 200);
  const single = partIds[(seed + turn) % partIds.length];
  const more = partIds.filter((_, at) => ((seed * 31 + turn * 7) >> at) % 2 === 1);
  const some = turn === 3 && more.length > 0 ? more : [single ?? "operator"];
  const parts = isWhole(seed) ? undefined : some;
  const title = `${seed} (${describeWishes(all)}; ${parts?.join(",") ?? "all parts"})`;
  return { title, world: await worldOf(all), parts };
}
