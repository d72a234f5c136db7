/** The acts that more than one command does, each with its ways; and what a way does on a cluster. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { kinds } from "../../plugin/domain/kube/kinds";
import { findOwner } from "../../plugin/domain/kube/owners";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { getPath, withValue } from "../../plugin/domain/base/values";
import type { KubeObject, Ref } from "../../plugin/domain/kube/objects";
import { observe } from "../../plugin/simulator/observed-cluster";
import type { MemoryControlPlane } from "../../plugin/simulator/api-server/control-plane";
import type { Report } from "../../plugin/kernel/report";
import type { Clock, KubeClient } from "../../plugin/ports/kubernetes";
import { aClusterApi, type ClusterApiForTest } from "../support/played-cluster-api";
import { anApiSecret } from "../support/cluster-api-client";
import { starts as begins, type Start, type Starts, type Words } from "../support/starts";
import type { Wish } from "../support/upgrade-worlds";
import { admin, exampleOnce } from "../support/world";
import { aFolder } from "../support/a-folder";
import { ownerMarks } from "../support/builders";
import { playHelm } from "../support/played-helm";
import { deployment } from "../support/releases/operator";
import { KilledError } from "./faults";
import { reachOf } from "./rest";
import { openedFor } from "./trial";

const namespace = names.operator.namespace;

/** One command that does the act. */
export interface Way {
  readonly name: string;
  readonly words: Words;
  /** It calls the REST API of the cluster. */
  readonly calls?: true;
  /** A chart's release: the operator has helm's marks, unless it has another owner's, and helm is played. */
  readonly charts?: true;
}

export interface Act extends Start {
  readonly name: string;
  readonly ways: readonly Way[];
}

const only = (part: string, ...more: readonly string[]): Way => ({
  name: `upgrade --only ${[part, ...more].join(" ")}`,
  words: ({ release }) => ["upgrade", "--release", release, "--no-probe", "--only", part, ...more],
});
const alone = (name: string, words: Words): Way => ({ name, words });

const byChart = (name: string, ...words: readonly string[]): Way => ({
  name,
  words: () => [
    ...words,
    "--chart",
    "oci://charts.example/operator",
    "--version",
    "8.0.2-2",
    "--release-name",
    "operator",
  ],
  charts: true,
});

/** The databases of these scenes are one: what stands against another one is no matter of its own way. */
const oneDatabase = (object: KubeObject): boolean =>
  object.kind !== names.eaadb.kind &&
  (object.kind !== names.edb.kind || object.metadata.name === "orders");

/** Puts the databases on disk, or takes them off it. */
const persist =
  (how: string) =>
  (object: KubeObject): KubeObject =>
    object.kind === names.edb.kind
      ? (withValue(object, names.edbFields.persistence, how) as KubeObject)
      : object;

const onDisk = "aofEverySecond";

/** A database that an upgrade would lose; in every other scene it is on disk. */
export const atRisk: Wish = { name: "data at risk", change: persist("disabled") };

const database = "shop/orders";
const toVersion = ["--engine-version", "8.0"];

export const acts: readonly Act[] = [
  {
    name: "widen the roles",
    ways: [alone("reapply-rbac", begins["reapply-rbac"].words), only("rbac-expand")],
  },
  {
    name: "narrow the roles",
    before: begins["reapply-rbac-contract"].before,
    ways: [
      alone("reapply-rbac --mode contract", begins["reapply-rbac-contract"].words),
      only("rbac-contract"),
    ],
  },
  {
    name: "upgrade the operator",
    before: begins["upgrade-operator"].before,
    ways: [
      alone("upgrade-operator", begins["upgrade-operator"].words),
      only("operator"),
      byChart("upgrade-operator --chart", "upgrade-operator"),
      byChart("upgrade --chart --only operator", "upgrade", "--no-probe", "--only", "operator"),
    ],
  },
  {
    name: "swap the webhook",
    before: begins["upgrade-cluster"].before.slice(0, 2),
    ways: [alone("upgrade-webhook", begins["upgrade-webhook"].words), only("webhook")],
  },
  {
    name: "upgrade the cluster",
    before: begins["upgrade-cluster"].before,
    ways: [
      alone("upgrade-cluster --target", begins["upgrade-cluster"].words),
      alone("upgrade-cluster --auto", () => ["upgrade-cluster", "ec", "--auto"]),
      only("cluster"),
      only("cluster", "--auto"),
    ],
  },
  {
    name: "upgrade the database",
    before: begins["upgrade-database"].before,
    objects: (example) => example.filter(oneDatabase).map(persist(onDisk)),
    ways: [
      alone("upgrade-database", () => ["upgrade-database", database, ...toVersion]),
      {
        name: "upgrade-database --via=api",
        words: () => ["upgrade-database", database, ...toVersion, "--via=api"],
        calls: true,
      },
      only("databases", ...toVersion),
    ],
  },
  {
    name: "unbind the constraint",
    ...begins["unbind-scc"],
    ways: [alone("unbind-scc", () => ["unbind-scc"]), only("scc")],
  },
];

/** What a way does: the code that it ends with where it writes nothing. */
export interface Done {
  readonly wrote: boolean;
  readonly code: number;
  readonly reason: string;
  /** What stands against the act, by its codes. */
  readonly refuses: readonly string[];
}

