/** What kubectl prints of an edit that the webhook refuses: the field, the reason and the fix. */
import { join } from "node:path";
import { cluster, clusterStatus, database, type Definition, seedScene } from "./scene";
import { containing, matching } from "./plugin-run";
import { appGroup, type KubeObject } from "./api";
import type { RunResult } from "./run";
import { openSuite, type Suite } from "./suite";
import { clear, lay, putNewConfiguration } from "./swap-states";
import { writeTlsFolder } from "./certificate";
import { until } from "./until";
import { webhookExecutable } from "./webhook-process";
import { newEntryName } from "./webhook-configurations";

const namespace = "engine";
/** A cluster with the policy under which a minor release is refused. */
const strict = "strict";

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite();
  const { api } = suite;
  const careful = cluster({ namespace, name: strict, policy: "major", userModules: ["rg"] });
  await api.create(careful);
  await api.writeStatus(careful, clusterStatus);
  await api.create(database({ namespace, name: "ledger", engineVersion: "7.2", cluster: strict }));
});
afterAll(() => suite.close());

function kubectl(args: readonly string[], input?: unknown): Promise<RunResult> {
  const options = input === undefined ? {} : { input: JSON.stringify(input) };
  return suite.controlPlane.kubectl([...args, "--dry-run=server", "-n", namespace], options);
}

const patch = (name: string, spec: object): Promise<RunResult> =>
  kubectl(["patch", "edb", name, "--type=merge", "-p", JSON.stringify({ spec })]);

const make = (spec: object, name = "fresh"): Promise<RunResult> =>
  kubectl(["create", "-f", "-"], edb(name, spec));

function edb(name: string, spec: object, ec = "ec"): KubeObject {
  return {
    apiVersion: `${appGroup}/v1alpha1`,
    kind: "EngineEnterpriseDatabase",
    metadata: { name, namespace },
    spec: { engineEnterpriseCluster: { name: ec }, ...spec },
  };
}

function eaadb(name: string, globalConfigurations: object): KubeObject {
  return {
    apiVersion: `${appGroup}/v1alpha1`,
    kind: "EngineEnterpriseActiveActiveDatabase",
    metadata: { name, namespace },
    spec: {
      participatingClusters: [{ name: "here", namespace }],
      engineEnterpriseCluster: { name: "ec" },
      globalConfigurations,
    },
  };
}

interface Refusal {
  readonly name: string;
  readonly edit: () => Promise<RunResult>;
  readonly says: readonly (string | RegExp)[];
}

const refusals: readonly Refusal[] = [
  {
    name: "R1: a version that does not exist",
    edit: () => patch("orders", { engineVersion: "9.9" }),
    says: [
      "spec.engineVersion",
      'Unsupported value: "9.9"',
      '"7.2"',
      '"8.2"',
      '"major"',
      /\[[\w./-]+\]/,
    ],
  },
  {
    name: "R1: a full version, with the hint to shorten it",
    edit: () => make({ engineVersion: "7.4.2" }),
    says: ["spec.engineVersion", '"7.4.2"', '"7.4"'],
  },
  {
    name: "R1: latest",
    edit: () => make({ engineVersion: "latest" }),
    says: ["spec.engineVersion", "latest"],
  },
  {
    name: "R2: a minor release under the policy major",
    edit: () => patch("ledger", { engineVersion: "7.4" }),
    says: [
      "spec.engineVersion",
      "Forbidden",
      "7.2",
      "7.4",
      `${namespace}/${strict}`,
      "major",
      "8.0",
    ],
  },
  {
    name: "R3: a module that nobody has defined",
    edit: () => make({ engineVersion: "7.4", modulesList: [{ name: "search" }, { name: "nope" }] }),
    says: [
      "spec.modulesList[1].name",
      'Not found: "nope"',
      `${namespace}/ec`,
      "spec.userDefinedModules",
    ],
  },
  {
    name: "R3: in the other spelling of the list",
    edit: () => make({ moduleList: [{ name: "nope" }] }),
    says: ["spec.moduleList[0].name", 'Not found: "nope"'],
  },
  {
    name: "REF: a cluster that does not exist",
    edit: () =>
      kubectl(
        ["create", "-f", "-"],
        edb("fresh", { modulesList: [{ name: "nope" }] }, "no-such-cluster"),
      ),
    says: ["spec.engineEnterpriseCluster.name", 'Not found: "no-such-cluster"', namespace],
  },
  {
    name: "an active-active database, below its own path",
    edit: () => kubectl(["create", "-f", "-"], eaadb("both", { engineVersion: "9.9" })),
    says: ["spec.globalConfigurations.engineVersion", 'Unsupported value: "9.9"'],
  },
  {
    name: "several mistakes in one object",
    edit: () => make({ engineVersion: "9.9", modulesList: [{ name: "one" }, { name: "two" }] }),
    says: [
      "* spec.engineVersion",
      "* spec.modulesList[0].name",
      "* spec.modulesList[1].name",
      '"9.9"',
      '"one"',
      '"two"',
    ],
  },
  {
    name: "hostile names, escaped",
    edit: () => make({ engineVersion: "\u001b[31m9.9\nok", modulesList: [{ name: "__proto__" }] }),
    says: ["spec.engineVersion", 'Not found: "__proto__"', "\\u001b"],
  },
];

