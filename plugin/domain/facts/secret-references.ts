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

/** Every Secret that is named and has to be in Kubernetes, by default names too. */
export function secretReferences(
  clusters: readonly KubeObject[],
  remotes: readonly KubeObject[],
  names: Names,
): readonly SecretReference[] {
  return namedSecrets(clusters, remotes, names).flatMap(({ isHere, ...one }) =>
    isHere ? [one] : [],
  );
}

/** What a cluster names and keeps elsewhere: no Secret of that name is looked for. */
export function referencesElsewhere(cluster: KubeObject, names: Names): readonly SecretReference[] {
  return namedSecrets([cluster], [], names).flatMap(({ isHere, ...one }) => (isHere ? [] : [one]));
}

interface NamedSecret extends SecretReference {
  readonly isHere: boolean;
}

/** Only the kubelet's, for pulls, are in Kubernetes wherever the cluster keeps its own; remote clusters follow the operator. */
function namedSecrets(
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

/** True where a cluster keeps its secrets in Kubernetes: the default, and one of the types. */
export function keepsSecretsHere(cluster: KubeObject, { ecFields }: Names): boolean {
  const type = asString(getPath(cluster, ecFields.credentialSecretType));
  return type === undefined || type.toLowerCase() === "kubernetes";
}

function ofCluster(cluster: KubeObject, names: Names): readonly SecretReference[] {
  const { ecFields, secretItems } = names;
  const object = objectLabel(cluster);
  const term = renderTerm(names.ec);
  const license = asString(getPath(cluster, ecFields.licenseSecretName));
  const pulls = asArray(getPath(cluster, ecFields.pullSecrets)).map((one) =>
    asString(getOwn(one, "name")),
  );
  return [
    findCredentials(cluster, names),
    ...(license === undefined
      ? []
      : [
          {
            use: "license" as const,
            name: license,
            items: [secretItems.license],
            object,
            field: ecFields.licenseSecretName.join("."),
            says: `the license of the ${term}`,
          },
        ]),
    ...listModuleSecrets(cluster, names),
    ...pulls
      .filter((name) => name !== undefined)
      .map((name) => ({
        use: "pull" as const,
        name,
        items: [],
        object,
        field: ecFields.pullSecrets.join("."),
        says: "the credentials of the image registry",
      })),
  ];
}

function findCredentials(cluster: KubeObject, names: Names): SecretReference {
  const { ecFields, secretItems } = names;
  return {
    use: "credentials",
    name: asString(getPath(cluster, ecFields.credentialSecretName)) ?? readName(cluster),
    items: [secretItems.username, secretItems.password],
    object: objectLabel(cluster),
    field: ecFields.credentialSecretName.join("."),
    says: "the credentials of the REST API",
  };
}

function listModuleSecrets(cluster: KubeObject, names: Names): readonly SecretReference[] {
  const { entryFields, fields, secretItems } = names;
  return asArray(getPath(cluster, fields.userDefinedModules)).flatMap((module, index) =>
    entryFields.userModuleTransports.flatMap((transport) => {
      const path = [entryFields.userModuleSource, transport, entryFields.userModuleCredentials];
      const name = asString(getPath(module, path));
      if (name === undefined) return [];
      return [
        {
          use: "module" as const,
          name,
          items: [secretItems.username, secretItems.password],
          object: objectLabel(cluster),
          field: `${fields.userDefinedModules.join(".")}[${index}].${path.join(".")}`,
          says: "the credentials of a module's download",
        },
      ];
    }),
  );
}

function ofRemote(remote: KubeObject, names: Names): SecretReference {
  const { ercFields, pods, secretItems } = names;
  const fallback = `${pods.remoteSecretPrefix}-${readName(remote)}`;
  return {
    use: "remote",
    name: asString(getPath(remote, ercFields.secretName)) ?? fallback,
    items: [secretItems.username, secretItems.password],
    object: objectLabel(remote),
    field: ercFields.secretName.join("."),
    says: "the credentials of the remote cluster",
  };
}

/** The Secrets that clusters and remote clusters of the namespace name, each once. */
export function secretNames(
  clusters: readonly KubeObject[],
  remotes: readonly KubeObject[],
  { names, namespace }: Pick<Facts, "names" | "namespace">,
): readonly string[] {
  const here = ({ metadata }: KubeObject): boolean => metadata.namespace === namespace;
  const references = secretReferences(clusters.filter(here), remotes.filter(here), names);
  return [...new Set(references.map(({ name }) => name))];
}
