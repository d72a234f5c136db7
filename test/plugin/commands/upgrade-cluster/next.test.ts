/** What `status` shows of a cluster, by its license. */
import {
  clustersStatus,
  clusterStep,
  wideColumns,
} from "../../../../plugin/commands/upgrade-cluster/next";
import type { Facts } from "../../../../plugin/domain/facts/facts";
import { describeSituation } from "../../../../plugin/domain/checks/context";
import { ownerMarks } from "../../../support/builders";
import {
  anEc,
  anOperator,
  aPod,
  aSet,
  factsOf,
  newTag,
  oldTag,
  threePods,
} from "../../domain/engine-cluster/scene";

const image = { repository: "engine/engine", versionTag: newTag, imagePullPolicy: "IfNotPresent" };

type Objects = Parameters<typeof factsOf>[0];

const statusOf = (scene: Objects) => clustersStatus(describeSituation(factsOf(scene), {})).items[0];

const statusWith = (licenseStatus: object) =>
  statusOf({
    ecs: [anEc({ engineEnterpriseImageSpec: image }, { licenseStatus })],
    statefulSets: [aSet()],
    pods: threePods,
    deployments: [anOperator()],
  })?.verdict;

test.each([
  ["without a last day", { licenseState: "Valid" }],
  ["with a last day to come", { licenseState: "Valid", expirationDate: "2030-01-01T00:00:00Z" }],
])("a valid license %s holds nothing", (_title, license) => {
  expect(statusWith(license)).not.toMatchObject({ code: "LICENSE-EXPIRED" });
});

test("a license whose last day is past stalls, whatever its state says", () => {
  const license = { licenseState: "Valid", expirationDate: "2026-01-01T00:00:00Z" };
  expect(statusWith(license)).toMatchObject({
    is: "stalled",
    code: "LICENSE-EXPIRED",
    because: "its license expired 2026-01-01T00:00:00Z",
  });
});

test.each<[string, Objects, readonly string[]]>([
  [
    "what its pods run",
    { ecs: [anEc()], statefulSets: [aSet()], pods: threePods },
    [newTag, "3/3", "<none>", "<none>"],
  ],
  ["that it has no pod", { ecs: [anEc()] }, ["<none>", "unknown", "unknown", "<none>"]],
])("-o wide tells of a cluster %s", (_title, scene, cells) => {
  const ec = statusOf(scene);
  expect(wideColumns.map(({ cell }) => ec && cell(ec))).toEqual(cells);
});

const databaseLists = ["edbs", "eaadbs"] as const;
const notRead = new Map(databaseLists.map((key) => [key, "forbidden"]));

test.each<[string, string, Partial<Facts>, string]>([
  ["an upgrade, with all databases", "Upgrade", {}, "moving"],
  ["an upgrade, without the databases", "Upgrade", { unread: notRead }, "unknown"],
  [
    "an upgrade, with those of the operator's namespace",
    "Upgrade",
    { unread: notRead, partly: new Set(databaseLists) },
    "unknown",
  ],
  ["a restart, without the databases", "RunningRollingUpdate", { unread: notRead }, "moving"],
])("what moves is told to move where nothing that may hold it is unread: %s", (...row) => {
  const [, state, rest, wanted] = row;
  const scene = {
    ecs: [anEc({ engineEnterpriseImageSpec: image }, { state })],
    ...{ statefulSets: [aSet()], pods: threePods, deployments: [anOperator()] },
  };
  const { items } = clustersStatus(describeSituation(factsOf(scene, rest), {}));
  expect(items[0]?.verdict).toMatchObject({ is: wanted });
});

/** The next step of a cluster that is behind its operator. */
const stepBehind = (status: object, metadata: object = {}) => {
  const facts = factsOf({
    ecs: [anEc({}, status, metadata)],
    statefulSets: [aSet(oldTag)],
    pods: [0, 1, 2].map((ordinal) => aPod(ordinal, { tag: oldTag })),
    deployments: [anOperator()],
  });
  const situation = describeSituation(facts, {});
  const operator = { version: "8.0.2-2" };
  return clusterStep({ clusters: clustersStatus(situation), operator, situation });
};

test("a cluster behind its operator is upgraded next, by whoever owns it", () => {
  expect(stepBehind({})?.words?.slice(0, 2)).toEqual(["upgrade-cluster", "ec"]);
  const owned = stepBehind({}, ownerMarks.Flux);
  expect(owned?.words).toBeUndefined();
  expect(owned?.says).toMatch(/^upgrade EC ec from .*Flux/);
});

test("what would end the command before its first write is to be done before", () => {
  const step = stepBehind({ licenseStatus: {} });
  expect(step).toEqual({
    says: expect.stringMatching(/^before EC ec can be upgraded: /) as string,
    upgrades: true,
  });
});
