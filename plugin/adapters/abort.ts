/**
 * The result of work that may last longer than its signal: an abort ends the wait for it, with the
 * signal's reason, and not the work. Its listener goes with the wait, as one signal serves a whole
 * run and Node warns of the eleventh listener.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort);
    const rest = (): void => {
      signal.removeEventListener("abort", abort);
    };
    work.then(resolve, reject).finally(rest);
  });
}
