/** The commands that fix what a finding says, by its code: only lines that run as they are. */
import type { Finding } from "../domain/base/findings";
import { firstRun, type Run, type Runnable } from "../domain/base/remedy";
import type { Names } from "../domain/names/names";
import { rollFindings } from "../domain/rollout/findings";

/** A line without the words that lead to the cluster: a command of this tool, or one of kubectl's. */
interface FixCommand {
  readonly of: Run["of"];
  readonly words: readonly string[];
  /** What is to be saved before, and the file for it. */
  readonly saved?: { readonly words: readonly string[]; readonly file: string };
  /** What follows where all before it went well. */
  readonly then?: readonly string[];
}

type Line = (finding: Finding, names: Names) => readonly string[] | undefined;

const useWords =
  (...words: readonly string[]): Line =>
  () =>
    words;

/** Kind, namespace where there is one, and name of a finding's object. */
function splitObject({ object = "" }: Finding): readonly string[] {
  return object.split("/");
}

const addName =
  (...before: readonly string[]): Line =>
  (finding) => {
    const name = splitObject(finding).slice(-1).join("");
    return name === "" ? undefined : [...before, name];
  };

/** Of an object of a namespace, by its kind: what kubectl says of it. */
const describeObject: Line = (finding) => {
  const [kind, namespace, name] = splitObject(finding);
  if (namespace === undefined || name === undefined) return undefined;
  return ["describe", String(kind).toLowerCase(), name, `--namespace=${namespace}`];
};

/** The line of kubectl that the fix ends with, unless it is one to read a page; a word in quotes has no space in it. */
const copyPrintedOnly: Line = ({ fix }) => {
  const [, line] = /.*\bkubectl (.+)$/.exec(fix) ?? [];
  if (line?.startsWith("engine explain ")) return undefined;
  return line?.split(" ").map((word) => word.replaceAll("'", ""));
};

/** That line, else what kubectl says of the object. */
const copyPrinted: Line = (finding, names) =>
  copyPrintedOnly(finding, names) ?? describeObject(finding, names);

/** None for a configuration that the command does not write, or that somebody else owns. */
const webhook: Line = ({ fix }) => {
  if (fix.includes("kubectl delete")) return undefined;
  if (fix.includes("upgrade-webhook --ca-only")) return ["upgrade-webhook", "--ca-only"];
  return fix.includes("upgrade-webhook") ? ["upgrade-webhook"] : undefined;
};

/** A configuration of others, by the kind of the object. */
const ofConfiguration =
  (...before: readonly string[]): Line =>
  (finding, names) => {
    const [kind = ""] = splitObject(finding);
    const [verb = "", ...after] = before;
    const [, name] = addName(verb)(finding, names) ?? [];
    return name === undefined ? undefined : [verb, kind.toLowerCase(), name, ...after];
  };

/** Where the fix is to delete it. */
const deleteIt: Line = (finding, names) =>
  finding.fix.includes("kubectl delete") ? ofConfiguration("delete")(finding, names) : undefined;

/** Where the fix is to delete it, or to take one entry out of it. */
const takeOut: Line = (finding, names) =>
  deleteIt(finding, names) ?? copyPrintedOnly(finding, names);