/** Does the act by one way on the cluster that the wish makes of its start, up to the first write. */
export async function tryWay(
  act: Act,
  way: Way,
  { starts, wish }: { readonly starts: Starts; readonly wish: Wish },
): Promise<Done> {
  const { controlPlane, clock } = await openedFor(act, starts);
  await change(controlPlane, wish);
  const api = way.calls === true ? await apiBeside(controlPlane, clock) : undefined;
  const helm = way.charts === true ? await helmBeside(controlPlane) : undefined;
  const written: string[] = [];
  const inner = controlPlane.connect({ user: admin, namespace });
  const cluster = observe(inner, async (call, send) => {
    if (call.writes && !call.subject.includes("AccessReview")) {
      written.push(call.subject);
      throw new KilledError("killed");
    }
    return await send();
  });
  const reach = api === undefined ? [] : reachOf(api);
  const argv = [...way.words(starts.place), ...reach, "-n", namespace, "--yes", "-o", "json"];
  try {
    const env = helm && { env: { ...starts.newHome(), ...helm.env } };
    const { code, out } = await starts.typed(argv, { cluster, clock, ...env });
    const report = JSON.parse(out) as Report;
    const posts = (api?.calls ?? []).filter(({ method, path }) => {
      return method === "POST" && path.endsWith("/upgrade");
    });
    const wrote = written.length + posts.length + (helm?.played.upgrades().length ?? 0) > 0;
    const errors = (report.findings ?? []).filter(
      ({ severity, accepted }) => severity === "error" && accepted !== true,
    );
    const refuses = [...new Set(errors.map((one) => one.code))].sort();
    return { wrote, code, reason: report.exit.reason, refuses: wrote ? [] : refuses };
  } catch (error) {
    if (!(error instanceof KilledError)) throw error;
    return { wrote: true, code: 70, reason: "killed", refuses: [] };
  } finally {
    await api?.close();
  }
}

/** Changes what is stored, as nobody asks for it: an object that the wish makes nothing of is gone. */
async function change(controlPlane: MemoryControlPlane, wish: Wish): Promise<void> {
  const cluster = controlPlane.connect({ user: admin, namespace });
  const { change: wished = same, more = [] } = wish;
  for (const object of (await exampleOnce()).objects) {
    const ref = await refOf(cluster, object);
    const live = ref === undefined ? undefined : await cluster.get(ref);
    if (ref === undefined || live === undefined) continue;
    const now = wished(live);
    if (now !== undefined) controlPlane.load(now === live ? [] : [now]);
    else await cluster.delete(ref, live.metadata);
  }
  controlPlane.load(more);
}

const same = (object: KubeObject): KubeObject => object;

async function refOf(
  cluster: KubeClient,
  { apiVersion, kind, metadata: { name = "", namespace: place } }: KubeObject,
): Promise<Ref | undefined> {
  const [version = "", group = ""] = apiVersion.split("/").reverse();
  const resource = (await cluster.serves(group, version))?.find((one) => one.kind === kind);
  return resource && { resource, name, ...(place !== undefined && { namespace: place }) };
}

/** A helm that knows the release which the operator is marked with, and renders what runs at the release asked for. */
async function helmBeside(controlPlane: MemoryControlPlane) {
  const cluster = controlPlane.connect({ user: admin, namespace });
  const { deployment: name } = names.operator;
  const live = await cluster.get({ resource: kinds.deployment, name, namespace });
  if (live !== undefined && findOwner(live) === undefined) {
    const { labels, annotations } = live.metadata;
    const marks = {
      labels: { ...labels, ...ownerMarks.Helm.labels },
      annotations: {
        ...{ ...annotations, "meta.helm.sh/release-name": "operator" },
        "meta.helm.sh/release-namespace": namespace,
      },
    };
    controlPlane.load([{ ...live, metadata: { ...live.metadata, ...marks } }]);
  }
  const image = `${names.images.operator}:8.0.2-2`;
  const made = deployment({ version: "8.0.2-2", openshift: "false", image });
  const rendered = live === undefined ? made : atRelease(live);
  const folder = aFolder("helm");
  const played = playHelm(folder, "7.4.2-2", { objects: [rendered] });
  const config = join(folder, "config");
  writeFileSync(config, JSON.stringify(aKubeconfig));
  return {
    played,
    env: { PATH: process.env["PATH"], ENGINE_HELM: played.file, KUBECONFIG: config },
  };
}

/** What runs, with the images of the release that is asked for. */
function atRelease(live: KubeObject): KubeObject {
  const image = new RegExp(`(${names.images.operator}):[^"]*"`, "g");
  return JSON.parse(JSON.stringify(live).replaceAll(image, '$1:8.0.2-2"')) as KubeObject;
}

const aKubeconfig = {
  ...{ apiVersion: "v1", kind: "Config", "current-context": "c" },
  contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
  clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
  users: [{ name: "u", user: { token: "t" } }],
};

async function apiBeside(
  controlPlane: MemoryControlPlane,
  clock: Clock,
): Promise<ClusterApiForTest> {
  const cluster = controlPlane.connect({ user: admin, namespace });
  const example = (await exampleOnce()).objects.find(
    ({ kind, metadata }) => kind === names.edb.kind && metadata.name === "orders",
  );
  const ref = example && (await refOf(cluster, example));
  const orders = ref && (await cluster.get(ref));
  const isKept = getPath(orders, names.edbFields.persistence) === onDisk;
  const persistence = isKept ? "aof" : "disabled";
  const bdbs = [
    { uid: 2, name: "orders", version: "7.4.0", replication: false, persistence },
  ] as const;
  const api = await aClusterApi({ profile: "8.0", bdbs, clock });
  const { name, password } = api.admin;
  await cluster.create(anApiSecret(name, password));
  return api;
}
