/** Is the admission webhook in use, does it answer, and for how long still (S24-S30; domain facts 4)? */
import { firstRun, renderFix, type Run } from "../../domain/base/remedy";
import { type Facts } from "../../domain/facts/facts";
import type { Finding } from "../../domain/base/findings";
import { isOlmServed, readyEndpoints } from "../../domain/admission/configuration";
import { adviceFor, type Hindrance, hindranceCause } from "../../domain/admission/refusers";
import { webhookFindings } from "../../domain/admission/findings";
import { isContradicted } from "../../domain/admission/observed";
import { explainOpen, type ProbeOutcome, renderProven } from "../../domain/admission/probe-outcome";
import { failsOpen, listPolicies } from "../../domain/admission/consequence";
import {
  type ConfigurationStatus,
  describeConfiguration,
  entriesServed,
  servedHere,
} from "./configuration-status";
import {
  readCallable,
  judgeOthers,
  listJudging,
  listOthersEntries,
} from "../../domain/admission/others";
import {
  admissionList,
  admissionSymptoms,
  besideList,
  listInForce,
  listWays,
  secretList,
  type WebhookScene,
} from "../../domain/admission/symptoms";
import {
  isEntryBroken,
  judgeDoubts,
  renderWay,
  listSlices,
  type WayLink,
} from "../../domain/admission/way";
import {
  describeUnguarded,
  type GuardedScene,
  listUnguarded,
  type Unguarded,
} from "../../domain/admission/unguarded";
import { describeSituation } from "../../domain/checks/context";
import type { Diagnosed } from "../../domain/diagnosis/symptom";
import { readName, readNamespace } from "../../domain/kube/objects";
import { daysUntil } from "../../domain/base/duration";
import { diagnose, diagnoseRow, verdictOf } from "../../domain/diagnosis/diagnose";
import { oncePer } from "../../domain/base/values";
import { unreadVerdict, type ComponentHealth } from "../../domain/rollout/health";
import { withRemedies } from "../../domain/rollout/progress";
import {
  holdStep,
  type NextRelease,
  type NextStep,
  releaseWords,
} from "../../domain/rollout/next-step";

/** What is shown of the webhook. */
export interface WebhookStatus {
  readonly configurations: readonly ConfigurationStatus[];
  readonly readyEndpoints?: number;
  readonly certificate?: { readonly notAfter: string; readonly daysLeft: number };
  /** What the twins of the probe showed, when it was asked for. */
  readonly probe?: { readonly proven: boolean; readonly says: string };
  /** From the API server to the pods in one line, with the link that is broken. */
  readonly way?: string;
  readonly verdict: ComponentHealth;
}

/** What the screen is made with beside the facts. */
export interface WebhookSeen {
  readonly probe?: ProbeOutcome | undefined;
  /** Of the screen, in milliseconds since 1970; absent: of the facts. */
  readonly now?: number | undefined;
}

/** The webhook's part of the screen. */
export function webhookStatus(
  facts: Facts,
  { probe, now = facts.now }: WebhookSeen = {},
): WebhookStatus {
  const configurations = servedHere(facts).map((object) => describeConfiguration(object, facts));
  const endpoints = unreadVerdict(facts, ["endpointSlices"])
    ? undefined
    : readyEndpoints(listSlices(facts.names.webhook.service, facts.objects.endpointSlices));
  const notAfter = facts.certificate?.leaf?.notAfter;
  const daysLeft = daysUntil(notAfter, facts.now);
  const scene: WebhookScene = { facts, probe };
  const [way] = shownWay(scene);
  return {
    configurations,
    ...(endpoints !== undefined && { readyEndpoints: endpoints }),
    ...(notAfter !== undefined &&
      daysLeft !== undefined && { certificate: { notAfter, daysLeft } }),
    ...(probe !== undefined && {
      probe: {
        proven: probe.is === "proven",
        says: probe.is === "proven" ? renderProven(probe, now) : explainOpen(probe),
      },
    }),
    ...(way !== undefined && { way }),
    verdict: judgeWebhook(scene, configurations, now),
  };
}

/** The first way that is broken, else the first that leads to pods of this namespace. */
function shownWay(scene: WebhookScene): readonly string[] {
  const { facts, probe } = scene;
  const ways = listWays(scene).map((way) => {
    // of a CA its own row tells
    const codes = way.findings.length > 0 ? way.findings : [webhookFindings.staleCa];
    const isWrong = codes.every(({ code }) => isContradicted(code, probe));
    return isWrong ? { ...way, broken: undefined } : way;
  });
  const way =
    ways.find(({ broken }) => broken !== undefined) ??
    ways.find(({ stations }) => stations.length > 0);
  const { webhookConfigurations } = facts.objects;
  const isOlms = isOlmServed(webhookConfigurations, facts);
  const notAfter = isOlms ? undefined : facts.certificate?.leaf?.notAfter;
  const days = daysUntil(notAfter, facts.now);
  if (way === undefined) return [];
  const shown = { ...way, broken: way.broken ?? findLastBroken(scene) };
  return [renderWay(shown, days === undefined ? [] : [`certificate ${days} days`])];
}

