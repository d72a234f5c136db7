/** The Secrets that clusters and remote clusters name. */
import { getPath, asArray, getOwn, asString } from "../base/values";
import { type Names, renderTerm } from "../names/names";
import { type KubeObject, readName, objectLabel } from "../kube/objects";
import type { Facts } from "./facts";

/** What a Secret is named for. */
export type SecretUse = "credentials" | "license" | "module" | "pull" | "remote";

/** One Secret that an object names. */
export interface SecretReference {
  readonly use: SecretUse;
  readonly name: string;
  /** Items that it has to hold. */
  readonly items: readonly string[];
  /** Label of the object that names it. */
  readonly object: string;
  readonly field: string;
  /** What it is for, for people. */
  readonly says: string;
}

/**
 * Every Secret that is named, by default names too. Only the kubelet's, for pulls, are in Kubernetes wherever the
 * cluster keeps its own; remote clusters follow the operator.
 */
export function secretReferences(
  clusters: readonly KubeObject[],
  remotes: readonly KubeObject[],
  names: Names,
): readonly NamedSecret[] {
  const isRemoteHere = clusters.every((cluster) => keepsSecretsHere(cluster, names));
  return [
    ...clusters.flatMap((cluster) =>
      ofCluster(cluster, names).map((one) => ({
        ...one,
        isHere: one.use === "pull" || keepsSecretsHere(cluster, names),
      })),
    ),
    ...remotes.map((remote) => ({ ...ofRemote(remote, names), isHere: isRemoteHere })),
  ];
}

interface NamedSecret extends SecretReference {
  /** It has to be in Kubernetes; else it is kept elsewhere, and no Secret of that name is looked for. */
  readonly isHere: boolean;
}

/** True where a cluster keeps its secrets in Kubernetes: the default, and one of the types. */
export function keepsSecretsHere(cluster: KubeObject, { ecFields }: Names): boolean {
  const type = asString(getPath(cluster, ecFields.credentialSecretType));
  return type === undefined || type.toLowerCase() === "kubernetes";
}

/** What an object names in a field. */
function makeReference(
  object: KubeObject,
  path: readonly string[],
  rest: Omit<SecretReference, "object" | "field">,
): SecretReference {
  return { ...rest, object: objectLabel(object), field: path.join(".") };
}

function ofCluster(cluster: KubeObject, names: Names): readonly SecretReference[] {
  const { ecFields, secretItems } = names;
  const { credentialSecretName, licenseSecretName, pullSecrets } = ecFields;
  const license = asString(getPath(cluster, licenseSecretName));
  const pulls = asArray(getPath(cluster, pullSecrets)).flatMap(
    (one) => asString(getOwn(one, "name")) ?? [],
  );
  return [
    makeReference(cluster, credentialSecretName, {
      use: "credentials",
      name: asString(getPath(cluster, credentialSecretName)) ?? readName(cluster),
      items: [secretItems.username, secretItems.password],
      says: "the credentials of the REST API",
    }),
    ...(license === undefined ? [] : [license]).map((name) =>
      makeReference(cluster, licenseSecretName, {
        ...{ use: "license", name, items: [secretItems.license] },
        says: `the license of the ${renderTerm(names.ec)}`,
      }),
    ),
    ...listModuleSecrets(cluster, names),
    ...pulls.map((name) =>
      makeReference(cluster, pullSecrets, {
        ...{ use: "pull", name, items: [] },
        says: "the credentials of the image registry",
      }),
    ),
  ];
}

function listModuleSecrets(cluster: KubeObject, names: Names): readonly SecretReference[] {
  const { entryFields, fields, secretItems } = names;
  const list = fields.userDefinedModules;
  return asArray(getPath(cluster, list)).flatMap((module, index) =>
    entryFields.userModuleTransports.flatMap((transport) => {
      const path = [entryFields.userModuleSource, transport, entryFields.userModuleCredentials];
      const name = asString(getPath(module, path));
      if (name === undefined) return [];
      return makeReference(cluster, [`${list.join(".")}[${index}]`, ...path], {
        ...{ use: "module", name, items: [secretItems.username, secretItems.password] },
        says: "the credentials of a module's download",
      });
    }),
  );
}

function ofRemote(remote: KubeObject, { ercFields, pods, secretItems }: Names): SecretReference {
  const fallback = `${pods.remoteSecretPrefix}-${readName(remote)}`;
  return makeReference(remote, ercFields.secretName, {
    use: "remote",
    name: asString(getPath(remote, ercFields.secretName)) ?? fallback,
    items: [secretItems.username, secretItems.password],
    says: "the credentials of the remote cluster",
  });
}

/** The Secrets that clusters and remote clusters of the namespace name, each once. */
export function secretNames(
  clusters: readonly KubeObject[],
  remotes: readonly KubeObject[],
  { names, namespace }: Pick<Facts, "names" | "namespace">,
): readonly string[] {
  const here = ({ metadata }: KubeObject): boolean => metadata.namespace === namespace;
  const references = secretReferences(clusters.filter(here), remotes.filter(here), names);
  return [...new Set(references.flatMap(({ name, isHere }) => (isHere ? [name] : [])))];
}
