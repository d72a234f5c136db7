/** A working webhook on a real API server, changed in one way after the other and put back. */
import { setTimeout as pause } from "node:timers/promises";
import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import type { StatusDetails } from "../../../plugin/commands/status/screen";
import { certify } from "../../support/tls";
import { Api, type ApiAnswer, ApiError, appGroup, type KubeObject, pathOf, type Ref } from "../api";
import { admissionSecret, caBundleOf, makePair, type Pair } from "../certificate";
import { type ControlPlane, startControlPlane } from "../control-plane";
import {
  admissionService,
  namespaceOf,
  operatorDeployment,
  operatorName,
  writeOperatorStatus,
} from "../operator";
import { runner, runPlugin } from "../plugin-run";
import {
  crdsDir,
  database,
  type Definition,
  type Scene,
  seedScene,
  serveDefinitions,
} from "../scene";
import { type StandIn, startStandIn } from "../stand-in-webhook";
import { until } from "../until";
import {
  newConfiguration,
  newConfigurationName,
  newEntryName,
  oldConfiguration,
} from "../webhook-configurations";
import {
  admissionPolicy,
  type EndpointLike,
  nodeAddress,
  pod,
  type PodOptions,
  podName,
  policyOfNetwork,
  quota,
  countName,
  replicaSet,
  slice,
} from "./objects";
import { startProcess } from "./process";
import type { Answers, Bundle, Certificate, Change, EditName, Got, Scenery, Way } from "./ways";
import { join } from "node:path";
import { load } from "js-yaml";

const namespace = "engine";
const user = "jane";
const day = 24 * 60 * 60_000;

/** What was said of one way. */
export interface Told {
  readonly edits: Way["edits"];
  /** The words of the API server to the edits that did not pass. */
  readonly answers: readonly string[];
  readonly verdict: StatusDetails["webhook"]["verdict"];
  readonly says?: string;
  readonly next?: string;
  readonly seconds: number;
}

interface Served {
  readonly pair: Pair;
  /** What the Secret holds. */
  readonly stored: Pair;
  readonly caBundle: string;
}

/** Puts something back. */
type Undo = () => Promise<unknown>;

export class Stage {
  readonly #undo: Undo[] = [];
  #owner: KubeObject | undefined;

  private constructor(
    private readonly controlPlane: ControlPlane,
    private readonly scene: Scene,
    private readonly asUser: Api,
  ) {}

  static async open(): Promise<Stage> {
    const controlPlane = await startControlPlane({ users: [runner, { name: user }] });
    try {
      const { api } = controlPlane;
      const scene = await seedScene(api, { namespace });
      for (const object of rightsOfUser()) await api.create(object);
      const { cluster, token } = accessOf(controlPlane.kubeconfigFor(user));
      const asUser = new Api({ url: controlPlane.url, ca: cluster, token });
      const stage = new Stage(controlPlane, scene, asUser);
      await stage.#addPods();
      return stage;
    } catch (error) {
      await controlPlane.stop({ keepLogs: true });
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.clear().catch(() => undefined);
    this.asUser.close();
    await this.controlPlane.stop();
  }

  /** Changes it in this way, asks, and puts it back. */
  async tell(way: Way): Promise<Told> {
    const from = Date.now();
    try {
      await this.#lay(way.changed);
      const { edits, answers } = await this.#edit(way.edits);
      await this.#removeEdited();
      const { report } = await runPlugin(this.controlPlane, ["status"], { namespace });
      const { webhook, next } = report.details as StatusDetails;
      return {
        edits,
        answers,
        verdict: webhook.verdict,
        ...(webhook.probe !== undefined && { says: webhook.probe.says }),
        ...(next !== undefined && { next: next.command ?? next.says }),
        seconds: (Date.now() - from) / 1_000,
      };
    } finally {
      await this.clear();
    }
  }

  async clear(): Promise<void> {
    while (this.#undo.length > 0) await this.#undo.pop()?.();
    await this.#api.remove(configurationRef(newConfigurationName));
    await this.#removeEdited();
  }

  get #api(): Api {
    return this.controlPlane.api;
  }

  async #lay(changed: Change): Promise<void> {
    await this.#untilActedOn();
    const { pair, stored, caBundle } = servedFor(this.scene, changed);
    if (stored !== this.scene.pair) {
      await this.#store(stored);
      this.#undo.push(() => this.#store(this.scene.pair));
    }
    // what refused in the way before may be in force for a moment more
    for (const name of ["good", "bad"]) {
      await until("an edit to pass", () => this.#ensure(edited(name, "7.4")));
    }
    const { site } = this.controlPlane;
    const conduct = changed.conduct ?? "judges";
    const process = await startProcess({ site, host: this.scene.clusterIP, pair, conduct });
    this.#undo.push(() => process.close());
    if (changed.scenery !== undefined) await this.#sceneries[changed.scenery]();
    await this.#api.create(await this.#configurationFor(changed, caBundle));
    await this.#untilActedOn();
  }

  #store(pair: Pair): Promise<unknown> {
    return this.#api.replace(admissionSecret(namespace, pair));
  }

