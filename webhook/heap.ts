/** Keeps the process small: V8 would rather take memory than look for what is free. */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Both halves of the space for new objects: twice of it takes 12 MiB more, half of it a tenth more of a review. */
const mostYoung = 8 * 2 ** 20;
const lookMs = 100;

/** V8 would take 32 MiB for new objects. */
export function boundHeap(): void {
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    if ((young?.space_size ?? 0) < mostYoung) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    clearInterval(timer);
  }, lookMs);
  timer.unref();
}

let collect: ((options: { readonly type: "minor" }) => void) | undefined;

/**
 * Frees what is new and not used any more. A large body lies outside of the heap, where V8 lets 64 MiB
 * gather: collected after two MiB of them, the next ones get the same memory, and take a fifth less time.
 */
export function collectNew(): void {
  if (collect === undefined) {
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as typeof collect;
  }
  collect?.({ type: "minor" });
}
