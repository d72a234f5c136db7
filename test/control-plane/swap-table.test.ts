/** The rows of the state table that end with the new configuration in force. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fingerprint } from "./certificate";
import { including, matching, warningsIn } from "./plugin-run";
import { openSuite, type Suite, verdictsOf } from "./suite";
import {
  applied,
  brokenConfigurations,
  clear,
  deleted,
  entryOf,
  putNewConfiguration,
  putOldConfiguration,
  readBack,
  runSwap,
  settle,
  templateFile,
} from "./swap-states";
import { newConfiguration, newConfigurationName, newEntryName } from "./webhook-configurations";

interface Row {
  readonly name: string;
  /** Lays the state over a cluster without any configuration. */
  readonly found: (suite: Suite) => Promise<unknown>;
  readonly args?: readonly string[];
  readonly writes: readonly string[];
  /** Codes of the warnings. */
  readonly warnings?: readonly string[];
}

const everyKind = [
  "engineenterprisedatabases",
  "engineenterpriseactiveactivedatabases",
  "engineenterpriseremoteclusters",
];

type Broken = keyof typeof brokenConfigurations;
const broken = Object.keys(brokenConfigurations) as readonly Broken[];
const changesOf = (kind: Broken): ReturnType<(typeof brokenConfigurations)[Broken]> =>
  brokenConfigurations[kind]();

const rows: readonly Row[] = [
  {
    name: "only old, healthy",
    found: ({ api, scene }) => putOldConfiguration(api, scene),
    writes: [applied, deleted],
  },
  ...broken.map((kind): Row => ({
    name: `only old, broken: ${kind}`,
    found: ({ api, scene }) => putOldConfiguration(api, scene, { changes: changesOf(kind) }),
    writes: [applied, deleted],
  })),
  {
    name: "only old, broken, and no kind that it does not match",
    found: ({ api, scene }) =>
      putOldConfiguration(api, scene, {
        changes: { caBundle: "", rule: { resources: everyKind } },
      }),
    writes: [applied, deleted],
  },
  {
    name: "old and a right new one",
    found: async ({ api, scene }) => {
      await putOldConfiguration(api, scene);
      await putNewConfiguration(api, scene);
    },
    writes: [deleted],
  },
  ...(["no CA", "the placeholder left"] as const).map((kind): Row => ({
    name: `old and an unfit new one: ${kind}`,
    found: async ({ api, scene }) => {
      await putOldConfiguration(api, scene);
      await putNewConfiguration(api, scene, { changes: changesOf(kind) });
    },
    writes: [applied, deleted],
  })),
  {
    name: "only new, but of a release with other rules",
    found: ({ api, scene }) =>
      putNewConfiguration(api, scene, {
        changes: { rule: { resources: ["engineenterprisedatabases"] } },
      }),
    writes: [applied],
  },
  {
    name: "only new, but with another failurePolicy",
    found: ({ api, scene }) =>
      putNewConfiguration(api, scene, { changes: { entry: { failurePolicy: "Ignore" } } }),
    writes: [applied],
    warnings: ["WEBHOOK-FAILURE-POLICY"],
  },
  {
    name: "only new, but for other review versions and matchPolicy",
    found: ({ api, scene }) =>
      putNewConfiguration(api, scene, {
        changes: { entry: { admissionReviewVersions: ["v1"], matchPolicy: "Equivalent" } },
      }),
    writes: [applied],
  },
  {
    name: "only new, up to date",
    found: ({ api, scene }) => putNewConfiguration(api, scene),
    writes: [],
  },
  {
    name: "only new, up to date, with the fields of another manager",
    found: ({ api, scene }) => putNewConfiguration(api, scene, { manager: "terraform" }),
    writes: [],
  },
  ...broken.map((kind): Row => ({
    name: `only new, half done: ${kind}`,
    found: ({ api, scene }) => putNewConfiguration(api, scene, { changes: changesOf(kind) }),
    writes: [applied],
  })),
  {
    name: "the template applied as it is, the old one still there",
    found: async ({ api, scene, controlPlane }) => {
      await putOldConfiguration(api, scene);
      await controlPlane.kubectl(["apply", "-f", templateFile]);
    },
    writes: [applied, deleted],
  },
  {
    name: "the documented order up to the raw template",
    found: ({ controlPlane }) => controlPlane.kubectl(["apply", "-f", templateFile]),
    writes: [applied],
  },
  {
    name: "the documented order to its end, where create said AlreadyExists",
    found: async (suite) => {
      const { controlPlane, scene } = suite;
      await controlPlane.kubectl(["apply", "-f", templateFile]);
      const create = await controlPlane.kubectl(["create", "-f", renderedTemplate(suite)]);
      expect(create.stderr).toContain("AlreadyExists");
      await controlPlane.kubectl(patchOfCa(scene.caBundle));
    },
    writes: [applied],
  },
  {
    name: "the documented order before the CA: the namespace is right",
    found: (suite) => suite.controlPlane.kubectl(["create", "-f", renderedTemplate(suite)]),
    writes: [applied],
  },
  {
    name: "none",
    found: () => Promise.resolve(),
    writes: [applied],
    warnings: ["WEBHOOK-ABSENT"],
  },
];

