/** What a rehearsal is played on: a live cluster that is read, a dump, or the built-in example. */
import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { Kubeconfig } from "../../adapters/kubernetes/kubeconfig";
import { InputError, UsageError } from "../../domain/base/errors";
import { exampleSource, productDefinitions } from "../../simulator/example";
import { createRegistry } from "../../simulator/kinds/registry";
import { type Can, liveCan, withLiveRights, readLive } from "../../simulator/source/live";
import type { User } from "../../simulator/model";
import { type DumpPlace, readDump } from "../../simulator/source/dump";
import type { Source } from "../../simulator/source/completion";
import type { KubeClient } from "../../ports/kubernetes";
import type { CommandContext } from "../../cmdutil/context";

/** The objects, where they are worked on, and as whom. */
export interface Opened {
  readonly source: Source;
  readonly namespace: string;
  readonly user: User;
  /** The user may do less than the connection. */
  readonly narrowed: boolean;
  /** Narrows an administrator's connection to what the user may do. */
  readonly asUser: (cluster: KubeClient) => KubeClient;
  /** What a printed command needs to reach the same cluster for real. */
  readonly contextArgs: readonly string[];
  /** Closes the connection to a live cluster. */
  readonly close: () => void;
}

/** May do everything, as the one who could make a dump of everything. */
const administrator: User = {
  name: "system:admin",
  groups: ["system:masters", "system:authenticated"],
};

/** Reads the place that `--from` names; UsageError when it names nothing. */
export async function openSource(
  context: CommandContext,
  from: string | undefined,
): Promise<Opened> {
  const { options, names, clock } = context;
  const { context: named, server } = options.connection;
  const place = from === undefined ? undefined : await openPlace(from, context);
  if (place !== undefined && "context" in place) return await openLive(context, place.context);
  if (named !== undefined || server !== undefined) {
    const flag = named === undefined ? "--server" : "--context";
    throw new UsageError(`${flag} names a cluster, and a rehearsal reads only what --from names`, {
      hint: "give the name of a context of the kubeconfig with --from",
    });
  }
  const source =
    place === undefined
      ? await exampleSource(names, clock.now())
      : await readDump(place, {
          ...makeReading(context),
          ...{ names, now: clock.now(), namespace: options.namespace },
        });
  return {
    source,
    namespace: chooseNamespace(context, source),
    user: chooseUser(context),
    narrowed: false,
    asUser: (cluster) => cluster,
    contextArgs: [],
    close: () => undefined,
  };
}

function makeReading({ names }: CommandContext) {
  return { shippedCrds: productDefinitions(names), registry: createRegistry() };
}

/** The flag's, else the source's, else the one that the names take for the operator's. */
function chooseNamespace({ options, names }: CommandContext, source: Source): string {
  return options.namespace ?? source.namespace ?? names.operator.namespace;
}

/** Someone else, with the rights that the dump's roles give. */
function chooseUser({ options }: CommandContext): User {
  const { as, asGroup = [] } = options.connection;
  if (as === undefined) return administrator;
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(as) ?? [];
  const accounts =
    namespace === undefined
      ? []
      : ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  return { name: as, groups: [...new Set([...asGroup, ...accounts, "system:authenticated"])] };
}

type DatabaseArgument = DumpPlace | { readonly context: string };

const forced = "context:";

/** Spelled as a path, so that no context is meant. */
const isPath = (from: string): boolean => isAbsolute(from) || /^\.{1,2}[/\\]/.test(from);

async function openPlace(from: string, context: CommandContext): Promise<DatabaseArgument> {
  if (from === "-") return { text: await context.readDump(), name: "standard input" };
  if (from.startsWith(forced)) return { context: from.slice(forced.length) };
  const found = await stat(from).catch(() => undefined);
  if (found === undefined) return await openContext(from, context);
  if (!isPath(from) && (await isContext(from, context))) {
    throw new UsageError(
      `--from: ${JSON.stringify(from)} is a context of the kubeconfig and also a path here`,
      { hint: `give the context as --from ${forced}${from}, or the path as --from ./${from}` },
    );
  }
  return found.isDirectory() ? { folder: from } : { file: from };
}

async function readContexts({ options, env }: CommandContext): Promise<Kubeconfig["contexts"]> {
  const { loadKubeconfig } = await import("../../adapters/kubernetes/kubeconfig.ts");
  return loadKubeconfig(options.connection.kubeconfig, env).contexts;
}

/** A dump can be read without a kubeconfig, so one that cannot be read has no contexts. */
async function isContext(name: string, context: CommandContext): Promise<boolean> {
  try {
    return (await readContexts(context)).has(name);
  } catch (error) {
    if (error instanceof InputError) return false;
    throw error;
  }
}

async function openContext(from: string, context: CommandContext): Promise<DatabaseArgument> {
  const contexts = await readContexts(context);
  if (contexts.has(from)) return { context: from };
  const known = [...contexts.keys()];
  const list = known.length === 0 ? "it has none" : `it has ${known.join(", ")}`;
  throw new UsageError(
    `--from: ${JSON.stringify(from)} is neither a file or folder nor a context of the kubeconfig (${list})`,
    { hint: "give the path of a dump, or the name of a context" },
  );
}

/** Reads with the person's own rights; the run has those rights too, asked of the live cluster. */
async function openLive(context: CommandContext, kubeContext: string): Promise<Opened> {
  const { names, clock, signal, options } = context;
  const live = await context.connectReadOnly(kubeContext);
  try {
    const source = await readLive(live, {
      ...makeReading(context),
      names,
      namespace: options.namespace ?? live.namespace,
      now: clock.now(),
      described: `the context ${kubeContext} (${live.server})`,
      signal,
    });
    return {
      source,
      namespace: chooseNamespace(context, source),
      ...describeRights(source.user, liveCan(live)),
      contextArgs: [`--context=${kubeContext}`],
      close: () => {
        live.close();
      },
    };
  } catch (error) {
    live.close();
    throw error;
  }
}

function describeRights(
  user: User | undefined,
  can: Can,
): Pick<Opened, "user" | "narrowed" | "asUser"> {
  if (user?.groups.includes("system:masters") === true) {
    return { user, narrowed: false, asUser: (cluster) => cluster };
  }
  const name = user?.name ?? "the user of the context";
  return {
    user: { ...administrator, name },
    narrowed: true,
    asUser: (cluster) => withLiveRights(cluster, can, name),
  };
}
