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

/** What is wrong with the operators here and there, and who takes part without being seen. */
export function participantFindings(
  facts: Facts,
  eaadbs: readonly KubeObject[],
  participants: readonly Participant[],
): readonly Finding[] {
  if (eaadbs.length === 0) return [];
  const here: Participant = { name: "here", facts };
  return [
    ...[here, ...participants].flatMap(operatorOld),
    ...eaadbs.flatMap((eaadb) => unseen(facts, eaadb, participants.length)),
  ];
}

/** 8.0.2-2 or later, everywhere (S66); a release that is not told is a warning. */
function operatorOld({ name, facts }: Participant): readonly Finding[] {
  const { version } = operatorRelease(facts);
  const { namespace, names } = facts;
  const object = `Deployment/${namespace}/${names.operator.deployment}`;
  const [has, needs] = [parseReleaseTag(version), parseReleaseTag(oldest)];
  if (has === undefined || needs === undefined) {
    const cause = `${name}: the release of the operator in namespace ${namespace} cannot be told`;
    return [databaseFinding("participantUnseen", { object, cause })];
  }
  if (compareReleaseTags(has, needs) >= 0) return [];
  const cause = `${name}: the operator in namespace ${namespace} is at ${String(version)}, active-active databases need ${oldest} or later`;
  return [databaseFinding("participantOld", { object, cause })];
}

/** All but one take part from elsewhere; a remote cluster resource tells which one is here. */
function unseen(facts: Facts, eaadb: KubeObject, seen: number): readonly Finding[] {
  const { eaadbFields, entryFields, ercFields } = facts.names;
  const all = list(at(eaadb, eaadbFields.participatingClusters))
    .map((entry) => text(own(entry, entryFields.participatingName)))
    .filter((name) => name !== undefined);
  if (seen >= all.length - 1) return [];
  const elsewhere = all.filter(
    (name) => at(factNamed(facts, "ercs", { name }), ercFields.local) !== true,
  );
  const given = seen === 0 ? "none of them is" : `only ${seen} of them are`;
  const cause = `${elsewhere.join(", ")} take part, and ${given} given with --participant: operators and instances there are unseen`;
  return [databaseFinding("participantUnseen", { object: objectLabel(eaadb), cause })];
}
