/**
 * An upgrade of a cluster half way, as a dump of its objects, and what people do to such a dump:
 * the pods are renewed from the highest number down, the third one is new, and hours ago it stopped.
 */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { startOfRun } from "../../../support/program-world";

export type Fields = Record<string, unknown>;

/** An object of a dump that is changed in place. */
export interface Dumped extends Fields {
  readonly kind: string;
  readonly metadata: Fields & { name: string };
  spec: Fields;
  status: Fields;
}

export const ns = "payments";
export const name = "billing";
export const node = names.pods.container;
export const [oldTag, newTag] = ["8.0.10-64", "8.0.18-23.11"];
export const [oldOperator, newOperator] = ["8.0.10-21", "8.0.18-11"];
export const [ecKind, edbKind] = [names.ec.kind, names.edb.kind];
const group = names.group;

/** So many hours before the look. */
export const at = (hours: number): string =>
  new Date(startOfRun - hours * 3_600_000).toISOString().replace(".000", "");

const owner = (kind: string, uid: string) => ({ kind, name, uid, controller: true });

export const image = (tag: string): string => `registry.example.net:5000/engine/engine:${tag}`;

const agentImage = "registry.example.net:5000/tools/agent:2.4";

export function aPod(ordinal: number, isNew: boolean, hours: number): Dumped {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `${name}-${ordinal}`,
      namespace: ns,
      uid: `pod-uid-${ordinal}`,
      creationTimestamp: at(hours),
      labels: {
        "engine-enterprise": name,
        "controller-revision-hash": `${name}-${isNew ? "7c" : "5d"}`,
      },
      ownerReferences: [{ apiVersion: "apps/v1", ...owner("StatefulSet", "set-uid") }],
    },
    spec: {
      serviceAccountName: name,
      nodeName: `worker-${ordinal}`,
      containers: [
        { name: node, image: image(isNew ? newTag : oldTag) },
        { name: "agent", image: agentImage },
      ],
    },
    status: {
      phase: "Running",
      startTime: at(hours),
      conditions: [
        { type: "PodScheduled", status: "True", lastTransitionTime: at(hours) },
        { type: "Ready", status: "True", lastTransitionTime: at(hours) },
      ],
      containerStatuses: [node, "agent"].map((one) => ({
        ...{ name: one, ready: true, restartCount: 0 },
        state: { running: { startedAt: at(hours) } },
      })),
    },
  };
}

export function aNode(ordinal: number): Dumped {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: `worker-${ordinal}` },
    spec: {},
    status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: at(900) }] },
  };
}

const operatorName = names.operator.deployment;

function operatorDeployment(): Dumped {
  const container = (one: string) => ({ name: one, image: `engine/operator:${newOperator}` });
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: operatorName, namespace: ns, generation: 4 },
    spec: {
      replicas: 1,
      selector: { matchLabels: { name: operatorName } },
      template: {
        metadata: { labels: { name: operatorName } },
        spec: {
          serviceAccountName: operatorName,
          containers: [
            container(operatorName),
            { ...container("admission"), ports: [{ containerPort: 8443 }] },
          ],
        },
      },
    },
    status: {
      ...{ observedGeneration: 4, replicas: 1, updatedReplicas: 1 },
      ...{ readyReplicas: 1, availableReplicas: 1 },
    },
  };
}

function theCluster(): Dumped {
  return {
    apiVersion: `${group}/v1`,
    kind: ecKind,
    metadata: {
      ...{ name, namespace: ns, uid: "ec-uid", generation: 7 },
      creationTimestamp: at(900),
    },
    spec: {
      nodes: 3,
      engineEnterpriseImageSpec: {
        repository: "registry.example.net:5000/engine/engine",
        versionTag: newTag,
        imagePullPolicy: "IfNotPresent",
      },
    },
    status: {
      state: "Upgrade",
      specStatus: "Valid",
      licenseStatus: { licenseState: "Valid" },
      bundledDatabaseVersions: ["7.2", "7.4", "8.0", "8.2"].map((version) => ({
        version,
        dbType: "engine",
      })),
    },
  };
}

