/** What clusters, databases and the operator name, as `check` tells it. */
import { isKnown } from "../facts/facts";
import { referenceSymptom } from "../references/judge";
import type { NamingObject } from "../references/read";
import { makeChecks } from "./check";
import type { CheckContext } from "./context";

const listOwners = ({ clusters, deployment }: CheckContext): readonly NamingObject[] => [
  ...clusters.map((object) => ({ by: "ec" as const, object })),
  ...(deployment === undefined ? [] : [{ by: "operator" as const, object: deployment }]),
];

const listDatabases = ({ databases }: CheckContext): readonly NamingObject[] =>
  databases.map(({ kind: by, object }) => ({ by, object }));

const ofOwners = referenceSymptom(listOwners);
const ofDatabases = referenceSymptom(listDatabases);
const ofAll = referenceSymptom((situation: CheckContext) => [
  ...listOwners(situation),
  ...listDatabases(situation),
]);

const needs = ["ecs", "edbs", "eaadbs", "namespaces", "deployments", "configMaps"] as const;

/** The check of what objects name. */
export const referenceCheck = makeChecks("databases").ofSymptom(ofAll, {
  needs,
  // what is not seen may name anything
  concerns: (situation) =>
    needs.some((key) => !isKnown(situation.facts, key)) || ofAll.concerns(situation),
  may: ["referredSecrets", "serviceAccounts"],
  judge: (situation) => [
    ...ofOwners.judge(situation),
    // one database that lacks something does not keep the others from being upgraded
    ...ofDatabases.judge(situation).map((found) => ({ ...found, severity: "warning" as const })),
  ],
});
