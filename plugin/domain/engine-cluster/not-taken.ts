/** A tag that the operator has not taken up: whether it runs at all is told first (domain facts 11). */
import { isOlder } from "../base/versions";
import type { Facts } from "../facts/facts";
import type { StatefulSet } from "../kube/models";
import { type KubeObject, objectLabel } from "../kube/objects";
import { locate, type Timed } from "../rollout/progress";
import { latest, writeTimes } from "../rollout/times";
import { clusterFinding } from "./findings";
import { operatorRelease } from "./operator";
import { explainOperator, operatorRemedies, readOperatorWords } from "./operator-words";

interface Taking {
  readonly ec: KubeObject;
  readonly set: StatefulSet | undefined;
  readonly state: string;
  /** The StatefulSet's template has what is wanted. */
  readonly taken: boolean;
  /** The wanted tag for people. */
  readonly shown: string;
}

/** The operator has not acted on the spec: whether it runs at all is told first. */
export function notTaken(facts: Facts, { ec, taken, state, shown, set }: Taking): readonly Timed[] {
  if (taken) return [];
  const operator = explainOperator(facts);
  const what =
    set === undefined ? "it has no StatefulSet" : `its StatefulSet does not ask for ${shown} yet`;
  const about = {
    object: objectLabel(ec),
    cause: [
      `${what}, and its state is ${renderState(state)}`,
      ...operator.words,
      ...readOperatorWords(facts, ec),
      ...(set !== undefined && keepsFirstTag(facts, state)
        ? [
            `an operator before ${firstCorrectable} does not take another tag while its upgrade is under way`,
          ]
        : []),
    ].join("; "),
    remedies: operatorRemedies(facts, "check whether the operator runs and what it says"),
  };
  const since = latest(writeTimes(ec, { status: false }));
  return locate([clusterFinding("notTakenUp", about, facts.names)], { since });
}

const firstCorrectable = "8.0.6-8";

function keepsFirstTag(facts: Facts, state: string): boolean {
  return state === "Upgrade" && isOlder(operatorRelease(facts).version, firstCorrectable);
}

export function renderState(state: string): string {
  return state === "" ? "not told" : state;
}
