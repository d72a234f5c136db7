/** The client against servers that are not what they should be; credentials reach nobody else. */
import type { ServerResponse } from "node:http";
import { ClusterApiError } from "../../../../plugin/domain/rest-api/errors";
import { EngineError, UnavailableError } from "../../../../plugin/domain/base/errors";
import { requestDeadlineMs } from "../../../../plugin/ports/kubernetes";
import { anApiClient, anApiEc, type ClientWish } from "../../../support/cluster-api-client";
import { type HostileApi, type HostileSeen, startHostileApi } from "../../../support/hostile-api";
import { HandClock, ManualClock } from "../../../support/manual-clock";
import { testCluster } from "../../../support/played-cluster-api";
import { aPair, type PemPair } from "../../../support/tls";

const password = "a-pass/word:with+signs";
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close();
});
const { signal } = new AbortController();

let usual: PemPair;
let other: PemPair;
beforeAll(() => {
  usual = aPair({ names: [testCluster], commonName: testCluster });
  other = aPair({ names: [testCluster], commonName: testCluster });
});

type Answering = (seen: HostileSeen, response: ServerResponse) => void;

async function hostile(answer: Answering, pair: PemPair = usual): Promise<HostileApi> {
  const server = await startHostileApi(pair, answer);
  open.push(server);
  return server;
}

async function clientOf(server: HostileApi, wish: ClientWish = {}) {
  const api = await anApiClient({ url: server.url, caPem: usual.certPem, password, ...wish });
  open.push(api);
  return api;
}

async function failureOf(work: Promise<unknown>): Promise<EngineError> {
  const error: unknown = await work.then(
    () => new Error("it went well"),
    (caught: unknown) => caught,
  );
  if (!(error instanceof EngineError)) throw error;
  const told = `${error.stack ?? ""} ${error.hint ?? ""} ${String((error.cause as Error | undefined)?.stack)}`;
  expect(told).not.toContain(password);
  expect(told).not.toContain(Buffer.from(`admin:${password}`).toString("base64"));
  return error;
}

const json =
  (body: unknown, status = 200): Answering =>
  (_seen, response) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };

test.each<{ readonly name: string; readonly pair: () => PemPair; readonly words: RegExp }>([
  { name: "another CA", pair: () => other, words: /another CA signed it.*DEPTH_ZERO/s },
  {
    name: "a certificate for another host",
    pair: () => aPair({ names: ["else.example.com"] }),
    words: /it is for another name/,
  },
])("$name: nothing is sent", async ({ pair, words }) => {
  const made = pair();
  const server = await hostile(json([]), made);
  const caPem = made === other ? usual.certPem : made.certPem;
  const api = await clientOf(server, { caPem });
  const error = await failureOf(api.upgrade(1, {}, signal));
  expect(error).toMatchObject({ exitCode: 69 });
  expect(error.message).toMatch(words);
  expect(error.hint).toBeDefined();
  expect(server.seen).toEqual([]);
});

test("with the explicit switch any certificate passes, after a warning", async () => {
  const server = await hostile(json([]), other);
  const warnings: string[] = [];
  const api = await clientOf(server, {
    flags: { insecure: true },
    warn: (text) => warnings.push(text),
  });
  expect(await api.databases(signal)).toEqual([]);
  expect(warnings).toHaveLength(1);
});

test("every request names the cluster, and asks for JSON", async () => {
  const server = await hostile(json([]));
  await (await clientOf(server)).databases(signal);
  expect(server.seen).toMatchObject([{ method: "GET", path: "/v1/bdbs", host: testCluster }]);
});

test("an answer that does not come is waited for by the address", async () => {
  const clock = new HandClock();
  const told: [string, number | undefined][] = [];
  let late: () => void = () => undefined;
  const arrived = new Promise<void>((arrive) => {
    late = arrive;
  });
  let answer: () => void = () => undefined;
  const server = await hostile((seen, response) => {
    answer = () => {
      json([])(seen, response);
    };
    late();
  });
  const api = await clientOf(server, { clock, onSlow: (...one) => told.push([one[0], one[1]]) });
  const read = api.databases(signal);
  await arrived;
  clock.pass(2_000);
  answer();
  await read;
  expect(told).toEqual([
    [server.url, 2],
    [server.url, undefined],
  ]);
});

