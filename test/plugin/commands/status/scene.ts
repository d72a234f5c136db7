/** An upgrade that is over and everything fine, as facts: each test changes what it is about. */
import type { CertificateFacts } from "../../../../plugin/domain/certificate/certificate";
import type { FactKey, Facts } from "../../../../plugin/domain/facts/facts";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { pairIn, renderRbac } from "../../../../plugin/domain/rbac/templates";
import {
  judgeStatus,
  type Status,
  type StatusInput,
} from "../../../../plugin/commands/status/status";
import {
  aNamespace,
  aNewConfiguration,
  anEndpointSlice,
  anOldConfiguration,
  aService,
  aSecret,
  testCa,
} from "../../../support/builders";
import {
  aDatabase,
  anEc,
  anOperator,
  aSet,
  factsOf,
  newTag,
  threePods,
} from "../../domain/engine-cluster/scene";
import { playProbe } from "../../../support/probes";
import { shipped } from "../../domain/rbac/objects";

export { anOldConfiguration, aNewConfiguration };

type Lists = Partial<Record<FactKey, readonly KubeObject[]>>;

/** Valid for four and a half years more. */
export const certificate: CertificateFacts = {
  secret: {
    name: names.webhook.secret,
    namespace: "engine",
    type: "Opaque",
    items: ["cert", "privateKey"],
  },
  present: true,
  base64: true,
  pem: true,
  encodedTwice: false,
  count: 1,
  holdsPrivateKey: false,
  chainOk: true,
  refused: undefined,
  matchesPrivateKey: true,
  caBundle: testCa,
  leaf: {
    sha256: "ab".repeat(32),
    subject: "admission.engine.svc",
    issuer: "admission.engine.svc",
    san: ["admission.engine.svc"],
    notBefore: "2026-01-01T00:00:00Z",
    notAfter: "2031-01-01T00:00:00Z",
    ca: true,
    selfSigned: true,
    keyType: "rsa",
    keyBits: 2048,
    signature: "sha256WithRSAEncryption",
  },
};

export const bundled = ["7.2", "7.4", "8.0", "8.2"].map((version) => ({
  dbType: names.engineDbType,
  version,
}));

/** An EC of the new release with every column filled. */
export function aCluster(
  tag = newTag,
  status: Readonly<Record<string, unknown>> = {},
  spec: Readonly<Record<string, unknown>> = {},
): KubeObject {
  return anEc(
    {
      engineEnterpriseImageSpec: {
        repository: "engine/engine",
        versionTag: tag,
        imagePullPolicy: "IfNotPresent",
      },
      ...spec,
    },
    {
      bundledDatabaseVersions: bundled,
      licenseStatus: {
        licenseState: "Valid",
        expirationDate: "2027-05-01T00:00:00Z",
        shardsLimit: 8,
      },
      ...status,
    },
    { creationTimestamp: "2026-05-03T10:15:30Z" },
  );
}

/** A database that runs what it asks for, and keeps its data when it restarts. */
export function anEdb(
  name: string,
  version = "8.2",
  status: Readonly<Record<string, unknown>> = {},
): KubeObject {
  const running = { status: "active", specStatus: "Valid", version: `${version}.1`, ...status };
  return aDatabase(name, { engineVersion: version, replication: true }, running);
}

export function anEaadb(
  name: string,
  version = "8.2",
  status: Readonly<Record<string, unknown>> = {},
): KubeObject {
  return {
    apiVersion: `${names.group}/${names.version}`,
    kind: names.eaadb.kind,
    metadata: { name, namespace: "engine" },
    spec: { globalConfigurations: { engineVersion: version, replication: true } },
    status: { status: "active", specStatus: "Valid", replicationStatus: "up", ...status },
  };
}

/** The operator's list of managed namespaces. */
export function settings(data: Readonly<Record<string, string>>): KubeObject {
  const metadata = { name: names.configMap.name, namespace: "engine" };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data };
}

const rendered = renderRbac(shipped, { namespace: "engine", accounts: ["ec"], label: true, names });
if (rendered.is === "unfit") throw new Error(rendered.problems.join("; "));
export const { consumer, label } = rendered;
export const inShop = pairIn(consumer, "shop");

const inEngine = (kind: string, name: string, rest: object): KubeObject => ({
  ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind },
  metadata: { name, namespace: "engine" },
  ...rest,
});
const { role, roleBinding, serviceAccount } = names.operator;

/** What the operator has in its own namespace: no scene of the managed ones is about it. */
export const ownRoles = {
  roles: [inEngine("Role", role, { rules: [] })],
  roleBindings: [
    inEngine("RoleBinding", roleBinding, {
      roleRef: { kind: "Role", name: role },
      subjects: [{ kind: "ServiceAccount", name: serviceAccount, namespace: "engine" }],
    }),
  ],
};

/** The facts, with some lists replaced. */
export function fine(lists: Lists = {}, rest: Partial<Facts> = {}): Facts {
  const held = (key: keyof typeof ownRoles): readonly KubeObject[] =>
    rest.unread?.has(key) === true ? [] : ownRoles[key];
  return factsOf(
    {
      namespaces: [aNamespace("engine"), aNamespace("shop")],
      deployments: [anOperator()],
      statefulSets: [aSet()],
      pods: threePods,
      services: [aService("engine")],
      endpointSlices: [anEndpointSlice("engine")],
      configMaps: [settings({ [names.configMap.namespaces]: "shop" })],
      webhookSecrets: [aSecret("engine")],
      ecs: [aCluster()],
      edbs: [anEdb("a"), anEdb("b")],
      eaadbs: [anEaadb("carts")],
      webhookConfigurations: [aNewConfiguration()],
      ...lists,
      roles: [...held("roles"), ...(lists.roles ?? [inShop.role])],
      roleBindings: [...held("roleBindings"), ...(lists.roleBindings ?? [inShop.binding])],
    },
    { certificate, ...rest },
  );
}

export const input: StatusInput = {
  rbac: { documents: shipped, source: "the shipped files" },
};

/** The status of the facts, with some lists replaced. */
export function statusOf(
  lists: Lists = {},
  rest: Partial<Facts> = {},
  more: Partial<StatusInput> = {},
): Status {
  const facts = fine(lists, rest);
  return judgeStatus(facts, { ...input, probe: playProbe(facts), ...more });
}

/** Facts in which lists may not be read. */
export function unread(...keys: readonly FactKey[]): [lists: Lists, rest: Partial<Facts>] {
  const none = Object.fromEntries(keys.map((key) => [key, []])) as Lists;
  return [none, { unread: new Map(keys.map((key) => [key, "forbidden"])) }];
}
