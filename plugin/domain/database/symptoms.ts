/** What may be wrong with a database, in causal order, whoever asks and whichever way an upgrade of it goes (S61, S65, S75, S83). */
import { kubectl, type Remedy } from "../base/remedy";
import { asString, getPath, renderValue } from "../base/values";
import { gate } from "../diagnosis/diagnose";
import type { Diagnosed, Found, Scene, Symptom } from "../diagnosis/symptom";
import { isOfEngine } from "../engine-cluster/causes";
import { versionPaths } from "../engine-cluster/fields";
import type { Facts } from "../facts/facts";
import { isDeleting, renderDeletion } from "../kube/deletion";
import { type KubeObject, objectLabel } from "../kube/objects";
import { renderTerm } from "../names/names";
import { ec, text } from "../names/text";
import { operatorLogWords } from "../operator/lease";
import { defaultStallAfterMs } from "../rollout/stateful-set";
import { referenceSymptom } from "../references/judge";
import { fieldText, findFields } from "../rules/fields";
import { showMiss } from "../rules/wording";
import { tellFailed } from "./backup";
import { type ClusterGoal, judgeFollowers } from "./channel";
import { databaseFindings } from "./findings";
import { findRisk, readKeeping } from "./keeping";
import { judgeNodes } from "./nodes";
import { judgeState, renderTold, tellEndless } from "./state";
import type { DatabaseScene, DatabaseSubject } from "./subject";
import { judgeVersions } from "./two-versions";

/** The ECs whose databases are looked at, and where each of them goes. */
export interface ChannelScene extends Scene {
  readonly clusters: readonly KubeObject[];
  readonly goal: ClusterGoal | undefined;
}

const each =
  (judge: (database: DatabaseSubject, facts: Facts) => readonly Found[]) =>
  ({ databases, facts }: DatabaseScene): readonly Found[] =>
    databases.flatMap((database) => {
      const object = objectLabel(database.object);
      return judge(database, facts).map((found) => ({ object, ...found }));
    });

const forbids = ["upgrade-database"] as const;

/** The rows. */
export const databaseSymptoms = {
  deleting: {
    ...databaseFindings.deleting,
    title: "No database is being deleted",
    needs: [],
    forbids,
    judge: each(({ object, kind }, facts) => {
      if (!isDeleting(object)) return [];
      const since = Date.parse(String(object.metadata.deletionTimestamp));
      // whoever waits for it sees in the end what holds it
      const passes = facts.now - since < defaultStallAfterMs;
      return [
        {
          cause: renderDeletion(object),
          remedies: waysOutOfDeletion(facts, { object, kind }),
          ...(passes && { passes }),
        },
      ];
    }),
  },
  clusterUnknown: {
    ...databaseFindings.clusterUnknown,
    title: text`Every database names its ${ec}, which exists`,
    needs: [],
    forbids,
    judge: each(({ kind, lookup }, { names, namespace }) => {
      const field = fieldText(findFields(kind, names).clusterReference);
      if (lookup.is !== "found") return [{ field, cause: showMiss(lookup, names) }];
      const home = lookup.cluster.namespace;
      if (home === namespace) return [];
      const cause = `its ${renderTerm(names.ec)} is in namespace ${home}, another operator's`;
      return [{ field, cause, fix: `give -n ${home}` }];
    }),
  },
  type: {
    ...databaseFindings.typed,
    title: "An engine version is set only where it has a meaning",
    needs: [],
    judge: each(({ object, kind }, facts) => {
      const [path] = versionPaths(facts, { kind, object });
      if (isOfEngine(object, facts.names) || getPath(object, path) === undefined) return [];
      const type = getPath(object, facts.names.edbFields.type);
      return [{ cause: `it is of type ${renderValue(type)}`, field: fieldText(path) }];
    }),
  },
  specInvalid: {
    ...databaseFindings.specInvalid,
    title: "The operator accepts every database's spec",
    needs: [],
    forbids,
    judge: each(({ object, kind }, facts) => {
      const { edbFields, eaadbFields } = facts.names;
      const path = (kind === "edb" ? edbFields : eaadbFields).specStatus;
      const status = getPath(object, path) ?? "Valid";
      if (status === "Valid" || isDeleting(object)) return [];
      const corrected = `correct that field: the operator takes it up while the ${renderTerm(facts.names.ec)} is Running`;
      const look = kubectl("see which field the operator's log names", ...operatorLogWords(facts));
      return [
        {
          cause: `its spec status is ${renderTold(status)}`,
          field: fieldText(path),
          remedies: [{ ...look, then: { says: corrected } }],
        },
      ];
    }),
  },
  references: {
    ...referenceSymptom(({ databases }: DatabaseScene) =>
      databases.map(({ kind: by, object }) => ({ by, object })),
    ),
    may: ["referredSecrets"],
    forbids,
  },
  notActive: {
    ...databaseFindings.notActive,
    title: "Every database is active",
    needs: [],
    forbids,
    causes: [databaseFindings.deleting, databaseFindings.failed, databaseFindings.busy],
    judge: each(judgeState),
  },
  notReplicating: {
    ...databaseFindings.notReplicating,
    title: "Every active-active database replicates",
    needs: [],
    judge: each(({ object, kind }, { names }) => {
      const path = names.eaadbFields.replicationStatus;
      const status = getPath(object, path) ?? "up";
      if (kind !== "eaadb" || status === "up") return [];
      const links = ["get", names.erc.plural, "-n", String(object.metadata.namespace)];
      return [
        {
          cause: `its replication is ${asString(status) ?? renderValue(status)}`,
          field: fieldText(path),
          remedies: [
            {
              ...kubectl("see which remote cluster is not reached", ...links),
              then: { says: "restore that link first, with what the operators' logs name" },
            },
          ],
        },
      ];
    }),
  },
  notObserved: {
    ...databaseFindings.notObserved,
    title: "The operator has acted on the latest edit of every database",
    needs: [],
    judge: each(({ object, kind }, facts) => {
      const { edbFields, eaadbFields } = facts.names;
      const { status } = kind === "edb" ? edbFields : eaadbFields;
      if ((getPath(object, status) ?? undefined) === undefined) {
        const cause = "the operator has not reported its state yet";
        const endless = tellEndless(facts, object);
        if (endless === undefined) return [{ cause, passes: true }];
        return [{ cause: `${cause}${endless.since}`, remedies: endless.remedies }];
      }
      const seen = kind === "edb" ? getPath(object, edbFields.observedGeneration) : undefined;
      const { generation } = object.metadata;
      if (typeof seen !== "number" || generation === undefined || seen >= generation) return [];
      return [
        {
          cause: `its last edit has not been taken up: generation ${generation}, acted on is ${seen}`,
          passes: true,
        },
      ];
    }),
  },
  unproven: {
    ...databaseFindings.uidUnknown,
    title: "Every database has one record in the cluster's REST API",
    needs: [],
    forbids,
    causes: [databaseFindings.uidMismatch, databaseFindings.uidShared],
    judge: each(({ identity }) =>
      identity === undefined || identity === "later" || identity.is === "proven"
        ? []
        : [identity.finding],
    ),
  },
  nodeAway: {
    ...databaseFindings.nodeAway,
    title: text`Every node of the ${ec} is up and out of maintenance`,
    needs: [],
    forbids,
    judge: each(({ lookup, offer }, { names }) =>
      lookup.is === "found" ? judgeNodes(offer?.nodes, lookup.cluster, names) : [],
    ),
  },
  volatile: {
    ...databaseFindings.volatile,
    title: "Every database keeps its data over a restart",
    needs: [],
    forbids,
    causes: [databaseFindings.dataMayGo],
    judge: each(({ identity, loss, ...database }, { names }) => {
      // what its record says of its data is not known without the record
      if (identity === "later" || identity?.is === "unproven") return [];
      return findRisk(readKeeping(database, identity?.bdb, names), loss);
    }),
  },
  backupFailed: {
    ...databaseFindings.backupFailed,
    title: "No last backup of a database failed",
    needs: [],
    judge: each(({ object, kind }, { names }) => {
      const told = kind === "edb" ? tellFailed(object, names) : undefined;
      if (told === undefined) return [];
      const cause = `${told}; an upgrade that goes wrong could not be undone`;
      return [{ cause, field: fieldText(names.edbFields.backupStatus) }];
    }),
  },
  twoVersions: {
    ...databaseFindings.twoVersions,
    title: "Every active-active database asks for one version",
    needs: ["definitions"],
    judge: each((database, facts) => judgeVersions(facts, database)),
  },
} as const satisfies Readonly<Record<string, Symptom<DatabaseScene>>>;

