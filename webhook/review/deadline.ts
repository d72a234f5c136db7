/** How long a review may take: what `?timeout=` leaves, so that the answer comes before the cut. */
import { setMaxListeners } from "node:events";
import { parseDuration } from "../../plugin/domain/duration";

/** The API server's own default, for calls without a `timeout`. */
const usual = 10_000;
/** The longest that a registration can ask for. */
const longest = 30_000;
/** The API server rounds the time left up to whole seconds. */
const margin = 1_000;

let last = { url: "?", ms: 0 };

/** The time for a call: an API server calls with the same path and the same time again and again. */
export function timeFor(url = ""): number {
  if (url !== last.url) last = { url, ms: budgetOf(url) };
  return last.ms;
}

/** In milliseconds: one second less than asked, a quarter of it where that is next to nothing. */
function budgetOf(url: string): number {
  const query = url.indexOf("?");
  const timeout = query < 0 ? null : new URLSearchParams(url.slice(query)).get("timeout");
  const asked = parseDuration(timeout ?? "") ?? usual;
  const most = Math.min(asked > 0 ? asked : usual, longest);
  return Math.max(most - margin, most / 4);
}

const widthMs = 100;
const shared = new Map<number, AbortSignal>();

/**
 * Aborts after so long, or up to 100 ms sooner where that is little: one signal for all whose time
 * ends at about the same moment, since a timer of its own costs a review more than its rules.
 */
export function abortAfter(ms: number): AbortSignal {
  if (ms < 10 * widthMs) return AbortSignal.timeout(Math.max(0, Math.ceil(ms)));
  const slot = Math.floor((performance.now() + ms) / widthMs);
  const known = shared.get(slot);
  if (known !== undefined) return known;
  const controller = new AbortController();
  setMaxListeners(0, controller.signal); // as many as share it
  const timer = setTimeout(
    () => {
      shared.delete(slot);
      controller.abort(new DOMException("the time is over", "TimeoutError"));
    },
    slot * widthMs - performance.now(),
  );
  timer.unref();
  shared.set(slot, controller.signal);
  return controller.signal;
}
