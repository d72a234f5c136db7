/** An active-active database that asks for two versions (S61, C8). */
import { getPath, renderValue } from "../base/values";
import type { Finding } from "../base/findings";
import { versionPaths } from "../engine-cluster/fields";
import type { Facts } from "../facts/facts";
import { objectLabel } from "../kube/objects";
import { fieldText } from "../rules/fields";
import { databaseFinding } from "./findings";
import type { DatabaseTarget } from "./target";

/** Two places that ask for different versions: which one counts is not published. */
export function judgeVersions(
  facts: Facts,
  target: Pick<DatabaseTarget, "kind" | "object">,
): readonly Finding[] {
  const places = versionPaths(facts, target).map((path) => ({
    field: fieldText(path),
    value: getPath(target.object, path),
  }));
  if (places.every(({ value }) => value === places[0]?.value)) return [];
  const each = places.map(({ field, value }) => `${field} is ${renderValue(value)}`).join(", ");
  return [
    databaseFinding("twoVersions", {
      object: objectLabel(target.object),
      field: places.map(({ field }) => field).join(", "),
      cause: `it asks for different versions: ${each}`,
    }),
  ];
}
