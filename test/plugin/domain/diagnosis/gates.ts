/** Every list of symptoms, with the scene that it is judged in: what stands against an act in these facts. */
import { admissionList, probeSymptoms } from "../../../../plugin/domain/admission/symptoms";
import { describeSituation } from "../../../../plugin/domain/checks/context";
import { databaseList } from "../../../../plugin/domain/database/symptoms";
import { gate } from "../../../../plugin/domain/diagnosis/diagnose";
import type { Act, Diagnosed } from "../../../../plugin/domain/diagnosis/symptom";
import { ownClusters } from "../../../../plugin/domain/engine-cluster/operator";
import { clusterGates } from "../../../../plugin/domain/engine-cluster/symptoms";
import type { Facts } from "../../../../plugin/domain/facts/facts";
import { operatorGround } from "../../../../plugin/domain/operator/ground";
import { olmList, operatorList } from "../../../../plugin/domain/operator/symptoms";
import { settingSymptoms } from "../../../../plugin/domain/rbac/symptoms";

/** The databases and clusters that are written are those of `known`: an act has read them, or it has ended. */
export function gatesOf(act: Act, facts: Facts, known: Facts = facts): readonly Diagnosed[] {
  const situation = describeSituation(known, {});
  const { databases } = situation;
  return [
    ...gate([...operatorGround, ...operatorList, ...olmList], act, { facts }),
    ...gate([...admissionList, ...Object.values(probeSymptoms)], act, { facts }),
    ...gate(clusterGates, act, { facts, clusters: ownClusters(known) }),
    ...gate(databaseList, act, { facts, databases }),
    ...gate(Object.values(settingSymptoms), act, { ...situation, facts }),
  ];
}
