/** Clusters in memory on which every check is ok, and single changes that one check is about. */
import type { ProbeOutcome } from "../../../../plugin/domain/admission/probe-outcome";
import { generatePair, readSecretCertificate } from "../../../../plugin/adapters/certificate";
import { readShippedRbac, readShippedTemplate } from "../../../../plugin/adapters/shipped";
import { parseDocuments } from "../../../../plugin/adapters/kubernetes/text/yaml";
import { omit } from "../../../../plugin/domain/base/values";
import type { CheckTarget } from "../../../../plugin/domain/checks/context";
import type { Judgment } from "../../../../plugin/domain/checks/judge";
import { judgeChecks } from "../../../../plugin/commands/checks";
import { type Selection } from "../../../../plugin/domain/checks/selection";
import { type FactKey, type Facts } from "../../../../plugin/domain/facts/facts";
import { defaultNames as names, type Names } from "../../../../plugin/domain/names/names";
import { judgeNames } from "../../../../plugin/domain/names/judge";
import { type KubeObject, objectLabel } from "../../../../plugin/domain/kube/objects";
import { pairIn, renderRbac } from "../../../../plugin/domain/rbac/templates";
import type { ReleaseContents } from "../../../../plugin/domain/release/contents";
import { renderTemplate, buildConfiguration } from "../../../../plugin/domain/admission/wanted";
import { exampleDefinitions } from "../../../../plugin/simulator/example";
import type { Certificates } from "../../../../plugin/readers/certificate";
import { readSnapshot } from "../../../../plugin/readers/snapshot";
import { testTime } from "../../../support/manual-clock";
import { makeOpenDefinition } from "../../../support/open-definition";
import { startOfRun } from "../../../support/program-world";
import { usable } from "../../../support/renamed";
import { makeWorld } from "../../../support/world";

export const operatorNamespace = "engine";
export const consumer = "shop";
const day = 24 * 3_600_000;
const rbac = "rbac.authorization.k8s.io";
const product = `${names.group}/${names.version}`;

const readCertificates = new Map<string, ReturnType<typeof readSecretCertificate>>();

/** Most worlds have the same pair, and reading it is a good part of what reading a world takes. */
const certificates: Pick<Certificates, "readSecretCertificate"> = {
  readSecretCertificate: (secret, names, live) => {
    // each world has uids of its own
    const metadata = omit(secret.metadata, "uid");
    const key = JSON.stringify([{ ...secret, metadata }, names, live]);
    const known = readCertificates.get(key) ?? readSecretCertificate(secret, names, live);
    readCertificates.set(key, known);
    return known;
  },
};

/** A deep change of one cluster; objects are told by their labels. */
export class World {
  readonly objects: KubeObject[];
  apiServer: string | undefined = "v1.33.4";
  target: CheckTarget;
  /** Lists that are refused, each with the reason. */
  readonly unread = new Map<FactKey, string>();
  readonly certificates: boolean = true;
  names: Names = names;

  constructor(objects: readonly KubeObject[], target: CheckTarget) {
    this.objects = structuredClone([...objects]);
    this.target = target;
  }

  set(label: string, path: string, value: unknown): this {
    const keys = path.split(".");
    const last = keys.pop() ?? "";
    const parent = keys.reduce<Record<string, unknown>>((object, key) => {
      object[key] ??= {};
      return object[key] as Record<string, unknown>;
    }, this.find(label));
    if (value === undefined) Reflect.deleteProperty(parent, last);
    else parent[last] = structuredClone(value);
    return this;
  }

  note(label: string, part: "labels" | "annotations", notes: Record<string, string>): this {
    const { metadata } = this.find(label) as unknown as { metadata: Record<string, object> };
    metadata[part] = { ...metadata[part], ...notes };
    return this;
  }

  add(...objects: readonly KubeObject[]): this {
    this.objects.push(...objects);
    return this;
  }

  remove(...labels: readonly string[]): this {
    for (const label of labels) this.objects.splice(this.indexOf(label), 1);
    return this;
  }

