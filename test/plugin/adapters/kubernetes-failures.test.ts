import { createServer, type Server, type AddressInfo } from "node:net";
import { inspect } from "node:util";
import { systemClock } from "../../../plugin/adapters/clock";
import { NoAnswer } from "../../../plugin/adapters/http/answer";
import { explainSilence } from "../../../plugin/adapters/http/failures";
import { connect } from "../../../plugin/adapters/kubernetes/connect";
import { apiServer } from "../../../plugin/adapters/kubernetes/refusals";
import type { ConnectionFlags, ConnectOptions } from "../../../plugin/adapters/kubernetes/target";
import { ApiError, PermissionError, UnavailableError } from "../../../plugin/domain/base/errors";
import { type Clock, type KubeClient, requestDeadlineMs } from "../../../plugin/ports/kubernetes";
import {
  type FakeApiServer,
  type Reply,
  startFakeApiServer,
  status,
  aConfigMapRef as ref,
  aConfigMap as object,
} from "../../support/api-server";
import { HandClock } from "../../support/manual-clock";
import { certify, type Pair } from "../../support/tls";
import { type Folder, temporaryFolder } from "../../support/api-server-kubeconfigs";

const token = "s3cr3t-t0k3n";

const closers: (() => unknown)[] = [];
let folder: Folder;
let authority: Pair;

beforeAll(() => {
  folder = temporaryFolder();
  authority = certify({ commonName: "authority" });
  folder.write("ca.pem", authority.cert);
});

afterAll(() => {
  folder.remove();
});

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A clock that does not wait, and keeps what it was asked to. */
function manualClock(): Clock & { readonly pauses: number[] } {
  const pauses: number[] = [];
  return {
    pauses,
    now: () => 0,
    sleep: (ms, signal) => {
      pauses.push(ms);
      signal?.throwIfAborted();
      return Promise.resolve();
    },
  };
}

async function serverOf(replies: readonly Reply[], pair?: Pair): Promise<FakeApiServer> {
  const left = [...replies];
  const server = await startFakeApiServer(() => left.shift() ?? { body: object }, pair);
  closers.push(() => server.close());
  return server;
}

async function clusterAt(
  url: string,
  flags: ConnectionFlags = {},
  options: ConnectOptions = {},
): Promise<KubeClient> {
  const cluster = await connect({ server: url, token, ...flags }, {}, options);
  closers.push(() => {
    cluster.close();
  });
  return cluster;
}

async function failureOf(work: Promise<unknown>): Promise<Error> {
  const failure = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof Error)) throw new Error("it did not fail");
  // Whatever is shown of an error, with causes and properties, holds no credential.
  expect(inspect(failure, { depth: 10 })).not.toContain(token);
  return failure;
}

