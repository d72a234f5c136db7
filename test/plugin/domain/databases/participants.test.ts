import { participantFindings } from "../../../../plugin/domain/databases/plan";
import { anOperator } from "../cluster/scene";
import { anEaadb, sceneOf } from "./scene";

const facts = sceneOf();
const carts = { object: anEaadb(), changes: true };
const there = { name: "west/engine", facts };
const codes = (...args: Parameters<typeof participantFindings>): readonly string[] =>
  participantFindings(...args).map(({ code, cause }) => `${code}: ${cause}`);

test("without an active-active database nobody is asked for", () => {
  expect(codes(facts, [], [])).toEqual([]);
});

test("with every operator at 8.0.2-2 or later, all is well", () => {
  expect(codes(facts, [carts], [there])).toEqual([]);
});

test("an older operator is an error, here and there", () => {
  const old = sceneOf({ deployments: [anOperator("7.22.0-7")] });
  expect(codes(old, [carts], [{ ...there, facts: old }])).toEqual([
    "DATABASE-PARTICIPANT-OLD: here: the operator in namespace engine is at 7.22.0-7, active-active databases need 8.0.2-2 or later",
    "DATABASE-PARTICIPANT-OLD: west/engine: the operator in namespace engine is at 7.22.0-7, active-active databases need 8.0.2-2 or later",
  ]);
});

test("a release that cannot be determined is an error, but for what is not written", () => {
  const unknown = sceneOf({ deployments: [] });
  const cause = "west/engine: the release of the operator in namespace engine cannot be determined";
  const seen = [{ ...there, facts: unknown }];
  const found = { code: "DATABASE-PARTICIPANT-UNSEEN", object: "west/engine", cause };
  expect(participantFindings(facts, [carts], seen)).toMatchObject([
    { ...found, severity: "error" },
  ]);
  expect(participantFindings(facts, [{ ...carts, changes: false }], seen)).toMatchObject([
    { ...found, severity: "warning" },
  ]);
});

test("who takes part unseen is named, without the one that is here", () => {
  const erc = {
    apiVersion: "app.engine.com/v1alpha1",
    kind: "EngineEnterpriseRemoteCluster",
    metadata: { name: "here", namespace: "engine" },
    status: { local: true },
  };
  const known = sceneOf({ ercs: [erc] });
  expect(codes(known, [carts], [])[0]).toContain("there take part, and none of them is given");
  const three = anEaadb({
    spec: { participatingClusters: [{ name: "here" }, { name: "b" }, { name: "c" }, {}] },
  });
  expect(codes(known, [{ object: three, changes: true }], [there])[0]).toContain(
    "b, c take part, and only 1 of them are",
  );
});
