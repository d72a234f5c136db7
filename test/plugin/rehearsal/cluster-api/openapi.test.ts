import { Ajv2020 } from "ajv/dist/2020";
import { defaultNames } from "../../../../plugin/domain/names";
import { getPath, type Json, asArray } from "../../../../plugin/domain/values";
import { openapiDocument } from "../../../../plugin/rehearsal/cluster-api/openapi";
import { endpointsOf } from "../../../../plugin/rehearsal/cluster-api/endpoints";
import { profileNames, profiles } from "../../../../plugin/rehearsal/cluster-api/profiles";
import { ManualClock } from "../../../support/manual-clock";
import {
  aClusterApi,
  aForm,
  aModuleArchive,
  type Answered,
  type CallWish,
  type PlayedWish,
} from "../../../support/played-cluster-api";
import { renamed } from "../../../support/renamed";

/** Says what is wrong with an answer by the description that the service itself gives. */
function validator(document: unknown) {
  const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } });
  ajv.addSchema({ $id: "api:", ...(document as Json) });
  const patterns = Object.keys(getPath(document, ["paths"]) as Json).map((path) => ({
    path,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`),
  }));
  return (method: string, called: string, { status, body }: Answered): unknown => {
    const path = patterns.find(({ pattern }) => pattern.test(called))?.path ?? called;
    const keys = ["paths", path, method.toLowerCase(), "responses", String(status)];
    const at = [...keys, "content", "application/json", "schema"];
    const pointer = at.map((key) =>
      encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1")),
    );
    const validate = ajv.getSchema(`api:#/${pointer.join("/")}`);
    if (validate === undefined) return `${method} ${called} ${status} is not described`;
    return validate(body) === true ? undefined : { called, status, body, errors: validate.errors };
  };
}

const names = defaultNames;
const used = [{ name: "search", version: "7.2.0", args: ["A"] }];
const bdbs: PlayedWish["bdbs"] = [
  { uid: 1, name: "orders", version: "7.2.0", modules: used },
  { uid: 2, name: "carts", version: "7.2.0", crdtGuid: "g", crdtProtocol: 1 },
];

describe.each(profileNames)("on %s", (profile) => {
  test("every answer is as the OpenAPI document says", async () => {
    const clock = new ManualClock();
    const api = await aClusterApi({ profile, clock, bdbs });
    try {
      const problemOf = validator((await api.call("/v1/openapi.json", { as: "nobody" })).body);
      const problems: unknown[] = [];
      const call = async (path: string, wish: CallWish = {}) => {
        const answer = await api.call(path, wish);
        const method = wish.method ?? (wish.body === undefined ? "GET" : "POST");
        problems.push(problemOf(method, path, answer));
        return answer;
      };
      const { body } = await call("/v1/bdbs/1/upgrade", { body: { keep_engine_version: true } });
      const action = String(getPath(body, ["action_uid"]));
      await call("/v1/bdbs/1/upgrade", { body: {} });
      await call("/v1/bdbs/2/upgrade", { body: { sideways: true } });
      await call("/v1/bdbs/9/upgrade", { body: {} });
      await call("/v1/bdbs/2/upgrade", { body: {}, as: "viewer" });
      await call("/v1/bdbs", { as: "nobody" });
      const form = aForm({
        module: aModuleArchive({ module_name: "rg", semantic_version: "1.2.5" }),
      });
      const gets = [
        ...["/v1/bdbs", "/v1/bdbs/1", "/v1/bdbs/2", "/v1/bdbs/9", "/v1/modules", "/v1/actions"],
        ...[`/v1/actions/${action}`, "/v1/actions/none", "/v1/license", "/v1/cluster"],
        ...["/v1/cluster/policy", "/v1/nodes"],
        ...(profiles[profile].bdbActions ? ["/v1/actions/bdb/1", `/v2/actions/${action}`] : []),
      ];
      for (const ms of [0, 1000, 60_000]) {
        clock.advance(ms);
        for (const path of gets) await call(path);
      }
      if (profiles[profile].install !== 404) await call("/v2/modules", form);
      await call("/v1/cluster", { method: "PUT", body: { allow_modules_upload: true } });
      if (profiles[profile].userModules) {
        await call("/v2/local/modules/user-defined/artifacts", form);
        await call("/v2/modules/user-defined", { body: { module_name: "x" } });
      }
      await call("/v1/license", { method: "PUT", body: { license: "x" } });
      const { name: username, password } = api.admin;
      await call("/v1/users/authorize", { as: "nobody", body: { username, password } });
      api.faults.add({ fault: { does: "answer", status: 503 } });
      await call("/v1/nodes");
      expect(problems.filter((one) => one !== undefined)).toEqual([]);
    } finally {
      await api.close();
    }
  });

  test("every call that is served is described, and no other", () => {
    const described = Object.entries(
      getPath(openapiDocument({ names, profile: profiles[profile] }), ["paths"]) as Json,
    ).flatMap(([path, methods]) =>
      Object.keys(methods as Json).map((method) => `${method} ${path}`),
    );
    const served = endpointsOf(profiles[profile]).map(
      ({ method, path }) => `${method.toLowerCase()} ${names.restPaths[path]}`,
    );
    expect(described.sort()).toEqual(served.sort());
  });
});

test("S80–S90, S120: the request is described field by field", () => {
  const document = openapiDocument({ names, profile: profiles["7.22"] });
  const schema = getPath(document, ["components", "schemas", "UpgradeRequest"]);
  const properties = getPath(schema, ["properties"]) as Json;
  expect(Object.keys(properties)).toEqual([
    ...["force_restart", "keep_engine_version", "keep_crdt_protocol_version", "may_discard_data"],
    ...["force_discard", "preserve_roles", "parallel_shards_upgrade", "modules", "engine_version"],
    ...["latest_with_modules", "swap_roles"],
  ]);
  const deprecated = Object.entries(properties).filter(
    ([, one]) => getPath(one, ["deprecated"]) === true,
  );
  expect(deprecated.map(([field]) => field)).toEqual([
    "keep_engine_version",
    "latest_with_modules",
  ]);
  expect(asArray(getPath(schema, ["required"]))).toEqual([]);
  expect(getPath(schema, ["additionalProperties"])).toBe(false);
});

test("under other names every path and field is another, and the service still works", async () => {
  const clock = new ManualClock();
  const [name = ""] = renamed.bundledModules;
  const modules = [{ name, version: "7.2.0", args: [] }];
  const api = await aClusterApi({
    names: renamed,
    clock,
    bdbs: [
      { uid: 1, name: "orders", version: "7.2.0", modules },
      { uid: 2, name: "carts", version: "7.2.0" },
    ],
  });
  try {
    const { upgradeRequest: words, restPaths: paths, bdbFields: fields } = renamed;
    const problemOf = validator((await api.call("/v1/openapi.json")).body);
    const path = paths.upgrade.replace("{uid}", "1");
    const started = await api.call(path, { body: { [words.preserveRoles]: true } });
    expect(problemOf("POST", path, started)).toBeUndefined();
    expect(started).toMatchObject({ status: 200, body: { [fields.uid]: 1 } });
    expect(
      await api.call(paths.upgrade.replace("{uid}", "2"), { body: { preserve_roles: true } }),
    ).toMatchObject({ status: 400 });
    clock.advance(60_000);
    const all = await api.call(paths.bdbs);
    expect(problemOf("GET", paths.bdbs, all)).toBeUndefined();
    expect(api.store.bdbs.get(1)).toMatchObject({ version: "7.4.0", failovers: 2 });
    expect((await api.call("/v1/bdbs")).status).toBe(404);
  } finally {
    await api.close();
  }
});
