import { gzipSync } from "node:zlib";
import { connect } from "../../../plugin/adapters/kubernetes/connect";
import type { RequestSeen } from "../../../plugin/adapters/kubernetes/target";
import { parseWarnings } from "../../../plugin/adapters/kubernetes/client";
import type { KubeObject, Ref, Resource } from "../../../plugin/domain/kube/objects";
import type { KubeClient } from "../../../plugin/ports/kubernetes";
import {
  type FakeApiServer,
  type Handler,
  type Received,
  type Reply,
  startFakeApiServer,
  status,
  configMaps,
  aConfigMapRef as ref,
  aConfigMap as object,
} from "../../support/api-server";

const roles = { group: "rbac.authorization.k8s.io", version: "v1", kind: "ClusterRole" };
const roleRef: Ref = { resource: { ...roles, plural: "clusterroles" }, name: "system:node" };
const role: KubeObject = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  metadata: { name: "system:node", namespace: "ignored" },
};

const core = {
  kind: "APIResourceList",
  resources: [
    { name: "configmaps", kind: "ConfigMap", namespaced: true },
    { name: "configmaps/status", kind: "ConfigMap", namespaced: true },
    { name: 7, kind: "Odd" },
    { name: "odd" },
  ],
};
const rbac = { resources: [{ name: "clusterroles", kind: "ClusterRole", namespaced: false }] };

let server: FakeApiServer;
let cluster: KubeClient;
let handler: Handler;
let seen: RequestSeen[];

/** The requests without those of discovery. */
function sent(): readonly Received[] {
  return server.requests.filter(({ path }) => !/^\/(api|apis\/[^/]+)\/v1$/.test(path));
}

beforeEach(async () => {
  handler = () => ({ body: object });
  seen = [];
  server = await startFakeApiServer((request) => {
    if (request.path === "/api/v1") return { body: core };
    if (request.path === "/apis/rbac.authorization.k8s.io/v1") return { body: rbac };
    return handler(request);
  });
  cluster = await connect(
    { server: server.url, namespace: "mine" },
    {},
    { onRequest: (request) => seen.push(request) },
  );
});

afterEach(async () => {
  cluster.close();
  await server.close();
});

