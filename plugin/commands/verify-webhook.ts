/** The webhook that an installer brings: proven after the operator's upgrade, never written. */
import { exitCodes } from "../domain/errors";
import type { Report } from "../run/report";
import { readSnapshot } from "../run/snapshot";
import { probedFacts, probeWebhook } from "../run/status-probe";
import type { CommandContext } from "./context";
import { probeNameOf, runPorts } from "./run-ports";

/** Exit 7 where it was seen not to work; a cause that is not the webhook's leaves it unproven. */
export async function verifyWebhook(context: CommandContext): Promise<Report> {
  const ports = await runPorts(context, "UpgradeWebhook");
  const { recorder, cluster } = ports;
  const facts = await readSnapshot(ports, cluster.namespace, probedFacts);
  const probe = { name: probeNameOf(context), phase: "found" };
  const outcome = await probeWebhook(ports, facts, probe);
  if (outcome.is === "proven") return recorder.success("it was seen refusing a bad edit");
  if (outcome.is === "open") return recorder.success(`unproven: ${outcome.because}`);
  return recorder.report({
    code: exitCodes.rolledBack,
    reason: `the proof failed: ${outcome.because}; this run wrote nothing of it`,
    next: "see why in the log of the pod behind the webhook's Service, fix it, then run again",
  });
}
