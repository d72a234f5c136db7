/** One review: bytes → request → verdict → answer, each a layer; nothing here throws. */
import type { Names } from "../plugin/domain/names";
import { clusterKey } from "../plugin/domain/clusters";
import { denialStatus } from "../plugin/domain/rules/denial";
import { isExempt, judgeEdit, needsCluster } from "../plugin/domain/rules/order";
import type { Edit, Lookups, RuleOptions, Verdict } from "../plugin/domain/rules/types";
import { isUnknownPolicy } from "../plugin/domain/rules/upgrade-policy";
import { plain } from "../plugin/domain/rules/wording";
import { isObject } from "../plugin/domain/values";
import { type Clusters, ClustersUnreadable } from "./clusters";
import type { Deadline } from "./deadline";
import { parseReview, renderAnswer, type ReviewRequest, UnreadableReview } from "./envelope";
import { isMissing, knownLookups, liveLookups, type Places } from "./find-clusters";
import { errorText } from "./log";
import { faultReply, jsonReply, type Reply } from "./reply";

/** What a review is judged by. */
export interface ReviewContext {
  readonly clusters: Clusters;
  readonly operatorNamespace: string;
  readonly options: RuleOptions;
  /** The rules; others only in tests. */
  readonly judge?: typeof judgeEdit;
}

/** An answer, and what the log says of it: nothing of the object's content. */
export interface Reviewed {
  readonly reply: Reply;
  readonly entry: Readonly<Record<string, string | boolean>>;
  /** What a rule threw. */
  readonly crash?: unknown;
}

type Outcome =
  | { readonly is: "allow"; readonly why: string }
  | {
      readonly is: "judged";
      readonly verdict: Verdict;
      readonly lookups: Lookups;
      readonly data: "known" | "live" | "overturned";
    }
  | { readonly is: "unknown"; readonly because: string };

/** Answers a review; whatever happens, as far as it can be told to the caller. */
export async function answerReview(
  body: Uint8Array,
  context: ReviewContext,
  deadline: Deadline,
): Promise<Reviewed> {
  let request: ReviewRequest | undefined;
  try {
    request = parseReview(body);
    const outcome = await judgeRequest(request, context, deadline);
    return renderOutcome(request, outcome, context.options.names);
  } catch (error) {
    return renderFailure(error, request);
  }
}

/** The order of judging (admission facts 7): each step that can end it comes before what it spares. */
async function judgeRequest(
  request: ReviewRequest,
  context: ReviewContext,
  deadline: Deadline,
): Promise<Outcome> {
  const { names } = context.options;
  const kind = judgedKind(request, names);
  if (kind === undefined) return { is: "allow", why: "not judged" };
  const edit = editOf(request, kind);
  if (isExempt(edit)) return { is: "allow", why: "being deleted" };
  if (!needsCluster(edit, names)) return { is: "allow", why: "unchanged" };
  return judgeByClusters(edit, { ...context, namespace: request.namespace, names }, deadline);
}

/** Databases alone, when they are made or changed; the rest passes, also when a registration sends it (C12). */
function judgedKind(request: ReviewRequest, names: Names): Edit["kind"] | undefined {
  const { operation, subresource, resource } = request;
  const edited = operation === "CREATE" || operation === "UPDATE";
  if (!edited || subresource !== undefined || resource.group !== names.group) return undefined;
  return (["edb", "eaadb"] as const).find((kind) => names[kind].plural === resource.plural);
}

function editOf({ operation, object, oldObject, uid }: ReviewRequest, kind: Edit["kind"]): Edit {
  if (!isObject(object)) throw new UnreadableReview("the review's request has no object", uid);
  if (operation === "CREATE") return { kind, before: undefined, after: object };
  if (!isObject(oldObject)) {
    throw new UnreadableReview("the review's request has no oldObject", uid);
  }
  return { kind, before: oldObject, after: object };
}

