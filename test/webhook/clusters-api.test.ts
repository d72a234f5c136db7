import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clusterKey } from "../../plugin/domain/rules/clusters";
import { UsageError } from "../../plugin/domain/base/errors";
import { defaultNames } from "../../plugin/domain/names/names";
import { ClustersUnreadable, connect } from "../../webhook/clusters/clusters";
import { ApiClusters, delayAfter, type WatchTimes } from "../../webhook/clusters/api";
import { pageAfter } from "../../webhook/clusters/requests";
import { openClusters } from "../../webhook/program";
import { aPair } from "../support/tls";
import { FakeApiServer } from "./api-server";
import { FakeLog } from "./fake-log";
import { emptyFolder } from "./tls-folder";

const base = "/apis/app.engine.com/v1/engineenterpriseclusters";
const dir = emptyFolder();
let server: FakeApiServer;
let log: FakeLog;
let clusters: ApiClusters;
let env: NodeJS.ProcessEnv;
let delays: number[];
/** Never aborts: what a test waits for has an end of its own. */
const patient = new AbortController().signal;

function kubeconfig(cluster: object, name = "config", more: object = {}): string {
  const path = join(dir, name);
  const config = {
    "current-context": "here",
    contexts: [{ name: "here", context: { cluster: "here", user: "me" } }],
    clusters: [{ name: "here", cluster }],
    users: [{ name: "me", user: { token: "secret-token" } }],
    ...more,
  };
  writeFileSync(path, JSON.stringify(config));
  return path;
}

async function open(pace: Partial<WatchTimes> = {}, scheme: "http" | "https" = "https") {
  server = new FakeApiServer(scheme);
  const port = await server.start();
  const ca = Buffer.from(server.pair.certPem).toString("base64");
  const config =
    scheme === "https"
      ? { server: `https://127.0.0.1:${port}`, "certificate-authority-data": ca }
      : { server: `http://127.0.0.1:${port}/prefix/`, "insecure-skip-tls-verify": true };
  env = { KUBECONFIG: kubeconfig(config) };
  log = new FakeLog();
  delays = [];
  const wait = (ms: number) => {
    delays.push(ms);
    return Promise.resolve();
  };
  clusters = new ApiClusters(connect(env), { names: defaultNames, log }, { wait, ...pace });
}

const all = () => ["engine", "apps"].flatMap((namespace) => [...clusters.in(namespace).values()]);
const keys = () => {
  expect(clusters.count()).toBe(all().length);
  return all().map(clusterKey).sort();
};

afterEach(async () => {
  clusters.stop();
  await server.stop();
});

afterAll(() => {
  rmSync(dir, { recursive: true });
});

