/** Keeps the process small: V8 would rather take memory than look for what is free. */
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/** Both halves of the space for new objects: twice of it takes 12 MiB more, half of it a tenth more of a review. */
const mostYoung = 8 * 2 ** 20;
const lookMs = 100;

/**
 * Once much is allocated, old objects are collected when a fifth more are there, where V8 would wait for
 * twice as many, and new ones get no more space, where it would take 32 MiB. Not before: what a process
 * compiled under other flags is not taken by the next one.
 */
export function boundHeap(): void {
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    if ((young?.space_size ?? 0) < mostYoung) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    setFlagsFromString("--heap-growing-percent=20");
    // several threads that copy new objects each leave half-filled pages behind: a tenth of the memory
    setFlagsFromString("--no-parallel-scavenge");
    clearInterval(timer);
  }, lookMs);
  timer.unref();
}
