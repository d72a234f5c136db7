/** The cluster's REST API for a command: which EC, which permissions, and the connection. */
import type { ApiFlags } from "../adapters/rest-api/connect";
import { UsageError } from "../domain/base/errors";
import { type Names, readName, renderTerm } from "../domain/names/names";
import { type KubeObject, objectLabel } from "../domain/kube/objects";
import { factSources } from "../domain/facts/facts";
import { apiNeeds, type ApiWish } from "../domain/facts/needs";
import type { Permission } from "../domain/kube/permissions";
import { getPath, asString } from "../domain/base/values";
import type { ClusterApi } from "../ports/rest-api";
import type { KubeClient } from "../ports/kubernetes";
import type { CommandContext } from "./context";

export type { ApiFlags } from "../adapters/rest-api/connect";

/** Whose REST API is asked, and how. */
interface ApiSubject {
  readonly cluster: KubeClient;
  readonly ec: KubeObject;
  readonly flags: ApiFlags;
}

/** The EC of a name, or the only one of the namespace. */
export async function readEc(
  cluster: KubeClient,
  typed: string | undefined,
  { names, signal }: Pick<CommandContext, "names" | "signal">,
): Promise<KubeObject> {
  const { ec, ecVersion } = names;
  const { resource } = factSources(names).ecs;
  const { namespace } = cluster;
  const all =
    (await cluster.list(resource, { namespace, signal })) ??
    (await cluster.list({ ...resource, version: ecVersion }, { namespace, signal })) ??
    [];
  const term = renderTerm(ec);
  const name = typed === undefined ? undefined : readName(typed, names).name;
  const found = name === undefined ? all : all.filter((each) => each.metadata.name === name);
  const [first, second] = found;
  if (first !== undefined && second === undefined) return first;
  if (second !== undefined) {
    const named = found.map((each) => each.metadata.name ?? "").join(", ");
    throw new UsageError(`namespace ${namespace} has several ${term}s: ${named}`, {
      hint: `name one of them with --ec`,
    });
  }
  const which = name === undefined ? `no ${term}` : `no ${term} ${JSON.stringify(name)}`;
  throw new UsageError(`namespace ${namespace} has ${which}`, {
    hint: `give the namespace with -n, and the ${term}'s name as kubectl get shows it`,
  });
}

/** How the REST API of an EC is reached; undefined while it is not read. */
export function apiWish(
  ec: KubeObject | undefined,
  { credentialsSecret, url }: ApiFlags,
  names: Names,
): ApiWish {
  const named = asString(getPath(ec, names.ecFields.credentialSecretName));
  const label = `the ${renderTerm(names.ec)}`;
  return {
    secret: credentialsSecret ?? named ?? ec?.metadata.name,
    forwards: url === undefined,
    of: ec === undefined ? label : objectLabel(ec),
  };
}

/** What Kubernetes has to allow before the REST API can be asked. */
export function apiPermissions({ ec, flags }: ApiSubject, names: Names): readonly Permission[] {
  return apiNeeds({ namespace: ec.metadata.namespace }, apiWish(ec, flags, names));
}

/** Connects; the adapter is loaded here, by no command that does not ask the REST API. */
export async function connectApi(
  context: CommandContext,
  { cluster, ec, flags }: ApiSubject,
): Promise<ClusterApi> {
  // a rehearsal touches nothing real: whatever the flags say, the REST API is played for it
  const played = await context.playedApi?.(ec);
  const { connectClusterApi } = await import("../adapters/rest-api/connect.ts");
  return connectClusterApi({
    cluster,
    ec,
    flags,
    names: context.names,
    env: context.env,
    clock: context.clock,
    requestTimeoutMs: context.options.connection.requestTimeoutMs,
    played,
    // what is played on this machine answers by a time of its own
    onSlow: played === undefined ? context.onSlow : undefined,
    warn: (text) => {
      context.event({ type: "warning", text });
    },
  });
}
