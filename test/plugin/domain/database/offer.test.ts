/** What the REST API of an EC can run and follows. */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { parseNodes } from "../../../../plugin/domain/rest-api/records";
import { offerFindings, readOffer, withOffer } from "../../../../plugin/domain/database/offer";
import type { ClusterFacts } from "../../../../plugin/domain/rules/types";
import { sceneOf, targetIn } from "./scene";

const node = (...versions: readonly unknown[]) => ({
  supported_database_versions: versions.map((version) => ({ db_type: "engine", version })),
});

test.each<[string, unknown, unknown, ReturnType<typeof readOffer>]>([
  ["neither is served", undefined, undefined, { versions: undefined, policy: undefined }],
  ["nodes that report nothing", [{}, {}], {}, { versions: undefined, policy: undefined }],
  [
    "what every node that reports any can run, in order, 7.2 and later",
    [node("8.10", "8.0", "6.2", "7.4.2", "no"), {}, node("7.4", "8.10", "8.2")],
    { engine_upgrade_policy: "major" },
    { versions: ["7.4", "8.10"], policy: "major" },
  ],
  [
    "nodes that have none in common, a policy that is no text",
    [node("7.2"), node("8.0")],
    { engine_upgrade_policy: 3 },
    { versions: [], policy: undefined },
  ],
])("%s", (_title, ...[nodes, policy, expected]) => {
  const told = nodes === undefined ? undefined : parseNodes(nodes, names);
  const { versions, policy: followed } = readOffer(told, policy as undefined, names);
  expect({ versions, policy: followed }).toEqual(expected);
});

const cluster = (policy: unknown, versions: readonly string[]): ClusterFacts => ({
  ...{ namespace: "engine", name: "ec", uid: "", resourceVersion: "", policy },
  versions: versions.map((version) => ({ version, major: false })),
  ...{ installedModules: [], userModules: [] },
});

test.each<[string, ClusterFacts, ReturnType<typeof readOffer>, readonly string[]]>([
  ["the same", cluster("major", ["7.2", "8.0"]), { versions: ["7.2", "8.0"], policy: "major" }, []],
  [
    "an EC that publishes none",
    cluster(undefined, []),
    { versions: ["7.2"], policy: "latest" },
    [],
  ],
  ["nothing reported", cluster(7, ["7.2"]), { versions: undefined, policy: undefined }, []],
  [
    "versions and policy",
    cluster("latest", ["7.2", "8.0"]),
    { versions: [], policy: "major" },
    [
      "the EC publishes 7.2, 8.0, and its nodes can all run no version: only a version of both is taken",
      "the upgrade policy of the EC is latest, and that of its REST API major: major counts",
    ],
  ],
  [
    "a policy that is not set",
    cluster(undefined, ["7.2"]),
    { versions: ["7.2"], policy: "major" },
    ["the upgrade policy of the EC is not set, and that of its REST API major: major counts"],
  ],
])("said of both: %s", (_title, ...[ec, offer, causes]) => {
  const found = offerFindings({ object: "EC/engine/ec", cluster: ec }, offer, names);
  expect(found.map(({ cause }) => cause)).toEqual(causes);
});

test("a database whose EC is not found, or whose REST API was not asked, stays as it is", () => {
  const target = targetIn(sceneOf(), []);
  const offer = { versions: ["7.2"], policy: "major" };
  const lost = { ...target, lookup: { is: "missing", lookedIn: [] } as const };
  expect(withOffer(target, undefined, names)).toBe(target);
  expect(withOffer(lost, offer, names)).toBe(lost);
});
