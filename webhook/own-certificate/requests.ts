/** The few requests about the own certificate; a refusal names the right that is missing. */
import type { Lease } from "../../plugin/domain/kube/models";
import type { Names } from "../../plugin/domain/names/names";
import { getPath, isObject, type Json, asString } from "../../plugin/domain/base/values";
import type { ApiAnswer, ApiSender } from "../clusters/clusters";
import {
  type Certificate,
  joinPems,
  registrationFacts,
  type RegistrationFacts,
  type Self,
  readVersion,
} from "./step";

/** One object by its address, and how patches of it are merged. */
interface ObjectAddress {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly name: string;
  readonly patch: "merge-patch" | "strategic-merge-patch";
}

export function listPlaces(names: Names, namespace: string) {
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
  } as const satisfies Readonly<Record<string, ObjectAddress>>;
}

export type Verb = "get" | "create" | "patch";

/** The API server's answer was not a success. Its text stays out: it may quote what was sent. */
export class RequestRefused extends Error {
  constructor(
    readonly status: number,
    private readonly verb: Verb,
    private readonly place: ObjectAddress,
  ) {
    super(`the API server answered ${status} to ${verb} ${place.resource}/${place.name}`);
  }

  /** The rule that a role lacks; undefined when something else is wrong. */
  findMissingRule(): object | undefined {
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

/** Someone else wrote first: read again. */
export class Overtaken extends Error {}

export class OwnCertRequests {
  constructor(
    private readonly sender: ApiSender,
    private readonly manager: string,
  ) {}

  async read(place: ObjectAddress, signal: AbortSignal): Promise<Json | undefined> {
    const answer = await this.sender.send({ method: "GET", path: objectPath(place) }, signal);
    return answer.status === 404 ? undefined : requireAccepted(answer, "get", place);
  }

  async create(place: ObjectAddress, object: object, signal: AbortSignal): Promise<Json> {
    const path = `${collectionPath(place)}?${this.query()}`;
    const answer = await this.sender.send({ method: "POST", path, body: object }, signal);
    if (answer.status === 409) throw new Overtaken(`${place.resource}/${place.name} exists`);
    return requireAccepted(answer, "create", place);
  }

  /** A patch that is bound to the resourceVersion in it. */
  async patch(place: ObjectAddress, patch: BoundPatch, signal: AbortSignal): Promise<Json> {
    const path = `${objectPath(place)}?${this.query()}`;
    const contentType = `application/${place.patch}+json`;
    const answer = await this.sender.send(
      { method: "PATCH", path, body: patch, contentType },
      signal,
    );
    if (answer.status === 409 || answer.status === 404) {
      throw new Overtaken(`${place.resource}/${place.name} was changed meanwhile`);
    }
    return requireAccepted(answer, "patch", place);
  }

  private query(): string {
    return new URLSearchParams({ fieldManager: this.manager }).toString();
  }
}

interface BoundPatch {
  readonly metadata: { readonly resourceVersion: string };
  readonly [key: string]: unknown;
}

function requireAccepted({ status, body }: ApiAnswer, verb: Verb, place: ObjectAddress): Json {
  if (status >= 300 || !isObject(body)) throw new RequestRefused(status, verb, place);
  return body;
}

function collectionPath({ group, version, resource, namespace }: ObjectAddress): string {
  const scope = namespace === undefined ? "" : `/namespaces/${namespace}`;
  return `${group === "" ? "/api" : `/apis/${group}`}/${version}${scope}/${resource}`;
}

function objectPath(place: ObjectAddress): string {
  return `${collectionPath(place)}/${place.name}`;
}

interface LeaseOptions {
  readonly requests: OwnCertRequests;
  readonly place: ObjectAddress;
  /** Who this replica is; no other has the same. */
  readonly holder: string;
  readonly lastsMs: number;
  readonly now: () => number;
}

type LeaseSpec = NonNullable<Lease["spec"]>;

export class RenewalLease {
  private seen = { version: "", at: 0 };

  constructor(private readonly options: LeaseOptions) {}

  /** Takes or prolongs the lease; false while another replica has it. */
  async hold(signal: AbortSignal): Promise<boolean> {
    const { requests, place } = this.options;
    const found = await requests.read(place, signal);
    if (found !== undefined && this.standsFor(found)) return false;
    try {
      if (found === undefined) await requests.create(place, this.fresh(), signal);
      else await requests.patch(place, this.prolongLease(found), signal);
      return true;
    } catch (error) {
      if (error instanceof Overtaken) return false;
      throw error;
    }
  }

  private standsFor(lease: Json): boolean {
    const { holder: self, lastsMs, now } = this.options;
    const version = readVersion(lease);
    if (version !== this.seen.version) this.seen = { version, at: now() };
    const holder = asString(getPath(lease, ["spec", "holderIdentity"]));
    return holder !== undefined && holder !== self && now() - this.seen.at < lastsMs;
  }

  private fresh(): Lease {
    const { name, namespace, group, version } = this.options.place;
    const spec: LeaseSpec = { ...this.renewal(), acquireTime: this.time(), leaseTransitions: 0 };
    const metadata = { name, namespace };
    return { apiVersion: `${group}/${version}`, kind: "Lease", metadata, spec };
  }

  private prolongLease(lease: Json) {
    const mine = getPath(lease, ["spec", "holderIdentity"]) === this.options.holder;
    const count = getPath(lease, ["spec", "leaseTransitions"]);
    const leaseTransitions = (typeof count === "number" ? count : 0) + 1;
    const taken: LeaseSpec = mine ? {} : { acquireTime: this.time(), leaseTransitions };
    const metadata = { resourceVersion: readVersion(lease) };
    return { metadata, spec: { ...this.renewal(), ...taken } };
  }

  private renewal(): LeaseSpec {
    const { holder: holderIdentity, lastsMs } = this.options;
    const leaseDurationSeconds = Math.ceil(lastsMs / 1_000);
    return { holderIdentity, leaseDurationSeconds, renewTime: this.time() };
  }

  /** The API server wants exactly six digits after the point. */
  private time(): string {
    return new Date(this.options.now()).toISOString().replace("Z", "000Z");
  }
}

export class Registration {
  private fingerprints: ReadonlySet<string> | undefined;

  constructor(
    private readonly requests: OwnCertRequests,
    private readonly self: Self,
  ) {}

  /** SHA-256 of what callers trust; undefined where no registration was found, or it is unreadable. */
  trusted(): ReadonlySet<string> | undefined {
    return this.fingerprints;
  }

  /** Undefined where nothing points at this webhook. */
  async read(signal: AbortSignal): Promise<RegistrationFacts | undefined> {
    try {
      return this.keep(await this.requests.read(this.place(), signal));
    } catch (error) {
      this.fingerprints = undefined;
      throw error;
    }
  }

  /** Makes the callers trust these certificates and no others. */
  async trust(
    certificates: readonly Certificate[],
    { version, further }: RegistrationFacts,
    signal: AbortSignal,
  ): Promise<RegistrationFacts | undefined> {
    const caBundle = Buffer.from(joinPems(certificates)).toString("base64");
    const { entry } = this.self.names.webhook;
    const patch = {
      metadata: { resourceVersion: version },
      webhooks: [entry, ...further.map(({ name }) => name)].map((name) => ({
        name,
        clientConfig: { caBundle },
      })),
    };
    return this.keep(await this.requests.patch(this.place(), patch, signal));
  }

  private keep(configuration: Parameters<typeof registrationFacts>[0]) {
    const facts = registrationFacts(configuration, this.self);
    this.fingerprints = facts && new Set(facts.certificates.map(({ sha256 }) => sha256));
    return facts;
  }

  private place() {
    return listPlaces(this.self.names, this.self.namespace).configuration;
  }
}
