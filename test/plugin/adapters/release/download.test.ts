import { createHash } from "node:crypto";
import { createServer, type RequestListener, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { inspect } from "node:util";
import type { OnSlow } from "../../../../plugin/adapters/http/slow";
import { openRelease, type OpenOptions } from "../../../../plugin/adapters/release/open";
import { EngineError, exitCodes } from "../../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { Release } from "../../../../plugin/domain/release/contents";
import { packFiles } from "../../../support/releases/pack";
import { type ReleaseServer, startReleaseServer } from "../../../support/releases/server";
import { HandClock } from "../../../support/manual-clock";
import { aPair } from "../../../support/tls";

const secret = "s3cr3t";
const pair = aPair({ names: ["127.0.0.1", "localhost", "release.test"] });
let archive: Buffer;
let server: ReleaseServer;
let other: ReleaseServer;
let answer: RequestListener;
const closers: (() => Promise<void>)[] = [];

beforeAll(async () => {
  archive = await packFiles([{ name: "r-7.22.0-7/bundle.yaml", text: "a: 1\n" }]);
  server = await startReleaseServer((request, response) => {
    answer(request, response);
  }, pair);
  other = await startReleaseServer((_request, response) => response.end(archive), pair);
});
beforeEach(() => {
  answer = (_request, response) => response.end(archive);
});
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});
afterAll(async () => {
  await server.close();
  await other.close();
});

async function open(address: string, more: Partial<OpenOptions> = {}): Promise<Release> {
  const { signal } = new AbortController();
  const trust = { ca: pair.certPem };
  return await openRelease(address, { names, env: {}, signal, trust, ...more });
}

/** The error, in which no login and no token may be seen, however deep one looks. */
async function errorOf(opened: Promise<unknown>): Promise<EngineError> {
  const error: unknown = await opened.catch((reason: unknown) => reason);
  if (!(error instanceof EngineError)) throw new Error("no error of ours", { cause: error });
  expect([error.message, error.hint, inspect(error, { depth: 8 })].join()).not.toContain(secret);
  return error;
}

const redirectTo =
  (location: string | undefined, status = 302): RequestListener =>
  (_request, response) => {
    response.writeHead(status, location === undefined ? {} : { location }).end();
  };

describe("a release behind an https URL", () => {
  test("is read, the tag filled in, its digest that of the bytes", async () => {
    const release = await open(`${server.url}/{tag}/r-{tag}.tar.gz`, { target: "v7.22.0-7" });
    expect(server.asked.at(-1)?.path).toBe("/v7.22.0-7/r-v7.22.0-7.tar.gz");
    expect(release.sha256).toBe(createHash("sha256").update(archive).digest("hex"));
    expect(release.file(names.release.bundle)).toEqual({
      text: "a: 1\n",
      source: `bundle.yaml in ${server.url}/v7.22.0-7/r-v7.22.0-7.tar.gz`,
    });
  });

  test("is asked with its query, which is never shown", async () => {
    const release = await open(`${server.url}/r.tar.gz?token=${secret}#${secret}`);
    expect(server.asked.at(-1)).toEqual({
      path: `/r.tar.gz?token=${secret}`,
      authorization: undefined,
    });
    expect(release.source).toBe(`${server.url}/r.tar.gz?…`);
  });

  test("is waited for while it does not arrive, its query unseen", async () => {
    const clock = new HandClock();
    const told: string[] = [];
    const onSlow: OnSlow = (...one) => told.push(one.join(" "));
    let arrive: (answering: () => void) => void = () => undefined;
    const asked = new Promise<() => void>((resolve) => (arrive = resolve));
    answer = (_request, response) => {
      arrive(() => response.end(archive));
    };
    const opened = open(`${server.url}/r.tar.gz?token=${secret}`, { clock, onSlow });
    const respond = await asked;
    clock.pass(5_000);
    respond();
    await opened;
    const shown = `${server.url}/r.tar.gz?…`;
    expect(told).toEqual([`${shown} 5`, shown]);
  });

  test("is refused with a login, and nothing is asked", async () => {
    const before = server.asked.length;
    const address = server.url.replace("//", `//user:${secret}@`);
    const error = await errorOf(open(`${address}/r.tar.gz`));
    expect(error.exitCode).toBe(exitCodes.usage);
    expect(error.message).toBe(
      `release ${server.url}/r.tar.gz has a login in its address, where others can read it`,
    );
    expect(server.asked).toHaveLength(before);
  });
});

describe("a redirect", () => {
  test.each([301, 302, 303, 307, 308])("with %d is followed", async (status) => {
    answer = (request, response) => {
      if (request.url === "/a") redirectTo("/b", status)(request, response);
      else response.end(archive);
    };
    const release = await open(`${server.url}/a`);
    expect(server.asked.at(-1)?.path).toBe("/b");
    expect(release.source).toBe(`${server.url}/a`);
  });

  test("to another host is followed, without the login that it names", async () => {
    const named = other.url.replace("//", `//user:${secret}@`);
    answer = redirectTo(`${named}/c?token=${secret}`);
    const release = await open(`${server.url}/a`);
    expect(other.asked.at(-1)).toEqual({ path: `/c?token=${secret}`, authorization: undefined });
    expect(release.source).toBe(`${server.url}/a`);
  });

  test.each<[string, () => string | undefined, string]>([
    [
      "that leaves https",
      () => `http://user:${secret}@127.0.0.1/x?token=${secret}`,
      "SERVER/a redirects to http://127.0.0.1/x?…: only https is followed",
    ],
    ["without an end", () => "/a", "SERVER/a redirects more than 5 times"],
    ["without an address", () => undefined, "SERVER/a redirects without saying where to"],
  ])("%s is refused", async (_title, location, message) => {
    answer = redirectTo(location());
    const error = await errorOf(open(`${server.url}/a`));
    expect(error.exitCode).toBe(exitCodes.usage);
    expect(error.message.replaceAll(server.url, "SERVER")).toBe(message);
  });
});

