/**
 * What becomes of a finding when its printed line is run: the line repairs it, which is done here in
 * memory or by the test that is named, or it only shows what a person has to decide. A code with a line
 * and without a word here fails.
 */
import { readFileSync } from "node:fs";
import { commandedCodes } from "../../../support/commanded-codes";
import { judgeChecks } from "../../../../plugin/commands/checks";
import { advisoryFindings } from "../../../../plugin/domain/advisories/findings";
import { listShipped } from "../../../../plugin/domain/advisories/shipped";
import { catalogue } from "../../../../plugin/commands/explain/catalogue";
import { planFromFacts } from "../../../../plugin/commands/upgrade-webhook/checks";
import { isObject } from "../../../../plugin/domain/base/values";
import type { Finding } from "../../../../plugin/domain/base/findings";
import { firstRun } from "../../../../plugin/domain/base/remedy";
import { describeSituation } from "../../../../plugin/domain/checks/context";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { textIn } from "../../../../plugin/domain/names/text";
import { remedies } from "./remedies";
import { webhookRows } from "./rows-access";
import { clusterRows, moduleRows } from "./rows-cluster";
import { definitionRows, operatorRows } from "./rows-operator";
import { everyScene } from "./scenes";
import { fitWorld, type World } from "./world";

/** The line repairs it, and is run here over every row by which the code is found. */
const repaired = [
  "CLUSTER-AUTO-USER-MODULES",
  "CLUSTER-DIGEST-PINNED",
  "CLUSTER-SCALED",
  "DEFINITION-KEEPS-UNKNOWN",
  "OPERATOR-NOT-READY",
  "OPERATOR-OLM-PLAN",
  "WEBHOOK-CA-STALE",
  "WEBHOOK-CALLS-OTHER",
  "WEBHOOK-ENTRY-ABSENT",
  "WEBHOOK-HOLDS-MORE",
  "WEBHOOK-LEFTOVER",
  "WEBHOOK-NAMESPACE-GONE",
  "WEBHOOK-NETWORK-POLICY",
  "WEBHOOK-PLACEHOLDER",
  "WEBHOOK-RULES-BEHIND",
  "WEBHOOK-SERVICE-PORT",
  "WEBHOOK-TIMEOUT-SHORT",
];

/** The line repairs it: the file that runs it on a cluster, in which each of these codes stands. */
const elsewhere: Readonly<Record<string, string>> = {
  ...each("test/plugin/cli/run-lines.test.ts", [
    ...["CERT-EXPIRED", "CERT-EXPIRES-SOON", "CERT-KEY-MISMATCH", "CERT-REFUSED", "CERT-SAN"],
    ...["CERT-WEAK", "SECRET-ITEMS", "SECRET-NOT-PEM", "SECRET-PRIVATE-KEY-IN-CERT", "SECRET-TYPE"],
    ...["RBAC-BINDING-ABSENT", "RBAC-LABEL-ROLE-ABSENT", "RBAC-PLACEHOLDER", "RBAC-ROLE-ABSENT"],
    ...["RBAC-ROLE-BEHIND", "RBAC-ROLE-BEYOND", "RBAC-ROLE-REF", "RBAC-STALE", "RBAC-SUBJECTS"],
    ...["SCC-LEFT", "SCC-OLDER-LEFT", "SCC-STILL-BOUND", "WEBHOOK-OLD", "WEBHOOK-OWNED"],
  ]),
  ...each("test/plugin/commands/reapply-rbac/proof.test.ts", ["RBAC-CONTRACT-EARLY"]),
  // run by recover on the real controllers: standstill.test.ts
  ...each("test/control-plane/standstill-scenes.ts", ["POD-OUTDATED", "ROLLOUT-HELD"]),
  // carried out by way.test.ts and control-plane/ways.test.ts
  ...each("test/plugin/domain/admission/way-rows.ts", [
    ...["WEBHOOK-NO-ENDPOINTS", "WEBHOOK-NO-PODS", "WEBHOOK-SELECTOR", "WEBHOOK-STRANGER-POD"],
    ...["WEBHOOK-TARGET-PORT"],
  ]),
};