  copy(label: string, metadata: Record<string, unknown>): this {
    const object = structuredClone(this.find(label)) as unknown as KubeObject;
    return this.add({ ...object, metadata: { ...object.metadata, ...metadata } });
  }

  named(overrides: object): this {
    this.names = usable(judgeNames(overrides));
    return this;
  }

  wants(operatorVersion: string, contents?: Partial<ReleaseContents>): this {
    this.target = {
      ...this.target,
      operatorVersion,
      ...(contents && { contents: release(contents) }),
    };
    return this;
  }

  /** What the webhook was seen to do; absent: nothing was sent. */
  probe: ProbeOutcome | undefined;

  async facts(): Promise<Facts> {
    const cluster = makeWorld({ objects: structuredClone(this.objects) }).connect();
    const clock = { now: () => testTime, sleep: () => Promise.resolve() };
    const facts = await readSnapshot(
      {
        cluster,
        clock,
        names: this.names,
        signal: new AbortController().signal,
        certificates,
      },
      operatorNamespace,
    );
    return {
      ...facts,
      apiServer: this.apiServer,
      unread: new Map([...facts.unread, ...this.unread]),
    };
  }

  async judge(selection: Selection = {}): Promise<Judgment> {
    return judgeChecks(await this.facts(), this.target, { selection, probe: this.probe });
  }

  find(label: string): Record<string, unknown> {
    return this.objects[this.indexOf(label)] as unknown as Record<string, unknown>;
  }

  labels(): readonly string[] {
    return this.objects.map(objectLabel);
  }

  private indexOf(label: string): number {
    const index = this.objects.findIndex((object) => objectLabel(object) === label);
    if (index < 0) throw new Error(`there is no ${label}`);
    return index;
  }
}

/** A release with nothing in it but what is given. */
export function release(parts: Partial<ReleaseContents>): ReleaseContents {
  return {
    source: "RELEASE",
    sha256: "",
    platform: "kubernetes",
    operatorVersion: "8.0.2-2",
    clusterVersion: "8.0.2-17",
    bundle: [],
    definitions: [],
    webhook: { text: "", source: "webhook.yaml" },
    rbac: [{ text: "", source: "role.yaml" }],
    scc: undefined,
    ...parts,
  };
}

/** Everything in order: operator 8.0.2-2, one EC, databases in two namespaces, no OpenShift. */
export async function fitWorld(): Promise<World> {
  fit ??= make();
  const { objects, target } = await fit;
  return new World(objects, target);
}

/** The same on OpenShift: unprivileged, the old constraints gone. */
export async function openShiftWorld(): Promise<World> {
  const world = await fitWorld();
  world.add(
    ...exampleDefinitions(names).filter(isConstraints).map(established),
    clusterVersionKind,
    {
      apiVersion: "config.openshift.io/v1",
      kind: "ClusterVersion",
      metadata: { name: "version" },
      status: { desired: { version: "4.20.1" } },
    },
  );
  const { rules } = world.find(`Role/engine/${names.operator.role}`) as { rules: object[] };
  rules.push(useOf("nonroot-v2"));
  return world;
}

let fit:
  Promise<{ readonly objects: readonly KubeObject[]; readonly target: CheckTarget }> | undefined;

