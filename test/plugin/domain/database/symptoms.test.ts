/** What is wrong with a database: one list, for `check`, for `status` and for every way of an upgrade. */
import { describeSituation } from "../../../../plugin/domain/checks/context";
import { diagnose } from "../../../../plugin/domain/diagnosis/diagnose";
import { type Diagnosed, rowOf } from "../../../../plugin/domain/diagnosis/symptom";
import type { Identity } from "../../../../plugin/domain/database/identity";
import { planDatabase } from "../../../../plugin/domain/database/plan";
import type { DatabaseSubject } from "../../../../plugin/domain/database/subject";
import {
  databaseGate,
  databaseList,
  databaseSymptoms,
} from "../../../../plugin/domain/database/symptoms";
import type { DatabaseTarget } from "../../../../plugin/domain/database/target";
import type { Facts } from "../../../../plugin/domain/facts/facts";
import type { ApiDatabase, ApiNode } from "../../../../plugin/domain/rest-api/records";
import { hostile } from "../admission/hostile";
import { aBdb, anEaadb, anEdb, type Parts, sceneOf, targetIn } from "./scene";

const now = Date.parse("2026-11-28T12:00:00Z");
const old = { creationTimestamp: "2026-11-23T12:00:00Z" };
const young = { creationTimestamp: "2026-11-28T11:58:00Z" };

const factsFor = (parts: Parts): Facts => ({ ...sceneOf({ edbs: [anEdb("orders", parts)] }), now });

const proven = (parts: Partial<ApiDatabase> = {}): Identity => ({
  is: "proven",
  bdb: aBdb(parts),
});

const render = ({ code, passes }: Diagnosed): string =>
  `${code}${passes === true ? " passes" : ""}`;

const rows: readonly (readonly [string, Parts, readonly string[]])[] = [
  ["in order", {}, []],
  ["being created", { status: { status: "pending" }, metadata: young }, ["DATABASE-BUSY passes"]],
  ["being created for days", { status: { status: "Pending" }, metadata: old }, ["DATABASE-BUSY"]],
  [
    "being created, since nobody knows when",
    { status: { status: "pending" } },
    ["DATABASE-BUSY passes"],
  ],
  [
    "that is imported into for days",
    { status: { status: "import-pending" }, metadata: old },
    ["DATABASE-BUSY passes"],
  ],
  [
    "without a state",
    { status: { status: null }, metadata: young },
    ["DATABASE-NOT-OBSERVED passes"],
  ],
  [
    "without a state for days",
    { status: { status: undefined }, metadata: old },
    ["DATABASE-NOT-OBSERVED"],
  ],
  ["never created", { status: { status: "creation-failed" } }, ["DATABASE-FAILED"]],
  ["on its way out", { status: { status: "delete-pending" } }, ["DATABASE-DELETING passes"]],
  [
    "being deleted",
    { metadata: { deletionTimestamp: "2026-11-28T11:59:00Z" }, status: { specStatus: "Invalid" } },
    ["DATABASE-DELETING passes"],
  ],
  [
    "being deleted for days",
    { metadata: { deletionTimestamp: "2026-11-25T12:00:00Z" } },
    ["DATABASE-DELETING"],
  ],
  [
    "of another spec than is accepted",
    { status: { specStatus: "Invalid" } },
    ["DATABASE-SPEC-INVALID"],
  ],
  ["that keeps nothing", { spec: { replication: false } }, ["DATABASE-VOLATILE"]],
  [
    "whose last backup failed",
    { status: { backupInfo: { backupStatus: "failed", backupFailureReason: "no-space" } } },
    ["DATABASE-BACKUP-FAILED"],
  ],
  ["whose last backup succeeded", { status: { backupInfo: { backupStatus: "succeeded" } } }, []],
  ["whose last backup is told by no text", { status: { backupInfo: { backupStatus: 1 } } }, []],
  ["of an edit before", { metadata: { generation: 2 } }, ["DATABASE-NOT-OBSERVED passes"]],
  ["without a generation", { metadata: { generation: undefined } }, []],
  ["of another type", { spec: { type: "memcached" } }, ["DATABASE-TYPE"]],
  [
    "of another type, without a version",
    { spec: { type: "memcached", engineVersion: undefined } },
    [],
  ],
  [
    "of an EC that is not there",
    { spec: { engineEnterpriseCluster: { name: "none" } } },
    ["DATABASE-CLUSTER-UNKNOWN"],
  ],
  ...hostile
    .filter(([, value]) => typeof value !== "string" && (value ?? undefined) !== undefined)
    .map(
      ([title, value]) =>
        [
          `with a state that is ${title}`,
          { status: { status: value } },
          ["DATABASE-BUSY passes"],
        ] as const,
    ),
];

