/**
 * The seams inside the embedded cluster: what the store, the kinds, the access control and the
 * admission of an API server in memory are to each other. Each part knows the others by these.
 */
import type { Structure } from "../adapters/schema/schema";
import type { Clock, KubeObject, Resource } from "../ports/kubernetes";
import type { Json } from "../domain/base/values";
import type { Stored } from "../domain/kube/kinds";

/** The release of Kubernetes whose behavior the contract suite compares with. */
export const imitatedVersion = "v1.34.4";

/**
 * What `--release` is given for the example's: no path of a file looks like this by chance. The
 * oldest published release whose definitions are those that the tool ships (domain facts 7).
 */
export const exampleReleaseName = "example:8.0.18-11";

/** Who sends a request, as the API server knows the sender. */
export interface User {
  readonly name: string;
  readonly groups: readonly string[];
}

/** A kind without its version: objects of all versions are stored as one. */
export interface Plural {
  readonly group: string;
  readonly plural: string;
}

/**
 * The stored objects, for parts that only look. Objects are never changed in place. Those of Kubernetes'
 * own kinds have the types of their kind: what is stored has passed the check against its schema.
 */
export interface StateView {
  get<R extends Plural>(kind: R, name: string, namespace?: string): Stored<R> | undefined;
  list<R extends Plural>(kind: R, namespace?: string): readonly Stored<R>[];
}

/** A write as it is to be stored. */
export interface PreparedWrite {
  readonly object: KubeObject;
  /** For the answer's Warning headers: unknown fields, deprecations. */
  readonly warnings: readonly string[];
}

/** A conversion webhook behind a Service. */
export interface Conversion {
  readonly storedVersion: string;
  readonly service: {
    readonly name: string;
    readonly namespace: string;
    readonly port: number;
    readonly path: string;
  };
}

/** One served version of a kind. */
export interface KindDefinition {
  readonly resource: Resource;
  readonly namespaced: boolean;
  /** A custom resource: takes no strategic merge patch. */
  readonly custom: boolean;
  /** Status is a subresource: a write of the object leaves it as it is. */
  readonly hasStatus: boolean;
  /** metadata.generation counts the changes of everything but metadata and status. */
  readonly counted: boolean;
  readonly structure: Structure;
  /** Where a webhook converts between this version and the stored one. */
  readonly conversion?: Conversion;
  /**
   * Prunes, fills in defaults and validates what is to be stored; `before` is the stored object of
   * an update. Throws ApiError (400, 422) in the API server's own words, with causes.
   */
  prepare(object: KubeObject, before: KubeObject | undefined): PreparedWrite;
  /** Fills in what an API server has filled in when it stored the object; nothing that is there is changed. */
  fillIn?(object: KubeObject): KubeObject;
}

/** What is served at the moment; custom kinds come and go with their definitions. */
export interface Registry {
  /** By kind, as a manifest names it. */
  byKind(apiVersion: string, kind: string): KindDefinition | undefined;
  /** By plural, as a URL names it. */
  byPlural(resource: Pick<Resource, "group" | "version" | "plural">): KindDefinition | undefined;
  /** Every kind of a group and version. */
  served(group: string, version: string): readonly KindDefinition[];
  /** Told of every stored CustomResourceDefinition, and of `undefined` when one is deleted. */
  define(name: string, definition: KubeObject | undefined): void;
  /** One of its own, for a cluster that is forked. */
  fork(): Registry;
}

/** A write or deletion on its way into the store. */
export interface Attempt {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly definition: KindDefinition;
  readonly name: string;
  readonly namespace: string | undefined;
  /** As it would be stored; undefined for a deletion. */
  readonly object: KubeObject | undefined;
  readonly before: KubeObject | undefined;
  readonly user: User;
  readonly dryRun: boolean;
  /** CreateOptions, UpdateOptions, PatchOptions or DeleteOptions as the API server passes them on. */
  readonly options: Json;
  readonly signal?: AbortSignal | undefined;
}

/** What a request wants to do, as an access review asks it. */
export interface Attributes {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Who may do what. */
export interface AccessControl {
  allows(user: User, attributes: Attributes, state: StateView): boolean;
  /** What a refusal adds to its words: `RBAC: role … not found`; "" for nothing. */
  reason?(user: User, attributes: Attributes, state: StateView): string;
  /** Throws ApiError 403 where a role or binding would give more than the writer has. */
  refuseEscalation(attempt: Attempt, state: StateView): void;
}

/** Everything that may stand against a write after its validation. */
export interface Admission {
  /** Warnings for the answer; throws ApiError in the API server's own words. */
  admit(attempt: Attempt, state: StateView): Promise<readonly string[]>;
}

/** What an embedded cluster is made of. */
export interface ControlPlaneParts {
  /** The release that it says it is; absent: the one whose behavior it was compared with. */
  readonly version?: string;
  readonly clock: Clock;
  readonly registry: Registry;
  readonly access: AccessControl;
  readonly admission: Admission;
}
