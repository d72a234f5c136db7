import { readDefaults, readCommand } from "../../../../plugin/cmdutil/spec";
import type { CommandContext, GlobalOptions } from "../../../../plugin/cmdutil/context";
import { runUpgradeDatabase } from "../../../../plugin/commands/upgrade-database/command";
import { readPartWish, readWish } from "../../../../plugin/commands/upgrade-database/input";
import { requestBody } from "../../../../plugin/domain/database/bdb";
import { UsageError } from "../../../../plugin/domain/base/errors";
import { defaultNames } from "../../../../plugin/domain/names/names";
import { FlagReader, type RawFlags } from "../../../../plugin/cmdutil/flags";
import {
  upgradeDatabase,
  type UpgradeDatabaseFlags,
} from "../../../../plugin/commands/upgrade-database/flags";
import { aClusterApi } from "../../../support/played-cluster-api";
import { aCaFile, anApiSecret } from "../../../support/cluster-api-client";
import { aCommandContext } from "../../../support/command-context";
import { commandAt, stdinOf, typed } from "../../../support/program-world";
import { aScene, edbLabel } from "./scene";

const flags: UpgradeDatabaseFlags = {
  ...readDefaults(upgradeDatabase),
  version: "8.0",
  stallAfterMs: 60_000,
};

async function aContext(
  options: Partial<GlobalOptions> = {},
  more: Partial<CommandContext> = {},
): Promise<CommandContext> {
  const { cluster, clock } = await aScene();
  const usual = { timeoutMs: 300_000, concurrency: 4 };
  const connectReadOnly = () => Promise.resolve(cluster);
  return aCommandContext(
    { cluster, clock },
    { ...usual, ...options },
    { connectReadOnly, ...more },
  );
}

test("a database is upgraded to the end, and the report tells each with its versions", async () => {
  const report = await runUpgradeDatabase(await aContext(), ["shop/sessions"], flags);
  expect(report).toMatchObject({
    kind: "UpgradeDatabase",
    target: { namespace: "engine" },
    backups: [{ object: edbLabel("sessions"), lost: "its upgrade has begun, and is not undone" }],
    details: {
      databases: [{ object: edbLabel("sessions"), result: "changed", from: "7.2", to: "8.0" }],
    },
    exit: { code: 0 },
  });
});

test("as a part of the whole upgrade all databases are meant, by what each may accept", async () => {
  // without its object it is for the warning of the checks alone
  const skip = [
    { code: "DATABASE-PARTICIPANT-UNSEEN" },
    { code: "SCC-WAY" },
    { code: "DATABASE-VOLATILE" },
  ];
  const phase = {
    version: "8.0",
    takeFields: [],
    stallAfterMs: 1,
    limited: false,
    participants: [],
    skip,
    mayDiscardData: true,
  };
  expect(await readPartWish(await aContext(), { ...phase, follows: true })).toMatchObject({
    ...{ databases: [], all: true, everywhere: true, version: "8.0", skipMayMiss: true },
    ...{ skip: skip.slice(0, 1), request: { mayDiscardData: true } },
  });
  const latest = { ...phase, version: "latest" };
  await expect(readPartWish(await aContext(), { ...latest, follows: true })).rejects.toThrow(
    "give the number",
  );
  const alone = await readPartWish(await aContext(), { ...latest, follows: false });
  expect(alone.version).toBe("latest");
});

test("--timeout limits the whole run when it was typed", async () => {
  const context = await aContext({ timeoutMs: 2_000 });
  const report = await runUpgradeDatabase(context, ["shop/sessions"], { ...flags, limited: true });
  expect(report.exit.code).toBe(124);
});

