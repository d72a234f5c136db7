/** What the embedded cluster serves: the built-in kinds, and those that definitions bring. */
import type { KubeObject, Resource } from "../../ports/kubernetes";
import { asArray, asString, isObject, omit } from "../../domain/base/values";
import type {
  CustomResourceDefinition,
  DefinitionVersion,
  Namespace,
  NetworkPolicy,
} from "../../domain/kube/models";
import { asKind } from "../../domain/kube/typed";
import type { Conversion, KindDefinition, PreparedWrite, Registry } from "../model";
import { findDecodingProblem, shape } from "./shape";
import { metadataErrors } from "./metadata";
import { labelRule, oldLabelRule, pathSegmentRule, subdomainRule } from "./names";
import { type FieldError, invalidObject, type FieldRule, undecodable } from "./refusal";
import {
  type BuiltInKind,
  builtInKinds,
  readDefinition,
  objectMeta,
  type Schema,
  readSchema,
} from "../../adapters/schema/schema";
import { duplicateErrors, schemaErrors } from "./validate";
import { completeDefinition, definitionErrors } from "./definitions";
import { checkBinding, completeBinding, roleErrors } from "./roles";
import {
  completeSecret,
  completeService,
  configMapErrors,
  secretErrors,
  serviceErrors,
} from "./services";
import { configurationErrors } from "./webhooks";
import {
  completeDeployment,
  completePod,
  completeTemplate,
  deploymentErrors,
  jobErrors,
  podErrors,
  replicaSetErrors,
  statefulSetErrors,
} from "./workloads";

/** What a built-in kind has beside its schema. */
interface BuiltInRules {
  /** metadata.generation counts its changes. */
  readonly counted?: true;
  /** What a name must be; most are subdomains. */
  readonly name?: FieldRule;
  /** Warned of at every write. */
  readonly deprecated?: string;
  /** What the schema's defaults cannot say. */
  complete?(object: KubeObject, before: KubeObject | undefined): KubeObject;
  /** What is wrong beside the metadata. */
  judge?(object: KubeObject, before: KubeObject | undefined): readonly FieldError[];
}

const counted = { counted: true } as const;
const role: BuiltInRules = { name: pathSegmentRule, judge: roleErrors };
const binding: BuiltInRules = {
  name: pathSegmentRule,
  complete: completeBinding,
  judge: checkBinding,
};

const builtInRules: Readonly<Record<string, BuiltInRules>> = {
  Namespace: { name: labelRule, complete: completeNamespace },
  Endpoints: {
    deprecated: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  },
  Secret: { complete: completeSecret, judge: secretErrors },
  ConfigMap: { judge: configMapErrors },
  Service: { name: oldLabelRule, complete: completeService, judge: serviceErrors },
  Pod: { ...counted, complete: completePod, judge: (object) => podErrors(object, ["spec"]) },
  Deployment: { ...counted, complete: completeDeployment, judge: deploymentErrors },
  ReplicaSet: { ...counted, complete: completeTemplate, judge: replicaSetErrors },
  StatefulSet: {
    ...counted,
    name: oldLabelRule,
    complete: completeTemplate,
    judge: statefulSetErrors,
  },
  Job: { ...counted, complete: completeTemplate, judge: jobErrors },
  NetworkPolicy: { ...counted, complete: completePolicy },
  PodDisruptionBudget: counted,
  EndpointSlice: counted,
  Ingress: counted,
  Role: role,
  ClusterRole: role,
  RoleBinding: binding,
  ClusterRoleBinding: binding,
  ValidatingWebhookConfiguration: { ...counted, judge: configurationErrors },
  MutatingWebhookConfiguration: { ...counted, judge: configurationErrors },
  ValidatingAdmissionPolicy: counted,
  ValidatingAdmissionPolicyBinding: counted,
  CustomResourceDefinition: { ...counted, complete: completeDefinition, judge: definitionErrors },
};

/** A policy without types is one of what comes in, and of what goes out where it has rules for that. */
function completePolicy(object: KubeObject): KubeObject {
  const { spec } = object;
  if (!isObject(spec) || spec["policyTypes"] !== undefined) return object;
  const goesOut = asArray(spec["egress"]).length > 0;
  const types: NetworkPolicy["spec"] = {
    policyTypes: ["Ingress", ...(goesOut ? ["Egress"] : [])],
  };
  return { ...object, spec: { ...spec, ...types } };
}

const newNamespace: Namespace["spec"] = { finalizers: ["kubernetes"] };

/** A namespace names itself in a label, and is kept until its objects are gone. */
function completeNamespace(object: KubeObject): KubeObject {
  const { metadata, spec } = object;
  const labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name ?? "" };
  return {
    ...object,
    metadata: { ...metadata, labels },
    spec: { ...newNamespace, ...(isObject(spec) && spec) },
  };
}

