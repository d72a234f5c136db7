/** What the operator says of an EC in events, and that it does not run. */
import { asString } from "../base/values";
import { factNamed, type Facts, isKnown } from "../facts/facts";
import type { Finding } from "../base/findings";
import { type KubeObject, objectLabel, readName } from "../kube/objects";
import { clusterFinding } from "./findings";
import { explainLease } from "./lease";
import { judgeDeployment } from "../rollout/deployment";
import { readTimes } from "../rollout/pod-words";
import { explainWatched } from "./watched";

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
  readonly fix?: string;
} {
  const { names, namespace } = facts;
  const { deployment: name } = names.operator;
  if (!isKnown(facts, "deployments")) return { words: [] };
  if (factNamed(facts, "deployments", { name, namespace }) === undefined) {
    return {
      words: [
        `there is no Deployment ${name} in namespace ${namespace}, so no operator acts here unless one elsewhere does`,
      ],
      fix: `find the operator with kubectl get deployments -A, or install it in namespace ${namespace}`,
    };
  }
  const verdict = judgeDeployment(facts, name);
  if (verdict.is === "done") return explainIdleOperator(facts) ?? { words: [] };
  if (verdict.is !== "stalled") return { words: [] };
  return { words: [`the operator itself does not run: ${verdict.because}`], fix: verdict.fix };
}

/** That the operator runs and does not act here: it looks elsewhere, or another pod leads. */
export function explainIdleOperator(
  facts: Facts,
): { readonly words: readonly string[]; readonly fix: string } | undefined {
  return explainWatched(facts) ?? explainLease(facts);
}

/** The same as a finding, where the Deployment itself is in order. */
export function findIdleOperator(facts: Facts): readonly Finding[] {
  const { names, namespace } = facts;
  const { deployment: name } = names.operator;
  const deployment = factNamed(facts, "deployments", { name, namespace });
  if (deployment === undefined || judgeDeployment(facts, name).is !== "done") return [];
  const found = explainIdleOperator(facts);
  if (found === undefined) return [];
  const { words, fix } = found;
  const about = { object: objectLabel(deployment), cause: words.join("; "), fix };
  return [clusterFinding("operatorIdle", about)];
}
