/** What `status` shows of a cluster, by its license. */
import { clustersStatus, wideColumns } from "../../../../plugin/commands/upgrade-cluster/next";
import { describeSituation } from "../../../../plugin/domain/checks/context";
import {
  anEc,
  anOperator,
  aSet,
  factsOf,
  newTag,
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
  ["that it has no pod", { ecs: [anEc()] }, ["<none>", "unknown", "<none>", "<none>"]],
])("-o wide tells of a cluster %s", (_title, scene, cells) => {
  const ec = statusOf(scene);
  expect(wideColumns.map(({ cell }) => ec && cell(ec))).toEqual(cells);
});
