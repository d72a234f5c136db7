/** The edits that a probe sends: one that must pass and several that some server must refuse. */
import type { KindNames, Names } from "../names";
import type { KubeObject, Resource } from "../objects";
import { fieldName, fieldsOf } from "../rules/fields";
import { isObject, own } from "../values";
import { matchesResource } from "./configuration";

/** One pair: an object that must pass, and its twins that must be refused. */
export interface Pair {
  readonly kind: string;
  readonly resource: Resource;
  readonly accept: KubeObject;
  readonly denies: readonly { readonly what: string; readonly object: KubeObject }[];
}

interface Scene {
  readonly names: Names;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/**
 * Pairs for the kinds that the entry matches on CREATE, databases first. ERC has no twin that
 * any rule of ours refuses, an operator's own server may refuse one.
 */
export function pairsFor(entry: unknown, scene: Scene): readonly Pair[] {
  const { names } = scene;
  return [names.edb, names.eaadb, names.erc]
    .filter((kind) =>
      matchesResource(entry, { group: names.group, plural: kind.plural, operation: "CREATE" }),
    )
    .map((kind) => pairOf(kind, scene));
}

function pairOf(kind: KindNames, scene: Scene): Pair {
  const { names } = scene;
  const base: KubeObject = {
    apiVersion: `${names.group}/${names.version}`,
    kind: kind.kind,
    metadata: {
      name: scene.name,
      namespace: scene.namespace,
      ...(Object.keys(scene.labels).length > 0 && { labels: scene.labels }),
    },
    spec: {},
  };
  const accept = withParts(base, goodParts(kind, scene));
  return {
    kind: kind.kind,
    resource: { group: names.group, version: names.version, plural: kind.plural, kind: kind.kind },
    accept,
    denies: badParts(kind, names).map(({ what, parts }) => ({
      what,
      object: withParts(accept, parts),
    })),
  };
}

/** A value and the field that it is put in. */
interface Part {
  readonly path: readonly string[];
  readonly value: unknown;
}

function goodParts(kind: KindNames, { names, namespace }: Scene): readonly Part[] {
  if (kind === names.edb) return [];
  if (kind === names.eaadb) {
    return [
      { path: names.eaadbFields.participatingClusters, value: [] },
      { path: names.fields.globalConfigurations, value: {} },
    ];
  }
  return [
    { path: names.ercFields.ecName, value: "probe" },
    { path: names.ercFields.ecNamespace, value: namespace },
  ];
}

function badParts(
  kind: KindNames,
  names: Names,
): readonly { readonly what: string; readonly parts: readonly Part[] }[] {
  if (kind === names.erc) {
    const part = { path: names.ercFields.ecName, value: "" };
    return [{ what: "a remote cluster without a name", parts: [part] }];
  }
  const { engineVersion, evictionPolicy, moduleLists } = names.fields;
  const { moduleName, moduleVersion } = names.entryFields;
  const { moduleParent, engineVersions } = fieldsOf(kind === names.edb ? "edb" : "eaadb", names);
  const module = { [moduleName]: "no-such-module", [moduleVersion]: "0.0.0" };
  return [
    {
      what: `unknown ${fieldName(engineVersion)}`,
      // the API server drops it where the definition has no such place, and keeps it in the other one
      parts: engineVersions.map((path) => ({ path, value: "0.0" })),
    },
    {
      what: `illegal ${fieldName(evictionPolicy)}`,
      parts: [{ path: [...moduleParent, ...evictionPolicy.slice(1)], value: "no-such-policy" }],
    },
    {
      what: "undefined module",
      parts: [{ path: [...moduleParent, ...moduleLists.slice(-1)], value: [module] }],
    },
  ];
}

function withParts(object: KubeObject, parts: readonly Part[]): KubeObject {
  return parts.reduce((whole, { path, value }) => put(whole, path, value) as KubeObject, object);
}

/** The object with a value at a path; what stands beside it stays. */
function put(before: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return value;
  return { ...(isObject(before) && before), [key]: put(own(before, key), rest, value) };
}

/** Turns a stored database into a pair: unchanged it must pass, with a bad version it must not. */
export function pairFromStored(stored: KubeObject, resource: Resource, names: Names): Pair {
  const kind = [names.edb, names.eaadb].find((item) => item.plural === resource.plural);
  return {
    kind: resource.kind,
    resource,
    accept: stored,
    denies: (kind === undefined ? [] : badParts(kind, names)).map(({ what, parts }) => ({
      what,
      object: withParts(stored, parts),
    })),
  };
}
