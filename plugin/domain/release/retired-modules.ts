/** Modules that have come to the end of their life: data, to be edited. */
import type { Names } from "../names/names";

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

/** One row for each module. */
export const retiredModules: readonly RetiredModule[] = [
  {
    names: ({ graphModule }) => graphModule,
    from: "7.8.2-6",
    because:
      "nodes run on an OS base for which it does not exist, and a cluster that has it does not move there, even if no database uses it",
    source:
      "release notes of cluster 7.4.6-102, known limitations; of operator 7.8.2-6, breaking changes",
  },
];

/** The row of a module, by any of its names in any letters. */
export function findRetired(module: string, names: Names): RetiredModule | undefined {
  const wanted = module.toLowerCase();
  return retiredModules.find((row) =>
    row.names(names).some((name) => name.toLowerCase() === wanted),
  );
}
