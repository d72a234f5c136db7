/** What the commands need that upgrade the operator, a cluster or databases, and `recover`. */
import { type FactKey, factSources } from "../../domain/facts/facts";
import { kinds } from "../../domain/kube/kinds";
import { readName, termOf } from "../../domain/names/names";
import { lossKeys } from "./definitions";
import { bundleRef, type DesiredObject } from "../../domain/operator/wanted";
import { type Permission, permissionOn } from "../../domain/kube/permissions";
import { prerequisiteKeys } from "../../domain/checks/prerequisites";
import { factNeeds } from "../../domain/checks/needs";
import { applyNeeds, bindsOf } from "../reapply-rbac/needs";
import {
  type ApiWish,
  apiNeeds,
  groundNeeds,
  listing,
  type Needs,
  type NeedsPlace,
} from "../../domain/facts/needs";

interface OperatorPlace extends NeedsPlace {
  readonly namespace: string;
}

/** The lists by which the operator's rollout is followed. */
export const rolloutKeys = [
  "deployments",
  "replicaSets",
  "pods",
  "events",
] as const satisfies readonly FactKey[];

const rollout = "to follow the operator's rollout";

/** What both ways of upgrading the operator read beside its own objects. */
function operatorReads(place: NeedsPlace): readonly Permission[] {
  const why = "to see whether the upgrade may begin";
  return [
    ...factNeeds(place, { keys: prerequisiteKeys, why }),
    ...factNeeds(place, { keys: rolloutKeys, why: rollout }),
  ];
}

/** What an upgrade by bundle is told. */
export interface BundleWish extends OperatorPlace {
  /** The objects of the release. */
  readonly bundle: readonly DesiredObject[];
  /** Clusters are written as well: they follow the registry, or pull with a Secret. */
  readonly clusters: boolean;
  readonly pullSecret: string | undefined;
}

/** `upgrade-operator --release`: every object is tried by dry run and written. */
export function bundleNeeds(wish: BundleWish): Needs {
  const { names, namespace, bundle, clusters, pullSecret: name } = wish;
  const { resource: ecs } = factSources(names).ecs;
  const follow = "for the clusters to pull from the operator's registry";
  const secret = { why: "to see that it exists", namespace, name };
  return {
    reads: [
      permissionOn("get", kinds.namespace, { why: "to see that it exists", name: namespace }),
      listing("deployments", wish, rollout),
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
    ],
  };
}

function onObject(verb: string, { kind, object }: DesiredObject, why: string): Permission {
  const { resource, name, namespace } = bundleRef(kind, object);
  return permissionOn(verb, resource, { why, name, namespace });
}

function objectWrites({ kind, object }: DesiredObject): readonly Permission[] {
  return applyNeeds({ ...bundleRef(kind, object), binds: bindsOf(object) }, "to write it");
}

/** `upgrade-operator --chart`: helm keeps its releases in Secrets; what else it needs it says itself. */
export function chartNeeds(wish: OperatorPlace): Needs {
  const { names, namespace } = wish;
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
      listing("deployments", wish, rollout),
      on("patch", "deployment", { why: "for helm to upgrade the operator", name }),
      on("list", "secret", { why: "for helm to read its releases" }),
      on("create", "secret", { why: "for helm to keep the new release" }),
      on("update", "secret", { why: "for helm to keep the new release" }),
    ],
    may: [on("get", "secret", { why: "for helm to read its releases" }), ...operatorReads(wish)],
    beside: groundNeeds(wish),
  };
}

/** Whose rollout is looked at. */
interface ClusterPlace extends OperatorPlace {
  /** The cluster; undefined while it is not known. */
  readonly name: string | undefined;
}

/** The cluster itself, and the lists of these kinds; `why` knows which are in its namespace alone. */
function clusterLook(
  place: ClusterPlace,
  { keys, why }: { readonly keys: readonly FactKey[]; readonly why: (own: boolean) => string },
): readonly Permission[] {
  const { names, namespace, name } = place;
  const { resource: ecs } = factSources(names).ecs;
  const asked = `to see what the ${termOf(names.ec)} asks for and what state it is in`;
  const unsure = "to see whether a write without an answer was done";
  return [
    permissionOn("list", ecs, { why: asked, namespace }),
    permissionOn("get", ecs, { why: unsure, namespace, name }),
    ...keys.map((key) => {
      const { own = false } = factSources(names)[key];
      return listing(key, place, why(own));
    }),
  ];
}

/** What is looked at before a cluster is written, and while it is followed. */
export const clusterKeys = [
  "statefulSets",
  "claims",
  "pods",
  "deployments",
  "edbs",
  "eaadbs",
] as const satisfies readonly FactKey[];

/** What the plan rests on beside it. */
export const clusterPlanKeys: readonly FactKey[] = [
  ...new Set<FactKey>([...clusterKeys, ...prerequisiteKeys]),
].filter((key) => key !== "ecs");

