/** What the operator says of an EC in events, and that it does not run. */
import { asString } from "../base/values";
import { diagnose } from "../diagnosis/diagnose";
import type { Facts } from "../facts/facts";
import { kubectl, type Remedy } from "../base/remedy";
import { operatorLogWords } from "../operator/lease";
import { type KubeObject, readName } from "../kube/objects";
import { operatorList, operatorSymptoms } from "../operator/symptoms";
import { readTimes } from "../rollout/pod-words";

/** What the operator has warned of last, in an event of the EC: rights that it lacks, for example. */
export function readOperatorWords({ objects }: Facts, ec: KubeObject): readonly string[] {
  const said = objects.events
    .filter(({ type }) => type === "Warning")
    .filter(
      ({ involvedObject }) =>
        involvedObject?.kind === ec.kind && involvedObject.name === readName(ec),
    )
    .toSorted((one, other) => Date.parse(readTimes(one).last) - Date.parse(readTimes(other).last))
    .at(-1);
  const message = asString(said?.message);
  return message === undefined ? [] : [`the operator says: ${message.trim()}`];
}

/** That the operator does not run or act, and what brings it back; no words where nothing shows it. */
export function explainOperator(facts: Facts): {
  readonly words: readonly string[];
  readonly remedies?: readonly Remedy[];
} {
  const [found] = diagnose(operatorList, { facts }).findings.filter(({ passes }) => !passes);
  if (found === undefined) return { words: [] };
  const { cause, fix, remedies = [{ says: fix }], row } = found;
  const isDown = row === operatorSymptoms.notReady.code;
  return { words: [isDown ? `the operator itself does not run: ${cause}` : cause], remedies };
}

/** What brings the operator back, else where it tells what it does. */
export function operatorRemedies(facts: Facts, says: string): readonly Remedy[] {
  const { remedies } = explainOperator(facts);
  return remedies ?? [kubectl(says, ...operatorLogWords(facts))];
}
