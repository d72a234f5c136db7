/** `recover`, as data. */
import type { RecoverFlags } from "../commands/recover-flags";
import { defaultStallAfterMs } from "../domain/rollout/stateful-set";
import { compareEngineVersions, parseEngineVersion } from "../domain/versions";
import { apiFlags, readApi } from "./api-flags";
import type { CommandEntry } from "./entry";
import { groups, prepare } from "./entry";
import type { FlagReader } from "./values";

/** `recover`. */
export const recover: CommandEntry = {
  path: "recover",
  kind: "Recover",
  group: groups.look,
  summary: "Find why an upgrade is frozen, show the documented recovery, or do it",
  description: `Find why the upgrade of a cluster (EC) is frozen, and show the documented recovery filled in with the real
names; with --apply do it.

The causes come from data: versions and modules of the databases, license, image digests, states and pods; the
operator's log and events are shown beside. With --api-ca (or --api-insecure) the cluster's REST API is asked
for what really runs. Exit code 0 says that nothing is frozen, 3 that something is.

With --apply modules are installed and versions posted over the REST API, one action at a time; then the run
waits until the EC is Running, brings the databases' resources in line with what runs, and sees that the
operator acts on them. It asks before the first change. Running it again goes on from the state found.`,
  examples: [
    { does: "See why it does not go on", line: "recover -n engine --api-ca ca.pem" },
    {
      does: "Upgrade the databases that are too old, and bring them in line",
      line: "recover -n engine --apply --engine-version 7.2 --api-ca ca.pem",
    },
    {
      does: "Install the module that is missing",
      line: "recover -n engine --apply --module module.zip --api-ca ca.pem",
    },
    { does: "Remove image digests", line: "recover -n engine --apply --drop-digests" },
  ],
  flags: [
    {
      name: "ec",
      value: "NAME",
      kinds: ["ec"],
      help: "Name of the EC; else the only one of the namespace",
    },
    { name: "apply", help: "Take the causes away, instead of showing how" },
    {
      name: "engine-version",
      value: "VERSION",
      help: "Version for the databases that are too old for the upgrade",
    },
    {
      name: "module",
      value: "FILE",
      repeat: true,
      file: true,
      help: "Archive of a module that databases lack; may be repeated",
    },
    {
      name: "drop-digests",
      help: "Remove the digests that keep an automatic upgrade from going on",
    },
    {
      name: "stall-after",
      value: "DURATION",
      fallback: "10m",
      help: "Time without progress after which a wait is given up",
    },
    ...apiFlags,
  ],
  cluster: true,
  place: "operator",
  settles: true,
  reads: (read) => !read.on("apply"),
  prepare: prepare<RecoverFlags>(judge, async () => {
    const { runRecover, recoverText } = await import("../commands/recover.ts");
    return { run: runRecover, text: recoverText };
  }),
};

const lowest = { major: 7, minor: 2 };

function judge(read: FlagReader): RecoverFlags {
  const ec = read.text("ec");
  const engineVersion = read.text("engine-version");
  const version = parseEngineVersion(engineVersion);
  if (engineVersion !== undefined && version === undefined) {
    read.problems.push(
      `--engine-version: ${JSON.stringify(engineVersion)} is not a version such as 7.2`,
    );
  }
  if (version !== undefined && compareEngineVersions(version, lowest) < 0) {
    read.problems.push("--engine-version: before 7.2 the upgrade would stay frozen");
  }
  return {
    ...(ec !== undefined && { ec }),
    ...(engineVersion !== undefined && { engineVersion }),
    apply: read.on("apply"),
    modules: read.each("module"),
    dropDigests: read.on("drop-digests"),
    stallAfterMs: read.duration("stall-after", defaultStallAfterMs),
    api: readApi(read),
    limited: read.given("timeout"),
  };
}