/** `upgrade-cluster`: one write. */
export function clusterNeeds(place: ClusterPlace): Needs {
  const why = (own: boolean): string =>
    own ? "to follow the rollout" : "to see whether all databases can go along";
  const planned = { keys: clusterPlanKeys, why: "to see whether the upgrade may begin" };
  return {
    reads: clusterLook(place, { keys: clusterKeys, why }),
    may: [clusterWrite(place, "to write the fields of the upgrade"), ...factNeeds(place, planned)],
    beside: [listing("events", place, "to see why nothing moves"), ...groundNeeds(place)],
  };
}

/** The right to write a cluster. */
function clusterWrite({ names, namespace, name }: ClusterPlace, why: string): Permission {
  return permissionOn("patch", factSources(names).ecs.resource, { why, namespace, name });
}

/** What `upgrade-database` is told. */
export interface DatabasesWish extends OperatorPlace {
  /** As they were typed; none: all, or those of a selector. */
  readonly databases: readonly string[];
  /** In every namespace. */
  readonly everywhere: boolean;
  /** The REST API, where it is asked. */
  readonly api: ApiWish | undefined;
  /** What writing those that are meant takes, and reaching their REST API, once they are read. */
  readonly writes?: readonly Permission[];
}

/** `upgrade-database`. */
export function databasesNeeds(wish: DatabasesWish): Needs {
  const { names, namespace, databases, everywhere, api } = wish;
  const { ecs, edbs, eaadbs } = factSources(names);
  const typed = databases.map((one) => readName(one, names));
  const isWide = everywhere || typed.some((one) => one.namespace !== undefined);
  const scope = isWide ? undefined : namespace;
  const list = ({ resource }: typeof ecs, why: string): Permission =>
    permissionOn("list", resource, { why, namespace: scope });
  const places =
    typed.length === 0
      ? [{ namespace: scope, name: undefined }]
      : typed.map((one) => ({ namespace: one.namespace ?? namespace, name: one.name }));
  const unread = [
    ...places.flatMap((place) =>
      [edbs, eaadbs].flatMap(({ resource }) => databaseWrite(resource, place)),
    ),
    ...(api === undefined ? [] : apiNeeds(wish, api)),
  ];
  return {
    reads: [
      list(ecs, `to see whether the ${termOf(names.ec)} is Running and what it can run`),
      list(edbs, "to see what databases run, and how far they are"),
      list(eaadbs, "to see which databases are instances of active-active ones"),
      listing("deployments", wish, "to see which release of the operator runs"),
    ],
    may: wish.writes ?? unread,
    beside: [
      listing("ercs", wish, "to see which participant this cluster is"),
      ...groundNeeds(wish),
    ],
  };
}

/** The right to write a database; get shows whether a write without an answer was done. */
export function databaseWrite(
  resource: Parameters<typeof permissionOn>[1],
  place: Pick<Permission, "namespace" | "name">,
): readonly Permission[] {
  return [
    permissionOn("get", resource, {
      why: "to see whether a write without an answer was done",
      ...place,
    }),
    permissionOn("patch", resource, { why: "to write the engine version", ...place }),
  ];
}

/** What `recover` is told. */
export interface RecoverWish extends ClusterPlace {
  readonly applies: boolean;
  /** Namespaces of the databases; undefined while they are not read. */
  readonly places?: readonly string[] | undefined;
  /** The REST API, where it is asked. */
  readonly api: ApiWish | undefined;
}

/** What is looked at when an upgrade may be frozen. */
export const recoverKeys = [
  "statefulSets",
  "claims",
  "pods",
  "deployments",
  "events",
  "edbs",
  "eaadbs",
] as const satisfies readonly FactKey[];

/** `recover`; with --apply it brings databases in line, wherever they are. */
export function recoverNeeds(wish: RecoverWish): Needs {
  const { names, namespace, api, applies, places = [undefined] } = wish;
  const why = (): string => "to see why the upgrade makes no progress";
  const log = { ...kinds.pod, plural: `${kinds.pod.plural}/log` };
  const line = "to bring the databases in line with what runs";
  return {
    reads: [
      ...clusterLook(wish, { keys: recoverKeys, why }),
      ...(api === undefined ? [] : apiNeeds(wish, api)),
    ],
    may: applies
      ? [
          clusterWrite(wish, "to remove the digests that pin images"),
          ...places.flatMap((at) =>
            ["patch", "get"].map((verb) =>
              permissionOn(verb, factSources(names).edbs.resource, { why: line, namespace: at }),
            ),
          ),
        ]
      : [],
    beside: [
      permissionOn("get", log, { why: "to read the operator's log", namespace }),
      ...groundNeeds(wish),
    ],
  };
}
