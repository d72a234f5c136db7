/** The clock of the machine. */
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../ports/kubernetes";

/** Real time; a sleep ends early, with the signal's own reason, when the signal is aborted. */
export const systemClock: Clock = {
  now: () => Date.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    try {
      await delay(ms, undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : error;
    }
  },
};
