import type { ProbeAnswer } from "../../../../plugin/domain/admission/answers";
import {
  adviceFor,
  nameOfRefuser,
  findRefuser,
} from "../../../../plugin/domain/admission/refusers";

const ours = ["redisenterprise.admission.engine"];
const other = (detail: string): ProbeAnswer => ({ is: "other", detail });
const policy = (form: string) =>
  other(
    `edb "a" is forbidden: ${form}AdmissionPolicy 'freeze' with binding 'b' denied request: no`,
  );

test.each<[string, ProbeAnswer, string | undefined]>([
  ["nobody where it is accepted", { is: "accepted" }, undefined],
  ["nobody else where ours refuses", { is: "refused", by: ours[0] ?? "", detail: "no" }, undefined],
  ["a webhook that refuses", { is: "refused", by: "a.b.c", detail: "no" }, "webhook a.b.c"],
  ["a webhook that fails", { is: "failed", by: "a.b.c", detail: "EOF" }, "webhook a.b.c"],
  ["nobody where the call had no answer", { is: "failed", by: "", detail: "late" }, undefined],
  ["a validating policy", policy("Validating"), "ValidatingAdmissionPolicy freeze"],
  ["a mutating policy", policy("Mutating"), "MutatingAdmissionPolicy freeze"],
  [
    "a webhook that takes no dry runs",
    other('admission webhook "a.b.c" does not support dry run'),
    "webhook a.b.c",
  ],
  ["nobody where the schema refuses", other('edb "a" is invalid: spec.x'), undefined],
])("who else gave the answer: %s", (_title, answer, expected) => {
  const refuser = findRefuser(answer, ours);
  expect(refuser && nameOfRefuser(refuser)).toBe(expected);
  if (refuser !== undefined) expect(adviceFor(refuser)).toContain(refuser.name);
});
