/** What stops a swap before its first write: the cluster is as it was, byte for byte. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { admissionSecret, makePair, secretOf, type UnfitSecret, unfitSecrets } from "./certificate";
import {
  admissionEndpoints,
  admissionService,
  namespaceOf,
  setEndpointsReady,
  writeOperatorStatus,
} from "./operator";
import { documentOf, errorsIn, type PluginOptions, type PluginRun, runner } from "./plugin-run";
import { run } from "./run";
import { openSuite, type Suite } from "./suite";
import {
  entryOf,
  lay,
  putNewConfiguration,
  readBack,
  runSwap,
  settle,
  templateFile,
} from "./swap-states";
import {
  type ConfigurationOptions,
  newConfiguration,
  newEntryName,
  oldConfigurationName,
  owners,
} from "./webhook-configurations";

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite();
  await lay(suite, { old: {} });
});
afterAll(() => suite.close());

/** Runs the swap and holds it to having left everything alone. */
async function refused(
  args: readonly string[] = [],
  options: PluginOptions = {},
): Promise<PluginRun> {
  const before = await readBack(suite.controlPlane);
  const result = await runSwap(suite.controlPlane, args, options);
  expect(result.writes).toEqual([]);
  expect(await readBack(suite.controlPlane)).toEqual(before);
  return result;
}

describe("the secret", () => {
  const namespace = "engine";
  afterEach(async () => {
    await suite.api.replace(admissionSecret(namespace, suite.scene.pair));
  });

  const codes: Readonly<Record<UnfitSecret, string>> = {
    "wrong type": "SECRET-TYPE",
    "three items": "SECRET-ITEMS",
    "one item": "SECRET-ITEMS",
    "no cert": "SECRET-NO-CERT",
    "cert is not PEM": "SECRET-NOT-PEM",
    "cert holds a private key": "SECRET-PRIVATE-KEY-IN-CERT",
    "no name of the service": "CERT-SAN",
    "no names at all": "CERT-SAN",
    "for clients only": "CERT-REFUSED",
    expired: "CERT-EXPIRED",
    "not yet valid": "CERT-NOT-YET-VALID",
    "another private key": "CERT-KEY-MISMATCH",
  };

  test.each(Object.entries(codes))("%s stops with 3 and one cause, %s", async (kind, code) => {
    await suite.api.replace(unfitSecrets[kind as UnfitSecret](namespace));
    const { report } = await refused();
    expect(report.exit.code).toBe(3);
    expect(errorsIn(report)).toEqual([code]);
  });

  test("absent stops with 3 after --wait-secret, and is not created", async () => {
    const secret = admissionSecret(namespace, suite.scene.pair);
    await suite.api.remove(secret);
    const { report } = await refused(["--wait-secret=1s"]);
    expect(report.exit.code).toBe(3);
    expect(errorsIn(report)).toEqual(["SECRET-MISSING"]);
    expect(await suite.api.read(secret)).toBeUndefined();
  });

  test("that appears while the run waits for it is used", async () => {
    const { controlPlane, api, scene } = suite;
    const secret = admissionSecret(namespace, scene.pair);
    await api.remove(secret);
    let made: Promise<unknown> | undefined;
    const args = ["engine", "upgrade-webhook", "-n", namespace, "--dry-run=server", "-o", "json"];
    const result = await run(controlPlane.binaries.kubectl, args, {
      env: controlPlane.kubectlEnv(),
      onErrorLine: (line) => {
        if (line.includes("admission-tls")) {
          made ??= api.create(secret);
        }
      },
    });
    await made;
    expect(documentOf(result, args).exit.code).toBe(0);
    expect(made).toBeDefined();
  });
});

