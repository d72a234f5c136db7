/** What became of a review, as an answer on the wire, a line for the log and facts for the metrics. */
import { clusterKey } from "../../plugin/domain/rules/clusters";
import type { Names } from "../../plugin/domain/names/names";
import { type Bypass, bypassWarning } from "../../plugin/domain/rules/bypass";
import {
  type DenialStatus,
  denialStatus,
  plain,
  renderWarning,
} from "../../plugin/domain/rules/wording";
import { boundWarnings, wouldBeDenied } from "../../plugin/domain/rules/order";
import type { Lookups, Verdict } from "../../plugin/domain/rules/types";
import { isUnknownPolicy } from "../../plugin/domain/rules/upgrade-policy";
import type { ReviewFacts } from "../metrics";
import { faultReply, type Reply, textReply } from "./reply";
import { reviewKind, type ReviewRequest, UnreadableReview } from "./request";

/** An answer, and what is told of it elsewhere: nothing of the object's content. */
export interface Reviewed {
  readonly reply: Reply;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly facts: ReviewFacts;
  readonly crash?: unknown;
}

interface EvaluatedReview {
  readonly is: "judged";
  readonly verdict: Verdict;
  readonly lookups: Lookups;
  /** Of what is known, when the verdict rests on that. */
  readonly ageMs?: number | undefined;
  readonly live?: ReviewFacts["live"];
}

interface Unjudged {
  readonly is: "unknown";
  readonly because: string;
  readonly live?: ReviewFacts["live"];
}

export type ReviewOutcome = EvaluatedReview | Unjudged;

/** A review that could be read, and the words of the product. */
export interface ReviewInput {
  readonly request: ReviewRequest;
  readonly names: Names;
}

/** The answer to a review that no rule has to look at. */
export function renderSpared(asked: ReviewInput, why: string): Reviewed {
  return {
    reply: answerWith(asked.request, { warnings: [] }),
    entry: renderEntry(asked.request, "allow", why),
    facts: countReview(asked, { verdict: "allow" }),
  };
}

/** The answer to a review that was judged, or that cannot be judged now. */
export function renderFound(asked: ReviewInput, found: ReviewOutcome, bypass: Bypass): Reviewed {
  if (bypass.is !== "granted") {
    return found.is === "judged" ? renderVerdict(asked, found, bypass) : cannotJudge(asked, found);
  }
  const passed =
    found.is === "judged"
      ? renderVerdict(asked, { ...found, verdict: bypassVerdict(found.verdict) }, bypass)
      : renderUnjudged(asked, found, bypass);
  // who has passed by the rules is in the log, escaped and cut
  const { reason, until } = bypass;
  return {
    ...passed,
    entry: { ...passed.entry, bypass: reason, until, user: plain(asked.request.user) },
  };
}

/** What would have been refused is said, passes, and is counted. */
function bypassVerdict(verdict: Verdict): Verdict {
  const { causes, warnings, more = 0 } = verdict;
  return {
    ...verdict,
    causes: [],
    warnings: boundWarnings([...causes.map(wouldBeDenied), ...warnings], more),
    wouldDeny: causes,
  };
}

/** The answer to what is no review, or to one over which a rule failed. */
export function renderFailure(error: unknown, asked: ReviewInput | undefined): Reviewed {
  if (error instanceof UnreadableReview) {
    const { message, uid } = error;
    return {
      reply: faultReply({ code: 400, message, uid }),
      entry: { uid: plain(uid ?? ""), verdict: "unreadable", because: message },
      facts: countReview(asked, { verdict: "unreadable" }),
    };
  }
  const message = "a rule failed, see the webhook's log";
  return {
    reply: faultReply({ code: 500, message, uid: asked?.request.uid }),
    entry: asked === undefined ? { verdict: "error" } : renderEntry(asked.request, "error"),
    facts: countReview(asked, { verdict: "error" }),
    crash: error,
  };
}

function renderUnjudged(asked: ReviewInput, { because, live }: Unjudged, bypass: Bypass): Reviewed {
  const warnings = [...renderWarnings(bypass), renderWarning(`not judged: ${because}`)];
  const annotations = { rule: "none", data: "unknown", ...bypassAnnotations(bypass) };
  return {
    reply: answerWith(asked.request, { warnings, annotations }),
    entry: { ...renderEntry(asked.request, "allow", "none"), because },
    facts: countReview(asked, { verdict: "allow", bypass: bypass.is, live }),
  };
}

function cannotJudge(asked: ReviewInput, { because, live }: Unjudged): Reviewed {
  const { request } = asked;
  return {
    reply: faultReply({ code: 503, message: `cannot judge: ${because}`, uid: request.uid }),
    entry: { ...renderEntry(request, "unknown"), because },
    facts: countReview(asked, { verdict: "unknown", live }),
  };
}

