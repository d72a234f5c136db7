/** Names of the product's objects as a person types them: `orders`, `shop/orders`, `edb/orders`. */
import { type Names, termOf } from "./names";
import type { KubeObject } from "./objects";

const kinds = ["ec", "edb", "eaadb", "erc"] as const;

/** One of the product's kinds. */
export type ProductKind = (typeof kinds)[number];

/** A name taken apart; what was not typed is absent. */
export interface TypedName {
  readonly kind?: ProductKind;
  readonly namespace?: string;
  readonly name: string;
}

/** Reads [KIND/][NAMESPACE/]NAME; a kind as kubectl takes it: its name, plural or short name, with its group. */
export function readName(typed: string, names: Names): TypedName {
  const parts = typed.split("/");
  const kind = parts.length > 1 ? kindOf(String(parts[0]), names) : undefined;
  const place = kind === undefined ? parts : parts.slice(1);
  return {
    ...(kind !== undefined && { kind }),
    ...(place.length > 1 && { namespace: place.slice(0, -1).join("/") }),
    name: String(place.at(-1)),
  };
}

function kindOf(word: string, names: Names): ProductKind | undefined {
  const typed = word.toLowerCase();
  return kinds.find((key) => {
    const { kind, plural, short } = names[key];
    const words = [kind, plural, short].map((one) => one.toLowerCase());
    return words.some((one) => typed === one || typed === `${one}.${names.group}`);
  });
}

/** What stands against a name where only some kinds are asked for; undefined when nothing does. */
export function nameProblem(
  typed: string,
  wanted: readonly ProductKind[],
  names: Names,
): string | undefined {
  const { kind, namespace, name } = readName(typed, names);
  const terms = wanted.map((key) => termOf(names[key])).join(" or ");
  const shown = JSON.stringify(typed);
  if (name === "") return `${shown} has no name`;
  if (kind !== undefined && !wanted.includes(kind)) {
    return `${shown} is of kind ${termOf(names[kind])}; the name of an ${terms} is wanted`;
  }
  if (namespace === undefined) return undefined;
  if (wanted.includes("ec"))
    return `${shown} is not the name of an ${terms}; a namespace goes with -n`;
  return namespace.includes("/") ? `${shown} is not the name of an ${terms}` : undefined;
}

/** Whether a typed name means this object. */
export function isNamed(
  { kind, namespace, name }: TypedName,
  object: { readonly kind: ProductKind; readonly object: KubeObject },
): boolean {
  const { metadata } = object.object;
  return (
    metadata.name === name &&
    (kind === undefined || kind === object.kind) &&
    (namespace === undefined || metadata.namespace === namespace)
  );
}