async function judgeByClusters(
  edit: Edit,
  places: Places & ReviewContext,
  deadline: Deadline,
): Promise<Outcome> {
  if (!places.clusters.synced()) {
    return { is: "unknown", because: "the clusters (EC) have not been read yet" };
  }
  const judge = places.judge ?? judgeEdit;
  const known = knownLookups(edit, places);
  const verdict = judge(edit, known, places.options);
  const denied = verdict.causes.length > 0 && verdict.dependsOnCluster;
  if (!denied && !isMissing(known)) {
    return { is: "judged", verdict, lookups: known, data: "known" };
  }
  const lookups = await liveLookups(edit, places, deadline.signal());
  const confirmed = judge(edit, lookups, places.options);
  const data = denied && confirmed.causes.length === 0 ? "overturned" : "live";
  return { is: "judged", verdict: confirmed, lookups, data };
}

function renderOutcome(request: ReviewRequest, outcome: Outcome, names: Names): Reviewed {
  const entry = entryOf(request);
  if (outcome.is === "unknown") return cannotJudge(request, outcome.because);
  if (outcome.is === "allow") {
    return {
      reply: jsonReply(renderAnswer(request, { warnings: [] })),
      entry: { ...entry, verdict: "allow", rule: outcome.why },
    };
  }
  const { verdict, lookups, data } = outcome;
  const { causes, warnings } = verdict;
  const facts = { rule: rulesOf(verdict), ...clusterEntry(lookups, names), data };
  if (causes.length === 0) {
    return {
      reply: jsonReply(renderAnswer(request, { warnings })),
      entry: { ...entry, verdict: "allow", ...facts },
    };
  }
  const denial = denialStatus({
    kind: request.kind.kind,
    group: request.kind.group,
    ...(request.name === undefined ? {} : { name: request.name }),
    verdict,
    webhookName: names.webhook.entry,
  });
  return {
    reply: jsonReply(renderAnswer(request, { denial, warnings })),
    entry: { ...entry, verdict: "deny", ...facts },
  };
}

function cannotJudge(request: ReviewRequest, because: string): Reviewed {
  return {
    reply: faultReply({ code: 503, message: `cannot judge: ${because}`, uid: request.uid }),
    entry: { ...entryOf(request), verdict: "unknown", because },
  };
}

function renderFailure(error: unknown, request: ReviewRequest | undefined): Reviewed {
  if (error instanceof UnreadableReview) {
    const { message, uid } = error;
    const known = uid === undefined ? {} : { uid };
    return {
      reply: faultReply({ code: 400, message, ...known }),
      entry: { uid: plain(uid ?? ""), verdict: "unreadable", because: message },
    };
  }
  if (error instanceof ClustersUnreadable && request !== undefined) {
    return cannotJudge(request, plain(errorText(error)));
  }
  const uid = request === undefined ? {} : { uid: request.uid };
  return {
    reply: faultReply({ code: 500, message: "a rule failed, see the webhook's log", ...uid }),
    entry: { ...(request && entryOf(request)), verdict: "error" },
    crash: error,
  };
}

/** What every line says; names come from outside, so they are escaped and cut. */
function entryOf(request: ReviewRequest): Reviewed["entry"] {
  const { uid, kind, namespace, name = "", operation, dryRun } = request;
  return {
    uid: plain(uid),
    kind: plain(kind.kind),
    namespace: plain(namespace),
    name: plain(name),
    operation: plain(operation),
    dryRun,
  };
}

function rulesOf({ causes }: Verdict): string {
  return [...new Set(causes.map(({ rule }) => rule))].join(",") || "none";
}

function clusterEntry({ after }: Lookups, names: Names): Reviewed["entry"] {
  if (after.is !== "found") return { ec: after.is };
  const ec = plain(clusterKey(after.cluster));
  return isUnknownPolicy(after.cluster.policy, names) ? { ec, unknownPolicy: true } : { ec };
}
