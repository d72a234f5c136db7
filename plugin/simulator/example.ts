/**
 * The cluster that a rehearsal without a source plays on (example.json): an operator of an older
 * release with one cluster resource, databases in three namespaces, the webhook configuration of old
 * in force, and the leftovers that an upgrade meets.
 */
import { generatePair } from "../adapters/certificate";
import { readShippedCrds, readShippedRbac, readShippedTemplate } from "../adapters/shipped";
import { parseDocuments, renderDocuments } from "../adapters/kubernetes/text/yaml";
import type { Names } from "../domain/names/names";
import type { KubeObject } from "../domain/kube/objects";
import { rebrand } from "../domain/names/rebrand";
import { getOwn, omit } from "../domain/base/values";
import type { CustomResourceDefinition } from "../domain/kube/models";
import { ofKind } from "../domain/kube/typed";
import example from "./example.json";
import { createRegistry } from "./kinds/registry";
import { renderFieldsV1 } from "./api-server/field-set";
import { collectFields, findStructure } from "./api-server/structure";
import { exampleReleaseName, type Registry } from "./model";
import { settleWorkloads } from "./operator/settled";
import { makeNamespace, type Source } from "./source/completion";
import { folderDigest } from "../adapters/release/folder";
import type { Release } from "../domain/release/contents";
import written from "./example-release.json";

/** The example's objects, with a key pair that is recreated each time. */
export async function exampleSource(names: Names, now: number): Promise<Source> {
  const { namespace, olmCluster } = names.operator;
  const { certPem, keyPem } = await generatePair({ namespace, names, now });
  const [MODULE_1 = "", MODULE_2 = ""] = names.bundledModules;
  const words: Readonly<Record<string, string>> = {
    ...{ OPERATOR_NAMESPACE: namespace, CLUSTER_NAME: olmCluster, MODULE_1, MODULE_2 },
    ENDPOINT_SLICE: `${names.webhook.service}-7xk2p`,
    CERTIFICATE: Buffer.from(certPem).toString("base64"),
    PRIVATE_KEY: Buffer.from(keyPem).toString("base64"),
  };
  const written = JSON.parse(JSON.stringify(example), (_, value: unknown) => {
    if (typeof value === "string") return words[value] ?? value;
    // of names with one module alone, the second is none
    return Array.isArray(value) ? value.filter((item) => getOwn(item, "name") !== "") : value;
  }) as typeof example;
  const { namespaces, operator, operatorRole, databaseRole, constraintRole, product } = written;
  const objects = [
    ...namespaces.map(makeNamespace),
    ...operator,
    ...operatorRole,
    // the last namespace is no longer managed, and was never cleaned up
    ...namespaces.slice(1).flatMap((home) => databaseRole.map((role) => within(role, home))),
    ...constraintRole,
    ...product,
  ].map((object) => rebrand(object, names) as KubeObject);
  const created = new Date(now - 90 * 24 * 3_600_000).toISOString().replace(/\.\d+Z$/, "Z");
  const registry = createRegistry();
  const all = [...exampleDefinitions(names), ...objects];
  const complete = settleWorkloads(asApplied(all, names, registry), {
    ...{ names, namespace, now, registry },
  });
  return {
    objects: complete.map((object) => ({
      ...object,
      metadata: { ...object.metadata, creationTimestamp: created },
    })),
    pairs: [{ namespace, cert: certPem, key: keyPem }],
    warnings: [],
    described: "the built-in example",
    namespace,
  };
}

function within(object: KubeObject, namespace: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, namespace } };
}

/** The product's definitions as shipped, under its names. */
export function productDefinitions(names: Names): readonly CustomResourceDefinition[] {
  const documents = Object.entries(readShippedCrds()).flatMap(([file, text]) =>
    parseDocuments(text, file).map((document) => rebrand(document, names) as KubeObject),
  );
  return ofKind(documents, "CustomResourceDefinition");
}

