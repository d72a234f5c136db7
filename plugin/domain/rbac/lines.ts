/**
 * What the operator may do in a managed namespace, by the release that it is of (S34; domain facts 6,
 * edb-role by release). Each line begins with a release and lasts until the next one begins.
 */
import type { Names } from "../names/names";
import { getPath, isObject, type Json, getOwn, oncePer } from "../base/values";
import { compareTags } from "../base/versions";

/** The rules of the role from one release on. */
interface RoleLine {
  /** The first release tag of the line. */
  readonly from: string;
  readonly rules: readonly Json[];
}

/** Roles and bindings as documents, and where they are from. */
export interface RoleFiles {
  readonly documents: readonly unknown[];
  readonly source: string;
  /** They come with this tool, which knows the rules of every line. */
  readonly shipped?: true;
  /** The operator release that they are of, or that is meant, where it is known. */
  readonly release?: string | undefined;
}

/** The documents of one release, or why they are not known. */
export type ReleaseRoles =
  | (Required<Pick<RoleFiles, "documents" | "source">> & { readonly is: "known" })
  | { readonly is: "unknown"; readonly because: string };

const all = ["delete", "get", "list", "patch", "create", "update", "watch"];
const look = ["get", "list", "watch"];
const few = ["update", "get", "watch", "create", "patch", "list"];
const many = ["read", "listallnamespaces", "watchlist", "watchlistallnamespaces", "replace"];

/** The lines, oldest first; the same list again for the same names. */
export const roleLines = oncePer(({ group, edb, eaadb }: Names): readonly RoleLine[] => {
  const core = (resource: string, verbs: readonly string[]): Json => ({
    apiGroups: [""],
    resources: [resource],
    verbs,
  });
  const product = (kinds: readonly Names["edb"][], verbs: readonly string[]): Json => ({
    apiGroups: [group],
    resources: kinds.flatMap(({ plural }) => [plural, `${plural}/status`, `${plural}/finalizers`]),
    verbs,
  });
  const services = core("services", all);
  const slices = { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: look };
  const both = [
    product([edb, eaadb], all),
    core("secrets", few),
    core("events", ["create", "patch"]),
  ];
  return [
    {
      from: "7.4.2-2",
      rules: [
        product([edb], [...all, "deletecollection"]),
        core("secrets", [...few, ...many, "delete", "deletecollection"]),
        core("events", ["create"]),
        services,
        core("endpoints", look),
      ],
    },
    {
      from: "7.4.6-2",
      rules: [
        product([edb], all),
        core("secrets", few),
        core("events", ["create"]),
        services,
        core("endpoints", look),
      ],
    },
    { from: "7.22.0-0", rules: [...both, services, core("endpoints", look)] },
    { from: "8.0.2-0", rules: [...both, services, slices] },
  ];
});

/** The rules of all lines together; the same list again for the same names. */
export const releasedRules = oncePer((names: Names) =>
  roleLines(names).flatMap(({ rules }) => rules),
);

/** The line of a release; undefined for one before all lines, and for what is no release. */
export function findLine(tag: string | undefined, names: Names): RoleLine | undefined {
  return roleLines(names).findLast(({ from }) => compareTags(from, tag) <= 0);
}

/** The given documents as they are; of those that come with this tool, as the release has them. */
export function resolveRoles(
  { documents, source, shipped, release }: RoleFiles,
  running: string | undefined,
  names: Names,
): ReleaseRoles {
  if (shipped !== true) return { is: "known", documents, source };
  const tag = release ?? running;
  const line = findLine(tag, names);
  const { consumerRole } = names.rbac;
  if (line === undefined) {
    const because =
      tag === undefined
        ? `the operator's image does not report its release, so its ${consumerRole} is not known`
        : `the ${consumerRole} of operator ${tag} is not known`;
    return { is: "unknown", because };
  }
  const isRole = (document: unknown): boolean =>
    getOwn(document, "kind") === "Role" && getPath(document, ["metadata", "name"]) === consumerRole;
  return {
    is: "known",
    documents: documents.map((document) =>
      isObject(document) && isRole(document) ? { ...document, rules: line.rules } : document,
    ),
    source: `the ${consumerRole} of operator ${String(tag)}`,
  };
}
