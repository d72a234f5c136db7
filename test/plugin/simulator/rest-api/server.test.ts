import { connect } from "node:tls";
import { once } from "node:events";
import { getPath } from "../../../../plugin/domain/base/values";
import { ManualClock } from "../../../support/manual-clock";
import {
  aClusterApi,
  aForm,
  aModuleArchive,
  type Answered,
  basicOf,
  type Caller,
  called,
  type ClusterApiForTest,
  type PlayedWish,
} from "../../../support/played-cluster-api";

const upgrade = "/v1/bdbs/1/upgrade";
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

describe("S105, S106: who calls", () => {
  const header = (authorization: string): Caller => ({ authorization });
  const cases: readonly (readonly [string, () => Caller])[] = [
    ["nobody", () => "nobody"],
    ["a wrong password", () => header(basicOf({ ...api.admin, password: "wrong-secret" }))],
    ["an empty password", () => header(basicOf({ ...api.admin, password: "" }))],
    ["another's password", () => header(basicOf({ ...api.admin, password: api.viewer.password }))],
    ["an unknown name", () => header(basicOf({ ...api.admin, name: "wrong-secret" }))],
    ["another scheme", () => header(`Digest ${api.admin.password}`)],
    ["no base64", () => header("Basic wrong-secret%%%")],
    ["no colon", () => header(`Basic ${Buffer.from("wrong-secret").toString("base64")}`)],
    ["an unknown token", () => header("Bearer wrong-secret")],
    ["nothing but a scheme", () => header("Basic")],
  ];
  test.each(cases)("401 with a challenge, and nothing is echoed: %s", async (_, as) => {
    await open();
    for (const [path, body] of [["/v1/bdbs"], [upgrade, { sideways: 1 }]] as const) {
      const answer = await api.call(path, { as: as(), ...(body && { body }) });
      expect(answer.status).toBe(401);
      expect(answer.headers["www-authenticate"]).toMatch(/^Basic /);
      expect(answer.text).not.toContain("wrong-secret");
    }
    expect(api.store.actions.size).toBe(0);
  });

  test("a password may hold a colon", async () => {
    await open();
    const user = { name: "u", password: "a:b:c", permissions: [] };
    api.store.users = [...api.store.users, user];
    expect(await api.call("/v1/bdbs", { as: header(basicOf(user)) })).toMatchObject({
      status: 200,
    });
  });

  test("a token serves as long as it was asked for", async () => {
    await open();
    const { name: username, password } = api.admin;
    const { body } = await api.call("/v1/users/authorize", {
      as: "nobody",
      body: { username, password, ttl: 60 },
    });
    const token = String(getPath(body, ["access_token"]));
    for (const scheme of ["JWT", "Bearer"]) {
      const answer = await api.call("/v1/bdbs", { as: header(`${scheme} ${token}`) });
      expect(answer.status).toBe(200);
    }
    clock.advance(60_000);
    expect(await api.call("/v1/bdbs", { as: header(`JWT ${token}`) })).toMatchObject({
      status: 401,
    });
  });

  test.each([
    [{ ttl: 0 }, 400],
    [{ ttl: 86_401 }, 400],
    [{ ttl: 1.5 }, 400],
    [{ ttl: "60" }, 400],
    [{ more: 1 }, 400],
    [{ password: "wrong" }, 401],
    [{}, 200],
  ])("asking for a token with %j is %i", async (more, status) => {
    await open();
    const { name: username, password } = api.admin;
    const body = { username, password, ...more };
    expect(await api.call("/v1/users/authorize", { as: "nobody", body })).toMatchObject({ status });
  });

  test("where basic credentials are switched off they are 401, and a token helps", async () => {
    await open({ switched: { basic: false } });
    const refused = await api.call("/v1/bdbs");
    expect([refused.status, refused.headers["www-authenticate"]]).toEqual([401, "Bearer"]);
    const { name: username, password } = api.admin;
    const { body } = await api.call("/v1/users/authorize", {
      as: "nobody",
      body: { username, password },
    });
    const as = header(`Bearer ${String(getPath(body, ["access_token"]))}`);
    expect(await api.call("/v1/bdbs", { as })).toMatchObject({ status: 200 });
  });
});

