/**
 * `kubectl engine upgrade` before its first write: dry runs, saved plans and missing prerequisites,
 * each with what the API server's audit log says of it.
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configurationResource } from "../../plugin/domain/admission/configuration";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { setOperator } from "./played-operator";
import { applyCrds } from "./scene";
import { containing, including, matching, type PluginRun, runner } from "./plugin-run";
import { appGroup, type KubeObject } from "./api";
import {
  databaseRef,
  ecLabel,
  ecRef,
  namespace,
  openUpgradeScene,
  operatorAtRest,
  platformIs,
  type UpgradeScene,
} from "./upgrade-scene";
import { newConfiguration } from "./webhook-configurations";

let scene: UpgradeScene;
jest.setTimeout(300_000);

beforeAll(async () => {
  scene = await openUpgradeScene({ openshift: true });
});
afterAll(() => scene.close());

const mutating = new Set(["create", "update", "patch", "delete", "deletecollection"]);

/** Every request of a run that could change something, reviews aside, with its dryRun. */
async function sentBy(act: () => Promise<PluginRun>): Promise<readonly string[]> {
  const { controlPlane } = scene;
  const mark = await controlPlane.auditMark();
  const { code } = await act();
  expect(code).toBe(0);
  const events = (await controlPlane.auditEvents(mark)).filter(
    ({ user, verb, objectRef }) =>
      user.username === runner.name &&
      mutating.has(verb) &&
      !/reviews$/.test(objectRef?.resource ?? ""),
  );
  return events.map(({ verb, objectRef, requestURI }) => {
    const dryRun = new URL(requestURI, "https://server").searchParams.getAll("dryRun").join();
    return `${verb} ${objectRef?.resource ?? ""} ${dryRun}`;
  });
}

describe("a dry run of the whole upgrade", () => {
  test("of the server: every request that could change something is one itself", async () => {
    const sent = await sentBy(() => scene.upgrade("7.22.0-7", ["--dry-run=server"]));
    expect(sent.filter((line) => !line.endsWith(" All"))).toEqual([]);
    // each part has tried its writes
    const tried = new Set(sent.map((line) => line.split(" ").slice(0, 2).join(" ")));
    expect([...tried]).toEqual(
      including(
        "patch roles",
        "patch customresourcedefinitions",
        "patch deployments",
        "patch validatingwebhookconfigurations",
        "patch engineenterpriseclusters",
      ),
    );
  });

  test("of the client: nothing but the proof of the state found, which is one itself", async () => {
    const sent = await sentBy(() => scene.upgrade("7.22.0-7", ["--dry-run=client"]));
    expect([...new Set(sent)].sort()).toEqual([
      "create engineenterpriseactiveactivedatabases All",
      "create engineenterprisedatabases All",
    ]);
    const unproven = ["--dry-run=client", "--no-probe"];
    expect(await sentBy(() => scene.upgrade("7.22.0-7", unproven))).toEqual([]);
  });
});

const stranger = newConfiguration({ namespace });
const configurationRef = {
  resource: configurationResource,
  name: stranger.metadata.name,
};

describe("a saved plan", () => {
  const file = (): string => join(scene.controlPlane.site.dataDir, "plan.json");
  const save = (): Promise<PluginRun> => scene.upgrade("7.22.0-7", ["--plan-out", file()]);
  const carryOut = (): Promise<PluginRun> => scene.upgrade("7.22.0-7", ["--plan", file(), "--yes"]);

  const label = (value: string | null): Promise<unknown> =>
    scene.cluster.patch(ecRef, { metadata: { labels: { seen: value } } }, { type: "merge" });

  const rows: readonly (readonly [string, (bundle: string) => unknown, string])[] = [
    [
      "an object was changed",
      () => label("yes"),
      `${ecLabel}: metadata.labels.seen is "yes", it was absent`,
    ],
    [
      "an object is there that was not",
      () => scene.controlPlane.api.create(stranger),
      "ValidatingWebhookConfiguration/engine-enterprise-admission exists now",
    ],
    [
      "the release was changed",
      (bundle) => {
        appendFileSync(bundle, "# changed\n");
      },
      "the release's SHA-256 is",
    ],
    [
      "it was made for another cluster",
      () => {
        const plan = JSON.parse(readFileSync(file(), "utf8")) as object;
        writeFileSync(file(), JSON.stringify({ ...plan, cluster: "another" }));
      },
      "the plan was made for another",
    ],
  ];

  test.each(rows)("is refused with what differs when %s", async (_, change, says) => {
    const saved = await save();
    expect([saved.code, saved.writes]).toEqual([0, []]);
    const bundle = join(scene.release("7.22.0-7"), "bundle.yaml");
    const before = readFileSync(bundle);
    await change(bundle);
    const run = await carryOut();
    writeFileSync(bundle, before);
    await scene.cluster.delete(configurationRef, {}).catch(() => undefined);
    expect([run.code, run.writes]).toEqual([5, []]);
    const causes = (run.report.findings ?? []).filter(({ code }) => code === "PLAN-STALE");
    expect(causes.map(({ cause }) => cause)).toContainEqual(containing(says));
  });

  test("is carried out as it was looked at", async () => {
    await save();
    const { steps } = JSON.parse(readFileSync(file(), "utf8")) as {
      readonly steps: readonly { readonly object: string }[];
    };
    const run = await scene.whilePlaying(carryOut);
    expect([run.code, run.writes.length]).toEqual([0, steps.length]);
    const named = steps.map(({ object }) => object.split("/").at(-1));
    expect(run.writes.map((write) => write.split(" ")[1])).toEqual(named);
  });
});

