/**
 * The images run: the webhook as the pods that its chart makes on a real API server, the plugin as in
 * a pod of a Job. runc starts them with what a kubelet would give: the stored pod spec, a read-only
 * root, no capabilities, the default filter of system calls, and a user that nobody knew before.
 */
import { randomInt } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { request } from "node:https";
import { join } from "node:path";
import { version } from "../../package.json";
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { KubeObject } from "../control-plane/api";
import { admissionSecret, fingerprint, makePair, storedPair } from "../control-plane/certificate";
import { type ControlPlane, runHelm, startControlPlane } from "../control-plane/control-plane";
import { admissionEndpoints } from "../control-plane/operator";
import { freePorts } from "../support/free-ports";
import { database, seedScene } from "../control-plane/scene";
import { trustedPem } from "../control-plane/swap-states";
import { until } from "../control-plane/until";
import { type Forwarder, startForwarder } from "../support/forwarder";
import { isAvailable, isInstalled } from "./debian-system";
import { Kubelet, type RunningPod } from "./kubelet";
import { Layout } from "./layout";
import { releaseDir } from "./released";
import { type PodSpec, runtimeConfig, seccompFile } from "./pod";

jest.setTimeout(180_000);

const { namespace, deployment } = names.companion;
const chart = join(releaseDir, `engine-webhook-${version}.tgz`);
const images = join(releaseDir, "images");
const webhookImage = new Layout(join(images, "engine-webhook"));
const pluginImage = new Layout(join(images, "kubectl-engine"));

const canRun = isAvailable(
  "containers are not run",
  ["runc", "golang-github-containers-common"],
  () => process.getuid?.() === 0 && isInstalled("runc") && existsSync(seccompFile),
);

const hardened = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  runAsNonRoot: true,
  capabilities: { drop: ["ALL"] },
  seccompProfile: { type: "RuntimeDefault" },
};
const uid = randomInt(1_000_000_000, 2_000_000_000);