const builtIn: readonly KindDefinition[] = builtInKinds.map(defineBuiltIn);

function defineBuiltIn(row: BuiltInKind): KindDefinition {
  const { group, version, plural, kind, namespaced, hasStatus } = row;
  const resource = { group, version, plural, kind };
  const schema = readDefinition(row.schema);
  const rules = builtInRules[kind] ?? {};
  return {
    resource,
    namespaced,
    custom: false,
    hasStatus,
    counted: rules.counted ?? false,
    structure: schema,
    prepare: (object, before) =>
      prepareBuiltIn({ resource, namespaced, schema, rules }, object, before),
    fillIn: (object) => {
      if (findDecodingProblem(object, schema) !== undefined) return object;
      const { object: read } = normal(object, schema);
      // a status is written by controllers: what it lacks was not told
      const filled = omit(rules.complete?.(read, undefined) ?? read, "status");
      return addMissing(object, filled) as KubeObject;
    },
  };
}

/** A value with what another has beside it; lists of one length are completed item by item. */
function addMissing(own: unknown, other: unknown): unknown {
  if (Array.isArray(own)) {
    const others = asArray(other);
    return own.length === others.length
      ? own.map((item, index) => addMissing(item, others[index]))
      : own;
  }
  if (!isObject(own) || !isObject(other)) return own ?? other;
  const there = Object.entries(own).map(([key, value]) => [key, addMissing(value, other[key])]);
  return { ...other, ...(Object.fromEntries(there) as object) };
}

interface Kind {
  readonly resource: Resource;
  readonly namespaced: boolean;
  readonly schema: Schema;
}

interface CustomKind extends Kind {
  /** Whether fields that the schema does not know are kept (preserveUnknownFields). */
  readonly isOpen: boolean;
}

function prepareBuiltIn(
  { resource, namespaced, schema, rules }: Kind & { readonly rules: BuiltInRules },
  given: KubeObject,
  before: KubeObject | undefined,
): PreparedWrite {
  const why = findDecodingProblem(given, schema);
  if (why !== undefined) throw undecodable(resource, why);
  const { object: read, unknown } = normal(given, schema);
  // What was loaded from elsewhere may be in another form.
  const held = before && normal(before, schema).object;
  const object = rules.complete?.(read, held) ?? read;
  refuse(resource, object, [
    ...metadataErrors(object, { namespaced, name: rules.name ?? subdomainRule }),
    ...(rules.judge?.(object, held) ?? []),
  ]);
  const deprecated = rules.deprecated === undefined ? [] : [rules.deprecated];
  return { object, warnings: [...deprecated, ...unknown.map(unknownField)] };
}

/** The form in which objects are stored; metadata is there even when all of it was left out. */
function normal(
  given: KubeObject,
  schema: Schema,
): { readonly object: KubeObject; readonly unknown: readonly string[] } {
  const { value, unknown } = shape(given, schema, "built-in");
  const { apiVersion, kind } = given;
  const fields = value as KubeObject;
  const { metadata } = fields;
  const object = { ...fields, apiVersion, kind, metadata: isObject(metadata) ? metadata : {} };
  return { object, unknown };
}

function refuse(
  { group, kind }: Resource,
  { metadata }: KubeObject,
  errors: readonly FieldError[],
): void {
  if (errors.length === 0) return;
  throw invalidObject(group === "" ? kind : `${kind}.${group}`, metadata.name ?? "", errors);
}

function unknownField(path: string): string {
  return `unknown field "${path}"`;
}

/** The kinds of a definition, one for each served version; none when it names no kind. */
function customKinds({ spec }: CustomResourceDefinition): readonly KindDefinition[] {
  const group = asString(spec?.group);
  const plural = asString(spec?.names?.plural);
  const kind = asString(spec?.names?.kind);
  if (group === undefined || plural === undefined || kind === undefined) return [];
  const namespaced = spec?.scope !== "Cluster";
  const isOpen = spec?.preserveUnknownFields === true;
  return (spec?.versions ?? []).flatMap((entry) => {
    const version = asString(entry.name);
    if (version === undefined || entry.served !== true) return [];
    const resource = { group, version, plural, kind };
    const made = defineCustom(
      { resource, namespaced, schema: schemaOfVersion(entry), isOpen },
      entry,
    );
    const conversion = findConversion(spec, version);
    return [conversion === undefined ? made : { ...made, conversion }];
  });
}

/** The webhook that converts between a version and the stored one; undefined where none has to. */
function findConversion(
  spec: CustomResourceDefinition["spec"],
  version: string,
): Conversion | undefined {
  const storedVersion = asString(spec?.versions?.find(({ storage }) => storage === true)?.name);
  const service = spec?.conversion?.webhook?.clientConfig?.service;
  const name = asString(service?.name);
  const isCalled = spec?.conversion?.strategy === "Webhook" && name !== undefined;
  if (!isCalled || storedVersion === undefined || storedVersion === version) return undefined;
  const { namespace, port, path } = service ?? {};
  return {
    storedVersion,
    service: {
      name,
      namespace: namespace ?? "",
      port: port ?? 443,
      path: asString(path) ?? "/",
    },
  };
}