describe("an answer that is no archive ends with", () => {
  test.each<[number, number]>([
    [401, exitCodes.permission],
    [403, exitCodes.permission],
    [404, exitCodes.usage],
    [204, exitCodes.usage],
    [429, exitCodes.unavailable],
    [500, exitCodes.unavailable],
  ])("%d: exit code %d", async (status, code) => {
    answer = (_request, response) => response.writeHead(status).end();
    const error = await errorOf(open(`${server.url}/a?token=${secret}`));
    expect(error.exitCode).toBe(code);
    expect(error.message).toBe(`${server.url}/a?… answered ${status}`);
    expect(error.hint).toBeDefined();
  });

  test("too many bytes: a usage error, before all of them are there", async () => {
    answer = (_request, response) => response.write(Buffer.alloc(200_000)); // without an end
    const error = await errorOf(open(`${server.url}/a`, { limits: { packedBytes: 100_000 } }));
    expect(error.exitCode).toBe(exitCodes.usage);
    expect(error.message).toBe(`archive ${server.url}/a is larger than 0.1 MiB`);
  });

  test("silence before the end: not available", async () => {
    answer = (_request, response) => response.write("x");
    const error = await errorOf(open(`${server.url}/a`, { limits: { silentMs: 100 } }));
    expect(error.exitCode).toBe(exitCodes.unavailable);
    expect(error.message).toBe(
      `${server.url}/a did not arrive whole: nothing came for 0.1 seconds`,
    );
  });
});

describe("a network failure is exit code 69:", () => {
  test.each<[string, () => Promise<unknown>, RegExp]>([
    [
      "nobody listens",
      async () => {
        const gone = await startReleaseServer(() => undefined, pair);
        await gone.close();
        return await open(`${gone.url}/a?token=${secret}`);
      },
      /^cannot download https:\/\/127\.0\.0\.1:\d+\/a\?…: connection refused$/,
    ],
    [
      "the answer is cut",
      async () => {
        answer = (request, response) => {
          response.writeHead(200, { "content-length": "1000" });
          response.write("x", () => request.socket.destroy());
        };
        return await open(`${server.url}/a`);
      },
      /: the connection was reset$/,
    ],
    [
      "the certificate is not trusted",
      () => open(`${server.url}/a`, { trust: undefined }),
      /: DEPTH_ZERO_SELF_SIGNED_CERT$/,
    ],
  ])("%s", async (_title, run, message) => {
    const error = await errorOf(run());
    expect(error.exitCode).toBe(exitCodes.unavailable);
    expect(error.message).toMatch(message);
  });

  test("and for a certificate it says where to name its CA", async () => {
    const error = await errorOf(open(`${server.url}/a`, { trust: undefined }));
    expect(error.hint).toContain("SSL_CERT_FILE");
  });
});

test("an interrupt ends a download with its own reason", async () => {
  const interrupt = new AbortController();
  const reason = new Error("interrupted");
  answer = () => {
    interrupt.abort(reason);
  };
  await expect(open(`${server.url}/a`, { signal: interrupt.signal })).rejects.toBe(reason);
});

/** A proxy that leads to the server whatever it is asked for, or opens no way at all. */
async function startProxy(opens: boolean): Promise<{ url: string; asked: readonly string[] }> {
  const asked: string[] = [];
  const sockets = new Set<Socket>();
  const proxy: Server = createServer();
  proxy.on("connect", (request, client: Socket) => {
    asked.push(`${request.url ?? ""} ${request.headers["proxy-authorization"] ?? ""}`.trim());
    if (!opens) return client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    const onward = connect(server.port, "127.0.0.1");
    for (const socket of [client, onward]) sockets.add(socket.on("error", () => {}));
    client.write("HTTP/1.1 200 OK\r\n\r\n");
    return client.pipe(onward).pipe(client);
  });
  await new Promise<void>((resolve) => {
    proxy.listen(0, "127.0.0.1", resolve);
  });
  closers.push(
    () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        proxy.close(() => {
          resolve();
        });
      }),
  );
  return { url: `127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked };
}

describe("the proxy of the environment", () => {
  test("that opens no way is named, without its login", async () => {
    const { url } = await startProxy(false);
    const env = { HTTPS_PROXY: `http://user:${secret}@${url}` };
    const error: unknown = await open("https://release.test/r.tar.gz", { env }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({
      exitCode: exitCodes.unavailable,
      message: `the proxy http://${url} opened no way to https://release.test/r.tar.gz: it answered 407`,
      hint: "check the proxy that HTTPS_PROXY names",
    });
  });

  test("is gone through", async () => {
    const { url, asked } = await startProxy(true);
    const env = { HTTPS_PROXY: `http://user:${secret}@${url}` };
    const release = await open("https://release.test/r.tar.gz", { env });
    expect(release.file(names.release.bundle)?.text).toBe("a: 1\n");
    expect(asked).toEqual([
      `release.test:443 Basic ${Buffer.from(`user:${secret}`).toString("base64")}`,
    ]);
  });
});
