/** Is the admission webhook in use, does it answer, and for how long still (S24-S30; domain facts 4)? */
import { webhookFindings } from "../../domain/admission/findings";
import { absentSecret, firstUnfit, judgeCertificate } from "../../domain/certificate/certificate";
import { type Facts, isKnown } from "../../domain/facts/facts";
import type { Finding } from "../../domain/base/findings";
import { objectLabel } from "../../domain/kube/objects";
import { entriesInForce, isOlmServed, readyEndpoints } from "../../domain/admission/configuration";
import {
  adviceFor,
  type Hindrance,
  hindranceCause,
  type ProbeOutcome,
} from "../../domain/admission/refusers";
import { describeConsequence, failsOpen, listPolicies } from "../../domain/admission/consequence";
import {
  type ConfigurationStatus,
  describeCa,
  describeConfiguration,
  entriesServed,
  servedHere,
} from "./configuration-status";
import { readCallable, judgeOthers, listJudging } from "../../domain/admission/others";
import { caWay, fixCaByOwner } from "../../domain/admission/owned";
import { judgeInjection } from "../../domain/admission/injector";
import {
  deletionOfOthers,
  isEntryBroken,
  judgeDoubts,
  readCalled,
  judgeWays,
  renderWay,
  listSlices,
  type Way,
  type WayLink,
  wayFacts,
} from "../../domain/admission/way";
import { daysUntil } from "../../domain/base/duration";
import { unreadVerdict, type ComponentHealth } from "../../domain/rollout/health";
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
  const [way] = shownWay(facts, probe);
  return {
    configurations,
    ...(endpoints !== undefined && { readyEndpoints: endpoints }),
    ...(notAfter !== undefined &&
      daysLeft !== undefined && { certificate: { notAfter, daysLeft } }),
    ...(probe !== undefined && {
      probe: { proven: probe.is === "proven", says: renderProbe(probe) },
    }),
    ...(way !== undefined && { way }),
    verdict: firstVerdict(facts, configurations, probe),
  };
}

/** What a probe has proven is a whole way, however it looks. */
function listWays(facts: Facts, probe?: ProbeOutcome): readonly Way[] {
  const ways = judgeWays(servedHere(facts), wayFacts(facts), readCalled(undefined, facts.names));
  if (probe?.is !== "proven") return ways;
  return ways.map((way) => ({ ...way, broken: undefined, findings: [], doubts: [] }));
}

/** The first way that is broken, else the first that leads to pods of this namespace. */
function shownWay(facts: Facts, probe?: ProbeOutcome): readonly string[] {
  const ways = listWays(facts, probe);
  const way =
    ways.find(({ broken }) => broken !== undefined) ??
    ways.find(({ stations }) => stations.length > 0);
  const { webhookConfigurations } = facts.objects;
  const isOlms = isOlmServed(webhookConfigurations, facts);
  const notAfter = isOlms ? undefined : facts.certificate?.leaf?.notAfter;
  const days = daysUntil(notAfter, facts.now);
  if (way === undefined) return [];
  const shown = { ...way, broken: way.broken ?? findLastBroken(facts, probe) };
  return [renderWay(shown, days === undefined ? [] : [`certificate ${days} days`])];
}

/** Behind a way that leads to pods: what they serve, and what they say. */
function findLastBroken(facts: Facts, probe?: ProbeOutcome): WayLink | undefined {
  if (probe?.is === "proven") return undefined;
  if (judgeSecret(facts) !== undefined) return "certificate";
  return probe?.is === "failed" ? "answer" : undefined;
}

function renderProbe(probe: ProbeOutcome): string {
  if (probe.is === "proven") return "an edit that must pass passed, its twin was refused";
  return probe.is === "elsewhere" ? hindranceCause(probe.hindrance) : probe.because;
}

type WebhookJudge = (
  facts: Facts,
  configurations: readonly ConfigurationStatus[],
  probe: ProbeOutcome | undefined,
) => ComponentHealth | undefined;

