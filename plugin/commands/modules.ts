/** `modules list` and `modules in-use`: what the REST API has, and who uses it (S93, S94, S101, S102). */
import { judgeModules } from "../domain/api/module-judgement";
import { type ModuleUse, moduleUses } from "../domain/api/module-use";
import { exitCodes } from "../domain/errors";
import type { Finding } from "../domain/findings";
import { objectLabel } from "../domain/objects";
import { type EngineVersion, formatEngineVersion } from "../domain/versions";
import type { InstalledModule } from "../run/cluster-api";
import type { ExitReport, Report } from "../run/report";
import type { CommandContext } from "./context";
import { inModulesSession, type ModulesFlags } from "./modules-session";

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
  return inModulesSession(context, { kind: "Modules", flags }, async ({ api, ec, recorder }) => {
    const modules = [...(await api.modules(context.signal))].sort(byName);
    const details: ModulesListDetails = { ec: objectLabel(ec), address: api.address, modules };
    const own = modules.filter(({ bundled }) => bundled === false).length;
    const ofUser = own === 0 ? "" : `, ${own} of them of the user's own`;
    return { ...recorder.success(`${count(modules, "module")} installed${ofUser}`), details };
  });
}

/** Flags of `modules in-use`, judged. */
export interface ModulesInUseFlags extends ModulesFlags {
  /** Engine version that the modules have to fit. */
  readonly target?: EngineVersion;
  /** Platform that they have to be installed for, as the list names it. */
  readonly platform?: string;
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
  return inModulesSession(context, { kind: "ModulesInUse", flags }, async (session) => {
    const { api, ec, recorder } = session;
    const [modules, databases, nodes] = await Promise.all([
      api.modules(signal),
      api.databases(signal),
      flags.target && api.nodes(signal),
    ]);
    const facts = { ec, names, modules, databases, nodes };
    const { target: engine, platform } = flags;
    const wanted = {
      ...(engine !== undefined && { engine }),
      ...(platform !== undefined && { platform }),
    };
    const findings = judgeModules(facts, wanted);
    recorder.findings(findings);
    const uses = moduleUses(facts);
    const details: ModulesInUseDetails = {
      ec: objectLabel(ec),
      address: api.address,
      ...(engine !== undefined && { target: formatEngineVersion(engine) }),
      ...(platform !== undefined && { platform }),
      modules: uses,
      databases: databases.map(({ uid, name, version, modules: used }) => ({
        uid,
        name,
        version,
        modules: used,
      })),
    };
    const using = databases.filter(({ modules: used }) => used.length > 0);
    const said = `${using.length} of ${count(databases, "database")} with modules, ${uses.length} in use`;
    return { ...recorder.report(endOf(findings, said)), details };
  });
}

function endOf(findings: readonly Finding[], said: string): ExitReport {
  const errors = findings.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (first === undefined) return { code: exitCodes.ok, reason: said };
  return {
    code: exitCodes.blocked,
    reason: `${said}; ${count(errors, "error")} to mend before an upgrade`,
    next: first.fix,
  };
}

function byName(one: InstalledModule, other: InstalledModule): number {
  if (one.name === other.name) return 0;
  return one.name < other.name ? -1 : 1;
}

function count(all: readonly unknown[], what: string): string {
  return `${all.length} ${what}${all.length === 1 ? "" : "s"}`;
}