  async #configurationFor(changed: Change, caBundle: string): Promise<KubeObject> {
    const { entry, rule, service, url, entries } = changed;
    const { webhooks, ...rest } = newConfiguration({
      namespace,
      caBundle,
      ...(entry !== undefined && { entry }),
      ...(rule !== undefined && { rule }),
      ...(service !== undefined && { service }),
    }) as KubeObject & { readonly webhooks: readonly Entry[] };
    if (entries === "none") return { ...rest, webhooks: [] };
    if (url !== undefined) {
      return {
        ...rest,
        webhooks: webhooks.map((one) => ({ ...one, clientConfig: { url, caBundle } })),
      };
    }
    const further =
      entries === "forClusters"
        ? webhooks.map(forClusters)
        : entries === "ofOtherService"
          ? [await this.#entryOfOthers()]
          : [];
    return { ...rest, webhooks: [...webhooks, ...further] };
  }

  /** For ConfigMaps, judged by the Service of another team. */
  async #entryOfOthers(): Promise<object> {
    const caBundle = await this.#startNeighbour("platform", "checks", "allows");
    return {
      ...guest("checks.platform.example", "platform", "checks", caBundle),
      rules: [
        { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] },
      ],
    };
  }

  /** Another webhook behind a Service of its own. */
  async #startNeighbour(
    place: string,
    name: string,
    conduct: "allows" | "refuses",
  ): Promise<string> {
    await this.#ensure(namespaceOf(place));
    const service = admissionService(place);
    const made = await this.#ensure({ ...service, metadata: { ...service.metadata, name } });
    const { clusterIP } = made["spec"] as { readonly clusterIP: string };
    const pair = makePair({ namespace: place, names: [`${name}.${place}.svc`] });
    const standIn: StandIn = await startStandIn(clusterIP, pair, conduct);
    this.#undo.push(() => standIn.close());
    return caBundleOf(pair.cert);
  }

  async #ensure(object: KubeObject): Promise<KubeObject> {
    return (await this.#api.read(object)) ?? (await this.#api.create(object));
  }

  /** Creates, until it is put back. */
  async #add(...objects: readonly KubeObject[]): Promise<void> {
    for (const object of objects) {
      await this.#api.create(object);
      this.#undo.push(() => this.#api.remove(object));
    }
  }

  async #patch(ref: Ref, body: object, back: object): Promise<void> {
    const send = (part: object): Promise<ApiAnswer> =>
      this.#api.send("PATCH", pathOf(ref), {
        body: part,
        contentType: "application/merge-patch+json",
      });
    const answer = await send(body);
    if (answer.status !== 200) throw new ApiError(`cannot patch ${ref.metadata.name}`, answer);
    this.#undo.push(() => send(back));
  }

  async #setEndpoints(endpoints: readonly EndpointLike[], port?: number): Promise<void> {
    await this.#api.replace(slice(namespace, endpoints, port));
    this.#undo.push(() => this.#api.replace(slice(namespace)));
  }

  async #addPods(): Promise<void> {
    const deployment = await this.#ensure(operatorDeployment(namespace));
    const path = `/apis/apps/v1/namespaces/${namespace}/replicasets`;
    const { body } = await this.#api.send("POST", path, {
      body: replicaSet(namespace, deployment),
    });
    this.#owner = body as KubeObject;
    await this.#api.create(accountOfOperator);
    await this.#putPod();
    await this.#api.replace(slice(namespace));
  }

  async #putPod(options: PodOptions = {}): Promise<void> {
    if (this.#owner === undefined) throw new Error("no ReplicaSet");
    const { status, ...rest } = pod(this.#owner, options);
    await this.#removePod(rest);
    await this.#api.create(rest);
    await this.#api.writeStatus(rest, status as object);
  }

  /** At once: no kubelet is there to end it. */
  async #removePod(ref: Ref): Promise<void> {
    await this.#api.send("DELETE", `${pathOf(ref)}?gracePeriodSeconds=0`);
  }

  /** The one pod, otherwise; the Deployment reports it. */
  async #changePod(options: PodOptions): Promise<void> {
    await this.#putPod(options);
    await writeOperatorStatus(this.#api, namespace, options.ready);
    this.#undo.push(async () => {
      await this.#putPod();
      await writeOperatorStatus(this.#api, namespace);
    });
  }

  /** Another number of replicas, and what the Deployment's controller reports of them. */
  async #scale(replicas: number, ready: number): Promise<void> {
    const ref = operatorDeployment(namespace);
    this.#undo.push(() => writeOperatorStatus(this.#api, namespace));
    await this.#patch(ref, { spec: { replicas } }, { spec: { replicas: 1 } });
    await this.#api.writeStatus(ref, {
      observedGeneration: (await this.#api.read(ref))?.metadata.generation,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: ready,
      availableReplicas: ready,
      unavailableReplicas: replicas - ready,
    });
  }

  readonly #sceneries: Readonly<Record<Scenery, () => Promise<void>>> = {
    scaledToZero: async () => {
      await this.#scale(0, 0);
      await this.#removePod(podRef(podName));
      this.#undo.push(() => this.#putPod());
      await this.#setEndpoints([]);
    },
    selectorOfOthers: async () => {
      const selects = (name: string): object => ({ spec: { selector: { name } } });
      await this.#patch(
        admissionService(namespace),
        selects("engine-operator"),
        selects(operatorName),
      );
      await this.#setEndpoints([]);
    },
    otherTargetPort: async () => {
      const ports = (targetPort: number): object => ({
        spec: { ports: [{ name: "https", port: 443, targetPort, protocol: "TCP" }] },
      });
      await this.#patch(admissionService(namespace), ports(9443), ports(8443));
      await this.#setEndpoints([{}], 9443);
    },
    notReady: async () => {
      await this.#changePod({ ready: false });
      await this.#setEndpoints([{ ready: false }]);
    },
    notReadyPublished: async () => {
      const ref = admissionService(namespace);
      const published = (is: boolean): object => ({ spec: { publishNotReadyAddresses: is } });
      await this.#patch(ref, published(true), published(false));
      await this.#changePod({ ready: false });
      await this.#setEndpoints([{ ready: true, serving: false }]);
    },
    policyOfNetwork: () => this.#add(policyOfNetwork(namespace)),
    secondVersion: async () => {
      const file = join(crdsDir, "engine_enterprise_database.yaml");
      const one = load(readFileSync(file, "utf8")) as Definition;
      const [version] = one.spec.versions;
      const both = {
        ...one,
        spec: {
          ...one.spec,
          versions: [version, { ...version, name: "v1", storage: false }],
        },
      } as Definition;
      await serveDefinitions(this.#api, [both]);
      this.#undo.push(() => serveDefinitions(this.#api, [one]));
    },
    onlyOldLeftOver: () =>
      this.#add(oldConfiguration({ namespace: "engine-old", caBundle: this.scene.caBundle })),
    olderOperatorBeside: async () => {
      const caBundle = await this.#startNeighbour("engine-old", "admission", "refuses");
      await this.#add(oldConfiguration({ namespace: "engine-old", caBundle }));
    },
    policyEngine: async () => {
      const caBundle = await this.#startNeighbour("kyverno", "kyverno-svc", "allows");
      await this.#add({
        ...configurationRef("kyverno-resource-validating-webhook-cfg"),
        webhooks: [
          {
            ...guest("validate.kyverno.svc-fail", "kyverno", "kyverno-svc", caBundle),
            rules: [
              {
                apiGroups: ["*"],
                apiVersions: ["*"],
                operations: ["CREATE", "UPDATE"],
                resources: ["*/*"],
              },
            ],
          },
        ],
      });
    },
    policyOnSize: () =>
      this.#addPolicy(
        admissionPolicy(
          "no-giants",
          ["CREATE", "UPDATE"],
          'object.spec.?memorySize.orValue("") != "1TB"',
        ),
        { spec: { memorySize: "1TB" } },
      ),
    policyOnLabel: () =>
      this.#addPolicy(
        admissionPolicy("team-label", ["CREATE"], '"team" in object.metadata.?labels.orValue({})'),
        {},
      ),
    quota: async () => {
      const one = quota(namespace);
      await this.#add(one);
      await this.#api.writeStatus(one, { hard: { [countName]: "4" }, used: { [countName]: "4" } });
    },
    hostNetwork: async () => {
      await this.#changePod({ hostNetwork: true, address: nodeAddress });
      await this.#setEndpoints([{ address: nodeAddress }]);
    },
    onePodNotReady: async () => {
      const other = { name: `${podName}-2`, address: "192.0.2.11", ready: false };
      await this.#putPod(other);
      this.#undo.push(() => this.#removePod(podRef(other.name)));
      await this.#setEndpoints([{}, { ...other, pod: other.name }]);
      await this.#scale(2, 1);
    },
  };

  /** Waits until it refuses what it must. */
  async #addPolicy(objects: readonly KubeObject[], wrong: object): Promise<void> {
    await this.#add(...objects);
    const object = { ...edited("policy", "7.4"), ...wrong };
    const path = `${pathOf(object, "collection")}?dryRun=All`;
    await until("the policy to be in force", async () => {
      const { status } = await this.#api.send("POST", path, { body: object });
      return status === 422 || undefined;
    });
  }

  /** Each edit as a user would make it, until all get what they must or that is given up. */
  async #edit(wanted: Way["edits"]): Promise<Pick<Told, "edits" | "answers">> {
    let found: Pick<Told, "edits" | "answers"> = { edits: {}, answers: [] };
    for (let tries = 0; tries < 20; tries += 1) {
      found = await this.#editOnce(Object.keys(wanted) as EditName[]);
      if (sameEdits(found.edits, wanted)) break;
      await pause(200);
    }
    return found;
  }

  async #editOnce(names: readonly EditName[]): Promise<Pick<Told, "edits" | "answers">> {
    const made = await Promise.all(
      names.map(async (name) => {
        const pairs = await Promise.all([
          this.#send(name, "good", "7.2"),
          this.#send(name, "bad", "9.9"),
        ]);
        return [name, pairs] as const;
      }),
    );
    return {
      edits: Object.fromEntries(
        made.map(([name, [good, bad]]) => [name, [gotOf(good), gotOf(bad)] satisfies Answers]),
      ),
      answers: [...new Set(made.flatMap(([, answers]) => answers.map(textOf)))].filter(Boolean),
    };
  }

  /** A real edit; what it has made is removed again. */
  async #send(name: EditName, which: string, version: string): Promise<ApiAnswer> {
    if (name === "update") {
      return this.asUser.send("PATCH", pathOf(edited(which, version)), {
        body: { spec: { engineVersion: version } },
        contentType: "application/merge-patch+json",
      });
    }
    const object = makers[name](`${name.toLowerCase()}-${which}`, version);
    const answer = await this.asUser.send("POST", pathOf(object, "collection"), { body: object });
    if (answer.status < 400) await this.#api.remove(object);
    return answer;
  }

  async #removeEdited(): Promise<void> {
    for (const name of ["good", "bad"]) await this.#api.remove(edited(name, "7.4"));
  }

  /**
   * Waits until the API server acts on the configurations that are stored: it learns of them in their order, so that one
   * that is made after them tells.
   */
  async #untilActedOn(): Promise<void> {
    marks += 1;
    const name = `mark-${String(marks)}.ways.example`;
    const mark = {
      ...configurationRef("mark"),
      webhooks: [
        {
          name,
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          clientConfig: { url: "https://127.0.0.1:1/" },
          objectSelector: { matchLabels: { mark: "on" } },
          rules: [
            {
              apiGroups: [""],
              apiVersions: ["v1"],
              operations: ["CREATE"],
              resources: ["configmaps"],
            },
          ],
        },
      ],
    };
    await this.#api.create(mark);
    const body = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "mark", namespace: "default", labels: { mark: "on" } },
    };
    const path = `${pathOf(body, "collection")}?dryRun=All`;
    await until("the API server to act on the configurations", async () => {
      const answer = await this.#api.send("POST", path, { body });
      return textOf(answer).includes(name) || undefined;
    });
    await this.#api.remove(mark);
  }
}