/** What is wrong first explains what comes after. */
const judgments: readonly WebhookJudge[] = [
  (facts) => unreadVerdict(facts, ["webhookConfigurations"]),
  judgeLeftovers,
  judgeUse,
  judgeInjected,
  judgeServer,
  judgeSecret,
  judgeEntries,
  (facts) => unreadVerdict(facts, ["webhookSecrets", "services", "endpointSlices"]),
  judgeProbe,
];

function firstVerdict(...args: Parameters<WebhookJudge>): ComponentHealth {
  for (const judge of judgments) {
    const verdict = judge(...args);
    if (verdict !== undefined) return verdict;
  }
  return { is: "fine", says: summary(...args) };
}

function judgeUse(
  facts: Facts,
  configurations: readonly ConfigurationStatus[],
): ComponentHealth | undefined {
  const { names, namespace } = facts;
  if (configurations.length === 0) {
    return { is: "absent", says: "not in use: no configuration serves this namespace" };
  }
  const elsewhere = configurations.filter(
    ({ serves, placeholders }) => serves !== namespace && placeholders.length === 0,
  );
  const [first] = elsewhere;
  if (first === undefined || elsewhere.length < configurations.length) return undefined;
  if (listWays(facts).some(isEntryBroken)) return undefined;
  const where = first.serves === undefined ? "a URL" : `namespace ${first.serves}`;
  const because = `${first.name} calls ${where}, which is not read here`;
  const companion = first.serves === names.companion.namespace ? ", the companion webhook" : "";
  return { is: "unknown", because: `${because}${companion}` };
}

/** What an injector writes is for nobody else to repair. */
function judgeInjected(facts: Facts): ComponentHealth | undefined {
  const { names, namespace, certificate } = facts;
  if (certificate === undefined) return undefined;
  const service = { namespace, name: names.webhook.service };
  const [found] = servedHere(facts).flatMap((one) =>
    judgeInjection(one, entriesInForce(one, service, names), certificate),
  );
  return found && stalledBy(found);
}

/** What configurations of others do to the databases, warnings too. */
export function othersFindings(facts: Facts): readonly Finding[] {
  return judgeOthers(listJudging(facts), readCallable(facts));
}

/** It refuses every edit, whatever the webhook itself does. */
function judgeLeftovers(facts: Facts): ComponentHealth | undefined {
  const found = othersFindings(facts).find(({ severity }) => severity === "error");
  return found && stalledBy(found);
}

const reapply = "reapply it with upgrade-webhook";

function judgeEntries(
  facts: Facts,
  _: readonly ConfigurationStatus[],
  probe: ProbeOutcome | undefined,
): ComponentHealth | undefined {
  const [wrong] = listWays(facts, probe)
    .filter(({ broken }) => broken === "configuration")
    .flatMap(({ findings }) => findings);
  if (wrong !== undefined) return stalledBy(wrong);
  for (const one of servedHere(facts)) {
    const object = objectLabel(one);
    const { ca } = describeConfiguration(one, facts);
    const because = unfitCa[ca];
    if (because === undefined) continue;
    const unfit = entriesServed(one, facts).filter((entry) => describeCa(entry, facts) === ca);
    const consequence = describeConsequence(listPolicies(unfit));
    const { fix = reapply } = {
      ...deletionOfOthers({ configuration: one }, facts),
      ...fixCaByOwner(one, facts),
    };
    const { code } = webhookFindings.staleCa;
    return { is: "stalled", because: `${because}: ${consequence}`, fix, code, object };
  }
  return undefined;
}

const unfitCa: Readonly<Record<ConfigurationStatus["ca"], string | undefined>> = {
  fits: undefined,
  unknown: undefined,
  empty: "its caBundle is empty",
  differs: "its caBundle holds neither the certificate of the Secret nor a valid CA that issued it",
};

function judgeSecret(facts: Facts): ComponentHealth | undefined {
  const { names, namespace, now, certificate } = facts;
  if (!isKnown(facts, "webhookSecrets")) return undefined;
  if (isOlmServed(facts.objects.webhookConfigurations, facts)) return undefined;
  const findings =
    certificate === undefined
      ? [absentSecret(namespace, names)]
      : judgeCertificate(certificate, { namespace, now, names });
  const unfit = firstUnfit(findings);
  if (unfit === undefined) return undefined;
  const { cause: because, fix, code } = unfit;
  return {
    is: "stalled",
    because,
    fix,
    code,
    object: `Secret/${namespace}/${names.webhook.secret}`,
  };
}

