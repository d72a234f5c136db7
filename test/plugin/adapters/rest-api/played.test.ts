import type { ApiFault } from "../../../../plugin/simulator/rest-api/faults";
import type { ApiProfile, ProfileName } from "../../../../plugin/simulator/rest-api/profiles";
import { ClusterApiError } from "../../../../plugin/domain/rest-api/errors";
import type { ClusterApi } from "../../../../plugin/ports/rest-api";
import { ManualClock } from "../../../support/manual-clock";
import { anApiClient, anApiEc, type ClientWish } from "../../../support/cluster-api-client";
import {
  aClusterApi,
  aModuleArchive,
  type ClusterApiForTest,
  type PlayedWish,
} from "../../../support/played-cluster-api";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});

const { signal } = new AbortController();

async function aPair(wish: PlayedWish = {}, client: ClientWish = {}) {
  const clock = new ManualClock();
  const played = await aClusterApi({ clock, ...wish });
  open.push(played);
  const { name, password } = played.admin;
  const asked = { url: played.url, caPem: played.caPem, username: name, password, clock };
  const api: ClusterApi = await anApiClient({ ...asked, ...client });
  open.push(api);
  return { played, api, clock };
}

async function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test("databases, modules, license and nodes are read as the service has them", async () => {
  const { api } = await aPair();
  const [database] = await api.databases(signal);
  expect(database).toMatchObject({ uid: 1, name: "orders", version: "7.2.0", status: "active" });
  expect((await api.modules(signal)).every(({ name }) => name !== "")).toBe(true);
  expect(await api.license(signal)).toMatchObject({ expired: false });
  const nodes = await api.nodes(signal);
  expect(nodes?.length).toBeGreaterThan(0);
  expect(nodes?.[0]?.supportedVersions).toEqual(["6.2", "7.2", "7.4"]);
  expect(await api.database(99, signal)).toBeUndefined();
  expect(await api.policy(signal)).toBeDefined();
});

test.each<ProfileName>(["7.4", "7.22", "8.0", "8.2"])(
  "an upgrade on %s answers with its action, which is then followed",
  async (profile) => {
    const { api, played } = await aPair({ profile, switched: { basic: true } });
    const target = played.profile.versions.at(-1) ?? "";
    const answer = await api.upgrade(1, { engine_version: target }, signal);
    expect(answer.uid).toBe(1);
    const action = await api.action(answer.actionUid ?? "", signal);
    expect(action).toMatchObject({ uid: answer.actionUid, is: "running" });
  },
);

test.each<[string, ApiProfile["errorBody"], string]>([
  [
    "without a body, by its published meaning (S111)",
    "none",
    "the capabilities of the new module version do not comply with the database configuration",
  ],
  ["with one, by its own words", "message", "lacks failover_migrate, which the database needs"],
])("a 406 is told %s", async (_title, errorBody, says) => {
  const { api, played } = await aPair({
    switched: { errorBody },
    bdbs: [
      {
        ...{ uid: 1, name: "orders", version: "7.2.0" },
        modules: [{ name: "search", version: "7.2.0", args: [] }],
      },
    ],
  });
  for (const [uid, module] of played.store.modules) {
    played.store.modules.set(uid, { ...module, capabilities: [] });
  }
  const error = await failure(api.upgrade(1, { engine_version: "7.4" }, signal));
  expect(error).toMatchObject({ status: 406, exitCode: 3 });
  expect((error as ClusterApiError).message).toContain(says);
  expect((error as ClusterApiError).hint).toContain("kubectl engine modules list");
});

test("a client whose basic credentials are switched off asks for a token", async () => {
  const switched = { basic: false, tokens: true };
  const ec = anApiEc({ engineEnterpriseImageSpec: { versionTag: "8.2.0-25.12" } });
  const { api } = await aPair({ profile: "8.2", switched }, { ec });
  expect(await api.databases(signal)).toHaveLength(1);
});

test("a user without the permission is told which one", async () => {
  const played = await aClusterApi();
  open.push(played);
  const { name, password } = played.viewer;
  const api = await anApiClient({ url: played.url, caPem: played.caPem, username: name, password });
  open.push(api);
  const error = await failure(api.upgrade(1, {}, signal));
  expect(error).toMatchObject({
    status: 403,
    exitCode: 4,
    hint: expect.stringContaining("update_bdb_with_action") as string,
  });
});

test.each([
  { wrong: "an unknown field", uid: 1, body: { nonsense: true }, status: 400 },
  { wrong: "no such database", uid: 77, body: {}, status: 404 },
  { wrong: "an unknown version", uid: 1, body: { engine_version: "1.0" }, status: 400 },
])("$wrong is an error with the server's status", async ({ uid, body, status }) => {
  const { api } = await aPair();
  const error = await failure(api.upgrade(uid, body, signal));
  expect(error).toBeInstanceOf(ClusterApiError);
  expect(error).toMatchObject({ status });
});

const archive = (more: object = {}): Uint8Array =>
  aModuleArchive({
    module_name: "rg",
    display_name: "EngineGears",
    semantic_version: "1.2.5",
    ...more,
  });

