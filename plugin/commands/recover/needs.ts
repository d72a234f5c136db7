/** What `recover` needs. */
import { type FactKey, factSources } from "../../domain/facts/facts";
import { kinds } from "../../domain/kube/kinds";
import { permissionOn } from "../../domain/kube/permissions";
import { type ApiWish, apiNeeds, groundNeeds, listing, type Needs } from "../../domain/facts/needs";
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

/** What is read for a look: nodes are the whole cluster's, and a user may be kept from them. */
export const lookKeys = [...recoverKeys, "nodes"] as const satisfies readonly FactKey[];

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
          ...places.flatMap((at) =>
            ["patch", "get"].map((verb) =>
              permissionOn(verb, factSources(names).edbs.resource, { why: line, namespace: at }),
            ),
          ),
        ]
      : [],
    beside: [
      ...others.map((key) => listing(key, wish, why())),
      permissionOn("get", log, { why: "to read the operator's log", namespace }),
      ...groundNeeds(wish),
    ],
  };
}