describe("what is sent", () => {
  const all = { fieldManager: "me", dryRun: true } as const;
  const managed = { fieldManager: "me", fieldValidation: "Warn" };
  /** An apply refuses unknown fields by itself. */
  const applied = { ...managed, fieldValidation: "Ignore" };
  const path = "/api/v1/namespaces/ns/configmaps/x";
  const rows: readonly {
    readonly name: string;
    readonly act: () => Promise<unknown>;
    readonly expected: object;
  }[] = [
    {
      name: "get reads one object",
      act: () => cluster.get(ref),
      expected: { method: "GET", path, query: {}, body: undefined },
    },
    {
      name: "get of a cluster-scoped object escapes its name",
      act: () => cluster.get(roleRef),
      expected: { path: "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode" },
    },
    {
      name: "create posts to the collection",
      act: () => cluster.create(object, { fieldManager: "me" }),
      expected: {
        method: "POST",
        path: "/api/v1/namespaces/ns/configmaps",
        query: managed,
        body: object,
      },
    },
    {
      name: "create without a namespace goes to the connection's",
      act: () => cluster.create({ ...object, metadata: { name: "x" } }),
      expected: {
        path: "/api/v1/namespaces/mine/configmaps",
        query: { fieldValidation: "Warn" },
      },
    },
    {
      name: "update puts the object",
      act: () => cluster.update(object, all),
      expected: { method: "PUT", path, query: { ...managed, dryRun: "All" }, body: object },
    },
    {
      name: "apply patches the complete object",
      act: () => cluster.apply(object, { fieldManager: "me" }),
      expected: { method: "PATCH", path, query: applied, body: object },
    },
    {
      name: "apply with force says so",
      act: () => cluster.apply(object, { ...all, force: true }),
      expected: { query: { ...applied, force: "true", dryRun: "All" } },
    },
    {
      name: "apply of a cluster-scoped object leaves the namespace out of the path",
      act: () => cluster.apply(role, { fieldManager: "me" }),
      expected: { path: "/apis/rbac.authorization.k8s.io/v1/clusterroles/system%3Anode" },
    },
    {
      name: "delete carries preconditions in the body, and dryRun in query and body",
      act: () => cluster.delete(ref, { uid: "u", resourceVersion: "7" }, { dryRun: true }),
      expected: {
        method: "DELETE",
        path,
        query: { dryRun: "All" },
        body: {
          apiVersion: "v1",
          kind: "DeleteOptions",
          preconditions: { uid: "u", resourceVersion: "7" },
          dryRun: ["All"],
        },
      },
    },
    {
      name: "delete without preconditions names none",
      act: () => cluster.delete(ref, {}),
      expected: { query: {}, body: { apiVersion: "v1", kind: "DeleteOptions" } },
    },
    {
      name: "can asks with a SelfSubjectAccessReview",
      act: () => cluster.can({ verb: "get", group: "", resource: "secrets", namespace: "ns" }),
      expected: {
        method: "POST",
        path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        query: {},
        body: {
          apiVersion: "authorization.k8s.io/v1",
          kind: "SelfSubjectAccessReview",
          spec: {
            resourceAttributes: { verb: "get", group: "", resource: "secrets", namespace: "ns" },
          },
        },
      },
    },
  ];
  test.each(rows)("$name", async ({ act, expected }) => {
    await act();
    expect(sent()).toEqual([expect.objectContaining(expected)]);
  });

  test.each([
    ["merge", "application/merge-patch+json"],
    ["json", "application/json-patch+json"],
    ["strategic", "application/strategic-merge-patch+json"],
  ] as const)("a %s patch has its content type", async (type, contentType) => {
    const body = type === "json" ? [{ op: "remove", path: "/data" }] : { data: { a: "ü" } };
    await cluster.patch(ref, body, { type, fieldManager: "me", dryRun: true });
    const [request] = sent();
    expect(request?.headers["content-type"]).toBe(contentType);
    expect(request?.query).toEqual({ ...managed, dryRun: "All" });
    expect(request?.body).toEqual(body);
  });

  test("the observer sees method, path and dry run, and nothing else", async () => {
    await cluster.apply(object, { fieldManager: "me", dryRun: true });
    await cluster.delete(ref, {});
    expect(seen).toEqual([
      { method: "GET", path: "/api/v1", dryRun: false },
      { method: "PATCH", path, dryRun: true },
      { method: "DELETE", path, dryRun: false },
    ]);
  });

  test.each(["", ".", "..", "a/b"])("the name %j is refused and nothing is sent", async (name) => {
    await expect(cluster.delete({ ...ref, name }, {})).rejects.toMatchObject({ exitCode: 2 });
    expect(server.requests).toEqual([]);
  });

  test("an object without a name is not applied to the collection", async () => {
    const nameless = { ...object, metadata: {} };
    await expect(cluster.apply(nameless, { fieldManager: "me" })).rejects.toMatchObject({
      exitCode: 2,
    });
    expect(sent()).toEqual([]);
  });
});

describe("connections", () => {
  test("are kept from request to request", async () => {
    await cluster.get(ref);
    await cluster.get(ref);
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 1]);
  });

  test("fresh ones are new and closed after the answer", async () => {
    await cluster.get(ref);
    await cluster.patch(ref, {}, { type: "merge", fresh: true });
    await cluster.patch(ref, {}, { type: "merge", fresh: true });
    await cluster.get(ref);
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2, 3, 1]);
    expect(server.requests.map(({ headers }) => headers["connection"])).toEqual([
      "keep-alive",
      "close",
      "close",
      "keep-alive",
    ]);
  });

  test("a base path of the address is kept", async () => {
    const behind = await connect({ server: `${server.url}/k8s/clusters/c-1/` }, {});
    await behind.get(ref);
    behind.close();
    expect(behind.server).toBe(`${server.url}/k8s/clusters/c-1`);
    expect(server.requests[0]?.path).toBe("/k8s/clusters/c-1/api/v1/namespaces/ns/configmaps/x");
  });
});