function renderVerdict(asked: ReviewInput, found: EvaluatedReview, bypass: Bypass): Reviewed {
  const { request, names } = asked;
  const { verdict, lookups, live } = found;
  const { causes, warnings, wouldDeny = [] } = verdict;
  const isDenied = causes.length > 0;
  const said = isDenied ? "deny" : "allow";
  const rule = isDenied ? [...new Set(causes.map((cause) => cause.rule))].sort().join(",") : "none";
  const uncertain = listUncertainties(found, names);
  return {
    reply: answerWith(request, {
      denial: isDenied ? renderDenial(asked, verdict) : undefined,
      warnings: [...renderWarnings(bypass), ...warnings],
      annotations: renderAnnotations(found, rule, bypass),
    }),
    entry: {
      ...renderEntry(request, said, rule),
      ...clusterEntry(lookups),
      ...(uncertain.includes("policy") && { unknownPolicy: true }),
      ...(uncertain.includes("modules") && { unknownModules: true }),
      data: describeData(found),
    },
    facts: countReview(asked, {
      ...{ verdict: said, rule, bypass: bypass.is, live },
      wouldDeny: [...new Set(wouldDeny.map((cause) => cause.rule))],
      uncertain,
    }),
  };
}

function renderDenial({ request, names }: ReviewInput, verdict: Verdict): DenialStatus {
  const { kind, name } = request;
  return denialStatus({ ...kind, name, verdict, webhookName: names.webhook.entry });
}

interface ReviewReply {
  readonly denial?: DenialStatus | undefined;
  readonly warnings: readonly string[];
  /** For the audit log; the API server puts the entry's name and a slash before each key. */
  readonly annotations?: Readonly<Record<string, string | undefined>>;
}

/**
 * The answer in the review's own version, as JSON. Never a patch: under v1 its mere presence is an
 * error.
 */
function answerWith({ apiVersion, uid }: ReviewRequest, answer: ReviewReply): Reply {
  const { denial, warnings, annotations } = answer;
  const response = {
    uid,
    allowed: denial === undefined,
    status: denial,
    warnings: warnings.length === 0 ? undefined : warnings,
    auditAnnotations: annotations,
  };
  return textReply(JSON.stringify({ apiVersion, kind: reviewKind, response }));
}

function describeData({ live }: EvaluatedReview): string {
  if (live === undefined) return "known";
  return live.outcome === "overturned" ? "overturned" : "live";
}

/** For the audit log: which rule, by which EC in which version, and how old that knowledge was. */
function renderAnnotations(
  found: EvaluatedReview,
  rule: string,
  bypass: Bypass,
): Readonly<Record<string, string | undefined>> {
  const { after } = found.lookups;
  const age = found.live === undefined ? found.ageMs : 0;
  return {
    rule,
    ec: after.is === "found" ? clusterKey(after.cluster) : after.is,
    "ec-resource-version": after.is === "found" ? after.cluster.resourceVersion : undefined,
    data: describeData(found),
    "data-age-seconds": age === undefined ? undefined : (age / 1_000).toFixed(1),
    ...bypassAnnotations(bypass),
  };
}

function bypassAnnotations(bypass: Bypass): Readonly<Record<string, string>> | undefined {
  switch (bypass.is) {
    case "none":
      return undefined;
    case "granted":
      return { bypass: bypass.reason, "bypass-until": bypass.until };
    case "ignored":
      return { "bypass-ignored": bypass.because };
  }
}

function renderWarnings(bypass: Bypass): readonly string[] {
  const warning = bypassWarning(bypass);
  return warning === undefined ? [] : [warning];
}

/** What every line says; names come from outside, so they are escaped and cut. */
function renderEntry(
  request: ReviewRequest,
  verdict: ReviewFacts["verdict"],
  rule?: string,
): Reviewed["entry"] {
  const { uid, kind, namespace, name = "", operation, dryRun } = request;
  return {
    uid: plain(uid),
    kind: plain(kind.kind),
    namespace: plain(namespace),
    name: plain(name),
    operation,
    dryRun,
    verdict,
    rule,
  };
}

function clusterEntry({ after }: Lookups): Reviewed["entry"] {
  return { ec: after.is === "found" ? plain(clusterKey(after.cluster)) : after.is };
}

/** What passed because the EC does not tell enough to refuse it (C9, C20). */
function listUncertainties(
  { lookups: { after }, verdict }: EvaluatedReview,
  names: Names,
): ReviewFacts["uncertain"] {
  const isPolicy = after.is === "found" && isUnknownPolicy(after.cluster.policy, names);
  return [
    ...(isPolicy ? (["policy"] as const) : []),
    ...(verdict.uncertain === undefined ? [] : (["modules"] as const)),
  ];
}

const untold = {
  rule: "none",
  wouldDeny: [],
  uncertain: [],
  bypass: "none",
} as const satisfies Partial<ReviewFacts>;

/** Labels of a closed set each: what the review says is looked up, never taken over. */
export function countReview(
  asked: ReviewInput | undefined,
  told: Pick<ReviewFacts, "verdict"> & Partial<ReviewFacts>,
): ReviewFacts {
  return {
    ...untold,
    kind: asked === undefined ? "other" : nameKind(asked),
    operation: asked?.request.operation ?? "other",
    version: asked?.request.apiVersion.split("/")[1] ?? "none",
    dryRun: asked?.request.dryRun ?? false,
    ...told,
  };
}

function nameKind({ request, names: { edb, eaadb, erc } }: ReviewInput): string {
  const { kind } = request.kind;
  return kind === edb.kind || kind === eaadb.kind || kind === erc.kind ? kind : "other";
}
