import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createHttps } from "node:https";
import {
  type AddressInfo,
  connect as dial,
  createServer as createTcp,
  type Socket,
} from "node:net";
import { inspect } from "node:util";
import { connect } from "../../../plugin/adapters/kubernetes/connect";
import type { KubeClient } from "../../../plugin/ports/kubernetes";
import {
  type FakeApiServer,
  startFakeApiServer,
  aConfigMapRef as ref,
  aConfigMap as object,
} from "../../support/api-server";
import { certify, type Pair } from "../../support/tls";
import { type Folder, kubeconfig, temporaryFolder } from "../../support/api-server-kubeconfigs";

const secret = "s3cr3t";

interface FakeProxy {
  readonly port: number;
  /** What was asked for, with the login that came along. */
  readonly asked: { readonly to: string; readonly login: string | undefined }[];
}

let authority: Pair;
let folder: Folder;
let plain: FakeApiServer;
let secure: FakeApiServer;
const closers: (() => unknown)[] = [];

beforeAll(async () => {
  authority = certify({ commonName: "authority" });
  folder = temporaryFolder();
  folder.write("ca.pem", authority.cert);
  const names = { commonName: "api", dns: ["api.engine.test"], ips: ["127.0.0.1", "::1"] };
  plain = await startFakeApiServer(() => ({ body: object }));
  secure = await startFakeApiServer(() => ({ body: object }), certify(names, authority));
});

