/** A change of a cluster on which everything is in order, and what is found then. */
import type { World } from "./world";

export interface Row {
  readonly code: string;
  readonly what: string;
  readonly change: (world: World) => unknown;
  /** Objects that are named; empty: nothing is found. */
  readonly on: readonly string[];
  /** Other checks whose own fact the change brings about as well. */
  readonly also?: readonly string[];
  readonly openshift?: true;
}

type Rest = Pick<Row, "also" | "openshift">;

/** A row in which the check fires. */
export const fires = (
  code: string,
  what: string,
  change: Row["change"],
): ((on: readonly string[] | string, rest?: Rest) => Row) => {
  return (on, rest = {}) => ({ code, what, change, on: [on].flat(), ...rest });
};

type Near = readonly [code: string, what: string, change: Row["change"], rest?: Rest];

/** A row in which it is near, and does not. */
export const quiet = (...[code, what, change, rest = {}]: Near): Row => ({
  code,
  what,
  change,
  on: [],
  ...rest,
});