describe("which databases, which version", () => {
  test.each<[string, readonly string[], Partial<UpgradeDatabaseFlags>, string]>([
    ["none", [], {}, "give names of databases, --all or --selector: one of the three"],
    ["all and a selector", [], { all: true, selector: "a=b" }, "one of the three"],
    ["no version", ["orders"], { version: "" }, "--engine-version: "],
    [
      "no such version",
      ["orders"],
      { version: "newest" },
      '"newest" is neither a version such as 8.0 nor major or latest',
    ],
    [
      "a version that is kept and given",
      ["orders"],
      { request: { keepEngineVersion: true } },
      "--engine-version and --keep-engine-version contradict each other",
    ],
    ["modules of unknown fields", ["orders"], { modules: '[{"name": 1}]' }, '"name" is not one of'],
  ])("are refused: %s", async (_title, ...[args, given, problem]) => {
    const context = await aContext();
    const refused = runUpgradeDatabase(context, args, { ...flags, ...given });
    await expect(refused).rejects.toThrow(problem);
    await expect(refused).rejects.toBeInstanceOf(UsageError);
  });

  test("a version may be left out where the REST API is asked for anything else", async () => {
    const rest = Object.fromEntries(
      Object.entries(flags).filter(([key]) => key !== "version"),
    ) as unknown as UpgradeDatabaseFlags;
    for (const request of [
      ...[{ keepEngineVersion: true }, { latestWithModules: true }],
      ...[{ forceRestart: true }, { parallelShardsUpgrade: 2 }],
    ]) {
      const context = await aContext();
      const wish = { ...rest, via: "api", request, databases: ["a"] } as const;
      await expect(readWish(context, wish)).resolves.toMatchObject({ request });
    }
    const missing = readWish(await aContext(), { ...rest, databases: ["a"] });
    await expect(missing).rejects.toThrow("--engine-version: give the version, or latest");
    const nothing = { ...rest, via: "api" as const, databases: ["a"] };
    await expect(readWish(await aContext(), nothing)).rejects.toThrow("give the version");
  });
});

describe("by the REST API", () => {
  test("the EC's credentials, its CA and every field reach the server", async () => {
    const context = await aContext();
    const cluster = await context.connect();
    const api = await aClusterApi({
      profile: "8.0",
      bdbs: [{ uid: 3, name: "sessions", version: "7.2.4" }],
      clock: context.clock,
    });
    try {
      await cluster.create(anApiSecret(api.admin.name, api.admin.password));
      const warnings: string[] = [];
      const report = await runUpgradeDatabase(
        {
          ...context,
          event: (event) => {
            if (event.type === "warning") warnings.push(event.text);
          },
          readInput: () => Promise.resolve('[{"new_module_args": ["a"]}]'),
        },
        ["shop/sessions"],
        {
          ...flags,
          via: "api",
          api: { insecure: false, url: api.url, ca: aCaFile(api.caPem) },
          request: { preserveRoles: true, parallelShardsUpgrade: 2, latestWithModules: false },
          modules: "modules.json",
        },
      );
      expect(warnings.join()).not.toContain("parallel");
      expect(report.steps?.[0]).toMatchObject({
        why: 'upgrade with {"preserve_roles":true,"parallel_shards_upgrade":2,"modules":[{"new_module_args":["a"]}],"engine_version":"8.0","latest_with_modules":false}',
      });
      expect(api.calls.some(({ method }) => method === "POST")).toBe(true);
      expect(JSON.stringify(report)).not.toContain(api.admin.password);
    } finally {
      await api.close();
    }
  });

  test("one address is not that of two ECs: 2", async () => {
    const context = await aContext();
    const cluster = await context.connect();
    const resource = { ...defaultNames.ec, group: "app.engine.com", version: "v1" };
    const ec = await cluster.get({ resource, name: "ec", namespace: "engine" });
    const { kind } = defaultNames.ec;
    const [spec, status] = [ec?.["spec"], ec?.["status"]];
    await cluster.create({
      apiVersion: "app.engine.com/v1",
      kind,
      metadata: { name: "second", namespace: "engine" },
      spec,
    });
    const second = { resource, name: "second", namespace: "engine" };
    await cluster.patch(second, { status }, { type: "merge", subresource: "status" });
    const edb = { ...defaultNames.edb, group: "app.engine.com", version: "v1alpha1" };
    await cluster.patch(
      { resource: edb, name: "orders", namespace: "shop" },
      { spec: { engineEnterpriseCluster: { name: "second" } } },
      { type: "merge" },
    );
    const api = await aClusterApi({
      profile: "8.0",
      bdbs: [
        { uid: 2, name: "orders", version: "7.4.0" },
        { uid: 3, name: "sessions", version: "7.2.4" },
      ],
      clock: context.clock,
    });
    try {
      await cluster.create(anApiSecret(api.admin.name, api.admin.password));
      await cluster.create(anApiSecret(api.admin.name, api.admin.password, "second"));
      const report = await runUpgradeDatabase(context, ["shop/sessions", "shop/orders"], {
        ...flags,
        via: "api",
        api: { insecure: false, url: api.url, ca: aCaFile(api.caPem) },
      });
      expect(report.exit.code).toBe(2);
      expect(report.exit.reason).toContain("--api-url: is the address of one EC");
      expect(api.calls.every(({ method }) => method === "GET")).toBe(true);
    } finally {
      await api.close();
    }
  });

  test("deprecated fields warn and name what to use instead", async () => {
    const warnings: string[] = [];
    const context = await aContext(
      { dryRun: "client" },
      {
        event: (event) => {
          if (event.type === "warning") warnings.push(event.text);
        },
      },
    );
    await runUpgradeDatabase(context, ["shop/sessions"], {
      ...flags,
      request: { latestWithModules: true },
      modules: '[{"current_module": "a", "new_module": "b"}]',
    });
    expect(warnings).toEqual([
      "--latest-with-modules is deprecated as of 7.8.2: use --engine-version latest; its modules go with it",
      "current_module in --modules is deprecated as of 7.8.2: leave it out, modules go with the engine version",
      "new_module in --modules is deprecated as of 7.8.2: leave it out, modules go with the engine version",
    ]);
  });
});

