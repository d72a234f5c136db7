/** What became of a review, as an answer on the wire, a line for the log and facts for the metrics. */
import { clusterKey } from "../plugin/domain/clusters";
import type { Names } from "../plugin/domain/names";
import { type Bypass, bypassWarning } from "../plugin/domain/rules/bypass";
import { denialStatus } from "../plugin/domain/rules/denial";
import { boundWarnings, wouldBeDenied } from "../plugin/domain/rules/order";
import type { Lookups, Verdict } from "../plugin/domain/rules/types";
import { isUnknownPolicy } from "../plugin/domain/rules/upgrade-policy";
import { plain, warningText } from "../plugin/domain/rules/wording";
import { renderAnswer, type ReviewRequest, UnreadableReview } from "./envelope";
import type { ReviewFacts } from "./metrics";
import { faultReply, type Reply, textReply } from "./reply";

/** An answer, and what is told of it elsewhere: nothing of the object's content. */
export interface Reviewed {
  readonly reply: Reply;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly facts: ReviewFacts;
  /** What a rule threw. */
  readonly crash?: unknown;
}

/** What the rules and the ECs say of an edit. */
export type Found =
  | {
      readonly is: "judged";
      readonly verdict: Verdict;
      readonly lookups: Lookups;
      /** Of what is known, when the verdict rests on that. */
      readonly ageMs?: number | undefined;
      readonly live?: ReviewFacts["live"];
    }
  | { readonly is: "unknown"; readonly because: string; readonly live?: ReviewFacts["live"] };

type Judged = Found & { readonly is: "judged" };
type Granted = Bypass & { readonly is: "granted" };

/** What was found out about a review. */
export type Outcome =
  | { readonly is: "allow"; readonly why: string }
  | (Found & { readonly bypass: Bypass })
  | {
      readonly is: "bypassed";
      readonly bypass: Granted;
      readonly judged: Found;
    };

/** A review that could be read, and the words of the product. */
export interface Asked {
  readonly request: ReviewRequest;
  readonly names: Names;
}

/** The answer to a review that was judged, or that cannot be judged now. */
export function renderOutcome(asked: Asked, outcome: Outcome): Reviewed {
  const { request } = asked;
  switch (outcome.is) {
    case "unknown":
      return cannotJudge(asked, outcome);
    case "allow":
      return {
        reply: textReply(renderAnswer(request, { warnings: [] })),
        entry: entryOf(request, "allow", outcome.why),
        facts: factsOf(asked, { verdict: "allow" }),
      };
    case "judged":
      return renderVerdict(asked, outcome, outcome.bypass);
    case "bypassed":
      return renderBypassed(asked, outcome);
  }
}

/** The answer to what is no review, or to one over which a rule failed. */
export function renderFailure(error: unknown, asked: Asked | undefined): Reviewed {
  if (error instanceof UnreadableReview) {
    const { message, uid } = error;
    return {
      reply: faultReply({ code: 400, message, ...(uid !== undefined && { uid }) }),
      entry: { uid: plain(uid ?? ""), verdict: "unreadable", because: message },
      facts: factsOf(asked, { verdict: "unreadable" }),
    };
  }
  const uid = asked && { uid: asked.request.uid };
  return {
    reply: faultReply({ code: 500, message: "a rule failed, see the webhook's log", ...uid }),
    entry: asked === undefined ? { verdict: "error" } : entryOf(asked.request, "error"),
    facts: factsOf(asked, { verdict: "error" }),
    crash: error,
  };
}

/** What would have been refused is said, passes, and is counted. */
function renderBypassed(
  asked: Asked,
  { bypass, judged }: Outcome & { readonly is: "bypassed" },
): Reviewed {
  if (judged.is === "unknown") return renderUnjudged(asked, judged, bypass);
  const { causes, warnings, more = 0 } = judged.verdict;
  const verdict = {
    ...judged.verdict,
    causes: [],
    warnings: boundWarnings([...causes.map(wouldBeDenied), ...warnings], more),
    wouldDeny: [...new Set(causes.map(({ rule }) => rule))],
  };
  const passed = renderVerdict(asked, { ...judged, verdict }, bypass);
  return { ...passed, entry: { ...passed.entry, ...bypassEntry(bypass, asked) } };
}

function renderUnjudged(
  asked: Asked,
  { because, live }: Found & { readonly is: "unknown" },
  bypass: Granted,
): Reviewed {
  const { request } = asked;
  const warnings = [bypassWarning(bypass) ?? "", warningText(`not judged: ${because}`)];
  const annotations = { rule: "none", data: "unknown", ...bypassAnnotations(bypass) };
  return {
    reply: textReply(renderAnswer(request, { warnings, annotations })),
    entry: { ...entryOf(request, "allow", "none"), because, ...bypassEntry(bypass, asked) },
    facts: factsOf(asked, { verdict: "allow", bypass: bypass.is, ...(live && { live }) }),
  };
}

