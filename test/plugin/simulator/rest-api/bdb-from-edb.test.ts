import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { bdbFromEdb } from "../../../../plugin/simulator/rest-api/bridge";

function anEdb(spec: object, status: object): KubeObject {
  return {
    apiVersion: `${names.group}/${names.version}`,
    kind: names.edb.kind,
    metadata: { name: "orders", uid: "u-1" },
    spec,
    status: { databaseUID: "7", version: "7.2.4", ...status },
  };
}

test.each([
  ["its number, as an integer", {}, {}, { uid: 7, name: "orders" }],
  ["the version that runs, in full", { engineVersion: "7.4" }, {}, { version: "7.2.4" }],
  ["what is asked for, where nothing is told", { engineVersion: "7.4" }, { version: undefined }, { version: "7.4.0" }],
  ["its own type", { type: "memcached" }, {}, { type: "memcached" }],
  ["no replicas unless asked for", {}, {}, { replication: false, shards: [{ role: "master" }, { role: "master" }] }],
  ["replicas", { replication: true }, {}, { replication: true }],
  ["no persistence", {}, {}, { persistence: "disabled" }],
  ["persistence of one kind", { persistence: "aofEverySecond" }, {}, { persistence: "aof" }],
  ["persistence of the other", { persistence: "snapshotEvery6Hour" }, {}, { persistence: "snapshot" }],
  ["nothing at work on it", {}, { status: "active-change-pending" }, { status: "active" }],
  ["a state of its own", {}, { status: "recovery" }, { status: "recovery" }],
  ["S63: a bundled module as the engine has it", { moduleList: [{ name: "search", version: "1.0" }] }, {}, { modules: [{ name: "search", version: "7.2.0" }] }],
  ["a user's module as it is listed", { modulesList: [{ name: "rg", version: "1.2.5" }] }, {}, { modules: [{ name: "rg", version: "1.2.5" }] }],
  ["entries without a name left out", { modulesList: [{ version: "1" }, "x"] }, {}, { modules: [] }],
  ["an instance of an active-active database", {}, { activeActive: { name: "a" } }, { crdtGuid: "u-1", crdtProtocol: 1 }],
])("a database has %s", (...[, spec, status, bdb]) => {
  expect(bdbFromEdb(anEdb(spec, status), names)).toMatchObject(bdb);
}); // prettier-ignore

test.each([
  ["no number yet", { databaseUID: undefined }],
  ["a number that is none", { databaseUID: "seven" }],
  ["a number that is not a text", { databaseUID: 7 }],
  ["no version at all", { version: undefined }],
])("there is no database for an EDB with %s", (_, status) => {
  expect(bdbFromEdb(anEdb({}, status), names)).toBeUndefined();
});
