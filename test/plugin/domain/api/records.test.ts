import {
  type InstalledModule,
  parseAction,
  parseActions,
  parseDatabase,
  parseDatabases,
  parseLicense,
  parseNodes,
} from "../../../../plugin/domain/api/records";
import {
  ClusterApiError,
  ClusterApiPermissionError,
  parseFailure,
} from "../../../../plugin/domain/api/failure";
import {
  moduleLabel,
  namesOf,
  parseModule,
  parseModules,
  sameBuild,
} from "../../../../plugin/domain/api/modules";
import { defaultNames as names } from "../../../../plugin/domain/names";

const nonsense = [undefined, null, 1, "x", true];

describe("databases (S35-S40, S94)", () => {
  const sent = {
    uid: 3,
    name: "orders",
    status: "active",
    version: "7.4.2",
    engine_version: "7.4",
    replication: true,
    data_persistence: "aof",
    module_list: [
      { module_name: "search", semantic_version: "2.10.5" },
      { module_name: "bf" },
      { semantic_version: "1" },
      7,
    ],
    crdt: false,
    crdt_guid: "g",
    shards_count: 4,
    action_uid: "a-1",
  };

  test("every field that is known is read", () => {
    expect(parseDatabase(sent, names)).toEqual({
      uid: 3,
      name: "orders",
      status: "active",
      version: "7.4.2",
      engineVersion: "7.4",
      replication: true,
      dataPersistence: "aof",
      modules: [
        { name: "search", version: "2.10.5" },
        { name: "bf", version: undefined },
      ],
      crdt: false,
      crdtGuid: "g",
      shards: 4,
      actionUid: "a-1",
      sent,
    });
  });

  test("what is not sent, or of another type, is undefined", () => {
    const database = parseDatabase({ uid: "12", replication: "yes", shards_count: -1 }, names);
    expect(database).toMatchObject({ uid: 12, modules: [], sent: { uid: "12" } });
    expect(database?.replication).toBeUndefined();
    expect(database?.shards).toBeUndefined();
  });

  test("credentials are not kept, however deep they are", () => {
    const database = parseDatabase(
      {
        uid: 1,
        authentication_redis_pass: "p",
        tls: [{ client_key: "k", name: "n" }],
        sync: { uri_password: "x", shard_key_regex: "r", tokens: 1, at: 2 },
      },
      names,
    );
    expect(database?.sent).toEqual({ uid: 1, tls: [{ name: "n" }], sync: { at: 2 } });
  });

  test.each([...nonsense, [], {}, { uid: 1.5 }, { uid: "-1" }, { uid: "1".repeat(16) }])(
    "%j is no database",
    (value) => {
      expect(parseDatabase(value, names)).toBeUndefined();
      expect(parseDatabases([{ uid: 1 }, value], names)).toBeUndefined();
    },
  );

  test("a list is a list", () => {
    expect(parseDatabases([], names)).toEqual([]);
    expect(parseDatabases([{ uid: 1 }], names)).toHaveLength(1);
    for (const value of [...nonsense, {}]) expect(parseDatabases(value, names)).toBeUndefined();
  });
});

describe("actions (S92)", () => {
  test("the older form and the newer say the same", () => {
    const older = { action_uid: "a", name: "SMUpgradeBDB", object_name: "bdb:7", status: "active" };
    const newer = {
      action_uid: "a",
      name: "SMUpgradeBDB",
      status: "active",
      additional_info: { object_name: "bdb:7" },
    };
    const read = parseAction(older, names);
    expect(read).toMatchObject({ uid: "a", database: 7, is: "running", status: "active" });
    expect(parseAction(newer, names)).toEqual(read);
  });

  test.each([
    ["completed", "completed"],
    ["COMPLETED", "completed"],
    ["failed", "failed"],
    ["aborted", "failed"],
    ["canceled", "failed"],
    ["queued", "running"],
    ["a word of a later release", "running"],
    [undefined, "running"],
    [7, "running"],
  ])("status %j is %s", (status, is) => {
    expect(parseAction({ action_uid: "a", status }, names)?.is).toBe(is);
  });

  test.each([
    [12.5, 12.5],
    ["12.5", 12.5],
    ["80%", 80],
    [-1, 0],
    [101, 100],
    ["", undefined],
    ["half", undefined],
    [Infinity, undefined],
    [null, undefined],
  ])("progress %j is %j", (progress, percent) => {
    expect(parseAction({ action_uid: "a", progress }, names)?.progress).toBe(percent);
  });

  test("the error is where either form has it", () => {
    expect(parseAction({ action_uid: "a", error: "no" }, names)?.error).toBe("no");
    const newer = { action_uid: "a", additional_info: { error: "no" } };
    expect(parseAction(newer, names)?.error).toBe("no");
  });

  test.each(["bdb:", "node:1", "bdb:x", "bdb:1:2"])("%s is no database", (object) => {
    expect(parseAction({ action_uid: "a", object_name: object }, names)?.database).toBeUndefined();
  });

  test("a list, or one with the state machines beside the actions", () => {
    const one = { action_uid: "a" };
    expect(parseActions([one, {}], names)).toHaveLength(1);
    const both = { actions: [one], "state-machines": [{ action_uid: "b" }] };
    expect(parseActions(both, names)?.map(({ uid }) => uid)).toEqual(["a", "b"]);
    for (const value of [...nonsense, {}]) expect(parseActions(value, names)).toBeUndefined();
  });
});