/** Behind a way that leads to pods: what they serve, and what they say. */
function findLastBroken(scene: WebhookScene): WayLink | undefined {
  const { findings } = diagnose(secretList, scene);
  if (findings.some(({ severity }) => severity === "error")) return "certificate";
  return scene.probe?.is === "failed" ? "answer" : undefined;
}

/**
 * What was seen decides: what a probe has proven need not be read, and what was not probed is not known. What is wrong
 * with the objects explains a probe that failed.
 */
function judgeWebhook(
  scene: WebhookScene,
  configurations: readonly ConfigurationStatus[],
  now: number,
): ComponentHealth {
  const { facts, probe } = scene;
  const unread = unreadVerdict(facts, ["webhookConfigurations"]);
  // it refuses every edit, whether the webhook is in use or not
  const left = judgeLeft(scene);
  const use = judgeUse(configurations, scene);
  const isHidden = left.is === "unknown" && use?.is === "absent";
  const early = unread ?? (left.is === "stalled" || isHidden ? left : undefined) ?? use;
  if (early !== undefined) return early;
  const { findings, unseen } = diagnose(admissionList, scene);
  const rests = summary(scene, configurations);
  const missed = judgeMissed(scene, findings);
  if (probe?.is === "proven") {
    const said = [renderProven(probe, now), rests].join("; ");
    return verdictOf({ findings: [...missed, ...findings], unseen: [] }, said);
  }
  const verdict = verdictOf({ findings, unseen }, rests);
  if (verdict.is === "fine") return judgeDoubts(listWays(scene)) ?? judgeUnproven(probe, rests);
  // a doubt names what is doubtful, a list that is missing does not
  return (verdict.is === "unknown" ? judgeDoubts(listWays(scene)) : undefined) ?? verdict;
}

/** Whether an entry of others refuses every edit: unknown only where there is such an entry. */
function judgeLeft(scene: WebhookScene): ComponentHealth {
  const { facts } = scene;
  const entries = listOthersEntries(listJudging(facts), facts.names);
  if (entries.length === 0) return { is: "fine", says: "" };
  return verdictOf(diagnoseRow(admissionSymptoms.leftover, scene), "");
}

/** What no probe shows, since it is not called for: an error where it is a kind of edit, or every database. */
function judgeMissed(scene: WebhookScene, findings: readonly Diagnosed[]): readonly Diagnosed[] {
  const guarded = { ...situationOf(scene.facts), probe: scene.probe };
  const unguarded = listUnguarded(listInForce(scene), guarded);
  const uncalled = findings.filter(({ code }) => code === webhookFindings.rulesBehind.code);
  const isNone =
    guarded.databases.length > 0 && countLeftOut(unguarded, guarded) === guarded.databases.length;
  const idle = isNone ? diagnoseRow(admissionSymptoms.unguarded, guarded).findings : [];
  return [...uncalled, ...idle].map((one): Diagnosed => ({ ...one, severity: "error" }));
}

function countLeftOut({ namespaces, databases }: Unguarded, all: GuardedScene): number {
  const missed = new Set(namespaces.map(readName));
  const within = all.databases.filter(({ object }) => missed.has(readNamespace(object)));
  return within.length + databases.length;
}

function judgeUse(
  configurations: readonly ConfigurationStatus[],
  scene: WebhookScene,
): ComponentHealth | undefined {
  const { names, namespace } = scene.facts;
  if (configurations.length === 0) {
    return { is: "absent", says: "not in use: no configuration serves this namespace" };
  }
  const elsewhere = configurations.filter(
    ({ serves, placeholders }) => serves !== namespace && placeholders.length === 0,
  );
  const [first] = elsewhere;
  if (first === undefined || elsewhere.length < configurations.length) return undefined;
  const isSeen = scene.probe?.is === "proven" || scene.probe?.is === "failed";
  const isEmpty = listInForce(scene).length === 0;
  if (isSeen || isEmpty || listWays(scene).some(isEntryBroken)) return undefined;
  const where = first.serves === undefined ? "a URL" : `namespace ${first.serves}`;
  const because = `${first.name} calls ${where}, which is not read here`;
  const companion = first.serves === names.companion.namespace ? ", the companion webhook" : "";
  return { is: "unknown", because: `${because}${companion}` };
}

const situationOf = oncePer((facts: Facts) => describeSituation(facts, {}));

/** True where nothing that its findings are made of was out of sight: a probe proves the answers alone. */
export function isWebhookRead(facts: Facts): boolean {
  const { unseen } = diagnose([...admissionList, ...besideList], situationOf(facts));
  return unseen.length === 0;
}

