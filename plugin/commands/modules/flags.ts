/** The module commands. */
import { ec, ecShort, namespace, text } from "../../domain/names/text";
import { type EngineVersion, parseEngineVersion } from "../../domain/base/versions";
import { type FlagReader, flagTable } from "../../cmdutil/flags";
import { type FlagsOf, groups, spec } from "../../cmdutil/spec";
import { apiFlags, stallFlag, takeFlag, withApi, withLimit } from "../../cmdutil/common-flags";

const flags = flagTable({
  ec: {
    value: "NAME",
    kinds: ["ec"],
    help: text`${ec} whose REST API is asked; else the only one of the namespace`,
  },
  ...apiFlags,
});

const reach = text`The REST API is reached by a port of the ${ec}'s pods, by its Service inside the cluster, or by --api-url; its
certificate has to fit --api-ca. The credentials are read from the Secret that the ${ec} names.`;

/** Options of every module command. */
export type ModulesFlags = FlagsOf<typeof modulesList>;

/** Options of `modules in-use`. */
export type ModulesInUseFlags = FlagsOf<typeof modulesInUse>;

/** `modules list`. */
export const modulesList = spec({
  path: "modules list",
  kind: "Modules",
  group: groups.look,
  summary: text`List the modules that are installed in a cluster (${ec})`,
  description: text`List the modules that are installed in a cluster (${ec}), as its REST API tells: names, version, whether it came
with the cluster, the engine versions that it is for, and platforms where the server tells them.

${reach}`,
  examples: {
    "List them": text`modules list -n ${namespace} --api-ca ca.pem`,
    "By an address, for a script": text`modules list -n ${namespace} --api-url https://api.example.com --api-ca ca.pem -o json`,
  },
  flags,
  cluster: true,
  place: "operator",
  settles: true,
  reads: () => true,
  judge: withApi,
});

/** `modules in-use`. */
export const modulesInUse = spec({
  path: "modules in-use",
  kind: "ModulesInUse",
  group: groups.look,
  summary: "Show which databases use which modules, and which of them an upgrade lacks",
  description: text`Show which databases use which modules, as the cluster's REST API tells, and what is wrong with them: a module
that is not installed, a user-defined one that the ${ec} does not define, or defines by another name than its
manifest's. With --target also what has no build for an engine version, with --platform what is not installed for a
platform. Errors end with exit code 3.

${reach}`,
  examples: {
    "Show them": text`modules in-use -n ${namespace} --api-ca ca.pem`,
    "Check them for an upgrade of the databases to 8.0": text`modules in-use -n ${namespace} --api-ca ca.pem --target 8.0 --platform rhel9`,
  },
  flags: {
    target: {
      value: "VERSION",
      offers: "version",
      read: readVersion,
      help: "Engine version that the modules have to fit",
    },
    platform: {
      value: "NAME",
      help: "Platform that they have to be installed for, as modules list names it",
    },
    ...flags,
  },
  cluster: true,
  place: "operator",
  settles: true,
  reads: () => true,
  judge: withApi,
});

/** `modules install`. */
export const modulesInstall = spec({
  path: "modules install",
  kind: "ModulesInstall",
  group: groups.upgrade,
  summary: text`Install a user-defined module in a cluster (${ec})`,
  description: text`Install a user-defined module in a cluster (${ec}) over its REST API. The archive's manifest is read first: what is
installed already is left as it is. The file is sent once; what the server continues to do is followed, and the module
has to appear in the list. Servers without the older call are given the file by the newer ones, once a node.

The REST API knows no dry run: with --dry-run nothing is sent. Running the command again is safe.

${reach}`,
  examples: {
    "Install one": text`modules install rg.zip -n ${namespace} --api-ca ca.pem`,
    "Show whether it would be installed": text`modules install rg.zip -n ${namespace} --api-ca ca.pem --dry-run=client`,
  },
  argument: { name: "FILE", file: true, help: "The module's archive, as it was published" },
  flags,
  cluster: true,
  writes: true,
  place: "operator",
  settles: true,
  judge: withApi,
});

/** Options of `modules define`. */
export type ModulesDefineFlags = FlagsOf<typeof modulesDefine>;

/** `modules define`. */
export const modulesDefine = spec({
  path: "modules define",
  kind: "ModulesDefine",
  group: groups.upgrade,
  summary: text`Define user-defined modules in a cluster (${ec}), which restarts all its pods`,
  description: text`Define user-defined modules in a cluster (${ec}): the list from which the operator takes them, and without which
an upgrade freezes when a database uses them. A name has to be one of the two names of the module's manifest. What
is defined already stays as it is.

The change restarts all pods of the cluster, one after the other, which is asked first and followed to its end. It is
refused while pods are being renewed; where an upgrade is refused or frozen for a module, it sets the upgrade free.`,
  examples: {
    "Define one, with the address that the operator downloads it from": text`modules define rg --source rg=https://modules.example.com/rg.zip --ec ${ecShort} -n ${namespace}`,
    "Show what would be written": text`modules define rg --ec ${ecShort} -n ${namespace} --dry-run=server`,
  },
  argument: {
    name: "NAME",
    help: "Name of the module, as its manifest has it",
    repeat: true,
  },
  flags: {
    ec: {
      value: "NAME",
      kinds: ["ec"],
      help: text`${ec} to define them in; else the only one of the namespace. --cluster NAME means the same, without --ec`,
    },
    source: {
      value: "NAME=URL",
      repeat: true,
      key: "sources",
      read: readSources,
      help: "Address that a module is downloaded from; may be repeated",
    },
    "credentials-secret": {
      value: "NAME",
      goesWith: "source",
      help: "Secret with the user name and the password for the downloads",
    },
    ...takeFlag("Fields to take from their present manager, separated by commas"),
    ...stallFlag("Time without progress after which a cause in the data counts as a stall"),
  },
  cluster: true,
  writes: true,
  place: "operator",
  settles: true,
  takesOver: (read) => (readCluster(read) === undefined ? [] : ["cluster"]),
  judge: (options, read) => withLimit({ ...options, ec: options.ec ?? readCluster(read) }, read),
});

/** The EC that --cluster names; beside --ec, or where it can be no object's name, it is of the kubeconfig. */
function readCluster(read: FlagReader): string | undefined {
  const typed = read.isGiven("ec") ? undefined : read.text("cluster");
  return typed !== undefined && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(typed) ? typed : undefined;
}

/** Addresses by the names of their modules; a login in one is not repeated in the problem. */
function readSources(read: FlagReader, name: string): ReadonlyMap<string, string> {
  const pairs = read.each(name).map((typed) => {
    const at = typed.indexOf("=");
    return [typed.slice(0, Math.max(at, 0)), typed.slice(at + 1)] as const;
  });
  for (const [module, url] of pairs) {
    if (module === "" || !isSource(url)) {
      read.problems.push(
        `--${name}: give NAME=URL, an address without a login, for which --credentials-secret is`,
      );
    }
  }
  return new Map(pairs);
}

function isSource(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  return ["http:", "https:"].includes(protocol) && hostname !== "" && username + password === "";
}

function readVersion(read: FlagReader, name: string): EngineVersion | undefined {
  const typed = read.text(name);
  const version = parseEngineVersion(typed);
  if (typed !== undefined && version === undefined) {
    read.problems.push(`--${name}: ${JSON.stringify(typed)} is not an engine version such as 8.0`);
  }
  return version;
}
