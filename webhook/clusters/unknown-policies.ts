/** Upgrade policies that the rules do not know: each is counted and logged once for its EC and value (C20). */
import { clusterKey } from "../../plugin/domain/rules/clusters";
import { fieldText } from "../../plugin/domain/rules/fields";
import type { ClusterFacts } from "../../plugin/domain/rules/types";
import { isUnknownPolicy } from "../../plugin/domain/rules/upgrade-policy";
import { plain, quote, show } from "../../plugin/domain/rules/wording";
import type { SourceContext } from "./clusters";

/** Holds as many short texts as there are ECs with such a policy. */
export class UnknownPolicies {
  /** The values that were logged, by their ECs. */
  private values = new Map<string, string>();

  constructor(private readonly context: SourceContext) {}

  /** Looks at a complete list, and forgets the ECs that are not in it. */
  lookAtAll(clusters: Iterable<ClusterFacts>): void {
    const before = this.values;
    this.values = new Map();
    for (const cluster of clusters) this.compare(cluster, before);
  }

  lookAt(cluster: ClusterFacts): void {
    this.compare(cluster, this.values);
  }

  forget(cluster: ClusterFacts): void {
    this.values.delete(clusterKey(cluster));
  }

  private compare(cluster: ClusterFacts, before: ReadonlyMap<string, string>): void {
    const { names } = this.context;
    if (!isUnknownPolicy(cluster.policy, names)) {
      this.forget(cluster);
      return;
    }
    const key = clusterKey(cluster);
    const value = show(cluster.policy);
    if (before.get(key) !== value) this.report(key, value);
    this.values.set(key, value);
  }

  private report(key: string, value: string): void {
    const { names, log, onUnknownPolicy } = this.context;
    const major = quote(names.majorChannel);
    onUnknownPolicy?.();
    log.warn(
      {
        ec: plain(key),
        field: fieldText(names.fields.engineUpgradePolicy),
        value,
        judgedAs: `not ${major}: minor releases pass`,
        fix: `set ${major} or ${quote(names.latestChannel)}`,
      },
      "unknown upgrade policy",
    );
  }
}
