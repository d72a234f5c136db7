/** Every list of symptoms, with the scene that it is judged in: what stands against an act in these facts. */
import { admissionList } from "../../../../plugin/domain/admission/symptoms";
import { gate } from "../../../../plugin/domain/diagnosis/diagnose";
import type { Act, Diagnosed } from "../../../../plugin/domain/diagnosis/symptom";
import type { Facts } from "../../../../plugin/domain/facts/facts";
import { operatorGround } from "../../../../plugin/domain/operator/ground";
import { olmList, operatorList } from "../../../../plugin/domain/operator/symptoms";

export function gatesOf(act: Act, facts: Facts): readonly Diagnosed[] {
  return [
    ...gate([...operatorGround, ...operatorList, ...olmList], act, { facts }),
    ...gate(admissionList, act, { facts }),
  ];
}
