/** One review: bytes → request → verdict → answer, each a layer; nothing here throws. */
import { type Names, termOf } from "../plugin/domain/names";
import { type Bypass, judgeBypass } from "../plugin/domain/rules/bypass";
import { isExempt, judgeEdit, needsCluster } from "../plugin/domain/rules/order";
import type { Edit, RuleOptions } from "../plugin/domain/rules/types";
import { plain } from "../plugin/domain/rules/wording";
import { isObject } from "../plugin/domain/values";
import { type BigBodies, bigBody } from "./big-bodies";
import { ClustersUnreadable, TooManyLiveReads } from "./clusters";
import type { Deadline } from "./deadline";
import { parseReview, type ReviewRequest, UnreadableReview } from "./envelope";
import { isAbsent, isMissing, knownLookups, liveLookups, type Places } from "./find-clusters";
import { errorText } from "./log";
import {
  type Asked,
  type Found,
  type Outcome,
  renderFailure,
  renderOutcome,
  type Reviewed,
} from "./review-answer";

/** What a review is judged by. */
export interface ReviewContext extends Omit<Places, "names" | "namespace"> {
  readonly options: RuleOptions;
  /** The groups whose members may pass by the rules in an emergency; absent: nobody. */
  readonly bypassGroups?: readonly string[];
  /** The longest that a bypass may still last, in milliseconds; absent: a day. */
  readonly bypassMostMs?: number;
  /** Reads large reviews off the hot path; without it all are read on it. */
  readonly bigBodies?: Pick<BigBodies, "parse"> | undefined;
  /** The rules; others only in tests. */
  readonly judge?: typeof judgeEdit;
}

/**
 * Answers a review; whatever happens, as far as it can be told to the caller. At once when nothing
 * has to be waited for, as for nearly all: a promise for each costs more than the rules do.
 */
export function answerReview(
  body: Uint8Array,
  context: ReviewContext,
  deadline: Deadline,
): Reviewed | Promise<Reviewed> {
  const { names } = context.options;
  let asked: Asked | undefined;
  try {
    const request = readReview(body, context);
    if (request instanceof Promise) return answerLater(request, context, deadline);
    asked = { request, names };
    const outcome = judgeRequest(request, context, deadline);
    if (outcome instanceof Promise) return renderLater(asked, outcome);
    return renderOutcome(asked, outcome);
  } catch (error) {
    return renderFailure(error, asked);
  }
}

async function answerLater(
  reading: Promise<ReviewRequest>,
  context: ReviewContext,
  deadline: Deadline,
): Promise<Reviewed> {
  let asked: Asked | undefined;
  try {
    asked = { request: await reading, names: context.options.names };
    return renderOutcome(asked, await judgeRequest(asked.request, context, deadline));
  } catch (error) {
    return renderFailure(error, asked);
  }
}

async function renderLater(asked: Asked, outcome: Promise<Outcome>): Promise<Reviewed> {
  try {
    return renderOutcome(asked, await outcome);
  } catch (error) {
    return renderFailure(error, asked);
  }
}

/** The review in a body; a large one is read on a thread of its own, where there is one. */
export function readReview(
  body: Uint8Array,
  { bigBodies }: Pick<ReviewContext, "bigBodies">,
): ReviewRequest | Promise<ReviewRequest> {
  if (bigBodies === undefined || body.byteLength <= bigBody) return parseReview(body);
  return bigBodies.parse(body);
}

const spared = {
  notJudged: { is: "allow", why: "not judged" },
  beingDeleted: { is: "allow", why: "being deleted" },
  unchanged: { is: "allow", why: "unchanged" },
} as const;

/** The order of judging (admission facts 7): each step that can end it comes before what it spares. */
function judgeRequest(
  request: ReviewRequest,
  context: ReviewContext,
  deadline: Deadline,
): Outcome | Promise<Outcome> {
  const { names } = context.options;
  const kind = judgedKind(request, names);
  if (kind === undefined) return spared.notJudged;
  const edit = editOf(request, kind);
  if (isExempt(edit)) return spared.beingDeleted;
  if (!needsCluster(edit, names)) return spared.unchanged;
  const question = { edit, context, deadline, places: placesOf(request, context) };
  const bypass = bypassOf(request, context);
  if (bypass.is === "granted") return judgeOrFail(question, bypass);
  const known = judgeKnown(question);
  return known.is === "doubtful" ? judgeLive(question, known, bypass) : { ...known, bypass };
}

