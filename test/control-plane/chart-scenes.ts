/** Releases as helm has deployed them, the charts that follow, and what the plan of the upgrade has to say. */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { dump } from "js-yaml";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { definitionsHook } from "../support/releases/chart-hooks";
import { type ChartFiles, chartFiles } from "../support/releases/chart";
import { makeOpenDefinition } from "../support/open-definition";
import type { ReleaseVersion } from "../support/releases/versions";
import type { Unlike } from "./chart-comparison";
import type { ChartSite, Program } from "./chart-site";
import { namespaceNamed } from "./managed-namespaces";
import { until } from "./until";

export const deployedVersion = "7.22.0-7" satisfies ReleaseVersion;
export const wantedVersion = "8.0.2-2" satisfies ReleaseVersion;

/** What is said of an object, or the fields that change, others among them. */
export type Told = "created" | "deleted" | "kept" | "hook" | "unsaid" | readonly string[];

/** How the run is refused: its code, and that of its finding. */
export interface Refused {
  readonly code: number;
  readonly finding: string;
}

/** What the plan has to come to: objects by their labels, in which NS stands for the namespace, or a refusal. */
interface Outcome {
  readonly told?: Readonly<Record<string, Told>>;
  readonly refused?: Refused;
  /** What comes out otherwise all the same, as far as it is known. */
  readonly unlike?: readonly Unlike[];
  /** Codes that the plan has to warn with. */
  readonly warns?: readonly string[];
}

export interface ChartScene extends Outcome {
  readonly name: string;
  /** Files of the chart that is deployed, and of the one that follows, beside the operator's own. */
  readonly deployed?: ChartFiles;
  readonly wanted?: ChartFiles;
  /** With the hook that brings the definitions. */
  readonly whole?: true;
  /** Before helm installs the release. */
  readonly first?: (site: ChartSite) => Promise<void>;
  /** Words of that install. */
  readonly install?: readonly string[];
  /** After it. */
  readonly then?: (site: ChartSite) => Promise<void>;
  /** Flags of the upgrade. */
  readonly flags?: (site: ChartSite) => readonly string[];
  readonly input?: string;
  /** Where the chart that follows is; absent: a folder. */
  readonly source?: "archive" | "repository" | "registry";
  /** A second namespace with objects of the release. */
  readonly other?: true;
  /** Where one helm comes to something else. */
  readonly by?: Partial<Readonly<Record<Program, Outcome>>>;
}

const { operator, webhook } = names;

/** Documents of a template; expressions of templates are texts in them. */
function docs(...objects: readonly object[]): string {
  return objects.map((object) => dump(object, { noRefs: true, lineWidth: -1 })).join("---\n");
}

/** A template for each chart. */
function extra(
  deployed: readonly object[],
  wanted: readonly object[],
): Pick<ChartScene, "deployed" | "wanted"> {
  const files = (objects: readonly object[]): ChartFiles =>
    objects.length === 0 ? {} : { "templates/extra.yaml": docs(...objects) };
  return { deployed: files(deployed), wanted: files(wanted) };
}

const map = (name: string, data: object, metadata: object = {}): object => ({
  ...{ apiVersion: "v1", kind: "ConfigMap" },
  metadata: { name, ...metadata },
  data,
});
const settings = (data: object): object => map("settings", data);
const secret = (name: string, more: object): object => ({
  ...{ apiVersion: "v1", kind: "Secret", metadata: { name } },
  ...more,
});
const service = (ports: readonly object[]): object => ({
  ...{ apiVersion: "v1", kind: "Service", metadata: { name: "helper" } },
  spec: { selector: { app: "helper" }, ports },
});
const role = (rules: readonly object[]): object => ({
  ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "Role", metadata: { name: "helper" } },
  rules,
});

/** A Deployment beside the operator's. */
function helper(container: object, pod: object = {}, metadata: object = {}): object {
  return {
    ...{ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "helper" } },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: "helper" } },
      template: {
        metadata: { labels: { app: "helper" }, ...metadata },
        spec: { containers: [{ name: "main", image: "helper:1", ...container }], ...pod },
      },
    },
  };
}