describe("the server side", () => {
  type Act = (suite: Suite) => Promise<unknown>;
  const endpoints =
    (ready: boolean): Act =>
    ({ api, scene }) =>
      setEndpointsReady(api, scene.namespace, ready);
  const operator =
    (ready: boolean): Act =>
    ({ api, scene }) =>
      writeOperatorStatus(api, scene.namespace, ready);
  const noSlice: Act = ({ api, scene }) => api.remove(admissionEndpoints(scene.namespace));
  const rows: readonly (readonly [string, { spoil: Act; fix: Act; code: string }])[] = [
    [
      "no ready endpoint",
      { spoil: endpoints(false), fix: endpoints(true), code: "WEBHOOK-NO-PODS" },
    ],
    ["no endpoint slice at all", { spoil: noSlice, fix: endpoints(true), code: "WEBHOOK-NO-PODS" }],
    [
      "operator not ready",
      { spoil: operator(false), fix: operator(true), code: "OPERATOR-DEADLINE" },
    ],
  ];

  describe.each(rows)("%s", (_name, row) => {
    beforeEach(() => row.spoil(suite));
    afterEach(() => row.fix(suite));

    test("stops with 3", async () => {
      const { report } = await refused();
      expect(report.exit.code).toBe(3);
      expect(errorsIn(report)).toEqual([row.code]);
    });

    test("with --wait, times out with 124", async () => {
      const { report } = await refused(["--wait", "--timeout=1s"]);
      expect(report.exit.code).toBe(124);
    });

    test("with --wait, continues when it is fixed", async () => {
      const { controlPlane } = suite;
      const args = ["engine", "upgrade-webhook", "-n", "engine", "--dry-run=client", "--wait"];
      let fixed: Promise<unknown> | undefined;
      const result = await run(controlPlane.binaries.kubectl, [...args, "-o", "json"], {
        env: controlPlane.kubectlEnv(),
        onErrorLine: (line) => {
          if (/Service|Deployment/.test(line)) {
            fixed ??= row.fix(suite);
          }
        },
      });
      await fixed;
      expect(documentOf(result, args).exit.code).toBe(0);
      expect(fixed).toBeDefined();
    });
  });

  const moved =
    "WEBHOOK-OTHER-NAMESPACE=ValidatingWebhookConfiguration/engine-enterprise-admission";
  test("no Service stops with 3", async () => {
    const { api } = suite;
    await api.create(namespaceOf("no-service"));
    const secret = admissionSecret("no-service", makePair({ namespace: "no-service" }));
    await api.create(secret);
    expect(await api.read(admissionService("no-service"))).toBeUndefined();
    const { report } = await refused(["--skip", moved], { namespace: "no-service" });
    expect(report.exit.code).toBe(3);
    expect(errorsIn(report)).toEqual(["WEBHOOK-SERVICE-MISSING"]);
  });

  test.each([[[]], [["--wait", "--timeout=1s"]]])(
    "a namespace that does not exist stops with 3, with %j",
    async (args) => {
      const { report } = await refused(args, { namespace: "nowhere" });
      expect(report.exit.code).toBe(3);
      expect(errorsIn(report)).toEqual(["NAMESPACE-MISSING"]);
    },
  );
});

/** What the one rule of a configuration says. */
function ruleOf(configuration: ReturnType<typeof newConfiguration>) {
  const [rule] = entryOf(configuration)["rules"] as readonly {
    readonly apiGroups: readonly string[];
    readonly operations: readonly string[];
    readonly resources: readonly string[];
  }[];
  return {
    group: rule?.apiGroups[0] ?? "",
    operations: rule?.operations ?? [],
    resources: rule?.resources ?? [],
  };
}