describe("get", () => {
  test("gives undefined for an absent object", async () => {
    handler = () => status(404, "NotFound");
    await expect(cluster.get(ref)).resolves.toBeUndefined();
  });

  test("a page of markup is not taken for an absent object", async () => {
    const headers = { "content-type": "text/html" };
    handler = () => ({ status: 404, headers, body: "<html><h1>Not\u0007 here</h1></html>" });
    await expect(cluster.get(ref)).rejects.toMatchObject({
      status: 404,
      message: `the API server ${server.url} answered 404 to read configmaps/x in namespace ns: Not here`,
      hint: `check that ${server.url} is a Kubernetes API server`,
    });
  });

  test("characters that fall apart between two pieces come out whole", async () => {
    handler = () => ({ body: { ...object, data: { a: "ü€𝄞".repeat(500) } } });
    await expect(cluster.get(ref)).resolves.toMatchObject({ data: { a: "ü€𝄞".repeat(500) } });
  });

  test("a compressed answer is unpacked", async () => {
    handler = () => ({
      headers: { "content-encoding": "gzip" },
      body: gzipSync(JSON.stringify(object)),
    });
    await expect(cluster.get(ref)).resolves.toEqual(object);
    expect(server.requests[0]?.headers["accept-encoding"]).toBe("gzip");
  });

  test.each<[string, Reply]>([
    ["text", { body: "<html>welcome</html>" }],
    ["an object without metadata", { body: { apiVersion: "v1", kind: "ConfigMap" } }],
    ["a compressed body that is none", { headers: { "content-encoding": "gzip" }, body: "no" }],
  ])("%s is not taken for an object", async (_, reply) => {
    handler = () => reply;
    await expect(cluster.get(ref)).rejects.toMatchObject({ exitCode: 69 });
  });
});

describe("list", () => {
  const page = (names: readonly string[], next?: string): Reply => ({
    body: {
      kind: "List",
      metadata: { continue: next },
      items: names.map((name) => ({ metadata: { name } })),
    },
  });
  const namesOf = (found: readonly KubeObject[] | undefined): readonly unknown[] | undefined =>
    found?.map(({ metadata }) => metadata.name);

  test("follows all pages and fills in what items leave out", async () => {
    handler = ({ query }) => (query["continue"] === "t" ? page(["b"]) : page(["a"], "t"));
    const found = await cluster.list(configMaps, { namespace: "ns", labelSelector: "a=b,c" });
    expect(found).toEqual([
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } },
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" } },
    ]);
    expect(server.requests.map(({ path, query }) => ({ path, query }))).toEqual([
      {
        path: "/api/v1/namespaces/ns/configmaps",
        query: { labelSelector: "a=b,c", limit: "500" },
      },
      {
        path: "/api/v1/namespaces/ns/configmaps",
        query: { labelSelector: "a=b,c", limit: "500", continue: "t" },
      },
    ]);
  });

  test("items that name their kind keep it, and no items are no objects", async () => {
    const item = { apiVersion: "x/v2", kind: "Other", metadata: { name: "a" } };
    handler = () => ({ body: { items: [item, "odd"] } });
    await expect(cluster.list(roleRef.resource)).resolves.toEqual([item]);
    handler = () => ({ body: { items: null } });
    await expect(cluster.list(roleRef.resource)).resolves.toEqual([]);
    handler = () => ({ body: { items: [{ metadata: { name: "a" } }] } });
    await expect(cluster.list(roleRef.resource)).resolves.toEqual([
      { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name: "a" } },
    ]);
  });

  test("a limit bounds pages and result", async () => {
    handler = ({ query }) =>
      query["continue"] === undefined ? page(["a", "b"], "t") : page(["c", "d"], "u");
    expect(namesOf(await cluster.list(configMaps, { limit: 3 }))).toEqual(["a", "b", "c"]);
    expect(server.requests.map(({ query }) => query["limit"])).toEqual(["3", "1"]);
  });

  test("a whole list has pages of thousands, so that no answer is too long", async () => {
    handler = ({ query }) =>
      query["continue"] === undefined ? page(["a", "b"], "t") : page(["c"]);
    expect(namesOf(await cluster.list(configMaps, { whole: true }))).toEqual(["a", "b", "c"]);
    expect(server.requests.map(({ query }) => query["limit"])).toEqual(["5000", "5000"]);
  });

  test("more objects in one answer than a call takes arguments come whole", async () => {
    const all = Array.from({ length: 200_000 }, (_, at) => String(at));
    handler = () => page(all);
    expect(await cluster.list(configMaps)).toHaveLength(all.length);
  });

  test.each([
    [{ lean: true }, [{ manager: "kubectl" }, {}]],
    [{}, [{ manager: "kubectl", fieldsV1: { "f:data": {} } }, { operation: "Update" }]],
  ])("with %j managers are %j", async (options, managedFields) => {
    const all = [{ manager: "kubectl", fieldsV1: { "f:data": {} } }, { operation: "Update" }];
    handler = () => ({ body: { items: [{ metadata: { name: "a", managedFields: all } }] } });
    expect(await cluster.list(configMaps, options)).toMatchObject([
      { metadata: { managedFields } },
    ]);
  });

  test("a list that the server forgot is asked for once more, in one answer", async () => {
    handler = ({ query }) => {
      if (query["continue"] !== undefined) return status(410, "Expired");
      return query["limit"] === undefined ? page(["a", "b", "c"]) : page(["a"], "t");
    };
    expect(namesOf(await cluster.list(configMaps))).toEqual(["a", "b", "c"]);
    expect(server.requests).toHaveLength(3);
  });

  test("a server that forgets again is an error", async () => {
    handler = () => status(410, "Expired");
    await expect(cluster.list(configMaps)).rejects.toMatchObject({ status: 410 });
    expect(server.requests).toHaveLength(2);
  });

  test("a list whose pages never end is an error that says so", async () => {
    let count = 0;
    handler = () => page(["a"], `t${String((count += 1))}`);
    await expect(cluster.list(configMaps)).rejects.toMatchObject({
      exitCode: 69,
      message:
        "the list of configmaps does not end: 1000 pages came, and there is always a next one",
      hint: expect.stringContaining("proxy") as string,
    });
    expect(server.requests).toHaveLength(1_000);
  });

  test("a kind that is not served gives undefined", async () => {
    handler = () => ({ status: 404, body: "404 page not found\n" });
    await expect(cluster.list(configMaps)).resolves.toBeUndefined();
  });
});

