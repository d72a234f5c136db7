/** What holds of the webhook's chart under each helm, on a real API server. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { defaultNames } from "../../plugin/domain/names/names";
import { getOwn, getPath } from "../../plugin/domain/base/values";
import type { KubeObject } from "../control-plane/api";
import type { User } from "../control-plane/api-server";
import { findProgram } from "../control-plane/binaries";
import {
  admissionSecret,
  caBundleOf,
  makePair,
  storedPair,
  writeTlsFolder,
} from "../control-plane/certificate";
import { type ControlPlane, startControlPlane } from "../control-plane/control-plane";
import { admissionService } from "../control-plane/operator";
import type { ProgramName } from "../control-plane/pins";
import { applyCrds, type Scene, seedScene } from "../control-plane/scene";
import type { Daemon } from "../control-plane/site";
import { freePorts } from "../support/free-ports";
import { verdictsOf } from "../control-plane/suite";
import { readConfiguration, untilCalled } from "../control-plane/swap-states";
import { until } from "../control-plane/until";
import { startWebhook, type Webhook, webhookExecutable } from "../control-plane/webhook-process";
import {
  chartDir,
  chartFile,
  containerOf,
  Helm,
  image,
  namespace,
  objectsOf,
  refusedValues,
  release,
  templateArgs,
  valueSets,
} from "./chart";
import { definitionFiles } from "./definitions";
import { metricsIn, unknownMetrics } from "./metrics";

const { webhook, companion } = defaultNames;
const account = (name: string): User => ({ name: `system:serviceaccount:${namespace}:${name}` });
const serving = account(companion.deployment);
const renewing = account(`${companion.deployment}-renewal`);

/** The variables that a stored Deployment gives its container. */
function environmentOf(deployment: KubeObject | undefined): Readonly<Record<string, string>> {
  const env = getOwn(containerOf(deployment), "env") as readonly { name: string; value: string }[];
  return Object.fromEntries(env.map(({ name, value }) => [name, value]));
}