let marks = 0;

type Entry = Readonly<Record<string, unknown>>;

const forClusters = (entry: Entry): Entry => ({
  ...entry,
  name: "clusters.admission.engine",
  rules: [
    {
      apiGroups: [appGroup],
      apiVersions: ["v1"],
      operations: ["CREATE", "UPDATE"],
      resources: ["engineenterpriseclusters"],
    },
  ],
});

/** An entry of someone else's. */
const guest = (name: string, place: string, service: string, caBundle: string): Entry => ({
  name,
  admissionReviewVersions: ["v1"],
  sideEffects: "None",
  failurePolicy: "Fail",
  timeoutSeconds: 10,
  clientConfig: { service: { namespace: place, name: service, path: "/validate" }, caBundle },
});

const configurationRef = (name: string): KubeObject => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name },
});

const podRef = (name: string): Ref => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace },
});

const accountOfOperator: KubeObject = {
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name: operatorName, namespace },
};

const edited = (name: string, engineVersion: string): KubeObject =>
  database({ namespace, name: `edited-${name}`, engineVersion });

const makers: Readonly<
  Record<Exclude<EditName, "update">, (name: string, version: string) => KubeObject>
> = {
  create: (name, engineVersion) => database({ namespace, name, engineVersion }),
  createV1: (name, engineVersion) => ({
    ...database({ namespace, name, engineVersion }),
    apiVersion: `${appGroup}/v1`,
  }),
  createLabelled: (name, engineVersion) => ({
    ...database({ namespace, name, engineVersion }),
    metadata: { name, namespace, labels: { team: "payments" } },
  }),
  createActive: (name, engineVersion) => ({
    apiVersion: `${appGroup}/v1alpha1`,
    kind: "EngineEnterpriseActiveActiveDatabase",
    metadata: { name, namespace },
    spec: {
      participatingClusters: [{ name: "one" }, { name: "two" }],
      globalConfigurations: { engineVersion },
    },
  }),
};