async function make() {
  const { certPem, keyPem } = await generatePair({
    namespace: operatorNamespace,
    names,
    now: startOfRun,
  });
  const cert = base64(certPem);
  const shipped = Object.entries(readShippedRbac()).flatMap(([file, text]) =>
    parseDocuments(text, file),
  );
  const rendered = renderTemplate(
    parseDocuments(readShippedTemplate(), ""),
    operatorNamespace,
    names,
  );
  const pairs = renderRbac(shipped, {
    namespace: operatorNamespace,
    accounts: ["ec"],
    label: true,
    names,
  });
  if (rendered.is === "unfit" || pairs.is === "unfit") throw new Error("unfit templates");
  const webhook = buildConfiguration({
    template: rendered.configuration,
    live: undefined,
    old: undefined,
    caBundle: cert,
    takeTemplateSelectors: false,
    names,
  }).object;
  const { role, binding } = pairIn(pairs.consumer, consumer);
  const objects = [
    ...exampleDefinitions(names)
      .filter((one) => !isConstraints(one))
      .map(established),
    ...["engine", consumer, "other"].map(aNamespace),
    ...operator(),
    secret(names.webhook.secret, { cert, privateKey: base64(keyPem) }),
    webhook,
    role,
    binding,
    ...cluster(),
    database("engine", "config"),
    database(consumer, "orders", { modulesList: [{ name: "search" }] }),
    activeActive(),
    remote(),
  ];
  const rbac = { documents: shipped, source: "the shipped files" };
  return { objects, target: { webhook: rendered.configuration, rbac } };
}

function operator(): readonly KubeObject[] {
  const { operator: words, configMap, webhook, images } = names;
  const metadata = { namespace: operatorNamespace };
  const container = (name: string): object => ({
    name,
    image: `${images.operator}:8.0.2-2`,
    envFrom: [{ configMapRef: { name: configMap.name, optional: true } }],
  });
  return [
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { ...metadata, name: words.deployment, generation: 1 },
      spec: {
        replicas: 1,
        strategy: { type: "Recreate" },
        template: {
          spec: {
            serviceAccountName: words.serviceAccount,
            containers: [container(words.container), container(words.admissionContainer)],
          },
        },
      },
      status: { observedGeneration: 1, readyReplicas: 1, updatedReplicas: 1, availableReplicas: 1 },
    },
    {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { ...metadata, name: words.serviceAccount },
    },
    aRole(words.role, [{ apiGroups: [names.group], resources: ["*"], verbs: ["*"] }]),
    aBinding(words.roleBinding, { kind: "Role", name: words.role }, [
      { kind: "ServiceAccount", name: words.serviceAccount, namespace: operatorNamespace },
    ]),
    {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { ...metadata, name: configMap.name },
      data: { [configMap.namespaces]: consumer },
    },
    service(webhook.service, 443),
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: {
        ...metadata,
        name: "admission-1",
        labels: { "kubernetes.io/service-name": webhook.service },
      },
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true } }],
    },
    {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "node-1" },
      status: {
        conditions: [{ type: "Ready", status: "True" }],
        nodeInfo: { architecture: "amd64" },
      },
    },
    {
      apiVersion: "v1",
      kind: "ResourceQuota",
      metadata: { ...metadata, name: "quota" },
      status: { hard: { pods: "20" }, used: { pods: "8" } },
    },
  ];
}

function cluster(): readonly KubeObject[] {
  const metadata = { namespace: operatorNamespace, name: "ec" };
  const pods = [0, 1, 2].map((ordinal) => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      namespace: operatorNamespace,
      name: `ec-${ordinal}`,
      ownerReferences: [{ apiVersion: "apps/v1", kind: "StatefulSet", name: "ec", uid: "set" }],
    },
    spec: {
      serviceAccountName: "ec",
      containers: [{ name: names.pods.container, image: `${names.images.cluster}:8.0.2-17` }],
    },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  }));
  return [
    {
      apiVersion: product,
      kind: names.ec.kind,
      metadata,
      spec: {
        nodes: 3,
        engineEnterpriseImageSpec: {
          repository: names.images.cluster,
          versionTag: "8.0.2-17",
          imagePullPolicy: "IfNotPresent",
        },
      },
      status: {
        state: "Running",
        specStatus: "Valid",
        licenseStatus: {
          licenseState: "Valid",
          expirationDate: new Date(testTime + 300 * day).toISOString(),
          shardsLimit: 10,
          shardsUsage: 4,
        },
        modules: [
          { name: "search", displayName: "EngineSearch" },
          { name: "rg", displayName: "EngineGears" },
        ],
        bundledDatabaseVersions: ["7.2", "7.4", "8.0", "8.2"].map((version) => ({
          dbType: names.engineDbType,
          version,
        })),
      },
    },
    {
      apiVersion: "apps/v1",
      kind: "StatefulSet",
      metadata: { ...metadata, uid: "set" },
      spec: { replicas: 3 },
      status: { readyReplicas: 3, observedGeneration: 1 },
    },
    ...pods,
    service("ec", 9443),
    secret("ec", { username: "dQ==", password: "cA==" }),
  ];
}