function placesOf(
  { namespace }: ReviewRequest,
  { clusters, operatorNamespace, absences, liveReads, options: { names } }: ReviewContext,
): Places {
  return { clusters, names, namespace, operatorNamespace, absences, liveReads };
}

const dayMs = 86_400_000;

function bypassOf(
  { object, groups }: ReviewRequest,
  { bypassGroups: allowed = [], bypassMostMs: mostMs = dayMs, options: { names } }: ReviewContext,
): Bypass {
  return judgeBypass({ object, groups, allowed, now: Date.now(), mostMs, names });
}

/** An edit to judge, by what, where and until when. */
interface Question {
  readonly edit: Edit;
  readonly context: ReviewContext;
  readonly deadline: Deadline;
  readonly places: Places;
}

/** In an emergency nothing may stand in the way: not even a rule that fails. */
async function judgeOrFail(
  question: Question,
  bypass: Bypass & { readonly is: "granted" },
): Promise<Outcome> {
  try {
    const known = judgeKnown(question);
    const found = known.is === "doubtful" ? await judgeLive(question, known, bypass) : known;
    return { is: "bypassed", bypass, judged: found };
  } catch (error) {
    const judged = { is: "unknown", because: plain(errorText(error)) } as const;
    return { is: "bypassed", bypass, judged };
  }
}

/** Databases alone, when they are made or changed; the rest passes, also when a registration sends it (C12). */
export function judgedKind(request: ReviewRequest, names: Names): Edit["kind"] | undefined {
  const { operation, subresource, resource } = request;
  const edited = operation === "CREATE" || operation === "UPDATE";
  if (!edited || subresource !== undefined || resource.group !== names.group) return undefined;
  if (resource.plural === names.edb.plural) return "edb";
  return resource.plural === names.eaadb.plural ? "eaadb" : undefined;
}

/** The change that a review of a judged kind asks for; throws UnreadableReview without its objects. */
export function editOf(
  { operation, object, oldObject, uid }: ReviewRequest,
  kind: Edit["kind"],
): Edit {
  if (!isObject(object)) throw new UnreadableReview("the review's request has no object", uid);
  if (operation === "CREATE") return { kind, before: undefined, after: object };
  if (!isObject(oldObject)) {
    throw new UnreadableReview("the review's request has no oldObject", uid);
  }
  return { kind, before: oldObject, after: object };
}

/** What is known does not do: a denial that rests on an EC, or an EC that is not known. */
interface Doubtful {
  readonly is: "doubtful";
  readonly denied: boolean;
}

function judgeKnown({ edit, context, places }: Question): Found | Doubtful {
  const { clusters, options, judge = judgeEdit } = context;
  if (!clusters.synced()) {
    const term = termOf(places.names.ec);
    return { is: "unknown", because: `the clusters (${term}) have not been read yet` };
  }
  const lookups = knownLookups(edit, places);
  const verdict = judge(edit, lookups, options);
  const denied = verdict.causes.length > 0 && verdict.dependsOnCluster;
  if (denied || (isMissing(lookups) && !isAbsent(lookups, places)))
    return { is: "doubtful", denied };
  return { is: "judged", verdict, lookups, ageMs: clusters.ageMs() };
}

/** What is doubtful is looked at as it is now (C14). */
async function judgeLive<B extends Bypass>(
  { edit, context, deadline, places }: Question,
  { denied }: Doubtful,
  bypass: B,
): Promise<Found & { readonly bypass: B }> {
  const { judge = judgeEdit, options } = context;
  const reason = denied ? "confirm" : "missing";
  try {
    const lookups = await liveLookups(edit, places, deadline.signal());
    const verdict = judge(edit, lookups, options);
    const [good, bad] = denied
      ? (["overturned", "confirmed"] as const)
      : (["found", "absent"] as const);
    const passes = denied ? verdict.causes.length === 0 : !isMissing(lookups);
    const live = { reason, outcome: passes ? good : bad } as const;
    return { is: "judged", verdict, lookups, live, bypass };
  } catch (error) {
    if (!(error instanceof ClustersUnreadable)) throw error;
    const outcome = error instanceof TooManyLiveReads ? "shed" : "unreadable";
    const live = { reason, outcome } as const;
    return { is: "unknown", because: plain(errorText(error)), live, bypass };
  }
}