/** The file of each chart with a text behind it. */
function appended(path: string, [before, after]: readonly [string, string]) {
  const of = (version: ReleaseVersion, text: string): ChartFiles => ({
    [path]: `${chartFiles(version)[path] ?? ""}${text}`,
  });
  return { deployed: of(deployedVersion, before), wanted: of(wantedVersion, after) };
}

function both(
  one: Pick<ChartScene, "deployed" | "wanted">,
  other: Pick<ChartScene, "deployed" | "wanted">,
): Pick<ChartScene, "deployed" | "wanted"> {
  return {
    deployed: { ...one.deployed, ...other.deployed },
    wanted: { ...one.wanted, ...other.wanted },
  };
}

function hook(name: string, events: string, weight: number, policy?: string): object {
  const annotations = {
    "helm.sh/hook": events,
    "helm.sh/hook-weight": String(weight),
    ...(policy !== undefined && { "helm.sh/hook-delete-policy": policy }),
  };
  return map(name, { version: "{{ .Chart.Version }}" }, { annotations });
}

/** The note is of the chart's values, and what a person gave comes from no chart. */
const noteAndMine = both(
  appended("values.yaml", ["note: old\n", "note: new\n"]),
  extra(
    ...(Array<readonly object[]>(2).fill([
      settings({ note: "{{ .Values.note }}", mine: '{{ .Values.mine | default "none" }}' }),
    ]) as [readonly object[], readonly object[]]),
  ),
);

const widgets = makeOpenDefinition({
  group: "example.com",
  scope: "Namespaced",
  kind: "Widget",
  plural: "widgets",
});
const widget = (spec: object): object => ({
  ...{ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "one" } },
  spec,
});

/** The pair as many charts make it: another one with each render. */
const generated = `{{- $ca := genCA "operator-ca" 365 }}
{{- $host := printf "${webhook.service}.%s.svc" .Release.Namespace }}
{{- $pair := genSignedCert $host nil (list $host) 365 $ca }}
apiVersion: v1
kind: Secret
metadata:
  name: ${webhook.secret}
data:
  ${webhook.secretCert}: {{ $pair.Cert | b64enc }}
  ${webhook.secretKey}: {{ $pair.Key | b64enc }}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: ${webhook.configuration}-{{ .Release.Namespace }}
webhooks:
  - name: ${webhook.entry}
    admissionReviewVersions: [v1]
    clientConfig:
      service:
        name: ${webhook.service}
        namespace: {{ .Release.Namespace }}
        path: ${webhook.path}
      caBundle: {{ $ca.Cert | b64enc }}
    failurePolicy: Fail
    sideEffects: None
    namespaceSelector:
      matchLabels:
        ${names.labels.admissionEnable}: {{ .Release.Namespace }}
    rules:
      - apiGroups: [${names.group}]
        apiVersions: [${names.version}]
        operations: [CREATE, UPDATE]
        resources: [${names.edb.plural}]
`;

const lookedUp = `{{- $old := lookup "v1" "Secret" .Release.Namespace "login" }}
apiVersion: v1
kind: Secret
metadata:
  name: login
  labels:
    version: {{ .Chart.Version }}
data:
  password: {{ if $old }}{{ $old.data.password }}{{ else }}{{ randAlphaNum 20 | b64enc }}{{ end }}
`;

function subchart(dependencies: string): ChartFiles {
  return {
    "charts/side/Chart.yaml": dump({ apiVersion: "v2", name: "side", version: "1.0.0" }),
    "charts/side/values.yaml": "note: own\n",
    "charts/side/templates/all.yaml": docs(map("side", { note: "{{ .Values.note }}" })),
    "charts/other/Chart.yaml": dump({ apiVersion: "v2", name: "other", version: "1.0.0" }),
    "charts/other/values.yaml": "note: own\n",
    "charts/other/templates/all.yaml": docs(map("other", { note: "{{ .Values.note }}" })),
    "Chart.yaml": dependencies,
  };
}

