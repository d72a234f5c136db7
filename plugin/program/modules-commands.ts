/** The module commands, as data. */
import type { ModulesInUseFlags } from "../commands/modules";
import type { ModulesFlags } from "../commands/modules-session";
import type { FlagSpec } from "../commands/standard-flags";
import { parseEngineVersion } from "../domain/versions";
import { apiFlags, readApi } from "./api-flags";
import type { CommandEntry } from "./entry";
import { groups, prepare } from "./entry";
import type { FlagReader } from "./values";

const ecFlag: FlagSpec = {
  name: "ec",
  value: "NAME",
  kinds: ["ec"],
  help: "EC whose REST API is asked; else the only one of the namespace",
};
const flags: readonly FlagSpec[] = [ecFlag, ...apiFlags];

const reach = `The REST API is reached by a port of the EC's pods, by its Service inside the cluster, or by --api-url; its
certificate has to fit --api-ca. The credentials are read from the Secret that the EC names.`;

function judge(read: FlagReader): ModulesFlags {
  const ec = read.text("ec");
  return { ...(ec !== undefined && { ec }), api: readApi(read) };
}

/** `modules list`. */
export const modulesList: CommandEntry = {
  path: "modules list",
  kind: "Modules",
  group: groups.look,
  summary: "List the modules that are installed in a cluster (EC)",
  description: `List the modules that are installed in a cluster (EC), as its REST API tells: names, version, whether it came
with the cluster, the engine versions that it is for, and platforms where the server tells them.

${reach}`,
  examples: [
    { does: "List them", line: "modules list -n engine --api-ca ca.pem" },
    {
      does: "By an address, for a script",
      line: "modules list -n engine --api-url https://api.example.com --api-ca ca.pem -o json",
    },
  ],
  flags,
  cluster: true,
  place: "operator",
  settles: true,
  reads: () => true,
  prepare: prepare<ModulesFlags>(judge, async () => {
    const { runModulesList } = await import("../commands/modules.ts");
    const { modulesListText } = await import("../commands/modules-text.ts");
    return { run: runModulesList, text: modulesListText };
  }),
};

/** `modules in-use`. */
export const modulesInUse: CommandEntry = {
  path: "modules in-use",
  kind: "ModulesInUse",
  group: groups.look,
  summary: "Show which databases use which modules, and which of them an upgrade lacks",
  description: `Show which databases use which modules, as the cluster's REST API tells, and what is wrong with them: a module
that is not installed, one of the user's own that the EC does not define, or defines by another name than its
manifest's. With --target also what has no build for an engine version, with --platform what is not installed for a
platform. Errors end with exit code 3.

${reach}`,
  examples: [
    { does: "Show them", line: "modules in-use -n engine --api-ca ca.pem" },
    {
      does: "Judge them for an upgrade of the databases to 8.0",
      line: "modules in-use -n engine --api-ca ca.pem --target 8.0 --platform rhel9",
    },
  ],
  flags: [
    { name: "target", value: "VERSION", help: "Engine version that the modules have to fit" },
    {
      name: "platform",
      value: "NAME",
      help: "Platform that they have to be installed for, as modules list names it",
    },
    ...flags,
  ],
  cluster: true,
  place: "operator",
  settles: true,
  reads: () => true,
  prepare: prepare<ModulesInUseFlags>(
    (read) => {
      const given = read.text("target");
      const target = parseEngineVersion(given);
      const platform = read.text("platform");
      if (given !== undefined && target === undefined) {
        read.problems.push(
          `--target: ${JSON.stringify(given)} is not an engine version such as 8.0`,
        );
      }
      return {
        ...judge(read),
        ...(target !== undefined && { target }),
        ...(platform !== undefined && { platform }),
      };
    },
    async () => {
      const { runModulesInUse } = await import("../commands/modules.ts");
      const { modulesInUseText } = await import("../commands/modules-text.ts");
      return { run: runModulesInUse, text: modulesInUseText };
    },
  ),
};

/** `modules install`. */
export const modulesInstall: CommandEntry = {
  path: "modules install",
  kind: "ModulesInstall",
  group: groups.upgrade,
  summary: "Install a module of one's own in a cluster (EC)",
  description: `Install a module of one's own in a cluster (EC) over its REST API. The archive's manifest is read first: what is
installed already is left as it is. The file is sent once; what the server goes on to do is followed, and the module
has to appear in the list. Servers without the older call are given the file by the newer ones, once a node.

The REST API knows no dry run: with --dry-run nothing is sent. Running the command again is safe.

${reach}`,
  examples: [
    { does: "Install one", line: "modules install rg.zip -n engine --api-ca ca.pem" },
    {
      does: "Show whether it would be installed",
      line: "modules install rg.zip -n engine --api-ca ca.pem --dry-run=client",
    },
  ],
  argument: { name: "FILE", help: "The module's archive, as it was published" },
  flags,
  cluster: true,
  place: "operator",
  settles: true,
  prepare: prepare<ModulesFlags>(judge, async () => {
    const { runModulesInstall } = await import("../commands/modules-install.ts");
    return { run: runModulesInstall };
  }),
};