(canRun ? describe : describe.skip)("on a real API server", () => {
  let controlPlane: ControlPlane;
  let kubelet: Kubelet;
  let forwarder: Forwarder | undefined;
  let serving: RunningPod;
  let renewing: RunningPod;
  let address: { readonly host: string; readonly port: number };
  const day = 24 * 60 * 60_000;
  /** Past two thirds of its life: it has to be renewed. */
  const due = makePair({
    namespace,
    notBefore: new Date(Date.now() - 61 * day),
    notAfter: new Date(Date.now() + 29 * day),
  });

  beforeAll(async () => {
    if (!existsSync(images)) throw new Error(`${images} is missing: run "npm run package" first`);
    controlPlane = await startControlPlane();
    const { api } = controlPlane;
    kubelet = new Kubelet(controlPlane, uid);
    await seedScene(api);
    const labels = { "pod-security.kubernetes.io/enforce": "restricted" };
    await api.create({
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: namespace, labels },
    });
    await api.create(admissionSecret(namespace, due), names.webhookFieldManager);
    const [port = 0, metricsPort = 0] = await freePorts(2);
    address = { host: "127.0.0.1", port };
    const set = [
      "image.repository=private-registry/engine/webhook",
      `image.digest=${webhookImage.named().digest}`,
      `port=${String(port)}`,
      `metricsPort=${String(metricsPort)}`,
    ];
    await runHelm(controlPlane, namespace, ["install", "guard", chart, "--set", set.join()]);
    serving = await kubelet.runDeployment(namespace, deployment, webhookImage);
    await until("the pod to be ready", async () => {
      serving.daemon.assertRunning();
      return (await serving.probe(serving.container.readinessProbe)) === 200 || undefined;
    });
    const metadata = { name: names.webhook.service, namespace };
    const service = await api.read({ apiVersion: "v1", kind: "Service", metadata });
    const { clusterIP } = service?.["spec"] as { readonly clusterIP: string };
    await api.apply(admissionEndpoints(namespace));
    forwarder = await startForwarder({ host: clusterIP, port: 443 });
    forwarder.add(address);
    renewing = await kubelet.runDeployment(namespace, `${deployment}-renewal`, webhookImage);
    await until("the registration to trust the pod, and the API server to know", async () => {
      renewing.daemon.assertRunning();
      return (await edit("9.9")).stderr.includes("refused by webhook") || undefined;
    });
  });
  afterAll(async () => {
    await forwarder?.close();
    await kubelet.close();
    await controlPlane.stop();
  });

  /** Edits the database by kubectl, as a person does. */
  const edit = (engineVersion: string): ReturnType<ControlPlane["kubectl"]> =>
    controlPlane.kubectl([
      ...["patch", names.edb.plural, "orders", "-n", "engine", "--type=merge", "--dry-run=server"],
      ...["-p", JSON.stringify({ spec: { engineVersion } })],
    ]);

  async function expectJudged(): Promise<void> {
    const [good, bad] = [await edit("8.0"), await edit("9.9")];
    expect(good).toMatchObject({ code: 0, stdout: expect.stringContaining("patched") as string });
    expect(bad.code).toBe(1);
    expect(bad.stderr).toContain('spec.engineVersion: Unsupported value: "9.9"');
    expect(bad.stderr).toContain(`(refused by webhook ${names.webhook.entry})`);
  }

  test.each([
    ["the pod that serves", () => serving],
    ["the pod that renews", () => renewing],
  ])("%s has the stored spec's image and none of root's rights", async (_name, pod) => {
    const { container, spec } = pod();
    expect(container.image).toBe(`private-registry/engine/webhook@${webhookImage.named().digest}`);
    expect({ ...spec.securityContext, ...container.securityContext }).toEqual(hardened);
    const proc = `/proc/${String(await pod().pid())}`;
    const status = new Map(
      readFileSync(`${proc}/status`, "utf8")
        .split("\n")
        .map((line) => line.split(/:\s+/) as [string, string]),
    );
    const ids = Array.from({ length: 4 }, () => String(uid)).join("\t");
    const none = "0".repeat(16);
    expect(Object.fromEntries(status)).toMatchObject({
      ...{
        Uid: ids,
        NoNewPrivs: "1",
        Seccomp: "2",
        NSpid: expect.stringMatching(/\t1$/) as string,
      },
      ...{ CapInh: none, CapPrm: none, CapEff: none, CapBnd: none, CapAmb: none },
    });
    const [, root = ""] =
      /^\d+ \d+ \S+ \S+ \/ (\S+)/m.exec(readFileSync(`${proc}/mountinfo`, "utf8")) ?? [];
    expect(root.split(",")).toContain("ro");
  });

  test("it answers both probes of its spec", async () => {
    const { livenessProbe, readinessProbe } = serving.container;
    expect([await serving.probe(livenessProbe), await serving.probe(readinessProbe)]).toEqual([
      200, 200,
    ]);
  });

  test("a good edit passes, and a bad one is refused by the container", async () => {
    await expectJudged();
  });

  test("it rotates its certificate, and edits are checked all along", async () => {
    const renewed = await until(
      "the new pair",
      async () => {
        await expectJudged();
        const pair = await storedPair(controlPlane.api, namespace);
        return fingerprint(pair.cert) === fingerprint(due.cert) ? undefined : pair;
      },
      { everyMs: 500 },
    );
    await serving.updateSecrets();
    await until("the new pair to be served", async () => {
      await expectJudged();
      return (await servedBy(address)) === fingerprint(renewed.cert) || undefined;
    });
    await expectJudged();
    expect(await trustedPem(controlPlane)).toBe(renewed.cert);
  });

  test("told to end, it answers what is in flight, and ends with 0 within the grace period", async () => {
    const body = JSON.stringify(review("9.9"));
    const call = request({
      ...{
        ...address,
        method: "POST",
        path: "/admission",
        rejectUnauthorized: false,
        agent: false,
      },
      headers: { "content-type": "application/json", "content-length": body.length },
    });
    const answered = new Promise<string>((resolve, reject) => {
      call.on("error", reject).on("response", (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.on("end", () => {
          resolve(text);
        });
      });
    });
    await new Promise((done) => call.write(body.slice(0, 20), done));
    const { readinessProbe } = serving.container;
    const ended = Promise.all([serving.stop(), renewing.stop()]);
    await until(
      "the pod to drain",
      async () => (await serving.probe(readinessProbe)) === 503 || undefined,
    );
    call.end(body.slice(20));
    expect(JSON.parse(await answered)).toMatchObject({
      response: { uid: "in-flight", allowed: false, status: { code: 422 } },
    });
    expect(await ended).toEqual(["exited with code 0", "exited with code 0"]);
    // without the container nothing judges: what was seen above was its work
    expect((await edit("8.0")).stderr).toContain("failed calling webhook");
  });

  describe("the plugin, in a pod of a Job", () => {
    const pod = (args: readonly string[], folder?: string): PodSpec => ({
      containers: [
        {
          name: "plugin",
          image: "engine/plugin",
          args,
          securityContext: hardened,
          ...(folder !== undefined && { volumeMounts: [{ name: "scratch", mountPath: folder }] }),
        },
      ],
      volumes: [{ name: "scratch", emptyDir: {} }],
    });
    const rehearse = ["rehearse", "upgrade-webhook", "--yes"];

    test("tells its commands", async () => {
      const { code, stdout, stderr } = await kubelet.runOnce(pod(["--help"]), pluginImage);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain("kubectl engine upgrade-webhook");
    });

    test("rehearses with an emptyDir at /tmp", async () => {
      const { code, stdout, stderr } = await kubelet.runOnce(pod(rehearse, "/tmp"), pluginImage);
      expect({ code, stderr }).toMatchObject({ code: 0 });
      expect(stdout).not.toBe("");
    });

    test("without one it says what is missing", async () => {
      const { code, stderr } = await kubelet.runOnce(pod(rehearse), pluginImage);
      expect(stderr).toContain("cannot make a temporary folder: read-only file system: /tmp");
      expect(stderr).toContain("in a pod, mount an emptyDir there");
      expect(code).toBe(2);
    });
  });
});

