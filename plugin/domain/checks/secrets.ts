/** Secrets that objects name: there, and with the items that are read from them; never a value. */
import { factNamed } from "../facts";
import { at, isObject, list, own, text } from "../values";
import type { Found } from "./check";
import { nameOf, type Situation } from "./situation";
import { type Names, termOf } from "../names";
import { type KubeObject, objectLabel } from "../objects";

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

/** Who may name Secrets. */
export interface Referrers {
  /** Those of one namespace. */
  readonly clusters: readonly KubeObject[];
  readonly remotes: readonly KubeObject[];
  readonly names: Names;
}

/** Every Secret that is named, by default names too. */
export function secretReferences({
  clusters,
  remotes,
  names,
}: Referrers): readonly SecretReference[] {
  return [
    ...clusters.flatMap((cluster) => ofCluster(cluster, names)),
    ...remotes.map((remote) => ofRemote(remote, names)),
  ];
}

/** True where the REST credentials are in a Kubernetes Secret: the default, and one of the types. */
export function keepsCredentialsInSecret(cluster: KubeObject, { ecFields }: Names): boolean {
  const type = text(at(cluster, ecFields.credentialSecretType));
  return type === undefined || type.toLowerCase() === "kubernetes";
}

function ofCluster(cluster: KubeObject, names: Names): readonly SecretReference[] {
  const { ecFields, secretItems } = names;
  const object = objectLabel(cluster);
  const term = termOf(names.ec);
  const license = text(at(cluster, ecFields.licenseSecretName));
  const pulls = list(at(cluster, ecFields.pullSecrets)).map((one) => text(own(one, "name")));
  return [
    ...(keepsCredentialsInSecret(cluster, names) ? [credentialsOf(cluster, names)] : []),
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
    ...modulesOf(cluster, names),
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

function credentialsOf(cluster: KubeObject, names: Names): SecretReference {
  const { ecFields, secretItems } = names;
  return {
    use: "credentials",
    name: text(at(cluster, ecFields.credentialSecretName)) ?? nameOf(cluster),
    items: [secretItems.username, secretItems.password],
    object: objectLabel(cluster),
    field: ecFields.credentialSecretName.join("."),
    says: "the credentials of the REST API",
  };
}

function modulesOf(cluster: KubeObject, names: Names): readonly SecretReference[] {
  const { entryFields, fields, secretItems } = names;
  return list(at(cluster, fields.userDefinedModules)).flatMap((module, index) =>
    entryFields.userModuleTransports.flatMap((transport) => {
      const path = [entryFields.userModuleSource, transport, entryFields.userModuleCredentials];
      const name = text(at(module, path));
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
  const fallback = `${pods.remoteSecretPrefix}-${nameOf(remote)}`;
  return {
    use: "remote",
    name: text(at(remote, ercFields.secretName)) ?? fallback,
    items: [secretItems.username, secretItems.password],
    object: objectLabel(remote),
    field: ercFields.secretName.join("."),
    says: "the credentials of the remote cluster",
  };
}

/** What is wrong with the Secrets of one use. */
export function judgeSecrets(situation: Situation, use: SecretUse): readonly Found[] {
  const { clusters, facts, names } = situation;
  const remotes = facts.objects.ercs.filter(
    ({ metadata }) => metadata.namespace === facts.namespace,
  );
  return secretReferences({ clusters, remotes, names })
    .filter((reference) => reference.use === use)
    .flatMap((reference) => judgeSecret(reference, situation));
}

function judgeSecret(
  { name, items, object, field, says }: SecretReference,
  { facts }: Situation,
): readonly Found[] {
  const secret = factNamed(facts, "namedSecrets", { name });
  const about = (what: string): Found => ({
    object: `Secret/${facts.namespace}/${name}`,
    cause: `${what}; ${object} names it in ${field} for ${says}`,
  });
  if (secret === undefined) return [about("it does not exist")];
  const data = own(secret, "data");
  const held = Object.keys(isObject(data) ? data : {});
  const missing = items.filter((item) => !held.includes(item));
  return missing.length === 0 ? [] : [about(`it has no item ${missing.join(", ")}`)];
}