test.each(rows)("a database %s is named", (_title, parts, codes) => {
  const facts = factsFor(parts);
  const { databases } = describeSituation(facts, {});
  expect(diagnose(databaseList, { facts, databases }).findings.map(render)).toEqual(codes);
});

test.each(rows)(
  "a database %s: every way refuses the same, and check names it",
  (_title, parts) => {
    const facts = factsFor(parts);
    const target = targetIn(facts, ["orders"]);
    const { databases } = describeSituation(facts, {});
    const known = diagnose(databaseList, { facts, databases }).findings.map(rowOf);
    const { replication = true } = (parts.spec as { replication?: boolean } | undefined) ?? {};
    const kept = { replication, ...(!replication && { dataPersistence: "disabled" }) };
    const ways = [target, { ...target, identity: proven({ ...kept, status: statusOf(target) }) }];
    const [one, other] = ways.map((subject) =>
      databaseGate(facts, subject, { acts: true }).map(rowOf),
    );
    expect(one).toEqual(other);
    expect(known).toEqual(expect.arrayContaining([...(one ?? [])]));
  },
);

test.each<[string, DatabaseSubject["loss"], boolean, readonly string[]]>([
  ["refused", undefined, true, ["error DATABASE-VOLATILE"]],
  [
    "told, where the request allows the loss",
    { mayDiscardData: true },
    true,
    ["warning DATABASE-DATA-MAY-GO"],
  ],
  ["left in peace, where its shards do not restart", undefined, false, []],
])("the upgrade of a database that keeps nothing is %s", (_title, loss, restarts, expected) => {
  const facts = factsFor({ spec: { replication: false } });
  const subject = { ...targetIn(facts, ["orders"]), loss };
  const found = databaseGate(facts, subject, { acts: true, restarts });
  expect(found.map(({ severity, code }) => `${severity} ${code}`)).toEqual(expected);
});

/** What its record says where the resource says the same. */
function statusOf({ object }: DatabaseTarget): string {
  const { status } = object["status"] as { status?: unknown };
  if ((status ?? undefined) === undefined) return "active";
  return typeof status === "string" ? status : "busy";
}

const active = { status: { status: "import-pending" } };

test.each<[string, Parts, DatabaseSubject["identity"], readonly string[]]>([
  ["its record is still to be read", active, "later", []],
  ["its record is active", active, proven(), []],
  ["its record is busy", {}, proven({ status: "active-change-pending" }), ["DATABASE-BUSY passes"]],
  [
    "its resource has failed, whatever its record says",
    { status: { status: "creation-failed" } },
    proven(),
    ["DATABASE-FAILED"],
  ],
  [
    "it has no record",
    {},
    {
      is: "unproven",
      finding: {
        ...databaseSymptoms.unproven,
        ...{ cause: "none", code: "DATABASE-UID-MISMATCH", object: "a" },
      },
    },
    ["DATABASE-UID-MISMATCH"],
  ],
])("by the REST API, %s", (_title, parts, identity, codes) => {
  const facts = factsFor(parts);
  const subject = { ...targetIn(facts, ["orders"]), ...(identity && { identity }) };
  expect(databaseGate(facts, subject, { acts: true }).map(render)).toEqual(codes);
});

test.each<[string, Partial<ApiNode>, string | undefined]>([
  ["in order", { status: "active", acceptsServers: true }, undefined],
  ["that does not report its state", {}, undefined],
  ["in maintenance", { status: "active", acceptsServers: false }, "node 2 is in maintenance"],
  ["down", { status: "down" }, 'node 2 is not active: its state is "down"'],
  [
    "down, without a uid",
    { uid: undefined, status: "Offline" },
    "node without a uid is not active",
  ],
])("a node %s", (_title, parts, says) => {
  const facts = factsFor({});
  const good = { uid: 1, softwareVersion: "8.0", supportedVersions: [], status: "active" };
  const nodes = [good, { ...good, uid: 2, status: undefined, ...parts }];
  const offer = { versions: undefined, policy: undefined, nodes };
  const found = databaseGate(facts, { ...targetIn(facts, ["orders"]), offer }, { acts: true });
  expect(found).toMatchObject(
    says === undefined
      ? []
      : [{ code: "REST-NODE-AWAY", object: "EngineEnterpriseCluster/engine/ec" }],
  );
  if (says !== undefined) expect(found[0]?.cause).toContain(says);
});