describe("list and watch", () => {
  beforeEach(async () => {
    await open();
    for (const name of ["a", "b", "c", "d", "e"]) server.put({ name });
  });

  test("knows all ECs after every page of the first list, not before", async () => {
    expect(clusters.hasSynced()).toBe(false);
    expect(keys()).toEqual([]);
    clusters.start();
    await log.seen("clusters listed");
    expect(clusters.hasSynced()).toBe(true);
    expect(keys()).toEqual(["engine/a", "engine/b", "engine/c", "engine/d", "engine/e"]);
    // a read that nobody answers for a moment is sent again, on a machine that is busy too
    expect([...new Set(server.requests)].slice(0, 3)).toEqual([
      `${base}?limit=2`,
      `${base}?limit=500&continue=2`,
      `${base}?limit=500&continue=4`,
    ]);
    expect(server.tokens[0]).toBe("Bearer secret-token");
    expect(JSON.stringify(log.lines)).not.toContain("secret-token");
  });

  test("follows what is added, changed and deleted", async () => {
    clusters.start();
    await server.asked("watch=1");
    server.put({ name: "f" });
    server.put({ name: "a", policy: "major" });
    server.remove({ name: "b" });
    await log.seen("cluster changed", 3);
    expect(keys()).toEqual(["engine/a", "engine/c", "engine/d", "engine/e", "engine/f"]);
    expect(clusters.in("engine").get("a")?.policy).toBe("major");
  });

  test("an unknown policy is said once, and again when it has changed or the EC is new", async () => {
    server.put({ name: "a", policy: "Major" });
    clusters.start();
    await server.asked("watch=1");
    const put = { name: "a", policy: "Major", userModules: ["graph"] };
    server.put(put);
    server.put({ ...put, policy: "MAJOR" });
    server.remove({ name: "a" });
    server.put({ ...put, policy: "MAJOR" });
    server.put({ ...put, policy: "major" });
    await log.seen("cluster changed", 5);
    const said = log.of("unknown upgrade policy").map(({ fields }) => fields["value"]);
    expect(said).toEqual(['"Major"', '"MAJOR"', '"MAJOR"']);
  });

  test("a watch that ends in order continues from where it was, bookmarks included", async () => {
    clusters.start();
    await server.asked("watch=1");
    server.bookmark();
    server.endWatches();
    await server.asked("watch=1", 2);
    expect(server.requests.filter((url) => url.includes("limit"))).toHaveLength(3);
    const [, second = ""] = server.requests.filter((url) => url.includes("watch"));
    expect(new URLSearchParams(second.split("?")[1]).get("resourceVersion")).toBe("106");
    expect(second).toContain("allowWatchBookmarks=true");
    expect(delays).toEqual([]);
  });

  const again = "cannot follow the clusters, trying again";
  const ec = { metadata: { resourceVersion: "1" } };
  test.each([
    ["that is too old", { type: "ERROR", object: { code: 410 } }, "clusters are listed again"],
    ["that fails", { type: "ERROR", object: { code: 500 } }, again],
    ["of an unknown type", { type: "constructor", object: {} }, again],
    ["without an EC", { type: "ADDED", object: ec }, again],
  ])("after a watch %s all is listed again, nothing is forgotten meanwhile", async (...row) => {
    const [, event, message] = row;
    clusters.start();
    await server.asked("watch=1");
    server.tell(JSON.stringify(event));
    await log.seen(message);
    expect(clusters.hasSynced()).toBe(true);
    expect(keys()).toHaveLength(5);
    await log.seen("clusters listed", 2);
    expect(delays).toHaveLength(1);
  });

  test("after a broken watch what was missed is found", async () => {
    clusters.start();
    await server.asked("watch=1");
    server.breakWatches();
    server.remove({ name: "a" });
    server.put({ name: "z" });
    await log.seen("clusters listed", 2);
    expect(keys()).toEqual(["engine/b", "engine/c", "engine/d", "engine/e", "engine/z"]);
  });

  test("an expired watch at its very start lists again", async () => {
    let refuse = true;
    server.fault = (url) => {
      const hit = url.searchParams.has("watch") && refuse;
      if (hit) refuse = false;
      return hit ? { status: 410 } : undefined;
    };
    clusters.start();
    await log.seen("clusters listed", 2);
    await server.asked("watch=1", 2);
  });

  test("watches that end at once are spaced out more and more", async () => {
    clusters.start();
    for (let count = 1; count <= 3; count += 1) {
      await server.asked("watch=1", count);
      server.endWatches();
      await log.seen("cannot follow the clusters, trying again", count);
    }
    const [last] = log.of("cannot follow the clusters, trying again").slice(-1);
    expect(last?.fields).toMatchObject({ because: "the watch ended at once", failures: 3 });
  });
});

test("a silent watch is taken as dead", async () => {
  await open({ silenceMs: 30 });
  clusters.start();
  const { fields } = await log.seen("cannot follow the clusters, trying again");
  expect(fields["because"]).toBe("nothing came for too long");
  await log.seen("clusters listed", 2);
});

test("a list that hangs is given up and tried again", async () => {
  await open({ pageMs: 30 });
  let hang = true;
  server.fault = () => {
    const now = hang;
    hang = false;
    return now ? "hang" : undefined;
  };
  clusters.start();
  await log.seen("clusters listed");
  expect(log.lines[0]?.message).toBe("cannot follow the clusters, trying again");
});