test.each<{ readonly name: string; readonly answer: Answering; readonly words: RegExp }>([
  {
    name: "a page of a proxy",
    answer: (_seen, response) => response.end("<html>hello</html>"),
    words: /is not that of a cluster's REST API/,
  },
  { name: "a database without a uid", answer: json([{ name: "x" }]), words: /is not that of/ },
  {
    name: "20 MB",
    answer: (_seen, response) => response.end(Buffer.alloc(20_000_000, "x")),
    words: /no answer/,
  },
])("$name is a clear line", async ({ answer, words }) => {
  const api = await clientOf(await hostile(answer));
  const error = await failureOf(api.databases(signal));
  expect(error).toBeInstanceOf(UnavailableError);
  expect(error.message).toMatch(words);
  expect(error.message.length).toBeLessThan(400);
});

test("a read is asked again after a 503 and a cut, with longer and longer pauses", async () => {
  let count = 0;
  const server = await hostile((seen, response) => {
    count += 1;
    if (count === 1) json({}, 503)(seen, response);
    else if (count === 2) response.destroy();
    else json([])(seen, response);
  });
  const clock = new ManualClock();
  expect(await (await clientOf(server, { clock })).databases(signal)).toEqual([]);
  expect(server.seen).toHaveLength(3);
  expect(clock.sleeps).toHaveLength(2);
});

test.each([503, 500, 429])("a write that is answered %i is never sent again", async (status) => {
  const server = await hostile((seen, response) => {
    json(seen.method === "POST" ? { error_code: "x" } : [], seen.method === "POST" ? status : 200)(
      seen,
      response,
    );
  });
  const error = await failureOf((await clientOf(server)).upgrade(1, {}, signal));
  expect(error.exitCode).toBe(69);
  expect(server.seen.filter(({ method }) => method === "POST")).toHaveLength(1);
});

test("a slow server: the read ends with a hint, the write says that its outcome is open", async () => {
  const clock = new HandClock();
  const server = await hostile(({ path, method }, response) => {
    if (method === "POST" || path === "/v1/modules") clock.pass(requestDeadlineMs);
    else json([])({} as HostileSeen, response);
  });
  const api = await clientOf(server, { clock });
  const read = await failureOf(api.modules(signal));
  expect(read.message).toMatch(/no answer to list the modules/);
  expect(read.hint).toContain("--request-timeout");
  const write = await failureOf(api.upgrade(1, {}, signal));
  expect(write.message).toMatch(
    /cannot tell whether the request to upgrade database 1 was carried/,
  );
});

test.each<{ readonly name: string; readonly location: (port: number) => string }>([
  { name: "another host", location: () => "https://evil.example.com/v1/bdbs" },
  { name: "another port", location: (port) => `https://${testCluster}:${port + 1}/v1/bdbs` },
  { name: "plain http", location: (port) => `http://${testCluster}:${port}/v1/bdbs` },
  { name: "a name that begins as the cluster's", location: () => `https://${testCluster}.evil/` },
  { name: "nowhere", location: () => "https://" },
])("a redirect to $name is not followed", async ({ location }) => {
  const server = await hostile((_seen, response) => {
    response.writeHead(307, { location: location(server.port) }).end();
  });
  const error = await failureOf((await clientOf(server)).databases(signal));
  expect(error).toBeInstanceOf(ClusterApiError);
  expect(error.message).toContain("where it is not sent");
  expect(server.seen).toHaveLength(1);
});

