/** One screen of an upgrade's state, judged from one snapshot (S57-S60, S68-S74; cli contract, status). */
import { diagnose } from "../../domain/diagnosis/diagnose";
import { leaveSuperseded } from "../../domain/diagnosis/superseded";
import { toDocument } from "../../domain/diagnosis/symptom";
import { describeSituation } from "../../domain/checks/context";
import { omit } from "../../domain/base/values";
import type { Facts } from "../../domain/facts/facts";
import { silenceGoing } from "../../domain/checks/going";
import { judgePrerequisites } from "../../domain/checks/prerequisites";
import { definitionGround } from "../../domain/operator/ground";
import { diagnoseOperator } from "../../domain/operator/symptoms";
import type { Finding } from "../../domain/base/findings";
import {
  clusterStep,
  clustersStatus,
  type ClustersStatus,
  type ClusterStatus,
  operatorStatus,
  type OperatorStatus,
  recoverStep,
} from "../upgrade-cluster/next";
import {
  countDatabases,
  databasesStatus,
  type DatabasesStatus,
  databaseStep,
} from "../upgrade-database/next";
import { type PartId, partIds } from "../../domain/base/part-ids";
import type { CheckContext } from "../../domain/checks/context";
import { groundList } from "../../domain/engine-cluster/symptoms";
import type { ReleaseContents } from "../../domain/release/contents";
import { holdStep, type NextStep } from "../../domain/rollout/next-step";
import { operatorStep } from "../upgrade-operator/next";
import { constraintStep } from "../unbind-scc/next";
import type { RoleFiles } from "../../domain/rbac/lines";
import { lackingStep, rbacStatus, type RbacStatus, rbacStep } from "../reapply-rbac/next";
import { type ComponentHealth, stalledBy, worst } from "../../domain/rollout/health";
import {
  isWebhookRead,
  othersFindings,
  webhookStatus,
  type WebhookStatus,
  webhookStep,
} from "../upgrade-webhook/next";
import type { ProbeOutcome } from "../../domain/admission/probe-outcome";
import { type Names, renderTerm } from "../../domain/names/names";

/** What stands against the components and the next step: counts, and the findings; all other checks are `check`'s. */
export interface FindingsStatus {
  readonly errors: number;
  readonly warnings: number;
  /** The first errors, as the screen shows them. */
  readonly first: readonly Finding[];
  /** Errors and warnings. */
  readonly all: readonly Finding[];
  /** False where not every component could be judged: then there may be more. */
  readonly complete: boolean;
}

/** The whole screen. */
export interface Status {
  /** RFC 3339. */
  readonly readAt: string;
  readonly namespace: string;
  /** Release of the API server, where it told. */
  readonly apiServer?: string;
  /** The worst of all components. */
  readonly verdict: ComponentHealth["is"];
  readonly operator: OperatorStatus;
  readonly clusters: ClustersStatus;
  readonly databases: DatabasesStatus;
  readonly activeActive: DatabasesStatus;
  readonly webhook: WebhookStatus;
  readonly rbac: RbacStatus;
  readonly findings: FindingsStatus;
  readonly next?: NextStep;
}

/** What the next step is chosen from. */
interface NextFacts extends Parts {
  readonly situation: CheckContext;
  /** Of --release: its files, and how it was given. */
  readonly release?: { readonly contents: ReleaseContents; readonly given: string };
}

/** What of each part is left to do; the automatic upgrade is not named by itself. */
const steps: Readonly<
  Record<Exclude<PartId, "auto-off">, (facts: NextFacts) => NextStep | undefined>
> = {
  "rbac-expand": lackingStep,
  operator: operatorStep,
  webhook: webhookStep,
  cluster: clusterStep,
  scc: constraintStep,
  "rbac-contract": rbacStep,
  databases: databaseStep,
};