function database(namespace: string, name: string, spec: object = {}): KubeObject {
  return {
    apiVersion: product,
    kind: names.edb.kind,
    metadata: { namespace, name, generation: 2 },
    spec: {
      engineVersion: "7.4",
      replication: true,
      engineEnterpriseCluster: { name: "ec" },
      ...spec,
    },
    status: {
      databaseUID: "1",
      status: "active",
      specStatus: "Valid",
      observedGeneration: 2,
      version: "7.4.2",
    },
  };
}

function activeActive(): KubeObject {
  return {
    apiVersion: product,
    kind: names.eaadb.kind,
    metadata: { namespace: operatorNamespace, name: "carts" },
    spec: {
      participatingClusters: [{ name: "here" }],
      globalConfigurations: { engineVersion: "7.4", replication: true },
    },
    status: { status: "active", specStatus: "Valid", replicationStatus: "up" },
  };
}

function remote(): KubeObject {
  return {
    apiVersion: product,
    kind: names.erc.kind,
    metadata: { namespace: operatorNamespace, name: "here" },
    spec: { ecName: "ec", ecNamespace: operatorNamespace, secretName: "ec" },
    status: { status: "Active", local: true },
  };
}

export function aNamespace(name: string): KubeObject {
  return {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
    status: { phase: "Active" },
  };
}

export function secret(
  name: string,
  data: Readonly<Record<string, string>>,
  namespace = operatorNamespace,
): KubeObject {
  const metadata = { namespace, name };
  return { apiVersion: "v1", kind: "Secret", metadata, type: "Opaque", data };
}

function service(name: string, port: number): KubeObject {
  const metadata = { namespace: operatorNamespace, name };
  return { apiVersion: "v1", kind: "Service", metadata, spec: { ports: [{ port }] } };
}

export function aRole(name: string, rules: readonly object[], namespace = "engine"): KubeObject {
  return { apiVersion: `${rbac}/v1`, kind: "Role", metadata: { namespace, name }, rules };
}

export function aBinding(
  name: string,
  { kind, name: role }: { readonly kind: string; readonly name: string },
  subjects: readonly object[],
): KubeObject {
  return {
    apiVersion: `${rbac}/v1`,
    kind: "RoleBinding",
    metadata: { namespace: operatorNamespace, name },
    roleRef: { apiGroup: rbac, kind, name: role },
    subjects,
  };
}

export function useOf(name: string): object {
  return {
    apiGroups: ["security.openshift.io"],
    resources: ["securitycontextconstraints"],
    resourceNames: [name],
    verbs: ["use"],
  };
}

export function aConstraint(name: string, parts: object = {}): KubeObject {
  return {
    apiVersion: "security.openshift.io/v1",
    kind: "SecurityContextConstraints",
    metadata: { name },
    ...parts,
  };
}

function isConstraints({ metadata }: KubeObject): boolean {
  return metadata.name?.startsWith("securitycontextconstraints.") === true;
}

export function established(definition: KubeObject): KubeObject {
  return { ...definition, status: { conditions: [{ type: "Established", status: "True" }] } };
}

const clusterVersionKind = established(
  makeOpenDefinition({
    group: "config.openshift.io",
    scope: "Cluster",
    kind: "ClusterVersion",
    plural: "clusterversions",
  }),
);

/** OLM's Subscriptions, which this cluster does not serve without it. */
export const subscriptionKind = established(
  makeOpenDefinition({
    group: "operators.coreos.com",
    version: "v1alpha1",
    scope: "Namespaced",
    kind: "Subscription",
    plural: "subscriptions",
  }),
);

export function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
