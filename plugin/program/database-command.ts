/** `upgrade-database`, as data. */
import type { FlagSpec } from "../commands/standard-flags";
import type { UpgradeDatabaseFlags } from "../commands/upgrade-database";
import type { Skip } from "../domain/checks/selection";
import { acceptable } from "../domain/databases/codes";
import { defaultStallAfterMs } from "../domain/rollout/stateful-set";
import { apiFlags, readApi } from "./api-flags";
import type { CommandEntry } from "./entry";
import { groups, prepare } from "./entry";
import { readSkips, skipFlag } from "./skip-flag";
import type { FlagReader } from "./values";

const ways = ["resource", "api"] as const;

/** The fields of the REST API's request, each as a flag (S80-S89). */
const requestFlags: readonly FlagSpec[] = [
  {
    name: "force-restart",
    help: "API: restart shards even if the version does not change; without --engine-version it is kept",
  },
  {
    name: "parallel-shards",
    value: "N",
    help: "API: upgrade so many shards at once; absent: all of them",
  },
  { name: "preserve-roles", help: "API: keep the roles of shards, by one failover more" },
  { name: "keep-crdt-protocol-version", help: "API: keep the protocol of active-active databases" },
  {
    name: "may-discard-data",
    help: "API: allow the loss of data that is neither replicated nor persistent",
  },
  { name: "force-discard", help: "API: lose the data even if it is replicated or persistent" },
  {
    name: "modules",
    value: "LIST",
    file: true,
    help: "API: modules to upgrade, as a JSON list or a file with one; - for stdin",
  },
  {
    name: "keep-engine-version",
    help: "API: deprecated, give the present version with --engine-version",
  },
  {
    name: "latest-with-modules",
    help: "API: deprecated, use --engine-version latest",
  },
];

/** `upgrade-database`. */
export const upgradeDatabase: CommandEntry = {
  path: "upgrade-database",
  kind: "UpgradeDatabase",
  group: groups.upgrade,
  summary: "Upgrade databases (EDB, EAADB) to an engine version, and follow each to its end",
  description: `Upgrade databases (EDB, EAADB) to an engine version, and follow each of them to its end.

All are judged first, by the rules of the admission webhook too: what stands against one ends the run before
anything is written. By resource, one patch writes the engine version and nothing else; the module list stays
as it is. An active-active database is written here alone, and followed on every cluster given with
--participant; a cluster that is not given has to be accepted with --skip, and without an instance that was
seen the run ends as not proven. By the REST API, the call is sent once, its action is followed, and the
resource is brought in line. A database is done when version, state, spec status, generation and action agree.
Flags that may lose data need the name of each database, typed or with --confirm. Running the command again is
safe: databases that are there are not written, and those that failed go on.`,
  examples: [
    {
      does: "Show what would be written",
      line: "upgrade-database orders -n engine --engine-version 8.0 --dry-run=server",
    },
    {
      does: "Upgrade all databases, one first, twenty at once, until three fail",
      line: "upgrade-database --all -A --engine-version 8.0 --canary shop/orders --concurrency 20 --max-failures 3",
    },
    {
      does: "An active-active database, followed on the other cluster too",
      line: "upgrade-database carts --engine-version 8.0 --participant west/engine",
    },
    {
      does: "By the REST API, two shards at once",
      line: "upgrade-database orders --engine-version 8.0 --via api --parallel-shards 2 --api-ca ca.pem",
    },
  ],
  argument: {
    name: "NAME",
    help: "Name of a database, or NAMESPACE/NAME; its kind may stand before it, as edb/NAME",
    kinds: ["edb", "eaadb"],
    optional: true,
    repeat: true,
  },
  flags: [
    { name: "all", help: "All databases of the operator's namespace; with -A of every one" },
    {
      name: "selector",
      short: "l",
      value: "SELECTOR",
      help: "Label selector of the databases to upgrade",
    },
    {
      name: "all-namespaces",
      short: "A",
      help: "Databases of every namespace that belong to ECs of this operator",
    },
    {
      name: "engine-version",
      value: "VERSION",
      help: "Version to upgrade to, the channel major, or latest: the newest of the EC, or the server's choice by API",
    },
    {
      name: "via",
      value: "WAY",
      choices: ways,
      fallback: "resource",
      help: "Write the resource, or call the REST API",
    },
    ...requestFlags,
    {
      name: "confirm",
      value: "NAME",
      kinds: ["edb", "eaadb"],
      repeat: true,
      help: "Database whose data may be lost, instead of typing its name",
    },
    {
      name: "participant",
      value: "CONTEXT[/NAMESPACE]",
      repeat: true,
      help: "Other cluster that takes part in active-active databases; it is only read",
    },
    {
      name: "canary",
      value: "NAME",
      kinds: ["edb", "eaadb"],
      help: "Upgrade this one first, and stop when it fails",
    },
    { name: "max-failures", value: "N", help: "Begin no more when so many have failed" },
    {
      name: "take-fields",
      value: "FIELDS",
      repeat: true,
      help: "Fields to take from their present manager, separated by commas",
    },
    skipFlag,
    {
      name: "stall-after",
      value: "DURATION",
      fallback: "10m",
      help: "Time without progress after which a database counts as stalled",
    },
    ...apiFlags,
  ],
  cluster: true,
  place: "operator",
  settles: true,
  repeatsWith: "force-restart",
  prepare: prepare<UpgradeDatabaseFlags>(judgeDatabaseFlags, async () => {
    const { runUpgradeDatabase, databaseText } = await import("../commands/upgrade-database.ts");
    return { run: runUpgradeDatabase, text: databaseText };
  }),
};