test("a module is uploaded, its progress told, its action followed", async () => {
  const { api } = await aPair({ profile: "7.22" });
  const seen: number[] = [];
  const upload = await api.installModule(
    { name: "folder/rg.zip", bytes: archive() },
    { signal, onProgress: ({ sent, of }) => seen.push(sent / of) },
  );
  expect(upload).toMatchObject({ through: "/v2/modules", module: { name: "rg" } });
  expect(upload.actionUid).toBeDefined();
  expect(seen.at(-1)).toBe(1);
});

describe("an upgrade whose outcome is open is looked for, and never sent again", () => {
  const posts = (played: ClusterApiForTest): number =>
    played.calls.filter(({ method }) => method === "POST").length;

  test.each<{ readonly name: string; readonly fault: ApiFault }>([
    { name: "cut after it was taken", fault: { does: "cut", when: "after" } },
    {
      name: "answered 500 after it was taken",
      fault: { does: "answer", status: 500, when: "after" },
    },
  ])("$name: the action that began is the proof", async ({ fault }) => {
    const { api, played } = await aPair();
    played.faults.add({ fault, method: "POST" });
    const answer = await api.upgrade(1, {}, signal);
    expect(answer).toMatchObject({ uid: 1, actionUid: expect.any(String) as string });
    expect(posts(played)).toBe(1);
    const action = await api.action(answer.actionUid ?? "", signal);
    expect(action?.database).toBe(1);
  });

  test("cut before: it did not take effect, for no action of it is in the list", async () => {
    const { api, played } = await aPair();
    played.faults.add({ fault: { does: "cut", when: "before" }, method: "POST" });
    const error = await failure(api.upgrade(1, {}, signal));
    expect(error).toMatchObject({
      exitCode: 69,
      message:
        "the request to upgrade database 1 did not take effect: it got no answer, and the list of actions read back has none of it",
      hint: expect.stringContaining("run the same command again") as string,
    });
    expect(posts(played)).toBe(1);
  });

  test("an action that was there before proves nothing", async () => {
    const { api, played } = await aPair();
    await api.upgrade(1, { force_restart: true }, signal);
    played.faults.add({ fault: { does: "cut", when: "before" }, method: "POST" });
    expect((await failure(api.upgrade(1, {}, signal))) as Error).toMatchObject({
      exitCode: 69,
      message: expect.stringContaining("did not take effect") as string,
    });
  });

  test("where the server keeps no actions it cannot be determined", async () => {
    const { api, played } = await aPair({ switched: { actions: false, bdbActions: false } });
    played.faults.add({ fault: { does: "cut", when: "after" }, method: "POST" });
    expect((await failure(api.upgrade(1, {}, signal))) as Error).toMatchObject({
      exitCode: 69,
      message: expect.stringContaining("cannot tell whether") as string,
    });
  });

  test("nor where the list cannot be read after it", async () => {
    const { api, played } = await aPair();
    played.faults.add({ fault: { does: "cut", when: "after" }, method: "POST" });
    const fault: ApiFault = { does: "answer", status: 500 };
    played.faults.add({ fault, method: "GET", path: /actions/, skip: 1, times: 99 });
    const error = (await failure(api.upgrade(1, {}, signal))) as Error;
    expect(error.message).toMatch(/cannot tell whether/);
  });
});

test.each<{
  readonly name: string;
  readonly switched: Partial<ApiProfile>;
  readonly told: boolean;
}>([
  { name: "a list for each database", switched: {}, told: true },
  { name: "one list of all", switched: { bdbActions: false }, told: true },
  { name: "no list", switched: { bdbActions: false, actions: false }, told: false },
])("actions of a database where the server has $name", async ({ switched, told }) => {
  const { api } = await aPair({ switched });
  await api.upgrade(1, {}, signal);
  const actions = await api.listActions(1, signal);
  expect(actions?.map(({ database }) => database)).toEqual(told ? [1] : undefined);
  expect(await api.listActions(77, signal).catch(() => [])).toEqual(told ? [] : undefined);
});

test("one action is found by the older call or the newer", async () => {
  const { api } = await aPair({ switched: { actions: false } });
  const { actionUid = "" } = await api.upgrade(1, {}, signal);
  expect(await api.action(actionUid, signal)).toMatchObject({ uid: actionUid });
  expect(await api.action("no/such action", signal)).toBeUndefined();
});

test("optional parts that are not served are undefined", async () => {
  const { api } = await aPair({ switched: { license: false, nodes: false, policy: false } });
  expect([await api.license(signal), await api.nodes(signal), await api.policy(signal)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("a half that an earlier run has brought is no failure", async () => {
  const { api, played } = await aPair({ profile: "8.0" });
  const file = { name: "rg.zip", bytes: archive() };
  played.faults.add({ fault: { does: "cut", when: "before" }, path: /artifacts/ });
  expect(await failure(api.installModule(file, { signal }))).toMatchObject({ exitCode: 69 });
  await api.installModule(file, { signal });
  expect((await api.modules(signal)).some(({ name }) => name === "rg")).toBe(true);
  expect(await api.installModule(file, { signal })).toMatchObject({ nodes: { given: 1 } });
});
