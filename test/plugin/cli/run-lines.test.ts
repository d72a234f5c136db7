/** Lines of this tool that checks print, run as they are printed: the finding is gone after each. */
import { readSecretCertificate } from "../../../plugin/adapters/certificate";
import { firstRun } from "../../../plugin/domain/base/remedy";
import { judgeChecks } from "../../../plugin/commands/checks";
import type { Finding } from "../../../plugin/domain/base/findings";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import type { KubeClient } from "../../../plugin/ports/kubernetes";
import { readSnapshot } from "../../../plugin/readers/snapshot";
import { aPair, type PairParts } from "../../support/tls";
import { testTime } from "../../support/manual-clock";
import { typed } from "../../support/program-world";
import { makeWorld } from "../../support/world";
import { certificateRows, rbacRows, sccRows, webhookRows } from "../domain/checks/rows-access";
import { operatorRows } from "../domain/checks/rows-operator";
import { fitWorld, openShiftWorld, operatorNamespace, type World } from "../domain/checks/world";

/** The codes whose lines are run here. */
const codes = [
  "CERT-EXPIRED",
  "CERT-EXPIRES-SOON",
  "CERT-KEY-MISMATCH",
  "CERT-REFUSED",
  "CERT-SAN",
  "CERT-WEAK",
  "RBAC-BINDING-ABSENT",
  "RBAC-LABEL-ROLE-ABSENT",
  "RBAC-PLACEHOLDER",
  "RBAC-ROLE-ABSENT",
  "RBAC-ROLE-BEHIND",
  "RBAC-ROLE-BEYOND",
  "RBAC-ROLE-REF",
  "RBAC-STALE",
  "RBAC-SUBJECTS",
  "SCC-LEFT",
  "SCC-OLDER-LEFT",
  "SCC-STILL-BOUND",
  "SECRET-ITEMS",
  "SECRET-NOT-PEM",
  "SECRET-PRIVATE-KEY-IN-CERT",
  "SECRET-TYPE",
  "WEBHOOK-OLD",
  "WEBHOOK-OWNED",
];

const day = 24 * 3_600_000;

function pair(parts: PairParts = {}): readonly [string, string] {
  const usual = {
    names: ["admission.engine.svc"],
    notBefore: new Date(testTime - 10 * day),
    notAfter: new Date(testTime + 400 * day),
  };
  const { certPem, keyPem } = aPair({ ...usual, ...parts });
  return [certPem, keyPem];
}

const rows = Object.entries({
  ...certificateRows({
    elsewhere: pair({ names: ["admission.elsewhere.svc"], bits: 3072 }),
    expired: pair({ notAfter: new Date(testTime - day) }),
    early: pair({ notBefore: new Date(testTime + day) }),
    soon: pair({ notAfter: new Date(testTime + 7 * day) }),
    weak: pair({ bits: 1024 }),
  }),
  ...operatorRows,
  ...rbacRows,
  ...sccRows,
  ...webhookRows,
}).filter(([title]) => codes.includes(title.split(":")[0] ?? ""));

async function judge(
  cluster: KubeClient,
  { apiServer, target }: World,
): Promise<readonly Finding[]> {
  const deps = { cluster, clock: { now: () => testTime, sleep: () => Promise.resolve() } };
  const facts = await readSnapshot(
    {
      ...deps,
      names,
      signal: new AbortController().signal,
      certificates: { readSecretCertificate },
    },
    operatorNamespace,
  );
  return judgeChecks({ ...facts, apiServer }, target, {}).findings;
}

/** Of a line that is printed alone, with what it needs to be proven left out. */
const without: Readonly<Record<string, readonly string[]>> = { "upgrade-webhook": ["--no-probe"] };

const run = new Set<string>();

test.each(rows)("%s", async (title, change) => {
  const [code = ""] = title.split(":");
  const world = await (change.openshift === true ? openShiftWorld() : fitWorld());
  await change(world);
  const cluster = makeWorld({ objects: structuredClone(world.objects) }).connect();
  const found = (await judge(cluster, world)).find((one) => one.code === code);
  const line = firstRun(found?.remedies)?.run;
  // a row may be one on which nothing is found, or of which a person decides
  if (found === undefined || line?.of !== "tool") return;
  run.add(code);
  const [word = ""] = line.words;
  const words = [...line.words, ...(without[word] ?? []), `-n=${operatorNamespace}`, "--yes"];
  const clock = { now: () => testTime, sleep: () => Promise.resolve() };
  const ended = await typed(words, { connect: () => Promise.resolve(cluster), clock });
  expect([words, ended.code, ended.code === 0 ? "" : ended.err]).toEqual([words, 0, ""]);
  const after = (await judge(cluster, world)).map((one) => [one.code, one.object, one.fix]);
  expect(after).not.toContainEqual([found.code, found.object, found.fix]);
});

test("each code is run by some row", () => {
  expect(codes.filter((code) => !run.has(code))).toEqual([]);
});
