/** `upgrade-database`: flags to options, then the upgrade of databases (S61-S67, S75-S92). */
import type { RoleWish } from "../../cmdutil/print-role";
import type { Needs } from "../../domain/facts/needs";
import { databasesNeeds } from "./needs";
import { termOf } from "../../domain/names/names";
import { parseDocuments } from "../../adapters/yaml";
import { deprecated, parseModules, type RequestWish } from "../../domain/database/bdb";
import { InputError, UsageError } from "../../domain/base/errors";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import { parseEngineVersion } from "../../domain/base/versions";
import { renderText, type TextStyle } from "../../output/text";
import type { ApiPort, ParticipantPort, UpgradeDatabaseOptions } from "./read";
import { upgradeDatabases } from "./upgrade";
import type { KubeClient } from "../../ports/kubernetes";
import type { Report } from "../../kernel/report";
import type { ApiFlags } from "../../adapters/rest-api/connect";
import { apiPermissions, apiWish, connectApi } from "../../cmdutil/rest-api-option";
import type { CommandContext } from "../../cmdutil/context";
import type { UpgradeDatabaseFlags } from "./flags";
import { kubectlCommand } from "../../cmdutil/kubectl-command";
import { usualAtOnce } from "../../cmdutil/standard-flags";
import { type PreparedRun, runPorts, writeOptions } from "../../cmdutil/run-ports";
import { limitOf } from "../../cmdutil/job";

/** Upgrades the databases; every expected end comes back as a report. */
export async function runUpgradeDatabase(
  context: CommandContext,
  args: readonly string[],
  flags: UpgradeDatabaseFlags,
): Promise<Report> {
  const go = await prepareUpgradeDatabase(context, { ...flags, databases: args });
  return await go(context);
}

/** Steps and findings tell a person all; the list of databases is for scripts. */
export function databaseText(report: Report, style: TextStyle): string {
  return renderText({ ...report, details: undefined }, style);
}

/** What a command that includes this one knows of the time when it will run. */
type DatabasePreparation = Pick<
  UpgradeDatabaseOptions,
  "assumeUpgraded" | "assumeCluster" | "assumeOperator" | "skipMayMiss"
>;

/** Reads and judges what was given; the run itself follows when wanted. */
export async function prepareUpgradeDatabase(
  context: CommandContext,
  flags: UpgradeDatabaseFlags & Pick<UpgradeDatabaseOptions, "databases">,
  ahead: DatabasePreparation = {},
): Promise<PreparedRun> {
  const problems = [...selectionProblems(flags), ...versionProblems(context, flags, ahead)];
  if (problems.length > 0) throw new UsageError(problems);
  const modules = await readModules(context, flags);
  const request: RequestWish = { ...flags.request, modules };
  const warnings = deprecated(request, context.names);
  return async (later) => {
    for (const text of warnings) later.event({ type: "warning", text });
    return await run(later, { ...flags, ...ahead, request });
  };
}

type PreparedDatabases = Omit<UpgradeDatabaseFlags, "request"> &
  Pick<UpgradeDatabaseOptions, "databases" | "request"> &
  DatabasePreparation;

async function run(
  context: CommandContext,
  { limited, participants: contexts, api, ...flags }: PreparedDatabases,
): Promise<Report> {
  const { options } = context;
  const ports = await runPorts(context, "UpgradeDatabase");
  const { cluster } = ports;
  const { namespace } = cluster;
  const participants = await connectParticipants(context, contexts);
  try {
    return await upgradeDatabases(
      {
        ...ports,
        participants,
        api: apiPort(context, cluster, api),
        typed: context.typed ?? nobody,
        command: kubectlCommand(options),
      },
      {
        ...flags,
        namespace,
        ...limitOf(options, limited),
        concurrency: options.concurrency ?? usualAtOnce.databases,
        ...writeOptions(context),
      },
    );
  } finally {
    for (const one of participants) one.cluster.close();
  }
}

/** One address is that of one EC: with databases of two, the second has none. */
function apiPort(context: CommandContext, cluster: KubeClient, flags: ApiFlags): ApiPort {
  let met: string | undefined;
  return {
    unread: apiWish(undefined, flags, context.names),
    permissions: (ec) => apiPermissions({ cluster, ec, flags }, context.names),
    connect: (ec: KubeObject) => {
      const label = objectLabel(ec);
      if (flags.url !== undefined && met !== undefined && met !== label) {
        throw new UsageError(
          `--api-url: is the address of one ${termOf(context.names.ec)}, and there are databases of two`,
          {
            hint: `upgrade those of ${met} and of ${label} by themselves`,
          },
        );
      }
      met = label;
      return connectApi(context, { cluster, ec, flags });
    },
  };
}

function nobody(): Promise<undefined> {
  return Promise.resolve(undefined);
}

function selectionProblems({
  databases,
  all,
  selector,
}: Pick<PreparedDatabases, "databases" | "all" | "selector">): readonly string[] {
  const ways = [databases.length > 0, all, selector !== undefined].filter(Boolean).length;
  return ways === 1 ? [] : ["give names of databases, --all or --selector: one of the three"];
}

/** Nothing guesses a version: the latest one has to be asked for, and without one it is kept. */
function versionProblems(
  { names }: CommandContext,
  { version, request, modules, via }: UpgradeDatabaseFlags,
  { assumeUpgraded }: DatabasePreparation,
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
  if (version === latestChannel) {
    return assumeUpgraded === true
      ? [
          `--engine-version: what ${latestChannel} will be is not known before the cluster is upgraded: give the number`,
        ]
      : [];
  }
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

/** Connects to each; all that cannot be found are named at once. */
async function connectParticipants(
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
  const places = [...new Set(given)].map((name) => placeOf(name, known));
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

interface DatabaseArgument {
  readonly name: string;
  readonly kubeContext: string;
  readonly namespace?: string;
}

/** Names of contexts may have slashes themselves: the longest that is known counts. */
function placeOf(
  name: string,
  known: readonly string[],
): DatabaseArgument | { readonly problem: string } {
  if (known.includes(name)) return { name, kubeContext: name };
  const slash = name.lastIndexOf("/");
  const kubeContext = name.slice(0, Math.max(slash, 0));
  if (known.includes(kubeContext)) return { name, kubeContext, namespace: name.slice(slash + 1) };
  const all = known.length === 0 ? "it has none" : `it has ${known.join(", ")}`;
  return {
    problem: `--participant: ${JSON.stringify(name)} is not a context of the kubeconfig (${all})`,
  };
}

/** What it may need, before the databases are read. */
export function databaseRole({
  context: { names },
  args: databases,
  flags: { via, api, everywhere },
  namespace,
}: RoleWish<UpgradeDatabaseFlags>): Needs {
  const asked = via === "api" ? apiWish(undefined, api, names) : undefined;
  return databasesNeeds({ names, namespace, databases, everywhere, api: asked });
}
