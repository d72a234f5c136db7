/** What a rehearsal cannot know or copy; printed with its report, and checked by the contract. */

/** One limit; `id` is named by the contract's cases that it excuses. */
export interface Limit {
  readonly id: string;
  /** One line for people. */
  readonly cannot: string;
}

/** Every difference from a real cluster that is known. */
export const limits: readonly Limit[] = [
  {
    id: "controllers",
    cannot:
      "no controller runs but those of the operator and its clusters, which are played: nothing else rolls out, restarts, is collected as garbage or aggregated, and a deleted namespace keeps its objects",
  },
  {
    id: "pods",
    cannot:
      "no pod runs: the operator's part of an upgrade is played as it is documented, in times of its own; the code of the operator, the engine and of other workloads is not there",
  },
  {
    id: "rest-api",
    cannot:
      "the REST API of a cluster is played from the objects, with credentials of its own: the real one's databases, modules and license may differ",
  },
  {
    id: "other-webhooks",
    cannot: "webhooks of others are not called: what their code would refuse or warn of is unknown",
  },
  {
    id: "mutating-webhooks",
    cannot: "mutating webhooks are not called: what they would change in an object is unknown",
  },
  {
    id: "expressions",
    cannot:
      "expressions are not judged: admission policies, matchConditions of webhooks and validation rules in schemas",
  },
  {
    id: "schemas",
    cannot:
      "of the formats in schemas date-time and base64 alone are checked, and a null in the place of an object is taken as absent",
  },
  {
    id: "conversion",
    cannot:
      "custom kinds in several versions differ by their apiVersion alone: conversion webhooks are not called",
  },
  {
    id: "subresources",
    cannot: "writes of subresources, such as a status, are not shown to webhooks",
  },
  {
    id: "strategic-patches",
    cannot: "strategic merge patches know the list keys of server-side apply, and no $retainKeys",
  },
  { id: "quota", cannot: "resource quotas and limit ranges refuse nothing" },
  {
    id: "openshift-admission",
    cannot:
      "OpenShift's own admission, such as that of pods by security context constraints, is not there",
  },
  {
    id: "built-in-validation",
    cannot: "built-in kinds are validated only where the commands of this tool write them",
  },
  {
    id: "network",
    cannot: "network policies, proxies and firewalls between API server and webhook are unknown",
  },
  { id: "load", cannot: "load, latency, API priority and too many requests (429) are not copied" },
  {
    id: "high-availability",
    cannot: "one API server answers: the moments in which several replicas disagree are not shown",
  },
  {
    id: "authentication",
    cannot:
      "nobody logs in: OIDC, exec credential plugins and client certificates are not tried, the user is taken as named",
  },
  {
    id: "authorization",
    cannot: "permissions are those of RBAC: other authorizers of the real cluster are not asked",
  },
  {
    id: "secrets",
    cannot:
      "secret values are not copied: a stand-in certificate with the same names and dates takes the place of the real one",
  },
  {
    id: "system-trust",
    cannot: "the certificate authorities that the real API server's machine trusts are unknown",
  },
  {
    id: "storage",
    cannot: "history ends with the rehearsal, and the limits of etcd's storage are not copied",
  },
];
