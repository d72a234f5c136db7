/** What a connection hands to the control plane: who wants what of which object. */
import type { KubeObject } from "../../domain/objects";
import type { Json } from "../../domain/values";
import type { WriteOptions } from "../../run/ports";
import type { Attributes, ControlPlaneParts, KindDefinition, User } from "../model";
import { forbidden, pluralOf } from "./answers";
import type { Key, Store } from "./store";

/** The parts and the objects that requests work on. */
export interface Plane {
  readonly parts: ControlPlaneParts;
  readonly store: Store;
}

/** One write of one object. */
export interface WriteRequest {
  readonly definition: KindDefinition;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly user: User;
  /** The field manager that the write is booked under. */
  readonly manager: string;
  /** As the request's query gave it; what the webhooks are told. */
  readonly fieldManager: string | undefined;
  readonly options: WriteOptions;
  /** The part that is written; absent: all of the object but this part. */
  readonly subresource?: "status";
}

/** Where the object of a request is stored. */
export function keyOf({ definition, name, namespace }: Omit<WriteRequest, "user">): Key {
  return { kind: pluralOf(definition), name, namespace };
}

/** The options of a request as admission webhooks see them. */
export function optionsOf(
  kind: "CreateOptions" | "UpdateOptions" | "DeleteOptions",
  { fieldManager, options }: WriteRequest,
): Json {
  const validated = kind !== "DeleteOptions";
  return {
    kind,
    apiVersion: "meta.k8s.io/v1",
    ...(options.dryRun === true && { dryRun: ["All"] }),
    ...(validated && fieldManager !== undefined && { fieldManager }),
    ...(validated && { fieldValidation: "Warn" }),
  };
}

/** Now, as the API server writes it: whole seconds. */
export function timestamp({ clock }: ControlPlaneParts): string {
  return `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
}

/** An object in the version that a request asked for. */
export function inVersion(object: KubeObject, { resource }: KindDefinition): KubeObject {
  const { group, version } = resource;
  const apiVersion = group === "" ? version : `${group}/${version}`;
  return object.apiVersion === apiVersion ? object : { ...object, apiVersion };
}

/** Lets a user pass who may do this; throws 403 otherwise. */
export function requireAccess({ parts, store }: Plane, user: User, attributes: Attributes): void {
  const { access } = parts;
  if (access.allows(user, attributes, store)) return;
  throw forbidden(user, attributes, access.reason?.(user, attributes, store));
}
