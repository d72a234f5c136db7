import {
  parseAction,
  parseActions,
  renderPending,
} from "../../../../plugin/domain/rest-api/actions";
import { type Trouble, troubleIn } from "../../../../plugin/domain/rest-api/troubles";
import {
  type InstalledModule,
  parseDatabase,
  parseDatabases,
  parseLicense,
  parseNodes,
} from "../../../../plugin/domain/rest-api/records";
import {
  moduleLabel,
  listModuleNames,
  parseFailure,
  parseModule,
  parseModules,
  sameBuild,
} from "../../../../plugin/domain/rest-api/modules";
import {
  ClusterApiError,
  ClusterApiPermissionError,
} from "../../../../plugin/domain/rest-api/errors";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { aModule } from "../recovery/scene";

const nonsense = [undefined, null, 1, "x", true];
const one = { action_uid: "a" };

test.each<[string, (value: unknown) => unknown, readonly unknown[]]>([
  [
    "a database",
    (value) => parseDatabase(value, names),
    [[], {}, { uid: 1.5 }, { uid: "-1" }, { uid: "1".repeat(16) }],
  ],
  ["databases", (value) => parseDatabases(value, names), [{}, [{}]]],
  ["an action", (value) => parseAction(value, names), [{}]],
  ["actions", (value) => parseActions(value, names), [{}]],
  ["a module", (value) => parseModule(value, names), [{}, { module_name: "" }]],
  ["modules", (value) => parseModules(value, names), [{}, [{}]]],
  ["a license", (value) => parseLicense(value, names), [[]]],
  ["nodes", (value) => parseNodes(value, names), [{}]],
])("what is not %s is undefined", (_title, parse, values) => {
  expect([...nonsense, ...values].map(parse).filter((parsed) => parsed !== undefined)).toEqual([]);
});

test.each<[string, (value: unknown) => readonly unknown[] | undefined, unknown, number]>([
  ["databases", (value) => parseDatabases(value, names), [{ uid: 1 }], 1],
  [
    "databases, one of them too short",
    (value) => parseDatabases(value, names),
    [{}, { uid: 1 }],
    1,
  ],
  ["no databases", (value) => parseDatabases(value, names), [], 0],
  ["modules", (value) => parseModules(value, names), [{ module_name: "x" }], 1],
  ["actions", (value) => parseActions(value, names), [one, {}], 1],
  [
    "actions with the state machines beside",
    (value) => parseActions(value, names),
    { actions: [one], "state-machines": [{ action_uid: "b" }] },
    2,
  ],
])("a list of %s is a list", (_title, ...[parse, value, count]) => {
  expect(parse(value)).toHaveLength(count);
});

describe("databases (S35-S40, S94)", () => {
  test("every field that is known is read", () => {
    const sent = {
      ...{ uid: 3, name: "orders", status: "active", version: "7.4.2", engine_version: "7.4" },
      ...{ replication: true, data_persistence: "aof", crdt: false, crdt_guid: "g" },
      ...{ shards_count: 4, action_uid: "a-1", port: 12_001 },
      endpoints: [{ dns_name: "orders.ec.example.com", port: 12_001 }, { port: 1 }],
      module_list: [
        { module_name: "search", semantic_version: "2.10.5" },
        { module_name: "bf" },
        { semantic_version: "1" },
        7,
      ],
    };
    expect(parseDatabase(sent, names)).toEqual({
      ...{ uid: 3, name: "orders", status: "active", version: "7.4.2", engineVersion: "7.4" },
      ...{ replication: true, dataPersistence: "aof", crdt: false, crdtGuid: "g" },
      ...{ port: 12_001, endpoints: [{ host: "orders.ec.example.com", port: 12_001 }] },
      ...{ shards: 4, actionUid: "a-1", sent },
      modules: [
        { name: "search", version: "2.10.5" },
        { name: "bf", version: undefined },
      ],
    });
  });

  test("what is not sent, or of another type, is undefined", () => {
    const database = parseDatabase({ uid: "12", replication: "yes", shards_count: -1 }, names);
    expect(database).toMatchObject({ uid: 12, modules: [], sent: { uid: "12" } });
    expect([database?.replication, database?.shards]).toEqual([undefined, undefined]);
  });

  test("credentials are not kept, however deep they are", () => {
    const sent = {
      uid: 1,
      authentication_redis_pass: "p",
      tls: [{ client_key: "k", name: "n" }],
      sync: { uri_password: "x", shard_key_regex: "r", tokens: 1, at: 2 },
    };
    const kept = { uid: 1, tls: [{ name: "n" }], sync: { at: 2 } };
    expect(parseDatabase(sent, names)?.sent).toEqual(kept);
  });
});