/** The line shows; the reason says what a person decides. */
const decided: Readonly<Record<string, string>> = {
  ...each("what is deleted, and whether it is to go", [
    ...["DATABASE-DELETING", "DEFINITION-DELETING", "NAMESPACE-DELETING", "OBJECT-DELETING"],
  ]),
  ...each("whether the upgrade is to be recovered", [
    ...["CLUSTER-FROZEN", "CLUSTER-QUORUM-LOST", "FREEZE-UNPROVEN"],
  ]),
  ...each("which release is meant", ["CLUSTER-TAG-LOWERED", "CLUSTER-TAG-OF-OPERATOR"]),
  ...each("what becomes of the databases that use the module", ["MODULE-END-OF-LIFE"]),
  ...each("what the pod, its node or its volume needs", [
    "CLUSTER-NO-NODE",
    ...["CLUSTER-PODS-NOT-READY", "CLUSTER-QUOTA", "CLUSTER-RESIZING", "POD-ABSENT", "POD-CONFIG"],
    ...[
      "POD-NODE-CORDONED",
      "POD-NOT-READY",
      "POD-CRASH",
      "POD-EVICTED",
      "POD-IMAGE",
      "POD-MEMORY",
      "POD-MOUNT",
      "POD-NODE-LOST",
    ],
    ...["POD-NOT-CREATED", "POD-READINESS-GATE", "POD-RECREATED", "POD-SANDBOX", "POD-TERMINATING"],
    ...["POD-TERMINATION-OVERDUE", "POD-UNSCHEDULABLE", "POD-VOLUME", "POD-VOLUME-ATTACH"],
    ...["OPERATOR-CRASH", "ROLLOUT-IDLE", "ROLLOUT-UNOBSERVED"],
  ]),
  ...each("why somebody keeps the operator from running", [
    ...["OPERATOR-PAUSED", "OPERATOR-SCALED-DOWN"],
  ]),
  ...each("which accounts are to have the access", ["RBAC-OWN-BINDING", "RBAC-SUBJECTS-GONE"]),
  ...each("which remote cluster is meant", ["ACTIVE-ACTIVE-DOWN"]),
  ...each("where the Service is to lead", ["WEBHOOK-SERVICE-MISSING"]),
  ...each("what OLM asks for, and which OperatorGroup is meant", [
    ...["OPERATOR-OLM-GROUP", "OPERATOR-OLM-INSTALL", "OPERATOR-OLM-OBJECT", "OPERATOR-OLM-STUCK"],
  ]),
  ...each("when the object may be away until it is created again", ["OPERATOR-FIXED-FIELD"]),
  ...each("what the operator says, and who leads it", [
    ...["CLUSTER-INVALID-UPGRADE", "CLUSTER-NOT-TAKEN-UP", "CLUSTER-SPEC-INVALID", "CLUSTER-STATE"],
    ...["DATABASE-NOT-ACTIVE", "DATABASE-NOT-OBSERVED", "DATABASE-SPEC-INVALID"],
    ...["OPERATOR-NOT-ACTING"],
  ]),
  ...each("whether every object is stored again", ["OPERATOR-CRD-STORED"]),
  ...each("whether the chart took away what was applied", ["OPERATOR-CHART-NAMESPACES"]),
  ...each("which namespaces the webhook is for", ["PROBE-NO-MATCH", "WEBHOOK-SELECTOR-MISSES"]),
  ...each("who converts the objects", ["DEFINITION-CONVERSION"]),
  ...each("whether anybody needs it", ["WEBHOOK-OTHER-CONFIGURATION", "WEBHOOK-SELECTS-NOTHING"]),
  ...each("who is to write it from now on", [
    ...["FIELD-LEFT-OVER", "OPERATOR-OWNED", "PROBE-REFUSED", "WEBHOOK-CA-INJECTED"],
  ]),
  ...each("what helm is to have of the operator", [
    ...["OPERATOR-CHART-DELETES", "OPERATOR-CHART-DELETES-DATA", "OPERATOR-CHART-RENEWS"],
    ...["OPERATOR-CHART-LOST", "OPERATOR-CHART-MISSED", "OPERATOR-CHART-PENDING"],
    ...["OPERATOR-CHART-TWICE", "OPERATOR-CHART-UNCOMPARED", "OPERATOR-NOT-CHART"],
  ]),
  ...each("which definition is to have the names", ["DEFINITION-NOT-ESTABLISHED"]),
  ...each("whether the difference is meant", ["WEBHOOK-DIFFERS"]),
  ...each("what the budget is for", ["WEBHOOK-EVICTION-HELD"]),
  ...each("whether the mesh takes calls without mTLS", ["WEBHOOK-MESH"]),
  ...each("why the webhook answers as it does", [
    ...["WEBHOOK-ALLOWS-ALL", "WEBHOOK-NOT-ANSWERING", "WEBHOOK-PODS-NOT-READY"],
    ...["WEBHOOK-PUBLISHES-UNREADY", "WEBHOOK-REFUSES-ALL", "WEBHOOK-SERVES-OTHER"],
    ...["WEBHOOK-UNREACHABLE"],
  ]),
};

function each(reason: string, codes: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(codes.map((code) => [code, reason]));
}

test("every code is repaired by its line, or a person decides", () => {
  const lines = [...repaired, ...Object.keys(elsewhere), ...Object.keys(decided)];
  expect([...lines].sort()).toEqual([...commandedCodes].sort());
  // what releases are known for, and what is wrong with a file of such rows
  const advised = [...listShipped(), ...Object.values(advisoryFindings)].map(({ code }) => code);
  const all = [...lines, ...remedies.flatMap(({ codes }) => codes), ...advised];
  expect([...new Set(all)].sort()).toEqual([...new Set(catalogue.map(({ code }) => code))].sort());
});