test("a redirect within the cluster keeps method and body, and is not followed for ever", async () => {
  const server = await hostile((seen, response) => {
    if (seen.path === "/v1/bdbs/1/upgrade") {
      const location = `https://${testCluster}:${server.port}/v1/bdbs/1/upgrade?master`;
      response.writeHead(301, { location }).end();
    } else if (seen.path.endsWith("?master")) json({ uid: 1, action_uid: "a" })(seen, response);
    else if (seen.method === "GET" && seen.path === "/v1/modules")
      response.writeHead(302, { location: "/v1/modules" }).end();
    else json([])(seen, response);
  });
  const api = await clientOf(server);
  expect(await api.upgrade(1, { force_restart: true }, signal)).toMatchObject({ actionUid: "a" });
  const posts = server.seen.filter(({ method }) => method === "POST");
  expect(posts.map(({ body }) => body)).toEqual(Array(2).fill('{"force_restart":true}'));
  const error = await failureOf(api.modules(signal));
  expect(error.message).toContain("redirects");
});

test.each<{ readonly name: string; readonly location: string; readonly says: RegExp }>([
  {
    name: "the leading node by its name",
    location: `https://ec-0.${testCluster}:9443/v1/bdbs`,
    says: /port-forward pod\/ec-0/,
  },
  {
    name: "the leading node by its number",
    location: "https://10.4.0.7:9443/v1/bdbs",
    says: /node.*handle redirects/,
  },
])(
  "a redirect to $name says that the address is right and what else leads there",
  async ({ location, says }) => {
    const server = await hostile((_seen, response) => {
      response.writeHead(307, { location }).end();
    });
    const error = await failureOf((await clientOf(server)).databases(signal));
    expect(error.message).toContain("another node of the cluster, which leads it");
    expect(error.hint).toMatch(says);
    expect(server.seen).toHaveLength(1);
  },
);

test.each<{
  readonly status: number;
  readonly body: object;
  readonly ends: object;
  readonly says: RegExp;
}>([
  {
    status: 406,
    body: { error_code: "insufficient_resources" },
    ends: { exitCode: 3, finding: { code: "REST-RESOURCES" } },
    says: /more memory/,
  },
  {
    status: 409,
    body: { error_code: "insufficient_resources", description: "busy" },
    ends: { exitCode: 3, finding: { code: "REST-RESOURCES" } },
    says: /more memory/,
  },
  {
    status: 403,
    body: { error_code: "license_expired" },
    ends: { exitCode: 3, finding: { code: "REST-LICENSE" } },
    says: /valid license/,
  },
  {
    status: 503,
    body: { error_code: "no_quorum" },
    ends: { exitCode: 69, finding: { code: "REST-QUORUM-LOST" } },
    says: /kubectl engine recover/,
  },
  {
    status: 406,
    body: { error_code: "shards_too_many" },
    ends: { exitCode: 3 },
    says: /correct what the answer names/,
  },
  { status: 406, body: {}, ends: { exitCode: 3 }, says: /modules list/ },
])(
  "$status with $body: the way out follows what was said",
  async ({ status, body, ends, says }) => {
    const server = await hostile((seen, response) => {
      json(seen.method === "POST" ? body : [], seen.method === "POST" ? status : 200)(
        seen,
        response,
      );
    });
    const error = await failureOf((await clientOf(server)).upgrade(1, {}, signal));
    expect(error).toMatchObject({ status, ...ends });
    expect(error.hint).toMatch(says);
  },
);

test("a record that is too short is left out and told, the others are read", async () => {
  const modules = [{ uid: "m1", module_name: "search" }, { uid: "m2" }];
  const server = await hostile((seen, response) => {
    json(seen.path === "/v1/modules" ? modules : [{ uid: 1 }, {}, {}])(seen, response);
  });
  const told: string[] = [];
  const api = await clientOf(server, { warn: (text) => told.push(text) });
  expect((await api.modules(signal)).map(({ name }) => name)).toEqual(["search"]);
  expect((await api.databases(signal)).map(({ uid }) => uid)).toEqual([1]);
  expect(told).toEqual([
    expect.stringContaining("1 record lacks its name or its uid and is left out"),
    expect.stringContaining("2 records lack their name or their uid and are left out"),
  ]);
});