/** The flags, judged. */
export function judgeDatabaseFlags(read: FlagReader): UpgradeDatabaseFlags {
  const via = read.choice("via", ways, "resource");
  const ofApi = [...requestFlags, ...apiFlags].map(({ name }) => name);
  for (const name of via === "api" ? [] : [...ofApi, "confirm"].filter((one) => read.given(one))) {
    read.missing.push(`--${name}: goes with --via api`);
  }
  const selector = read.text("selector");
  const version = read.text("engine-version");
  const canary = read.text("canary");
  const modules = read.text("modules");
  return {
    all: read.on("all"),
    everywhere: read.on("all-namespaces"),
    ...(selector !== undefined && { selector }),
    ...(version !== undefined && { version }),
    via,
    request: judgeRequest(read),
    ...(modules !== undefined && { modules }),
    confirmed: read.list("confirm"),
    participants: read.each("participant"),
    ...(canary !== undefined && { canary }),
    ...(read.given("max-failures") && {
      maxFailures: read.count("max-failures", { min: 1, max: 1_000_000, fallback: 1 }),
    }),
    takeFields: read.list("take-fields"),
    skip: judgeSkip(read),
    stallAfterMs: read.duration("stall-after", defaultStallAfterMs),
    limited: read.given("timeout"),
    api: readApi(read),
  };
}

/** What is known to be wrong is no matter of acceptance. */
function judgeSkip(read: FlagReader): readonly Skip[] {
  const skip = readSkips(read);
  for (const { code } of skip.filter(({ code }) => !acceptable.includes(code))) {
    read.problems.push(`--skip: ${code} is not one of ${acceptable.join(", ")}`);
  }
  return skip;
}

function judgeRequest(read: FlagReader): UpgradeDatabaseFlags["request"] {
  return {
    forceRestart: read.on("force-restart"),
    keepEngineVersion: read.on("keep-engine-version"),
    keepCrdtProtocolVersion: read.on("keep-crdt-protocol-version"),
    mayDiscardData: read.on("may-discard-data"),
    forceDiscard: read.on("force-discard"),
    preserveRoles: read.on("preserve-roles"),
    ...(read.given("parallel-shards") && {
      parallelShardsUpgrade: read.count("parallel-shards", { min: 1, max: 100_000, fallback: 1 }),
    }),
    // false says that modules stay: it is sent as well
    ...(read.given("latest-with-modules") && { latestWithModules: read.on("latest-with-modules") }),
  };
}
