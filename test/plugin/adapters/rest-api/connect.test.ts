/** Which way to the REST API, with whose credentials, trusting whom. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectClusterApi } from "../../../../plugin/adapters/rest-api/connect";
import {
  findPlaces,
  findPod,
  routeByUrl,
  routeForwarded,
  routeInside,
} from "../../../../plugin/adapters/rest-api/route";
import { EngineError } from "../../../../plugin/domain/base/errors";
import { kinds } from "../../../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { Ref } from "../../../../plugin/domain/kube/objects";
import type { KubeClient } from "../../../../plugin/ports/kubernetes";
import { certify } from "../../../support/tls";
import { anObject } from "../../../support/builders";
import {
  aCaFile,
  aCredentialsCluster,
  anApiClient,
  anApiEc,
  anApiSecret,
} from "../../../support/cluster-api-client";
import { makeWorld } from "../../../support/world";
import { ManualClock } from "../../../support/manual-clock";
import { aClusterApi, testCluster } from "../../../support/played-cluster-api";
import { aFolder } from "../../../support/a-folder";

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});
const { signal } = new AbortController();

const failureOf = async (work: Promise<unknown>): Promise<EngineError> => {
  const error: unknown = await work.then(
    () => new Error("it went well"),
    (caught: unknown) => caught,
  );
  if (!(error instanceof EngineError)) throw error;
  return error;
};

const url = "https://127.0.0.1:1";
const caPem = certify({ commonName: "ca" }).cert;

describe("credentials (S105)", () => {
  async function asked(ec: object, secretName: string, flags: object = {}): Promise<string> {
    const played = await aClusterApi();
    const secret = anApiSecret(played.admin.name, played.admin.password, secretName);
    const { cluster } = makeWorld({ objects: [secret] });
    const own = { url: played.url, caPem: played.caPem };
    const api = await anApiClient({ ...own, cluster, ec: anApiEc(ec), flags });
    open.push(played, api);
    await api.databases(signal);
    return played.calls.map(({ path }) => path).join();
  }

  test("are in the Secret named like the EC", async () => {
    expect(await asked({}, "ec")).toBe("/v1/bdbs");
  });

  test("or in the one that the EC names", async () => {
    expect(await asked({ clusterCredentialSecretName: "login" }, "login")).toBe("/v1/bdbs");
  });

  test("or in the one of the flag, whatever the EC says", async () => {
    const ec = { clusterCredentialSecretName: "login", clusterCredentialSecretType: "vault" };
    expect(await asked(ec, "mine", { credentialsSecret: "mine" })).toBe("/v1/bdbs");
  });

  test("a line end at their end is none of them", async () => {
    const played = await aClusterApi();
    const { name, password } = played.admin;
    const cluster = aCredentialsCluster(`${name}\n`, `${password}\r\n`);
    const api = await anApiClient({ url: played.url, caPem: played.caPem, cluster });
    open.push(played, api);
    expect(await api.databases(signal)).toHaveLength(1);
  });

  const keyless = anObject(kinds.secret, { name: "ec", namespace: "engine" }, { data: {} });
  test.each<{ readonly name: string; readonly ec?: object; readonly put?: typeof keyless }>([
    { name: "there is no such Secret" },
    { name: "it lacks the items", put: keyless },
    { name: "the EC keeps them elsewhere", ec: { clusterCredentialSecretType: "vault" } },
  ])("$name: 3, with the flag that helps", async ({ ec, put }) => {
    const { cluster } = makeWorld({ objects: put === undefined ? [] : [put] });
    const error = await failureOf(anApiClient({ url, caPem, cluster, ec: anApiEc(ec ?? {}) }));
    expect(error).toMatchObject({ exitCode: 3, code: "CLUSTER-API-ACCESS" });
    expect(error.hint).toContain("--api-credentials-secret");
  });
});

describe("trust", () => {
  test("without a CA it is refused, never skipped", async () => {
    const error = await failureOf(anApiClient({ url }));
    expect(error).toMatchObject({ exitCode: 2 });
    expect(error.hint).toContain("--api-ca");
  });

  test("a file that is none is named", async () => {
    const absent = join(aFolder("ca"), "absent.pem");
    expect((await failureOf(anApiClient({ url, flags: { ca: absent } }))).message).toContain(
      "no such file: ",
    );
    const key = aCaFile("-----BEGIN RSA PRIVATE KEY-----");
    expect((await failureOf(anApiClient({ url, flags: { ca: key } }))).message).toContain(
      "holds no certificate in PEM",
    );
  });
});

describe("the way", () => {
  const target = (more: object) =>
    connectClusterApi({
      cluster: aCredentialsCluster("a", "b"),
      ec: anApiEc(),
      flags: { insecure: true },
      names,
      env: {},
      clock: new ManualClock(),
      warn: () => undefined,
      ...more,
    });

  test("none from a cluster that forwards nothing", async () => {
    const error = await failureOf(target({}));
    expect(error).toMatchObject({ exitCode: 3 });
    expect(error.hint).toContain("--api-url");
  });

  test("in a pod of the same cluster it is the Service", async () => {
    const cluster = aCredentialsCluster("a", "b");
    for (const host of ["10.0.0.1", "fd00::1"]) {
      const server = `https://${host.includes(":") ? `[${host}]` : host}:443`;
      const get = (ref: Ref) => cluster.get(ref);
      const inside = { server, namespace: "engine", get } as Partial<KubeClient> as KubeClient;
      const env = { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: "443" };
      const api = await target({ cluster: inside, env });
      open.push(api);
      expect(api.address).toBe("https://ec.engine.svc:9443");
    }
  });

  test("in a pod, but to another cluster, it is not", async () => {
    const env = { KUBERNETES_SERVICE_HOST: "10.0.0.1", KUBERNETES_SERVICE_PORT: "443" };
    expect((await failureOf(target({ env }))).exitCode).toBe(3);
  });
});

describe("routes: where a redirect may lead, which Host is named", () => {
  const places = findPlaces(anApiEc(), names);
  const forward = () => Promise.reject(new Error("not now"));
  const leads = (route: ReturnType<typeof routeInside>, address: string): boolean =>
    route.leadsTo(new URL(address));

  test("the places are those of Kubernetes' own names", () => {
    expect(places).toMatchObject({
      fqdn: testCluster,
      service: "ec.engine.svc",
      port: 9443,
      pods: ["ec-0", "ec-1", "ec-2"],
    });
    for (const nodes of [undefined, 0, -1, 1e9, "3"]) {
      expect(findPlaces(anApiEc({ nodes }), names).pods).toEqual(["ec-0"]);
    }
    expect(findPod("ec-1", places)).toBe("ec-1");
    expect(findPod(`ec-1.${places.service}`, places)).toBe("ec-1");
    expect(findPod("ec-1.evil.example.com", places)).toBeUndefined();
    expect(findPod("ec-9", places)).toBeUndefined();
  });

  test("an Ingress keeps its own name, a number stands for the cluster", () => {
    const ingress = routeByUrl(new URL("https://api.example.com"), places, {});
    expect(ingress.host).toBe("api.example.com");
    expect(leads(ingress, "https://api.example.com/v1")).toBe(true);
    expect(leads(ingress, `https://${testCluster}/v1`)).toBe(true);
    expect(leads(ingress, "https://api.example.com:9443/v1")).toBe(false);
    expect(leads(ingress, "https://ec-1.ec.engine.svc/v1")).toBe(false);
    for (const address of ["https://127.0.0.1:9443", "https://[::1]:9443", "https://localhost:1"]) {
      expect(routeByUrl(new URL(address), places, {}).host).toBe(testCluster);
    }
  });

  test("inside and forwarded, the nodes are of the same set", () => {
    for (const route of [routeInside(places), routeForwarded(places, forward)]) {
      expect(route.host).toBe(testCluster);
      expect(leads(route, "https://ec-2.ec.engine.svc:9443/v1")).toBe(true);
      expect(leads(route, "https://ec-2.ec.engine.svc:8443/v1")).toBe(false);
      expect(leads(route, "https://ec-2.other.engine.svc:9443/v1")).toBe(false);
      expect(route.hostFor(new URL("https://ec-2.ec.engine.svc:9443/v1"))).toBe(
        "ec-2.ec.engine.svc",
      );
      expect(route.nodes).toHaveLength(3);
    }
  });
});

test("a proxy of the environment is asked for the address, unless NO_PROXY names it", async () => {
  const file = join(aFolder("ca"), "ca.pem");
  writeFileSync(file, caPem);
  const env = { HTTPS_PROXY: "http://127.0.0.1:9" };
  const to = "https://api.example.com";
  const api = await anApiClient({ url: to, flags: { ca: file }, env });
  open.push(api);
  const error = await failureOf(api.databases(signal));
  expect(error.exitCode).toBe(69);
  expect(error.message).toMatch(/the proxy .* opened no way to .*: connection refused/);
  const direct = await anApiClient({ url, flags: { ca: file }, env: { ...env, NO_PROXY: "*" } });
  open.push(direct);
  expect((await failureOf(direct.databases(signal))).message).not.toContain("proxy");
});
