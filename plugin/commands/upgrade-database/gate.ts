/** Whether an upgrade writes databases at all: none without a version for them (S61). */
import { describeUnwritten } from "../../domain/database/channel";
import type { Facts } from "../../domain/facts/facts";

/** Why an upgrade leaves the databases out, and what becomes of their versions. */
export function skipDatabases({
  facts,
  flags: { engineVersion },
}: {
  readonly facts: Facts;
  readonly flags: { readonly engineVersion?: string | undefined };
}): string | undefined {
  if (engineVersion !== undefined) return undefined;
  return `no --engine-version was given, ${describeUnwritten(facts)}`;
}
