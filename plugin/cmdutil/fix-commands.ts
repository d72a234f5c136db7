/** The commands that fix what a finding says, by its code: only lines that run as they are. */
import type { Finding } from "../domain/base/findings";
import type { Names } from "../domain/names/names";
import { rollFindings } from "../domain/rollout/findings";

/** A line without the words that lead to the cluster: a command of this tool, or one of kubectl's. */
interface FixCommand {
  readonly of: "engine" | "kubectl";
  readonly words: readonly string[];
}

type Line = (finding: Finding, names: Names) => readonly string[] | undefined;

const fixed =
  (...words: readonly string[]): Line =>
  () =>
    words;

/** Kind, namespace where there is one, and name of a finding's object. */
function partsOf({ object = "" }: Finding): readonly string[] {
  return object.split("/");
}

const named =
  (...before: readonly string[]): Line =>
  (finding) => {
    const name = partsOf(finding).slice(-1).join("");
    return name === "" ? undefined : [...before, name];
  };

/** Of an object of a namespace, by its kind: what kubectl says of it. */
const described: Line = (finding) => {
  const [kind, namespace, name] = partsOf(finding);
  if (namespace === undefined || name === undefined) return undefined;
  return ["describe", String(kind).toLowerCase(), name, `--namespace=${namespace}`];
};

/** The number of nodes stands in the fix. */
const scaled: Line = (finding) => {
  const [, namespace, name] = partsOf(finding);
  const [replicas] = /--replicas=\d+/.exec(finding.fix) ?? [];
  if (namespace === undefined || name === undefined || replicas === undefined) return undefined;
  return ["scale", "statefulset", name, replicas, `--namespace=${namespace}`];
};

const claims: Line = (finding) => {
  const [, namespace] = partsOf(finding);
  return namespace === undefined
    ? undefined
    : ["get", "persistentvolumeclaims", `--namespace=${namespace}`];
};

/** The line of kubectl that the fix ends with; a word in quotes has no space in it. */
const printed: Line = (finding, names) => {
  const [, line] = /.*\bkubectl (.+)$/.exec(finding.fix) ?? [];
  return line?.split(" ").map((word) => word.replaceAll("'", "")) ?? described(finding, names);
};

const webhook = fixed("upgrade-webhook");
const roles = fixed("reapply-rbac");
/** None where a controller keeps the Secret: the fix is its own way then. */
const newPair: Line = ({ fix }) =>
  fix.includes("cert create --replace") ? ["cert", "create", "--replace"] : undefined;

const engine: Readonly<Record<string, Line>> = {
  "CERT-EXPIRED": newPair,
  "CERT-EXPIRES-SOON": newPair,
  "CERT-KEY-MISMATCH": newPair,
  "CERT-REFUSED": newPair,
  "CERT-SAN": newPair,
  "CERT-WEAK": newPair,
  "CLUSTER-FROZEN": fixed("recover"),
  "OPERATOR-CHART-NAMESPACES": roles,
  "RBAC-BINDING-ABSENT": roles,
  "RBAC-CONTRACT-EARLY": roles,
  "RBAC-LABEL-ROLE-ABSENT": roles,
  "RBAC-PLACEHOLDER": roles,
  "RBAC-ROLE-ABSENT": roles,
  "RBAC-ROLE-BEHIND": roles,
  "RBAC-ROLE-BEYOND": fixed("reapply-rbac", "--mode=contract"),
  "RBAC-ROLE-REF": roles,
  "RBAC-STALE": fixed("reapply-rbac", "--prune"),
  "RBAC-SUBJECTS": roles,
  "SCC-LEFT": fixed("unbind-scc"),
  "SCC-OLDER-LEFT": (_, { scc }) => ["unbind-scc", `--scc=${scc.older}`],
  "SCC-STILL-BOUND": fixed("unbind-scc"),
  "SECRET-ITEMS": newPair,
  "SECRET-NOT-PEM": newPair,
  "SECRET-PRIVATE-KEY-IN-CERT": newPair,
  "SECRET-TYPE": newPair,
  "WEBHOOK-CA-STALE": webhook,
  "WEBHOOK-CALLS-OTHER": webhook,
  "WEBHOOK-DIFFERS": fixed("diff", "upgrade-webhook"),
  "WEBHOOK-ENTRY-ABSENT": webhook,
  "WEBHOOK-NAMESPACE-GONE": webhook,
  "WEBHOOK-OLD": webhook,
  "WEBHOOK-PLACEHOLDER": webhook,
  "WEBHOOK-RULES-BEHIND": webhook,
};

const kubectl: Readonly<Record<string, Line>> = {
  "DEFINITION-DELETING": (finding) => {
    const name = partsOf(finding).slice(-1).join("");
    return name === "" ? undefined : ["get", name, "--all-namespaces", "-o", "yaml"];
  },
  "NAMESPACE-DELETING": named("describe", "namespace"),
  "OBJECT-DELETING": described,
  "CLUSTER-RESIZING": claims,
  "CLUSTER-SCALED": scaled,
  "CLUSTER-PODS-NOT-READY": printed,
  "CLUSTER-QUOTA": printed,
  "OPERATOR-NOT-READY": described,
  ...Object.fromEntries(Object.values(rollFindings).map(({ code }) => [code, printed])),
  "DEFINITION-CONVERSION": printed,
  "WEBHOOK-ALLOWS-ALL": printed,
  "WEBHOOK-NETWORK-POLICY": printed,
  "WEBHOOK-NO-ENDPOINTS": printed,
  "WEBHOOK-NO-PODS": printed,
  "WEBHOOK-NOT-ANSWERING": printed,
  "WEBHOOK-PODS-NOT-READY": printed,
  "WEBHOOK-REFUSES-ALL": printed,
  "WEBHOOK-SELECTOR": printed,
  "WEBHOOK-SERVES-OTHER": printed,
  "WEBHOOK-SERVICE-PORT": printed,
  "WEBHOOK-STRANGER-POD": printed,
  "WEBHOOK-TARGET-PORT": printed,
  "WEBHOOK-UNREACHABLE": printed,
  "WEBHOOK-OTHER-CONFIGURATION": named("get", "validatingwebhookconfiguration", "-o", "yaml"),
};

/** The command for a finding; undefined where none helps, or where it would need what is not known. */
export function fixCommand(finding: Finding, names: Names): FixCommand | undefined {
  for (const [of, table] of [
    ["engine", engine],
    ["kubectl", kubectl],
  ] as const) {
    const words = Object.hasOwn(table, finding.code)
      ? table[finding.code]?.(finding, names)
      : undefined;
    if (words !== undefined) return { of, words };
  }
  return undefined;
}

/** The codes with a command. */
export const codesWithCommand: readonly string[] = [
  ...Object.keys(engine),
  ...Object.keys(kubectl),
];