function withDependency(version: ReleaseVersion): string {
  const dependencies = ["side", "other"].map((name) => ({
    ...{ name, version: "1.0.0", condition: `${name}.enabled` },
  }));
  return `${chartFiles(version)["Chart.yaml"] ?? ""}${dump({ dependencies })}`;
}

/** Adds a pull secret and a toleration to every pod; its argument names the secret. */
const postRenderer = `#!/bin/sh
exec sed "s/^\\( *\\)serviceAccountName: .*$/&\\n\\1imagePullSecrets:\\n\\1  - name: $1\\n\\1tolerations:\\n\\1  - key: pool\\n\\1    operator: Exists/"
`;

/** Helm 3 takes a program, helm 4 a plugin. */
function writePostRenderer({ folder, program }: ChartSite): string {
  const home = join(folder, "plugins", "pull-secret");
  mkdirSync(home, { recursive: true });
  const file = join(home, "render.sh");
  writeFileSync(file, postRenderer);
  chmodSync(file, 0o700);
  if (program === "helm") return file;
  const plugin = {
    ...{ apiVersion: "v1", type: "postrenderer/v1", name: "pull-secret", version: "0.1.0" },
    runtime: "subprocess",
    runtimeConfig: { platformCommand: [{ command: "${HELM_PLUGIN_DIR}/render.sh" }] },
  };
  writeFileSync(join(home, "plugin.yaml"), dump(plugin));
  return "pull-secret";
}

function written({ folder }: ChartSite, name: string, text: string): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

const gadgets = (version: string): object =>
  makeOpenDefinition({
    ...{ group: "example.org", kind: "Gadget", plural: "gadgets", scope: "Namespaced", version },
  });
