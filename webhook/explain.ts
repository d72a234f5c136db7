/** `POST /explain`: a review in, the rules tried and the nearest edit that would pass out. */
import type { Names } from "../plugin/domain/names";
import { explainEdit, type Explanation } from "../plugin/domain/rules/explain";
import type { Edit, Lookups } from "../plugin/domain/rules/types";
import { plain } from "../plugin/domain/rules/wording";
import { ClustersUnreadable } from "./clusters";
import type { Deadline } from "./deadline";
import { UnreadableReview } from "./envelope";
import { isMissing, knownLookups, liveLookups, type Places } from "./find-clusters";
import { errorText } from "./log";
import { type Fault, faultReply, jsonReply, type Reply } from "./reply";
import { editOf, judgedKind, readReview, type ReviewContext } from "./review";

type Data = "known" | "live" | "none";

/** The explanation of a review; never a verdict: nothing is counted, nothing comes into force. */
export async function explainReview(
  body: Uint8Array,
  context: ReviewContext,
  deadline: Deadline,
): Promise<Reply> {
  try {
    const request = await readReview(body, context);
    const { names } = context.options;
    const kind = judgedKind(request, names);
    const head = { uid: request.uid };
    if (kind === undefined) return jsonReply({ ...head, ...untouched });
    const edit = editOf(request, kind);
    const places = { ...context, namespace: request.namespace, names };
    return jsonReply({ ...head, ...(await explain(edit, places, deadline)) });
  } catch (error) {
    return faultReply(faultOf(error));
  }
}

const untouched = { allowed: true, spared: "not judged", rules: [], clusters: {}, data: "none" };

type Shown = Explanation & { readonly data: Data; readonly dataAgeSeconds?: number };

/** By what is known; a refusal and an EC that is not known are looked at as they are now (C14). */
async function explain(
  edit: Edit,
  places: Places & ReviewContext & { readonly names: Names },
  deadline: Deadline,
): Promise<Shown> {
  const { clusters, options } = places;
  const known: Lookups = knownLookups(edit, places);
  const explained = explainEdit(edit, known, options);
  if (explained.spared !== undefined) return { ...explained, data: "none" };
  if (!clusters.synced()) throw new ClustersUnreadable("the clusters have not been read yet");
  if (explained.allowed && !isMissing(known)) {
    return { ...explained, data: "known", dataAgeSeconds: (clusters.ageMs() ?? 0) / 1_000 };
  }
  const live = await liveLookups(edit, places, deadline.signal());
  return { ...explainEdit(edit, live, options), data: "live", dataAgeSeconds: 0 };
}

function faultOf(error: unknown): Fault {
  if (error instanceof UnreadableReview) return { code: 400, message: error.message };
  if (error instanceof ClustersUnreadable) {
    return { code: 503, message: `cannot judge: ${plain(errorText(error))}` };
  }
  return { code: 500, message: "a rule failed" };
}