describe("bodies and paths", () => {
  beforeEach(async () => {
    await open();
  });
  test("S118: more than a mebibyte of JSON is 413", async () => {
    const body = JSON.stringify({ swap_roles: "x".repeat(20 * 1024 * 1024) });
    const answer = await api.call(upgrade, { body });
    expect([answer.status, codeOf(answer)]).toEqual([413, "too_large"]);
    expect(api.store.actions.size).toBe(0);
  });

  test.each([
    ["without a type", { "content-type": "" }, 400],
    ["of another type", { "content-type": "text/plain" }, 400],
    ["compressed", { "content-encoding": "gzip" }, 400],
    ["with a charset", { "content-type": "application/json; charset=utf-8" }, 200],
  ])("S78: a body %s", async (_, headers, status) => {
    expect(await api.call(upgrade, { body: "{}", headers })).toMatchObject({ status });
  });

  test.each([
    ["GET", "/", 404],
    ["GET", "/v1", 404],
    ["GET", "/v2/bdbs", 404],
    ["GET", "/v1/bdbs/1/2", 404],
    ["GET", "/v1/bdbs/", 200],
    ["GET", "/v1/bdbs?fields=uid", 200],
    ["GET", "/v1/bdbs/2", 404],
    ["GET", "/v1/bdbs/x", 400],
    ["GET", "/v1/actions/none", 404],
    ["GET", "/v1/actions/bdb/2", 404],
    ["GET", "/v2/actions/none", 404],
    ["DELETE", "/v1/bdbs/1", 405],
    ["GET", upgrade, 405],
    ["POST", "/v1/bdbs", 405],
  ])("%s %s is %i", async (method, path, status) => {
    const answer = await api.call(path, { method });
    expect(answer.status).toBe(status);
    expect(answer.body).toBeDefined();
  });

  test("S76: the name that was called is on record, credentials are not", async () => {
    await api.call("/v1/bdbs", { headers: { host: "ec.engine.svc.cluster.local:9443" } });
    expect(api.calls).toEqual([
      { method: "GET", path: "/v1/bdbs", host: "ec.engine.svc.cluster.local:9443", status: 200 },
    ]);
    expect(JSON.stringify(api.calls)).not.toContain(api.admin.password);
  });

  test("what is no HTTP does no harm", async () => {
    const socket = connect({ port: api.port, host: "127.0.0.1", ca: api.caPem });
    await once(socket, "secureConnect");
    socket.write("\u0000\u0001 nonsense\r\n\r\n");
    socket.resume();
    await once(socket, "close");
    expect(await api.call("/v1/bdbs")).toMatchObject({ status: 200 });
  });
});

describe("S115: bodies of errors, in every shape that clients meet", () => {
  test.each([
    ["message", { error_code: "not_found", message: "database 9 does not exist" }],
    ["description", { error_code: "not_found", description: "database 9 does not exist" }],
    ["none", undefined],
  ] as const)("%s", async (errorBody, body) => {
    await open({ switched: { errorBody } });
    expect(await api.call("/v1/bdbs/9")).toMatchObject({ status: 404, body });
  });
});

describe("failures on demand", () => {
  beforeEach(async () => {
    await open();
  });
  const actions = () => api.store.actions.size;

  test.each([500, 503])("S112: %i, once, and nothing was done", async (status) => {
    api.faults.add({ path: upgrade, fault: { does: "answer", status } });
    expect(await api.call(upgrade, { body: {} })).toMatchObject({ status });
    expect(actions()).toBe(0);
    expect(await api.call(upgrade, { body: {} })).toMatchObject({ status: 200 });
  });

  test("500 after the work was done", async () => {
    api.faults.add({ method: "POST", fault: { does: "answer", status: 500, when: "after" } });
    expect(await api.call("/v1/bdbs")).toMatchObject({ status: 200 });
    expect(await api.call(upgrade, { body: {} })).toMatchObject({ status: 500 });
    expect(actions()).toBe(1);
  });

  test.each([
    ["before", 0],
    ["after", 1],
  ] as const)("the connection is cut %s the work was done", async (when, count) => {
    api.faults.add({ path: /upgrade$/, fault: { does: "cut", when } });
    await expect(api.call(upgrade, { body: {} })).rejects.toThrow();
    expect(actions()).toBe(count);
    expect(api.calls.at(-1)).toMatchObject({ path: upgrade, status: 0 });
  });

  test("a call that fits may be let through first, and a failure may last", async () => {
    api.faults.add({ fault: { does: "answer", status: 503 }, skip: 1, times: 2 });
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1) statuses.push((await api.call("/v1/bdbs")).status);
    expect(statuses).toEqual([200, 503, 503, 200]);
  });

  test("slow: by the service's clock", async () => {
    api.faults.add({ fault: { does: "slow", ms: 90_000 } });
    expect(await api.call("/v1/bdbs")).toMatchObject({ status: 200 });
    expect(clock.sleeps).toEqual([90_000]);
  });

  test("no answer at all, until the service is closed", async () => {
    api.faults.add({ fault: { does: "hang" } });
    const waiting = api.call("/v1/bdbs").catch(() => "cut");
    await api.call("/v1/modules");
    await api.close();
    expect(await waiting).toBe("cut");
    await open();
  });

  test("a redirect keeps the path, and 307 the method", async () => {
    api.faults.add({ fault: { does: "redirect", to: "https://node-2.invalid" } });
    const answer = await api.call(upgrade, { body: {} });
    expect([answer.status, answer.headers.location]).toEqual([
      307,
      `https://node-2.invalid${upgrade}`,
    ]);
  });

  test("an answer that is no JSON", async () => {
    api.faults.add({ fault: { does: "garbage", body: "<html>" } });
    expect(await api.call("/v1/bdbs")).toMatchObject({ status: 200, text: "<html>" });
  });

  test("an action that has ended is forgotten, and the database tells what came of it", async () => {
    const { body } = await api.call(upgrade, { body: {} });
    const path = `/v1/actions/${String(getPath(body, ["action_uid"]))}`;
    api.faults.add({ path, fault: { does: "forget" }, times: 2 });
    expect(await api.call(path)).toMatchObject({ status: 200 });
    clock.advance(60_000);
    expect(await api.call(path)).toMatchObject({ status: 404 });
    expect((await api.call("/v1/bdbs/1")).body).toMatchObject({
      status: "active",
      version: "7.4.0",
    });
  });

  test("planned failures can be taken back", async () => {
    api.faults.add({ fault: { does: "hang" } });
    api.faults.clear();
    expect(await api.call("/v1/bdbs")).toMatchObject({ status: 200 });
  });
});

