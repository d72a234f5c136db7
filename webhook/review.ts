/** One review: bytes → request → verdict → answer, each a layer; nothing here throws. */
import { type Names, termOf } from "../plugin/domain/names";
import { type Bypass, judgeBypass } from "../plugin/domain/rules/bypass";
import { isExempt, judgeEdit, needsCluster } from "../plugin/domain/rules/order";
import type { Edit, RuleOptions } from "../plugin/domain/rules/types";
import { plain } from "../plugin/domain/rules/wording";
import { isObject } from "../plugin/domain/values";
import { type BigBodies, bigBody } from "./big-bodies";
import { type Clusters, ClustersUnreadable } from "./clusters";
import type { Deadline } from "./deadline";
import { parseReview, type ReviewRequest, UnreadableReview } from "./envelope";
import { isMissing, knownLookups, liveLookups, type Places } from "./find-clusters";
import { errorText } from "./log";
import {
  type Found,
  type Outcome,
  renderFailure,
  renderOutcome,
  type Reviewed,
} from "./review-answer";

/** What a review is judged by. */
export interface ReviewContext {
  readonly clusters: Clusters;
  readonly operatorNamespace: string;
  readonly options: RuleOptions;
  /** The groups whose members may pass by the rules in an emergency; absent: nobody. */
  readonly bypassGroups?: readonly string[];
  /** Reads large reviews off the hot path; without it all are read on it. */
  readonly bigBodies?: Pick<BigBodies, "parse"> | undefined;
  /** The rules; others only in tests. */
  readonly judge?: typeof judgeEdit;
}

/** Answers a review; whatever happens, as far as it can be told to the caller. */
export async function answerReview(
  body: Uint8Array,
  context: ReviewContext,
  deadline: Deadline,
): Promise<Reviewed> {
  let request: ReviewRequest | undefined;
  try {
    request = await readReview(body, context);
    const outcome = await judgeRequest(request, context, deadline);
    return renderOutcome({ request, names: context.options.names }, outcome);
  } catch (error) {
    return renderFailure(error, request && { request, names: context.options.names });
  }
}

function readReview(
  body: Uint8Array,
  { bigBodies }: ReviewContext,
): ReviewRequest | Promise<ReviewRequest> {
  if (bigBodies === undefined || body.byteLength <= bigBody) return parseReview(body);
  return bigBodies.parse(body);
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
  const places = { ...context, namespace: request.namespace, names };
  const bypass = bypassOf(request, context);
  if (bypass.is !== "granted") {
    return { ...(await judgeByClusters(edit, places, deadline)), bypass };
  }
  return { is: "bypassed", bypass, judged: await judgeOrFail(edit, places, deadline) };
}

function bypassOf(
  { object, groups }: ReviewRequest,
  { bypassGroups: allowed = [], options: { names } }: ReviewContext,
): Bypass {
  return judgeBypass({ object, groups, allowed, now: Date.now(), names });
}

/** In an emergency nothing may stand in the way: not even a rule that fails. */
async function judgeOrFail(
  edit: Edit,
  places: Places & ReviewContext,
  deadline: Deadline,
): Promise<Found> {
  try {
    return await judgeByClusters(edit, places, deadline);
  } catch (error) {
    return { is: "unknown", because: plain(errorText(error)) };
  }
}

/** Databases alone, when they are made or changed; the rest passes, also when a registration sends it (C12). */
export function judgedKind(request: ReviewRequest, names: Names): Edit["kind"] | undefined {
  const { operation, subresource, resource } = request;
  const edited = operation === "CREATE" || operation === "UPDATE";
  if (!edited || subresource !== undefined || resource.group !== names.group) return undefined;
  return (["edb", "eaadb"] as const).find((kind) => names[kind].plural === resource.plural);
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

async function judgeByClusters(
  edit: Edit,
  places: Places & ReviewContext,
  deadline: Deadline,
): Promise<Found> {
  if (!places.clusters.synced()) {
    const term = termOf(places.names.ec);
    return { is: "unknown", because: `the clusters (${term}) have not been read yet` };
  }
  const judge = places.judge ?? judgeEdit;
  const known = knownLookups(edit, places);
  const verdict = judge(edit, known, places.options);
  const denied = verdict.causes.length > 0 && verdict.dependsOnCluster;
  if (!denied && !isMissing(known)) {
    return { is: "judged", verdict, lookups: known, ageMs: places.clusters.ageMs() };
  }
  return judgeLive(edit, { ...places, judge, denied }, deadline);
}

/** A denial that rests on an EC, and an EC that is not known, are looked at as they are now (C14). */
async function judgeLive(
  edit: Edit,
  places: Places & ReviewContext & { readonly judge: typeof judgeEdit; readonly denied: boolean },
  deadline: Deadline,
): Promise<Found> {
  const reason = places.denied ? "confirm" : "missing";
  try {
    const lookups = await liveLookups(edit, places, deadline.signal());
    const verdict = places.judge(edit, lookups, places.options);
    const [good, bad] = places.denied
      ? (["overturned", "confirmed"] as const)
      : (["found", "absent"] as const);
    const passes = places.denied ? verdict.causes.length === 0 : !isMissing(lookups);
    return { is: "judged", verdict, lookups, live: { reason, outcome: passes ? good : bad } };
  } catch (error) {
    if (!(error instanceof ClustersUnreadable)) throw error;
    const live = { reason, outcome: "unreadable" } as const;
    return { is: "unknown", because: plain(errorText(error)), live };
  }
}
