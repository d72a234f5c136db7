/** `upgrade-database`: flags to options, then the upgrade of databases (S61-S67, S75-S92). */
import type { RoleWish } from "../../cmdutil/print-role";
import type { Needs } from "../../domain/facts/needs";
import { databasesNeeds } from "./needs";
import { renderText, type TextStyle } from "../../output/text";
import { runPart } from "../../kernel/run-part";
import type { Report } from "../../kernel/report";
import { apiWish } from "../../cmdutil/rest-api-option";
import type { CommandRun } from "../../cmdutil/context";
import { requireAdvisories } from "../../cmdutil/advisories-option";
import { runPorts } from "../../cmdutil/run-ports";
import type { UpgradeDatabaseFlags } from "./flags";
import { databasesPart } from "./part";
import { ApiConnections, connectParticipants, makeTask, readWish } from "./input";

/** Upgrades the databases; every expected end comes back as a report. */
export const runUpgradeDatabase: CommandRun<UpgradeDatabaseFlags> = requireAdvisories(
  async (context, databases, flags) => {
    const wish = await readWish(context, { ...flags, databases });
    const ports = await runPorts(context, "UpgradeDatabase");
    const { cluster } = ports;
    const { dryRun } = context.options;
    const participants = await connectParticipants(context, flags.participants);
    const api = new ApiConnections(context, cluster, flags.api);
    try {
      const { namespace } = cluster;
      const task = makeTask(context, { ...wish, participants, api, namespace });
      const { limitMs = Infinity } = task;
      return await runPart(ports, databasesPart(task), { dryRun, limitMs });
    } finally {
      api.close();
    }
  },
);

/** Steps and findings tell a person all; the list of databases is for scripts. */
export function databaseText(report: Report, style: TextStyle): string {
  return renderText({ ...report, details: undefined }, style);
}

/** What it may need, before the databases are read. */
export function databaseRole({
  context: { names },
  args: databases,
  flags: { via, api, everywhere },
  namespace,
}: RoleWish<UpgradeDatabaseFlags>): Needs {
  const asked = via === "api" ? apiWish(undefined, api, names) : undefined;
  return databasesNeeds({ names, namespace, databases, everywhere, api: asked });
}