describe("the definition", () => {
  test("of the older version is good enough", async () => {
    await open();
    server.versions = ["v1alpha1"];
    server.put({ name: "a" });
    clusters.start();
    await server.asked("v1alpha1/engineenterpriseclusters?watch=1");
    expect(keys()).toEqual(["engine/a"]);
    expect(await clusters.live({ namespace: "engine", name: "a" }, patient)).toMatchObject({
      name: "a",
    });
  });

  const resource = "engineenterpriseclusters.app.engine.com";
  test.each<[string, () => unknown, string | undefined]>([
    ["absent", () => (server.versions = []), `install the definition of ${resource}`],
    [
      "forbidden",
      () => (server.fault = () => ({ status: 403 })),
      `allow get, list and watch of ${resource} in all namespaces`,
    ],
    ["failing", () => (server.fault = () => ({ status: 500 })), undefined],
    ["cut off", () => (server.fault = () => "cut"), undefined],
    ["no list", () => (server.fault = () => ({ status: 200, body: "<html>" })), undefined],
  ])("%s: nothing is known, the log says what to do, and it is tried again", async (...row) => {
    const [, spoil, fix] = row;
    await open();
    spoil();
    clusters.start();
    const { fields } = await log.seen("cannot follow the clusters, trying again", 2);
    expect(clusters.hasSynced()).toBe(false);
    expect(fields).toMatchObject({ synced: false, failures: 2 });
    expect(fields["fix"]).toBe(fix);
    server.versions = ["v1"];
    server.fault = () => undefined;
    await log.seen("clusters listed");
    expect(clusters.hasSynced()).toBe(true);
  });
});

describe("a live read", () => {
  beforeEach(async () => {
    await open();
    server.put({ name: "a", policy: "major" });
    server.put({ name: "b", namespace: "apps" });
  });

  test("says what is true now and changes nothing that is known", async () => {
    const found = await clusters.live({ namespace: "engine", name: "a" }, patient);
    expect(found).toMatchObject({ name: "a", policy: "major", resourceVersion: "101" });
    expect(await clusters.live({ namespace: "engine", name: "x" }, patient)).toBeUndefined();
    expect((await clusters.liveIn("apps", patient)).map(clusterKey)).toEqual(["apps/b"]);
    expect(keys()).toEqual([]);
  });

  test.each(["../../x", "A", "a/b", "", "a".repeat(254), "a..b", "%2e"])(
    "the name %s names nothing and asks nobody",
    async (name) => {
      expect(await clusters.live({ namespace: "engine", name }, patient)).toBeUndefined();
      expect(await clusters.live({ namespace: name, name: "a" }, patient)).toBeUndefined();
      expect(await clusters.liveIn(name, patient)).toEqual([]);
      expect(server.requests).toEqual([]);
    },
  );

  test.each([
    ["a refusal", { status: 403 }],
    ["a 404 that is not about this object", { status: 404, body: "404 page not found" }],
    ["something that is no EC", { status: 200, body: { kind: "Status" } }],
    ["a broken connection", "cut" as const],
  ])("%s is not an absence", async (_name, fault) => {
    server.fault = () => fault;
    const read = clusters.live({ namespace: "engine", name: "a" }, patient);
    await expect(read).rejects.toThrow(ClustersUnreadable);
    await expect(clusters.liveIn("engine", patient)).rejects.toThrow(ClustersUnreadable);
  });

  test("ends at the deadline", async () => {
    server.fault = () => "hang";
    const read = clusters.live({ namespace: "engine", name: "a" }, AbortSignal.timeout(1));
    await expect(read).rejects.toThrow(ClustersUnreadable);
  });
});

