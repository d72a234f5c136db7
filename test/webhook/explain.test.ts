import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createApp, Health } from "../../webhook/app";
import { ClustersUnreadable } from "../../webhook/clusters/clusters";
import { explainCall } from "../../webhook/review/call";
import { BodyBudget, InFlight } from "../../webhook/review/room";
import { clusterFacts, FakeClusters } from "./fake-clusters";
import { anEdb, aReview, bytesOf, minorUpdate, options, rightUpdate, wrongUpdate } from "./reviews";

let server: Server;

afterEach(() => server.close());

/** What `POST /explain` answers. */
async function explained(body: unknown, clusters: Partial<FakeClusters> = {}) {
  const all = Object.assign(new FakeClusters(), { known: [clusterFacts()] }, clusters);
  const room = { maxBody: 64 * 1024, budget: new BodyBudget(0), inFlight: new InFlight(1) };
  const context = { clusters: all, operatorNamespace: "engine", options, ...room };
  const health = new Health({ certificate: () => true, clusters: () => true });
  const callers = { problem: () => undefined };
  const explain = (request: Parameters<typeof explainCall>[0]) => explainCall(request, context);
  server = createServer(createApp(health, { explain: { callers, explain } }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/explain`;
  const headers = { "content-type": "application/json", connection: "close" };
  const answer = await fetch(url, { method: "POST", headers, body: bytesOf(body) });
  const { status } = answer;
  return { status, answer: (await answer.json()) as Record<string, unknown>, asked: all.asked };
}

test("a wrong edit shows its rules, the EC as it is now, and the nearest edit that would pass", async () => {
  const { status, answer, asked } = await explained(aReview(wrongUpdate));
  expect(status).toBe(200);
  expect(answer).toMatchObject({
    uid: "uid-1",
    allowed: false,
    rules: [{ id: "R1", setting: "deny", causes: [{ rule: "R1" }] }, { id: "R2" }, { id: "R3" }],
    clusters: { after: { is: "found", cluster: { name: "ec", resourceVersion: "1" } } },
    nearest: [{ field: "spec.engineVersion", from: "9.9", to: "8.2" }],
    data: "live",
    dataAgeSeconds: 0,
  });
  expect(asked).toEqual(["get engine/ec"]);
});

test("a right edit is explained by what is known", async () => {
  const { answer, asked } = await explained(aReview(rightUpdate));
  expect(answer).toMatchObject({ allowed: true, data: "known", dataAgeSeconds: 1.5 });
  expect(asked).toEqual([]);
});

test("what is no longer right is explained as it is now", async () => {
  const major = clusterFacts({ policy: "major" });
  const { answer } = await explained(aReview(minorUpdate), {
    known: [major],
    truth: [clusterFacts()],
  });
  expect(answer).toMatchObject({ allowed: true, data: "live" });
});

test.each([
  ["a deletion", aReview({ ...wrongUpdate, operation: "DELETE" }), "not judged"],
  [
    "an unchanged object",
    aReview({ ...wrongUpdate, oldObject: anEdb({ engineVersion: "9.9" }) }),
    "unchanged",
  ],
])("%s is spared", async (_name, body, spared) => {
  const { answer } = await explained(body, { isSynced: false });
  expect(answer).toMatchObject({ allowed: true, spared, rules: [], data: "none" });
});

test.each<[string, unknown, Partial<FakeClusters>, number, string]>([
  ["no review", "{", {}, 400, "the body is not JSON"],
  [
    "ECs that are not known",
    aReview(wrongUpdate),
    { isSynced: false },
    503,
    "cannot judge: the clusters have not been read yet",
  ],
  [
    "ECs that cannot be read",
    aReview(wrongUpdate),
    { unreadable: new ClustersUnreadable("the API server answered 403") },
    503,
    "cannot judge: the API server answered 403",
  ],
  ["a crash", aReview(wrongUpdate), { crash: new TypeError("x") }, 500, "a rule failed"],
])("%s is told", async (_name, ...[body, clusters, code, message]) => {
  const { status, answer } = await explained(body, clusters);
  expect({ status, message: answer["message"] }).toEqual({ status: code, message });
});
