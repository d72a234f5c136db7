/** `audit`: what is stored, judged by the rules (S56, S61, S67). */
import { renderCompactly } from "../../adapters/kubernetes/text/yaml";
import type { Finding } from "../../domain/base/findings";
import type { Names } from "../../domain/names/names";
import { judgeEdit } from "../../domain/rules/order";
import type { Edit } from "../../domain/rules/types";
import type { JudgedEdit, RuleWorld } from "./violations";
import { asString, getPath, withValue } from "../../domain/base/values";
import { formatEngineVersion, parseLeadingEngineVersion } from "../../domain/base/versions";
import type { Report } from "../../kernel/report";
import { readStored, reportRules, listStoredEdits } from "./validate";
import { type CommandContext, resolveNamespace } from "../../cmdutil/context";
import { kubectlCommand } from "../../cmdutil/kubectl-command";
import { startRecorder } from "../../cmdutil/run-ports";
import type { AuditFlags } from "./flags";

export { rulesText } from "./command";

/** Judges all stored databases; every expected end comes back as a report. */
export async function runAudit(
  given: CommandContext,
  _args: readonly string[],
  flags: AuditFlags,
): Promise<Report> {
  const context = await resolveNamespace(given);
  const { names, clock, signal } = context;
  const recorder = await startRecorder(context, "Audit");
  try {
    const cluster = await context.connect();
    const { namespace } = cluster;
    const deps = { cluster, names, clock, signal, recorder, yaml: renderCompactly };
    const { clusters, databases } = await readStored(deps, namespace, "audit");
    const options = { ...flags.rules, names };
    const world = { options, operatorNamespace: namespace, clusters, complete: true };
    const kubectl = kubectlCommand(context.options);
    const asked = listStoredEdits(databases, world).map((one) => ({
      ...one,
      commandFor: (finding: Finding, judged: JudgedEdit) => {
        const words = wordsFor({ ...one, world }, finding, judged);
        return words && kubectl(["kubectl", ...words]);
      },
    }));
    return reportRules(recorder, { world, asked });
  } catch (error) {
    return recorder.failure(error);
  }
}

interface StoredEdit {
  readonly edit: Edit;
  readonly namespace: string;
  readonly world: RuleWorld;
}

/**
 * For a version, the patch that writes the one that runs: any other one would upgrade the database,
 * which nothing undoes. None where the status has no version, or the rules refuse that one too.
 */
function wordsFor(
  { edit, namespace, world: { options } }: StoredEdit,
  { code, field = "" }: Finding,
  { lookups }: JudgedEdit,
): readonly string[] | undefined {
  const { names } = options;
  if (code !== "R1") return ["get", ...clusterWords(lookups, names), "-o", "yaml"];
  const runs = parseLeadingEngineVersion(getPath(edit.after, names.fields.statusVersion));
  if (runs === undefined) return undefined;
  const path = field.split(".");
  const version = formatEngineVersion(runs);
  const change = { ...edit, before: edit.after, after: withValue(edit.after, path, version) };
  const { causes } = judgeEdit(change, lookups, options);
  if (causes.some((cause) => cause.field === field)) return undefined;
  return [
    "patch",
    `${names[edit.kind].plural}.${names.group}`,
    asString(getPath(edit.after, ["metadata", "name"])) ?? "",
    `--namespace=${namespace}`,
    "--type=merge",
    "-p",
    JSON.stringify(withValue({}, path, version)),
  ];
}

/** The EC of the database, or all of them where it is not known. */
function clusterWords({ after }: JudgedEdit["lookups"], names: Names): readonly string[] {
  const resource = `${names.ec.plural}.${names.group}`;
  if (after.is !== "found") return [resource, "--all-namespaces"];
  return [resource, after.cluster.name, `--namespace=${after.cluster.namespace}`];
}
