import { defaultNames } from "../../../../plugin/domain/names/names";
import { getPath, asArray } from "../../../../plugin/domain/base/values";
import type { BdbWish } from "../../../../plugin/simulator/rest-api/state";
import { entryFields, requestFields } from "../../../../plugin/simulator/rest-api/upgrade";
import { ManualClock } from "../../../support/manual-clock";
import {
  aClusterApi,
  type Answered,
  type ClusterApiForTest,
  type PlayedWish,
} from "../../../support/played-cluster-api";

const path = "/v1/bdbs/1/upgrade";
const search72 = { name: "search", version: "7.2.0", args: [] };
const withSearch: BdbWish = { uid: 1, name: "orders", version: "7.2.0", modules: [search72] };
const plain: BdbWish = { uid: 1, name: "orders", version: "7.2.0" };
const loose: BdbWish = { ...plain, replication: false, persistence: "disabled" };

let clock: ManualClock;
let api: ClusterApiForTest;
async function open(wish: PlayedWish = {}): Promise<void> {
  clock = new ManualClock();
  api = await aClusterApi({ clock, ...wish });
}
afterEach(async () => {
  await api.close();
});

const codeOf = ({ body }: Answered) => getPath(body, ["error_code"]);
const messageOf = ({ body }: Answered) => String(getPath(body, ["message"]));
const bdb = () => {
  const found = api.store.bdbs.get(1);
  if (found === undefined) throw new Error("no database 1");
  return found;
};

/** Starts an upgrade and lets it come to its end; every state of the action on the way. */
async function upgraded(body?: unknown) {
  const started = await api.call(path, { method: "POST", ...(body !== undefined && { body }) });
  expect(started).toMatchObject({ status: 200 });
  const uid = String(getPath(started.body, ["action_uid"]));
  const seen: unknown[] = [];
  for (let turn = 0; turn < 120; turn += 1) {
    clock.advance(1000);
    const { body: action } = await api.call(`/v1/actions/${uid}`);
    seen.push(action);
    if (["completed", "failed"].includes(String(getPath(action, ["status"])))) break;
  }
  return { started, seen, action: seen.at(-1) };
}

describe("S91, S108: a call that is taken", () => {
  test("answers with the database, busy now, and with the action that follows it", async () => {
    await open();
    const { started, seen, action } = await upgraded({ engine_version: "7.4" });
    expect(started.body).toMatchObject({
      ...{ uid: 1, replication: true, data_persistence: "aof", module_list: [] },
      ...{ status: "active-change-pending", version: "7.2.0" },
      action_uid: expect.any(String) as string,
    });
    expect(seen[0]).toMatchObject({ status: "active", object_name: "bdb:1" });
    expect(action).toMatchObject({ status: "completed", progress: 100 });
    const { body } = await api.call("/v1/bdbs/1");
    expect(body).toMatchObject({ status: "active", version: "7.4.0", engine_version: "7.4" });
    expect(body).not.toHaveProperty("action_uid");
  });

  test("progress never falls, and is 100 when all is done and not before", async () => {
    await open({ bdbs: [{ ...plain, shards: 6 }] });
    const { seen } = await upgraded({ parallel_shards_upgrade: 1 });
    const progress = seen.map((one) => Number(getPath(one, ["progress"])));
    expect(progress.toSorted((one, other) => one - other)).toEqual(progress);
    expect(progress.filter((one) => one === 100)).toHaveLength(1);
    expect(new Set(progress).size).toBeGreaterThan(6);
  });
});

