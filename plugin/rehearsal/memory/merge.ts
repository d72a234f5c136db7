/** Server-side apply's merge: the applied values laid over the live ones, nothing removed. */
import { isObject, type Json } from "../../domain/values";
import type { Structure } from "../model";
import { fieldStructure, isAssociative, itemsOf } from "./structure";

/** The live value with the applied one laid over it; undefined for a value that is not there. */
export function merge(live: unknown, applied: unknown, structure: Structure): unknown {
  if (applied === undefined) return live;
  if (isObject(live) && isMapOrNull(applied)) {
    return structure.atomic === true ? applied : mergeMaps(live, applied ?? {}, structure);
  }
  if (Array.isArray(live) && isListOrNull(applied)) {
    return isAssociative(structure) ? mergeLists(live, applied ?? [], structure) : applied;
  }
  return applied;
}

function isMapOrNull(value: unknown): value is Json | null {
  return value === null || isObject(value);
}

function isListOrNull(value: unknown): value is readonly unknown[] | null {
  return value === null || Array.isArray(value);
}

function mergeMaps(live: object, applied: object, structure: Structure): unknown {
  const keys = [...new Set([...Object.keys(live), ...Object.keys(applied)])];
  if (keys.length === 0) return applied;
  const value = (from: object, key: string): unknown =>
    Object.hasOwn(from, key) ? (from as Record<string, unknown>)[key] : undefined;
  return Object.fromEntries(
    keys.map((key) => [
      key,
      merge(value(live, key), value(applied, key), fieldStructure(structure, key)),
    ]),
  );
}

/** The order of the applied list, and the items of the live list where they stood among them. */
function mergeLists(
  live: readonly unknown[],
  applied: readonly unknown[],
  structure: Structure,
): readonly unknown[] {
  const left = itemsOf(structure, live).items;
  const right = itemsOf(structure, applied).items;
  const merged = (element: string): unknown =>
    merge(left.get(element), right.get(element), structure.items ?? {});
  return orderOf([...left.keys()], [...right.keys()]).map(merged);
}

/**
 * Both orders in one, as the API server finds it: shared elements stand as on the right, others
 * after what they followed.
 */
function orderOf(left: readonly string[], right: readonly string[]): readonly string[] {
  const onLeft = new Set(left);
  const shared = right.filter((element) => onLeft.has(element));
  const onRight = new Set(right);
  const order = new Set<string>();
  let [l, r, next] = [0, 0, 0];
  while (l < left.length || r < right.length) {
    const at = { mine: left[l], theirs: right[r], wanted: shared[next], onRight };
    const { chosen, from } = moveOf(at);
    if (chosen !== undefined) order.add(chosen);
    // an element that is placed already is passed
    if (from !== "right" || isPlaced(at.mine, order)) l += 1;
    if (from !== "right") continue;
    r += 1;
    if (chosen === at.wanted) next += 1;
  }
  return [...order];
}

function isPlaced(element: string | undefined, order: ReadonlySet<string>): boolean {
  return element !== undefined && order.has(element);
}

interface Position {
  readonly mine: string | undefined;
  readonly theirs: string | undefined;
  /** The next element that both lists have. */
  readonly wanted: string | undefined;
  readonly onRight: ReadonlySet<string>;
}

interface Move {
  readonly from: "left" | "right" | "nowhere";
  readonly chosen: string | undefined;
}

/** Which element comes next; "nowhere" passes one on the left that comes with the right. */
function moveOf({ mine, theirs, wanted, onRight }: Position): Move {
  if (mine === undefined || mine === theirs) return { from: "right", chosen: theirs };
  if (!onRight.has(mine)) return { from: "left", chosen: mine };
  const comesLater = theirs === undefined || (wanted !== undefined && wanted !== mine);
  return comesLater ? { from: "nowhere", chosen: undefined } : { from: "right", chosen: theirs };
}
