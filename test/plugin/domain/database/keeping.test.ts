import {
  askedKeeping,
  describeKeeping,
  judgeKeeping,
  findRisk,
  recordedKeeping,
} from "../../../../plugin/domain/database/keeping";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { parseDatabase } from "../../../../plugin/domain/rest-api/records";
import { anEaadb, anEdb } from "./scene";

test.each<[string, unknown, unknown, string, string]>([
  ["a replica", true, "disabled", "kept", "replicated, persistence disabled"],
  ["a log on disk", false, "aofEverySecond", "kept", "not replicated, persistence aofEverySecond"],
  [
    "snapshots",
    false,
    "snapshotEvery6Hour",
    "kept",
    "not replicated, persistence snapshotEvery6Hour",
  ],
  ["nothing", false, "disabled", "lost", "not replicated, persistence disabled"],
  [
    "a replica, beside a word that is not known",
    true,
    "odd",
    "kept",
    "replicated, persistence odd",
  ],
  ["a word that is not known", false, "odd", "unknown", "not replicated, persistence odd"],
  [
    "a text for a boolean",
    "true",
    "disabled",
    "unknown",
    'replication "true", persistence disabled',
  ],
  ["a number for a word", false, 5, "unknown", "not replicated, persistence 5"],
  [
    "what nobody tells",
    undefined,
    undefined,
    "unknown",
    "replication unknown, persistence unknown",
  ],
])("%s", (_title, ...[replication, persistence, verdict, says]) => {
  const keeping = { replication, persistence };
  expect([judgeKeeping(keeping), describeKeeping(keeping)]).toEqual([verdict, says]);
  const codes = (request?: object) =>
    findRisk(keeping, request).map(({ code = "the row's" }) => code);
  const isKept = verdict === "kept";
  expect(codes()).toEqual(isKept ? [] : ["the row's"]);
  const allowed = codes({ mayDiscardData: true });
  expect(allowed).toEqual(isKept ? [] : ["DATABASE-DATA-MAY-GO"]);
  expect(codes({ forceDiscard: true })).toEqual(["DATABASE-DATA-MAY-GO"]);
});

test("a resource that says nothing asks for neither; an active-active one says it in its global configurations", () => {
  const edb = anEdb("a", { spec: { replication: undefined } });
  const neither = { replication: false, persistence: "disabled" };
  expect(askedKeeping({ kind: "edb", object: edb }, names)).toEqual(neither);
  const silent = anEaadb({ spec: { globalConfigurations: {} } });
  expect(askedKeeping({ kind: "eaadb", object: silent }, names)).toEqual(neither);
  const globalConfigurations = { replication: true, persistence: "aofAlways" };
  const eaadb = anEaadb({ spec: { globalConfigurations } });
  expect(askedKeeping({ kind: "eaadb", object: eaadb }, names)).toEqual(globalConfigurations);
});

test.each<[string, object, object]>([
  [
    "says both",
    { replication: false, data_persistence: "aof" },
    { replication: false, persistence: "aof" },
  ],
  ["lacks both", {}, { replication: true, persistence: "disabled" }],
  [
    "says what cannot be read",
    { replication: "on", data_persistence: 1 },
    { replication: "on", persistence: 1 },
  ],
])("a record that %s counts before its resource", (_title, fields, expected) => {
  const bdb = parseDatabase({ uid: 1, ...fields }, names);
  const asked = askedKeeping({ kind: "edb", object: anEdb() }, names);
  expect(bdb && recordedKeeping(bdb, asked, names)).toEqual(expected);
});

test("a record without a resource has what it says alone", () => {
  const bdb = parseDatabase({ uid: 1, replication: false }, names);
  expect(bdb && recordedKeeping(bdb, undefined, names)).toEqual({
    replication: false,
    persistence: undefined,
  });
});
