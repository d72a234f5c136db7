/** One screen of an upgrade's state, judged from one snapshot (S57-S60, S68-S74; cli contract, status). */
import { situationOf } from "../checks/situation";
import type { Facts } from "../facts";
import type { Finding } from "../findings";
import { clustersStatus, type ClustersStatus } from "./clusters";
import { databasesStatus, type DatabasesStatus } from "./databases";
import type { NextFacts, NextStep } from "./next";
import { operatorStatus, type OperatorStatus } from "./operator";
import { nextStep } from "../procedure";
import type { RoleFiles } from "../rbac/lines";
import { rbacStatus, type RbacStatus } from "./rbac";
import { worst, type Verdict } from "./verdict";
import { webhookStatus, type ProbeOutcome, type WebhookStatus } from "./admission";

/** What checks have found, in numbers; the first errors as they are. */
export interface FindingsStatus {
  readonly errors: number;
  readonly warnings: number;
  readonly first: readonly Finding[];
}

/** The whole screen. */
export interface Status {
  /** RFC 3339. */
  readonly readAt: string;
  readonly namespace: string;
  /** Release of the API server, where it told. */
  readonly apiServer?: string;
  /** The worst of all components. */
  readonly verdict: Verdict["is"];
  readonly operator: OperatorStatus;
  readonly clusters: ClustersStatus;
  readonly databases: DatabasesStatus;
  readonly activeActive: DatabasesStatus;
  readonly webhook: WebhookStatus;
  readonly rbac: RbacStatus;
  readonly findings: FindingsStatus;
  readonly next?: NextStep;
}

/** What is known beside the facts. */
export interface StatusInput {
  /** Where the webhook was probed. */
  readonly probe?: ProbeOutcome;
  readonly rbac: RoleFiles;
  readonly release?: NonNullable<NextFacts["release"]>;
  /** Of all checks. */
  readonly findings: readonly Finding[];
}

/** So many errors are shown; `check` shows them all. */
const mostFindings = 3;

/** Judges every component; each stands for itself, whatever the others lack. */
export function judgeStatus(facts: Facts, input: StatusInput): Status {
  const situation = situationOf(facts, { rbac: input.rbac });
  const parts = {
    operator: operatorStatus(facts),
    clusters: clustersStatus(situation),
    databases: databasesStatus(situation, "edb"),
    activeActive: databasesStatus(situation, "eaadb"),
    webhook: webhookStatus(facts, input.probe),
    rbac: rbacStatus(situation, input.rbac),
  };
  const next = nextStep({
    ...parts,
    situation,
    ...(input.release !== undefined && { release: input.release }),
  });
  return {
    readAt: new Date(facts.now).toISOString(),
    namespace: facts.namespace,
    ...(facts.apiServer !== undefined && { apiServer: facts.apiServer }),
    verdict: worst(Object.values(parts).map(({ verdict }) => verdict)),
    ...parts,
    findings: counted(input.findings),
    ...(next !== undefined && { next }),
  };
}

function counted(findings: readonly Finding[]): FindingsStatus {
  const errors = findings.filter(({ severity }) => severity === "error");
  return {
    errors: errors.length,
    warnings: findings.length - errors.length,
    first: errors.slice(0, mostFindings),
  };
}