const roles = useWords("reapply-rbac");
/** None where a person has to decide on the accounts of a group. */
const subjects: Line = ({ fix }) => (fix.includes("--drop-local") ? undefined : ["reapply-rbac"]);
const engine: Readonly<Record<string, Line>> = {
  "FREEZE-UNPROVEN": useWords("recover"),
  "OPERATOR-CHART-NAMESPACES": roles,
  "RBAC-BINDING-ABSENT": roles,
  "RBAC-CONTRACT-EARLY": roles,
  "RBAC-LABEL-ROLE-ABSENT": roles,
  "RBAC-PLACEHOLDER": roles,
  "RBAC-ROLE-ABSENT": roles,
  "RBAC-ROLE-BEHIND": roles,
  "RBAC-ROLE-BEYOND": useWords("reapply-rbac", "--mode=contract"),
  "RBAC-ROLE-REF": roles,
  "RBAC-STALE": useWords("reapply-rbac", "--prune"),
  "RBAC-SUBJECTS": subjects,
  "SCC-LEFT": useWords("unbind-scc"),
  "SCC-OLDER-LEFT": (_, { scc }) => ["unbind-scc", `--scc=${scc.older}`],
  "SCC-STILL-BOUND": useWords("unbind-scc"),
  "WEBHOOK-DIFFERS": useWords("diff", "upgrade-webhook"),
  "WEBHOOK-OLD": webhook,
  "WEBHOOK-OWNED": webhook,
  "WEBHOOK-RULES-BEHIND": webhook,
};

const kubectl: Readonly<Record<string, Line>> = {
  "CLUSTER-PODS-NOT-READY": copyPrinted,
  ...Object.fromEntries(Object.values(rollFindings).map(({ code }) => [code, copyPrinted])),
  "WEBHOOK-ALLOWS-ALL": copyPrinted,
  "WEBHOOK-NETWORK-POLICY": copyPrinted,
  "WEBHOOK-NO-ENDPOINTS": copyPrinted,
  "WEBHOOK-NO-PODS": copyPrinted,
  "WEBHOOK-NOT-ANSWERING": copyPrinted,
  "WEBHOOK-PODS-NOT-READY": copyPrinted,
  "WEBHOOK-REFUSES-ALL": copyPrinted,
  "WEBHOOK-SELECTOR": copyPrinted,
  "WEBHOOK-SELECTOR-MISSES": copyPrintedOnly,
  "WEBHOOK-SERVES-OTHER": copyPrinted,
  "WEBHOOK-SERVICE-PORT": copyPrinted,
  "WEBHOOK-STRANGER-POD": copyPrinted,
  "WEBHOOK-TARGET-PORT": copyPrinted,
  "WEBHOOK-UNREACHABLE": copyPrinted,
  "WEBHOOK-CA-STALE": deleteIt,
  "WEBHOOK-CALLS-OTHER": deleteIt,
  "WEBHOOK-LEFTOVER": takeOut,
  "WEBHOOK-PLACEHOLDER": deleteIt,
  "WEBHOOK-SELECTS-NOTHING": ofConfiguration("get", "-o", "yaml"),
  "WEBHOOK-OTHER-CONFIGURATION": addName("get", "validatingwebhookconfiguration", "-o", "yaml"),
};

/** The command for a finding; undefined where none helps, or where it would need what is not known. */
export function fixCommand(finding: Finding, names: Names): FixCommand | undefined {
  const known = firstRun(finding.remedies);
  if (known !== undefined) return withSaving(known);
  for (const [of, table] of [
    ["tool", engine],
    ["kubectl", kubectl],
  ] as const) {
    const words = Object.hasOwn(table, finding.code)
      ? table[finding.code]?.(finding, names)
      : undefined;
    if (words !== undefined) return { of, words, ...planSaving(words) };
  }
  return undefined;
}

function withSaving({ run, saves, then }: Runnable): FixCommand {
  if (saves === undefined) return run;
  return { ...run, saved: saves, ...(then?.run && { then: then.run.words }) };
}

/** What a line deletes or replaces that nothing else brings back. */
function planSaving(words: readonly string[]): Pick<FixCommand, "saved"> {
  const [verb, kind = "", name = ""] = words;
  if (!["delete", "patch"].includes(String(verb)) || !kind.endsWith("webhookconfiguration"))
    return {};
  return { saved: { words: ["get", kind, name, "-o", "yaml"], file: `${name}.yaml` } };
}

/** The codes with a command. */
export const codesWithCommand: readonly string[] = [
  ...new Set([...Object.keys(engine), ...Object.keys(kubectl)]),
];
