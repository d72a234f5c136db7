/** What `upgrade-operator` needs. */
import { type FactKey, factSources } from "../../domain/facts/facts";
import { constraintResource, kinds } from "../../domain/kube/kinds";
import { lossKeys } from "./definitions";
import { bundleKinds, bundleRef, type DesiredObject } from "../../domain/operator/wanted";
import { type Permission, permissionOn } from "../../domain/kube/permissions";
import type { AdvisedTarget } from "../../domain/checks/advisories";
import { listOperatorPrerequisiteKeys } from "../../domain/checks/prerequisites";
import { factNeeds } from "../../domain/checks/needs";
import { applyNeeds, needBind } from "../../domain/kube/write-needs";
import {
  groundNeeds,
  leftMarkNeeds,
  otherOperatorNeeds,
  needList,
  type Needs,
  type NeedsPlace,
  type OperatorPlace,
} from "../../domain/facts/needs";

/** The lists by which the operator's rollout is followed. */
export const rolloutKeys = [
  "deployments",
  "replicaSets",
  "pods",
  "events",
] as const satisfies readonly FactKey[];

export const rollout = "to follow the operator's rollout";

/** What both ways of upgrading the operator read beside its own objects. */
function operatorReads(place: NeedsPlace & AdvisedTarget): readonly Permission[] {
  const why = "to see whether the upgrade may begin";
  return [
    ...factNeeds(place, { keys: listOperatorPrerequisiteKeys(place), why }),
    ...factNeeds(place, { keys: rolloutKeys, why: rollout }),
  ];
}

/** What an upgrade by bundle is told. */
export interface BundleWish extends OperatorPlace, AdvisedTarget {
  /** The objects of the release. */
  readonly bundle: readonly DesiredObject[];
  /** Clusters are written as well where they follow it. */
  readonly registry?: string | undefined;
  /** Clusters pull with it. */
  readonly pullSecret: string | undefined;
}

/** `upgrade-operator --release`: every object is tried by dry run and written. */
export function bundleNeeds(wish: BundleWish): Needs {
  const { names, namespace, bundle, registry, pullSecret: name } = wish;
  const clusters = registry !== undefined || name !== undefined;
  const { resource: ecs } = factSources(names).ecs;
  const follow = "for the clusters to pull from the operator's registry";
  const secret = { why: "to see that it exists", namespace, name };
  return {
    reads: [
      permissionOn("get", kinds.namespace, { why: "to see that it exists", name: namespace }),
      needList("deployments", wish, rollout),
      ...(clusters
        ? [
            permissionOn("list", ecs, {
              why: "to find the clusters that follow the registry",
              namespace,
            }),
          ]
        : []),
      ...(name === undefined ? [] : [permissionOn("get", kinds.secret, secret)]),
      ...bundle.map((one) => onObject("get", one, "to compare it with the release")),
    ],
    may: [
      ...bundle.flatMap(objectWrites),
      ...(clusters
        ? ["get", "patch"].map((verb) => permissionOn(verb, ecs, { why: follow, namespace }))
        : []),
      ...operatorReads(wish),
    ],
    beside: [
      ...factNeeds(wish, { keys: lossKeys, why: "to see what a definition would lose" }),
      ...groundNeeds(wish),
      ...otherOperatorNeeds(wish),
      ...leftMarkNeeds(),
    ],
  };
}

function onObject(verb: string, { kind, object }: DesiredObject, why: string): Permission {
  const { resource, name, namespace } = bundleRef(kind, object);
  return permissionOn(verb, resource, { why, name, namespace });
}

function objectWrites({ kind, object }: DesiredObject): readonly Permission[] {
  return applyNeeds({ ...bundleRef(kind, object), binds: needBind(object) }, "to write it");
}

/** What an upgrade by chart is told. */
interface ChartWish extends OperatorPlace, AdvisedTarget {
  /** The definitions of the chart's crds/ folder are written as well. */
  readonly applyCrds?: boolean;
}

/** `upgrade-operator --chart`: helm keeps its releases in Secrets; what else it needs it says itself. */
export function chartNeeds(wish: ChartWish): Needs {
  const { names, namespace, applyCrds = false } = wish;
  const on = (
    verb: string,
    resource: "deployment" | "secret",
    said: Pick<Permission, "why" | "name">,
  ): Permission => permissionOn(verb, kinds[resource], { namespace, ...said });
  const { deployment: name } = names.operator;
  return {
    reads: [
      permissionOn("get", kinds.namespace, { why: "to see that it exists", name: namespace }),
      on("get", "deployment", { why: "to see what runs", name }),
      needList("deployments", wish, rollout),
      on("patch", "deployment", { why: "for helm to upgrade the operator", name }),
      on("list", "secret", { why: "for helm to read its releases" }),
      on("create", "secret", { why: "for helm to keep the new release" }),
      on("update", "secret", { why: "for helm to keep the new release" }),
    ],
    may: [
      on("get", "secret", { why: "for helm to read its releases" }),
      ...(applyCrds
        ? applyNeeds({ resource: kinds.definition, name: undefined }, "to write the chart's crds/")
        : []),
      ...operatorReads(wish),
    ],
    beside: [
      ...chartKinds.map(({ resource, namespaced }) => {
        const why = "to compare what helm would write";
        return permissionOn("get", resource, { why, ...(namespaced && { namespace }) });
      }),
      ...factNeeds(wish, { keys: lossKeys, why: "to see what a definition would lose" }),
      ...groundNeeds(wish),
      ...otherOperatorNeeds(wish),
    ],
  };
}

/** What a chart of the operator has on every platform; an object of another kind is not compared where it may not be read. */
const chartKinds = [
  ...bundleKinds.filter(({ resource }) => resource !== constraintResource),
  { resource: kinds.webhookConfiguration, namespaced: false },
  { resource: kinds.mutatingConfiguration, namespaced: false },
];
