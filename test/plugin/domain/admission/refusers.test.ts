import { renderFix } from "../../../../plugin/domain/base/remedy";
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
  if (refuser !== undefined) expect(renderFix([adviceFor(refuser)])).toContain(refuser.name);
});

test.each<[string, ProbeAnswer, string]>([
  [
    "with its binding",
    policy("Validating"),
    "kubectl get validatingadmissionpolicy/freeze validatingadmissionpolicybinding/b -o yaml",
  ],
  [
    "that changes objects, with its binding",
    policy("Mutating"),
    "kubectl get mutatingadmissionpolicy/freeze mutatingadmissionpolicybinding/b -o yaml",
  ],
  [
    "alone, where the answer names no binding",
    other("edb \"a\" is forbidden: ValidatingAdmissionPolicy 'freeze' denied request: no"),
    "kubectl get validatingadmissionpolicy/freeze -o yaml",
  ],
])("of a policy its keeper decides, who finds it %s", (_title, answer, line) => {
  const refuser = findRefuser(answer, ours);
  if (refuser === undefined) throw new Error("the answer is a policy's");
  expect(renderFix([adviceFor(refuser)])).toBe(
    `whoever keeps the policy decides whether it lets this through; see ${line}`,
  );
});