describe("actions (S92)", () => {
  test("the older form and the newer say the same", () => {
    const head = { action_uid: "a", name: "SMUpgradeBDB", status: "active" };
    const more = { object_name: "bdb:7", error: "no" };
    const read = parseAction({ ...head, ...more }, names);
    expect(read).toMatchObject({ uid: "a", database: 7, is: "running", status: "active" });
    expect(read?.error).toBe("no");
    expect(parseAction({ ...head, additional_info: more }, names)).toEqual(read);
  });

  test.each<[string, string, readonly unknown[], unknown]>([
    ["is completed", "status", ["completed", "COMPLETED"], { is: "completed" }],
    [
      "failed",
      "status",
      ["failed", "aborted", "canceled", "Cancelled", "ERROR", "timed out", "timed-out"],
      { is: "failed" },
    ],
    [
      "is running",
      "status",
      ["pending", "active", "queued", "starting", "Running", "in progress", "in-progress"],
      { is: "running" },
    ],
    ["is not known", "status", ["a later word", undefined, 7], { is: "unknown" }],
    ["failed with a code", "error_code", ["no_room"], { errorCode: "no_room" }],
    ["failed with words", "error_message", ["no room"], { error: "no room" }],
    [
      "waits",
      "pending_ops",
      [{ 3: { status_description: "room", status_code: "c" } }, { 3: "room" }],
      { pending: ["shard 3: room"] },
    ],
    ["waits by a code", "pending_ops", [[{ status_code: "room" }]], { pending: ["room"] }],
    ["waits by a name", "pending_ops", [[{ op_name: "room" }, {}]], { pending: ["room"] }],
    ["waits for nothing", "pending_ops", [undefined, {}, 7, "room"], { pending: [] }],
    ["is half done", "progress", [50, "50", "50%"], { progress: 50 }],
    ["is no less than begun", "progress", [-1], { progress: 0 }],
    ["is no more than done", "progress", [101], { progress: 100 }],
    ["tells no progress", "progress", ["", "half", Infinity, null], { progress: undefined }],
    [
      "is of no database",
      "object_name",
      ["bdb:", "node:1", "bdb:x", "bdb:1:2"],
      { database: undefined },
    ],
  ])("it %s by its %s %j", (_title, ...[field, values, expected]) => {
    for (const value of values) {
      expect(parseAction({ ...one, [field]: value }, names)).toMatchObject(expected as object);
    }
  });
});

test.each<[readonly string[], string]>([
  [[], ""],
  [["a"], ": a"],
  [["a", "b"], ": a; b"],
  [["a", "b", "c", "d"], ": a; b; and 2 more"],
])("what %j waits for", (pending, said) => {
  expect(renderPending({ pending })).toBe(said);
});

test.each<[string | undefined, string | undefined, Trouble | undefined]>([
  ["insufficient_resources", undefined, "resources"],
  ["INSUFFICIENT_RESOURCES", "module", "resources"],
  ["no_quorum", undefined, "quorum"],
  ["license_expired", undefined, "license"],
  ["internal_error", "not enough memory on node 2 to sync shard 3", "resources"],
  [undefined, "node 1 lacks free disk", "resources"],
  [undefined, "cluster lost its quorum", "quorum"],
  [undefined, "the quorum is lost", "quorum"],
  [undefined, "the license has expired", "license"],
  ["missing_module", "the module is not installed", undefined],
  [undefined, "memory of the database is 2 GB", undefined],
  [undefined, undefined, undefined],
])("the code %p with the words %p says what lacks: %p", (code, message, lacks) => {
  expect(troubleIn({ code, message }, names)).toBe(lacks);
});

