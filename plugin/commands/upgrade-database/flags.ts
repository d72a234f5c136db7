/** `upgrade-database`. */
import {
  latestChannel,
  edb,
  eaadb,
  namespace,
  edbShort,
  ec,
  majorChannel,
  text,
} from "../../domain/names/text";
import { pick } from "../../domain/base/values";
import { acceptable, namesData } from "../../domain/database/findings";
import type { RequestWish } from "../../domain/database/bdb";
import { count, flagTable, list, type OptionsOf } from "../../cmdutil/flags";
import { type FlagsOf, groups, spec } from "../../cmdutil/spec";
import {
  apiFlags,
  mayDiscardFlag,
  participantFlag,
  skipFlag,
  advisoriesFlags,
  stallFlag,
  takeFlag,
  withApi,
  withLimit,
} from "../../cmdutil/common-flags";

/** The fields of the REST API's request, each as a flag (S80-S89). */
const requestFlags = flagTable({
  "force-restart": {
    help: "API: restart shards even if the version does not change; without --engine-version it is kept",
  },
  "parallel-shards": {
    ...count(1, 100_000),
    key: "parallelShardsUpgrade",
    help: "API: upgrade so many shards at once; absent: all of them",
  },
  "preserve-roles": { help: "API: keep the roles of shards, at the cost of one more failover" },
  "keep-crdt-protocol-version": { help: "API: keep the protocol of active-active databases" },
  "force-discard": { help: "API: lose the data even if it is replicated or persistent" },
  modules: {
    value: "LIST",
    file: true,
    help: "API: modules to upgrade, as a JSON list or a file with one; - for stdin",
  },
  "keep-engine-version": {
    help: "API: deprecated, give the present version with --engine-version",
  },
  "latest-with-modules": {
    // false says that modules stay: it is sent as well
    read: (read, name) => (read.isGiven(name) ? read.on(name) : undefined),
    help: text`API: deprecated, use --engine-version ${latestChannel}`,
  },
});

/** Options of `upgrade-database`. */
export type UpgradeDatabaseFlags = FlagsOf<typeof upgradeDatabase>;

/** `upgrade-database`. */
export const upgradeDatabase = spec({
  path: "upgrade-database",
  kind: "UpgradeDatabase",
  group: groups.upgrade,
  summary: text`Upgrade databases (${edb}, ${eaadb}) to an engine version, and follow each to its end`,
  description: text`Upgrade databases (${edb}, ${eaadb}) to an engine version, and follow each of them to its end.

All are checked first, by the rules of the admission webhook too: what stands against one ends the run before
anything is written. By resource, one patch writes the engine version and nothing else; the module list stays
as it is. An active-active database is written here only, and followed on every cluster given with
--participant; a cluster that is not given has to be accepted with --skip, and without an instance that was
seen the run ends as not proven. By the REST API, the call is sent once, its action is followed, and the
resource is brought in line. A database is done when version, state, spec status, generation and action agree.
A database that is neither replicated nor persistent would lose its data: by every way it ends the run before
anything is written, unless the loss is accepted for it with --skip DATABASE-VOLATILE=OBJECT, or for all
with --may-discard-data. By the REST API, flags that may lose data need the name of each database too, typed or
with --confirm. Running the command again is safe: databases that have the version are not written, and those
that failed continue.`,
  examples: {
    "Show what would be written": text`upgrade-database orders -n ${namespace} --engine-version 8.0 --dry-run=server`,
    "Upgrade all databases, one first, twenty at once, until three fail":
      "upgrade-database --all -A --engine-version 8.0 --canary shop/orders --concurrency 20 --max-failures 3",
    "An active-active database, followed on the other cluster too":
      "upgrade-database carts --engine-version 8.0 --participant west/engine",
    "By the REST API, two shards at once":
      "upgrade-database orders --engine-version 8.0 --via api --parallel-shards 2 --api-ca ca.pem",
  },
  argument: {
    name: "NAME",
    help: text`Name of a database, or NAMESPACE/NAME; its kind may stand before it, as ${edbShort}/NAME`,
    kinds: ["edb", "eaadb"],
    optional: true,
    repeat: true,
  },
  flags: {
    all: { help: "All databases of the operator's namespace; with -A of every one" },
    selector: {
      short: "l",
      value: "SELECTOR",
      help: "Label selector of the databases to upgrade",
    },
    "all-namespaces": {
      key: "everywhere",
      short: "A",
      help: text`Databases of every namespace that belong to ${ec}s of this operator`,
    },
    "engine-version": {
      value: "VERSION",
      offers: "version",
      key: "version",
      help: text`Version to upgrade to, the channel ${majorChannel}, or ${latestChannel}: the newest of the ${ec} (by API, of its nodes too)`,
    },
    via: {
      value: "WAY",
      choices: ["resource", "api"],
      fallback: "resource",
      help: "Write the resource, or call the REST API",
    },
    ...mayDiscardFlag,
    ...requestFlags,
    confirm: {
      key: "confirmed",
      value: "NAME",
      kinds: ["edb", "eaadb"],
      ...list,
      help: "API: database whose data may be lost, instead of typing its name",
    },
    ...participantFlag,
    canary: {
      value: "NAME",
      kinds: ["edb", "eaadb"],
      help: "Upgrade this one first, and stop when it fails",
    },
    "max-failures": {
      ...count(1, 1_000_000),
      help: "Start no more databases after so many failures",
    },
    ...takeFlag("Fields to take from their present manager, separated by commas"),
    ...skipFlag,
    ...advisoriesFlags,
    ...stallFlag("Time without progress after which a database counts as stalled"),
    ...apiFlags,
  },
  cluster: true,
  writes: true,
  place: "operator",
  settles: true,
  repeatsWith: "force-restart",
  judge: (options, read) => {
    if (options.via !== "api") {
      const ofApi = [...Object.keys({ ...requestFlags, ...apiFlags }), "confirm"];
      for (const name of ofApi.filter((one) => read.isGiven(one))) {
        read.missing.push(`--${name}: goes with --via api`);
      }
    }
    // what is known to be wrong is no matter of acceptance
    for (const { code } of options.skip.filter(({ code }) => !acceptable.includes(code))) {
      read.problems.push(`--skip: ${code} is not one of ${acceptable.join(", ")}`);
    }
    for (const skip of options.skip.filter((one) => !namesData(one))) {
      const { code } = skip;
      read.problems.push(
        `--skip ${code}: name the database: ${code}=OBJECT; --may-discard-data accepts it for all`,
      );
    }
    return withLimit(withApi(withRequest(options), read), read);
  },
});

const requestOptions = [
  ...(["forceRestart", "keepEngineVersion", "keepCrdtProtocolVersion", "mayDiscardData"] as const),
  ...(["forceDiscard", "preserveRoles", "parallelShardsUpgrade", "latestWithModules"] as const),
] as const;

/** The fields of the request as one option; the modules are read later. */
function withRequest<O extends OptionsOf<typeof requestFlags & typeof mayDiscardFlag>>(options: O) {
  const request: Omit<RequestWish, "engineVersion" | "modules"> = pick(options, ...requestOptions);
  return { ...options, request };
}
