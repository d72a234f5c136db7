/** What `upgrade-database` needs. */
import { factSources } from "../../domain/facts/facts";
import { readName, renderTerm } from "../../domain/names/names";
import { type Permission, permissionOn } from "../../domain/kube/permissions";
import {
  type ApiWish,
  apiNeeds,
  groundNeeds,
  leftMarkNeeds,
  needList,
  type Needs,
  type NeedsPlace,
  type OperatorPlace,
} from "../../domain/facts/needs";

/** The words of the command. */
export const databasesCommand = "upgrade-database";

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
      list(ecs, `to see whether the ${renderTerm(names.ec)} is Running and what it can run`),
      list(edbs, "to see what databases run, and how far they are"),
      list(eaadbs, "to see which databases are instances of active-active ones"),
      needList("deployments", wish, "to see which release of the operator runs"),
    ],
    may: wish.writes ?? unread,
    beside: [
      needList("ercs", wish, "to see which participant this cluster is"),
      ...groundNeeds(wish),
      ...leftMarkNeeds(),
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

/** What the run may need in all; `writes` is known once the databases are read. */
export function listNeeds(
  { names, api }: Pick<NeedsPlace, "names"> & { readonly api: { readonly unread: ApiWish } },
  options: Omit<DatabasesWish, "names" | "api"> & { readonly via: "api" | "resource" },
  writes?: readonly Permission[],
): Needs {
  const asked = options.via === "api" ? api.unread : undefined;
  return databasesNeeds({ ...options, names, api: asked, ...(writes && { writes }) });
}