/** A socket server that is no API server. */
async function listenRaw(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

describe("an answer that is no success", () => {
  test("keeps message, reason, causes and Retry-After of its Status", async () => {
    const { url } = await serverOf([
      status(422, "Invalid", {
        message: 'EngineEnterpriseDatabase "x" is invalid',
        details: {
          causes: [{ reason: "FieldValueInvalid", field: "spec.a", message: "bad" }, {}, "odd"],
          retryAfterSeconds: 3,
        },
      }),
    ]);
    const cluster = await clusterAt(url);
    const failure = await failureOf(cluster.patch(ref, {}, { type: "merge" }));
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject({
      status: 422,
      reason: "Invalid",
      message: 'EngineEnterpriseDatabase "x" is invalid',
      causes: [{ reason: "FieldValueInvalid", field: "spec.a", message: "bad" }, {}],
      exitCode: 1,
      hint: undefined,
    });
  });

  const rows: readonly [string, Reply, object][] = [
    ["403", status(403, "Forbidden", { message: "no" }), { exitCode: 4, message: "no" }],
    ["409", status(409, "Conflict", { message: "old" }), { exitCode: 5, message: "old" }],
    ["500", status(500, "InternalError", { message: "x" }), { exitCode: 69, message: "x" }],
    [
      "429 that asks for too long a pause",
      {
        ...status(429, "TooManyRequests", { message: "busy" }),
        headers: { "retry-after": "3600" },
      },
      {
        exitCode: 69,
        message: expect.stringMatching(
          /^the API server http:\S+ is busy \(429 Too Many Requests to patch configmaps\/x in namespace ns\): busy; it asks to come back after 3600 s$/,
        ) as unknown,
        hint: "run the same command again after 3600 s",
      },
    ],
    [
      "a network that wants a login (511)",
      { status: 511, body: "" },
      { exitCode: 69, hint: expect.stringMatching(/^log in at the proxy or portal/) as unknown },
    ],
    ...[301, 302, 303, 307, 308].map((code): [string, Reply, object] => [
      `a redirect (${code})`,
      { status: code, headers: { location: "https://sso.example.test/login?state=s" }, body: "" },
      {
        exitCode: 69,
        message: expect.stringMatching(
          `redirects the request to patch configmaps/x in namespace ns to https://sso.example.test/login\\?… \\(${code}\\), and it is not sent there$`,
        ) as unknown,
        hint: "log in at sso.example.test first, then run the same command again; else check the address in --server",
      },
    ]),
    [
      "a redirect to nowhere",
      { status: 302, body: "" },
      { exitCode: 69, message: expect.stringContaining("without saying where to") as unknown },
    ],
    [
      "a Status without a message",
      status(400, "BadRequest"),
      {
        message: expect.stringMatching(
          /^the API server http:\S+ answered 400 to patch configmaps\/x in namespace ns: \{"kind":/,
        ) as unknown,
      },
    ],
    [
      "an empty body",
      { status: 502, body: "" },
      {
        exitCode: 69,
        reason: "",
        causes: [],
        message: expect.stringMatching(
          /answered 502 to patch configmaps\/x in namespace ns$/,
        ) as unknown,
        hint: expect.stringMatching(/^check that http:\S+ is a Kubernetes API server$/) as unknown,
      },
    ],
    [
      "a long page",
      { status: 503, body: `<html>\u001b[31m<b>down</b>\n${"x".repeat(5000)}` },
      { message: expect.stringMatching(/: \[31m down x{190}…$/) as unknown },
    ],
  ];
  test.each(rows)("%s", async (_, reply, expected) => {
    const { url, requests } = await serverOf([reply]);
    const cluster = await clusterAt(url);
    const failure = await failureOf(cluster.patch(ref, {}, { type: "merge" }));
    expect(failure).toBeInstanceOf(ApiError);
    expect(failure).toMatchObject(expected);
    expect(requests).toHaveLength(1);
  });

  test.each([
    [{}, "does not accept the credentials of the command line (401)"],
    [{ token: undefined }, "does not accept a request without credentials (401)"],
  ])("401 is a missing permission (flags %j)", async (flags, words) => {
    const { url } = await serverOf([status(401, "Unauthorized", { message: "Unauthorized" })]);
    const { token: given = token } = flags as ConnectionFlags;
    const bare = "token" in flags ? { server: url } : { server: url, token: given };
    const cluster = await connect(bare, {});
    closers.push(() => {
      cluster.close();
    });
    const failure = await failureOf(cluster.get(ref));
    expect(failure).toBeInstanceOf(PermissionError);
    expect(failure).toMatchObject({ exitCode: 4, message: `the API server ${url} ${words}` });
  });
});

describe("no connection", () => {
  test("refused", async () => {
    const server = await startFakeApiServer(() => undefined);
    await server.close();
    const cluster = await clusterAt(server.url);
    const failure = await failureOf(cluster.create(object));
    expect(failure).toBeInstanceOf(UnavailableError);
    expect(failure).toMatchObject({
      exitCode: 69,
      message: `cannot reach the API server ${server.url}: connection refused`,
      hint: "check the network and the address in --server",
      cause: { code: "ECONNREFUSED" },
    });
  });

  test("a handshake that does not end", async () => {
    const port = await listenRaw(
      createServer(() => undefined).on("connection", (socket) => {
        closers.push(() => socket.destroy());
      }),
    );
    const cluster = await clusterAt(`https://127.0.0.1:${port}`, {}, { dialTimeoutMs: 20 });
    const failure = await failureOf(cluster.patch(ref, {}, { type: "merge" }));
    expect(failure).toMatchObject({
      exitCode: 69,
      message: `cannot reach the API server https://127.0.0.1:${port}: the connection timed out`,
    });
  });

  test("a server that speaks no TLS", async () => {
    const { port } = await serverOf([]);
    const cluster = await clusterAt(`https://127.0.0.1:${port}`);
    const failure = await failureOf(cluster.patch(ref, {}, { type: "merge" }));
    expect(failure).toMatchObject({ exitCode: 69, cause: { code: expect.any(String) as unknown } });
    expect(failure.message).toMatch(/^cannot reach the API server/);
  });

  test("a server that speaks no HTTP", async () => {
    const port = await listenRaw(createServer((socket) => socket.end("220 mail ready\r\n")));
    const cluster = await clusterAt(`http://127.0.0.1:${port}`);
    const failure = await failureOf(cluster.get(ref));
    expect(failure).toMatchObject({ exitCode: 69 });
    expect(failure.message).toMatch(/^no answer to read configmaps\/x in namespace ns from the/);
  });

  test.each([
    ["EHOSTUNREACH", "no route to the host"],
    ["ENETUNREACH", "no route to the network"],
    ["ETIMEDOUT", "the connection timed out"],
    ["BODY_TOO_LONG", "the answer is too long"],
    ["EUNHEARDOF", "EUNHEARDOF"],
  ])("%s is told in words", (code, words) => {
    const place = { server: "https://api", clusterName: 'cluster "c"', userName: 'user "u"' };
    const purpose = { subject: "read x", writes: false };
    expect(
      explainSilence(new NoAnswer(code, { sent: false }), apiServer(place), purpose),
    ).toMatchObject({
      message: `cannot reach the API server https://api: ${words}`,
      hint: 'check the network and the address in cluster "c"',
    });
  });
});

describe("the server's certificate", () => {
  const names = { commonName: "server", dns: ["engine.test"], ips: ["127.0.0.1"] };
  let good: Pair;
  beforeAll(() => {
    good = certify(names, authority);
  });
  const trusting = (): ConnectionFlags => ({ certificateAuthority: `${folder.dir}/ca.pem` });

  test("of the given authority is accepted", async () => {
    const { url } = await serverOf([], good);
    const cluster = await clusterAt(url, trusting());
    await expect(cluster.get(ref)).resolves.toEqual(object);
  });

  test.each(["engine.test", "127.0.0.1"])("is held against the name %s", async (tlsServerName) => {
    const { url } = await serverOf([], good);
    const cluster = await clusterAt(url, { ...trusting(), tlsServerName });
    await expect(cluster.get(ref)).resolves.toEqual(object);
  });

  const fits = "it does not fit the certificate authority";
  const name = "it is for another name";
  const ca = "give the CA that signed it with --certificate-authority or in the kubeconfig";
  const rows: readonly {
    readonly name: string;
    readonly pair: () => Pair;
    readonly flags: () => ConnectionFlags;
    readonly why: string;
    readonly hint: string;
  }[] = [
    { name: "self-signed", pair: () => certify(names), flags: trusting, why: fits, hint: ca },
    {
      name: "of an authority that nobody named",
      pair: () => good,
      flags: () => ({}),
      why: fits,
      hint: ca,
    },
    {
      name: "expired",
      pair: () => certify({ ...names, days: [-3, -2] }, authority),
      flags: trusting,
      why: "it has expired",
      hint: "renew the server's certificate, and check this machine's clock",
    },
    {
      name: "not yet valid",
      pair: () => certify({ ...names, days: [2, 3] }, authority),
      flags: trusting,
      why: "it is not valid yet",
      hint: "renew the server's certificate, and check this machine's clock",
    },
    {
      name: "for another address",
      pair: () => certify({ commonName: "server", dns: ["other.test"] }, authority),
      flags: trusting,
      why: name,
      hint: "name what the certificate is for with --tls-server-name, or correct --server",
    },
    {
      name: "for another than the expected name",
      pair: () => good,
      flags: () => ({ ...trusting(), tlsServerName: "other.test" }),
      why: name,
      hint: "name what the certificate is for with --tls-server-name, or correct --server",
    },
  ];
  test.each(rows)("$name is refused", async ({ pair, flags, why, hint }) => {
    const { url, requests } = await serverOf([], pair());
    const cluster = await clusterAt(url, flags());
    const failure = await failureOf(cluster.patch(ref, {}, { type: "merge" }));
    expect(failure).toBeInstanceOf(UnavailableError);
    expect(failure.message).toContain(
      `the certificate of the API server ${url} is not accepted: ${why} (`,
    );
    expect(failure).toMatchObject({
      exitCode: 69,
      hint,
      cause: { code: expect.any(String) as unknown },
    });
    expect(requests).toEqual([]);
  });
});

describe("sending again", () => {
  const busy: Reply = { ...status(429, "TooManyRequests"), headers: { "retry-after": "2" } };
  const until = (date: string): Reply => ({ ...busy, headers: { "retry-after": date } });
  const down: Reply = status(503, "ServiceUnavailable");
  const reset: Reply = { instead: "reset" };
  const cut: Reply = { body: object, instead: "cut" };

  test.each<[string, readonly Reply[], readonly number[]]>([
    ["a reset", [reset, reset], [100, 200]],
    ["an answer cut short", [cut], [100]],
    ["503", [down], [100]],
    ["429", [busy], [2000]],
    ["429 without Retry-After", [status(429, "TooManyRequests")], [1000]],
    ["429 ten times", Array<Reply>(10).fill(busy), Array<number>(10).fill(2000)],
    ["429 that says no pause", [{ ...busy, headers: { "retry-after": "0" } }], [1000]],
    ["429 until a date", [until("Thu, 01 Jan 1970 00:00:07 GMT")], [7000]],
    ["429 until a date that has passed", [until("Thu, 01 Jan 1970 00:00:00 GMT")], [1000]],
    ["500 that says when to come back", [{ ...busy, status: 500 }], [2000]],
    ["a date in Retry-After", [{ ...down, headers: { "retry-after": "Sat, 1 Jan" } }], [100]],
  ])("a read is repeated after %s", async (_, replies, pauses) => {
    const { url } = await serverOf(replies);
    const clock = manualClock();
    const cluster = await clusterAt(url, {}, { clock });
    await expect(cluster.get(ref)).resolves.toEqual(object);
    expect(clock.pauses).toEqual(pauses);
  });

  test("a read is given up after five attempts", async () => {
    const { url, requests } = await serverOf([reset, reset, reset, reset, reset]);
    const clock = manualClock();
    const cluster = await clusterAt(url, {}, { clock });
    expect(await failureOf(cluster.get(ref))).toMatchObject({
      exitCode: 69,
      message: expect.stringContaining("the connection was reset") as unknown,
    });
    expect(requests).toHaveLength(5);
    expect(clock.pauses).toEqual([100, 200, 400, 800]);
  });

  test.each<[string, Reply, readonly number[]]>([
    ["after ten repeats", busy, Array<number>(10).fill(2000)],
    [
      "where the next pause is longer than the time of a request",
      { ...busy, headers: { "retry-after": "40" } },
      [40_000, 40_000],
    ],
  ])("a server that stays busy is given up %s", async (_, reply, pauses) => {
    const { url, requests } = await serverOf(Array<Reply>(20).fill(reply));
    const clock = manualClock();
    const cluster = await clusterAt(url, {}, { clock });
    expect(await failureOf(cluster.get(ref))).toMatchObject({
      exitCode: 69,
      status: 429,
      message: expect.stringContaining(`the API server ${url} is busy (429`) as unknown,
      hint: expect.stringMatching(/^run the same command again after \d+ s$/) as unknown,
    });
    expect(clock.pauses).toEqual(pauses);
    expect(requests).toHaveLength(pauses.length + 1);
  });

  test("--request-timeout bounds the pauses", async () => {
    const { url } = await serverOf(Array<Reply>(20).fill(busy));
    const clock = manualClock();
    const cluster = await clusterAt(url, { requestTimeoutMs: 5000 }, { clock });
    await failureOf(cluster.get(ref));
    expect(clock.pauses).toEqual([2000, 2000]);
  });

  test("a write without Retry-After is not sent again: nothing says that it was not begun", async () => {
    const { url, requests } = await serverOf([status(429, "TooManyRequests")]);
    const cluster = await clusterAt(url, {}, { clock: manualClock() });
    expect(await failureOf(cluster.delete(ref, {}))).toMatchObject({
      status: 429,
      hint: "run the same command again",
    });
    expect(requests).toHaveLength(1);
  });

  test("a login page in the place of an answer is told as one", async () => {
    const page = "<html><title>Sign in</title></html>";
    const { url } = await serverOf([{ headers: { "content-type": "text/html" }, body: page }]);
    const cluster = await clusterAt(url);
    expect(await failureOf(cluster.get(ref))).toMatchObject({
      exitCode: 69,
      message: `the answer of ${url} to read configmaps/x in namespace ns is not that of an API server but a web page: Sign in`,
      hint: "log in at the proxy or portal in front of the API server, then run the same command again; else check the address in --server",
    });
  });

  test("a review is a read", async () => {
    const { url } = await serverOf([reset, { body: { status: { allowed: true } } }]);
    const cluster = await clusterAt(url, {}, { clock: manualClock() });
    const access = { verb: "get", group: "", resource: "secrets" };
    await expect(cluster.can(access)).resolves.toBe(true);
  });

  test("a write is repeated after 429 with Retry-After", async () => {
    const { url } = await serverOf([busy]);
    const clock = manualClock();
    const cluster = await clusterAt(url, {}, { clock });
    await expect(cluster.patch(ref, {}, { type: "merge" })).resolves.toEqual(object);
    expect(clock.pauses).toEqual([2000]);
  });

  test.each<[string, Reply, string]>([
    ["a reset", reset, "the connection was reset"],
    ["an answer cut short", cut, "the connection was reset"],
    ["silence", { instead: "hang" }, "no answer within the request timeout"],
  ])("a write is never repeated after %s: its outcome is unknown", async (_, reply, why) => {
    const server = await serverOf([reply]);
    const { url, requests } = server;
    const clock = new HandClock();
    const cluster = await clusterAt(url, {}, { clock });
    const arrival = server.arrival();
    const deletion = failureOf(cluster.delete(ref, {}));
    await arrival;
    if (reply.instead === "hang") clock.pass(requestDeadlineMs);
    const failure = await deletion;
    expect(failure).toMatchObject({
      exitCode: 69,
      message:
        "cannot tell whether the request to delete configmaps/x in namespace ns was carried out: " +
        `it was sent to ${url}, then ${why}`,
      hint: "look at the object before repeating the command",
    });
    expect(requests).toHaveLength(1);
  });

  test("a dry run has no unknown outcome, and is not repeated either", async () => {
    const { url, requests } = await serverOf([reset]);
    const cluster = await clusterAt(url, {}, { clock: manualClock() });
    const failure = await failureOf(cluster.patch(ref, {}, { type: "merge", dryRun: true }));
    expect(failure.message).toBe(
      `no answer to patch configmaps/x in namespace ns from the API server ${url}: the connection was reset`,
    );
    expect(requests).toHaveLength(1);
  });

  test("503 to a write is its answer", async () => {
    const { url, requests } = await serverOf([{ ...down, headers: { "retry-after": "1" } }]);
    const cluster = await clusterAt(url, {}, { clock: manualClock() });
    expect(await failureOf(cluster.delete(ref, {}))).toMatchObject({
      status: 503,
      hint: "run the same command again; kubectl get --raw '/readyz?verbose' shows what the API server lacks",
    });
    expect(requests).toHaveLength(1);
  });
});

describe("limits and interruption", () => {
  test("an aborted request rejects with the signal's reason", async () => {
    const server = await serverOf([{ instead: "hang" }]);
    const cluster = await clusterAt(server.url);
    const controller = new AbortController();
    const reading = cluster.get(ref, { signal: controller.signal });
    const reason = new Error("stop");
    void server.arrival().then(() => {
      controller.abort(reason);
    });
    await expect(reading).rejects.toBe(reason);
  });

  test("an aborted signal sends nothing", async () => {
    const { url, requests } = await serverOf([]);
    const cluster = await clusterAt(url);
    const reason = new Error("stop");
    const signal = AbortSignal.abort(reason);
    await expect(cluster.get(ref, { signal })).rejects.toBe(reason);
    expect(requests).toEqual([]);
  });

  test("the pause before sending again ends with the signal's reason", async () => {
    const { url, requests } = await serverOf([
      { ...status(503, "ServiceUnavailable"), headers: { "retry-after": "20" } },
    ]);
    const controller = new AbortController();
    const reason = new Error("stop");
    const clock: Clock = {
      now: () => systemClock.now(),
      sleep: (ms, signal) => {
        const pause = systemClock.sleep(ms, signal);
        controller.abort(reason);
        return pause;
      },
    };
    const cluster = await clusterAt(url, {}, { clock });
    await expect(cluster.get(ref, { signal: controller.signal })).rejects.toBe(reason);
    expect(requests).toHaveLength(1);
  });

  test("the system's clock pauses and continues", async () => {
    const { url } = await serverOf([{ instead: "reset" }]);
    const cluster = await clusterAt(url);
    await expect(cluster.get(ref)).resolves.toEqual(object);
  });
});
