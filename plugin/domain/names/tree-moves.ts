/** Taking values out of a tree and putting them elsewhere, for objects and for their schemas. */
import { type Json, isObject, list, own } from "../values";
import { each, type Path } from "./kind-fields";

/** What stands in a field; in a schema also whether the field is required. */
export interface Slot {
  readonly value: unknown;
  readonly required?: boolean;
}

/** How a tree holds its fields. */
export interface Shape {
  readonly read: (node: unknown, key: string) => Slot | undefined;
  /** The node with the slot in the field, or without the field. */
  readonly write: (node: unknown, key: string, slot: Slot | undefined) => unknown;
  /** The node with every item of the list that it is changed. */
  readonly items: (node: unknown, change: (item: unknown) => unknown) => unknown;
  /** A node without fields. */
  readonly empty: Json;
  readonly isEmpty: (node: unknown) => boolean;
}

/** Objects as they are: fields are properties. */
export const objectShape: Shape = {
  read: (node, key) => (own(node, key) === undefined ? undefined : { value: own(node, key) }),
  write: (node, key, slot) => {
    const others = without(node, key);
    return slot === undefined ? others : { ...others, [key]: slot.value };
  },
  items: (node, change) => (Array.isArray(node) ? node.map(change) : node),
  empty: {},
  isEmpty: (node) => isObject(node) && Object.keys(node).length === 0,
};

/** Schemas of structural definitions: fields are under `properties`, items under `items`. */
export const schemaShape: Shape = {
  read: (node, key) => {
    const value = own(own(node, "properties"), key);
    const required = list(own(node, "required")).includes(key);
    return value === undefined ? undefined : { value, required };
  },
  write: (node, key, slot) => {
    const others = without(own(node, "properties"), key);
    const before = list(own(node, "required"));
    const stay = before.filter((name) => name !== key);
    const added = before.includes(key) ? before : [...stay, key];
    const required = slot?.required === true ? added : stay;
    return {
      ...without(node, "required"),
      ...(required.length > 0 && { required }),
      properties: slot === undefined ? others : { ...others, [key]: slot.value },
    };
  },
  items: (node, change) => {
    const item = own(node, "items");
    return item === undefined ? node : { ...(node as Json), items: change(item) };
  },
  empty: { type: "object" },
  isEmpty: (node) => objectShape.isEmpty(own(node, "properties")),
};

function without(node: unknown, key: string): Json {
  const properties = isObject(node) ? Object.entries(node) : [];
  return Object.fromEntries(properties.filter(([name]) => name !== key));
}

/** The tree with the node at a path changed, where there is one. */
export function changeAt(
  node: unknown,
  path: Path,
  how: { readonly shape: Shape; readonly change: (node: unknown) => unknown },
): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return how.change(node);
  if (step === each) return how.shape.items(node, (item) => changeAt(item, rest, how));
  const slot = how.shape.read(node, step);
  if (slot === undefined) return node;
  return how.shape.write(node, step, { ...slot, value: changeAt(slot.value, rest, how) });
}

/** From where to where. */
export interface Move {
  readonly from: Path;
  readonly to: Path;
}

/** The tree with its values moved: all are taken out, the deepest first, before any is put in. */
export function moveAll(root: unknown, moves: readonly Move[], shape: Shape): unknown {
  const real = moves.filter(({ from, to }) => from.join(".") !== to.join("."));
  const outwards = [...real].sort((one, other) => other.from.length - one.from.length);
  let tree: Slot | undefined = { value: root };
  const taken: { readonly to: Path; readonly slot: Slot }[] = [];
  for (const { from, to } of outwards) {
    const { slot, left }: Taken = takeOut(tree, from, shape);
    if (slot !== undefined) taken.push({ to, slot });
    tree = left;
  }
  const inwards = [...taken].sort((one, other) => one.to.length - other.to.length);
  for (const { to, slot } of inwards) tree = putIn(tree, to, { shape, slot });
  return tree?.value;
}

interface Taken {
  readonly slot: Slot | undefined;
  /** What it was taken from, undefined when that is left empty. */
  readonly left: Slot | undefined;
}

function takeOut(from: Slot | undefined, [key, ...rest]: Path, shape: Shape): Taken {
  if (key === undefined) return { slot: from, left: undefined };
  const child = shape.read(from?.value, key);
  const inner = child && takeOut(child, rest, shape);
  if (inner?.slot === undefined) return { slot: undefined, left: from };
  const value = shape.write(from?.value, key, inner.left);
  return { slot: inner.slot, left: shape.isEmpty(value) ? undefined : { ...from, value } };
}

function putIn(
  into: Slot | undefined,
  [key, ...rest]: Path,
  what: { readonly shape: Shape; readonly slot: Slot },
): Slot {
  if (key === undefined) return what.slot;
  const { shape } = what;
  const { value, required } = into ?? { value: shape.empty };
  const child = putIn(shape.read(value, key), rest, what);
  return { ...(required === true && { required }), value: shape.write(value, key, child) };
}
