/** What `status` shows of a cluster, by its license. */
import { clustersStatus } from "../../../../plugin/commands/upgrade-cluster/next";
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

const statusWith = (licenseStatus: object) =>
  clustersStatus(
    describeSituation(
      factsOf({
        ecs: [anEc({ engineEnterpriseImageSpec: image }, { licenseStatus })],
        statefulSets: [aSet()],
        pods: threePods,
        deployments: [anOperator()],
      }),
      {},
    ),
  ).items[0]?.verdict;

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
