/** What the part is told: flags judged, and what it reaches beside its cluster. */
import { pick } from "../../domain/base/values";
import { parseDocuments } from "../../adapters/kubernetes/text/yaml";
import { findDeprecated, parseModules, type RequestWish } from "../../domain/database/bdb";
import { acceptable, namesData } from "../../domain/database/findings";
import { InputError, UsageError } from "../../domain/base/errors";
import type { Skip } from "../../domain/base/skip";
import { parseEngineVersion } from "../../domain/base/versions";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import { renderTerm } from "../../domain/names/names";
import type { ApiFlags } from "../../adapters/rest-api/connect";
import type { CommandContext } from "../../cmdutil/context";
import { readLimit } from "../../cmdutil/part-command";
import { kubectlCommand } from "../../cmdutil/kubectl-command";
import { apiPermissions, apiWish, connectApi } from "../../cmdutil/rest-api-option";
import { writeOptions } from "../../cmdutil/run-ports";
import { readDefaults } from "../../cmdutil/spec";
import { usualAtOnce } from "../../cmdutil/standard-flags";
import type { KubeClient } from "../../ports/kubernetes";
import type { ClusterApi } from "../../ports/rest-api";
import { upgradeDatabase, type UpgradeDatabaseFlags } from "./flags";
import type { ApiPort, DatabasesTask, ParticipantPort, UpgradeDatabaseOptions } from "./read";

/** Flags, and names that are no flags. */
type Typed = UpgradeDatabaseFlags & Pick<UpgradeDatabaseOptions, "databases">;

/** The same with what was read of files. */
type Wish = Omit<Typed, "request"> & Pick<UpgradeDatabaseOptions, "request" | "skipMayMiss">;

/** What is wrong with the input is said before a cluster is asked; warns of fields that are deprecated. */
export async function readWish(context: CommandContext, flags: Typed): Promise<Wish> {
  const problems = [...selectionProblems(flags), ...versionProblems(context, flags)];
  if (problems.length > 0) throw new UsageError(problems);
  const request: RequestWish = { ...flags.request, modules: await readModules(context, flags) };
  for (const text of findDeprecated(request, context.names))
    context.event({ type: "warning", text });
  return { ...flags, request };
}

/** What the whole upgrade asks of it: all databases of this operator's ECs, by their resources (S61). */
export interface DatabasesPartFlags extends Pick<
  UpgradeDatabaseFlags,
  "version" | "takeFields" | "stallAfterMs" | "limited" | "participants"
> {
  readonly skip: readonly Skip[];
  readonly mayDiscardData: boolean;
  /** The ECs are upgraded before: what `latest` will be is not known yet. */
  readonly follows: boolean;
}

/** All databases, by what each may accept of what is accepted; throws UsageError for unfit flags. */
export async function readPartWish(
  context: CommandContext,
  { follows, skip, mayDiscardData, ...wanted }: DatabasesPartFlags,
): Promise<Wish> {
  const { latestChannel } = context.names;
  if (follows && wanted.version === latestChannel) {
    throw new UsageError(
      `--engine-version: what ${latestChannel} will be is not known before the cluster is upgraded: give the number`,
    );
  }
  const flags = { ...readDefaults(upgradeDatabase), ...wanted };
  const own = skip.filter((one) => acceptable.includes(one.code) && namesData(one));
  const request = { mayDiscardData };
  const all = { databases: [], all: true, everywhere: true, skip: own, request };
  return { ...(await readWish(context, { ...flags, ...all })), skipMayMiss: true };
}

/** What a run reaches beside its cluster. */
type Reach = Pick<DatabasesTask, "participants" | "api">;

/** The part's task. */
export function makeTask(
  context: CommandContext,
  { limited, ...wish }: Omit<Wish, keyof Reach> & Reach & Pick<DatabasesTask, "namespace">,
): DatabasesTask {
  const { options } = context;
  const { fieldManager, shows, wait } = writeOptions(context);
  return {
    ...wish,
    ...{ fieldManager, shows, wait },
    ...readLimit(options, limited),
    ...pick(context, "advised"),
    concurrency: options.concurrency ?? usualAtOnce.databases,
    typed: context.typed ?? nobody,
    command: kubectlCommand(options),
  };
}

function nobody(): Promise<undefined> {
  return Promise.resolve(undefined);
}

/** The REST APIs of the ECs, each connected to when it is needed first. */
export class ApiConnections implements ApiPort {
  readonly unread: ApiPort["unread"];
  readonly #connected = new Map<string, Promise<ClusterApi>>();

  constructor(
    private readonly context: CommandContext,
    private readonly cluster: KubeClient,
    private readonly flags: ApiFlags,
  ) {
    this.unread = apiWish(undefined, flags, context.names);
  }

