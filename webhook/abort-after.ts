/** Signals that abort after a time: one for all whose time ends at about the same moment. */
import { setMaxListeners } from "node:events";

const widthMs = 100;
const shared = new Map<number, AbortSignal>();

/** Aborts after so long, or up to 100 ms sooner where that is little; a timer of its own costs a review more than its rules. */
export function abortAfter(ms: number): AbortSignal {
  if (ms < 10 * widthMs) return AbortSignal.timeout(Math.ceil(ms));
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