/** What cannot wait for any part, else the first part, in the order of an upgrade, that has something left to do. */
function nextStep(facts: NextFacts): NextStep | undefined {
  const ordered = partIds.flatMap((id) => (id === "auto-off" ? [] : steps[id]));
  for (const step of [pressingStep, ...ordered, unjudgedStep]) {
    const found = step(facts);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What no part can go ahead of: a deletion, an operator that is not there, and an upgrade that has come to a stand (S70, S113). */
function pressingStep(facts: NextFacts): NextStep | undefined {
  const scene = facts.situation;
  const [deletion] = diagnose(groundList, scene).findings;
  if (deletion !== undefined) {
    const { object, fix } = deletion;
    return { says: `write nothing while ${String(object)} is being deleted: ${fix}` };
  }
  return holdStep("the operator", facts.operator.verdict) ?? recoverStep(facts);
}

/** That nothing is left to do may be said only of what was judged. */
function unjudgedStep({ webhook, rbac }: NextFacts): NextStep | undefined {
  const unjudged = Object.entries({ "the webhook": webhook, RBAC: rbac }).flatMap(
    ([what, { verdict }]) => (verdict.is === "unknown" ? [`${what} (${verdict.because})`] : []),
  );
  if (unjudged.length === 0) return undefined;
  return { says: `nothing is left to do of what was judged; not judged: ${unjudged.join(", ")}` };
}

/** What is known beside the facts. */
export interface StatusInput {
  /** Where the webhook was probed. */
  readonly probe?: ProbeOutcome | undefined;
  /** Of the screen, in milliseconds since 1970; absent: of the facts. */
  readonly now?: number;
  readonly rbac: RoleFiles;
  readonly release?: NonNullable<NextFacts["release"]>;
}

/** The screen shows no more errors than these. */
const mostFindings = 3;

/** Judges every component; each stands for itself, whatever the others lack. */
export function judgeStatus(facts: Facts, input: StatusInput): Status {
  const situation = describeSituation(facts, { rbac: input.rbac });
  const clusters = clustersStatus(situation);
  const ofDefinition = judgeDefinition(facts);
  const parts = {
    operator: operatorStatus(facts),
    clusters: ofDefinition("ec", {
      ...clusters,
      items: clusters.items.map((item) => ofDefinition("ec", item)),
    }),
    databases: ofDefinition("edb", databasesStatus(situation, "edb")),
    activeActive: ofDefinition("eaadb", databasesStatus(situation, "eaadb")),
    webhook: webhookStatus(facts, input),
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
    operator: bare(parts.operator),
    clusters: bare({ ...parts.clusters, items: parts.clusters.items.map(bare) }),
    databases: bare(parts.databases),
    activeActive: bare(parts.activeActive),
    webhook: bare(parts.webhook),
    rbac: bare(parts.rbac),
    findings: summed(
      [othersFindings(facts), blockingFindings(facts, input, next)].reduce(
        withBlocking,
        componentFindings(facts, parts),
      ),
      { names: facts.names, complete: isComplete(facts, parts) },
    ),
    ...(next !== undefined && { next }),
  };
}

/** A component without what its verdict was made of: that is told among the findings. */
function bare<T extends { readonly verdict: ComponentHealth }>(component: T): T {
  const { verdict } = component;
  return verdict.is === "stalled" ? { ...component, verdict: omit(verdict, "finding") } : component;
}

/** Components whose kind goes with its definition, which no other verdict outweighs. */
function judgeDefinition(facts: Facts) {
  return <T extends { readonly verdict: ComponentHealth }>(
    kind: Parameters<typeof definitionGround>[0],
    component: T,
  ): T => {
    const [going] = diagnose([definitionGround(kind)], { facts }).findings;
    return going === undefined ? component : { ...component, verdict: stalledBy(going) };
  };
}

type Parts = Pick<
  Status,
  "operator" | "clusters" | "databases" | "activeActive" | "webhook" | "rbac"
>;

/** True where nothing that findings are made of was out of sight: what has stalled hides that. */
function isComplete(facts: Facts, parts: Parts): boolean {
  const judged: readonly { readonly verdict: ComponentHealth; readonly unread?: string }[] = [
    ...Object.values(parts),
    ...parts.clusters.items,
  ];
  return (
    diagnoseOperator(facts).unseen.length === 0 &&
    isWebhookRead(facts) &&
    judged.every(({ verdict, unread }) => verdict.is !== "unknown" && unread === undefined)
  );
}

/** What has stalled; an EC for itself. */
function componentFindings(facts: Facts, parts: Parts): readonly Finding[] {
  const { clusters, databases, activeActive, webhook, rbac } = parts;
  const ecs = clusters.items.length === 0 ? [clusters] : clusters.items;
  const told = [...ecs, databases, activeActive, webhook, rbac].flatMap(({ verdict }) =>
    verdict.is === "stalled" ? (verdict.finding ?? []) : [],
  );
  const own = diagnoseOperator(facts).findings.filter(({ blind, passes }) => !(blind ?? passes));
  return [...own, ...told];
}

/** What keeps the next step from being taken, where it is one that an upgrade's prerequisites are for. */
function blockingFindings(
  facts: Facts,
  { rbac, release }: StatusInput,
  next: NextStep | undefined,
): readonly Finding[] {
  if (next?.upgrades !== true) return [];
  const target = { rbac, ...(release !== undefined && { contents: release.contents }) };
  return judgePrerequisites(facts, target, { skip: [] }).findings;
}

/** What a component tells already is not told twice. */
function withBlocking(own: readonly Finding[], blocking: readonly Finding[]): readonly Finding[] {
  const isTold = ({ code, object }: Finding): boolean =>
    own.some((one) => one.code === code && one.object === object);
  return [...own, ...blocking.filter((one) => !isTold(one))];
}

function summed(
  found: readonly Finding[],
  { names, complete }: { readonly names: Names } & Pick<FindingsStatus, "complete">,
): FindingsStatus {
  const findings = silenceGoing(leaveSuperseded(found), names).map(toDocument);
  const errors = findings.filter(({ severity }) => severity === "error");
  return {
    errors: errors.length,
    warnings: findings.length - errors.length,
    first: errors.slice(0, mostFindings),
    all: findings,
    complete,
  };
}

/** One component in words. */
export interface Summary {
  readonly title: string;
  readonly is: ComponentHealth["is"];
  /** What is so, whatever is thought of it; "" for nothing. */
  readonly facts: string;
  /** What is thought of it, as far as the facts do not say it. */
  readonly says: string;
  readonly fix?: string;
}

/** Every component, in the order of the procedure (S9). */
export function summarize(status: Status, names: Names): readonly Summary[] {
  const { clusters, operator, webhook } = status;
  const ec = renderTerm(names.ec);
  const ofClusters =
    clusters.items.length === 0
      ? [summaryOf(ec, clusters.verdict)]
      : clusters.items.map((item) =>
          summaryOf(`${ec} ${item.name}`, item.verdict, factsOfCluster(item)),
        );
  return [
    summaryOf("Operator", operator.verdict, factsOfOperator(operator)),
    ...ofClusters,
    ...(["edb", "eaadb"] as const).map((kind) => {
      const term = renderTerm(names[kind]);
      const databases = kind === "edb" ? status.databases : status.activeActive;
      return summaryOf(term, databases.verdict, factsOfDatabases(databases, term));
    }),
    summaryOf("Webhook", webhook.verdict, factsOfWebhook(status)),
    summaryOf("RBAC", status.rbac.verdict),
  ];
}

/** Parts of a line, without those that are empty. */
export function joinParts(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== "").join("; ");
}

/** Facts say all of what is fine, but for what that rests on. */
function summaryOf(title: string, verdict: ComponentHealth, facts = ""): Summary {
  switch (verdict.is) {
    case "absent":
      return { title, is: "absent", facts, says: facts === "" ? verdict.says : "" };
    case "fine": {
      const says = joinParts(facts === "" ? verdict.says : "", verdict.rests);
      return { title, is: "fine", facts, says };
    }
    case "moving":
      return { title, is: "moving", facts, says: verdict.on };
    case "unknown":
      return { title, is: "unknown", facts, says: verdict.because };
    case "stalled": {
      const { object, because, fix } = verdict;
      const says = object === undefined ? because : `${object}: ${because}`;
      return { title, is: "stalled", facts, says, fix };
    }
  }
}

function factsOfOperator({ version, chart, pods }: OperatorStatus): string {
  if (pods === undefined) return "";
  const { ready, wanted, upToDate, available } = pods;
  const counts = `${ready}/${wanted} ready, ${upToDate} up to date, ${available} available`;
  return [
    version ?? "version not told by its image",
    ...(chart?.version === undefined ? [] : [`chart ${chart.version}`]),
    counts,
  ].join(", ");
}

/** Verdicts count what was read whole; of more than that only what was seen can be told. */
function factsOfDatabases(databases: DatabasesStatus, term: string): string {
  const { count, unread } = databases;
  return unread === undefined || count === undefined
    ? ""
    : countDatabases({ ...databases, count }, term);
}

function factsOfCluster(cluster: ClusterStatus): string {
  const { version, state, rollout, licenseState, licenseDays } = cluster;
  return [
    `wants ${version}`,
    renderRunning(cluster),
    `state ${state}`,
    ...(rollout === undefined ? [] : [`${rollout.done}/${rollout.of} pods new and ready`]),
    renderLicense(licenseState, licenseDays),
  ].join(", ");
}

function renderRunning({ running = [], unread }: ClusterStatus): string {
  if (unread !== undefined) return `pods not read (${unread})`;
  return running.length === 0 ? "no pod runs" : `runs ${running.join(" and ")}`;
}

/** Its state where that is not Valid, and how long it is good for. */
function renderLicense(state: string, days: number | undefined): string {
  if (state === "<none>") return "license state not told";
  const said = state.toLowerCase() === "valid" ? "" : ` ${state}`;
  if (days === undefined) return `license${said === "" ? " valid" : said}`;
  const count = `${Math.abs(days)} ${Math.abs(days) === 1 ? "day" : "days"}`;
  return `license${said}${days < 0 ? ` expired ${count} ago` : ` ${count} left`}`;
}

function factsOfWebhook({ webhook }: Status): string {
  return "says" in webhook.verdict ? webhook.verdict.says : "";
}
