/** The components of a status, one line of words each: what the screen lists and a watch tells. */
import { termOf, type Names } from "../names";
import type { ClusterStatus } from "./clusters";
import type { OperatorStatus } from "./operator";
import type { Status } from "./status";
import type { Verdict } from "./verdict";

/** One component in words. */
export interface Summary {
  readonly title: string;
  readonly is: Verdict["is"];
  /** What is so, whatever is thought of it; "" for nothing. */
  readonly facts: string;
  /** What is thought of it, as far as the facts do not say it. */
  readonly says: string;
  readonly fix?: string;
}

/** Every component, in the order of the procedure (S9). */
export function summarise(status: Status, names: Names): readonly Summary[] {
  const { clusters, operator, webhook } = status;
  const ec = termOf(names.ec);
  const ofClusters =
    clusters.items.length === 0
      ? [summaryOf(ec, clusters.verdict)]
      : clusters.items.map((item) =>
          summaryOf(`${ec} ${item.name}`, item.verdict, factsOfCluster(item)),
        );
  return [
    summaryOf("Operator", operator.verdict, factsOfOperator(operator)),
    ...ofClusters,
    summaryOf(termOf(names.edb), status.databases.verdict),
    summaryOf(termOf(names.eaadb), status.activeActive.verdict),
    summaryOf("Webhook", webhook.verdict, factsOfWebhook(status)),
    summaryOf("RBAC", status.rbac.verdict),
  ];
}

/** Facts say all of what is fine. */
function summaryOf(title: string, verdict: Verdict, facts = ""): Summary {
  switch (verdict.is) {
    case "fine":
    case "absent":
      return { title, is: verdict.is, facts, says: facts === "" ? verdict.says : "" };
    case "moving":
      return { title, is: "moving", facts, says: verdict.on };
    case "unknown":
      return { title, is: "unknown", facts, says: verdict.because };
    case "stalled": {
      const { object, because, fix } = verdict;
      const says = object === undefined ? because : `${object}: ${because}`;
      return { title, is: "stalled", facts, says, fix };
    }
  }
}

function factsOfOperator({ version, chart, pods }: OperatorStatus): string {
  if (pods === undefined) return "";
  const { ready, wanted, upToDate, available } = pods;
  const counts = `${ready}/${wanted} ready, ${upToDate} up to date, ${available} available`;
  return [
    version ?? "version not told by its image",
    ...(chart?.version === undefined ? [] : [`chart ${chart.version}`]),
    counts,
  ].join(", ");
}

function factsOfCluster({ version, running, state, rollout, licenseDays }: ClusterStatus): string {
  return [
    `wants ${version}`,
    running.length === 0 ? "no pod runs" : `runs ${running.join(" and ")}`,
    `state ${state}`,
    ...(rollout === undefined ? [] : [`${rollout.done}/${rollout.of} pods new and ready`]),
    ...(licenseDays === undefined ? [] : [`license ${licenseDays} days left`]),
  ].join(", ");
}

function factsOfWebhook({ webhook }: Status): string {
  const { probe } = webhook;
  const said = "says" in webhook.verdict ? [webhook.verdict.says] : [];
  return [...said, ...(probe?.proven === true ? [`probe: ${probe.says}`] : [])].join("; ");
}