/** The definitions of every kind of the example; OpenShift's constraints are a custom resource here. */
export function exampleDefinitions(names: Names): readonly KubeObject[] {
  return [...productDefinitions(names), example.constraints];
}

/** Kinds that a bundle holds. */
const bundled = ["Deployment", "Role", "RoleBinding", "Service", "ServiceAccount"];

/** The objects of the bundle belong to whoever applied them with kubectl, the others to nobody. */
function asApplied(
  objects: readonly KubeObject[],
  { operator }: Names,
  registry: Registry,
): readonly KubeObject[] {
  const own = [operator.deployment, operator.role, operator.roleBinding, operator.serviceAccount];
  return objects.map((object) => {
    const { kind, metadata } = object;
    const isOfBundle =
      kind === "CustomResourceDefinition" ||
      (bundled.includes(kind) && (kind === "Service" || own.includes(metadata.name ?? "")));
    return isOfBundle ? addOwner(object, registry) : object;
  });
}

function addOwner(object: KubeObject, registry: Registry): KubeObject {
  const { apiVersion, kind, metadata } = object;
  const definition = registry.byKind(apiVersion, kind);
  if (definition === undefined) return object;
  const { labels, annotations } = metadata;
  const content = {
    ...omit(object, "apiVersion", "kind", "status"),
    metadata: { labels, annotations },
  };
  // as JSON: what is undefined is not a field
  const given: unknown = JSON.parse(JSON.stringify(content));
  const owner = {
    manager: "kubectl-client-side-apply",
    operation: "Update",
    apiVersion,
    fieldsType: "FieldsV1",
    fieldsV1: renderFieldsV1(collectFields(given, findStructure(definition))),
  };
  return { ...object, metadata: { ...metadata, managedFields: [owner] } };
}

/** Every file that is looked for in a release, made of the manifests that the tool ships. */
export function exampleRelease(names: Names): Release {
  const { release } = names;
  const shipped = Object.entries(readShippedRbac()).map(
    ([file, text]) => [file, renameNames(text, file, names)] as const,
  );
  const roles = new Map(shipped);
  const texts: readonly (readonly [readonly string[], string | undefined])[] = [
    [release.bundle, bundle(names, false)],
    [release.openshiftBundle, bundle(names, true)],
    [release.webhook, renameNames(readShippedTemplate(), "webhook.yaml", names)],
    [release.consumerRole, roles.get("role.yaml")],
    [release.consumerBinding, roles.get("role_binding.yaml")],
    [release.labelRole, roles.get("operator_cluster_role.yaml")],
    [release.labelBinding, roles.get("operator_cluster_role_binding.yaml")],
  ];
  const files = new Map(texts.map(([[path = ""], text = ""]) => [path, text]));
  const bytes = [...files]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([path, text]) => [path, Buffer.from(text)] as const);
  return {
    source: exampleReleaseName,
    sha256: folderDigest(new Map(bytes)),
    file: (paths) => {
      const path = paths.find((one) => files.has(one));
      const text = path === undefined ? undefined : files.get(path);
      return text === undefined
        ? undefined
        : { text, source: `${path ?? ""} of ${exampleReleaseName}` };
    },
  };
}

function renameNames(text: string, file: string, names: Names): string {
  return renderDocuments(parseDocuments(text, file).map((document) => rebrand(document, names)));
}

/** In the order of a published bundle: rights, account, Service, definitions, Deployment. */
function bundle(names: Names, openshift: boolean): string {
  const [role, ...others] = written;
  // the last rule is OpenShift's
  const rules = openshift ? role?.rules : role?.rules?.slice(0, -1);
  const objects = [{ ...role, rules }, ...others].map((object) => rebrand(object, names));
  return renderDocuments([
    ...objects.slice(0, -1),
    ...productDefinitions(names),
    ...objects.slice(-1),
  ]);
}
