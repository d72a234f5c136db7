/** The edits that a probe sends: one that must pass and several that some server must refuse. */
import type { KindNames, Names } from "../names";
import type { KubeObject, Resource } from "../objects";
import { own } from "../values";
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
  const object = (spec: object): KubeObject => ({
    apiVersion: `${names.group}/${names.version}`,
    kind: kind.kind,
    metadata: {
      name: scene.name,
      namespace: scene.namespace,
      ...(Object.keys(scene.labels).length > 0 && { labels: scene.labels }),
    },
    spec,
  });
  const good = goodSpec(kind, scene);
  return {
    kind: kind.kind,
    resource: { group: names.group, version: names.version, plural: kind.plural, kind: kind.kind },
    accept: object(good),
    denies: badParts(kind, names).map(({ what, part }) => ({
      what,
      object: object(merge(good, part)),
    })),
  };
}

function goodSpec(kind: KindNames, { names, namespace }: Scene): object {
  if (kind === names.edb) return {};
  if (kind === names.eaadb) {
    const [, field = ""] = names.fields.globalConfigurations;
    return { participatingClusters: [], [field]: {} };
  }
  return { ecName: "probe", ecNamespace: namespace };
}

function badParts(
  kind: KindNames,
  names: Names,
): readonly { readonly what: string; readonly part: object }[] {
  if (kind === names.erc) {
    return [{ what: "a remote cluster without a name", part: { ecName: "" } }];
  }
  const [, version = ""] = names.fields.engineVersion;
  const modules = names.fields.moduleLists.at(-1) ?? "";
  const bad = [
    { what: "unknown engineVersion", part: { [version]: "0.0" } },
    { what: "illegal evictionPolicy", part: { evictionPolicy: "no-such-policy" } },
    {
      what: "undefined module",
      part: { [modules]: [{ name: "no-such-module", version: "0.0.0" }] },
    },
  ];
  if (kind === names.edb) return bad;
  const [, global = ""] = names.fields.globalConfigurations;
  return bad.map(({ what, part }) => ({ what, part: { [global]: part } }));
}

function merge(left: object, right: object): object {
  return { ...left, ...right };
}

/** Turns a stored database into a pair: unchanged it must pass, with a bad version it must not. */
export function pairFromStored(stored: KubeObject, resource: Resource, names: Names): Pair {
  const kind = [names.edb, names.eaadb].find((item) => item.plural === resource.plural);
  const spec = own(stored, "spec");
  return {
    kind: resource.kind,
    resource,
    accept: stored,
    denies: (kind === undefined ? [] : badParts(kind, names)).map(({ what, part }) => ({
      what,
      object: { ...stored, spec: deepMerge(spec, part) },
    })),
  };
}

function deepMerge(left: unknown, right: unknown): unknown {
  if (typeof right !== "object" || right === null || Array.isArray(right)) return right;
  const merged = Object.entries(right).map(([key, value]) => [
    key,
    deepMerge(own(left, key), value),
  ]);
  return { ...(typeof left === "object" ? left : {}), ...(Object.fromEntries(merged) as object) };
}
