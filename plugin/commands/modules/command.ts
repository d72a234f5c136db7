/** `modules list` and `modules in-use`: what the REST API has, and who uses it (S93, S94, S101, S102). */
import type { RoleWish } from "../../cmdutil/print-role";
import type { Needs } from "../../domain/facts/needs";
import { judgeModules, type ModuleUse, moduleUses } from "../../domain/engine-cluster/modules";
import { exitCodes } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import { formatEngineVersion } from "../../domain/base/versions";
import type { ClusterApi } from "../../ports/rest-api";
import type { InstalledModule } from "../../domain/rest-api/records";
import type { ExitReport, Report } from "../../kernel/report";
import { type CommandContext, resolveNamespace } from "../../cmdutil/context";
import type { ModulesFlags, ModulesInUseFlags } from "./flags";
import { renderCompactly } from "../../adapters/kubernetes/text/yaml";
import { modulesNeeds } from "../../domain/checks/needs";
import { requireNeeds, requirePermissions } from "../../kernel/permissions";
import type { KubeClient } from "../../ports/kubernetes";
import type { Recorder } from "../../kernel/recorder";
import { apiPermissions, apiWish, connectApi, readEc } from "../../cmdutil/rest-api-option";
import { startRecorder } from "../../cmdutil/run-ports";
import { openJournal } from "../../kernel/journal";
import { installModule } from "./install";
import { kubectlCommand } from "../../cmdutil/kubectl-command";
import { countNoun, getOwn, pick } from "../../domain/base/values";
import { escape, renderTable } from "../../output/escape";
import { renderText, type TextStyle } from "../../output/text";

/** `details` of the list. */
export interface ModulesListDetails {
  readonly ec: string;
  readonly address: string;
  readonly modules: readonly InstalledModule[];
}

/** Every installed module, by name; those of one name as the server has them. */
export function runModulesList(
  context: CommandContext,
  _args: readonly string[],
  flags: ModulesFlags,
): Promise<Report> {
  const command = { kind: "Modules", command: "modules list", flags };
  return inModulesSession(context, command, async ({ api, ec, recorder }) => {
    const modules = [...(await api.modules(context.signal))].sort(byName);
    const details: ModulesListDetails = { ec: objectLabel(ec), address: api.address, modules };
    const own = modules.filter(({ bundled }) => bundled === false).length;
    const ofUser = own === 0 ? "" : `, ${own} of them user-defined`;
    return { ...recorder.success(`${count(modules, "module")} installed${ofUser}`), details };
  });
}

/** `details` of the modules in use. */
export interface ModulesInUseDetails {
  readonly ec: string;
  readonly address: string;
  readonly target?: string;
  readonly platform?: string;
  readonly modules: readonly ModuleUse[];
  readonly databases: readonly {
    readonly uid: number;
    readonly name: string | undefined;
    readonly version: string | undefined;
    readonly modules: readonly { readonly name: string; readonly version: string | undefined }[];
  }[];
}

/** Which databases use which modules, and what is wrong with them; errors end with 3. */
export function runModulesInUse(
  context: CommandContext,
  _args: readonly string[],
  flags: ModulesInUseFlags,
): Promise<Report> {
  const { signal, names } = context;
  const command = { kind: "ModulesInUse", command: "modules in-use", flags };
  return inModulesSession(context, command, async (session) => {
    const { api, ec, recorder } = session;
    const [modules, databases, nodes] = await Promise.all([
      api.modules(signal),
      api.databases(signal),
      flags.target && api.nodes(signal),
    ]);
    const facts = { ec, names, modules, databases, nodes };
    const { target: engine, platform } = flags;
    const findings = judgeModules(facts, { engine, platform });
    recorder.addFindings(findings);
    const uses = moduleUses(facts);
    const details: ModulesInUseDetails = {
      ec: objectLabel(ec),
      address: api.address,
      target: engine && formatEngineVersion(engine),
      platform,
      modules: uses,
      databases: databases.map((one) => pick(one, "uid", "name", "version", "modules")),
    };
    const using = databases.filter(({ modules: used }) => used.length > 0);
    const said = `${using.length} of ${count(databases, "database")} with modules, ${uses.length} in use`;
    return { ...recorder.report(chooseEnd(findings, said)), details };
  });
}

function chooseEnd(findings: readonly Finding[], said: string): ExitReport {
  const errors = findings.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (first === undefined) return { code: exitCodes.ok, reason: said };
  return {
    code: exitCodes.blocked,
    reason: `${said}; ${count(errors, "error")} to fix before an upgrade`,
    next: first.fix,
  };
}

function byName(one: InstalledModule, other: InstalledModule): number {
  if (one.name === other.name) return 0;
  return one.name < other.name ? -1 : 1;
}

function count(all: readonly unknown[], what: string): string {
  return countNoun(all.length, what);
}

/** Connected, and allowed to be. */
interface ModulesSession {
  readonly ec: KubeObject;
  readonly api: ClusterApi;
  readonly recorder: Recorder;
  readonly cluster: KubeClient;
}

