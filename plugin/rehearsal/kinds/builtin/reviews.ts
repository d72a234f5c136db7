/** Questions to the API server about permissions and users. */
import { anything, openStruct } from "../shapes";
import type { BuiltIn } from "./definition";

/** Answered, never stored. */
export const reviewKinds: readonly BuiltIn[] = reviews();

function reviews(): readonly BuiltIn[] {
  const authorization = { group: "authorization.k8s.io", version: "v1" } as const;
  const review = (kind: string, namespaced = false): BuiltIn => ({
    ...authorization,
    kind,
    plural: `${kind.toLowerCase()}s`,
    namespaced,
    unnamed: true,
    fields: { spec: openStruct(`${kind}Spec`, {}), status: anything },
  });
  return [
    review("SelfSubjectAccessReview"),
    review("SubjectAccessReview"),
    review("LocalSubjectAccessReview", true),
    review("SelfSubjectRulesReview"),
    { ...review("SelfSubjectReview"), group: "authentication.k8s.io" },
  ];
}
