/** What `upgrade` needs: what `check` reads, and what each of its parts does. */
import { situationOf } from "../../domain/checks/context";
import { knownSecretNames } from "../../domain/checks/secrets";
import { type FactKey, type Facts, isKnown } from "../../domain/facts/facts";
import { kinds } from "../../domain/kube/kinds";
import { nameOf } from "../../domain/kube/objects";
import { permissionOn } from "../../domain/kube/permissions";
import { ownClusters } from "../../domain/engine-cluster/operator";
import { checkNeeds } from "../../domain/checks/needs";
import { type Needs, together } from "../../domain/facts/needs";
import { rbacNeeds } from "../reapply-rbac/needs";
import { unbindNeeds } from "../unbind-scc/needs";
import { type BundleWish, bundleNeeds, chartNeeds } from "../upgrade-operator/needs";
import { databasesNeeds } from "../upgrade-database/needs";
import { clusterNeeds } from "../upgrade-cluster/needs";
import type { PartId } from "../../domain/base/part-ids";
import { probedAnywhere, swapNeeds } from "../upgrade-webhook/needs";

/** What the whole upgrade is told. */
export interface UpgradeWish extends Pick<BundleWish, "clusters" | "pullSecret"> {
  /** What was read of the cluster. */
  readonly facts: Facts;
  /** The objects of the release; undefined for a chart. */
  readonly bundle: BundleWish["bundle"] | undefined;
  /** Webhook and access are proven. */
  readonly probe: boolean;
  /** Databases get a version. */
  readonly databases: boolean;
  readonly isChosen: (part: PartId) => boolean;
}

/** As narrow as what was read allows: what may not be read is asked for wherever it may be. */
export function upgradeNeeds(wish: UpgradeWish): Needs {
  const { names, namespace } = wish.facts;
  const uid = { why: "to know the cluster again when a saved plan is carried out" };
  return together([
    checkNeeds({ names, namespace }, knownSecretNames(wish.facts)),
    {
      reads: [],
      beside: [],
      may: [permissionOn("get", kinds.namespace, { ...uid, name: "kube-system" })],
    },
    ...shares.flatMap(({ of, needs }) => (of.some(wish.isChosen) ? needs(wish) : [])),
  ]);
}

/** What parts take; two that take the same are one. */
const shares: readonly {
  readonly of: readonly PartId[];
  readonly needs: (wish: UpgradeWish) => readonly Needs[];
}[] = [
  { of: ["rbac-expand", "rbac-contract"], needs: (wish) => [rbacOf(wish)] },
  {
    of: ["operator"],
    needs: ({ facts, bundle, ...wish }) => [
      bundle === undefined
        ? chartNeeds(facts)
        : bundleNeeds({ ...wish, ...placeOf(facts), bundle }),
    ],
  },
  {
    of: ["webhook"],
    needs: ({ facts, probe }) => {
      const { webhook } = facts.names;
      const probed = probe ? probedAnywhere(facts.names) : [];
      return [swapNeeds({ ...placeOf(facts), service: webhook.service, probed })];
    },
  },
  {
    of: ["auto-off", "cluster"],
    needs: ({ facts }) =>
      clustersIn(facts).map((name) => clusterNeeds({ ...placeOf(facts), name })),
  },
  {
    of: ["scc"],
    needs: ({ facts }) =>
      facts.unserved.has("constraints") ? [] : [unbindNeeds({ ...placeOf(facts), scc: undefined })],
  },
  {
    of: ["databases"],
    needs: ({ facts, databases }) => {
      const all = { databases: [], everywhere: true, api: undefined };
      return databases ? [databasesNeeds({ ...placeOf(facts), ...all })] : [];
    },
  },
];

function placeOf({ names, namespace }: Facts): Pick<Facts, "names" | "namespace"> {
  return { names, namespace };
}

function rbacOf({ facts, probe }: UpgradeWish): Needs {
  return rbacNeeds({
    ...{ ...placeOf(facts), prove: probe },
    ...managedIn(facts),
    ...{ accounts: true, selects: false, prune: false },
  });
}

/** By name, where they may be read. */
function clustersIn(facts: Facts): readonly (string | undefined)[] {
  if (!isKnown(facts, "ecs")) return [undefined];
  return ownClusters(facts).map(nameOf);
}

const telling: readonly FactKey[] = ["deployments", "configMaps", "namespaces"];

/** The managed namespaces, where all may be read that tells of them. */
function managedIn(facts: Facts): {
  readonly managed: readonly string[] | undefined;
  readonly label?: boolean;
} {
  const { configured, managed } = situationOf(facts, {});
  const isTold = telling.every((key) => isKnown(facts, key)) && configured.is !== "unknown";
  if (!isTold) return { managed: undefined };
  const label = configured.is === "label";
  return { managed: configured.is === "list" ? configured.namespaces : managed, label };
}
