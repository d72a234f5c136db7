/** Whom the entries that are to be in force leave out: told with the plan, and at the end of the run. */
import { entriesInForce, findEntry, readServiceName } from "../../domain/admission/configuration";
import { admissionSymptoms } from "../../domain/admission/symptoms";
import { describeUnguarded, listUnguarded, mayLeaveOut } from "../../domain/admission/unguarded";
import type { Finding } from "../../domain/base/findings";
import { describeSituation } from "../../domain/checks/context";
import { diagnoseRow, reportUnseen } from "../../domain/diagnosis/diagnose";
import { withObjects } from "../../domain/facts/facts";
import { readSnapshot } from "../../readers/snapshot";
import type { SwapPlan } from "./plan";
import type { SwapDeps, SwapOptions } from "./read";

/** Whom, as findings and in a few words; "" for none. */
export interface LeftOut {
  readonly findings: readonly Finding[];
  readonly says: string;
}

/** The lists that this is seen by: they are read where an entry may leave out anything. */
export const leftOutKeys = admissionSymptoms.unguarded.may;

/** Reads who is left out by the entries as planned. */
export async function readLeftOut(
  deps: SwapDeps,
  { namespace }: Pick<SwapOptions, "namespace">,
  { wanted }: Pick<SwapPlan, "wanted">,
): Promise<LeftOut> {
  const { names } = deps;
  const name = String(readServiceName(findEntry(wanted, names.webhook.entry)));
  const entries = entriesInForce(wanted, { namespace, name }, names);
  if (!entries.some(({ entry }) => mayLeaveOut(entry))) return { findings: [], says: "" };
  const read = await readSnapshot(deps, namespace, leftOutKeys);
  const scene = describeSituation(withObjects(read, { webhookConfigurations: [wanted] }), {});
  const { findings, unseen } = diagnoseRow(admissionSymptoms.unguarded, scene);
  const hidden = unseen.map(({ because }) => `whom it leaves out was not seen: ${because}`);
  return {
    findings: [...findings, ...unseen.map(reportUnseen)],
    says: [...describeUnguarded(listUnguarded(entries, scene)), ...hidden].join("; "),
  };
}