/** What `upgrade-webhook` cannot repair comes before what it can. */
function judgeServer(
  facts: Facts,
  _: readonly ConfigurationStatus[],
  probe: ProbeOutcome | undefined,
): ComponentHealth | undefined {
  const [found] = listWays(facts, probe)
    .filter(({ broken }) => broken !== "configuration")
    .flatMap(({ findings }) => findings);
  return found && stalledBy(found);
}

function stalledBy({ cause: because, fix, code, object }: Finding): ComponentHealth {
  return { is: "stalled", because, fix, code, ...(object !== undefined && { object }) };
}

function judgeProbe(
  facts: Facts,
  configurations: readonly ConfigurationStatus[],
  probe: ProbeOutcome | undefined,
): ComponentHealth | undefined {
  if (probe === undefined || probe.is === "proven") return judgeDoubts(listWays(facts, probe));
  if (probe.is === "elsewhere") return judgeHindrance(probe.hindrance);
  const { because } = probe;
  if (probe.is === "open") return { is: "unknown", because };
  if (probe.finding !== undefined) return stalledBy(probe.finding);
  const object = `ValidatingWebhookConfiguration/${String(configurations[0]?.name)}`;
  return { is: "stalled", because, fix: reapply, object };
}

/** Databases cannot be edited where somebody else refuses good edits; a bad edit that is refused harms nobody. */
function judgeHindrance(hindrance: Hindrance): ComponentHealth {
  const because = hindranceCause(hindrance);
  const { refuser, twin } = hindrance;
  if (twin === "deny") return { is: "unknown", because };
  const object = `${refuser.kind}/${refuser.name}`;
  return { is: "stalled", because, fix: adviceFor(refuser), object };
}

function summary(...[facts, configurations, probe]: Parameters<WebhookJudge>): string {
  const way = shownWay(facts, probe);
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

/** What this tool does not write: an injector's, and what others left. */
const notOurs: readonly string[] = [
  webhookFindings.injectedOther.code,
  webhookFindings.leftover.code,
];

/** The configuration is old, or does not fit its Secret. */
export function webhookStep({
  webhook: { configurations, verdict },
  release,
}: {
  readonly webhook: WebhookStatus;
  readonly release?: NextRelease;
}): NextStep | undefined {
  if (verdict.is === "stalled" && notOurs.includes(String(verdict.code))) {
    return holdStep("the webhook", verdict);
  }
  const ours = ["fits", "empty", "differs"];
  // one of someone else is not repaired by a new entry of ours
  const unfit =
    verdict.is === "stalled" &&
    !verdict.fix.includes("kubectl delete") &&
    configurations.some(({ name }) => verdict.object === `ValidatingWebhookConfiguration/${name}`);
  const old = configurations.some(({ old: isOld, ca }) => isOld && ours.includes(ca));
  const owned = configurations.find(
    ({ name, owner, old: isOld, ca }) =>
      owner !== undefined &&
      ((isOld && ours.includes(ca)) ||
        (verdict.is === "stalled" && verdict.object === `ValidatingWebhookConfiguration/${name}`)),
  );
  if (owned !== undefined) return ownedStep(owned, verdict);
  if (!unfit && !old) {
    return verdict.is === "unknown" ? undefined : holdStep("the webhook", verdict);
  }
  return {
    says: old ? "replace the old webhook configuration" : "fix the webhook configuration",
    words: ["upgrade-webhook", ...releaseWords(release)],
  };
}

/** No line of this tool changes what somebody else owns, but for its CA. */
function ownedStep({ name, owner }: ConfigurationStatus, verdict: ComponentHealth): NextStep {
  if (verdict.is === "stalled" && verdict.fix === caWay) {
    return { says: "write the CA of the webhook", words: ["upgrade-webhook", "--ca-only"] };
  }
  const step = holdStep("the webhook", verdict);
  return step ?? { says: `have ${String(owner)} replace ${name}, of an old release` };
}
