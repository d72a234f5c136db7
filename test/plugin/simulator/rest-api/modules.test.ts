import { getPath } from "../../../../plugin/domain/base/values";
import { knownCapabilities } from "../../../../plugin/simulator/rest-api/state";
import { ManualClock } from "../../../support/manual-clock";
import {
  aClusterApi,
  aForm,
  aModuleArchive,
  type Answered,
  type ClusterApiForTest,
  type PlayedWish,
} from "../../../support/played-cluster-api";

const gears = { module_name: "rg", display_name: "EngineGears", semantic_version: "1.2.5" };
const path = "/v2/modules";
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
const formOf = (manifest: Parameters<typeof aModuleArchive>[0]) =>
  aForm({ module: aModuleArchive(manifest) });
async function named(name: string): Promise<readonly unknown[]> {
  const { body } = await api.call("/v1/modules");
  return (body as readonly unknown[]).filter((one) => getPath(one, ["module_name"]) === name);
}

test("S93, S45–S47: installed modules have name, version and platforms", async () => {
  await open();
  expect(await named("search")).toContainEqual({
    ...{ uid: "search-7.4", module_name: "search", display_name: "search" },
    ...{ semantic_version: "7.4.0", min_engine_version: "7.4", compatible_engine_version: "7.4" },
    ...{ is_bundled: true, capabilities: knownCapabilities, platforms: { rhel9: {} } },
  });
});

test("newer servers tell no platforms", async () => {
  await open({ profile: "8.0" });
  expect((await named("search"))[0]).not.toHaveProperty("platforms");
});

test("S95: an archive is installed when its action has ended", async () => {
  await open();
  const answer = await api.call(path, formOf(gears));
  expect(answer).toMatchObject({
    status: 200,
    body: { ...gears, action_uid: expect.any(String) as string },
  });
  expect(await named("rg")).toEqual([]);
  clock.advance(3000);
  expect(await named("rg")).toMatchObject([{ ...gears, is_bundled: false }]);
  const uid = String(getPath(answer.body, ["action_uid"]));
  expect((await api.call(`/v1/actions/${uid}`)).body).toMatchObject({ status: "completed" });
  expect((await api.call("/v1/actions")).body).toMatchObject({
    actions: [{ action_uid: uid }],
    "state-machines": [],
  });
});

const many = Array.from({ length: 9 }, (_, n) => [`f${n}`, aModuleArchive(gears)] as const);
const broken = (cut: (text: string) => string) => {
  const form = formOf(gears);
  const text = Buffer.from(form.body as Uint8Array).toString("latin1");
  return { ...form, body: Buffer.from(cut(text), "latin1") };
};
const refused: readonly (readonly [string, object, number, string])[] = [
  ["no form", { method: "POST", body: "{}" }, 400, "no_module"],
  ["nothing at all", { method: "POST" }, 400, "no_module"],
  ["a form without a file", aForm({}, { x: "1" }), 400, "no_module"],
  ["the field is not a file", aForm({}, { module: "x" }), 400, "no_module"],
  ["a file of another name", aForm({ file: aModuleArchive(gears) }), 400, "no_module"],
  ["two files", aForm({ module: aModuleArchive(gears), more: aModuleArchive(gears) }), 400, "invalid_module"],
  ["far too many files", aForm(Object.fromEntries(many)), 400, "no_module"],
  ["more than the file", aForm({ module: aModuleArchive(gears) }, { x: "1" }), 400, "invalid_module"],
  ["a form that breaks off", broken((text) => text.slice(0, -200)), 400, "bad_request"],
  ["a form without its end", broken((text) => text.replace(/--\r\n$/, "")), 400, "bad_request"],
  ["no boundary", { ...formOf(gears), headers: { "content-type": "multipart/form-data" } }, 400, "bad_request"],
  ["an empty file", aForm({ module: new Uint8Array() }), 400, "invalid_module"],
  ["no archive", aForm({ module: Buffer.from("text") }), 400, "invalid_module"],
  ["a cut archive", aForm({ module: aModuleArchive(gears).slice(0, 60) }), 400, "invalid_module"],
  ["no manifest", aForm({ module: aModuleArchive(gears, "other.json") }), 400, "invalid_module"],
  ["a manifest elsewhere", aForm({ module: aModuleArchive(gears, "../module.json") }), 400, "invalid_module"],
  ["a manifest that is no JSON", formOf("{"), 400, "invalid_module"],
  ["a huge manifest", formOf({ ...gears, x: "x".repeat(2 ** 20) }), 400, "invalid_module"],
  ["a manifest that is a list", formOf("[]"), 400, "invalid_module"],
  ["no name", formOf({ semantic_version: "1.0" }), 400, "invalid_module"],
  ["no version", formOf({ module_name: "rg" }), 400, "invalid_module"],
  ["a version that is none", formOf({ ...gears, semantic_version: "new" }), 400, "invalid_module"],
  ["an engine version that is none", formOf({ ...gears, min_engine_version: 7.4 }), 400, "invalid_module"],
  ["capabilities that are none", formOf({ ...gears, capabilities: [1] }), 400, "invalid_module"],
  ["platforms that are none", formOf({ ...gears, platforms: "rhel9" }), 400, "invalid_module"],
  ["there already", formOf({ module_name: "search", semantic_version: "7.4.0", compatible_engine_version: "7.4" }), 400, "module_exists"],
  ["a newer cluster is needed", formOf({ ...gears, min_engine_pack_version: "99.0" }), 400, "min_engine_pack_version"],
  ["S103: built for another platform", formOf({ ...gears, platforms: { rhel7: {} } }), 400, "os_not_supported"],
  ["unknown capabilities", formOf({ ...gears, capabilities: ["fly"] }), 406, "unsupported_module_capabilities"],
]; // prettier-ignore
test.each(refused)("refused, and nothing is installed: %s", async (...[, form, status, code]) => {
  await open();
  const before = api.store.modules.size;
  const answer = await api.call(path, form);
  expect([answer.status, codeOf(answer)]).toEqual([status, code]);
  clock.advance(60_000);
  await api.call("/v1/modules");
  expect(api.store.modules.size).toBe(before);
  expect(await api.call("/v1/bdbs")).toMatchObject({ status: 200 });
});

