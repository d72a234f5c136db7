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
import type { PartId } from "../../kernel/report";
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
  const { facts, bundle, probe, databases, isChosen } = wish;
  const { names, namespace, unserved } = facts;
  const place = { names, namespace };
  const uid = { why: "to know the cluster again when a saved plan is carried out" };
  const probed = probe ? probedAnywhere(names) : [];
  return together([
    checkNeeds(place, knownSecretNames(facts)),
    {
      reads: [],
      beside: [],
      may: [permissionOn("get", kinds.namespace, { ...uid, name: "kube-system" })],
    },
    ...(isChosen("rbac-expand") || isChosen("rbac-contract") ? [rbacOf(wish)] : []),
    ...(isChosen("operator")
      ? [bundle === undefined ? chartNeeds(place) : bundleNeeds({ ...wish, ...place, bundle })]
      : []),
    ...(isChosen("webhook")
      ? [swapNeeds({ ...place, service: names.webhook.service, probed })]
      : []),
    ...(isChosen("auto-off") || isChosen("cluster")
      ? clustersIn(facts).map((name) => clusterNeeds({ ...place, name }))
      : []),
    ...(unserved.has("constraints") || !isChosen("scc")
      ? []
      : [unbindNeeds({ ...place, scc: undefined })]),
    ...(databases && isChosen("databases")
      ? [databasesNeeds({ ...place, databases: [], everywhere: true, api: undefined })]
      : []),
  ]);
}

function rbacOf({ facts, probe }: UpgradeWish): Needs {
  const { names, namespace } = facts;
  return rbacNeeds({
    ...{ names, namespace, prove: probe },
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
