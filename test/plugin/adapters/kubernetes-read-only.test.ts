import { connect } from "../../../plugin/adapters/kubernetes/connect";
import type { RequestSeen } from "../../../plugin/adapters/kubernetes/target";
import { exitCodes } from "../../../plugin/domain/errors";
import type { KubeObject, Ref, Resource } from "../../../plugin/domain/objects";
import type { Cluster } from "../../../plugin/run/ports";
import { type FakeApiServer, startFakeApiServer } from "../../support/api-server";

const configMaps: Resource = { group: "", version: "v1", plural: "configmaps", kind: "ConfigMap" };
const ref: Ref = { resource: configMaps, name: "x", namespace: "ns" };
const object: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "x", namespace: "ns" },
};
const review: KubeObject = {
  apiVersion: "authorization.k8s.io/v1",
  kind: "LocalSubjectAccessReview",
  metadata: { namespace: "ns" },
};
const kindsOf = (name: string, kind: string) => ({
  body: { resources: [{ name, kind, namespaced: true }] },
});

let server: FakeApiServer;
let cluster: Cluster;
let refused: RequestSeen[];

beforeEach(async () => {
  server = await startFakeApiServer(({ path, method }) => {
    if (path === "/api/v1") return kindsOf("configmaps", "ConfigMap");
    if (path === "/apis/authorization.k8s.io/v1") {
      return kindsOf("localsubjectaccessreviews", "LocalSubjectAccessReview");
    }
    if (method === "GET") return { body: { ...object, items: [object] } };
    return { body: { ...object, status: { allowed: true, userInfo: { username: "jane" } } } };
  });
  refused = [];
  cluster = await connect(
    { server: server.url, token: "t" },
    {},
    { readOnly: true, onRefused: (request) => refused.push(request) },
  );
});
afterEach(async () => {
  cluster.close();
  await server.close();
});

const apply = { fieldManager: "m" };
const dryRun = true;

describe("a connection that only reads sends no write", () => {
  test.each<[name: string, request: string, write: () => Promise<unknown>]>([
    ["create", "POST configmaps", () => cluster.create(object)],
    ["update", "PUT configmaps/x", () => cluster.update(object)],
    ["apply", "PATCH configmaps/x", () => cluster.apply(object, apply)],
    ["merge patch", "PATCH configmaps/x", () => cluster.patch(ref, {}, { type: "merge" })],
    ["delete", "DELETE configmaps/x", () => cluster.delete(ref, {})],
    ["apply, dry", "PATCH configmaps/x", () => cluster.apply(object, { ...apply, dryRun })],
    ["a fresh connection", "DELETE configmaps/x", () => cluster.delete(ref, {}, { fresh: true })],
    ["a review about someone else", "POST localsubjectaccessreviews", () => cluster.create(review)],
  ])("%s", async (_name, request, write) => {
    const [method = "", resource = ""] = request.split(" ");
    const outcome: unknown = await write().catch((error: unknown) => error);

    expect(outcome).toMatchObject({ code: "READ_ONLY", exitCode: exitCodes.failed });
    expect((outcome as Error).message).toMatch(
      new RegExp(`^${method} /.*${resource} was not sent: this connection only reads`),
    );
    expect(refused).toHaveLength(1);
    expect(server.requests.filter((sent) => sent.method !== "GET")).toEqual([]);
  });
});

test("it reads, and asks who the user is and what the user may", async () => {
  await cluster.get(ref);
  await cluster.list(configMaps);
  await cluster.serves("", "v1");

  expect(await cluster.can({ verb: "create", group: "", resource: "configmaps" })).toBe(true);
  expect(await cluster.whoAmI()).toBe("jane");
  expect(refused).toEqual([]);
  expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
    "GET /api/v1/namespaces/ns/configmaps/x",
    "GET /api/v1/configmaps",
    "GET /api/v1",
    "POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
    "POST /apis/authentication.k8s.io/v1/selfsubjectreviews",
  ]);
});