export function aDatabase(called = "invoices", fields: Fields = {}): Dumped {
  return {
    apiVersion: `${group}/v1alpha1`,
    kind: edbKind,
    metadata: { name: called, namespace: ns, generation: 2 },
    spec: {
      ...{ memorySize: "1GB", replication: true, engineVersion: "7.4" },
      engineEnterpriseCluster: { name },
      ...fields,
    },
    status: {
      ...{ status: "active", specStatus: "Valid", observedGeneration: 2 },
      ...{ version: "7.4.0", databaseUID: "3" },
    },
  };
}

function theStatefulSet(): Dumped {
  return {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    metadata: {
      ...{ name, namespace: ns, uid: "set-uid", generation: 9, creationTimestamp: at(900) },
      ownerReferences: [{ apiVersion: `${group}/v1`, ...owner(ecKind, "ec-uid") }],
    },
    spec: {
      ...{ replicas: 3, serviceName: name, podManagementPolicy: "OrderedReady" },
      updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
      selector: { matchLabels: { "engine-enterprise": name } },
      template: {
        metadata: { labels: { "engine-enterprise": name } },
        spec: {
          serviceAccountName: name,
          containers: [
            { name: node, image: image(newTag) },
            { name: "agent", image: agentImage },
          ],
        },
      },
    },
    status: {
      ...{ observedGeneration: 9, replicas: 3, readyReplicas: 3 },
      ...{ currentReplicas: 2, updatedReplicas: 1 },
      ...{ currentRevision: `${name}-5d`, updateRevision: `${name}-7c` },
    },
  };
}

/** What the operator may do in its own namespace. */
function ownRoles(): readonly Dumped[] {
  const { role, roleBinding, serviceAccount } = names.operator;
  const own = (kind: string, called: string, rest: object): Dumped => ({
    ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind, spec: {}, status: {} },
    metadata: { name: called, namespace: ns },
    ...rest,
  });
  return [
    own("Role", role, { rules: [] }),
    own("RoleBinding", roleBinding, {
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: role },
      subjects: [{ kind: "ServiceAccount", name: serviceAccount, namespace: ns }],
    }),
  ];
}

/** The objects of a dump, which a state changes in place. */
export class Dump {
  readonly items: Dumped[] = [
    { apiVersion: "v1", kind: "Namespace", metadata: { name: ns }, spec: {}, status: {} },
    operatorDeployment(),
    ...ownRoles(),
    theCluster(),
    aDatabase(),
    theStatefulSet(),
    ...[aPod(0, false, 700), aPod(1, false, 700), aPod(2, true, 9)],
    ...[0, 1, 2].map(aNode),
  ];

  get(kind: string, called: string = name): Dumped {
    const found = this.items.find((one) => one.kind === kind && one.metadata.name === called);
    if (found === undefined) throw new Error(`the dump has no ${kind} ${called}`);
    return found;
  }

  get ec(): Dumped {
    return this.get(ecKind);
  }

  get set(): Dumped {
    return this.get("StatefulSet");
  }

  get operator(): Dumped {
    return this.get("Deployment", operatorName);
  }

  pod(ordinal: number): Dumped {
    return this.get("Pod", `${name}-${ordinal}`);
  }

  node(ordinal: number): Dumped {
    return this.get("Node", `worker-${ordinal}`);
  }

  drop(kind: string, called: string = name): void {
    this.items.splice(this.items.indexOf(this.get(kind, called)), 1);
  }

  add(...objects: readonly (Partial<Dumped> & { readonly kind: string })[]): void {
    this.items.push(...(objects as readonly Dumped[]));
  }

  status(fields: Fields): void {
    this.set.status = { ...this.set.status, ...fields };
  }

  /** The tag that the EC asks for. */
  tag(tag: string): void {
    (this.ec.spec["engineEnterpriseImageSpec"] as Fields)["versionTag"] = tag;
  }

  /** Every pod is of the new revision, since so many hours. */
  renewed(hours = 9): void {
    for (const ordinal of [0, 1, 2]) this.put(ordinal, aPod(ordinal, true, hours));
    this.status({ updatedReplicas: 3, currentRevision: `${name}-7c` });
  }

  /** A pod of the set is not there. */
  without(...ordinals: readonly number[]): void {
    for (const ordinal of ordinals) this.drop("Pod", `${name}-${ordinal}`);
    const left = 3 - ordinals.length;
    this.status({ replicas: left, readyReplicas: left, updatedReplicas: 0 });
  }