/** Acts on the REST API of an EC; every expected end comes back as a report. */
async function inModulesSession(
  asked: CommandContext,
  {
    kind,
    command,
    flags,
  }: Readonly<Record<"kind" | "command", string>> & { readonly flags: ModulesFlags },
  act: (session: ModulesSession) => Promise<Report>,
): Promise<Report> {
  const context = await resolveNamespace(asked);
  const { names } = context;
  const cluster = await context.connect();
  const { namespace } = cluster;
  const recorder = await startRecorder(context, kind);
  const ledger = { cluster, recorder, yaml: renderCompactly };
  try {
    const place = { names, namespace };
    const unread = apiWish(undefined, flags.api, names);
    await requireNeeds(ledger, command, modulesNeeds(place, unread));
    const ec = await readEc(cluster, flags.ec, context);
    const subject = { cluster, ec, flags: flags.api };
    recorder.needs.declare(command, modulesNeeds(place, apiWish(ec, flags.api, names)));
    await requirePermissions(ledger, apiPermissions(subject, names));
    const api = await connectApi(context, subject);
    try {
      return await act({ ec, api, recorder, cluster });
    } finally {
      api.close();
    }
  } catch (error) {
    return recorder.failure(error);
  }
}

/** Installs the module of an archive; what is there already is left as it is. */
export async function runModulesInstall(
  context: CommandContext,
  args: readonly string[],
  flags: ModulesFlags,
): Promise<Report> {
  const [path = ""] = args;
  const { names, clock, signal, options, streams } = context;
  const { readModuleFile } = await import("../../adapters/rest-api/upload.ts");
  const { name, bytes, module } = await readModuleFile(path, names);
  const command = { kind: "ModulesInstall", command: "modules install", flags };
  return inModulesSession(context, command, async (session) => {
    const journal = openJournal(await context.home(), context.run.id);
    return await installModule(
      { ...session, clock, names, journal, signal, command: kubectlCommand(options) },
      {
        ec: session.ec,
        file: { name, bytes },
        module,
        dryRun: options.dryRun,
        timeoutMs: options.timeoutMs,
        // on a terminal the line is written over
        tellEvery: "isTTY" in streams.err && streams.err.isTTY === true ? 1 : 25,
      },
    );
  });
}

/** The installed modules. */
export function modulesListText(report: Report, style: TextStyle): string {
  if (!hasModules(report)) return renderText(report, style);
  const details = report.details as ModulesListDetails;
  const isWide = style.wide === true;
  const rows = details.modules.map((module) => [
    module.name,
    renderValue(module.displayName),
    renderValue(module.version),
    answer(module.bundled, ["yes", "no"]),
    renderValue(module.compatibleEngineVersion),
    renderValue(module.minEngineVersion),
    module.platforms === undefined ? "not told" : module.platforms.join(",") || "none",
    ...(isWide ? [renderValue(module.uid)] : []),
  ]);
  const head = [
    ...["MODULE", "DISPLAY NAME", "VERSION", "BUNDLED", "FOR ENGINE", "FROM", "PLATFORMS"],
    ...(isWide ? ["UID"] : []),
  ];
  return withTable(report, style, { details, head, rows });
}

/** Which databases use what. */
export function modulesInUseText(report: Report, style: TextStyle): string {
  if (!hasModules(report)) return renderText(report, style);
  const details = report.details as ModulesInUseDetails;
  const rows = details.databases.flatMap(({ uid, name, version, modules }) =>
    modules.map((used) => {
      const use = details.modules.find(
        (each) => each.name === used.name && each.version === used.version,
      );
      const defined = use?.bundled === true ? "bundled" : answer(use?.defined, ["yes", "no"]);
      return [
        renderValue(name),
        String(uid),
        renderValue(version),
        used.name,
        renderValue(use?.displayName),
        renderValue(used.version),
        answer(use?.installed, ["yes", "no"]),
        defined,
      ];
    }),
  );
  const head = [
    ...["DATABASE", "UID", "ENGINE", "MODULE", "DISPLAY NAME", "VERSION", "INSTALLED", "DEFINED"],
  ];
  return withTable(report, style, { details, head, rows });
}

interface Drawn {
  readonly details: { readonly ec: string; readonly address: string };
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

function withTable(report: Report, style: TextStyle, { details, head, rows }: Drawn): string {
  const place = `Modules of ${escape(details.ec)}, by ${escape(details.address)}`;
  const cells = rows.map((row) => row.map(escape));
  const table = rows.length === 0 ? [] : ["", ...renderTable(head, cells)];
  const rest = renderText({ ...report, steps: [], details: undefined }, style);
  return `${[place, ...table].join("\n")}\n\n${rest}`;
}

/** A run that failed has no table. */
function hasModules({ details }: Report): boolean {
  return getOwn(details, "modules") !== undefined;
}

function renderValue(value: string | undefined): string {
  return value ?? "-";
}

function answer(value: boolean | undefined, [yes, no]: readonly [yes: string, no: string]): string {
  if (value === undefined) return "-";
  return value ? yes : no;
}

/** What `modules install` may need. */
export function modulesRole({
  context: { names },
  flags,
  namespace,
}: RoleWish<ModulesFlags>): Needs {
  return modulesNeeds({ names, namespace }, apiWish(undefined, flags.api, names));
}
