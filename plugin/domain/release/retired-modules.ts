/** Modules that have come to the end of their life. */
import type { Names } from "../names/names";
import { tables } from "./tables";

/** A module that a later release cannot have. */
export interface RetiredModule {
  /** The module's names: databases and clusters list it under any of them. */
  readonly names: (names: Names) => readonly string[];
  /** The first release of the operator whose clusters cannot have it. */
  readonly from: string;
  /** Why, after "from RELEASE on". */
  readonly because: string;
  /** Where that is published. */
  readonly source: string;
}

/** One for each row of the table. */
export const retiredModules: readonly RetiredModule[] = tables.retiredModules.map(
  ({ names: entry, ...told }) => ({ ...told, names: (names) => names[entry] }),
);

/** The row of a module, by any of its names in any letters. */
export function findRetired(module: string, names: Names): RetiredModule | undefined {
  const wanted = module.toLowerCase();
  return retiredModules.find((row) =>
    row.names(names).some((name) => name.toLowerCase() === wanted),
  );
}
