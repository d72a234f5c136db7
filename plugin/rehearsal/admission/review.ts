/** The AdmissionReview that a webhook is sent. */
import type { Json } from "../../domain/values";
import type { KubeObject, Resource } from "../../run/ports";
import type { Attempt } from "../model";
import { type Invocation, isNamespace } from "./matching";

/** Versions of AdmissionReview that the API server speaks. */
export type ReviewVersion = "v1" | "v1beta1";

/** The first version of the entry's list that the API server speaks. */
export function reviewVersionOf(accepted: readonly string[]): ReviewVersion | undefined {
  return accepted.find((version): version is ReviewVersion => /^v1(beta1)?$/.test(version));
}

/** How the review is marked. */
export interface Mark {
  readonly uid: string;
  readonly version: ReviewVersion;
}

/** The review of a write, as the API server words it. */
export function reviewFor(attempt: Attempt, { resource }: Invocation, mark: Mark): Json {
  const { definition, name, namespace, user } = attempt;
  const place = isNamespace(attempt) ? name : namespace;
  return {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${mark.version}`,
    request: {
      uid: mark.uid,
      kind: kindOf(resource),
      resource: resourceOf(resource),
      requestKind: kindOf(definition.resource),
      requestResource: resourceOf(definition.resource),
      ...(name !== "" && { name }),
      ...(place !== undefined && { namespace: place }),
      operation: attempt.operation,
      userInfo: { username: user.name, ...(user.groups.length > 0 && { groups: user.groups }) },
      object: inVersion(attempt.object, resource),
      oldObject: inVersion(attempt.before, resource),
      dryRun: attempt.dryRun,
      options: { ...attempt.options, apiVersion: "meta.k8s.io/v1" },
    },
  };
}

function kindOf({ group, version, kind }: Resource): Json {
  return { group, version, kind };
}

function resourceOf({ group, version, plural }: Resource): Json {
  return { group, version, resource: plural };
}

/** Versions differ in their name alone: conversion by a webhook is no part of the rehearsal. */
function inVersion(object: KubeObject | undefined, resource: Resource): KubeObject | null {
  if (object === undefined) return null;
  const { group, version } = resource;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return { ...object, apiVersion, kind: resource.kind };
}