describe("the connection", () => {
  const key = { namespace: "engine", name: "a" };
  const patient = new AbortController().signal;

  test("is kept for the next live read", async () => {
    await open();
    server.put({ name: "a" });
    await clusters.live(key, patient);
    const { connections } = server;
    await clusters.live(key, patient);
    expect(server.connections).toBe(connections);
  });

  test("that was closed meanwhile is recreated, and the read is answered", async () => {
    await open();
    server.put({ name: "a" });
    await clusters.live(key, patient);
    server.closeIdle();
    expect(await clusters.live(key, patient)).toMatchObject(key);
  });

  test("that says nothing is left for a new one, and the read is answered", async () => {
    await open();
    server.put({ name: "a" });
    await clusters.live(key, patient);
    const { connections } = server;
    const faults = ["hang" as const];
    server.fault = () => faults.pop();
    expect(await clusters.live(key, patient)).toMatchObject(key);
    expect(server.connections).toBe(connections + 1);
  });

  test("says whose it is, and wants answers as they are: to unpack them takes longer", async () => {
    await open();
    await clusters.liveIn("apps", patient);
    expect(server.heads[0]).toMatchObject({ "user-agent": "engine-webhook" });
    expect(server.heads[0]).not.toHaveProperty("accept-encoding");
  });

  test("takes plain http and a path before the API's, as proxies have", async () => {
    await open({}, "http");
    server.put({ name: "a" });
    expect(await clusters.live({ namespace: "engine", name: "a" }, patient)).toMatchObject({
      name: "a",
    });
    expect(server.requests).toEqual([
      "/prefix/apis/app.engine.com/v1/namespaces/engine/engineenterpriseclusters/a",
    ]);
  });

  test("is a source like the file", async () => {
    await open();
    const context = { names: defaultNames, log };
    expect(openClusters({ from: "api" }, context, env).hasSynced()).toBe(false);
  });

  test.each([
    ["no setting", {}, "KUBECONFIG is not set and this is not a pod"],
    ["no setting but a home", { HOME: dir }, "KUBECONFIG is not set"],
    ["no file", { KUBECONFIG: "/nope" }, "no configuration for a cluster was found"],
    ["no cluster", { KUBECONFIG: kubeconfig({}, "empty", { clusters: [] }) }, "it names none"],
  ])("%s is a usage error", async (_name, wrong, message) => {
    await open();
    expect(() => connect(wrong)).toThrow(UsageError);
    expect(() => connect(wrong)).toThrow(message);
  });

  describe("in a pod", () => {
    const account = join(dir, "account");
    const inPod = () => {
      const KUBERNETES_SERVICE_PORT = String(server.port);
      return { KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT };
    };
    const read = { method: "GET", path: base } as const;
    const mount = (token: string) => {
      mkdirSync(account, { recursive: true });
      writeFileSync(join(account, "token"), `${token}\n`);
      writeFileSync(join(account, "ca.crt"), server.pair.certPem);
    };

    test("it is the service account's, its token read for every request", async () => {
      await open();
      mount("first");
      const connection = connect(inPod(), account);
      expect(await connection.send(read, patient)).toMatchObject({ status: 200 });
      mount("second");
      await connection.send(read, patient);
      expect(server.tokens).toEqual(["Bearer first", "Bearer second"]);
    });

    test("a CA that was renewed is read when the one before does not fit any more", async () => {
      await open();
      mount("first");
      writeFileSync(join(account, "ca.crt"), aPair().certPem);
      const connection = connect(inPod(), account);
      await expect(connection.send(read, patient)).rejects.toThrow("DEPTH_ZERO_SELF_SIGNED_CERT");
      expect(server.requests).toEqual([]);
      mount("first");
      expect(await connection.send(read, patient)).toMatchObject({ status: 200 });
    });

    test("without a mounted token it is a usage error", async () => {
      await open();
      expect(() => connect(inPod(), join(dir, "none"))).toThrow(
        "no service account's token is mounted",
      );
    });
  });

  test("a login that was renewed in the kubeconfig is used after a 401", async () => {
    await open();
    const config = JSON.parse(readFileSync(join(dir, "config"), "utf8")) as {
      readonly clusters: readonly [{ readonly cluster: object }];
    };
    const users = [{ name: "me", user: { token: "renewed" } }];
    kubeconfig(config.clusters[0].cluster, "login", { users });
    const connection = connect({ KUBECONFIG: join(dir, "config") });
    renameSync(join(dir, "login"), join(dir, "config"));
    const faults = [{ status: 401 }];
    server.fault = () => faults.pop();
    const answer = await connection.send({ method: "GET", path: base }, patient);
    expect(answer.status).toBe(200);
    expect(server.tokens).toEqual(["Bearer secret-token", "Bearer renewed"]);
  });
});

test("delays double up to a limit and vary", () => {
  expect([1, 2, 3, 99].map((failures) => delayAfter(failures, 0))).toEqual([100, 200, 400, 5_000]);
  expect([1, 2, 3, 99].map((failures) => delayAfter(failures, 1))).toEqual([200, 400, 800, 10_000]);
  expect(delayAfter(1)).toBeLessThanOrEqual(200);
});

test.each([
  ["of small objects is long", 10, 20_000, 500],
  ["of large objects is short", 10, 2 ** 20, 10],
  ["of huge objects holds one", 1, 30 * 2 ** 20, 1],
  ["after an empty one asks for something", 0, 100, 500],
])("the next page %s", (_name, ...[objects, bytes, wanted]) => {
  expect(pageAfter(objects, bytes)).toBe(wanted);
});