/** What configurations of others do to the databases, warnings too, and what is a warning of the product's own. */
export function othersFindings(facts: Facts): readonly Finding[] {
  const own = diagnose(besideList, situationOf(facts)).findings;
  return [
    ...judgeOthers(listJudging(facts), readCallable(facts)),
    // an error is told by the verdict
    ...own.filter(({ severity }) => severity === "warning"),
  ];
}

/** Nothing is known to be wrong, and nothing was seen to work. */
function judgeUnproven(
  probe: Exclude<ProbeOutcome, { readonly is: "proven" }> | undefined,
  rests: string,
): ComponentHealth {
  if (probe?.is === "elsewhere") return judgeHindrance(probe.hindrance);
  if (probe?.is === "failed" || probe?.is === "open") {
    return { is: "unknown", because: probe.because };
  }
  const because = probe?.because ?? "not probed";
  return {
    is: "unknown",
    because: `${because}; as far as the configuration shows it works: ${rests}`,
    ...(probe?.is === "unasked" && { unproven: probe.forbidden ? "forbidden" : "unwanted" }),
  };
}

/** A policy that refuses good edits is its owner's to judge; somebody else's webhook that fails stops every edit. */
function judgeHindrance(hindrance: Hindrance): ComponentHealth {
  const because = hindranceCause(hindrance);
  const { refuser, twin } = hindrance;
  if (twin === "deny" || !refuser.fails) {
    return { is: "unknown", because: `${because}: ${renderFix([adviceFor(refuser)])}` };
  }
  const object = `${refuser.kind}/${refuser.name}`;
  return { is: "stalled", because, ...withRemedies(adviceFor(refuser)), object };
}

function summary(scene: WebhookScene, configurations: readonly ConfigurationStatus[]): string {
  const { facts } = scene;
  const way = shownWay(scene);
  if (isOlmServed(facts.objects.webhookConfigurations, facts)) {
    const made = configurations.map(({ name }) => name).join(" and ");
    return [`${made}, made by OLM with a certificate of its own`, ...way].join("; ");
  }
  const ours = configurations.filter(({ ca }) => ca === "fits");
  const shown = ours.map(({ name, old }) => `${name}${old ? " (old)" : ""}`);
  const by = ours.flatMap(({ injector }) => injector ?? []).map((one) => `, written by ${one}`);
  const fits = `${shown.join(" and ")}, CA fits${[...new Set(by)].join("")}`;
  return [fits, ...way, ...tellIgnore(facts), ...tellLeftOut(scene)].join("; ");
}

/** What looks whole from here may fail unseen. */
function tellIgnore(facts: Facts): readonly string[] {
  const entries = servedHere(facts).flatMap((one) => entriesServed(one, facts));
  return listPolicies(entries).includes("Ignore") ? [failsOpen] : [];
}

/** What is well for one database may not be asked about another. */
function tellLeftOut(scene: WebhookScene): readonly string[] {
  return describeUnguarded(listUnguarded(listInForce(scene), situationOf(scene.facts)));
}

/** The configuration is old, or does not fit its Secret. */
export function webhookStep({
  webhook: { configurations, verdict },
  release,
}: {
  readonly webhook: WebhookStatus;
  readonly release?: NextRelease;
}): NextStep | undefined {
  const ours = ["fits", "empty", "differs"];
  const run = verdict.is === "stalled" ? firstRun(verdict.remedies)?.run : undefined;
  // one of someone else is not repaired by a new entry of ours
  const unfit = run?.of === "tool" && run.words[0] === "upgrade-webhook";
  const old = configurations.some(({ old: isOld, ca }) => isOld && ours.includes(ca));
  const owned = configurations.find(
    ({ name, owner, old: isOld, ca }) =>
      owner !== undefined &&
      ((isOld && ours.includes(ca)) ||
        (verdict.is === "stalled" && verdict.object === `ValidatingWebhookConfiguration/${name}`)),
  );
  if (owned !== undefined) return ownedStep(owned, verdict, run);
  if (!unfit && !old) {
    return verdict.is === "unknown" ? undefined : holdStep("the webhook", verdict);
  }
  // without the flags of its finding the command would be refused
  const words = unfit ? run.words : ["upgrade-webhook"];
  return {
    says: old ? "replace the old webhook configuration" : "fix the webhook configuration",
    words: [...words, ...releaseWords(release)],
  };
}

/** No line of this tool changes what somebody else owns, but for its CA. */
function ownedStep(
  { name, owner }: ConfigurationStatus,
  verdict: ComponentHealth,
  run: Run | undefined,
): NextStep {
  if (run?.words.includes("--ca-only") === true) {
    return { says: "write the CA of the webhook", words: run.words };
  }
  const step = holdStep("the webhook", verdict);
  return step ?? { says: `have ${String(owner)} replace ${name}, of an old release` };
}