describe("modules (S45-S47, S54, S93)", () => {
  test("every field that is known is read", () => {
    expect(
      parseModule(
        {
          uid: "u",
          module_name: "rg",
          display_name: "EngineGears",
          semantic_version: "1.2.5",
          platforms: { rhel8: {}, rhel9: {} },
          min_engine_version: "7.2",
          compatible_engine_version: "7.4",
          is_bundled: false,
        },
        names,
      ),
    ).toEqual({
      uid: "u",
      name: "rg",
      displayName: "EngineGears",
      version: "1.2.5",
      platforms: ["rhel8", "rhel9"],
      minEngineVersion: "7.2",
      compatibleEngineVersion: "7.4",
      bundled: false,
    });
  });

  test("platforms as a list are read too, and absent is not none", () => {
    const of = (platforms?: unknown) =>
      parseModule({ module_name: "x", platforms }, names)?.platforms;
    expect(of(["a", 7, ""])).toEqual(["a"]);
    expect(of({})).toEqual([]);
    expect(of()).toBeUndefined();
  });

  test("what has no name is not a module, and a list with one is none", () => {
    for (const value of [...nonsense, {}, { module_name: "" }]) {
      expect(parseModule(value, names)).toBeUndefined();
      expect(parseModules([{ module_name: "x" }, value], names)).toBeUndefined();
      if (!Array.isArray(value)) expect(parseModules(value, names)).toBeUndefined();
    }
    expect(parseModules([{ module_name: "x" }], names)).toHaveLength(1);
  });

  const build = (more: Partial<InstalledModule> = {}): InstalledModule => ({
    ...{ uid: undefined, name: "rg", displayName: undefined, version: "1" },
    ...{ platforms: undefined, minEngineVersion: undefined, bundled: undefined },
    compatibleEngineVersion: undefined,
    ...more,
  });

  test.each<[string, Partial<InstalledModule>, Partial<InstalledModule>, boolean]>([
    ["name and version", {}, {}, true],
    ["another name", { name: "x" }, {}, false],
    ["another version", { version: "2" }, {}, false],
    [
      "another engine",
      { compatibleEngineVersion: "7.2" },
      { compatibleEngineVersion: "7.4" },
      false,
    ],
    [
      "the same engine",
      { compatibleEngineVersion: "7.2" },
      { compatibleEngineVersion: "7.2" },
      true,
    ],
    ["an engine that one side does not report", { compatibleEngineVersion: "7.2" }, {}, true],
    ["a platform that is missing", { platforms: ["b"] }, { platforms: ["a"] }, false],
    ["one platform of several", { platforms: ["a"] }, { platforms: ["a", "b"] }, true],
    ["platforms that the list does not report", { platforms: ["a"] }, {}, true],
    ["platforms that the manifest does not report", {}, { platforms: ["a"] }, true],
  ])("%s: the same build or not", (...[, wanted, installed, same]) => {
    const found = build(installed);
    expect(sameBuild(build(wanted), [found])).toBe(same ? found : undefined);
  });

  test("labels and names", () => {
    expect(moduleLabel({ name: "rg", version: "1" })).toBe("rg 1");
    expect(moduleLabel({ name: "rg", version: undefined })).toBe("rg");
    expect(namesOf(build())).toEqual(["rg"]);
    expect(namesOf(build({ displayName: "rg" }))).toEqual(["rg"]);
    expect(namesOf(build({ displayName: "EngineGears" }))).toEqual(["rg", "EngineGears"]);
  });
});

describe("license and nodes (S114)", () => {
  test("a license", () => {
    const sent = { expired: false, expiration_date: "2027-01-01T00:00:00Z", shards_limit: 100 };
    expect(parseLicense(sent, names)).toEqual({
      expired: false,
      expirationDate: "2027-01-01T00:00:00Z",
      shardsLimit: 100,
    });
    expect(parseLicense([], names)).toBeUndefined();
  });

  test("nodes", () => {
    const sent = [
      { uid: 1, software_version: "8.0.2-2", supported_database_versions: ["7.2", 7, "8.0"] },
      {
        supported_database_versions: [
          { db_type: "engine", version: "7.2" },
          { db_type: "memcached", version: "1.6" },
          { version: "8.0" },
          { db_type: "engine" },
        ],
      },
      {},
    ];
    expect(parseNodes(sent, names)).toEqual([
      { uid: 1, softwareVersion: "8.0.2-2", supportedVersions: ["7.2", "8.0"] },
      { uid: undefined, softwareVersion: undefined, supportedVersions: ["7.2", "8.0"] },
      { uid: undefined, softwareVersion: undefined, supportedVersions: [] },
    ]);
    expect(parseNodes({}, names)).toBeUndefined();
  });
});

describe("errors (S108-S115)", () => {
  test.each([
    [{ error_code: "c", message: "m" }, "c", "m"],
    [{ error_code: "c", description: "d" }, "c", "d"],
    [{ message: "m" }, undefined, "m"],
    [{}, undefined, undefined],
    ["text", undefined, undefined],
    [undefined, undefined, undefined],
  ])("body %j", (body, code, message) => {
    expect(parseFailure(body, names)).toEqual({ code, message });
  });

  test.each([
    [400, 3],
    [406, 3],
    [404, 1],
    [409, 5],
    [429, 69],
    [500, 69],
    [503, 69],
    [307, 1],
  ])("an answer %i ends with %i", (status, exitCode) => {
    const error = new ClusterApiError("no", { status, code: "c", message: undefined });
    expect(error).toMatchObject({ exitCode, status, apiCode: "c", code: "CLUSTER-API" });
  });

  test("401 and 403 end with 4", () => {
    const error = new ClusterApiPermissionError("no", { status: 403, code: "c", message: "m" });
    expect(error).toMatchObject({ exitCode: 4, status: 403, apiCode: "c" });
  });
});
