/** What `recover` takes. */
import { namespace, ec, text } from "../../domain/names/text";
import { compareEngineVersions, parseEngineVersion } from "../../domain/base/versions";
import type { FlagReader } from "../../cmdutil/flags";
import { type FlagsOf, groups, spec } from "../../cmdutil/spec";
import {
  apiFlags,
  mayDiscardFlag,
  stallFlag,
  takeFlag,
  withApi,
  withLimit,
} from "../../cmdutil/common-flags";

/** Options of `recover`. */
export type RecoverFlags = FlagsOf<typeof recover>;

/** `recover`. */
export const recover = spec({
  path: "recover",
  kind: "Recover",
  group: groups.look,
  summary: "Find why an upgrade is frozen, show the documented recovery, or do it",
  description: text`Find why the upgrade of a cluster (${ec}) is frozen, and show the documented recovery filled in with the real
names; with --apply do it.

The causes come from the data: versions and modules of the databases, license, image digests, states and pods; the
operator's log and events are shown as well. With --api-ca (or --api-insecure) the cluster's REST API is asked
for what really runs. Exit code 0 says that nothing is frozen, 3 that something is.

With --apply what is proven safe is done: a pod of an earlier revision that is not ready is deleted where every other pod is
ready, what holds the roll (a partition, the strategy OnDelete) is removed where every pod is well, versions are
posted over the REST API, one action at a time. Each is proven again right before it is written. Then the run waits until the ${ec} is
Running, sets the databases' resources to what runs, and checks that the operator acts on them. It asks before the
first change. A database that is neither replicated nor persistent would lose its data: it ends the run before
anything is changed, unless --may-discard-data accepts the loss. Running it again continues from the state found. A
module that is missing is installed first, by the line of "modules install" that is printed: until then the run ends
with 3, and run again after it, it continues.`,
  examples: {
    "See why it makes no progress": text`recover -n ${namespace} --api-ca ca.pem`,
    "Upgrade the databases that are too old, and bring them in line": text`recover -n ${namespace} --apply --engine-version 7.2 --api-ca ca.pem`,
    "Remove image digests": text`recover -n ${namespace} --apply --drop-digests`,
  },
  flags: {
    ec: {
      value: "NAME",
      kinds: ["ec"],
      help: text`Name of the ${ec}; else the only one of the namespace`,
    },
    apply: { help: "Remove the causes instead of showing how" },
    "engine-version": {
      value: "VERSION",
      offers: "version",
      read: readVersion,
      help: "Version for the databases that are too old for the upgrade",
    },
    "drop-digests": {
      help: "Remove the digests that block an automatic upgrade",
    },
    ...mayDiscardFlag,
    ...takeFlag("Fields to take from their present manager, separated by commas"),
    ...stallFlag("Time without progress after which a wait is given up"),
    ...apiFlags,
  },
  cluster: true,
  writes: true,
  place: "operator",
  settles: true,
  reads: (read) => !read.on("apply"),
  shows: (read) => read.on("apply"),
  judge: (options, read) => withLimit(withApi(options, read), read),
});

const lowest = { major: 7, minor: 2 };

function readVersion(read: FlagReader, name: string): string | undefined {
  const typed = read.text(name);
  const version = parseEngineVersion(typed);
  if (typed !== undefined && version === undefined) {
    read.problems.push(`--${name}: ${JSON.stringify(typed)} is not a version such as 7.2`);
  }
  if (version !== undefined && compareEngineVersions(version, lowest) < 0) {
    read.problems.push(`--${name}: before 7.2 the upgrade would stay frozen`);
  }
  return typed;
}