test("every code that comes with a line in a scene is one of these", async () => {
  const findings = (await everyScene()).flatMap(
    ({ facts, target }) => judgeChecks(facts, target).findings,
  );
  const found = findings.filter((one) => firstRun(one.remedies) !== undefined);
  const codes = [...new Set(found.map(({ code }) => code))];
  expect(codes.length).toBeGreaterThan(80);
  expect(codes.filter((code) => !commandedCodes.includes(code))).toEqual([]);
}, 60_000);

test.each(remedies)("without a line, $reason", ({ codes, says }) => {
  const fixes = catalogue
    .filter(({ code }) => codes.includes(code))
    .map(({ code, fix }) => [code, textIn(fix, names)] as const);
  expect(fixes.filter(([, fix]) => !says.test(fix))).toEqual([]);
});

test.each([...new Set(Object.values(elsewhere))])(
  "%s holds the codes that it is named for",
  (file) => {
    const text = readFileSync(file, "utf8");
    const codes = Object.keys(elsewhere).filter((code) => elsewhere[code] === file);
    expect(codes.filter((code) => !text.includes(`"${code}"`))).toEqual([]);
  },
);

/** Runs a line of kubectl on the objects. */
function runLine(world: World, words: readonly string[]): void {
  const [verb, kind = "", ...rest] = words;
  const [kindWord = "", inKind] = kind.split("/");
  const name = inKind ?? rest[0];
  const label = world.labels().find((one) => {
    const [ofKind = "", ...place] = one.split("/");
    return kindWord.startsWith(ofKind.toLowerCase()) && place.at(-1) === name;
  });
  if (label === undefined) throw new Error(`there is no ${kind} ${String(name)}`);
  if (verb === "delete") world.remove(label);
  else if (verb === "scale") scale(world, label, words);
  else patch(world, label, words);
}

function scale(world: World, label: string, words: readonly string[]): void {
  const [, count] = /--replicas=(\d+)/.exec(words.join(" ")) ?? [];
  const counted = ["replicas", "readyReplicas", "updatedReplicas", "availableReplicas"];
  for (const path of ["spec.replicas", ...counted.map((key) => `status.${key}`)]) {
    world.set(label, path, Number(count));
  }
}

function patch(world: World, label: string, words: readonly string[]): void {
  const [text] = words.map((word) => word.replace(/^(--patch|-p)=/, "")).filter(isJson);
  const asked: unknown = JSON.parse(String(text));
  if (isObject(asked)) mergeInto(world.find(label), asked);
  else for (const one of asked as readonly Operation[]) operate(world, label, one);
}

const isJson = (word: string): boolean => /^[[{]/.test(word);

interface Operation {
  readonly op: string;
  readonly path: string;
  readonly value: unknown;
}

function operate(world: World, label: string, { op, path, value }: Operation): void {
  if (op === "test") return;
  const keys = path.slice(1).split("/");
  const list = keys
    .slice(0, -1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], world.find(label));
  if (op === "remove") (list as unknown[]).splice(Number(keys.at(-1)), 1);
  else if (keys.at(-1) === "-") (list as unknown[]).push(value);
  else world.set(label, keys.join("."), value);
}

function mergeInto(
  object: Record<string, unknown>,
  asked: Readonly<Record<string, unknown>>,
): void {
  for (const [key, value] of Object.entries(asked)) {
    if (isObject(value)) mergeInto((object[key] ??= {}) as Record<string, unknown>, value);
    else if (value === null) Reflect.deleteProperty(object, key);
    else object[key] = value;
  }
}

/** The configuration as `upgrade-webhook` writes it. */
async function swap(world: World): Promise<void> {
  const plan = planFromFacts(describeSituation(await world.facts(), world.target));
  const label = `ValidatingWebhookConfiguration/${names.webhook.configuration}`;
  world.set(label, "webhooks", plan?.wanted["webhooks"]);
}

/** False where the line of this state only shows what a person decides by, or there is none. */
async function carryOut(world: World, finding: Finding): Promise<boolean> {
  const { of, words } = firstRun(finding.remedies)?.run ?? { of: "kubectl", words: [] };
  if (/^(get|describe|logs|)$/.test(words[0] ?? "")) return false;
  if (of === "tool") await swap(world);
  else runLine(world, words);
  return true;
}

const rows = Object.entries({
  ...webhookRows,
  ...operatorRows,
  ...definitionRows,
  ...clusterRows,
  ...moduleRows,
}).filter(([title]) => repaired.includes(title.split(":")[0] ?? ""));

test.each(rows)(
  "after its line the finding is gone: %s",
  async (title, change) => {
    const [code] = title.split(":");
    const world = await fitWorld();
    await change(world);
    const found = (await world.judge()).findings.find((one) => one.code === code);
    if (found === undefined) return;
    if (!(await carryOut(world, found))) return;
    const after = (await world.judge()).findings.map((one) => [one.code, one.object, one.cause]);
    expect(after).not.toContainEqual([found.code, found.object, found.cause]);
  },
  20_000,
);

test("each code that is repaired here is found by some row", () => {
  const met = rows.map(([title]) => title.split(":")[0]);
  expect(repaired.filter((code) => !met.includes(code))).toEqual([]);
});