describe("what is there already", () => {
  const { group, operations, resources } = ruleOf(newConfiguration({ namespace: "engine" }));
  const others = "of-another-owner";
  const beside = (
    { scene }: Suite,
    changes: Partial<ConfigurationOptions> = {},
  ): ReturnType<typeof newConfiguration> => {
    const object = newConfiguration({ ...scene, ...changes });
    return { ...object, metadata: { ...object.metadata, name: others } };
  };
  const current =
    (rule: NonNullable<ConfigurationOptions["rule"]>) =>
    ({ api, scene }: Suite): Promise<unknown> =>
      putNewConfiguration(api, scene, { changes: { rule } });
  const another =
    (changes: Partial<ConfigurationOptions> = {}) =>
    (found: Suite): Promise<unknown> =>
      found.api.replace(beside(found, changes));
  const chart = { metadata: owners.Helm, entry: { name: "chart.admission.engine" } };
  const goneOlms = { labels: { ...owners.OLM.labels, "olm.owner.namespace": "engine" } };
  const first = resources[0] ?? "";
  type Row = readonly [
    name: string,
    found: (suite: Suite) => Promise<unknown>,
    exit: number,
    code: string,
    /** Of the finding's cause and fix. */
    says: readonly string[],
  ];
  const rows: readonly Row[] = [
    [
      "a newer release's resources",
      current({ resources: [...resources, "engineenterpriseacls"] }),
      3,
      "WEBHOOK-LOSES-RULES",
      [`engineenterpriseacls.${group} (CREATE, UPDATE)`, "--take-template-rules"],
    ],
    [
      "another operation",
      current({ operations: [...operations, "DELETE"] }),
      3,
      "WEBHOOK-LOSES-RULES",
      [`${first}.${group} (DELETE)`],
    ],
    [
      "another group",
      current({ apiGroups: [group, "batch"] }),
      3,
      "WEBHOOK-LOSES-RULES",
      [`${first}.batch (CREATE, UPDATE)`],
    ],
    [
      "OLM's generated configuration",
      another({ metadata: owners.OLM }),
      5,
      "WEBHOOK-OWNED",
      ["OLM owns it", "InstallPlan"],
    ],
    [
      "OLM's generated configuration whose Service is gone",
      another({ metadata: owners.OLM, service: { name: "operator-service" } }),
      3,
      "WEBHOOK-LEFTOVER",
      ["operator-service", "marks of OLM"],
    ],
    [
      "a configuration of OLM's that is not on this cluster",
      another({ metadata: goneOlms, service: { name: "operator-service" } }),
      3,
      "WEBHOOK-LEFTOVER",
      ["which need not be asked: ClusterServiceVersion/engine/", "does not exist"],
    ],
    [
      "a chart's configuration under another entry name",
      another(chart),
      5,
      "WEBHOOK-OWNED",
      ["Helm owns it", "helm upgrade"],
    ],
    [
      "an entry of the same name that is nobody's",
      another(),
      3,
      "PROBE-AMBIGUOUS",
      [newEntryName, "--no-probe"],
    ],
  ];
  afterEach(async () => {
    await suite.api.remove(newConfiguration({ namespace: "engine" }));
    await suite.api.remove(beside(suite));
    await settle(suite.api, suite.scene);
  });

  test.each(rows)("%s", async (_name, ...[found, exit, wanted, says]) => {
    await found(suite);
    const { report } = await refused();
    expect(report.exit.code).toBe(exit);
    expect(errorsIn(report)).toEqual([wanted]);
    const told = report.findings?.find(({ code }) => code === wanted);
    for (const part of says) {
      expect(`${told?.cause ?? ""} ${told?.fix ?? ""}`).toContain(part);
    }
  });
});

describe("the template", () => {
  const good = readFileSync(templateFile, "utf8");
  test("with several mistakes is refused with all of them: 2", async () => {
    const input = good
      .replace("Validating", "Mutating")
      .replace("OPERATOR_NAMESPACE", "elsewhere")
      .replace(newEntryName, "my.entry.engine");
    const { report, stderr } = await refused(["--template", "-"], { input });
    expect(report.exit.code).toBe(2);
    for (const part of ["kind is", '"elsewhere"', '"my.entry.engine"']) {
      expect(`${report.exit.reason} ${report.exit.next ?? ""}`).toContain(part);
      expect(stderr).toContain(part);
    }
  });

  test.each(["OPERATOR_NAMESPACE", "NAMESPACE_OF_SERVICE_ACCOUNT"])(
    "with the placeholder %s is rendered",
    async (token) => {
      const { controlPlane } = suite;
      const file = join(controlPlane.site.dataDir, "template.yaml");
      writeFileSync(file, good.replaceAll("OPERATOR_NAMESPACE", token));
      const { report } = await refused(["--dry-run=server", "--template", file]);
      expect(report.exit.code).toBe(0);
    },
  );
});

describe("the question", () => {
  test.each([[[]], [["--no-input"]]])("without --yes and a terminal: 2, with %j", async (flags) => {
    const { controlPlane } = suite;
    const before = await readBack(controlPlane);
    const mark = await controlPlane.auditMark();
    const args = ["engine", "upgrade-webhook", "-n", "engine", "-o", "json", ...flags];
    const kubeconfig = controlPlane.kubeconfigFor(runner.name);
    const result = await controlPlane.kubectl(args, { kubeconfig });
    const { exit } = documentOf(result, args);
    expect(exit.code).toBe(2);
    expect(exit.reason).toContain(oldConfigurationName);
    expect(`${exit.reason} ${exit.next ?? ""}`).toContain("--yes");
    expect(await controlPlane.writesSince(mark, { user: runner.name })).toEqual([]);
    expect(await readBack(controlPlane)).toEqual(before);
  });
});

describe("what a refusal says", () => {
  test("a secret that holds a text that is no base64 of a certificate is never printed", async () => {
    const { api, scene } = suite;
    await api.replace(secretOf("engine", { cert: "hunter2-marker", privateKey: "hunter3-marker" }));
    const { stdout, stderr } = await refused(["-v", "9"]);
    expect(`${stdout}${stderr}`).not.toMatch(/hunter[23]-marker|aHVudGVy/);
    await api.replace(admissionSecret("engine", scene.pair));
  });
});
