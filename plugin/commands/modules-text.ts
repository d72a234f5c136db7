/** The module commands as a person reads them: a table, then what the common text has to say. */
import { own } from "../domain/values";
import { escape } from "../output/escape";
import { renderTable } from "../output/table";
import { renderText, type TextStyle } from "../output/text";
import type { Report } from "../run/report";
import type { ModulesInUseDetails, ModulesListDetails } from "./modules";

/** The installed modules. */
export function modulesListText(report: Report, style: TextStyle): string {
  if (!hasModules(report)) return renderText(report, style);
  const details = report.details as ModulesListDetails;
  const rows = details.modules.map((module) => [
    module.name,
    shown(module.displayName),
    shown(module.version),
    answer(module.bundled, ["yes", "no"]),
    shown(module.compatibleEngineVersion),
    shown(module.minEngineVersion),
    module.platforms === undefined ? "not told" : module.platforms.join(",") || "none",
  ]);
  const head = ["MODULE", "DISPLAY NAME", "VERSION", "BUNDLED", "FOR ENGINE", "FROM", "PLATFORMS"];
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
        shown(name),
        String(uid),
        shown(version),
        used.name,
        shown(use?.displayName),
        shown(used.version),
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
  return own(details, "modules") !== undefined;
}

function shown(value: string | undefined): string {
  return value ?? "-";
}

function answer(value: boolean | undefined, [yes, no]: readonly [yes: string, no: string]): string {
  if (value === undefined) return "-";
  return value ? yes : no;
}
