/** A REST API that could not be read: what it answered is told, and what follows from that. */
import type { EngineError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { quorumLostSays } from "../../domain/engine-cluster/quorum";
import { recoveryFinding } from "../../domain/recovery/findings";
import { ClusterApiError } from "../../domain/rest-api/errors";
import { troubleFinding } from "../../domain/rest-api/troubles";
import type { RecoverySnapshot } from "./read";

/** Why the REST API tells nothing: what it answered, else that nobody asked it. */
export function explainUnread(failed: EngineError | undefined): Finding {
  if (failed === undefined) return recoveryFinding("apiUnread", {});
  const cause = `the cluster's REST API could not be read, and what runs is known only from the resources: ${failed.message}`;
  const { hint: fix } = failed;
  return recoveryFinding("apiUnread", { cause, ...(fix !== undefined && { fix }) });
}

/** A quorum that the REST API reports as lost, where the pods do not show it. */
export function findLostQuorum(
  failed: EngineError | undefined,
  { facts, ec, freeze }: RecoverySnapshot,
): readonly Finding[] {
  const { code } = troubleFinding("quorum", {});
  if (!(failed instanceof ClusterApiError) || failed.finding?.code !== code) return [];
  const found = quorumLostSays(ec, facts.names, failed.message);
  return freeze.causes.some(({ finding }) => finding.code === found.code) ? [] : [found];
}