afterAll(async () => {
  folder.remove();
  await plain.close();
  await secure.close();
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function listen(server: Server | ReturnType<typeof createTcp>): Promise<number> {
  const open = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    open.add(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A CONNECT proxy that leads every tunnel to the fake API server. */
async function connectProxy(to: FakeApiServer, answer = 200, pair?: Pair): Promise<FakeProxy> {
  const asked: { to: string; login: string | undefined }[] = [];
  const server = pair === undefined ? createServer() : createHttps(pair);
  server.on("connect", (request: IncomingMessage, socket: Socket) => {
    asked.push({ to: request.url ?? "", login: request.headers["proxy-authorization"] });
    socket.on("error", () => undefined);
    if (answer !== 200) {
      socket.end(`HTTP/1.1 ${answer} No\r\n\r\n`);
      return;
    }
    const onward = dial(to.port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      socket.pipe(onward).pipe(socket);
    });
    onward.on("error", () => undefined);
  });
  return { port: await listen(server), asked };
}

/** A SOCKS5 proxy: greeting, login where one is offered, then one request by name. */
async function socksProxy(to: FakeApiServer): Promise<FakeProxy> {
  const asked: { to: string; login: string | undefined }[] = [];
  const server = createTcp((socket) => {
    let login: string | undefined;
    let step: "greeting" | "login" | "request" = "greeting";
    socket.on("error", () => undefined);
    socket.on("data", (data) => {
      if (step === "greeting") {
        const wantsLogin = data.subarray(2).includes(2);
        step = wantsLogin ? "login" : "request";
        socket.write(Buffer.from([5, wantsLogin ? 2 : 0]));
      } else if (step === "login") {
        const user = data.subarray(2, 2 + (data[1] ?? 0)).toString();
        login = `${user}:${data.subarray(3 + (data[1] ?? 0)).toString()}`;
        step = "request";
        socket.write(Buffer.from([1, 0]));
      } else {
        const host = data.subarray(5, 5 + (data[4] ?? 0)).toString();
        asked.push({ to: `${host}:${data.readUInt16BE(data.length - 2)}`, login });
        socket.removeAllListeners("data");
        const onward = dial(to.port, "127.0.0.1", () => {
          socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
          socket.pipe(onward).pipe(socket);
        });
        onward.on("error", () => undefined);
      }
    });
  });
  return { port: await listen(server), asked };
}

async function clusterBehind(
  server: string,
  env: NodeJS.ProcessEnv,
  proxyUrl?: string,
): Promise<KubeClient> {
  const place = {
    server,
    ...(server.startsWith("https") && { "certificate-authority": "ca.pem" }),
    ...(proxyUrl !== undefined && { "proxy-url": proxyUrl }),
  };
  const file = folder.write("config", kubeconfig(place, { token: secret }));
  const cluster = await connect({ kubeconfig: file }, env);
  closers.push(() => {
    cluster.close();
  });
  return cluster;
}

describe("the way to the server", () => {
  const name = "https://api.engine.test:6443";

  test.each(["HTTPS_PROXY", "https_proxy"])("%s leads an https address", async (variable) => {
    const proxy = await connectProxy(secure);
    const cluster = await clusterBehind(name, { [variable]: `http://127.0.0.1:${proxy.port}` });
    await expect(cluster.get(ref)).resolves.toEqual(object);
    await expect(cluster.get(ref)).resolves.toEqual(object);
    expect(proxy.asked).toEqual([{ to: "api.engine.test:6443", login: undefined }]);
  });

  test("HTTP_PROXY leads an http address, and needs no scheme", async () => {
    const proxy = await connectProxy(plain);
    const env = { HTTP_PROXY: `127.0.0.1:${proxy.port}`, HTTPS_PROXY: "http://127.0.0.1:1" };
    const cluster = await clusterBehind("http://api.engine.test", env);
    await expect(cluster.get(ref)).resolves.toEqual(object);
    expect(proxy.asked).toEqual([{ to: "api.engine.test:80", login: undefined }]);
  });

  test("proxy-url wins over the environment and over NO_PROXY", async () => {
    const proxy = await connectProxy(secure);
    const env = { HTTPS_PROXY: "http://127.0.0.1:1", NO_PROXY: "*" };
    const cluster = await clusterBehind(secure.url, env, `http://127.0.0.1:${proxy.port}`);
    await expect(cluster.get(ref)).resolves.toEqual(object);
    expect(proxy.asked).toHaveLength(1);
  });

  describe("an https proxy whose certificate a private CA signed", () => {
    const bad = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    const behind = async (where: "environment" | "kubeconfig" | "nowhere"): Promise<KubeClient> => {
      const corporate = certify({ commonName: "corporate" });
      const file = folder.write("corporate.pem", corporate.cert);
      const bundle = [bad, corporate.cert, bad, authority.cert].join("");
      folder.write("ca.pem", where === "kubeconfig" ? bundle : authority.cert);
      const pair = certify({ commonName: "proxy", ips: ["127.0.0.1"] }, corporate);
      const proxy = await connectProxy(secure, 200, pair);
      const env = where === "environment" ? { SSL_CERT_FILE: file } : {};
      return clusterBehind(name, env, `https://127.0.0.1:${proxy.port}`);
    };

    afterAll(() => folder.write("ca.pem", authority.cert));

    test.each([
      ["in SSL_CERT_FILE", "environment"],
      ["in certificate-authority, whatever cannot be read beside it", "kubeconfig"],
    ] as const)("is trusted where the CA stands %s", async (_, where) => {
      await expect((await behind(where)).get(ref)).resolves.toMatchObject({ kind: "ConfigMap" });
    });

    test("is refused otherwise, with what would help", async () => {
      await expect((await behind("nowhere")).get(ref)).rejects.toMatchObject({
        exitCode: 69,
        hint: "name the CA that signed the proxy's certificate in SSL_CERT_FILE; for the API server also in certificate-authority of the kubeconfig",
      });
    });
  });

  test("NO_PROXY leads past the proxy", async () => {
    const env = { HTTPS_PROXY: "http://127.0.0.1:1", no_proxy: "engine.invalid" };
    const cluster = await clusterBehind("https://api.engine.invalid", env);
    await expect(cluster.patch(ref, {}, { type: "merge" })).rejects.toMatchObject({
      message: expect.stringContaining("cannot reach the API server") as unknown,
    });
  });

  test("the proxy's login is sent to it and shown nowhere", async () => {
    const proxy = await connectProxy(secure, 407);
    const url = `http://us%40er:${secret}@127.0.0.1:${proxy.port}`;
    const cluster = await clusterBehind(name, { HTTPS_PROXY: url });
    const failure: unknown = await cluster.get(ref).catch((error: unknown) => error);
    expect(proxy.asked[0]?.login).toBe(`Basic ${btoa(`us@er:${secret}`)}`);
    expect(inspect(failure, { depth: 10 })).not.toContain(secret);
    expect(failure).toMatchObject({
      exitCode: 69,
      message: `the proxy http://127.0.0.1:${proxy.port} opened no way to the API server ${name}: it answered 407`,
      hint: "check the proxy that HTTPS_PROXY names",
    });
  });

  test("an IPv6 address is named in brackets", async () => {
    const proxy = await connectProxy(secure);
    const url = `http://127.0.0.1:${proxy.port}`;
    const cluster = await clusterBehind("https://[::1]:6443", {}, url);
    await expect(cluster.get(ref)).resolves.toEqual(object);
    expect(proxy.asked[0]?.to).toBe("[::1]:6443");
  });

  test("the server's certificate is checked inside the tunnel", async () => {
    const proxy = await connectProxy(secure);
    const url = `http://127.0.0.1:${proxy.port}`;
    const cluster = await clusterBehind("https://other.engine.test", { HTTPS_PROXY: url });
    await expect(cluster.get(ref)).rejects.toMatchObject({
      exitCode: 69,
      message: expect.stringContaining("ERR_TLS_CERT_ALTNAME_INVALID") as unknown,
    });
  });
});

describe("kinds of proxies", () => {
  const name = "https://api.engine.test:6443";

  test.each(["socks5", "socks5h"])("%s", async (scheme) => {
    const proxy = await socksProxy(secure);
    const cluster = await clusterBehind(name, {}, `${scheme}://127.0.0.1:${proxy.port}`);
    await expect(cluster.get(ref)).resolves.toEqual(object);
    expect(proxy.asked).toEqual([{ to: "api.engine.test:6443", login: undefined }]);
  });

  test("socks5 with a login", async () => {
    const proxy = await socksProxy(secure);
    const cluster = await clusterBehind(name, {}, `socks5://u:p%20w@127.0.0.1:${proxy.port}`);
    await expect(cluster.get(ref)).resolves.toEqual(object);
    expect(proxy.asked[0]?.login).toBe("u:p w");
  });

  test.each([
    ["http", "connection refused"],
    ["https", "connection refused"],
    ["socks5", "it gave no SOCKS5 connection"],
  ])("an %s proxy that is not there", async (scheme, why) => {
    const server = createTcp();
    const port = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    const cluster = await clusterBehind(name, {}, `${scheme}://127.0.0.1:${port}`);
    await expect(cluster.get(ref)).rejects.toMatchObject({
      exitCode: 69,
      message: `the proxy ${scheme}://127.0.0.1:${port} opened no way to the API server ${name}: ${why}`,
      hint: "check the proxy that proxy-url names",
    });
  });

  test("an https proxy that nobody vouches for", async () => {
    const proxy = await connectProxy(secure, 200, certify({ commonName: "p", ips: ["127.0.0.1"] }));
    const cluster = await clusterBehind(name, {}, `https://127.0.0.1:${proxy.port}`);
    await expect(cluster.get(ref)).rejects.toMatchObject({
      message: expect.stringContaining("DEPTH_ZERO_SELF_SIGNED_CERT") as unknown,
    });
  });

  test.each(["http", "socks5"])("waiting for a silent %s proxy ends with close", async (scheme) => {
    const server = createTcp();
    const arrived = new Promise((resolve) => server.once("connection", resolve));
    const port = await listen(server);
    const cluster = await clusterBehind(name, {}, `${scheme}://127.0.0.1:${port}`);
    const reading = cluster.get(ref);
    const failed = expect(reading).rejects.toMatchObject({ exitCode: 69 });
    await arrived;
    cluster.close();
    await failed;
  });

  test.each(["ftp://p.test", "nonsense", "http://"])("%s names no proxy", async (url) => {
    await expect(clusterBehind(name, {}, url)).rejects.toMatchObject({
      exitCode: 2,
      message: "proxy-url names no proxy: an http, https or socks5 URL is needed",
    });
  });
});