describe("participants", () => {
  const kubeconfig = JSON.stringify({
    contexts: ["west", "a/b"].map((name) => ({ name, context: { cluster: "c", user: "u" } })),
    clusters: [{ name: "c", cluster: { server: "https://127.0.0.1:1" } }],
    users: [{ name: "u", user: {} }],
  });

  test("that the kubeconfig has not are refused, with those that it has", async () => {
    const file = aCaFile(kubeconfig);
    const context = await aContext({ connection: { kubeconfig: file } });
    const run = runUpgradeDatabase(context, ["carts"], { ...flags, participants: ["east/engine"] });
    await expect(run).rejects.toThrow(
      '--participant: "east/engine" is not a context of the kubeconfig (it has west, a/b)',
    );
  });

  test.each(["west", "a/b", "a/b/engine"])("are connected: %s", async (name) => {
    const file = aCaFile(kubeconfig);
    const context = await aContext({ connection: { kubeconfig: file }, dryRun: "client" });
    const report = await runUpgradeDatabase(context, ["carts"], { ...flags, participants: [name] });
    expect(report.exit.code).toBe(0);
    expect(JSON.stringify(report.findings)).not.toContain("PARTICIPANT-UNSEEN");
  });

  test("are not reached in a rehearsal", async () => {
    const context = await aContext({}, { rehearsed: true });
    const run = runUpgradeDatabase(context, ["carts"], { ...flags, participants: ["west"] });
    await expect(run).rejects.toThrow("a rehearsal reaches no other cluster");
  });
});

