/** What a shell is offered of the kubeconfig and of the cluster: at once or not at all, and silently. */
import type { GlobalOptions } from "../cmdutil/context";
import { kinds } from "../domain/kube/kinds";
import {
  defaultNames,
  type Names,
  type ProductKind,
  readName,
  renderTerm,
} from "../domain/names/names";
import { type KubeClient, deadline } from "../ports/kubernetes";
import type { Question, Suggestion } from "./complete";
import type { AskedRelease, TagOffer } from "./completion-tags";
import type { HostProcess } from "./context";

/** With the start of the program less than a second, after which a person types on; the line may allow more. */
const withinMs = 800;

interface Look extends Question {
  readonly options: GlobalOptions;
  /** Objects of every namespace are meant. */
  readonly everywhere: boolean;
  readonly asked: AskedRelease;
}

/** The words; whatever stands in the way, there are none. */
export async function findWords(look: Look, world: HostProcess): Promise<readonly Suggestion[]> {
  const { what, options } = look;
  const end = new AbortController();
  const inTime = deadline(world.clock, options.connection.requestTimeoutMs ?? withinMs, () => {
    end.abort();
  });
  try {
    if (what === "release" || what === "tag")
      return await tags({ ...look, what }, world, end.signal);
    if (what === "namespace" || what === "version" || typeof what !== "string") {
      return await live(look, world, end.signal);
    }
    return await listConfigured(what, look, world);
  } catch {
    return [];
  } finally {
    inTime();
  }
}

async function listConfigured(
  what: "context" | "cluster" | "user" | "kind",
  { options: { connection } }: Look,
  { env }: HostProcess,
): Promise<readonly Suggestion[]> {
  if (what === "kind") {
    const { readShippedSchema } = await import("../adapters/shipped.ts");
    const [, { properties }] = readShippedSchema().allOf;
    return properties.kind.enum.map((kind) => [kind, "kind of a document"]);
  }
  const { loadKubeconfig } = await import("../adapters/kubernetes/kubeconfig.ts");
  const { contexts, clusters, users } = loadKubeconfig(connection.kubeconfig, env);
  const entries = { context: contexts, cluster: clusters, user: users }[what];
  return [...entries.keys()].map((name) => [name, `${what} of the kubeconfig`]);
}

/** What is read over a connection of its own, which is closed then. */
async function connected<T>(
  { options }: Look,
  world: HostProcess,
  read: (cluster: KubeClient) => Promise<T>,
): Promise<T> {
  const cluster = await world.connect(options, { readOnly: true, silent: true });
  try {
    return await read(cluster);
  } finally {
    cluster.close();
  }
}

function live(look: Look, world: HostProcess, signal: AbortSignal): Promise<readonly Suggestion[]> {
  return connected(look, world, async (cluster) => {
    if (look.what === "version") return await versions(look, { cluster, signal });
    if (typeof look.what === "string") {
      const found = await cluster.list(kinds.namespace, { whole: true, signal });
      return (found ?? []).map(({ metadata: { name = "" } }) => [name, "namespace"]);
    }
    return await objects(look, look.what, { cluster, signal });
  });
}

/** Where it is asked, until when. */
interface Asking {
  readonly cluster: KubeClient;
  readonly signal: AbortSignal;
}

/** The clusters of the namespace. */
async function listClusters(names: Names, { cluster, signal }: Asking) {
  const { group, version, ecVersion, ec } = names;
  const own = { namespace: cluster.namespace, whole: true, signal };
  const found =
    (await cluster.list({ group, version, ...ec }, own)) ??
    (await cluster.list({ group, version: ecVersion, ...ec }, own));
  return found ?? [];
}

/** Tags that the line decides, else those that go with the operator that runs. */
async function tags(
  look: Look & { readonly what: TagOffer },
  world: HostProcess,
  signal: AbortSignal,
): Promise<readonly Suggestion[]> {
  const { what, asked } = look;
  const { names = defaultNames } = look.options;
  const known = await import("./completion-tags.ts");
  const onLine = await known.findTagsOnLine(what, asked, { names, env: world.env, signal });
  if (onLine !== undefined) return onLine;
  const seen = await connected(look, world, async (cluster) => ({
    operator: await known.readOperatorRelease(names, { cluster, signal }),
    clusters: what === "tag" ? await listClusters(names, { cluster, signal }) : [],
  })).catch(() => ({ operator: {}, clusters: [] }));
  return what === "release"
    ? known.listReleases(seen.operator)
    : known.listClusterTags(seen.operator, seen.clusters, names);
}

/** Engine versions that the clusters of the namespace publish. */
async function versions(
  { options: { names = defaultNames } }: Look,
  asking: Asking,
): Promise<readonly Suggestion[]> {
  const { ec } = names;
  const { projectCluster } = await import("../domain/rules/clusters.ts");
  return (await listClusters(names, asking)).flatMap((object) =>
    (projectCluster(object, names)?.versions ?? []).map(({ version: offered }): Suggestion => [
      offered,
      `${renderTerm(ec)} ${object.metadata.name ?? ""} offers it`,
    ]),
  );
}

/** Names as commands take them: [KIND/]NAME, and NAMESPACE/NAME where a namespace may stand. */
async function objects(
  { typed, everywhere, options: { names = defaultNames } }: Look,
  wanted: readonly ProductKind[],
  { cluster, signal }: Asking,
): Promise<readonly Suggestion[]> {
  const { kind } = readName(typed, names);
  const lead = kind === undefined ? "" : typed.slice(0, typed.indexOf("/") + 1);
  const isPlaced = everywhere || typed.slice(lead.length).includes("/");
  const { namespace } = cluster;
  const own = { namespace, whole: true, signal };
  const listNames = async (key: ProductKind) => {
    const resource = { group: names.group, version: names.version, ...names[key] };
    // who may read one namespace is offered what is in it
    const inOne = () => cluster.list(resource, own);
    if (key !== "ec") return cluster.list(resource, { whole: true, signal }).catch(inOne);
    return (await inOne()) ?? cluster.list({ ...resource, version: names.ecVersion }, own);
  };
  const one = async (key: ProductKind): Promise<readonly Suggestion[]> =>
    ((await listNames(key)) ?? []).map(({ metadata: { namespace: of = namespace, name = "" } }) => {
      const isPlain = key === "ec" || (of === namespace && !isPlaced);
      return [`${lead}${isPlain ? name : `${of}/${name}`}`, `${renderTerm(names[key])} in ${of}`];
    });
  const meant = wanted.filter((key) => kind === undefined || key === kind);
  return (await Promise.all(meant.map(one))).flat();
}