describe("kinds", () => {
  test("serves gives the kinds without subresources", async () => {
    await expect(cluster.serves("", "v1")).resolves.toEqual([{ ...configMaps, namespaced: true }]);
  });

  test("are asked for once", async () => {
    await cluster.apply(object, { fieldManager: "me" });
    await cluster.create(object);
    expect(seen.filter(({ path }) => path === "/api/v1")).toHaveLength(1);
  });

  test.each([
    ["of the core group", object, "the API server serves no kind Nope in v1"],
    ["of a group", role, "the API server serves no kind Nope in rbac.authorization.k8s.io/v1"],
  ])("an unknown one %s is an error, and asked for again", async (_, known, message) => {
    const unknown = { ...known, kind: "Nope" };
    for (const attempt of [1, 2]) {
      await expect(cluster.create(unknown)).rejects.toMatchObject({ status: 404, message });
      expect(server.requests).toHaveLength(attempt);
    }
  });

  test("a failing discovery is asked for again", async () => {
    await server.close();
    await expect(cluster.create(object)).rejects.toMatchObject({ exitCode: 69 });
    await expect(cluster.create(object)).rejects.toMatchObject({ exitCode: 69 });
    expect(seen).toHaveLength(2);
  });
});

describe("can", () => {
  test.each([
    ["allowed", { status: { allowed: true } }, true],
    ["without an opinion", {}, false],
  ])("%s", async (_, body, expected) => {
    handler = () => ({ body });
    const access = { verb: "get", group: "", resource: "secrets" };
    await expect(cluster.can(access)).resolves.toBe(expected);
  });
});

