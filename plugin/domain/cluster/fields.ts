/** The fields of an EC that its upgrade writes, in their spellings (S48-S51; domain facts 13). */
import type { Names } from "../names";
import type { KubeObject } from "../objects";
import { servedPaths } from "../served-fields";
import { at } from "../values";

type Path = readonly string[];

/** Both spellings of the automatic upgrade, that of the definitions first (domain facts 13). */
export function autoPaths({ ecFields }: Names): readonly Path[] {
  return [ecFields.autoUpgrade, ecFields.autoUpgradeDirect];
}

/** True when the EC asks for automatic upgrades under either spelling (S13, S51). */
export function autoOf(ec: KubeObject, names: Names): boolean {
  return autoPaths(names).some((path) => at(ec, path) === true);
}

/** Where the definition has the field, undefined for nowhere; unread, as definitions are known to have it. */
export function autoPathIn(
  definition: KubeObject | undefined,
  version: string,
  names: Names,
): Path | undefined {
  const paths = autoPaths(names);
  return (servedPaths(definition, version, paths) ?? paths)[0];
}
