/** Ends of a whole upgrade, each with what can be put back by then, and how long that holds. */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { Misbehavior } from "../../../../plugin/simulator/operator/snapshot";
import type { BackupReport } from "../../../../plugin/kernel/report";
import { aPlayedWorld } from "../../../support/played-operator";
import { upgrade, withDatabases } from "../../../support/upgrade-runs";

const [role, binding, deployment, ec, edb, eaadb] = [
  ...["Role", "RoleBinding", "Deployment"],
  ...[names.ec.kind, names.edb.kind, names.eaadb.kind],
] as const;
const configuration = "ValidatingWebhookConfiguration";
const operator = [deployment, binding, role];
const databases = [edb, eaadb];
const limited = ["--timeout", "1m"];

interface End {
  readonly code: number;
  /** Kinds with a command, the last write first. */
  readonly back: readonly string[];
  /** Kinds that are kept for reference. */
  readonly lost: readonly string[];
  readonly args?: readonly string[];
  readonly misbehave?: Misbehavior;
}

const untilPods = [ec, configuration, ...operator];
const rolled = [binding, configuration, deployment, ec, role].sort();

test.each<[string, End]>([
  [
    "the image of the operator is missing",
    { code: 1, misbehave: { operatorImagePull: true }, back: operator, lost: [] },
  ],
  [
    "the operator crashes",
    { code: 1, misbehave: { operatorCrash: true }, back: operator, lost: [] },
  ],
  [
    "no quota is left for the operator",
    { code: 1, misbehave: { operatorQuota: true }, back: operator, lost: [] },
  ],
  [
    "the operator may not make its pod",
    { code: 1, misbehave: { operatorForbidden: true }, back: operator, lost: [] },
  ],
  [
    "nothing comes of the new tag",
    { code: 124, misbehave: { deafOperator: true }, back: untilPods, lost: [] },
  ],
  [
    "nothing comes of it, databases asked for",
    {
      code: 124,
      misbehave: { deafOperator: true },
      args: withDatabases.slice(1),
      back: untilPods,
      lost: [],
    },
  ],
  [
    "nothing comes of it, by itself",
    { code: 124, misbehave: { deafOperator: true }, args: ["--auto"], back: untilPods, lost: [] },
  ],
  ["the first pod is stuck", { code: 124, misbehave: { stuckPod: 2 }, back: [], lost: rolled }],
  ["the last pod is stuck", { code: 124, misbehave: { stuckPod: 0 }, back: [], lost: rolled }],
  [
    "the cluster never ends",
    { code: 124, misbehave: { endlessUpgrade: true }, back: [], lost: rolled },
  ],
  [
    "the cluster lies about it",
    { code: 0, misbehave: { lyingStatus: true }, back: [role], lost: rolled },
  ],
  ["it is done, by itself", { code: 0, args: ["--auto"], back: [role], lost: rolled }],
  [
    "a database is stuck",
    {
      code: 124,
      misbehave: { stuckDatabase: "sessions" },
      args: withDatabases.slice(1),
      back: [role],
      lost: [...rolled, ...databases].sort(),
    },
  ],
  ["roles alone", { code: 0, args: ["--only", "rbac"], back: [role], lost: [] }],
  ["the operator alone", { code: 0, args: ["--only", "rbac,operator"], back: operator, lost: [] }],
  ["the webhook alone", { code: 0, args: ["--only", "webhook"], back: [configuration], lost: [] }],
])("%s", async (_, { code, back, lost, args = [], misbehave = {} }) => {
  const world = await aPlayedWorld({ misbehave });
  const { report } = await upgrade(world, ["--yes", ...limited, ...args]);
  const backups = report.backups ?? [];
  const kindsOf = (all: readonly BackupReport[]): readonly string[] => [
    ...new Set(all.map(({ object }) => String(object.split("/")[0]))),
  ];
  const offered = backups.filter(({ command }) => command !== undefined);
  const kept = backups.filter((one) => one.lost !== undefined);
  expect([report.exit.code, kindsOf(offered), [...kindsOf(kept)].sort()]).toEqual([
    code,
    back,
    lost,
  ]);
  expect(offered.length + kept.length).toBe(backups.length);
  // once the cluster was told, each holds only as long as its pods are those of before
  const isTold = back.includes(ec);
  for (const { holds = "" } of offered)
    expect(holds).toMatch(isTold ? /until / : /^(while|until) /);
});