function schemaOfVersion({ schema }: DefinitionVersion): Schema {
  return { ...readSchema(schema?.openAPIV3Schema), embedded: true };
}

function defineCustom(kind: CustomKind, entry: DefinitionVersion): KindDefinition {
  const { resource, namespaced, schema } = kind;
  const string: Schema = { type: "string" };
  const warnings = deprecation(entry, resource);
  return {
    resource,
    namespaced,
    custom: true,
    hasStatus: isObject(entry.subresources?.status),
    counted: true,
    structure: {
      ...schema,
      fields: { apiVersion: string, kind: string, ...schema.fields, metadata: objectMeta },
    },
    prepare: (object, before) => {
      const prepared = prepareCustom(kind, object, before);
      return { ...prepared, warnings: [...warnings, ...prepared.warnings] };
    },
  };
}

function deprecation(
  entry: DefinitionVersion,
  { group, version, kind }: Resource,
): readonly string[] {
  if (entry.deprecated !== true) return [];
  const words = asString(entry.deprecationWarning);
  return [words ?? `${group}/${version} ${kind} is deprecated`];
}

/** Metadata is the same for every kind, whatever the schema says of it. */
function prepareCustom(
  { resource, namespaced, schema, isOpen }: CustomKind,
  given: KubeObject,
  before: KubeObject | undefined,
): PreparedWrite {
  const why = findDecodingProblem(given.metadata, objectMeta);
  if (why !== undefined) throw undecodable(resource, why);
  const meta = shape(given.metadata, objectMeta, "built-in");
  const sent = { ...given, metadata: {} };
  const rest = isOpen ? { value: sent, unknown: [] } : shape(sent, schema, "custom");
  const fields = rest.value as KubeObject;
  const { apiVersion, kind } = given;
  const metadata = meta.value as KubeObject["metadata"];
  const object: KubeObject = { ...fields, apiVersion, kind, metadata };
  const judged = { ...schema, fields: omit(schema.fields ?? {}, "metadata") };
  refuse(resource, object, [
    ...metadataErrors(object, { namespaced, name: subdomainRule }),
    ...schemaErrors({ value: object, before }, judged, ""),
    ...duplicateErrors(fields, schema, ""),
  ]);
  const unknown = [...meta.unknown.map((path) => `metadata.${path}`), ...rest.unknown.toSorted()];
  return { object, warnings: unknown.map(unknownField) };
}

/** Definitions by kind and by plural, kept together. */
interface Indexes {
  readonly kinds: ReadonlyMap<string, KindDefinition>;
  readonly plurals: ReadonlyMap<string, KindDefinition>;
}

const builtInIndexes = buildIndexes(builtIn);

/** A registry that knows the built-in kinds alone. */
export function createRegistry(): Registry {
  return new MemoryRegistry(new Map());
}

class MemoryRegistry implements Registry {
  private indexes: Indexes;

  constructor(private readonly custom: Map<string, readonly KindDefinition[]>) {
    this.indexes = buildIndexes([...custom.values()].flat());
  }

  byKind(apiVersion: string, kind: string): KindDefinition | undefined {
    const key = `${apiVersion} ${kind}`;
    return builtInIndexes.kinds.get(key) ?? this.indexes.kinds.get(key);
  }

  byPlural(resource: Pick<Resource, "group" | "version" | "plural">): KindDefinition | undefined {
    const key = pluralKey(resource);
    return builtInIndexes.plurals.get(key) ?? this.indexes.plurals.get(key);
  }

  served(group: string, version: string): readonly KindDefinition[] {
    return [...builtIn, ...this.indexes.kinds.values()].filter(
      ({ resource }) => resource.group === group && resource.version === version,
    );
  }

  define(name: string, definition: KubeObject | undefined): void {
    const known = asKind(definition, "CustomResourceDefinition");
    if (known === undefined) this.custom.delete(name);
    else this.custom.set(name, customKinds(known));
    this.indexes = buildIndexes([...this.custom.values()].flat());
  }

  fork(): Registry {
    return new MemoryRegistry(new Map(this.custom));
  }
}

function buildIndexes(definitions: readonly KindDefinition[]): Indexes {
  return {
    kinds: new Map(
      definitions.map((definition) => {
        const { group, version, kind } = definition.resource;
        return [`${group === "" ? version : `${group}/${version}`} ${kind}`, definition];
      }),
    ),
    plurals: new Map(definitions.map((one) => [pluralKey(one.resource), one])),
  };
}

function pluralKey({ group, version, plural }: Omit<Resource, "kind">): string {
  return `${group}/${version}/${plural}`;
}