function rightsOfUser(): readonly KubeObject[] {
  const apiVersion = "rbac.authorization.k8s.io/v1";
  const name = "database-editor";
  return [
    {
      apiVersion,
      kind: "ClusterRole",
      metadata: { name },
      rules: [{ apiGroups: [appGroup], resources: ["*"], verbs: ["*"] }],
    },
    {
      apiVersion,
      kind: "ClusterRoleBinding",
      metadata: { name },
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
      subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: user }],
    },
  ];
}

function accessOf(kubeconfig: string): { readonly cluster: string; readonly token: string } {
  const { clusters, users } = JSON.parse(readFileSync(kubeconfig, "utf8")) as {
    readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
    readonly users: readonly [{ readonly user: { readonly token: string } }];
  };
  const ca = clusters[0].cluster["certificate-authority-data"] ?? "";
  return { cluster: Buffer.from(ca, "base64").toString(), token: users[0].user.token };
}

function textOf({ status, body }: ApiAnswer): string {
  if (status < 400) return "";
  return (body as { readonly message?: string }).message ?? String(body);
}

function gotOf(answer: ApiAnswer): Got {
  if (answer.status < 400) return "passes";
  const text = textOf(answer);
  const own = text.includes(`webhook "${newEntryName}"`);
  if (own && text.includes("denied the request")) return "refused";
  // an error of a matchCondition is told without the entry
  return own || text.includes("resulted in error") ? "fails" : "stopped";
}

