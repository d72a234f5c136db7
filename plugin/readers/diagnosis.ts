/** A gate whose causes are read only where there is something to explain. */
import { gate } from "../domain/diagnosis/diagnose";
import { type Act, type Diagnosed, rowOf, type Symptom } from "../domain/diagnosis/symptom";
import { type Facts, type FactKey, withRead } from "../domain/facts/facts";
import { readSnapshot, type SnapshotDeps } from "./snapshot";

/**
 * What stands against an act, in two looks: the lists that tell the cause are read once a row was found.
 * Whoever may not read them is told what was found without its cause.
 */
export async function gateInTwoLooks(
  deps: SnapshotDeps,
  { rows, act }: { readonly rows: readonly Symptom[]; readonly act: Act },
  facts: Facts,
): Promise<readonly Diagnosed[]> {
  const found = gate(rows, act, { facts });
  const told = new Set(found.map(rowOf));
  const keys = rows
    .filter(({ code }) => told.has(code))
    .flatMap(({ why = [] }): readonly FactKey[] => why.filter((key) => facts.unread.has(key)));
  if (keys.length === 0) return found;
  const more = await readSnapshot(deps, facts.namespace, keys);
  return gate(rows, act, { facts: withRead(facts, more, keys) });
}