/** Of the certificate that is served, SHA-256 in hex. */
function servedBy(address: { readonly host: string; readonly port: number }): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { ...address, path: "/readyz", rejectUnauthorized: false, agent: false };
    const call = request(options, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => (text += part));
      response.on("end", () => {
        const { certificate } = JSON.parse(text) as {
          readonly certificate: { readonly sha256: string };
        };
        resolve(certificate.sha256);
      });
    });
    call.on("error", reject).end();
  });
}

/** A call of the API server for an edit that has to be refused. */
function review(engineVersion: string): object {
  const object = (version: string): KubeObject =>
    database({ namespace: "engine", name: "orders", engineVersion: version });
  const { group, version, edb } = names;
  const kind = { group, version, kind: edb.kind };
  const resource = { group, version, resource: edb.plural };
  return {
    apiVersion: "admission.k8s.io/v1",
    kind: "AdmissionReview",
    request: {
      ...{ uid: "in-flight", kind, resource, requestKind: kind, requestResource: resource },
      ...{ name: "orders", namespace: "engine", operation: "UPDATE", userInfo: { username: "a" } },
      ...{ object: object(engineVersion), oldObject: object("7.4"), options: null, dryRun: true },
    },
  };
}

describe("a kubelet refuses", () => {
  const image = { User: "65532:65532", Entrypoint: ["/usr/bin/engine-webhook"] };
  const given = { id: "x", rootfs: "/none" };
  const pod = (changes: object, fields: object = {}): PodSpec => ({
    containers: [
      { name: "c", image: "i", securityContext: { ...hardened, ...changes }, ...fields },
    ],
  });
  test.each([
    ["an image that runs as root", { ...image, User: "0:0" }, pod({}), /image will run as root$/],
    ["an image without a user", { Entrypoint: ["/x"] }, pod({}), /image will run as root$/],
    ["a user by name", { ...image, User: "nonroot" }, pod({}), /non-numeric user \(nonroot\)/],
    ["a spec that says root", image, pod({ runAsUser: 0 }), /runAsUser breaks non-root policy$/],
    [
      "a capability more",
      image,
      pod({ capabilities: { drop: ["ALL"], add: ["NET_ADMIN"] } }),
      /drops ALL/,
    ],
    [
      "a volume that is not there",
      image,
      pod({}, { volumeMounts: [{ name: "v", mountPath: "/v" }] }),
      /\/v: no such volume/,
    ],
    [
      "a field that no pod has",
      image,
      pod({}, { env: [{ name: "E", valueFrom: { fieldRef: { fieldPath: "f" } } }] }),
      /E: only fields/,
    ],
  ])("%s", (...[, config, spec, said]) => {
    expect(() => runtimeConfig(spec, config, given)).toThrow(said);
  });

  test("nothing of a spec that fits", () => {
    expect(runtimeConfig(pod({}, { args: ["--help"] }), image, given)).toMatchObject({
      process: {
        user: { uid: 65_532 },
        args: ["/usr/bin/engine-webhook", "--help"],
        noNewPrivileges: true,
        capabilities: {},
      },
      root: { readonly: true },
    });
  });
});
