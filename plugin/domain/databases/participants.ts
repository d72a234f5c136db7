/** The clusters that take part in active-active databases, and the operators on them (S65, S66). */
import { operatorRelease } from "../cluster/operator";
import { type Facts, factNamed } from "../facts";
import type { Finding } from "../findings";
import { type KubeObject, objectLabel } from "../objects";
import type { Participant } from "../rollout/edb";
import { at, list, own, text } from "../values";
import { compareReleaseTags, parseReleaseTag } from "../versions";
import { databaseFinding } from "./codes";

const oldest = "8.0.2-2";

/** An active-active database that is upgraded. */
export interface ActiveActive {
  readonly object: KubeObject;
  /** Its spec is written by this run: what is not seen blocks it. */
  readonly changes: boolean;
}

/** Operators here and on the other clusters that are too old (S66), and those that are not seen. */
export function participantFindings(
  facts: Facts,
  eaadbs: readonly ActiveActive[],
  participants: readonly Participant[],
): readonly Finding[] {
  if (eaadbs.length === 0) return [];
  const changes = eaadbs.some((one) => one.changes);
  return [
    ...operatorFindings({ facts, changes }),
    ...participants.flatMap(({ name, facts }) => operatorFindings({ facts, changes, name })),
    ...eaadbs.flatMap((one) => unseen(facts, one, participants.length)),
  ];
}

interface Operator {
  readonly facts: Facts;
  readonly changes: boolean;
  /** The other cluster, as it was given; absent: the one here. */
  readonly name?: string;
}

/** 8.0.2-2 or later. */
function operatorFindings({ facts, changes, name }: Operator): readonly Finding[] {
  const { version } = operatorRelease(facts);
  const { namespace, names } = facts;
  const object = name ?? `Deployment/${namespace}/${names.operator.deployment}`;
  const where = name ?? "here";
  const [has, needs] = [parseReleaseTag(version), parseReleaseTag(oldest)];
  if (has === undefined || needs === undefined) {
    const cause = `${where}: the release of the operator in namespace ${namespace} cannot be told`;
    return [unseenFinding(object, cause, changes)];
  }
  if (compareReleaseTags(has, needs) >= 0) return [];
  const cause = `${where}: the operator in namespace ${namespace} is at ${String(version)}, active-active databases need ${oldest} or later`;
  return [databaseFinding("participantOld", { object, cause })];
}

/** It blocks a write alone: a database that asks for the version already is only followed. */
function unseenFinding(object: string, cause: string, changes: boolean): Finding {
  const finding = databaseFinding("participantUnseen", { object, cause });
  return changes ? finding : { ...finding, severity: "warning" };
}

/** All but one take part from elsewhere; a remote cluster resource tells which one is here. */
function unseen(facts: Facts, { object, changes }: ActiveActive, seen: number): readonly Finding[] {
  const { eaadbFields, entryFields, ercFields } = facts.names;
  const all = list(at(object, eaadbFields.participatingClusters))
    .map((entry) => text(own(entry, entryFields.participatingName)))
    .filter((name) => name !== undefined);
  if (seen >= all.length - 1) return [];
  const elsewhere = all.filter(
    (name) => at(factNamed(facts, "ercs", { name }), ercFields.local) !== true,
  );
  const given = seen === 0 ? "none of them is" : `only ${seen} of them are`;
  const cause = `${elsewhere.join(", ")} take part, and ${given} given with --participant: operators and instances there are unseen`;
  return [unseenFinding(objectLabel(object), cause, changes)];
}