function sameEdits(one: Way["edits"], other: Way["edits"]): boolean {
  return (Object.keys(other) as EditName[]).every(
    (name) => one[name]?.join() === other[name]?.join(),
  );
}

/** The pairs that are served and stored, and the CA that is trusted. */
function servedFor({ pair: own }: Scene, { certificate, bundle }: Change): Served {
  if (bundle === "sameName") {
    const dns = [`admission.${namespace}.svc`];
    const [made, again] = [
      certify({ commonName: "engine-ca" }),
      certify({ commonName: "engine-ca" }),
    ];
    const leaf = certify({ commonName: "admission", dns }, made);
    const pair = { cert: leaf.cert, privateKey: leaf.key };
    return { pair, stored: pair, caBundle: caBundleOf(again.cert) };
  }
  const { pair, stored = pair } = pairs[certificate ?? "own"](own);
  return { pair, stored, caBundle: bundles[bundle ?? "own"](stored.cert) };
}

const aged = (from: number, to: number): Pair =>
  makePair({
    namespace,
    notBefore: new Date(Date.now() + from * day),
    notAfter: new Date(Date.now() + to * day),
  });

const pairs: Readonly<
  Record<Certificate, (own: Pair) => { readonly pair: Pair; readonly stored?: Pair }>
> = {
  own: (own) => ({ pair: own }),
  expired: () => ({ pair: aged(-30, -1) }),
  nearItsEnd: () => ({ pair: aged(-300, 5) }),
  otherName: () => ({ pair: makePair({ namespace, names: ["admission.other.svc"] }) }),
  noNames: () => ({ pair: makePair({ namespace, names: [] }) }),
  ofBefore: (own) => ({ pair: makePair({ namespace }), stored: own }),
  expiredOfBefore: (own) => ({ pair: aged(-30, -1), stored: own }),
  otherKey: (own) => ({ pair: { ...own, privateKey: ecKey() } }),
};

const encoded = (text: string): string => Buffer.from(text).toString("base64");

const bundles: Readonly<Record<Exclude<Bundle, "sameName">, (cert: string) => string>> = {
  own: caBundleOf,
  empty: () => "",
  earlier: () => caBundleOf(makePair({ namespace }).cert),
  newline: () => encoded("\n"),
  encodedTwice: (cert) => encoded(caBundleOf(cert)),
  two: (cert) => caBundleOf(makePair({ namespace }).cert + cert),
};

function ecKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}