describe("modules (S45-S47, S54, S93)", () => {
  test("every field that is known is read", () => {
    const sent = {
      ...{ uid: "u", module_name: "rg", display_name: "EngineGears", semantic_version: "1.2.5" },
      ...{ min_engine_version: "7.2", compatible_engine_version: "7.4", is_bundled: false },
      platforms: { rhel8: {}, rhel9: {} },
    };
    expect(parseModule(sent, names)).toEqual({
      ...{ uid: "u", name: "rg", displayName: "EngineGears", version: "1.2.5" },
      ...{ minEngineVersion: "7.2", compatibleEngineVersion: "7.4", bundled: false },
      platforms: ["rhel8", "rhel9"],
    });
  });

  test("platforms as a list are read too, and absent is not none", () => {
    const of = (platforms?: unknown) =>
      parseModule({ module_name: "x", platforms }, names)?.platforms;
    expect([of(["a", 7, ""]), of({}), of()]).toEqual([["a"], [], undefined]);
  });

  const [engine, other] = ["7.2", "7.4"].map((version) => ({ compatibleEngineVersion: version }));
  test.each<[string, Partial<InstalledModule>, Partial<InstalledModule>, boolean]>([
    ["name and version", {}, {}, true],
    ["another name", { name: "x" }, {}, false],
    ["another version", { version: "2" }, {}, false],
    ["another engine", engine ?? {}, other ?? {}, false],
    ["the same engine", engine ?? {}, engine ?? {}, true],
    ["an engine that one side does not report", engine ?? {}, {}, true],
    ["a platform that is missing", { platforms: ["b"] }, { platforms: ["a"] }, false],
    ["one platform of several", { platforms: ["a"] }, { platforms: ["a", "b"] }, true],
    ["platforms that the list does not report", { platforms: ["a"] }, {}, true],
    ["platforms that the manifest does not report", {}, { platforms: ["a"] }, true],
  ])("%s: the same build or not", (...[, wanted, installed, same]) => {
    const found = aModule("rg", installed);
    expect(sameBuild(aModule("rg", wanted), [found])).toBe(same ? found : undefined);
  });

  test("labels and names", () => {
    const [plain, versioned] = [undefined, "1"].map((version) => aModule("rg", { version }));
    expect([plain, versioned].map((build) => build && moduleLabel(build))).toEqual(["rg", "rg 1"]);
    const called = (displayName?: string) => listModuleNames(aModule("rg", { displayName }));
    expect([called(), called("rg")]).toEqual([["rg"], ["rg"]]);
    expect(called("EngineGears")).toEqual(["rg", "EngineGears"]);
  });
});

test("license and nodes (S114)", () => {
  const license = { expired: false, expiration_date: "2027-01-01T00:00:00Z", shards_limit: 100 };
  expect(parseLicense(license, names)).toEqual({
    expired: false,
    expirationDate: "2027-01-01T00:00:00Z",
    shardsLimit: 100,
  });
  const typed = [
    { db_type: "engine", version: "7.2" },
    { db_type: "memcached", version: "1.6" },
    { version: "8.0" },
    { db_type: "engine" },
  ];
  const nodes = [
    { uid: 1, software_version: "8.0.2-2", supported_database_versions: ["7.2", 7, "8.0"] },
    { supported_database_versions: typed },
    {},
  ];
  expect(parseNodes(nodes, names)).toEqual([
    { uid: 1, softwareVersion: "8.0.2-2", supportedVersions: ["7.2", "8.0"] },
    { uid: undefined, softwareVersion: undefined, supportedVersions: ["7.2", "8.0"] },
    { uid: undefined, softwareVersion: undefined, supportedVersions: [] },
  ]);
});

describe("errors (S108-S115)", () => {
  test.each([
    [{ error_code: "c", message: "m" }, "c", "m"],
    [{ error_code: "c", description: "d" }, "c", "d"],
    ["text", undefined, undefined],
  ])("body %j", (body, code, message) => {
    expect(parseFailure(body, names)).toEqual({ code, message });
  });

  test.each(
    Object.entries({ 400: 3, 406: 3, 404: 1, 409: 5, 429: 69, 500: 69, 503: 69, 303: 1, 307: 69 }),
  )("an answer %s ends with %i", (status, exitCode) => {
    const answer = { status: Number(status), code: "c", message: undefined };
    const error = new ClusterApiError("no", answer);
    expect(error).toMatchObject({ exitCode, status: Number(status), apiCode: "c" });
    const forbidden = new ClusterApiPermissionError("no", answer);
    expect(forbidden).toMatchObject({ exitCode: 4, apiCode: "c" });
  });
});
