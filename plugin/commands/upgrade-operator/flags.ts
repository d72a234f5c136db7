/** What `upgrade-operator` takes. */
import { namespace, text } from "../../domain/names/text";
import { type FlagsOf, groups, spec } from "../../cmdutil/spec";
import { advisoriesFlags, skipFlag } from "../../cmdutil/common-flags";
import { operatorFlags, judgeOperator } from "../../cmdutil/operator-flags";

/** Options of a chart: all that helm is told. */
export type ChartFlags = NonNullable<UpgradeOperatorFlags["chart"]>;

/** Options of `upgrade-operator`: a release or a chart. */
export type UpgradeOperatorFlags = FlagsOf<typeof upgradeOperator>;

/** `upgrade-operator`. */
export const upgradeOperator = spec({
  path: "upgrade-operator",
  kind: "UpgradeOperator",
  group: groups.upgrade,
  summary: "Upgrade the operator by its bundle or its chart, and wait until it is ready",
  description: `Upgrade the operator by the bundle of a release, or by its chart, and wait until it is 1/1 ready, up to date
and available.

A bundle: definitions first, never downgraded, then accounts, roles, bindings, Service and Deployment, each by
server-side apply. What kubectl applied of the old bundle is taken over; what someone changed since is a local
change: all of them are listed with both values before anything is written, and --take-fields decides. What
is changed is saved first. What no operator needs (wildcard permissions, bindings to everybody, other Deployments,
privileged pods) is refused unless --skip OPERATOR-BUNDLE-UNUSUAL=KIND/NAME accepts it. A chart: helm does it, with
the values given so far. An operator that a chart or OLM owns is not upgraded by a bundle. Running the command
again is safe: it continues from the state found.`,
  examples: {
    "Show what would be written": text`upgrade-operator -n ${namespace} --release ./release --dry-run=server`,
    "Upgrade by the bundle of a release archive": text`upgrade-operator -n ${namespace} --release ./release.tar.gz --target 8.0.2-2`,
    "Pull from your own registry":
      "upgrade-operator --release ./release --image-registry registry.example --pull-secret mirror",
    "Upgrade by the chart":
      "upgrade-operator --chart ./chart --release-name operator --version 8.0.2-2",
  },
  flags: { ...operatorFlags, ...skipFlag, ...advisoriesFlags },
  cluster: true,
  writes: true,
  place: "operator",
  settles: true,
  needsRelease: true,
  judge: judgeOperator,
});
