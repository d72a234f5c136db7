/** Nodes of an EC that are down or in maintenance: an upgrade of a database begins with all of them (domain facts 9). */
import type { Finding } from "../base/findings";
import { boundList } from "../base/values";
import type { Found } from "../diagnosis/symptom";
import type { Names } from "../names/names";
import type { ApiNode } from "../rest-api/records";
import type { ClusterFacts } from "../rules/types";
import { quote } from "../rules/wording";
import { databaseFinding } from "./findings";

/** One finding for all of them; a node that does not report its state is not judged. */
export function judgeNodes(
  nodes: readonly ApiNode[] | undefined,
  { namespace, name }: Pick<ClusterFacts, "namespace" | "name">,
  { ec }: Names,
): readonly Found[] {
  const away = (nodes ?? []).flatMap((node) => {
    const why = describeAbsence(node);
    return why === undefined ? [] : [`node ${node.uid ?? "without a uid"} ${why}`];
  });
  if (away.length === 0) return [];
  return [{ object: `${ec.kind}/${namespace}/${name}`, cause: boundList(away) }];
}

/** Nodes that the REST API does not report, or not to this account: an upgrade goes on, and that is told. */
export function judgeUnread(
  object: string,
  nodes: readonly ApiNode[] | undefined,
  names: Names,
): readonly Finding[] {
  if (nodes !== undefined) return [];
  const cause = "not checked: the REST API does not report its nodes to this account";
  const fix = `check with GET ${names.restPaths.nodes}, as an account that may read it, that every node is active and takes shards`;
  return [databaseFinding("nodeAway", { severity: "warning", object, cause, fix }, names)];
}

function describeAbsence({ status, acceptsServers }: ApiNode): string | undefined {
  if (status !== undefined && status.toLowerCase() !== "active") {
    return `is not active: its state is ${quote(status)}`;
  }
  return acceptsServers === false ? "is in maintenance: it takes no shards" : undefined;
}