/** Who has passed by the rules is in the log, escaped and cut. */
function bypassEntry({ reason, until }: Granted, { request }: Asked): object {
  return { bypass: reason, until, user: plain(request.user) };
}

function renderVerdict(asked: Asked, found: Judged, bypass: Bypass): Reviewed {
  const { request, names } = asked;
  const { verdict, lookups } = found;
  const warning = bypassWarning(bypass);
  const denied = verdict.causes.length > 0;
  const rule = rulesOf(verdict);
  const said = denied ? "deny" : "allow";
  const answer = {
    denial: denied ? denialOf(asked, verdict) : undefined,
    warnings: warning === undefined ? verdict.warnings : [warning, ...verdict.warnings],
    annotations: annotationsOf(found, rule, bypass),
  };
  return {
    reply: textReply(renderAnswer(request, answer)),
    entry: {
      ...entryOf(request, said, rule),
      ...clusterEntry(lookups, names),
      data: dataOf(found),
    },
    facts: factsOf(asked, {
      verdict: said,
      rule,
      wouldDeny: verdict.wouldDeny ?? noRules,
      bypass: bypass.is,
      live: found.live,
    }),
  };
}

function denialOf({ request, names }: Asked, verdict: Verdict): ReturnType<typeof denialStatus> {
  return denialStatus({
    kind: request.kind.kind,
    group: request.kind.group,
    ...(request.name === undefined ? {} : { name: request.name }),
    verdict,
    webhookName: names.webhook.entry,
  });
}

function cannotJudge(
  asked: Asked,
  { because, live }: Found & { readonly is: "unknown" },
): Reviewed {
  const { request } = asked;
  return {
    reply: faultReply({ code: 503, message: `cannot judge: ${because}`, uid: request.uid }),
    entry: { ...entryOf(request, "unknown"), because },
    facts: factsOf(asked, { verdict: "unknown", ...(live && { live }) }),
  };
}

function dataOf({ live }: Judged): string {
  if (live === undefined) return "known";
  return live.outcome === "overturned" ? "overturned" : "live";
}

/** For the audit log: which rule, by which EC in which version, and how old that knowledge was. */
function annotationsOf(
  found: Judged,
  rule: string,
  bypass: Bypass,
): Readonly<Record<string, string | undefined>> {
  const { after } = found.lookups;
  const age = found.live === undefined ? found.ageMs : 0;
  const known = {
    rule,
    ec: after.is === "found" ? clusterKey(after.cluster) : after.is,
    "ec-resource-version": after.is === "found" ? after.cluster.resourceVersion : undefined,
    data: dataOf(found),
    "data-age-seconds": age === undefined ? undefined : (age / 1_000).toFixed(1),
  };
  return bypass.is === "none" ? known : { ...known, ...bypassAnnotations(bypass) };
}

function bypassAnnotations(bypass: Bypass): Readonly<Record<string, string>> {
  switch (bypass.is) {
    case "none":
      return {};
    case "granted":
      return { bypass: bypass.reason, "bypass-until": bypass.until };
    case "ignored":
      return { "bypass-ignored": bypass.because };
  }
}

/** What every line says; names come from outside, so they are escaped and cut. */
function entryOf(
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
    operation: plain(operation),
    dryRun,
    verdict,
    rule,
  };
}

const operations = ["CREATE", "UPDATE", "DELETE", "CONNECT"];
const noRules: readonly string[] = [];

type Told = Pick<ReviewFacts, "verdict"> & Partial<ReviewFacts>;

/** Labels of a closed set each: what the review says is looked up, never taken over. */
export function factsOf(asked: Asked | undefined, told: Told): ReviewFacts {
  const { verdict, rule = "none", wouldDeny = noRules, bypass = "none", live } = told;
  const known = { verdict, rule, wouldDeny, bypass, live };
  if (asked === undefined) {
    return { kind: "other", operation: "other", version: "none", dryRun: false, ...known };
  }
  const { request, names } = asked;
  return {
    kind: knownKind(request.kind.kind, names),
    operation: operations.includes(request.operation) ? request.operation : "other",
    version: request.apiVersion.slice(request.apiVersion.indexOf("/") + 1),
    dryRun: request.dryRun,
    verdict,
    rule,
    wouldDeny,
    bypass,
    live,
  };
}

function knownKind(kind: string, { edb, eaadb, erc }: Names): string {
  return kind === edb.kind || kind === eaadb.kind || kind === erc.kind ? kind : "other";
}

function rulesOf({ causes }: Verdict): string {
  if (causes.length === 0) return "none";
  return [...new Set(causes.map(({ rule }) => rule))].sort().join(",");
}

function clusterEntry({ after }: Lookups, names: Names): Reviewed["entry"] {
  if (after.is !== "found") return { ec: after.is };
  const ec = plain(clusterKey(after.cluster));
  return isUnknownPolicy(after.cluster.policy, names) ? { ec, unknownPolicy: true } : { ec };
}