test.each([
  ["x", 505],
  ["0", 505],
  ["1", 200],
] as const)(
  "the header x-api-version %s is answered with %i (domain facts 9)",
  async (version, status) => {
    await open();
    const answered = await api.call("/v1/bdbs", { headers: { "x-api-version": version } });
    expect(answered.status).toBe(status);
  },
);

test("a certificate whose time is over is not accepted", async () => {
  await open({ expiredCertificate: true });
  await expect(called(`${api.url}/v1/bdbs`, { ca: api.caPem })).rejects.toMatchObject({
    code: "CERT_HAS_EXPIRED",
  });
});

test("an error of the service itself is 500, and says nothing of its inside (S112)", async () => {
  await open();
  Object.defineProperty(api.store, "license", {
    get: () => {
      throw new Error("secret inside");
    },
  });
  const answer = await api.call(upgrade, { body: {} });
  expect([answer.status, codeOf(answer)]).toEqual([500, "internal_error"]);
  expect(answer.text).not.toContain("secret");
});

describe("old and new servers", () => {
  const form = aForm({ module: aModuleArchive({ module_name: "rg", semantic_version: "1.2.5" }) });
  const calls = [
    ["GET", "/v1/modules"],
    ["POST", "/v2/modules"],
    ["POST", "/v2/modules/user-defined"],
    ["POST", "/v2/local/modules/user-defined/artifacts"],
    ["GET", "/v1/actions"],
    ["GET", "/v1/actions/bdb/1"],
    ["GET", "/v2/actions/none"],
    ["GET", "/v1/license"],
    ["GET", "/v1/cluster/policy"],
    ["GET", "/v1/nodes"],
  ] as const;
  test.each([
    ["7.4", [200, 200, 404, 404, 200, 404, 404, 200, 200, 200]],
    ["7.22", [200, 200, 404, 404, 200, 200, 404, 200, 200, 200]],
    ["8.0", [200, 405, 400, 200, 200, 200, 404, 200, 200, 200]],
    ["8.2", [200, 404, 403, 403, 200, 200, 404, 200, 200, 200]],
  ] as const)("%s", async (profile, statuses) => {
    await open({ profile });
    const found: number[] = [];
    for (const [method, path] of calls) {
      const upload = method === "POST" && !path.endsWith("user-defined");
      found.push((await api.call(path, { method, ...(upload && form) })).status);
    }
    expect(found).toEqual(statuses);
  });

  test.each([
    ["actions", "/v1/actions"],
    ["bdbActions", "/v1/actions/bdb/1"],
    ["license", "/v1/license"],
    ["policy", "/v1/cluster/policy"],
    ["nodes", "/v1/nodes"],
  ] as const)("%s can be switched off", async (part, path) => {
    await open({ switched: { [part]: false } });
    expect(await api.call(path)).toMatchObject({ status: 404 });
  });

  test("progress is a text on old servers, and actions have other states in the newer form", async () => {
    await open({ profile: "7.4", switched: { newerActions: true } });
    const started = await api.call(upgrade, { body: { force_restart: true } });
    const uid = String(getPath(started.body, ["action_uid"]));
    expect((await api.call(`/v1/actions/${uid}`)).body).toMatchObject({
      status: "pending",
      progress: "0.0",
    });
    expect((await api.call(`/v2/actions/${uid}`)).body).toMatchObject({ status: "queued" });
    clock.advance(1000);
    expect((await api.call(`/v2/actions/${uid}`)).body).toMatchObject({ status: "running" });
    api.store.failing.set(1, "why");
    clock.advance(60_000);
    expect((await api.call(`/v2/actions/${uid}`)).body).toMatchObject({
      status: "failed",
      additional_info: { object_name: "bdb:1", error: "why" },
    });
  });
});

test("nodes tell what they run and can run, the policy its default", async () => {
  await open({ profile: "8.0" });
  api.store.upgradePolicy = "major";
  expect((await api.call("/v1/nodes")).body).toMatchObject([
    {
      uid: 1,
      software_version: "8.0.2-2",
      supported_database_versions: ["6.2", "7.2", "7.4", "8.0", "8.2"].map((version) => ({
        db_type: "engine",
        version,
      })),
    },
    { uid: 2 },
    { uid: 3 },
  ]);
  expect((await api.call("/v1/cluster/policy")).body).toEqual({
    engine_upgrade_policy: "major",
    default_provisioned_engine_version: "8.2",
  });
});