function renderedTemplate({ controlPlane, scene }: Suite): string {
  const file = join(controlPlane.site.dataDir, "rendered-webhook.yaml");
  const text = readFileSync(templateFile, "utf8");
  writeFileSync(file, text.replaceAll("OPERATOR_NAMESPACE", scene.namespace));
  return file;
}

function patchOfCa(caBundle: string): readonly string[] {
  const patch = { webhooks: [{ name: newEntryName, clientConfig: { caBundle } }] };
  const target = ["patch", "validatingwebhookconfiguration", newConfigurationName];
  return [...target, "-p", JSON.stringify(patch)];
}

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite();
});
afterAll(() => suite.close());

describe("upgrade-webhook ends with the new configuration in force, found", () => {
  test.each(rows.map((row) => [row.name, row] as const))("%s", async (_name, row) => {
    const { controlPlane, api, scene } = suite;
    await clear(api, scene);
    await row.found(suite);
    await settle(api, scene);

    const first = await runSwap(controlPlane, row.args);

    expect(first.report.exit).toMatchObject({ code: 0, reason: matching(/./) });
    expect(first.writes).toEqual(row.writes);
    expect(warningsIn(first.report)).toEqual(row.warnings ?? []);
    const { old, current } = await readBack(controlPlane);
    expect(old).toBeUndefined();
    expect(entryOf(current)).toEqual(wantedEntry());
    expect(await verdictsOf(api, scene.namespace)).toEqual({
      right: "accepted",
      wrongRefusedBy: newEntryName,
    });

    const second = await runSwap(controlPlane, row.args);
    expect(second.report.exit.code).toBe(0);
    expect(second.writes).toEqual([]);
    expect((await readBack(controlPlane)).current).toEqual(current);
  });
});

/** The template's entry with the CA in it and the defaults of the API server. */
function wantedEntry(): object {
  const { namespace, caBundle } = suite.scene;
  const { rules, clientConfig, ...rest } = entryOf(newConfiguration({ namespace, caBundle }));
  const { service } = clientConfig as { readonly service: object };
  const [rule] = rules as readonly object[];
  return {
    ...rest,
    namespaceSelector: {},
    objectSelector: {},
    clientConfig: { caBundle, service: { ...service, port: 443 } },
    rules: [{ ...rule, scope: "*" }],
  };
}

describe("the report of a swap", () => {
  test("names certificate, steps, proofs and the seconds of any gap", async () => {
    const { controlPlane, api, scene } = suite;
    await clear(api, scene);
    await putOldConfiguration(api, scene);
    await settle(api, scene);

    const { report } = await runSwap(controlPlane);

    expect(report).toMatchObject({
      apiVersion: "cli.engine.com/v1",
      run: { dryRun: "none" },
      target: { server: controlPlane.url, namespace: scene.namespace },
      certificate: {
        secret: `${scene.namespace}/admission-tls`,
        sha256: fingerprint(scene.pair.cert),
        san: including(`admission.${scene.namespace}.svc`),
      },
      gap: { bypassSeconds: 0, outageSeconds: 0 },
      exit: { code: 0 },
    });
    const changes = report.steps?.filter(({ action }) => ["apply", "delete"].includes(action));
    expect(changes?.map(({ action, result }) => `${action}: ${result}`)).toEqual([
      "apply: created",
      "delete: deleted",
    ]);
    const after = report.probes?.find(({ phase }) => phase === "after");
    expect(after?.deny).toMatchObject({ ok: after?.deny.of, by: newEntryName });
    expect(after?.accept.ok).toBe(after?.accept.of);
  });

  test("names the command that puts the old configuration back, and it does", async () => {
    const { controlPlane, api, scene } = suite;
    await clear(api, scene);
    const before = await putOldConfiguration(api, scene);
    await settle(api, scene);

    const { report } = await runSwap(controlPlane);

    const [backup] = report.backups ?? [];
    const [, ...words] = (backup?.command ?? "").split(" ");
    const restored = await controlPlane.kubectl(words);
    expect(restored).toMatchObject({ code: 0 });
    const { old } = await readBack(controlPlane);
    expect({ labels: old?.metadata.labels, webhooks: old?.["webhooks"] }).toEqual({
      labels: before.metadata.labels,
      webhooks: before["webhooks"],
    });
  });
});

describe("a dry run writes nothing", () => {
  test.each(["client", "server"])("--dry-run=%s", async (mode) => {
    const { controlPlane, api, scene } = suite;
    await clear(api, scene);
    await putOldConfiguration(api, scene);
    await settle(api, scene);
    const before = await readBack(controlPlane);

    const run = await runSwap(controlPlane, [`--dry-run=${mode}`]);

    expect(run.report.exit.code).toBe(0);
    expect(run.writes).toEqual([]);
    const changes = run.report.steps?.filter(({ action }) => ["apply", "delete"].includes(action));
    expect(changes?.map(({ result }) => result)).toEqual(["planned", "planned"]);
    expect(run.report.probes?.map(({ phase }) => phase)).toEqual(["found"]);
    expect(await readBack(controlPlane)).toEqual(before);
  });
});