describe("what each field does", () => {
  const ofDefaults: readonly (readonly [string, PlayedWish, unknown, object])[] = [
    ["S79: no body is all defaults", {}, undefined, { version: "7.4.0" }],
    ["S79: an empty object is all defaults", {}, {}, { version: "7.4.0" }],
    ["S88: the latest version by default", { profile: "8.0" }, {}, { version: "8.2.0" }],
    ["S88: the version that is asked for", { profile: "8.0" }, { engine_version: "7.4" }, { version: "7.4.0" }],
    ["S81: the present version is kept", {}, { keep_engine_version: true }, { version: "7.2.0" }],
    ["S81: the same, by its name", {}, { engine_version: "7.2" }, { version: "7.2.0" }],
    ["S81: keeping and naming the same version is no contradiction", {}, { keep_engine_version: true, engine_version: "7.2" }, { version: "7.2.0" }],
    ["S85: without it the roles have changed", {}, {}, { failovers: 1 }],
    ["S85: with it there is an extra failover", {}, { preserve_roles: true }, { failovers: 2 }],
    ["S84: data is thrown away although it is kept", {}, { force_discard: true }, { discarded: true, failovers: 0 }],
    ["S83: nothing is thrown away that something keeps", {}, { may_discard_data: true }, { discarded: false }],
    ["S83: data that nothing keeps is thrown away", { bdbs: [loose] }, { may_discard_data: true }, { discarded: true, version: "7.4.0" }],
    ["S84: that data too", { bdbs: [loose] }, { force_discard: true }, { discarded: true }],
    ["S83: no restart, no data lost", { bdbs: [loose] }, { engine_version: "7.2" }, { discarded: false }],
    ["S83: persistence keeps the data", { bdbs: [{ ...loose, persistence: "snapshot" }] }, {}, { discarded: false, version: "7.4.0" }],
    ["S82: the protocol is raised", { bdbs: [{ ...plain, crdtGuid: "g", crdtProtocol: 1 }] }, {}, { crdtProtocol: 2 }],
    ["S82: or kept", { bdbs: [{ ...plain, crdtGuid: "g", crdtProtocol: 1 }] }, { keep_crdt_protocol_version: true }, { crdtProtocol: 1 }],
    ["S90: any value is taken and does nothing", {}, { swap_roles: { x: [1] } }, { failovers: 1, version: "7.4.0" }],
    ["S63: bundled modules go with the engine", { bdbs: [withSearch] }, { engine_version: "7.4" }, { modules: [{ ...search72, version: "7.4.0" }] }],
    ["S43: arguments for the only module", { bdbs: [withSearch] }, { engine_version: "7.2", modules: [{ new_module_args: ["A", "1"] }] }, { modules: [{ ...search72, args: ["A", "1"] }] }],
    ["S41, S42: one build in the place of another", { bdbs: [withSearch] }, { engine_version: "7.4", modules: [{ current_module: "search-7.2", new_module: "search-7.4", new_module_args: ["B"] }] }, { modules: [{ ...search72, version: "7.4.0", args: ["B"] }] }],
    ["S42: the new build alone names the module", { bdbs: [withSearch] }, { engine_version: "7.4", modules: [{ new_module: "search-7.4" }] }, { modules: [{ ...search72, version: "7.4.0" }] }],
    ["S41: the present one alone means the newest that fits", { bdbs: [withSearch] }, { engine_version: "7.4", modules: [{ current_module: "search-7.2" }] }, { modules: [{ ...search72, version: "7.4.0" }] }],
  ]; // prettier-ignore
  test.each(ofDefaults)("%s", async (...[, wish, body, after]) => {
    await open(wish);
    const { action } = await upgraded(body);
    expect(action).toMatchObject({ status: "completed" });
    expect(bdb()).toMatchObject({ status: "active", ...after });
  });

  const restartsOf = () => bdb().shards.map(({ restarts }) => restarts);
  test("S80: the same version restarts nothing, unless it is forced", async () => {
    await open();
    await upgraded({ engine_version: "7.2" });
    expect(restartsOf()).toEqual([0, 0, 0, 0]);
    await upgraded({ engine_version: "7.2", force_restart: true });
    expect(restartsOf()).toEqual([1, 1, 1, 1]);
  });

  test("shards that run the version already are not restarted again", async () => {
    await open();
    api.store.failing.set(1, "no memory");
    await upgraded({});
    api.store.failing.clear();
    const [first, ...rest] = bdb().shards;
    const done = await upgraded({});
    expect(done.action).toMatchObject({ status: "completed" });
    const before = bdb();
    api.store.put({ ...before, version: "7.2.0" });
    expect([first, ...rest]).toHaveLength(4);
    await upgraded({});
    expect(restartsOf()).toEqual([1, 1, 1, 1]);
  });

  test.each([
    [undefined, [4, 4]],
    [1, [1, 1, 1, 1, 1, 1, 1, 1]],
    [3, [3, 1, 3, 1]],
    [99, [4, 4]],
  ])("S86, S116: with parallel_shards_upgrade %p batches are of %j", async (atOnce, batches) => {
    await open({ bdbs: [{ ...plain, shards: 4 }] });
    const counts: number[] = [];
    api.store.onChange(({ shards }) => {
      counts.push(shards.filter(({ restarts }) => restarts > 0).length);
    });
    await upgraded(atOnce === undefined ? {} : { parallel_shards_upgrade: atOnce });
    const steps = counts.map((count, index) => count - (counts[index - 1] ?? 0));
    expect(steps.filter((step) => step > 0)).toEqual(batches);
  });

  test("replicas restart before masters, and data is never without a running copy", async () => {
    await open();
    const first: string[] = [];
    api.store.onChange(({ shards }) => {
      first.push(
        shards
          .filter(({ restarts }) => restarts === 0)
          .map(({ role }) => role)
          .join(),
      );
    });
    await upgraded({});
    expect(first).toContain("master,master");
    expect(first).toContain("replica,replica");
    expect(first.at(-1)).toBe("");
  });

  test.each([
    ["7.4", { engine_version: "7.2" }, "1.0.0"],
    ["7.22", { engine_version: "7.2" }, "1.2.0"],
    ["7.22", { engine_version: "7.2", latest_with_modules: false }, "1.0.0"],
    ["7.4", { engine_version: "7.2", latest_with_modules: true }, "1.2.0"],
  ] as const)(
    "S89: on %s, %j leaves the user's module at %s … of 1.0.0 and 1.2.0",
    async (profile, body, version) => {
      const rg = { name: "rg", displayName: "Gears", isBundled: false, minEngineVersion: "7.2" };
      await open({
        profile,
        bdbs: [{ ...plain, modules: [{ name: "rg", version: "1.0.0", args: [] }] }],
      });
      for (const one of ["1.0.0", "1.2.0"])
        api.store.modules.set(one, { ...rg, uid: one, version: one });
      await upgraded(body);
      expect(bdb().modules).toMatchObject([{ version }]);
    },
  );
});

