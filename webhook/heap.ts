/** Keeps the garbage of reviews from growing the process: what is made for one is dead after it. */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Both halves of the space for new objects: half of it costs a review a tenth more, twice of it a fortieth less. */
const mostYoung = 16 * 2 ** 20;
const lookMs = 100;

/** V8 would take ten times what the process needs before it collects, and 32 MiB for new objects. */
export function boundHeap(): void {
  // collecting begins, beside the work, when so many percent of the way to V8's own limit are used up
  setFlagsFromString("--incremental-marking-soft-trigger=35");
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    if ((young?.space_size ?? 0) < mostYoung) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    clearInterval(timer);
  }, lookMs);
  timer.unref();
}
