/** `upgrade-database` as a part: planned by planning.ts, and carried out by upgrade.ts (S61-S67, S75-S92, S98). */
import { type DatabaseContext, makeContext } from "./context";
import type { Outcome, Part } from "../../kernel/part";
import type { ActingPorts, World, RunPorts } from "../../kernel/world";
import { pick } from "../../domain/base/values";
import type { CommandContext } from "../../cmdutil/context";
import type { UpgradePart } from "../../cmdutil/upgrade-part";
import { databasesCommand, databasesNeeds, listNeeds } from "./needs";
import { skipDatabases } from "./gate";
import { type Chosen, DatabasesPlanning } from "./planning";
import { type DatabasesTask, type UpgradeDatabaseOptions } from "./read";
import {
  ApiConnections,
  connectParticipants,
  type DatabasesPartFlags,
  makeTask,
  readPartWish,
} from "./input";
import { type DatabasesPlanned, UpgradeDatabases } from "./upgrade";

/** What `upgrade` knows of them. */
export const databases: UpgradePart = {
  id: "databases",
  title: "Upgrade the databases",
  because: "they come last: a database has the versions that its cluster bundles",
  source: "S9, S61-S67",
  gate: skipDatabases,
  needs: ({ facts: { names, namespace }, flags }) => {
    const all = { databases: [], everywhere: true, api: undefined };
    return flags.engineVersion === undefined ? [] : [databasesNeeds({ names, namespace, ...all })];
  },
  makeParts: async ({ context: { options, ...context }, flags }, { isUnderWay, isPlanned }) => {
    const { engineVersion: version } = flags;
    const waits = pick(flags, "participants", "stallAfterMs", "limited");
    const own = { ...waits, ...pick(flags, "takeFields", "skip", "mayDiscardData") };
    // an EC that is not Running is waited for
    const waiting = { ...context, options: { ...options, wait: options.wait || isUnderWay } };
    const asked = { ...own, ...(version !== undefined && { version }) };
    return [await makePart(waiting, { ...asked, follows: isPlanned("cluster") })];
  },
};

/** As a part of the whole upgrade: all databases of this operator's ECs, by their resources (S61). */
async function makePart(context: CommandContext, flags: DatabasesPartFlags): Promise<Part> {
  const wish = await readPartWish(context, flags);
  const cluster = await context.connect();
  const { namespace } = cluster;
  const participants = await connectParticipants(context, flags.participants);
  // by resource it is never reached
  const api = new ApiConnections(context, cluster, wish.api);
  const task = makeTask(context, { ...wish, participants, api, namespace });
  const close = (): void => {
    for (const one of participants) one.cluster.close();
  };
  return { ...databasesPart(task), close };
}

/** Upgrades the databases that are meant, each to its end. */
export function databasesPart(given: DatabasesTask): Part {
  const { participants, api, typed, command, ...wish } = given;
  const beside = { participants, api, typed, command };
  // a plan that waits is made again with what was read
  let before: DatabaseContext | undefined;
  const chosen: Chosen = {};
  return {
    command: databasesCommand,
    needs: (names) => listNeeds({ names, api }, resolveVersion(wish, names)),
    plan: async (world) => {
      const context = makePlanContext(world);
      const plan = await new DatabasesPlanning(context, world, { chosen, carry }).plan();
      before = context;
      return plan;

      function carry(ports: ActingPorts, planned: DatabasesPlanned): Promise<Outcome> {
        const acting = { ...context.options, wait: wish.wait };
        const own = makeContext({ ...ports, ...beside }, acting, {
          before: context,
          dryRun: "none",
        });
        return new UpgradeDatabases(own, planned, ports.tell).act();
      }
    },
  };

  function makePlanContext(world: World): DatabaseContext {
    const options = resolveVersion({ ...wish, wait: wish.wait && world.waits }, world.names);
    return makeContext({ ...world, ...beside }, options, { before, dryRun: world.dryRun });
  }
}

/** The older field asks for the latest version too, and is resolved and judged like it (S89). */
function resolveVersion(
  options: UpgradeDatabaseOptions,
  { latestChannel }: RunPorts["names"],
): UpgradeDatabaseOptions {
  const { request, version, via } = options;
  const isLatest = via === "api" && version === undefined && request.latestWithModules === true;
  return isLatest ? { ...options, version: latestChannel } : options;
}
