/** What passes by itself before an upgrade: volumes that are being expanded (Facts 7). */
import { nameFinding } from "../domain/base/awaited";
import type { Finding } from "../domain/base/findings";
import { clusterFindings } from "../domain/engine-cluster/findings";
import { makeGivenUpError, waitFor, type WaitPorts } from "../kernel/wait";

/** Whether it is waited for, and how long. */
interface Patience {
  readonly waits: boolean;
  readonly ms: number;
}

/**
 * Reads and judges until volumes are not being expanded any more, where that alone stands against the
 * upgrade. Everything else, and the expansion where it is not waited for, is left to the caller.
 */
export async function readAfterVolumeExpansion<T extends { readonly findings: readonly Finding[] }>(
  { clock, signal, recorder }: WaitPorts,
  { waits, ms }: Patience,
  read: () => Promise<T>,
): Promise<T> {
  return await waitFor<T>(
    { clock, signal, recorder },
    {
      look: async () => {
        const value = await read();
        const errors = value.findings.filter(({ severity }) => severity === "error");
        const [first] = errors;
        const passes = errors.every(({ code }) => code === clusterFindings.resizing.code);
        return waits && first !== undefined && passes
          ? { is: "moving", on: nameFinding(first) }
          : { is: "done", value };
      },
      beforeWrite: true,
      total: { ms, end: makeGivenUpError },
    },
  );
}