describe.each(["v1", "v1beta1"])("registered for reviews of %s", (version) => {
  beforeAll(async () => {
    await lay(suite, { current: { entry: { admissionReviewVersions: [version] } } });
  });

  test.each(refusals.map((row) => [row.name, row] as const))(
    "kubectl prints %s",
    async (_name, { edit, says }) => {
      const { code, stderr } = await edit();
      expect(code).toBe(1);
      expect(stderr).toContain("is invalid");
      for (const part of says) {
        expect(stderr).toEqual(typeof part === "string" ? containing(part) : matching(part));
      }
      expect(stderr).not.toContain("\u001b");
      // Of an Invalid kubectl drops the server's prefix: the webhook has to name itself.
      expect(stderr).toContain(newEntryName.split(".")[1]);
    },
  );

  test.each([
    ["another valid version", () => patch("orders", { engineVersion: "8.0" })],
    ["a channel", () => patch("orders", { engineVersion: "major" })],
    ["a major release under the policy major", () => patch("ledger", { engineVersion: "8.0" })],
    ["a bundled module", () => make({ modulesList: [{ name: "ReJSON" }] })],
    [
      "a user's module",
      () => kubectl(["create", "-f", "-"], edb("fresh", { modulesList: [{ name: "rg" }] }, strict)),
    ],
    ["an edit of something else", () => kubectl(["annotate", "edb", "orders", "a=b"])],
    ["an active-active database", () => kubectl(["create", "-f", "-"], eaadb("both", {}))],
  ])("accepts %s", async (_name, edit) => {
    expect(await edit()).toMatchObject({ code: 0, stderr: "" });
  });

  test("warns of lowering, and lets it pass", async () => {
    const { code, stderr } = await patch("orders", { engineVersion: "7.2" });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Warning: /m);
  });

  test("kubectl apply of a list shows the mistakes of all of it", async () => {
    const items = [
      edb("first", { engineVersion: "9.9" }),
      edb("second", { engineVersion: "7.4" }),
      edb("third", { modulesList: [{ name: "nope" }] }),
      eaadb("fourth", { engineVersion: "0.1" }),
    ];
    const list = { apiVersion: "v1", kind: "List", items };
    const { code, stdout, stderr } = await kubectl(["apply", "-f", "-"], list);
    expect(code).toBe(1);
    expect(stdout).toContain("second");
    for (const part of [
      '"first" is invalid: spec.engineVersion',
      '"third" is invalid: spec.modulesList[0].name',
      '"fourth" is invalid: spec.globalConfigurations.engineVersion',
    ]) {
      expect(stderr).toContain(part);
    }
  });
});

describe("R1: a number", () => {
  /** Without the CRD's own type check, as on a cluster whose schema is laxer. */
  async function relaxSchema(type: "string" | undefined): Promise<void> {
    const { api } = suite;
    const name = `engineenterprisedatabases.${appGroup}`;
    const ref = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name },
    };
    const definition = (await api.read(ref)) as unknown as Definition;
    const value = type === undefined ? { "x-kubernetes-preserve-unknown-fields": true } : { type };
    const schema = "schema/openAPIV3Schema/properties/spec/properties/engineVersion";
    const body = definition.spec.versions.map((_, index) => ({
      op: "replace",
      path: `/spec/versions/${String(index)}/${schema}`,
      value,
    }));
    // a patch meets no conflict with what the API server writes into the status meanwhile
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`;
    const contentType = "application/json-patch+json";
    const { status } = await api.send("PATCH", path, { body, contentType });
    expect(status).toBe(200);
  }

  test("is refused with the hint to quote it", async () => {
    await lay(suite, { current: {} });
    await relaxSchema(undefined);
    const result = await until("the schema to be relaxed", async () => {
      const answer = await make({ engineVersion: 8 });
      return answer.stderr.includes("in body must be of type") ? undefined : answer;
    });
    await relaxSchema("string");
    expect(result.code).toBe(1);
    for (const part of ["spec.engineVersion", "Invalid value: 8", 'quote it in YAML: "8.0"']) {
      expect(result.stderr).toContain(part);
    }
  });
});

describe("a webhook that has not read the clusters yet", () => {
  test("is a failing call and no denial", async () => {
    const { api, controlPlane } = suite;
    // Its user may not list them, so that it stays as it is in its first moments.
    const scene = await seedScene(api, { namespace: "unsynced" });
    const tlsDir = join(controlPlane.site.dataDir, "tls-unsynced");
    writeTlsFolder(tlsDir, scene.pair);
    const daemon = controlPlane.site.start({
      name: "engine-webhook-unsynced",
      file: webhookExecutable,
      args: [],
      env: {
        ENGINE_WEBHOOK_HOST: scene.clusterIP,
        ENGINE_WEBHOOK_PORT: "443",
        ENGINE_WEBHOOK_TLS_DIR: tlsDir,
        ENGINE_WEBHOOK_METRICS_PORT: "0",
        ENGINE_WEBHOOK_CLUSTERS: "api",
        ENGINE_NAMESPACE: scene.namespace,
        KUBECONFIG: controlPlane.kubeconfigFor("restricted"),
      },
    });
    await clear(api, suite.scene);
    await putNewConfiguration(api, scene, { changes: { entry: { timeoutSeconds: 2 } } });
    const answer = await until("the webhook to be called", async () => {
      daemon.assertRunning();
      const { stderr } = await make({ engineVersion: "9.9" });
      return /failed calling webhook(?!.*refused)/.test(stderr) ? stderr : undefined;
    });
    await daemon.stop();
    expect(answer).toContain(`failed calling webhook "${newEntryName}"`);
    expect(answer).not.toContain("denied the request");
  });
});
