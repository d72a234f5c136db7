/** Targets of a replication before their source, as far as resources tell. */
import { planDatabase } from "../../../../plugin/domain/database/plan";
import {
  judgeReplication,
  orderByReplication,
} from "../../../../plugin/domain/database/replication";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { anEdb, type Parts, sceneOf, targetIn } from "./scene";

const sources = [{ replicaSourceType: "SECRET", replicaSourceName: "orders-uri" }];
const replica = (status: Parts["status"] = {}, spec: Parts["spec"] = {}) =>
  anEdb("copy", { spec: { replicaSources: sources, ...spec }, status: { ...status } });
const source = anEdb("orders");

const plansOf = (edbs: readonly ReturnType<typeof anEdb>[], version: string) =>
  edbs.map((edb) => {
    const facts = sceneOf({ edbs: [edb] });
    return planDatabase(facts, targetIn(facts), { via: "resource", version });
  });

test("targets come first, and each keeps its place otherwise", () => {
  const plans = plansOf([source, replica(), anEdb("zebra")], "8.0");
  const labels = orderByReplication(plans, names).map(({ label }) => label.split("/").at(-1));
  expect(labels).toEqual(["copy", "orders", "zebra"]);
});

test.each<{ readonly title: string; readonly status: Parts["status"]; readonly found?: number }>([
  { title: "it runs an older version", status: {}, found: 1 },
  { title: "it does not report what it runs", status: { version: undefined }, found: 1 },
  { title: "it runs that version", status: { version: "8.0.1" } },
])("a target that is not in the run, $title", ({ status, found = 0 }) => {
  const facts = sceneOf({ edbs: [source, replica(status), anEdb("other")] });
  const findings = judgeReplication(facts, plansOf([source], "8.0"));
  expect(findings.map(({ code }) => code)).toEqual(Array(found).fill("DATABASE-REPLICA-BEHIND"));
});

test("a target that is not in the run, nothing is upgraded", () => {
  const facts = sceneOf({ edbs: [source, replica()] });
  expect(judgeReplication(facts, plansOf([source], "7.2"))).toEqual([]);
});

test("a target in the run is not left behind; one of a channel that comes to no version raises nothing", () => {
  const facts = sceneOf({ edbs: [source, replica()] });
  expect(judgeReplication(facts, plansOf([source, replica()], "8.0"))).toEqual([]);
  const wish = { via: "resource", version: names.majorChannel } as const;
  const plan = { ...planDatabase(facts, targetIn(facts), wish), version: undefined };
  expect(judgeReplication(facts, [plan])).toEqual([]);
});