describe("S109–S111, C22: what is refused changes nothing", () => {
  const wrong = (field: string, values: readonly unknown[]) =>
    values.map(
      (value) => [`${field} is ${JSON.stringify(value)}`, { [field]: value }, [field]] as const,
    );
  const notBoolean = ["true", 1, null, [], {}];
  const cases: readonly (readonly [string, unknown, readonly string[]])[] = [
    ...requestFields
      .filter(({ kind }) => kind === "boolean")
      .flatMap(({ key }) => wrong(defaultNames.upgradeRequest[key], notBoolean)),
    ...wrong("parallel_shards_upgrade", [0, -1, 1.5, "2", null, 1e300]),
    ...wrong("engine_version", [7.4, "", "7", "7.4.1", "latest", null, ["7.4"]]),
    ...wrong("modules", [{}, "search", null]),
    ["an unknown field", { sideways: true }, ["sideways"]],
    ["a field of an object's inside", JSON.parse('{"__proto__": {}}'), ["__proto__"]],
    ["an entry that is not an object", { modules: ["search"] }, ["modules[0]"]],
    ["an empty entry", { modules: [{}] }, ["modules[0]"]],
    ["an unknown field of an entry", { modules: [{ version: "1" }] }, ["modules[0].version"]],
    ...entryFields.map(({ key }) => {
      const field = defaultNames.upgradeRequest[key];
      return [`${field} is 7`, { modules: [{ [field]: 7 }] }, [`modules[0].${field}`]] as const;
    }),
    ["every problem at once", { x: 1, force_restart: 1, modules: [{ y: 1 }] }, ["x", "force_restart", "modules[0].y"]],
    ["a list", [], ["no JSON object"]],
    ["null", "null", ["no JSON object"]],
    ["a text", '"x"', ["no JSON object"]],
    ["no JSON", "{", ["no JSON"]],
    ["no UTF-8", Buffer.from([0x22, 0xff, 0x22]), ["no JSON"]],
    ["keep and latest", { keep_engine_version: true, latest_with_modules: true }, ["keep_engine_version", "latest_with_modules"]],
    ["keep and another version", { keep_engine_version: true, engine_version: "7.4" }, ["keep_engine_version", "engine_version"]],
    ["latest and an older version", { latest_with_modules: true, engine_version: "7.2" }, ["latest_with_modules", "engine_version"]],
    ["latest and a module by name", { latest_with_modules: true, modules: [{ new_module: "search-7.4" }] }, ["latest_with_modules", "new_module"]],
    ["a version that the cluster does not have", { engine_version: "9.9" }, ["9.9", "6.2, 7.2, 7.4"]],
    ["a lower version", { engine_version: "6.2" }, ["6.2 is lower"]],
  ]; // prettier-ignore
  beforeEach(async () => {
    await open();
  });
  test.each(cases)("400: %s", async (_, body, named) => {
    const before = JSON.stringify([...api.store.bdbs.values()]);
    const answer = await api.call(path, { method: "POST", body });
    expect(answer.status).toBe(400);
    for (const word of named) expect(messageOf(answer)).toContain(word);
    expect(JSON.stringify([...api.store.bdbs.values()])).toBe(before);
    expect(api.store.actions.size).toBe(0);
  });
});