  permissions(ec: KubeObject): ReturnType<ApiPort["permissions"]> {
    const { context, cluster, flags } = this;
    return apiPermissions({ cluster, ec, flags }, context.names);
  }

  connect(ec: KubeObject): Promise<ClusterApi> {
    const { context, cluster, flags } = this;
    const label = objectLabel(ec);
    this.#requireOne(label);
    const api = this.#connected.get(label) ?? connectApi(context, { cluster, ec, flags });
    this.#connected.set(label, api);
    return api;
  }

  close(): void {
    for (const api of this.#connected.values()) {
      api.then(
        (found) => {
          found.close();
        },
        () => undefined,
      );
    }
  }

  /** One address is that of one EC: with databases of two, the second has none. */
  #requireOne(label: string): void {
    const met = [...this.#connected.keys()].find((one) => one !== label);
    if (this.flags.url === undefined || met === undefined) return;
    throw new UsageError(
      `--api-url: is the address of one ${renderTerm(this.context.names.ec)}, and there are databases of two`,
      { hint: `upgrade those of ${met} and of ${label} by themselves` },
    );
  }
}

function selectionProblems({ databases, all, selector }: Typed): readonly string[] {
  const ways = [databases.length > 0, all, selector !== undefined].filter(Boolean).length;
  return ways === 1 ? [] : ["give names of databases, --all or --selector: one of the three"];
}

/** Nothing guesses a version: the latest one has to be asked for, and without one it is kept. */
function versionProblems(
  { names }: CommandContext,
  { version, request, modules, via }: UpgradeDatabaseFlags,
): readonly string[] {
  const { majorChannel, latestChannel } = names;
  if (version === undefined) {
    const asked = [modules, ...Object.values(request)].some(
      (value) => value !== undefined && value !== false,
    );
    return via === "api" && asked
      ? []
      : [`--engine-version: give the version, or ${latestChannel}`];
  }
  if (request.keepEngineVersion === true) {
    return ["--engine-version and --keep-engine-version contradict each other"];
  }
  if (version === latestChannel) return [];
  const known = version === majorChannel || parseEngineVersion(version) !== undefined;
  const shown = JSON.stringify(version);
  return known
    ? []
    : [
        `--engine-version: ${shown} is neither a version such as 8.0 nor ${majorChannel} or ${latestChannel}`,
      ];
}

async function readModules(
  context: CommandContext,
  { modules: given }: UpgradeDatabaseFlags,
): Promise<RequestWish["modules"]> {
  if (given === undefined) return undefined;
  const inline = given.trimStart().startsWith("[");
  const [document] = parseDocuments(inline ? given : await context.readInput(given), "--modules");
  const parsed = parseModules(document, context.names);
  if (parsed.is === "modules") return parsed.modules;
  throw new InputError(parsed.problems.map((problem) => `--modules: ${problem}`));
}

/** Connects to each; all that cannot be found are named at once. They are closed with the run. */
export async function connectParticipants(
  context: CommandContext,
  given: readonly string[],
): Promise<readonly ParticipantPort[]> {
  if (given.length === 0) return [];
  if (context.rehearsed === true) {
    throw new UsageError("--participant: a rehearsal reaches no other cluster");
  }
  const { loadKubeconfig } = await import("../../adapters/kubernetes/kubeconfig.ts");
  const { contexts } = loadKubeconfig(context.options.connection.kubeconfig, context.env);
  const known = [...contexts.keys()];
  const places = [...new Set(given)].map((name) => findPlace(name, known));
  const problems = places.flatMap((place) => ("problem" in place ? [place.problem] : []));
  if (problems.length > 0) throw new UsageError(problems);
  const found = places.flatMap((place) => ("problem" in place ? [] : [place]));
  return await Promise.all(
    found.map(async ({ name, kubeContext, namespace }) => {
      const cluster = await context.connectReadOnly(kubeContext);
      return { name, cluster, namespace: namespace ?? cluster.namespace };
    }),
  );
}

interface ParticipantPlace {
  readonly name: string;
  readonly kubeContext: string;
  readonly namespace?: string;
}

/** Names of contexts may have slashes themselves: the longest that is known counts. */
function findPlace(
  name: string,
  known: readonly string[],
): ParticipantPlace | { readonly problem: string } {
  if (known.includes(name)) return { name, kubeContext: name };
  const slash = name.lastIndexOf("/");
  const kubeContext = name.slice(0, Math.max(slash, 0));
  if (known.includes(kubeContext)) return { name, kubeContext, namespace: name.slice(slash + 1) };
  const all = known.length === 0 ? "it has none" : `it has ${known.join(", ")}`;
  return {
    problem: `--participant: ${JSON.stringify(name)} is not a context of the kubeconfig (${all})`,
  };
}
