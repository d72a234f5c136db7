/** The few requests about the own certificate; a refusal names the right that is missing. */
import type { Names } from "../plugin/domain/names";
import { isObject, type Json, own, text } from "../plugin/domain/values";
import type { ApiAnswer, ApiSender } from "./clusters-connection";

/** One object by its address, and how patches of it are merged. */
export interface Place {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
  readonly patch: "merge-patch" | "strategic-merge-patch";
}

/** The three objects that are read and written. */
export function placesOf(names: Names, namespace: string) {
  const { webhook, companion } = names;
  return {
    secret: {
      group: "",
      version: "v1",
      resource: "secrets",
      namespace,
      name: webhook.secret,
      patch: "merge-patch",
    },
    lease: {
      group: "coordination.k8s.io",
      version: "v1",
      resource: "leases",
      namespace,
      name: `${companion.deployment}-certificate`,
      patch: "merge-patch",
    },
    configuration: {
      group: "admissionregistration.k8s.io",
      version: "v1",
      resource: "validatingwebhookconfigurations",
      name: webhook.configuration,
      // its entries are merged by their names, and only the patched field changes hands
      patch: "strategic-merge-patch",
    },
  } as const satisfies Readonly<Record<string, Place>>;
}

/** A verb of RBAC. */
export type Verb = "get" | "create" | "patch";

/** The API server's answer was not a success. Its text stays out: it may quote what was sent. */
export class RequestRefused extends Error {
  constructor(
    readonly status: number,
    private readonly verb: Verb,
    private readonly place: Place,
  ) {
    super(`the API server answered ${status} to ${verb} ${place.resource}/${place.name}`);
  }

  /** The rule that a role lacks; undefined when something else is wrong. */
  missingRule(): object | undefined {
    const { group, resource, name, namespace } = this.place;
    return this.status === 403
      ? {
          apiGroups: [group],
          resources: [resource],
          // RBAC knows no name yet when an object is created
          ...(this.verb !== "create" && { resourceNames: [name] }),
          verbs: [this.verb],
          ...(namespace !== undefined && { namespace }),
        }
      : undefined;
  }
}

/** Somebody else wrote first: read again. */
export class Overtaken extends Error {}

export class OwnCertRequests {
  constructor(
    private readonly sender: ApiSender,
    private readonly manager: string,
  ) {}

  /** The object; undefined when it does not exist. */
  async read(place: Place, signal: AbortSignal): Promise<Json | undefined> {
    const answer = await this.sender.send({ method: "GET", path: pathOf(place) }, signal);
    return answer.status === 404 ? undefined : accepted(answer, "get", place);
  }

  async create(place: Place, object: object, signal: AbortSignal): Promise<Json> {
    const path = `${collectionOf(place)}?${this.query()}`;
    const answer = await this.sender.send({ method: "POST", path, body: object }, signal);
    if (answer.status === 409) throw new Overtaken(`${place.resource}/${place.name} exists`);
    return accepted(answer, "create", place);
  }

  /** A patch that is bound to the resourceVersion in it. */
  async patch(place: Place, patch: BoundPatch, signal: AbortSignal): Promise<Json> {
    const path = `${pathOf(place)}?${this.query()}`;
    const contentType = `application/${place.patch}+json`;
    const answer = await this.sender.send(
      { method: "PATCH", path, body: patch, contentType },
      signal,
    );
    if (answer.status === 409 || answer.status === 404) {
      throw new Overtaken(`${place.resource}/${place.name} was changed meanwhile`);
    }
    return accepted(answer, "patch", place);
  }

  private query(): string {
    return new URLSearchParams({ fieldManager: this.manager }).toString();
  }
}

export interface BoundPatch {
  readonly metadata: { readonly resourceVersion: string };
  readonly [key: string]: unknown;
}

/** The version of an object that a patch binds itself to. */
export function versionOf(object: Json): string {
  return text(own(own(object, "metadata"), "resourceVersion")) ?? "";
}

function accepted({ status, body }: ApiAnswer, verb: Verb, place: Place): Json {
  if (status >= 300 || !isObject(body)) throw new RequestRefused(status, verb, place);
  return body;
}

function collectionOf({ group, version, resource, namespace }: Place): string {
  const scope = namespace === undefined ? "" : `/namespaces/${namespace}`;
  return `${group === "" ? "/api" : `/apis/${group}`}/${version}${scope}/${resource}`;
}

function pathOf(place: Place): string {
  return `${collectionOf(place)}/${place.name}`;
}