describe("modules that are refused", () => {
  const old = { uid: "old", name: "search", displayName: "s", version: "6.9.0", isBundled: false };
  const cases: readonly (readonly [string, object, number, string])[] = [
    ["not installed", { modules: [{ new_module: "nothing" }] }, 400, "missing_module"],
    ["not in use", { modules: [{ current_module: "bf-7.2" }] }, 400, "missing_module"],
    ["of another version than the one in use", { modules: [{ current_module: "search-7.4" }] }, 400, "missing_module"],
    ["older", { engine_version: "7.2", modules: [{ new_module: "old" }] }, 400, "module_downgrade_unsupported"],
    ["for another engine version", { engine_version: "7.2", modules: [{ new_module: "search-7.4" }] }, 400, "engine_incompatible_version"],
    ["not the same", { modules: [{ current_module: "search-7.2", new_module: "bf-7.4" }] }, 400, "bad_request"],
    ["named twice", { modules: [{ new_module: "search-7.4" }, { current_module: "search-7.2" }] }, 400, "bad_request"],
    ["S111: not able to do what the database needs", { modules: [{ new_module: "weak" }] }, 406, "unsupported_module_capabilities"],
  ]; // prettier-ignore
  test.each(cases)("%s", async (...[, body, status, code]) => {
    await open({ bdbs: [withSearch] });
    api.store.modules.set("old", old);
    api.store.modules.set("weak", {
      ...old,
      uid: "weak",
      version: "7.5.0",
      capabilities: ["types"],
    });
    const answer = await api.call(path, { body });
    expect([answer.status, codeOf(answer)]).toEqual([status, code]);
    expect(api.store.actions.size).toBe(0);
  });

  test("an entry without a name fits only a database with one module", async () => {
    await open();
    const answer = await api.call(path, { body: { modules: [{ new_module_args: [] }] } });
    expect(answer.status).toBe(400);
  });

  test.each([
    ["no build of it fits the new version", true, "engine_incompatible_version"],
    ["it is not installed at all", false, "missing_module"],
  ])("a user's module stops the upgrade where %s", async (_, isInstalled, code) => {
    const used = { name: "rg", version: "1.0.0", args: [] };
    await open({ bdbs: [{ ...plain, modules: [used] }] });
    if (isInstalled) {
      const build = { ...old, uid: "rg", name: "rg", version: "1.0.0" };
      api.store.modules.set("rg", { ...build, compatibleEngineVersion: "7.2" });
    }
    const answer = await api.call(path, { body: { engine_version: "7.4" } });
    expect([answer.status, codeOf(answer)]).toEqual([400, code]);
  });
});

