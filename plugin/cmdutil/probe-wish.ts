/** How a command that only looks probes the webhook, by its flags. */
import { mostPairs } from "../domain/admission/probe-plan";
import type { ProbeWish } from "../readers/webhook-probe";
import type { CommandContext } from "./context";
import { nameProbe } from "./run-ports";

/** No pair at all with --no-probe; in a rehearsal the answers are played. */
export function readProbeWish(
  context: CommandContext,
  { probe, probeAll }: { readonly probe: boolean; readonly probeAll: boolean },
): ProbeWish {
  const most = probeAll ? Infinity : mostPairs;
  return {
    name: nameProbe(context),
    most: probe ? most : 0,
    isPlayed: context.rehearsed === true,
  };
}
