/** What a connection hands to the control plane: who wants what of which object. */
import type { KubeObject } from "../../domain/kube/objects";
import type { Json } from "../../domain/base/values";
import type { WriteOptions } from "../../ports/kubernetes";
import type {
  Attempt,
  Attributes,
  ControlPlaneParts,
  KindDefinition,
  StateView,
  User,
} from "../model";
import { forbidden, notFound, toPlural, qualifyPlural, refusal403, tooLarge } from "./answers";
import { refuseBeyondQuotas } from "./quotas";
import type { Key, Store } from "./store";
import { invalidObject, required, tooLong } from "../kinds/refusal";
import { kinds } from "../../domain/kube/kinds";

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
  /** Absent for what is no apply. */
  readonly applies?: true;
  /** The part that is written; absent: all of the object but this part. */
  readonly subresource?: "status";
}

/** Where the object of a request is stored. */
export function requestKey({ definition, name, namespace }: Omit<WriteRequest, "user">): Key {
  return { kind: toPlural(definition), name, namespace };
}

/** The options of a request as admission webhooks see them. */
function buildOptions(
  kind: "CreateOptions" | "UpdateOptions" | "DeleteOptions",
  { fieldManager, options, applies }: WriteRequest,
): Json {
  const validated = kind !== "DeleteOptions";
  return {
    kind,
    apiVersion: "meta.k8s.io/v1",
    ...(options.dryRun === true && { dryRun: ["All"] }),
    ...(validated && fieldManager !== undefined && { fieldManager }),
    ...(validated && { fieldValidation: applies === true ? "Ignore" : "Warn" }),
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

const mostBytes = 3 * 1024 * 1024;
const mostManagerBytes = 128;

/** What was sent, as JSON carries it; 413 for too much of it. */
export function copyBody(sent: unknown): unknown {
  const body = JSON.stringify(sent ?? null);
  if (Buffer.byteLength(body) > mostBytes) throw tooLarge(mostBytes);
  return JSON.parse(body);
}

/** The options of a write are valid; an apply names its manager. */
export function requireManager(
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions",
  manager: string | undefined,
  apply?: "apply",
): void {
  const subject = `${kind}.meta.k8s.io`;
  if (apply !== undefined && (manager ?? "") === "") {
    throw invalidObject(subject, "", [required("fieldManager", "is required for apply patch")]);
  }
  if (Buffer.byteLength(manager ?? "") > mostManagerBytes) {
    throw invalidObject(subject, "", [tooLong("fieldManager", mostManagerBytes)]);
  }
}

/** Escalation, then the admission, quotas last; its warnings go to who asked. */
export async function judge(
  { parts, store: state }: Plane,
  request: WriteRequest,
  { operation, object, before }: Pick<Attempt, "operation" | "object" | "before">,
): Promise<void> {
  const { definition, name, namespace, user, options } = request;
  const kinds = {
    CREATE: "CreateOptions",
    UPDATE: "UpdateOptions",
    DELETE: "DeleteOptions",
  } as const;
  const attempt: Attempt = {
    operation,
    definition,
    name,
    namespace,
    object,
    before,
    user,
    dryRun: options.dryRun === true,
    options: buildOptions(kinds[operation], request),
    signal: options.signal,
  };
  if (operation !== "DELETE") parts.access.refuseEscalation(attempt, state);
  for (const warning of await parts.admission.admit(attempt, state)) options.onWarning?.(warning);
  if (operation === "CREATE") refuseBeyondQuotas(attempt, state);
}

/** Nothing is created in a namespace that is absent or on its way out. */
export function requireNamespace(
  state: StateView,
  { definition, name, namespace }: WriteRequest,
): void {
  if (namespace === undefined) return;
  const found = state.get(kinds.namespace, namespace);
  if (found === undefined) throw notFound(kinds.namespace, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const what = qualifyPlural(definition.resource);
  throw refusal403(
    name === "" ? what : `${what} "${name}"`,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: "NamespaceTerminating",
        field: "metadata.namespace",
        message: `namespace ${namespace} is being terminated`,
      },
    ],
  );
}

const immortal = ["default", "kube-system", "kube-public"];

/** The namespaces that every cluster needs are not deleted. */
export function requireMortal({ definition, name }: WriteRequest): void {
  const { group, plural } = definition.resource;
  if (group !== "" || plural !== "namespaces" || !immortal.includes(name)) return;
  throw refusal403(`namespaces "${name}"`, "this namespace may not be deleted");
}
