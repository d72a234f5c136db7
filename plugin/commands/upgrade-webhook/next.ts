/** Is the admission webhook in use, does it answer, and for how long still (S24-S30; domain facts 4)? */
import { firstRun, type Run } from "../../domain/base/remedy";
import { type Facts } from "../../domain/facts/facts";
import type { Finding } from "../../domain/base/findings";
import { isOlmServed, readyEndpoints } from "../../domain/admission/configuration";
import {
  adviceFor,
  type Hindrance,
  hindranceCause,
  type ProbeOutcome,
} from "../../domain/admission/refusers";
import { failsOpen, listPolicies } from "../../domain/admission/consequence";
import {
  type ConfigurationStatus,
  describeConfiguration,
  entriesServed,
  servedHere,
} from "./configuration-status";
import { readCallable, judgeOthers, listJudging } from "../../domain/admission/others";
import {
  admissionList,
  admissionSymptoms,
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
import { daysUntil } from "../../domain/base/duration";
import { diagnose, diagnoseRow, type Unseen, verdictOf } from "../../domain/diagnosis/diagnose";
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

/** The webhook's part of the screen. */
export function webhookStatus(facts: Facts, probe?: ProbeOutcome): WebhookStatus {
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
      probe: { proven: probe.is === "proven", says: renderProbe(probe) },
    }),
    ...(way !== undefined && { way }),
    verdict: judgeWebhook(scene, configurations),
  };
}

/** The first way that is broken, else the first that leads to pods of this namespace. */
function shownWay(scene: WebhookScene): readonly string[] {
  const { facts } = scene;
  const ways = listWays(scene);
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
function findLastBroken({ facts, probe }: WebhookScene): WayLink | undefined {
  if (probe?.is === "proven") return undefined;
  const { findings } = diagnose(secretList, { facts });
  if (findings.some(({ severity }) => severity === "error")) return "certificate";
  return probe?.is === "failed" ? "answer" : undefined;
}

function renderProbe(probe: ProbeOutcome): string {
  if (probe.is === "proven") return "an edit that must pass passed, its twin was refused";
  return probe.is === "elsewhere" ? hindranceCause(probe.hindrance) : probe.because;
}

/** What is wrong first explains what comes after; what was not read is unknown, whatever the probe shows. */
function judgeWebhook(
  scene: WebhookScene,
  configurations: readonly ConfigurationStatus[],
): ComponentHealth {
  const { facts } = scene;
  const unread = unreadVerdict(facts, ["webhookConfigurations"]);
  // it refuses every edit, whether the webhook is in use or not
  const left = verdictOf(diagnoseRow(admissionSymptoms.leftover, scene), "");
  const early =
    unread ?? (left.is === "stalled" ? left : undefined) ?? judgeUse(scene, configurations);
  if (early !== undefined) return early;
  const { findings, unseen } = diagnose(admissionList, scene);
  // what a probe has proven need not be seen; how long the certificate is good for, no probe shows
  const hidden = scene.probe?.is === "proven" ? unseen.filter(isOfSecret) : unseen;
  const verdict = verdictOf({ findings, unseen: hidden }, summary(scene, configurations));
  if (verdict.is === "fine") return judgeProbe(scene, configurations) ?? verdict;
  // a doubt names what is doubtful, a list that is missing does not
  return (verdict.is === "unknown" ? judgeDoubts(listWays(scene)) : undefined) ?? verdict;
}

function isOfSecret({ row }: Unseen): boolean {
  return secretList.some(({ code }) => code === row.code);
}

function judgeUse(
  scene: WebhookScene,
  configurations: readonly ConfigurationStatus[],
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
  if (listWays(scene).some(isEntryBroken)) return undefined;
  const where = first.serves === undefined ? "a URL" : `namespace ${first.serves}`;
  const because = `${first.name} calls ${where}, which is not read here`;
  const companion = first.serves === names.companion.namespace ? ", the companion webhook" : "";
  return { is: "unknown", because: `${because}${companion}` };
}

/** What configurations of others do to the databases, warnings too. */
export function othersFindings(facts: Facts): readonly Finding[] {
  return judgeOthers(listJudging(facts), readCallable(facts));
}

const reapply = "reapply it with upgrade-webhook";

function judgeProbe(
  scene: WebhookScene,
  configurations: readonly ConfigurationStatus[],
): ComponentHealth | undefined {
  const { probe } = scene;
  if (probe === undefined || probe.is === "proven") return judgeDoubts(listWays(scene));
  if (probe.is === "elsewhere") return judgeHindrance(probe.hindrance);
  const { because } = probe;
  if (probe.is === "open") return { is: "unknown", because };
  if (probe.finding !== undefined) {
    return verdictOf({ findings: [probe.finding], unseen: [] }, "");
  }
  const object = `ValidatingWebhookConfiguration/${String(configurations[0]?.name)}`;
  return { is: "stalled", because, fix: reapply, object };
}

/** Databases cannot be edited where somebody else refuses good edits; a bad edit that is refused harms nobody. */
function judgeHindrance(hindrance: Hindrance): ComponentHealth {
  const because = hindranceCause(hindrance);
  const { refuser, twin } = hindrance;
  if (twin === "deny") return { is: "unknown", because };
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
  return [fits, ...way, ...tellIgnore(facts)].join("; ");
}

/** What looks whole from here may fail unseen. */
function tellIgnore(facts: Facts): readonly string[] {
  const entries = servedHere(facts).flatMap((one) => entriesServed(one, facts));
  return listPolicies(entries).includes("Ignore") ? [failsOpen] : [];
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
  return {
    says: old ? "replace the old webhook configuration" : "fix the webhook configuration",
    words: ["upgrade-webhook", ...releaseWords(release)],
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
