/** Active-active databases and the clusters that take part in them (S65, S66, S127; domain facts 7). */
import { usedModules } from "../cluster/causes";
import { factNamed } from "../facts";
import type { KubeObject } from "../objects";
import { readSubject } from "../rules/subject";
import { at, list, own, text } from "../values";
import { type Check, checksOf, type Found, on } from "./check";
import { judgeSecrets } from "./secrets";
import { goalOf, isBefore, type Situation } from "./situation";

const { error, warning } = checksOf("active-active");
const oldest = "8.0.2-2";
const consumersFrom = "7.22.0-0";
const needs = ["eaadbs", "ecs", "namespaces", "deployments", "configMaps"] as const;

const perDatabase =
  (judge: (database: KubeObject, situation: Situation) => Found | readonly Found[] | undefined) =>
  (situation: Situation): readonly Found[] =>
    activeActive(situation).flatMap((database) => judge(database, situation) ?? []);

/** The checks of active-active databases. */
export const activeActiveChecks: readonly Check[] = [
  error("ACTIVE-ACTIVE-OPERATOR", "S127", {
    title: `Active-active databases are upgraded by operator ${oldest} or later`,
    cause: `an operator before ${oldest} does not upgrade active-active databases`,
    fix: `upgrade the operator to ${oldest} or later, on every cluster that takes part`,
    needs,
    judge: (situation) => {
      const goal = goalOf(situation);
      if (goal === undefined || !isBefore(goal, oldest)) return [];
      return activeActive(situation).map((one) =>
        on(one, `with operator ${goal.tag} it cannot be upgraded`),
      );
    },
  }),
  warning("ACTIVE-ACTIVE-REMOTE-UNSEEN", "S66", {
    title: "No cluster elsewhere takes part in a database",
    cause: "clusters elsewhere take part: which operator they run cannot be seen from here",
    fix: `see there that the operator is at ${oldest} or later, best at the same release as here`,
    needs: [...needs, "ercs"],
    judge: perDatabase((database, situation) => {
      const remote = participants(database, situation).filter(
        (name) => at(remoteNamed(name, situation), situation.names.ercFields.local) !== true,
      );
      return remote.length === 0 ? undefined : on(database, `elsewhere: ${remote.join(", ")}`);
    }),
  }),
  warning("ACTIVE-ACTIVE-NO-REMOTE", "domain facts 7", {
    title: "Every cluster that takes part is known here",
    cause: "a database names a taking part of a cluster that no remote cluster resource describes",
    fix: "make the remote cluster resource, or correct the name in the database",
    needs: [...needs, "ercs"],
    judge: perDatabase((database, situation) => {
      const unknown = participants(database, situation).filter(
        (name) => remoteNamed(name, situation) === undefined,
      );
      return unknown.length === 0 ? undefined : on(database, `not known: ${unknown.join(", ")}`);
    }),
  }),
  warning("ACTIVE-ACTIVE-DOWN", "S65", {
    title: "Every active-active database replicates",
    cause: "the instances of a database do not replicate: the change would not reach all of them",
    fix: "bring the link up first: see the remote clusters' status and their logs",
    needs,
    judge: perDatabase((database, { names }) => {
      const path = names.eaadbFields.replicationStatus;
      const status = text(at(database, path)) ?? "up";
      if (status === "up") return undefined;
      return on(database, `its replication is ${status}`, { field: path.join(".") });
    }),
  }),
  warning("ACTIVE-ACTIVE-USER-MODULE", "domain facts 7", {
    title: "No active-active database uses a module of the user's own",
    cause: "modules of the user's own are not supported on active-active databases",
    fix: "take the module out of the database",
    needs: [...needs, "edbs"],
    judge: (situation) =>
      activeActive(situation).flatMap((database) => {
        const own_ = modulesIn(database, situation).filter((module) =>
          situation.clusters.some((ec) => isOwn(situation, ec, module)),
        );
        return own_.length === 0 ? [] : [on(database, `it uses ${own_.join(", ")}`)];
      }),
  }),
  warning("ACTIVE-ACTIVE-MODULE-COMMANDS", "domain facts 7", {
    title: "No module command has to wait for all instances",
    cause:
      "until every instance is at version 8, commands of modules must wait, and nothing stops them",
    fix: "keep applications from module commands until the last instance is upgraded",
    needs: [...needs, "edbs"],
    wants: "version",
    judge: (situation) => {
      const { wanted, installed } = situation;
      const crossing =
        wanted !== undefined &&
        !isBefore(wanted, "8.0.0-0") &&
        (installed === undefined || isBefore(installed, "8.0.0-0"));
      if (!crossing) return [];
      return activeActive(situation).flatMap((database) => {
        const modules = modulesIn(database, situation);
        return modules.length === 0 ? [] : [on(database, `it uses ${modules.join(", ")}`)];
      });
    },
  }),
  warning("ACTIVE-ACTIVE-NAMESPACE", "domain facts 6", {
    title: "Active-active databases are where the operator supports them",
    cause: "before 7.22.0 the operator supports active-active databases in its own namespace alone",
    fix: "upgrade to 7.22.0 or later, or move the database to the operator's namespace",
    needs,
    judge: (situation) => {
      const goal = goalOf(situation);
      if (goal === undefined || !isBefore(goal, consumersFrom)) return [];
      const { namespace } = situation.facts;
      return activeActive(situation)
        .filter(({ metadata }) => metadata.namespace !== namespace)
        .map((one) => on(one, `operator ${goal.tag} does not support it outside of ${namespace}`));
    },
  }),
  warning("REMOTE-CLUSTER-STATUS", "domain facts 7", {
    title: "Every remote cluster is reached",
    cause: "the operator does not reach a remote cluster",
    fix: "see its status and the operator's log: address, credentials and certificate",
    needs: ["ercs"],
    judge: ({ facts, names }) =>
      remotesOf(facts).flatMap((remote) => {
        const path = names.ercFields.status;
        const status = text(at(remote, path)) ?? "Active";
        if (status === "Active") return [];
        return [on(remote, `its status is ${status}`, { field: path.join(".") })];
      }),
  }),
  warning("REMOTE-CLUSTER-SECRET", "domain facts 3", {
    title: "The Secrets of remote clusters are there",
    cause: "the Secret with the credentials of a remote cluster is absent or lacks an item",
    fix: "copy the credentials from that cluster into the Secret that is named",
    needs: ["ecs", "ercs", "namedSecrets"],
    judge: (situation) => judgeSecrets(situation, "remote"),
  }),
];

function activeActive({ databases }: Situation): readonly KubeObject[] {
  return databases.filter(({ kind }) => kind === "eaadb").map(({ object }) => object);
}

function remotesOf({ objects, namespace }: Situation["facts"]): readonly KubeObject[] {
  return objects.ercs.filter(({ metadata }) => metadata.namespace === namespace);
}

function participants(database: KubeObject, { names }: Situation): readonly string[] {
  return list(at(database, names.eaadbFields.participatingClusters))
    .map((one) => text(own(one, names.entryFields.participatingName)))
    .filter((name) => name !== undefined);
}

function remoteNamed(name: string, { facts }: Situation): KubeObject | undefined {
  return factNamed(facts, "ercs", { name, namespace: facts.namespace });
}

function modulesIn(database: KubeObject, { names }: Situation): readonly string[] {
  const { modules } = readSubject({ kind: "eaadb", before: undefined, after: database }, names);
  return modules.map(({ name }) => name).filter((name) => name !== undefined);
}

/** True for a module of the user's own that is there; what is nowhere is told by a check of its own. */
function isOwn({ facts }: Situation, ec: KubeObject, name: string): boolean {
  return usedModules(facts, ec).some(
    ({ module, standing }) => module === name && standing !== "unknown",
  );
}