test.each<{ readonly name: string; readonly body: unknown; readonly words: string }>([
  { name: "code and message", body: { error_code: "busy", message: "wait" }, words: "busy: wait" },
  { name: "neither", body: {}, words: "answered 409" },
  { name: "an echo of the password", body: { message: `no ${password}!` }, words: "no …!" },
  { name: "lines and colors", body: { message: "a\n\u001b[31mb" }, words: "a [31mb" },
])("an error body with $name is told in one line", async ({ body, words }) => {
  const server = await hostile((seen, response) => {
    json(seen.method === "POST" ? body : [], seen.method === "POST" ? 409 : 200)(seen, response);
  });
  const error = await failureOf((await clientOf(server)).upgrade(1, {}, signal));
  expect(error).toMatchObject({ exitCode: 5, status: 409 });
  expect(error.message).toContain(words);
  expect(error.message).not.toMatch(/[\u0000-\u001f]/);
});

test("an upload that is refused half-way is told by its answer", async () => {
  const server = await hostile(json({ error_code: "invalid_module" }, 400));
  const api = await clientOf(server);
  const bytes = new Uint8Array(5_000_000);
  const error = await failureOf(api.installModule({ name: "x.zip", bytes }, { signal }));
  expect(error).toMatchObject({ status: 400, apiCode: "invalid_module", exitCode: 3 });
});

test("an abort ends a read at once, with the signal's reason", async () => {
  const stop = new AbortController();
  const server = await hostile(() => {
    stop.abort(new Error("stopped"));
  });
  const api = await clientOf(server);
  await expect(api.databases(stop.signal)).rejects.toThrow("stopped");
});

test("more reads at once than there may be connections are all answered", async () => {
  const server = await hostile(json([]));
  const api = await clientOf(server, { requestTimeoutMs: 5_000 });
  const reads = Array.from({ length: 40 }, () => api.databases(signal));
  await Promise.all(reads);
  expect(server.seen).toHaveLength(40);
});

test("a write that is sent whole is waited for, whatever is aborted", async () => {
  const stop = new AbortController();
  const server = await hostile((seen, response) => {
    if (seen.method === "POST") stop.abort(new Error("stopped"));
    json(seen.method === "POST" ? { uid: 1 } : [])(seen, response);
  });
  const api = await clientOf(server);
  expect(await api.upgrade(1, {}, stop.signal)).toMatchObject({ uid: 1 });
});

test.each<[string, object]>([
  ["8.0.18-23.11", { versionTag: "8.0.18-23.11" }],
  ["8.2.0-25.12", { versionTag: "8.2.0-25.12" }],
  ["no tag", {}],
])(
  "a refused password is sent once, whatever is asked at once or after it: %s",
  async (...[, spec]) => {
    const server = await hostile(json({}, 401));
    const api = await clientOf(server, { ec: anApiEc({ engineEnterpriseImageSpec: spec }) });
    const first = [api.databases(signal), api.modules(signal), api.license(signal)];
    const failures = await Promise.all(first.map(failureOf));
    failures.push(await failureOf(api.upgrade(1, {}, signal)));
    for (const error of failures) {
      expect(error).toMatchObject({
        exitCode: 4,
        finding: { code: "REST-CREDENTIALS-REFUSED", object: "Secret/engine/ec" },
      });
    }
    expect(server.seen).toHaveLength(1);
  },
);

test("a token that cannot stand in a header is not used", async () => {
  const server = await hostile((seen, response) => {
    if (seen.path === "/v1/users/authorize") json({ access_token: "a\r\nb" })(seen, response);
    else json({}, 401)(seen, response);
  });
  const ec = anApiEc({ engineEnterpriseImageSpec: { versionTag: "8.2.0-25.12" } });
  const error = await failureOf((await clientOf(server, { ec })).databases(signal));
  expect(error.exitCode).toBe(4);
});

test("nobody there is a clear line", async () => {
  const server = await hostile(json([]));
  await server.close();
  open.splice(0);
  const error = await failureOf((await clientOf(server)).databases(signal));
  expect(error.message).toMatch(/cannot reach .*connection refused/);
});
