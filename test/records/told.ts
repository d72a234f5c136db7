/** What a run printed, in a form that a reviewer reads in a diff. */
import { parseDocuments } from "../../plugin/adapters/kubernetes/text/yaml";
import type { Finding } from "../../plugin/domain/base/findings";
import { asArray, getOwn } from "../../plugin/domain/base/values";
import type { KubeObject } from "../../plugin/domain/kube/objects";
import type { Report, StepReport } from "../../plugin/kernel/report";
import type { Starts } from "../support/starts";

/** How it ended: what became of each step, what was found, and what is left to do. */
export function toldEnd(report: Report): readonly string[] {
  const { steps = [], namespaces = [], findings = [], backups = [], permissions, exit } = report;
  const { code, reason, next, leftOut = [] } = exit;
  const isAsked = report.run?.dryRun === "server";
  return [
    ...steps.flatMap((step) => toldStep(step, isAsked)),
    ...namespaces.flatMap(({ name, result, findings: own = [] }) => [
      `= namespace ${name} ${result}`,
      ...own.map(toldFinding),
    ]),
    ...findings.map(toldFinding),
    ...(permissions === undefined ? [] : toldRoles(permissions.manifest)),
    ...backups.map(({ object }) => `= saved ${object}`),
    ...leftOut.map((object) => `= left out ${object}`),
    `= exit ${String(code)}: ${reason}`,
    ...(next === undefined ? [] : [`= next: ${next}`]),
  ];
}

/** With all that a person decides by, where the API server was asked. */
function toldStep(step: StepReport, isAsked: boolean): readonly string[] {
  const { action, object, result, why, write } = step;
  return [
    `= ${action} ${object} ${result}: ${why}`,
    ...(isAsked && write !== undefined ? [`    ${toldDocument(write, "    ")}`] : []),
  ];
}

function toldFinding({ severity, code, object = "", cause }: Finding): string {
  return `= ${severity} ${code} ${object}: ${cause}`;
}

/** The roles to ask for, a rule a line. */
function toldRoles(manifest: string): readonly string[] {
  const objects = parseDocuments(manifest, "manifest") as unknown as readonly KubeObject[];
  return objects.flatMap((object) => {
    const { namespace: within = "" } = object.metadata;
    return asArray(object["rules"]).map((rule) => {
      const [verbs, resources, groups, one] = [
        "verbs",
        "resources",
        "apiGroups",
        "resourceNames",
      ].map((key) => asArray(getOwn(rule, key)).join(","));
      const kind = groups === "" ? resources : `${resources ?? ""}.${groups ?? ""}`;
      return `= asks for ${object.kind} ${within}: ${verbs ?? ""} ${kind ?? ""} ${one ?? ""}`.trimEnd();
    });
  });
}

/** JSON, with what is short on one line. */
export function toldDocument(value: unknown, indent = ""): string {
  const short = JSON.stringify(value);
  if (typeof value !== "object" || value === null || short.length + indent.length <= 240)
    return short;
  const within = `${indent}  `;
  const told = Array.isArray(value)
    ? value.map((one) => toldDocument(one, within))
    : Object.entries(value).map(
        ([key, one]) => `${JSON.stringify(key)}: ${toldDocument(one, within)}`,
      );
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open ?? ""}\n${told.map((line) => within + line).join(",\n")}\n${indent}${close ?? ""}`;
}

/** Without what differs from run to run: folders, identifiers, keys, and certificates. */
export function masked(text: string, { folder, place }: Starts): string {
  const uids = new Map<string, string>();
  return text
    .replaceAll(place.release, "RELEASE")
    .replaceAll(folder, "FOLDER")
    .replaceAll(/\bhome-\d+/g, "home")
    .replaceAll(/\b\d{8}-\d{6}-[0-9a-f]{6}\b/g, "RUN")
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (uid) => {
      uids.set(uid, uids.get(uid) ?? `UID-${String(uids.size + 1)}`);
      return uids.get(uid) ?? uid;
    })
    .replaceAll(/[A-Za-z0-9+/]{120,}={0,2}/g, "BASE64")
    .replaceAll(/\b[0-9a-f]{64}\b/g, "DIGEST")
    .replaceAll(/(?:[0-9A-F]{2}:){19,}[0-9A-F]{2}/g, "FINGERPRINT");
}