/** What stands against an upgrade, to 8.0.2-2 by default, and goes again. */
interface Row {
  readonly code: string;
  readonly to?: "7.22.0-7";
  readonly break: () => Promise<unknown>;
  readonly fix: () => Promise<unknown>;
}

const gears = { name: "gears", source: { https: { url: "https://modules.example/gears.zip" } } };
const activeActive: KubeObject = {
  apiVersion: `${appGroup}/v1alpha1`,
  kind: "EngineEnterpriseActiveActiveDatabase",
  metadata: { name: "carts", namespace },
  spec: {
    participatingClusters: [{ name: "here" }],
    globalConfigurations: { engineVersion: "7.2" },
  },
};

function patchEc(body: object): Promise<unknown> {
  return scene.cluster.patch(ecRef, body, { type: "merge", fieldManager: "kubectl-edit" });
}

function patchDatabase(spec: object): Promise<unknown> {
  const ref = databaseRef("config");
  return scene.cluster.patch(ref, { spec }, { type: "merge", fieldManager: "kubectl-edit" });
}

async function licenceIs(licenseState: string): Promise<void> {
  const ref = {
    apiVersion: `${appGroup}/v1`,
    kind: names.ec.kind,
    metadata: { name: "ec", namespace },
  };
  await scene.controlPlane.api.writeStatus(ref, { licenseStatus: { licenseState } });
}

async function operatorIs(version: string): Promise<void> {
  await scene.whilePlaying(async () => {
    await setOperator(scene.cluster, namespace, version);
    await operatorAtRest(scene.cluster);
  });
}

const rows: readonly (readonly [string, Row])[] = [
  [
    "S121: the platform is none that the operator supports",
    {
      code: "PLATFORM-UNSUPPORTED",
      to: "7.22.0-7",
      break: () => platformIs(scene.cluster, "4.9.1"),
      fix: () => platformIs(scene.cluster, "4.19.3"),
    },
  ],
  [
    "S122: the operator is older than 7.4.2-2",
    {
      code: "OPERATOR-TOO-OLD",
      break: () => operatorIs("7.4.2-1"),
      fix: () => operatorIs("7.22.0-7"),
    },
  ],
  [
    "S123: a database is older than 7.2",
    {
      code: "CLUSTER-DATABASE-OLD",
      break: () => patchDatabase({ engineVersion: "6.2" }),
      fix: () => patchDatabase({ engineVersion: "7.2" }),
    },
  ],
  [
    "S124: a database uses a module that nothing defines",
    {
      code: "CLUSTER-MODULE-UNDEFINED",
      break: () => patchDatabase({ modulesList: [{ name: "gears" }] }),
      fix: () => patchDatabase({ modulesList: null }),
    },
  ],
  [
    "S125: the license is not valid",
    {
      code: "CLUSTER-LICENSE",
      break: () => licenceIs("Expired"),
      fix: () => licenceIs("Valid"),
    },
  ],
  [
    "S126: a version that no release supports",
    {
      code: "DATABASE-VERSION-UNSUPPORTED",
      break: () => patchDatabase({ engineVersion: "9.9" }),
      fix: () => patchDatabase({ engineVersion: "7.2" }),
    },
  ],
  [
    "S127: an active-active database, and an operator that is too old for it",
    {
      code: "ACTIVE-ACTIVE-OPERATOR",
      to: "7.22.0-7",
      break: () => scene.controlPlane.api.create(activeActive),
      fix: () => scene.controlPlane.api.remove(activeActive),
    },
  ],
  [
    "S54: a module under neither of its names",
    {
      code: "MODULE-NAME",
      break: () => patchEc({ spec: { userDefinedModules: [gears] } }),
      fix: () => patchEc({ spec: { userDefinedModules: null } }),
    },
  ],
  [
    "S103: modules that have to come along to the new OS base",
    {
      code: "MODULE-OS-BASE",
      to: "7.22.0-7",
      break: async () => {
        await patchEc({ spec: { userDefinedModules: [gears] } });
        await patchDatabase({ modulesList: [{ name: "gears" }] });
        await operatorIs("7.4.2-2");
      },
      fix: async () => {
        await operatorIs("7.22.0-7");
        await patchDatabase({ modulesList: null });
        await patchEc({ spec: { userDefinedModules: null } });
      },
    },
  ],
];

describe("a prerequisite that is missing", () => {
  beforeAll(async () => {
    // the releases of this upgrade know no user-defined modules
    await applyCrds(scene.controlPlane.api);
    // in force, it would refuse most of what is to be found
    await scene.cluster.delete(configurationRef, {});
    await operatorIs("7.22.0-7");
  });

  test.each(rows)("%s: is said, and not one write is sent", async (_, row) => {
    await row.break();
    const run = await scene.upgrade(row.to ?? "8.0.2-2");
    await row.fix();
    const found = run.report.findings?.filter((finding) => finding.code === row.code);
    expect(found).toMatchObject([
      {
        severity: "error",
        cause: matching(/./),
        fix: matching(/./),
        source: matching(/^(S\d|(notes|upgrade page) of )/),
      },
    ]);
    expect([run.code, run.writes]).toEqual([3, []]);
    expect(run.report.exit.reason).toMatch(/nothing was written$/);
  });
});
