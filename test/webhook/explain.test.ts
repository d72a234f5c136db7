import { ClustersUnreadable } from "../../webhook/clusters";
import { Deadline } from "../../webhook/deadline";
import { explainReview } from "../../webhook/explain";
import { clusterFacts, FakeClusters } from "./fake-clusters";
import { anEdb, aReview, bytesOf, minorUpdate, options, rightUpdate, wrongUpdate } from "./reviews";

async function explained(body: unknown, clusters: Partial<FakeClusters> = {}) {
  const all = Object.assign(new FakeClusters(), { known: [clusterFacts()] }, clusters);
  const context = { clusters: all, operatorNamespace: "engine", options };
  const { status, body: answer } = await explainReview(bytesOf(body), context, new Deadline(5_000));
  return { status, answer: JSON.parse(answer) as Record<string, unknown>, asked: all.asked };
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
