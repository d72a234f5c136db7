/** `audit`: what is stored, judged by the rules (S56, S61, S67). */
import { renderDocuments } from "../adapters/yaml";
import type { Finding } from "../domain/findings";
import type { Names } from "../domain/names";
import { nearestEdit } from "../domain/rules/explain";
import type { Edit } from "../domain/rules/types";
import type { JudgedEdit, RuleWorld } from "../domain/validate";
import { asString, getPath, withValue } from "../domain/values";
import type { Report } from "../run/report";
import { readStored, reportRules, storedEdits } from "../run/rules";
import type { CommandContext } from "./context";
import { kubectlCommand } from "./kubectl-command";
import { recorderOf } from "./run-ports";
import type { AuditFlags } from "./specs/rules";

export { rulesText } from "./validate";

/** Judges all stored databases; every expected end comes back as a report. */
export async function runAudit(
  context: CommandContext,
  _args: readonly string[],
  flags: AuditFlags,
): Promise<Report> {
  const { names, clock, signal } = context;
  const recorder = await recorderOf(context, "Audit");
  try {
    const cluster = await context.connect();
    const { namespace } = cluster;
    const deps = { cluster, names, clock, signal, recorder, yaml: renderDocuments };
    const { clusters, databases } = await readStored(deps, namespace);
    const options = { ...flags.rules, names };
    const world = { options, operatorNamespace: namespace, clusters, complete: true };
    const kubectl = kubectlCommand(context.options);
    const asked = storedEdits(databases, world).map((one) => ({
      ...one,
      commandFor: (finding: Finding, judged: JudgedEdit) =>
        kubectl(["kubectl", ...wordsFor({ ...one, world }, finding, judged)]),
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

/** The nearest version as a patch; else what has to be looked at to choose a way out. */
function wordsFor(
  { edit, namespace, world: { options } }: StoredEdit,
  { code, field = "" }: Finding,
  { lookups }: JudgedEdit,
): readonly string[] {
  const { names } = options;
  const database = [
    `${names[edit.kind].plural}.${names.group}`,
    asString(getPath(edit.after, ["metadata", "name"])) ?? "",
    `--namespace=${namespace}`,
  ];
  if (code !== "R1") return ["get", ...clusterWords(lookups, names), "-o", "yaml"];
  const path = field.split(".");
  const stored = getPath(edit.after, path);
  // as a change it is judged by the upgrade policy too; behind the number nothing is valid, and the number is near
  const written = `${typeof stored === "number" ? stored.toFixed(1) : String(stored)}.0`;
  const change = { ...edit, before: edit.after, after: withValue(edit.after, path, written) };
  const nearest = nearestEdit(change, lookups, options).find((one) => one.field === field);
  if (typeof nearest?.to !== "string" || nearest.to === stored) {
    return ["get", ...database, "-o", "yaml"];
  }
  const patch = JSON.stringify(withValue({}, path, nearest.to));
  return ["patch", ...database, "--type=merge", "-p", patch];
}

/** The EC of the database, or all of them where it is not known. */
function clusterWords({ after }: JudgedEdit["lookups"], names: Names): readonly string[] {
  const resource = `${names.ec.plural}.${names.group}`;
  if (after.is !== "found") return [resource, "--all-namespaces"];
  return [resource, after.cluster.name, `--namespace=${after.cluster.namespace}`];
}