/** The laws under one helm; where `installs` names another, that one has installed the release. */
export function describeChart(program: ProgramName, installs = program): void {
  let controlPlane: ControlPlane;
  let scene: Scene;
  let folder = "";
  let helm: Helm;
  let installer: Helm;
  let renewal: Daemon | undefined;
  let server: Webhook | undefined;
  let metricsPort = 0;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ users: [serving, renewing] });
    folder = mkdtempSync(join(tmpdir(), "chart-"));
    const open = async (name: ProgramName): Promise<Helm> =>
      new Helm(await findProgram(name), folder, controlPlane.kubectlEnv());
    helm = await open(program);
    installer = await open(installs);
    // outside a pod the webhook takes the operator's namespace for its own: here they are one
    scene = await seedScene(controlPlane.api, { namespace });
    await applyCrds(controlPlane.api, await definitionFiles());
    await controlPlane.api.remove(admissionService(namespace));
    await controlPlane.api.remove(admissionSecret(namespace, scene.pair));
    const level = "pod-security.kubernetes.io/warn=restricted";
    for (const { namespace: space = namespace } of Object.values(valueSets)) {
      await controlPlane.kubectl(["create", "namespace", space]);
      await controlPlane.kubectl(["label", "namespace", space, level, "--overwrite"]);
    }
  }, 900_000);
  afterAll(async () => {
    await server?.stop({ patienceMs: 0 });
    await renewal?.stop();
    rmSync(folder, { recursive: true });
    await controlPlane.stop();
  });

  const sets = Object.entries(valueSets);

  test.each(sets)("%s: lint finds nothing", async (_title, { values }) => {
    await helm.done(["lint", chartDir, "--strict"], { image, ...values });
  });

  test.each(sets)(
    "%s: the API server takes every object, with what was asked for",
    async (_title, { values, namespace: inside, gives }) => {
      const input = await helm.template(values, inside);
      const objects = objectsOf(input);
      const applied = await controlPlane.kubectl(["apply", "--dry-run=server", "-f", "-"], {
        input,
      });
      // a warning would be one of the strictest pod security
      expect({ code: applied.code, stderr: applied.stderr }).toEqual({ code: 0, stderr: "" });
      expect(applied.stdout.trim().split("\n")).toEqual(
        loadAll(input).map(() => expect.stringMatching(/\(server dry run\)$/) as unknown),
      );
      for (const [key, part] of Object.entries(gives)) {
        if (part === undefined) expect([...objects.keys()]).not.toContain(key);
        else expect({ [key]: objects.get(key) }).toMatchObject({ [key]: part });
      }
    },
  );

  test("a pod that the strictest level of pod security refuses would be noticed", async () => {
    const volumes = [{ name: "host", hostPath: { path: "/" } }];
    const input = await helm.template({ volumes });
    const args = ["apply", "--dry-run=server", "-f", "-"];
    const { stderr } = await controlPlane.kubectl(args, { input });
    expect(stderr).toContain("would violate PodSecurity");
  });

  test.each(Object.entries(refusedValues))(
    "the schema refuses %s",
    async (_title, [values, says]) => {
      const { code, stderr } = await helm.run(templateArgs(), values);
      expect(code).not.toBe(0);
      expect(stderr).toMatch(/schema/);
      expect(stderr).toMatch(says);
    },
  );

  const registration = () => readConfiguration(controlPlane.api, webhook.configuration);
  const facts = async () => {
    const [entry] = (await registration())?.["webhooks"] as readonly object[];
    const caBundle = getPath(entry, ["clientConfig", "caBundle"]);
    return { timeout: getPath(entry, ["timeoutSeconds"]), caBundle };
  };
  const stored = (name: string) =>
    controlPlane.api.read({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace },
    });
  const judged = { right: "accepted", wrongRefusedBy: webhook.entry };

  test("an installation makes its certificate, and refuses a bad edit", async () => {
    const values = { image, operatorNamespace: namespace };
    const notes = await installer.done(["install", release, chartDir], values);
    expect(notes).toContain(`kubectl rollout status deployment/${companion.deployment}`);
    renewal = controlPlane.site.start({
      name: "renewal",
      file: webhookExecutable,
      args: [],
      env: {
        ...environmentOf(await stored(`${companion.deployment}-renewal`)),
        ENGINE_NAMESPACE: namespace,
        KUBECONFIG: controlPlane.kubeconfigFor(renewing.name),
      },
    });
    const pair = await until("a certificate that is trusted and stored", async () => {
      renewal?.assertRunning();
      const { caBundle } = await facts();
      const made = await storedPair(controlPlane.api, namespace);
      return caBundle !== undefined && made.secret !== undefined ? made : undefined;
    });
    const tlsDir = join(controlPlane.site.dataDir, "mounted");
    writeTlsFolder(tlsDir, pair);
    [metricsPort = 0] = await freePorts(1);
    const {
      ENGINE_NAMESPACE: operators,
      ENGINE_WEBHOOK_ROLE: role,
      ...env
    } = environmentOf(await stored(companion.deployment));
    expect([operators, role]).toEqual([namespace, "serve"]);
    expect(env).toMatchObject({ ENGINE_WEBHOOK_PORT: "8443", ENGINE_WEBHOOK_CLUSTERS: "api" });
    server = await startWebhook({
      controlPlane,
      namespace,
      tlsDir,
      kubeconfig: controlPlane.kubeconfigFor(serving.name),
      env: { ENGINE_WEBHOOK_ROLE: role ?? "", ENGINE_WEBHOOK_METRICS_PORT: String(metricsPort) },
    });
    await untilCalled(controlPlane.api, scene, { entry: webhook.entry });
    expect(await verdictsOf(controlPlane.api, namespace)).toEqual(judged);
  });

  test("every metric of the rules and the dashboard is one that the webhook reports", async () => {
    const answer = await fetch(`http://${server?.host ?? ""}:${String(metricsPort)}/metrics`);
    const exposition = await answer.text();
    const files = ["files/rules.yaml", "files/dashboard.json"].map(chartFile);
    expect(files.map((text) => metricsIn(text).length > 5)).toEqual([true, true]);
    expect(files.flatMap((text) => unknownMetrics(text, exposition))).toEqual([]);
    const invented = "rate(engine_admission_requests_totals[5m]) + engine_admission_in_flight";
    expect(unknownMetrics(invented, exposition)).toEqual(["engine_admission_requests_totals"]);
  });

  test("an upgrade and a way back change what was asked for, and no certificate", async () => {
    const before = await facts();
    const values = { image, operatorNamespace: namespace, registration: { timeoutSeconds: 12 } };
    await helm.done(["upgrade", release, chartDir], { ...values, replicas: 3 });
    expect(await facts()).toEqual({ ...before, timeout: 12 });
    expect(await stored(companion.deployment)).toMatchObject({ spec: { replicas: 3 } });
    expect(await verdictsOf(controlPlane.api, namespace)).toEqual(judged);
    const unfit = { ...values, port: 80 };
    expect((await helm.run(["upgrade", release, chartDir], unfit)).code).not.toBe(0);

    await helm.done(["rollback", release, "1"]);
    expect(await facts()).toEqual(before);
    expect(await stored(companion.deployment)).toMatchObject({ spec: { replicas: 2 } });
    expect(await verdictsOf(controlPlane.api, namespace)).toEqual(judged);
  });

  test("a certificate that is given takes the place of its own", async () => {
    const { cert: ca } = makePair({ namespace });
    const certificate = { secret: { name: "given", ca } };
    const values = { image, operatorNamespace: namespace, certificate };
    const upgrade = ["upgrade", release, chartDir];
    // a release of helm 4 is applied by the server, which knows who wrote caBundle
    if (installs === "helm4") {
      const { code, stderr } = await helm.run(upgrade, values);
      expect(code).not.toBe(0);
      expect(stderr).toContain(`conflict with "${defaultNames.webhookFieldManager}"`);
      upgrade.push("--force-conflicts");
    }
    await helm.done(upgrade, values);
    expect((await facts()).caBundle).toBe(caBundleOf(ca));
    expect(await stored(`${companion.deployment}-renewal`)).toBeUndefined();
  });

  test("an uninstallation leaves nothing of the release, and edits pass", async () => {
    const manifest = await helm.done(["get", "manifest", release]);
    await helm.done(["uninstall", release]);
    await untilCalled(controlPlane.api, scene, { entry: webhook.entry, called: false });
    expect((await verdictsOf(controlPlane.api, namespace)).wrongRefusedBy).toBeUndefined();
    const left = await controlPlane.kubectl(["get", "--ignore-not-found", "-f", "-"], {
      input: manifest,
    });
    expect(left).toMatchObject({ code: 0, stdout: "" });
  });
}