test.each<[string, unknown, string | undefined]>([
  ["up", "up", undefined],
  ["down", "down", "its replication is down"],
  ["a number", 5, "its replication is 5"],
])("an active-active database whose replication is %s", (_title, replicationStatus, cause) => {
  const facts = sceneOf({ eaadbs: [anEaadb({ status: { replicationStatus } })] });
  const { databases } = describeSituation(facts, {});
  const rowsOf = [databaseSymptoms.notReplicating, databaseSymptoms.specInvalid];
  const { findings } = diagnose(rowsOf, { facts, databases });
  expect(findings.map((one) => one.cause)).toEqual(cause === undefined ? [] : [cause]);
});

test("an edit that may correct the spec is not refused for it; any other is, and --skip takes it", () => {
  const refuse = (version: string) => {
    const facts = factsFor({ status: { specStatus: "Invalid" }, spec: { engineVersion: version } });
    const wish = { version: "8.0", via: "resource" } as const;
    return planDatabase(facts, targetIn(facts, ["orders"]), wish).blocks.map(({ code }) => code);
  };
  expect(refuse("7.3")).toEqual([]);
  expect(refuse("7.2")).toEqual(["DATABASE-SPEC-INVALID"]);
});

test("what was pending for days is not waited for; what shows why is data", () => {
  const facts = factsFor({ status: { status: "pending" }, metadata: old });
  const wish = { version: "8.0", via: "resource", wait: true } as const;
  const { blocks, busy } = planDatabase(facts, targetIn(facts, ["orders"]), wish);
  expect(busy).toEqual([]);
  expect(blocks).toMatchObject([
    {
      code: "DATABASE-BUSY",
      cause: 'it is still being created: its state is "pending", since 2026-11-23T12:00:00Z',
      remedies: [{ run: { of: "kubectl" }, then: { run: { of: "kubectl" } } }],
    },
  ]);
});

test("without its own EC it is another operator's", () => {
  const facts = { ...factsFor({}), namespace: "other" };
  const target = targetIn(factsFor({}), ["orders"]);
  expect(databaseGate(facts, target, { acts: false })).toMatchObject([
    { code: "DATABASE-CLUSTER-UNKNOWN", fix: "give -n engine" },
  ]);
});

test("a last backup that failed: its reason is told, and no way is refused", () => {
  const backupInfo = { backupStatus: "failed", backupFailureReason: "no-space" };
  const facts = factsFor({ status: { backupInfo } });
  const { databases } = describeSituation(facts, {});
  const { findings } = diagnose([databaseSymptoms.backupFailed], { facts, databases });
  expect(findings).toMatchObject([
    {
      severity: "warning",
      object: "EngineEnterpriseDatabase/engine/orders",
      cause: expect.stringContaining("the last try failed: no-space") as string,
      fix: expect.stringContaining("make a backup") as string,
    },
  ]);
  const target = targetIn(facts, ["orders"]);
  expect(databaseGate(facts, target, { acts: true })).toEqual([]);
  const { blocks } = planDatabase(facts, target, { version: "8.0", via: "resource" });
  expect(blocks).toEqual([]);
});

const off = { replication: false, dataPersistence: "disabled" } as const;

test.each<[string, NonNullable<Parts["spec"]>, DatabaseSubject["identity"], boolean]>([
  ["its resource alone, which keeps nothing", { replication: false }, undefined, true],
  ["its resource alone, which is replicated", {}, undefined, false],
  ["its record, against its resource", { replication: false }, proven(), false],
  ["its record, which keeps nothing", {}, proven(off), true],
  ["nothing, before its record is read", { replication: false }, "later", false],
])("data that would be lost is seen by %s", (_title, spec, identity, isLost) => {
  const facts = factsFor({ spec });
  const subject = { ...targetIn(facts, ["orders"]), ...(identity && { identity }) };
  const { findings } = diagnose([databaseSymptoms.volatile], { facts, databases: [subject] });
  expect(findings.map(({ code, severity }) => [code, severity])).toEqual(
    isLost ? [["DATABASE-VOLATILE", "warning"]] : [],
  );
});