describe("codes of the call", () => {
  test.each([
    ["400, a text", "/v1/bdbs/orders/upgrade", 400],
    ["400, negative", "/v1/bdbs/-1/upgrade", 400],
    ["400, no whole number", "/v1/bdbs/1.5/upgrade", 400],
    ["400, not written as a number", "/v1/bdbs/0x1/upgrade", 400],
    ["400, beyond all numbers", "/v1/bdbs/99999999999999999999/upgrade", 400],
    ["400, not readable", "/v1/bdbs/%E0%A4%A/upgrade", 400],
    ["S110: 404, unknown", "/v1/bdbs/2/upgrade", 404],
    ["S110: 404, zero", "/v1/bdbs/0/upgrade", 404],
  ])("uid: %s", async (_, at, status) => {
    await open();
    expect(await api.call(at, { body: {} })).toMatchObject({ status });
  });

  test("S104: 403 without the permission, and it is named", async () => {
    await open();
    const answer = await api.call(path, { body: {}, as: "viewer" });
    expect(answer.status).toBe(403);
    expect(messageOf(answer)).toContain("update_bdb_with_action");
    expect(await api.call("/v1/bdbs", { as: "viewer" })).toMatchObject({ status: 200 });
  });

  test("C22: 409 while an action is at work, and the next call is taken", async () => {
    await open({ bdbs: [plain, { ...plain, uid: 2 }] });
    await api.call(path, { body: {} });
    expect(await api.call(path, { body: {} })).toMatchObject({ status: 409 });
    expect(await api.call("/v1/bdbs/2/upgrade", { body: {} })).toMatchObject({ status: 200 });
    clock.advance(60_000);
    expect(await api.call(path, { body: {} })).toMatchObject({ status: 200 });
  });

  test("C22: 400 for data that would be lost, naming the field that allows it", async () => {
    await open({ bdbs: [loose] });
    const answer = await api.call(path, { body: {} });
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toContain("may_discard_data");
    expect(bdb()).toMatchObject({ status: "active", discarded: false });
  });

  test("403 when the license has expired", async () => {
    await open();
    clock.advance(365 * 24 * 3_600_000);
    const answer = await api.call(path, { body: {} });
    expect([answer.status, codeOf(answer)]).toEqual([403, "license_expired"]);
  });

  test("an upgrade whose shards do not come up ends as failed, with the reason, and can be tried again", async () => {
    await open();
    api.store.failing.set(1, "no memory left");
    const { action } = await upgraded({});
    expect(action).toMatchObject({ status: "failed", error: "no memory left" });
    expect(bdb()).toMatchObject({ status: "active", version: "7.2.0" });
    api.store.failing.clear();
    expect((await upgraded({})).action).toMatchObject({ status: "completed" });
  });

  test("an upgrade of a database that goes away has failed", async () => {
    await open();
    const { body } = await api.call(path, { body: {} });
    api.store.bdbs.delete(1);
    clock.advance(60_000);
    const answer = await api.call(`/v1/actions/${String(getPath(body, ["action_uid"]))}`);
    expect(answer.body).toMatchObject({ status: "failed" });
  });
});

describe("S120: deprecated fields are taken, and warned about as of 7.8.2", () => {
  const all = {
    keep_engine_version: true,
    latest_with_modules: false,
    modules: [{ current_module: "search-7.2", new_module: "search-7.2" }],
  };
  const warningsOf = ({ headers }: Answered) => asArray([headers["warning"]].flat()).join(" ");
  test.each([
    ["7.22", ["keep_engine_version", "latest_with_modules", "current_module", "new_module"]],
    ["7.4", []],
  ] as const)("on %s", async (profile, named) => {
    await open({ profile, bdbs: [withSearch] });
    const answer = await api.call(path, { body: all });
    expect(answer.status).toBe(200);
    const warnings = warningsOf(answer);
    expect(
      named.filter((word) => !warnings.includes(`${word} is deprecated as of v7.8.2`)),
    ).toEqual([]);
    expect(named.length === 0 ? warnings : "").toBe("");
  });

  test("nothing is warned about that was not given", async () => {
    await open();
    expect(warningsOf(await api.call(path, { body: { force_restart: true } }))).toBe("");
  });
});