const gears = makeOpenDefinition({
  ...{ group: "example.org", kind: "Gear", plural: "gears", scope: "Namespaced" },
});
const priority = (name: string, description: string): object => ({
  ...{ apiVersion: "scheduling.k8s.io/v1", kind: "PriorityClass", metadata: { name } },
  ...{ value: 10, description },
});
const clusterRole = (verbs: readonly string[]): object => ({
  ...{ apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole" },
  metadata: { name: "{{ .Release.Namespace }}-reader" },
  rules: [{ apiGroups: [""], resources: ["namespaces"], verbs }],
});
const elsewhere = { namespace: "{{ .Release.Namespace }}-other" };

function list(items: readonly string[], value: string): string {
  const maps = items.map((name) => map(name, { a: value }));
  return docs({ apiVersion: "v1", kind: "List", items: maps });
}

const pod = ".spec.template.spec";
const main = `${pod}.containers[name="main"]`;
const operatorLabel = `Deployment/NS/${operator.deployment}`;
/** What every chart of the next release changes. */
const nextImage = {
  [operatorLabel]: [`${pod}.containers[name="${operator.container}"].image`],
};
const isPending = { refused: { code: 5, finding: "OPERATOR-CHART-PENDING" } };
/** No operator needs it. */
const withHelper = ["--skip", "OPERATOR-BUNDLE-UNUSUAL=Deployment/helper"];
const isHeld = { refused: { code: 5, finding: "OPERATOR-LOCAL-CHANGE" } };
const secondRevision = async (site: ChartSite, status: string): Promise<void> => {
  await site.helm("upgrade", "operator", join(site.folder, deployedVersion), "--reuse-values");
  await site.mark(status);
};

/** Forty of them. */
export const chartScenes: readonly ChartScene[] = [
  {
    name: "the whole chart, with its pair and the hook of its definitions",
    whole: true,
    told: {
      [`Job/NS/${definitionsHook}`]: "hook",
      [`Secret/NS/${webhook.secret}`]: "kept",
      ...nextImage,
    },
  },
  {
    name: "values by --set and --set-string",
    ...extra(
      [settings({ number: "1", text: "a" })],
      [settings({ number: "{{ .Values.number }}", text: "{{ kindOf .Values.text }}" })],
    ),
    flags: () => ["--set", "number=5", "--set-string", "text=007"],
    told: { "ConfigMap/NS/settings": [".data.number", ".data.text"] },
  },
  {
    name: "values by --set-json",
    deployed: { "templates/extra.yaml": docs(helper({})) },
    wanted: {
      "templates/extra.yaml": `${docs(helper({}))}      tolerations: {{ toJson .Values.tolerations }}\n`,
    },
    flags: () => [...withHelper, "--set-json", 'tolerations=[{"key":"pool","operator":"Exists"}]'],
    told: { "Deployment/NS/helper": [`${pod}.tolerations`] },
  },
  {
    name: "values by --set-file",
    deployed: { "templates/extra.yaml": docs(settings({ text: "a" })) },
    wanted: {
      "templates/extra.yaml": `${docs(settings({ a: "1" }))}  text: {{ .Values.text | quote }}\n`,
    },
    flags: (site) => ["--set-file", `text=${written(site, "text.txt", "one\n\ttwo: three\n")}`],
    told: { "ConfigMap/NS/settings": [".data.text"] },
  },
  {
    name: "values by a pipe, and by a file that wins over it",
    ...noteAndMine,
    flags: (site) => ["--values", "-", "--values", written(site, "over.yaml", "mine: last\n")],
    input: "mine: piped\nnote: piped\n",
    told: { "ConfigMap/NS/settings": [".data.mine", ".data.note"] },
  },
  {
    name: "--reuse-values: the values of the chart before, and the image by --set",
    ...noteAndMine,
    install: ["--set", "mine=given"],
    flags: () => ["--reuse-values", "--set", `operator.image.tag=${wantedVersion}`],
    told: { "ConfigMap/NS/settings": "kept" },
  },
  {
    name: "--reset-values: what was given goes",
    ...noteAndMine,
    install: ["--set", "mine=given", "--set", "imagePullSecrets[0].name=mirror"],
    flags: () => ["--reset-values"],
    told: {
      "ConfigMap/NS/settings": [".data.mine", ".data.note"],
      [`ServiceAccount/NS/${operator.serviceAccount}`]: [".imagePullSecrets"],
    },
  },
  {
    name: "--reset-then-reuse-values: what was given stays, over the chart's new values",
    ...noteAndMine,
    install: ["--set", "mine=given", "--set", "imagePullSecrets[0].name=mirror"],
    flags: () => ["--reset-then-reuse-values"],
    told: {
      "ConfigMap/NS/settings": [".data.note"],
      [`ServiceAccount/NS/${operator.serviceAccount}`]: "kept",
    },
  },
  {
    name: "a post-renderer that adds a pull secret and tolerations",
    flags: (site) => [
      ...["--post-renderer", writePostRenderer(site)],
      ...["--post-renderer-args", "mirror"],
    ],
    told: { [operatorLabel]: [`${pod}.imagePullSecrets`, `${pod}.tolerations`] },
  },
  {
    name: "a local change of a field that the chart sets",
    ...extra([settings({ a: "1" })], [settings({ a: "1" })]),
    then: (site) => site.edit("configmap", "settings", { data: { a: "2" } }),
    ...isHeld,
  },
  {
    name: "a local change that the chart wins over",
    ...extra([settings({ a: "1" })], [settings({ a: "1" })]),
    then: (site) => site.edit("configmap", "settings", { data: { a: "2" } }),
    flags: () => ["--take-fields", ".data.a"],
    told: { "ConfigMap/NS/settings": [".data.a"] },
  },
  {
    name: "local changes of fields that no chart sets",
    ...extra([settings({ a: "1" })], [settings({ a: "2" })]),
    then: async (site) => {
      await site.edit("configmap", "settings", {
        data: { own: "1" },
        metadata: { annotations: { note: "mine" }, labels: { team: "a" } },
      });
      const spec = { nodeSelector: { pool: "infra" }, imagePullSecrets: [{ name: "pull" }] };
      await site.edit("deployment", operator.deployment, { spec: { template: { spec } } });
    },
    told: { "ConfigMap/NS/settings": [".data.a"] },
  },
  {
    name: "hooks before and after, by weight and name, that stay and that go",
    ...extra(
      [],
      [
        hook("late", "post-upgrade", 5, "hook-succeeded"),
        hook("b-early", "pre-upgrade", -1),
        hook("a-early", "pre-upgrade", -1, "before-hook-creation,hook-succeeded"),
        hook("first", "pre-install,pre-upgrade", -7, "hook-failed"),
        hook("never", "pre-delete,post-rollback", 0),
      ],
    ),
    told: {
      "ConfigMap/NS/first": "hook",
      "ConfigMap/NS/a-early": "hook",
      "ConfigMap/NS/b-early": "hook",
      "ConfigMap/NS/late": "hook",
      "ConfigMap/NS/never": "unsaid",
    },
  },
  {
    name: "hooks that the install has left, of which one is made again",
    ...extra(
      [hook("again", "post-install,post-upgrade", 0), hook("once", "post-install", 0)],
      [hook("again", "post-install,post-upgrade", 0), hook("once", "post-install", 0)],
    ),
    told: { "ConfigMap/NS/again": "hook", "ConfigMap/NS/once": "unsaid" },
  },
  {
    name: "definitions in crds/, which helm never upgrades",
    deployed: { "crds/gadgets.yaml": docs(gadgets("v1")) },
    wanted: {
      "crds/gadgets.yaml": docs(gadgets("v2")),
      "crds/gears.yaml": docs(gears),
    },
    told: {
      "CustomResourceDefinition/gadgets.example.org": "unsaid",
      "CustomResourceDefinition/gears.example.org": "unsaid",
    },
  },
  {
    name: "a CA and a pair that each render makes again",
    deployed: { "templates/admission.yaml": generated },
    wanted: { "templates/admission.yaml": generated },
    told: {
      [`Secret/NS/${webhook.secret}`]: [
        `.data.${webhook.secretCert}`,
        `.data.${webhook.secretKey}`,
      ],
      [`ValidatingWebhookConfiguration/${webhook.configuration}-NS`]: [],
    },
  },
  {
    name: "a password that is made once and looked up since",
    deployed: { "templates/extra.yaml": lookedUp },
    wanted: { "templates/extra.yaml": lookedUp },
    told: { "Secret/NS/login": [".metadata.labels.version"] },
  },
  {
    name: "keys of Secrets, as data and as text",
    ...extra(
      [
        secret("bytes", { data: { a: "MQ==", gone: "MQ==", same: "MQ==" } }),
        secret("text", { stringData: { a: "1", same: "1" } }),
      ],
      [
        secret("bytes", { data: { a: "Mg==", fresh: "MQ==", same: "MQ==" } }),
        secret("text", { stringData: { a: "2", fresh: "1", same: "1" } }),
      ],
    ),
    told: {
      "Secret/NS/bytes": [".data.a", ".data.fresh", ".data.gone"],
      "Secret/NS/text": [".data.a", ".data.fresh"],
    },
  },
  {
    name: "keys of a ConfigMap, of many lines, binary, empty, and with dots",
    ...extra(
      [
        {
          ...settings({ "app.conf": "a\nb\n", empty: "", gone: "x", "a.b": "1", number: "1" }),
          binaryData: { raw: "AAE=" },
        },
      ],
      [
        {
          ...settings({ "app.conf": "a\nc\n", empty: "", "a.b": "2", number: "1.0", fresh: "" }),
          binaryData: { raw: "AAI=" },
        },
      ],
    ),
    told: {
      "ConfigMap/NS/settings": [
        ...[".binaryData.raw", ".data.a.b", ".data.app.conf", ".data.gone", ".data.number"],
        ".data.fresh",
      ],
    },
  },
  {
    name: "objects that are new, and objects that leave the release",
    ...extra(
      [map("gone", { a: "1" }), role([{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }])],
      [map("fresh", { a: "1" }), service([{ port: 80 }])],
    ),
    told: {
      "ConfigMap/NS/gone": "deleted",
      "Role/NS/helper": "deleted",
      "ConfigMap/NS/fresh": "created",
      "Service/NS/helper": "created",
    },
  },
  {
    name: "objects that leave the release and are kept, by the chart and by a person",
    ...extra(
      [
        map("by-chart", { a: "1" }, { annotations: { "helm.sh/resource-policy": "keep" } }),
        map("by-person", { a: "1" }),
      ],
      [],
    ),
    then: (site) =>
      site.edit("configmap", "by-person", {
        metadata: { annotations: { "helm.sh/resource-policy": "keep" } },
      }),
    told: { "ConfigMap/NS/by-chart": "kept", "ConfigMap/NS/by-person": "kept" },
  },
  {
    name: "a Secret that leaves the release",
    ...extra([secret("login", { data: { a: "MQ==" } })], []),
    refused: { code: 3, finding: "OPERATOR-CHART-DELETES-DATA" },
  },
  {
    name: "a Secret that leaves the release, by consent",
    ...extra([secret("login", { data: { a: "MQ==" } })], []),
    flags: ({ namespace }) => ["--skip", `OPERATOR-CHART-DELETES-DATA=Secret/${namespace}/login`],
    told: { "Secret/NS/login": "deleted" },
  },
  {
    name: "fields that the chart has no more",
    flags: () => withHelper,
    ...extra(
      [
        helper(
          {
            env: [
              { name: "KEPT", value: "1" },
              { name: "GONE", value: "1" },
            ],
            ports: [{ containerPort: 80 }, { containerPort: 81 }],
            resources: { limits: { cpu: "1", memory: "1Gi" } },
          },
          { nodeSelector: { pool: "infra" }, terminationGracePeriodSeconds: 5 },
          { annotations: { gone: "1" } },
        ),
        map("marked", { a: "1" }, { labels: { gone: "1" }, annotations: { "gone.io/x": "1" } }),
      ],
      [
        helper({
          env: [{ name: "KEPT", value: "1" }],
          ports: [{ containerPort: 80 }],
          resources: { limits: { cpu: "1" } },
        }),
        map("marked", { a: "1" }),
      ],
    ),
    told: {
      "Deployment/NS/helper": [
        ".spec.template.metadata.annotations",
        `${main}.env[name="GONE"]`,
        `${main}.resources.limits.memory`,
        ".spec.template.spec.terminationGracePeriodSeconds",
      ],
      "ConfigMap/NS/marked": [".metadata.annotations.gone.io/x", ".metadata.labels.gone"],
    },
  },
  {
    name: "lists in another order",
    flags: () => withHelper,
    ...extra(
      [
        helper(
          {
            env: ["A", "B", "C"].map((name) => ({ name, value: name })),
            args: ["--one", "--two"],
          },
          {
            tolerations: [
              { key: "a", operator: "Exists" },
              { key: "b", operator: "Exists" },
            ],
            volumes: [
              { name: "x", emptyDir: {} },
              { name: "y", emptyDir: {} },
            ],
          },
        ),
        role([
          { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
          { apiGroups: ["apps"], resources: ["deployments"], verbs: ["get", "list"] },
        ]),
      ],
      [
        helper(
          {
            env: ["C", "A", "B"].map((name) => ({ name, value: name })),
            args: ["--two", "--one"],
          },
          {
            tolerations: [
              { key: "b", operator: "Exists" },
              { key: "a", operator: "Exists" },
            ],
            volumes: [
              { name: "y", emptyDir: {} },
              { name: "x", emptyDir: {} },
            ],
          },
        ),
        role([
          { apiGroups: ["apps"], resources: ["deployments"], verbs: ["list", "get"] },
          { apiGroups: [""], resources: ["pods"], verbs: ["get"] },
        ]),
      ],
    ),
    told: {
      "Role/NS/helper": [".rules"],
      "Deployment/NS/helper": [`${main}.args`, `${main}.env`, `${pod}.volumes`],
    },
  },
  {
    name: "quantities and defaults in another spelling",
    flags: () => withHelper,
    ...extra(
      [
        helper({ resources: { limits: { cpu: "1000m", memory: "1024Mi" } } }),
        service([{ port: 80 }]),
      ],
      [
        helper(
          {
            resources: { limits: { cpu: 1, memory: "1Gi" } },
            imagePullPolicy: "IfNotPresent",
            terminationMessagePath: "/dev/termination-log",
          },
          { restartPolicy: "Always", terminationGracePeriodSeconds: 30, hostNetwork: false },
        ),
        service([{ port: 80, protocol: "TCP", targetPort: 80 }]),
      ],
    ),
    told: { "Deployment/NS/helper": "kept", "Service/NS/helper": "kept" },
  },
  {
    name: "ports by number and by name, and one number for two protocols",
    flags: () => withHelper,
    ...extra(
      [
        service([
          { name: "web", port: 80, targetPort: 8080 },
          { name: "dns", port: 53, protocol: "UDP" },
        ]),
        helper({
          livenessProbe: { httpGet: { port: 8080, path: "/" } },
          ports: [{ name: "web", containerPort: 8080 }],
        }),
      ],
      [
        service([
          { name: "web", port: 80, targetPort: "web" },
          { name: "dns", port: 53, protocol: "UDP" },
          { name: "dns-tcp", port: 53, protocol: "TCP" },
        ]),
        helper({
          livenessProbe: { httpGet: { port: "web", path: "/" } },
          ports: [{ name: "web", containerPort: 8080 }],
        }),
      ],
    ),
    told: {
      "Service/NS/helper": ['.spec.ports[name="web"].targetPort'],
      "Deployment/NS/helper": [`${main}.livenessProbe.httpGet.port`],
    },
    // by the merge of helm 3 the API server knows the ports of a Service by their numbers alone
    by: {
      helm: {
        unlike: [
          {
            ...{ object: "Service/NS/helper", field: '.spec.ports[name="dns-tcp"]' },
            is: "announced, not changed",
          },
        ],
        warns: ["OPERATOR-CHART-UNSEEN"],
      },
    },
  },
  {
    name: "an object of a kind that helm does not know, with a local change",
    first: async ({ controlPlane }) => {
      await controlPlane.api.apply(widgets);
      await until("the kind to be served", async () => {
        const { status } = await controlPlane.api.send("GET", "/apis/example.com/v1/widgets");
        return status === 200 || undefined;
      });
    },
    ...extra(
      [widget({ color: "red", gone: "1", sizes: [1, 2] })],
      [widget({ color: "blue", sizes: [1, 3] })],
    ),
    then: async (site) => {
      const words = ["patch", "widget", "one", "--field-manager=kubectl-edit", "--type=merge"];
      await site.kubectl(...words, "-p", '{"spec":{"own":"1"}}');
    },
    told: { "Widget/NS/one": [".spec.color", ".spec.gone", ".spec.sizes"] },
  },
  {
    name: "objects outside of all namespaces",
    ...extra(
      [
        priority("{{ .Release.Namespace }}", "old"),
        clusterRole(["get"]),
        priority("{{ .Release.Namespace }}-gone", "old"),
      ],
      [priority("{{ .Release.Namespace }}", "new"), clusterRole(["get", "list"])],
    ),
    told: {
      "PriorityClass/NS": [".description"],
      "PriorityClass/NS-gone": "deleted",
      "ClusterRole/NS-reader": [".rules"],
    },
  },
  {
    name: "objects in another namespace",
    other: true,
    first: async ({ controlPlane, namespace }) => {
      await controlPlane.api.create(namespaceNamed(`${namespace}-other`));
    },
    ...extra(
      [map("there", { a: "1" }, elsewhere), map("gone", { a: "1" }, elsewhere)],
      [map("there", { a: "2" }, elsewhere), map("fresh", { a: "1" }, elsewhere)],
    ),
    told: {
      "ConfigMap/NS-other/there": [".data.a"],
      "ConfigMap/NS-other/gone": "deleted",
      "ConfigMap/NS-other/fresh": "created",
    },
  },
  {
    name: "a subchart that is turned off, and one that is turned on",
    deployed: subchart(withDependency(deployedVersion)),
    wanted: subchart(withDependency(wantedVersion)),
    install: ["--set", "other.enabled=false"],
    flags: () => ["--set", "side.enabled=false,other.enabled=true,other.note=given"],
    told: { "ConfigMap/NS/side": "deleted", "ConfigMap/NS/other": "created" },
  },
  {
    name: "empty documents, and a List",
    deployed: { "templates/extra.yaml": `---\n# nothing\n---\n${list(["one", "two"], "1")}` },
    wanted: { "templates/extra.yaml": `${list(["one", "three"], "2")}---\n---\n# nothing\n` },
    told: {
      "ConfigMap/NS/one": [".data.a"],
      "ConfigMap/NS/two": "deleted",
      "ConfigMap/NS/three": "created",
    },
  },
  {
    name: "marks of a release that helm has no record of, as after a restore",
    then: async (site) => {
      await site.kubectl("delete", "secret", "-l", "owner=helm");
    },
    refused: { code: 5, finding: "OPERATOR-CHART-LOST" },
  },
  {
    name: "a release that is pending-install",
    then: (site) => site.mark("pending-install"),
    ...isPending,
  },
  {
    name: "a release that is pending-upgrade",
    then: (site) => secondRevision(site, "pending-upgrade"),
    ...isPending,
  },
  {
    name: "a release that is pending-rollback",
    then: (site) => secondRevision(site, "pending-rollback"),
    ...isPending,
  },
  {
    name: "a release whose last upgrade has failed midway",
    ...extra(
      [settings({ a: "1", b: "1" }), map("gone", { a: "1" })],
      [settings({ a: "3", b: "1" }), map("fresh", { a: "1" })],
    ),
    then: async (site) => {
      const chart = join(site.folder, deployedVersion);
      // the Service is written after the ConfigMaps, and refused
      const broken = [settings({ a: "2", b: "1", c: "1" }), service([{ port: 70_000 }])];
      writeFileSync(join(chart, "templates", "extra.yaml"), docs(...broken));
      const { code } = await site.tryHelm("upgrade", "operator", chart, "--reuse-values");
      expect(code).not.toBe(0);
    },
    told: {
      "ConfigMap/NS/settings": [".data.a"],
      "ConfigMap/NS/gone": "deleted",
      "ConfigMap/NS/fresh": "created",
    },
  },
  { name: "a chart that is an archive", source: "archive", told: nextImage },
  { name: "a chart of a repository", source: "repository", told: nextImage },
  { name: "a chart of a registry", source: "registry", told: nextImage },
];

/** A release of which something becomes of every kind, for differences that are planted. */
export const richScene: ChartScene = {
  name: "something of every kind",
  ...extra(
    [
      map("changed", { a: "1", b: "1" }),
      map("same", { a: "1" }, { labels: { team: "a" } }),
      map("gone", { a: "1" }),
      secret("login", { data: { a: "MQ==" } }),
    ],
    [
      map("changed", { a: "2", b: "2" }),
      map("same", { a: "1" }, { labels: { team: "a" } }),
      map("fresh", { a: "1" }),
      secret("login", { data: { a: "MQ==" } }),
      hook("first", "pre-upgrade", 1, "hook-succeeded"),
      hook("second", "post-upgrade", 2),
    ],
  ),
};