describe("whoAmI", () => {
  test.each([
    ["told", { body: { status: { userInfo: { username: "jane" } } } }, "jane"],
    ["left out", { body: {} }, undefined],
    ["refused", status(404, "NotFound"), undefined],
  ])("%s", async (_, reply, expected) => {
    handler = () => reply;
    await expect(cluster.whoAmI()).resolves.toBe(expected);
    expect(server.requests[0]).toMatchObject({
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/selfsubjectreviews",
      body: { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" },
    });
  });
});

describe("version", () => {
  test.each([
    ["told", { body: { gitVersion: "v1.34.4" } }, "v1.34.4"],
    ["left out", { body: {} }, undefined],
  ])("%s", async (_, reply, expected) => {
    handler = () => reply;
    await expect(cluster.version()).resolves.toBe(expected);
    expect(server.requests[0]).toMatchObject({ method: "GET", path: "/version" });
  });
});

describe("warnings", () => {
  test("of an answer are handed over", async () => {
    const warnings: string[] = [];
    handler = () => ({
      body: object,
      headers: { warning: ['299 - "unknown field \\"a\\""', '299 - "zwei, drei"'] },
    });
    await cluster.apply(object, { fieldManager: "me", onWarning: (text) => warnings.push(text) });
    await cluster.apply(object, { fieldManager: "me" });
    expect(warnings).toEqual(['unknown field "a"', "zwei, drei"]);
  });

  test.each([
    ["with escapes", '299 - "a \\"b\\" \\\\ c"', ['a "b" \\ c']],
    ["with a date", '299 - "a" "Sat, 25 Aug 2012 23:34:45 GMT"', ["a"]],
    ["of another code", '199 - "a", 299 - "b"', ["b"]],
    ["not closed", '299 - "a', []],
    ["malformed after a good one", '299 - "a", nonsense', ["a"]],
    ["in UTF-8 bytes", Buffer.from('299 - "für"').toString("latin1"), ["für"]],
  ])("a header %s", (_, header, expected) => {
    expect(parseWarnings(header)).toEqual(expected);
  });
});

describe("the log of a container", () => {
  const pods: Resource = { group: "", version: "v1", plural: "pods", kind: "Pod" };
  const pod: Ref = { resource: pods, name: "operator", namespace: "ns" };
  const signal = new AbortController().signal;
  const read = () => cluster.logs?.(pod, { container: "main", tailLines: 20, signal });

  test("is its last lines, bounded in number and in size", async () => {
    handler = () => ({ body: "one\ntwo\n" });
    expect(await read()).toBe("one\ntwo");
    expect(sent()).toMatchObject([
      {
        method: "GET",
        path: "/api/v1/namespaces/ns/pods/operator/log",
        query: {
          container: "main",
          tailLines: "20",
          limitBytes: expect.stringMatching(/^\d+$/) as string,
        },
      },
    ]);
  });

  test.each([
    ["a container that has not started", 400, "BadRequest"],
    ["a right that is missing", 403, "Forbidden"],
  ])("is unknown for %s", async (_, code, reason) => {
    handler = () => status(code, reason, { message: "no log" });
    expect(await read()).toBeUndefined();
  });
});

describe("a connection that only reads", () => {
  const review: KubeObject = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "LocalSubjectAccessReview",
    metadata: { namespace: "ns" },
  };
  const reviews = [
    { name: "localsubjectaccessreviews", kind: "LocalSubjectAccessReview", namespaced: true },
  ];
  let refused: RequestSeen[];
  let reader: KubeClient;
  beforeEach(async () => {
    handler = ({ path }) => ({
      body: path.endsWith("/v1")
        ? { resources: reviews }
        : { ...object, items: [], status: { allowed: true, userInfo: { username: "jane" } } },
    });
    refused = [];
    const onRefused = (request: RequestSeen) => refused.push(request);
    reader = await connect({ server: server.url }, {}, { readOnly: true, onRefused });
  });
  afterEach(() => {
    reader.close();
  });

  const apply = { fieldManager: "m" };
  test.each<[name: string, request: string, write: () => Promise<unknown>]>([
    ["create", "POST configmaps", () => reader.create(object)],
    ["update", "PUT configmaps/x", () => reader.update(object)],
    ["apply", "PATCH configmaps/x", () => reader.apply(object, apply)],
    ["patch", "PATCH configmaps/x", () => reader.patch(ref, {}, { type: "merge" })],
    ["delete", "DELETE configmaps/x", () => reader.delete(ref, {})],
    ["apply, dry", "PATCH configmaps/x", () => reader.apply(object, { ...apply, dryRun: true })],
    ["a fresh connection", "DELETE configmaps/x", () => reader.delete(ref, {}, { fresh: true })],
    ["a review of someone else", "POST localsubjectaccessreviews", () => reader.create(review)],
  ])("sends no write: %s", async (_name, request, write) => {
    const [method = "", resource = ""] = request.split(" ");
    await expect(write()).rejects.toMatchObject({
      ...{ code: "READ_ONLY", exitCode: 1 },
      message: expect.stringMatching(
        new RegExp(`^${method} /.*${resource} was not sent: this connection only reads`),
      ) as string,
    });
    expect(refused).toHaveLength(1);
    expect(server.requests.filter((sent) => sent.method !== "GET")).toEqual([]);
  });

  test("reads, and asks who the user is and what the user may", async () => {
    await reader.get(ref);
    await reader.list(configMaps);
    await reader.serves("", "v1");
    expect(await reader.can({ verb: "create", group: "", resource: "configmaps" })).toBe(true);
    expect(await reader.whoAmI()).toBe("jane");
    expect([refused, server.requests.length]).toEqual([[], 5]);
  });
});
