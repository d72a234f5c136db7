/** What the operator says of an EC in events, and that it does not run. */
import { asString, pick } from "../base/values";
import { factNamed, type Facts, isKnown } from "../facts/facts";
import { kubectl, type Remedy } from "../base/remedy";
import { operatorLogWords } from "../operator/lease";
import { type KubeObject, readName } from "../kube/objects";
import { explainIdleOperator, operatorProgress } from "../operator/symptoms";
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
  const { names, namespace } = facts;
  const { deployment: name } = names.operator;
  if (!isKnown(facts, "deployments")) return { words: [] };
  if (factNamed(facts, "deployments", { name, namespace }) === undefined) {
    return {
      words: [
        `there is no Deployment ${name} in namespace ${namespace}, so no operator acts here unless one elsewhere does`,
      ],
      remedies: [
        kubectl("find the operator", "get", "deployments", "-A"),
        { says: `install it in namespace ${namespace}` },
      ],
    };
  }
  const verdict = operatorProgress(facts);
  if (verdict.is === "done") return explainIdleOperator(facts) ?? { words: [] };
  if (verdict.is !== "stalled") return { words: [] };
  const words = [`the operator itself does not run: ${verdict.cause}`];
  return { words, ...pick(verdict, "remedies") };
}

/** What brings the operator back, else where it tells what it does. */
export function operatorRemedies(facts: Facts, says: string): readonly Remedy[] {
  const { remedies } = explainOperator(facts);
  return remedies ?? [kubectl(says, ...operatorLogWords(facts))];
}
