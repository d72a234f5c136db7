/** `kubectl engine check` on a real API server: the specification's prerequisites, one by one. */
import { type ControlPlane, startControlPlane } from "./control-plane";
import { cluster, clusterStatus, database, databaseStatus, seedScene } from "./scene";
import type { KubeObject } from "./api";
import { type PluginRun, runner, runPlugin } from "./plugin-run";

const namespace = "engine";
const jane = "jane";
let controlPlane: ControlPlane;

beforeAll(async () => {
  controlPlane = await startControlPlane({ users: [runner, { name: jane }] });
  await seedScene(controlPlane.api, { namespace });
});
afterAll(() => controlPlane.stop());

const check = (args: readonly string[], user: string = runner.name): Promise<PluginRun> =>
  runPlugin(controlPlane, ["check", ...args], { namespace, user });

async function put(object: KubeObject, status: object): Promise<void> {
  await controlPlane.api.replace(object);
  await controlPlane.api.writeStatus(object, status);
}

/** The EC as the scene has it, with something laid over its spec or its license. */
async function clusterWith(spec: object, licenseState = "Valid"): Promise<void> {
  const base = cluster({ namespace });
  const { licenseStatus } = clusterStatus;
  await put(
    { ...base, spec: { ...(base["spec"] as object), ...spec } },
    { ...clusterStatus, licenseStatus: { ...licenseStatus, licenseState } },
  );
}

const gears = { name: "gears", source: { https: { url: "https://modules.example/gears.zip" } } };
const byItself = { upgradeSpec: { autoUpgradeEngineEnterprise: true } };
const using = (...modules: readonly string[]): Promise<void> => {
  const name = "orders";
  const uses = database({ namespace, name, engineVersion: "7.4", modules });
  return put(uses, databaseStatus(1, "7.4"));
};

interface Row {
  readonly code: string;
  readonly target: string;
  readonly exit: number;
  readonly break?: () => Promise<unknown>;
  readonly fix?: () => Promise<unknown>;
}

// the others stop `upgrade` too, and are looked at there; the automatic upgrade it switches off by itself
const rows: readonly (readonly [string, Row])[] = [
  [
    "S121: the platform is beside the table of this release",
    { code: "PLATFORM-EDGE", target: "7.22.0-7", exit: 0 },
  ],
  [
    "S124: automatic upgrade with user-defined modules",
    {
      code: "CLUSTER-AUTO-USER-MODULES",
      target: "8.0.6-8",
      exit: 0,
      break: async () => {
        await clusterWith({ ...byItself, userDefinedModules: [gears] });
        await using("gears");
      },
      fix: () => clusterWith({ userDefinedModules: [gears] }),
    },
  ],
  [
    "S125: the license is not valid",
    {
      code: "CLUSTER-LICENSE",
      target: "8.0.2-2",
      exit: 3,
      break: async () => {
        await using();
        await clusterWith({}, "Invalid");
      },
      fix: () => clusterWith({}),
    },
  ],
];

test.each(rows)("%s: said, and gone when it is fixed", async (_, row) => {
  const args = [`--target=${row.target}`, `--only=${row.code}`];
  await row.break?.();
  const found = await check(args);
  const strict = await check([...args, "--strict"]);
  await row.fix?.();
  expect(found.report.findings?.map(({ code }) => code)).toEqual([row.code]);
  expect([found.code, strict.code]).toEqual([row.exit, 3]);
  expect([...found.writes, ...strict.writes]).toEqual([]);
  if (row.fix !== undefined) expect((await check(args)).report.findings).toEqual([]);
});

test("nothing but lists and reviews is sent", async () => {
  const mark = await controlPlane.auditMark();
  await check(["--target=8.0.2-2"]);
  const events = (await controlPlane.auditEvents(mark)).filter(
    ({ user }) => user.username === runner.name,
  );
  const asked = events.map(({ verb, objectRef }) => `${verb} ${objectRef?.resource ?? "-"}`);
  const others = asked.filter((line) => !/^list |^get -$|^create \w+reviews$/.test(line));
  expect(others).toEqual([]);
  expect(asked.filter((line) => line === "list secrets").length).toBeGreaterThan(0);
});

test("who may read nothing learns what to ask for, and with it everything is checked", async () => {
  const blind = await check([], jane);
  expect(blind.code).toBe(4);
  const codes = new Set(blind.report.findings?.map(({ code }) => code));
  expect([...codes]).toEqual(["CHECK-NOT-JUDGED"]);
  const input = blind.report.permissions?.manifest ?? "";
  expect((await controlPlane.kubectl(["apply", "-f", "-"], { input })).code).toBe(0);
  const again = await check([], jane);
  // the operator of this cluster has no account and no role of its own, which can be judged now
  expect(again.code).toBe(3);
  const unread = again.report.findings?.filter(({ code }) => code === "CHECK-NOT-JUDGED");
  expect(unread?.map(({ cause }) => cause)).toEqual([]);
});
