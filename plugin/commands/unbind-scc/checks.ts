/** The checks of the old security context constraint (S31-S33; domain facts 5). */
import { type Check, makeChecks } from "../../domain/checks/check";
import { sccList } from "../../domain/scc/symptoms";

/** One for each row. */
export const sccChecks: readonly Check[] = sccList.map((row) => makeChecks("scc").ofSymptom(row));