test("a file above the limit is 413", async () => {
  await open({ uploadLimit: 1000 });
  const answer = await api.call(path, aForm({ module: new Uint8Array(20 * 2 ** 20) }));
  expect([answer.status, codeOf(answer)]).toEqual([413, "too_large"]);
});

test.each([
  [
    "that fit",
    { min_engine_pack_version: "7.22.0", platforms: ["rhel9"], capabilities: ["types"] },
  ],
  ["for another engine version", { compatible_engine_version: "7.2" }],
])("taken: fields %s", async (_, more) => {
  await open();
  expect(await api.call(path, formOf({ ...gears, ...more }))).toMatchObject({ status: 200 });
});

describe("the newer calls", () => {
  const define = "/v2/modules/user-defined";
  const upload = "/v2/local/modules/user-defined/artifacts";

  test.each([
    ["definition first", [define, upload]],
    ["file first", [upload, define]],
  ])("a module is there after both: %s", async (_, order) => {
    await open({ profile: "8.0" });
    for (const call of order) {
      expect(await named("rg")).toEqual([]);
      const wish = call === define ? { body: gears } : formOf(gears);
      expect(await api.call(call, wish)).toMatchObject({ status: 200, body: gears });
    }
    expect(await named("rg")).toMatchObject([gears]);
  });

  test("one call twice is not a module; a definition that is refused says why", async () => {
    await open({ profile: "8.0" });
    await api.call(upload, formOf(gears));
    await api.call(upload, formOf(gears));
    expect(await named("rg")).toEqual([]);
    const answer = await api.call(define, { body: { module_name: "rg" } });
    expect([answer.status, codeOf(answer)]).toEqual([400, "invalid_module"]);
    const odd = await api.call(define, { body: { ...gears, capabilities: ["fly"] } });
    expect([odd.status, codeOf(odd)]).toEqual([406, "unsupported_module_capabilities"]);
  });

  test("uploads are off until the setting allows them", async () => {
    await open({ profile: "8.2" });
    const before = await api.call(define, { body: gears });
    expect([before.status, codeOf(before)]).toEqual([403, "modules_upload_disabled"]);
    api.store.uploadsAllowed = true;
    expect(await api.call(define, { body: gears })).toMatchObject({ status: 200 });
    expect(await api.call(upload, formOf(gears))).toMatchObject({ status: 200 });
  });
});

test("S99: a database whose module was missing can be upgraded once it is installed", async () => {
  const used = { name: "rg", version: "1.0.0", args: ["x"] };
  await open({ bdbs: [{ uid: 1, name: "orders", version: "7.2.0", modules: [used] }] });
  const body = { engine_version: "7.4" };
  expect(await api.call("/v1/bdbs/1/upgrade", { body })).toMatchObject({ status: 400 });
  await api.call(path, formOf({ ...gears, compatible_engine_version: "7.4" }));
  clock.advance(10_000);
  expect(await api.call("/v1/bdbs/1/upgrade", { body })).toMatchObject({ status: 200 });
  clock.advance(60_000);
  expect((await api.call("/v1/bdbs/1")).body).toMatchObject({
    version: "7.4.0",
    module_list: [{ module_name: "rg", semantic_version: "1.2.5", module_args: "x" }],
  });
});
