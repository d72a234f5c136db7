import { listInstances } from "../../../../plugin/domain/engine-cluster/database-versions";
import { readName, readNamespace } from "../../../../plugin/domain/kube/objects";
import { anEaadb, anEdb } from "../database/scene";
import { factsOf } from "./scene";

const edbs = ["a", "b", "c"].map((name) => anEdb(name));
const facts = factsOf({ edbs: [...edbs, anEdb("b", { metadata: { namespace: "shop" } })] });

test.each<[name: string, linked: readonly unknown[], found: readonly string[]]>([
  ["none", [], []],
  ["one", ["b"], ["engine/b"]],
  ["one that is named twice", ["b", { name: "b" }], ["engine/b"]],
  ["some, in the order of the list", ["c", "a"], ["engine/a", "engine/c"]],
  ["one that is not here", ["d"], []],
])("instances of an active-active database: %s", (_name, linkedEdbs, found) => {
  const instances = listInstances(facts, anEaadb({ status: { linkedEdbs } }));
  expect(instances.map((one) => `${readNamespace(one)}/${readName(one)}`)).toEqual(found);
});