  /** No pod has been renewed, and the StatefulSet asks for nothing else. */
  before(): void {
    const { ec, set } = this;
    this.tag(oldTag);
    ec.status["state"] = "Running";
    this.status({ updateRevision: `${name}-5d`, updatedReplicas: 3, currentReplicas: 3 });
    setImage(set, image(oldTag));
    for (const ordinal of [0, 1, 2]) this.put(ordinal, aPod(ordinal, false, 700));
  }

  put(ordinal: number, pod: Dumped): void {
    this.items[this.items.indexOf(this.pod(ordinal))] = pod;
  }

  /** A warning about an object, again and again until lately. */
  warn(
    [kind, called]: readonly [kind: string, called: string],
    [reason, message]: readonly [reason: string, message: string],
    fields: Fields = {},
  ): void {
    this.add({
      apiVersion: "v1",
      kind: "Event",
      metadata: { name: `${called}.${this.items.length}`, namespace: ns },
      type: "Warning",
      involvedObject: { kind, name: called, namespace: ns },
      ...{ reason, message, count: 40, firstTimestamp: at(9), lastTimestamp: at(0.05) },
      ...fields,
    });
  }

  get text(): string {
    return JSON.stringify({ apiVersion: "v1", kind: "List", items: this.items });
  }
}

/** The image of the node's container, in a pod or in the template of a set. */
export function setImage({ spec }: Dumped, to: string): void {
  const template = spec["template"] as { readonly spec: Fields } | undefined;
  const [first] = (template?.spec ?? spec)["containers"] as Fields[];
  if (first !== undefined) first["image"] = to;
}

/** The revision of a pod. */
export function setRevision(pod: Dumped, revision: string): void {
  (pod.metadata["labels"] as Fields)["controller-revision-hash"] = `${name}-${revision}`;
}

/** The kubelet says that the pod is not ready. */
export function unready(pod: Dumped, hours = 9, fields: Fields = {}): void {
  const conditions = pod.status["conditions"] as Fields[];
  pod.status["conditions"] = [
    ...conditions.filter(({ type }) => type !== "Ready"),
    {
      ...{ type: "Ready", status: "False", reason: "ContainersNotReady" },
      ...{ message: `containers with unready status: [${node}]`, lastTransitionTime: at(hours) },
      ...fields,
    },
  ];
  container(pod)["ready"] = false;
}

/** The status of one of its containers, by its name. */
export function container(pod: Dumped, called: string = node): Fields {
  const all = pod.status["containerStatuses"] as Fields[];
  return all.find((one) => one["name"] === called) ?? {};
}

/** A container waits, and the pod has not run yet. */
export function waits(pod: Dumped, reason: string, message?: string): void {
  unready(pod);
  pod.status["phase"] = "Pending";
  for (const one of pod.status["containerStatuses"] as Fields[]) {
    Object.assign(one, { ready: false, state: { waiting: { reason } } });
  }
  container(pod)["state"] = { waiting: { reason, ...(message !== undefined && { message }) } };
}

/** The scheduler has found no node. */
export function unplaced(pod: Dumped, message: string, fields: Fields = {}): void {
  delete pod.spec["nodeName"];
  const no = { type: "PodScheduled", status: "False", reason: "Unschedulable" };
  pod.status = {
    phase: "Pending",
    conditions: [{ ...no, message, lastTransitionTime: at(9), ...fields }],
  };
}

/** It is to end, and its time was over so many hours ago. */
export function leaving(pod: Dumped, hoursOver: number, grace = 30): void {
  pod.metadata["deletionTimestamp"] = at(hoursOver);
  pod.metadata["deletionGracePeriodSeconds"] = grace;
}

/** The node has sent nothing for hours. */
export function dead(one: Dumped, hours = 9): void {
  const taint = { key: "node.kubernetes.io/unreachable", effect: "NoExecute" };
  one.spec["taints"] = [{ ...taint, timeAdded: at(hours) }];
  one.status["conditions"] = [
    {
      ...{ type: "Ready", status: "Unknown", reason: "NodeStatusUnknown" },
      ...{ message: "Kubelet stopped posting node status.", lastTransitionTime: at(hours) },
    },
  ];
}
