/** The way past the rules in an emergency: an annotation with a reason and an end, for some groups. */
import type { Names } from "../names/names";
import { getPath, getOwn, asString } from "../base/values";
import { plain, renderWarning } from "./wording";

/** What is asked. */
interface BypassQuestion {
  /** The object as it would be stored. */
  readonly object: unknown;
  /** The caller's groups, as the API server names them. */
  readonly groups: readonly string[];
  /** The groups that may bypass; none: nobody may. */
  readonly allowed: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The longest that a bypass may still last, in milliseconds. */
  readonly mostMs: number;
  readonly names: Names;
}

/** Whether the rules may be passed by. */
export type Bypass =
  | { readonly is: "none" }
  | { readonly is: "granted"; readonly reason: string; readonly until: string }
  | { readonly is: "ignored"; readonly because: string };

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

/** Grants the bypass to members of a group that may, until its end; says why it does not count. */
export function judgeBypass(question: BypassQuestion): Bypass {
  const { object, names, groups, allowed } = question;
  const { bypass, bypassUntil } = names.annotations;
  const annotations = getPath(object, ["metadata", "annotations"]);
  const given = getOwn(annotations, bypass);
  if (given === undefined) return { is: "none" };
  const reason = asString(typeof given === "string" ? given.trim() : given);
  if (reason === undefined) return { is: "ignored", because: "it gives no reason" };
  const until = asString(getOwn(annotations, bypassUntil)) ?? "";
  const end = dateTime.test(until) ? Date.parse(until) : NaN;
  if (Number.isNaN(end)) {
    return { is: "ignored", because: `${bypassUntil} is not a time such as 2030-01-31T12:00:00Z` };
  }
  if (end <= question.now) return { is: "ignored", because: `it ended at ${until}` };
  if (end - question.now > question.mostMs) {
    return { is: "ignored", because: `it ends more than ${renderSpan(question.mostMs)} from now` };
  }
  if (!groups.some((group) => allowed.includes(group))) {
    return { is: "ignored", because: "you are in no group that may bypass" };
  }
  return { is: "granted", reason: plain(reason, 64), until };
}

function renderSpan(ms: number): string {
  const minutes = ms / 60_000;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${minutes} min`;
}

/** The warning that a bypass always brings; undefined where there is none. */
export function bypassWarning(bypass: Bypass): string | undefined {
  switch (bypass.is) {
    case "none":
      return undefined;
    case "granted":
      return renderWarning(`admission rules are bypassed until ${bypass.until}: ${bypass.reason}`);
    case "ignored":
      return renderWarning(`the admission bypass does not count: ${bypass.because}`);
  }
}