describe("the flags", () => {
  test.each<[string, RawFlags, string]>([
    ["no way", { via: "hand" }, '--via: "hand" is not one of resource, api'],
    ["a name to confirm by resource", { confirm: ["a"] }, "--confirm: goes with --via api"],
    [
      "no number of shards",
      { via: "api", parallelShards: "0" },
      '--parallel-shards: "0" is not a whole number from 1 to 100000',
    ],
    [
      "what cannot be vouched for",
      { skip: ["DATABASE-OTHER-TYPE=a"] },
      "--skip: DATABASE-OTHER-TYPE is not one of DATABASE-PARTICIPANT-UNSEEN, DATABASE-RUNS-UNKNOWN, DATABASE-SPEC-INVALID, REFERENCE-MISSING, REST-NODE-AWAY, DATABASE-VOLATILE, DATABASE-DATA-AT-RISK",
    ],
    [
      "data of all databases accepted by a code",
      { engineVersion: "8.0", skip: ["DATABASE-DATA-AT-RISK"] },
      "--skip DATABASE-DATA-AT-RISK: name the database: DATABASE-DATA-AT-RISK=OBJECT; --may-discard-data accepts it for all",
    ],
  ])("are refused: %s", (_title, raw, problem) => {
    const { problems, missing = [] } = commandAt("upgrade-database").prepare(raw);
    expect([...problems, ...missing]).toEqual([problem]);
  });

  test.each<[string, RawFlags, object]>([
    ["--force-restart", { forceRestart: true }, { force_restart: true }],
    ["--keep-engine-version", { keepEngineVersion: true }, { keep_engine_version: true }],
    ["--may-discard-data", { mayDiscardData: true }, { may_discard_data: true }],
    ["--parallel-shards", { parallelShards: "3" }, { parallel_shards_upgrade: 3 }],
    ["--latest-with-modules", { latestWithModules: true }, { latest_with_modules: true }],
    ["--latest-with-modules=false", { latestWithModules: false }, { latest_with_modules: false }],
    ["none", {}, {}],
  ])("of the request reach its body: %s", (_flag, raw, body) => {
    const read = new FlagReader({ ...raw, via: "api", engineVersion: "8.0" });
    const { request } = readCommand(upgradeDatabase, read);
    expect([read.problems, requestBody(request, defaultNames)]).toEqual([[], body]);
  });

  test("are handed on", async () => {
    const { problems, load } = commandAt("upgrade-database").prepare({
      engineVersion: "8.0",
      selector: "tier=a",
      allNamespaces: true,
      canary: "shop/sessions",
      maxFailures: "2",
      takeFields: ["spec.engineVersion"],
      participant: [],
      timeout: "5m",
    });
    expect(problems).toEqual([]);
    const { run } = await load();
    const report = await run(await aContext({ dryRun: "client" }), []);
    expect(report.exit.code).toBe(2);
    expect(report.exit.reason).toContain("--canary: shop/sessions is not among the databases");
  });

  test("several names are taken, and a typed name is asked for on a terminal", async () => {
    const { cluster, clock } = await aScene();
    const api = await aClusterApi({
      profile: "8.0",
      bdbs: [
        { uid: 3, name: "sessions", version: "7.2.4", replication: false, persistence: "disabled" },
        { uid: 2, name: "orders", version: "7.4.0" },
      ],
      clock,
    });
    try {
      await cluster.create(anApiSecret(api.admin.name, api.admin.password));
      const words = ["upgrade-database", "shop/sessions", "shop/orders", "--engine-version=8.0"];
      const way = ["--via=api", "--may-discard-data", `--api-url=${api.url}`];
      const { code, err } = await typed(
        [...words, ...way, `--api-ca=${aCaFile(api.caPem)}`, "-n", "engine"],
        {
          terminal: true,
          stdin: stdinOf("orders\n", true),
          connect: () => Promise.resolve(cluster),
          clock,
        },
      );
      expect(code).toBe(2);
      const asked = err.replace(/\s+/g, " ");
      expect(asked).toContain("not replicated, persistence disabled");
      expect(asked).toContain("Type its name to continue");
      expect(api.calls.every(({ method }) => method === "GET")).toBe(true);
    } finally {
      await api.close();
    }
  });
});