/** That databases follow their EC: it is so of the ECs that go anywhere. */
export const channelSymptom = {
  ...databaseFindings.channel,
  title: text`No database follows its ${ec} by a channel`,
  needs: [],
  judge: ({ facts, clusters, goal }) =>
    clusters.flatMap((cluster) => judgeFollowers(facts, cluster, goal)),
} satisfies Symptom<ChannelScene>;

/** The list, in its order. */
export const databaseList: readonly Symptom<DatabaseScene>[] = Object.values(databaseSymptoms);

const { clusterUnknown, deleting } = databaseSymptoms;

/** Of what keeps a database from being upgraded, these hold whether or not anything is written. */
const ground: readonly Symptom<DatabaseScene>[] = [deleting, clusterUnknown];

/** What an upgrade does to a database. */
export interface Touch {
  /** Its spec is written, or it is called by the REST API. */
  readonly acts: boolean;
  /** False where its shards do not restart: its data stays. */
  readonly restarts?: boolean;
  /** The edit may be what the operator does not accept now. */
  readonly mends?: boolean;
  /** What its spec says was judged before. */
  readonly again?: boolean;
}

/** What stands against the upgrade of one database, by every way. */
export function databaseGate(
  facts: Facts,
  database: DatabaseSubject,
  { acts, restarts = true, mends = false, again = false }: Touch,
): readonly Diagnosed[] {
  const { references, specInvalid, volatile } = databaseSymptoms;
  const holds = (row: Symptom<DatabaseScene>): boolean =>
    (restarts || row !== volatile) &&
    !((mends || again) && row === specInvalid) &&
    !(again && row === references);
  const rows = acts ? databaseList.filter(holds) : ground;
  return gate(rows, "upgrade-database", { facts, databases: [database] });
}

function waysOutOfDeletion(
  { names }: Facts,
  { object, kind }: Pick<DatabaseSubject, "kind" | "object">,
): readonly Remedy[] {
  const { name, namespace } = object.metadata;
  const place = [names[kind].plural, String(name), "-n", String(namespace)];
  return [
    { says: "nothing, if it is to go: with --all it is left out, and the others are upgraded" },
    {
      ...kubectl("see which finalizers hold it", "get", ...place, "-o", "yaml"),
      then: {
        says: "check that the admission webhook answers: without it no finalizer can be removed",
      },
    },
  ];
}
