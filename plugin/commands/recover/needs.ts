/** What `recover` needs. */
import { closeLook, type FactKey, factSources } from "../../domain/facts/facts";
import { kinds } from "../../domain/kube/kinds";
import { type Permission, permissionOn } from "../../domain/kube/permissions";
import {
  type ApiWish,
  apiNeeds,
  groundNeeds,
  leftMarkNeeds,
  needList,
  type Needs,
} from "../../domain/facts/needs";
import { type ClusterPlace, clusterLook, clusterWrite } from "../../domain/engine-cluster/needs";

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

/** What is read for a look: some of it is the whole cluster's, and a user may be kept from it. */
export const lookKeys: readonly FactKey[] = [...new Set<FactKey>([...recoverKeys, ...closeLook])];

/** `recover`; with --apply it brings databases in line, wherever they are. */
export function recoverNeeds(wish: RecoverWish): Needs {
  const { names, namespace, api, applies, places = [undefined] } = wish;
  const why = (): string => "to see why the upgrade makes no progress";
  const log = { ...kinds.pod, plural: `${kinds.pod.plural}/log` };
  const line = "to bring the databases in line with what runs";
  // a look does without what it may not read, and says so; a change rests on all of it
  const keys = applies ? recoverKeys : [];
  const others = lookKeys.filter((key) => !keys.some((one) => one === key));
  return {
    reads: [...clusterLook(wish, { keys, why }), ...(api === undefined ? [] : apiNeeds(wish, api))],
    may: applies
      ? [
          clusterWrite(wish, "to remove the digests that pin images"),
          ...rollNeeds(wish),
          ...places.flatMap((at) =>
            ["patch", "get"].map((verb) =>
              permissionOn(verb, factSources(names).edbs.resource, { why: line, namespace: at }),
            ),
          ),
        ]
      : [],
    beside: [
      ...others.map((key) => needList(key, wish, why())),
      permissionOn("list", factSources(names).ecs.resource, {
        why: "to see which cluster a database of another namespace is of",
      }),
      permissionOn("get", log, { why: "to read the operator's log", namespace }),
      ...groundNeeds(wish),
      ...leftMarkNeeds(),
    ],
  };
}

/** What the steps against a roll that is stuck take. */
function rollNeeds({ namespace, name }: RecoverWish): readonly Permission[] {
  const seen = "to see whether a write without an answer was done";
  const pod = "to delete a pod of an earlier revision that is not ready";
  const held = "to remove what holds a roll";
  return [
    permissionOn("delete", kinds.pod, { why: pod, namespace }),
    permissionOn("get", kinds.pod, { why: seen, namespace }),
    permissionOn("patch", kinds.statefulSet, { why: held, namespace, name }),
    permissionOn("get", kinds.statefulSet, { why: seen, namespace, name }),
  ];
}
