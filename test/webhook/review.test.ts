import type { ClusterFacts } from "../../plugin/domain/rules/types";
import { ClustersUnreadable } from "../../webhook/clusters/clusters";
import { answerReview, type ReviewContext } from "../../webhook/review/review";
import { clusterFacts, FakeClusters } from "./fake-clusters";
import {
  anEdb,
  anUpdate,
  aReview,
  bytesOf,
  minorUpdate,
  options,
  rightUpdate,
  wrongUpdate,
} from "./reviews";

interface Scene {
  readonly clusters?: Partial<FakeClusters>;
  readonly context?: Partial<ReviewContext>;
  readonly budgetMs?: number;
}

async function review(body: unknown, { clusters: known, context, budgetMs = 5_000 }: Scene = {}) {
  const clusters = Object.assign(new FakeClusters(), { known: [clusterFacts()] }, known);
  const until = performance.now() + budgetMs;
  const all = { clusters, operatorNamespace: "engine", options, ...context };
  const { reply, ...rest } = await answerReview(bytesOf(body), all, until);
  const { status, headers } = reply;
  return {
    ...rest,
    status,
    headers,
    answer: JSON.parse(reply.body) as unknown,
    asked: clusters.asked,
  };
}

describe("a value of the wrong shape is refused where it is new", () => {
  const eaadb = {
    resource: { group: "app.engine.com", resource: "engineenterpriseactiveactivedatabases" },
  };
  const ref = "spec.engineEnterpriseCluster";
  const global = { globalConfigurations: [{ engineVersion: "9.9" }] };
  test.each<[string, unknown, string, string, object]>([
    ["a spec", [], "spec", "[...]: must be an object", {}],
    ["global settings", global, "spec.globalConfigurations", "[...]: must be an object", eaadb],
    ["a reference", { engineEnterpriseCluster: "ec" }, ref, '"ec": must be an object', {}],
    ["a name", { engineEnterpriseCluster: { name: 5 } }, `${ref}.name`, "5: must be a string", {}],
  ])("%s", async (_name, ...[spec, field, message, more]) => {
    const edit = { ...anUpdate({}, {}, more), operation: "CREATE" };
    const asked = { ...edit, object: { metadata: { name: "db1" }, spec } };
    const cause = {
      reason: "FieldValueTypeInvalid",
      field,
      message: expect.stringMatching(
        /^Invalid value: .* \(refused by webhook \S+\) \[(R1|REF)\]$/,
      ) as string,
    };
    const { answer } = await review(aReview(asked));
    expect(answer).toMatchObject({
      response: { allowed: false, status: { code: 422, details: { causes: [cause] } } },
    });
    expect(JSON.stringify(answer)).toContain(JSON.stringify(message).slice(1, -1));
    const kept = { ...asked, operation: "UPDATE", oldObject: asked.object };
    for (const passing of [kept, { ...kept, object: anEdb({}) }]) {
      const reviewed = await review(aReview(passing));
      expect(reviewed.answer).toMatchObject({ response: { allowed: true } });
    }
  });

  test("null is as good as absent", async () => {
    const asked = { ...anUpdate({}, {}), operation: "CREATE", object: { spec: null } };
    expect((await review(aReview(asked))).answer).toMatchObject({ response: { allowed: true } });
  });
});

function allowed(more: object = {}, version = "v1") {
  return {
    apiVersion: `admission.k8s.io/${version}`,
    kind: "AdmissionReview",
    response: { uid: "uid-1", allowed: true, ...more },
  };
}

/** What the audit log gets of a verdict by EC engine/ec in version 1, known for 1.5 s. */
const audited = {
  rule: "none",
  ec: "engine/ec",
  "ec-resource-version": "1",
  data: "known",
  "data-age-seconds": "1.5",
};

interface Fault {
  readonly code: number;
  readonly reason: string;
  readonly message: string;
  readonly uid?: string;
}

function fault(parts: Fault) {
  return { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure", ...parts };
}

const wrongVersion =
  'Unsupported value: "9.9": supported values: "7.2", "7.4", "8.0", "8.2", "major"';

describe.each(["v1", "v1beta1"])("a review of %s", (version) => {
  test("allows a right edit, with no patch and no status", async () => {
    const { status, headers, answer } = await review(aReview(rightUpdate, version));
    expect({ status, headers, answer }).toEqual({
      status: 200,
      headers: {},
      answer: allowed({ auditAnnotations: audited }, version),
    });
  });

  test("denies a wrong edit as 422 Invalid that is complete in message and causes", async () => {
    const { status, answer, entry, asked } = await review(aReview(wrongUpdate, version));
    const cause = expect.stringContaining(wrongVersion) as string;
    expect({ status, answer }).toEqual({
      status: 200,
      answer: {
        apiVersion: `admission.k8s.io/${version}`,
        kind: "AdmissionReview",
        response: {
          uid: "uid-1",
          allowed: false,
          status: {
            code: 422,
            reason: "Invalid",
            message: cause,
            details: {
              group: "app.engine.com",
              kind: "EngineEnterpriseDatabase",
              name: "db1",
              causes: [
                { reason: "FieldValueNotSupported", field: "spec.engineVersion", message: cause },
              ],
            },
          },
          auditAnnotations: { ...audited, rule: "R1", data: "live", "data-age-seconds": "0.0" },
        },
      },
    });
    expect(asked).toEqual(["get engine/ec"]);
    expect(entry).toEqual({
      uid: "uid-1",
      kind: "EngineEnterpriseDatabase",
      namespace: "engine",
      name: "db1",
      operation: "UPDATE",
      dryRun: false,
      verdict: "deny",
      rule: "R1",
      ec: "engine/ec",
      data: "live",
    });
  });

  test("passes warnings on", async () => {
    const lowering = anUpdate({ engineVersion: "8.0" }, { engineVersion: "7.4" });
    const { answer } = await review(aReview(lowering, version), {
      clusters: { known: [clusterFacts({ policy: "major" })] },
    });
    const warnings = [expect.stringContaining("7.4") as string];
    expect(answer).toEqual(allowed({ warnings, auditAnnotations: audited }, version));
  });
});

const wrong = { engineVersion: "9.9" };
const deleting = { deletionTimestamp: "2024-01-01T00:00:00Z" };

test.each([
  ["a deletion", { operation: "DELETE", object: null }, "not judged"],
  ["a connection", { operation: "CONNECT" }, "not judged"],
  ["a subresource", { subResource: "status" }, "not judged"],
  ["an object that is being deleted", { object: anEdb(wrong, deleting) }, "being deleted"],
  [
    "a remote cluster",
    { resource: { group: "app.engine.com", resource: "engineenterpriseremoteclusters" } },
    "not judged",
  ],
  [
    "the same plural of another group",
    { resource: { group: "other.com", resource: "engineenterprisedatabases" } },
    "not judged",
  ],
  ["a plural of the core group", { resource: { resource: "pods" } }, "not judged"],
  ["an edit of nothing judged", { oldObject: anEdb(wrong), object: anEdb(wrong) }, "unchanged"],
])("%s passes, without an EC and before the ECs are known", async (_name, more, rule) => {
  const { answer, entry, asked } = await review(aReview({ ...wrongUpdate, ...more }), {
    clusters: { isSynced: false, known: [] },
  });
  expect(answer).toEqual(allowed());
  expect(entry).toMatchObject({ verdict: "allow", rule });
  expect(asked).toEqual([]);
});

test("a uid of 64 KiB is answered whole, and logged in part", async () => {
  const uid = "u".repeat(64 * 1_024);
  const { answer, entry } = await review(aReview({ ...rightUpdate, uid }));
  expect(answer).toMatchObject({ response: { uid, allowed: true } });
  expect(String(entry["uid"]).length).toBeLessThan(256);
});

describe("what is known of the EC", () => {
  const major = clusterFacts({ policy: "major", resourceVersion: "1" });
  const free = clusterFacts({ resourceVersion: "2" });

  const asked = ["get engine/ec"];
  const live = (reason: string, outcome: string) => ({ asked, live: { reason, outcome } });
  test.each<[string, Partial<FakeClusters>, object]>([
    [
      "an allow needs no live read",
      { known: [free] },
      { allowed: true, data: "known", asked: [], live: undefined },
    ],
    [
      "a denial is confirmed live",
      { known: [major] },
      { allowed: false, data: "live", ...live("confirm", "confirmed") },
    ],
    [
      "a stale denial is overturned",
      { known: [major], truth: [free] },
      { allowed: true, data: "overturned", ...live("confirm", "overturned") },
    ],
    [
      "an EC that is missing here is looked for live",
      { known: [], truth: [free] },
      { allowed: true, data: "live", ...live("missing", "found") },
    ],
    [
      "an EC that is gone, confirmed live, cannot say major",
      { known: [major], truth: [] },
      { allowed: true, data: "overturned", ...live("confirm", "overturned") },
    ],
  ])("%s", async (_name, clusters, expected) => {
    const { answer, facts, asked } = await review(aReview(minorUpdate), { clusters });
    const { response } = answer as {
      readonly response: {
        readonly allowed: boolean;
        readonly auditAnnotations: { readonly data: string };
      };
    };
    const { allowed, auditAnnotations } = response;
    const seen = { allowed, data: auditAnnotations.data, live: facts.live, asked };
    expect(seen).toEqual(expected);
  });

  test("the EC of a database elsewhere is looked for there, then with the operator", async () => {
    const request = { ...minorUpdate, namespace: "apps" };
    const { answer, asked } = await review(aReview(request), { clusters: { known: [major] } });
    expect(answer).toMatchObject({ response: { allowed: false } });
    expect(asked).toEqual(["get apps/ec", "get engine/ec"]);
  });

  test("without a reference the only EC of both namespaces counts", async () => {
    const plain = (version: string) =>
      anEdb({ engineVersion: version, engineEnterpriseCluster: null });
    const request = {
      ...minorUpdate,
      oldObject: plain("7.2"),
      object: plain("7.4"),
      namespace: "",
    };
    const { answer, asked } = await review(aReview(request), { clusters: { known: [major] } });
    expect(answer).toMatchObject({ response: { allowed: false } });
    expect(asked).toEqual(["list engine"]);
  });

  test("a reference that changes with the version brings the old EC in as well", async () => {
    const elsewhere = anEdb({ engineVersion: "7.2", engineEnterpriseCluster: { name: "old" } });
    const known = [clusterFacts({ name: "old", policy: "major" }), free];
    const request = { ...minorUpdate, oldObject: elsewhere };
    const { answer, asked } = await review(aReview(request), { clusters: { known } });
    expect(answer).toMatchObject({ response: { allowed: false } });
    expect(asked).toEqual(["get engine/ec", "get engine/old"]);
  });

  test("an EC that is nowhere is counted as absent", async () => {
    const { facts } = await review(aReview(wrongUpdate), { clusters: { known: [] } });
    expect(facts.live).toEqual({ reason: "confirm", outcome: "confirmed" });
    const passing = await review(aReview(rightUpdate), { clusters: { known: [] } });
    expect(passing.facts.live).toEqual({ reason: "missing", outcome: "absent" });
  });

  test("an unknown policy passes and is noted", async () => {
    const known: ClusterFacts[] = [clusterFacts({ policy: "Major" })];
    const { entry, facts } = await review(aReview(minorUpdate), { clusters: { known } });
    expect(entry).toMatchObject({ verdict: "allow", ec: "engine/ec", unknownPolicy: true });
    expect(facts).toMatchObject({ verdict: "allow", uncertain: ["policy"] });
  });

  test("a display name passes and is noted while the EC publishes no modules", async () => {
    const object = anEdb({ modulesList: [{ name: "EngineJSON" }] });
    const asked = aReview({ ...rightUpdate, operation: "CREATE", object });
    const {
      answer,
      entry,
      facts,
      asked: reads,
    } = await review(asked, {
      clusters: { known: [clusterFacts()] },
    });
    expect(answer).toMatchObject({
      response: {
        allowed: true,
        warnings: [
          'not checked: EC engine/ec publishes no modules yet, so it may bundle "EngineJSON" [R3]',
        ],
      },
    });
    expect(entry).toMatchObject({ verdict: "allow", unknownModules: true });
    expect(facts).toMatchObject({ verdict: "allow", rule: "none", uncertain: ["modules"] });
    expect(reads).toEqual([]);

    const installedModules = [{ name: "search", displayName: "EngineSearch" }];
    const published = await review(asked, {
      clusters: { known: [{ ...clusterFacts(), installedModules }] },
    });
    expect(published.answer).toMatchObject({ response: { allowed: false } });
    expect(published.facts.uncertain).toEqual([]);
  });

  test("an EC that does not exist is noted as missing", async () => {
    const { entry } = await review(aReview(wrongUpdate), { clusters: { known: [] } });
    expect(entry).toMatchObject({ verdict: "deny", ec: "missing", data: "live" });
  });
});

describe("cannot judge is no denial", () => {
  const again = { "retry-after": "1", connection: "close" };

  test.each<[string, Scene, string]>([
    [
      "the ECs are not known yet",
      { clusters: { isSynced: false } },
      "cannot judge: the clusters (EC) have not been read yet",
    ],
    [
      "the denial cannot be confirmed",
      { clusters: { unreadable: new ClustersUnreadable("the API server answered 403") } },
      "cannot judge: the API server answered 403",
    ],
    [
      "the confirmation takes too long",
      { clusters: { hangs: true }, budgetMs: 1 },
      "cannot judge: no answer: The operation was aborted due to timeout",
    ],
  ])("%s", async (_name, scene, message) => {
    const { status, headers, answer, entry } = await review(aReview(wrongUpdate), scene);
    expect({ status, headers, answer }).toEqual({
      status: 503,
      headers: again,
      answer: fault({ code: 503, reason: "ServiceUnavailable", message, uid: "uid-1" }),
    });
    expect(entry).toMatchObject({ uid: "uid-1", verdict: "unknown" });
  });

  test("a live read that fails is counted", async () => {
    const unreadable = new ClustersUnreadable("gone");
    const { facts } = await review(aReview(wrongUpdate), { clusters: { unreadable } });
    expect(facts).toMatchObject({
      verdict: "unknown",
      live: { reason: "confirm", outcome: "unreadable" },
    });
  });
});

test("what is counted carries no word of the caller's", async () => {
  const strange = { ...rightUpdate, operation: "DROP TABLE", kind: { group: "x", kind: "Mine" } };
  const { facts } = await review(aReview({ ...strange, resource: { resource: "mine" } }));
  expect(facts).toEqual({
    kind: "other",
    operation: "other",
    version: "none",
    dryRun: false,
    verdict: "unreadable",
    rule: "none",
    wouldDeny: [],
    uncertain: [],
    bypass: "none",
  });
});

describe("the bypass in an emergency", () => {
  const until = new Date(Date.now() + 3_600_000).toISOString();
  const annotations = {
    "engine.io/admission-bypass": "restore of orders",
    "engine.io/admission-bypass-until": until,
  };
  const asking = (object: object, groups: readonly string[]) =>
    aReview({ ...wrongUpdate, object, userInfo: { username: "jane", groups } });
  const marked = anEdb({ engineVersion: "9.9" }, { annotations });
  const answered = (body: unknown, { context, ...scene }: Scene = {}) =>
    review(body, { ...scene, context: { bypassGroups: ["oncall"], ...context } });
  const inForce = `admission rules are bypassed until ${until}: restore of orders`;

  test("a member of the group passes, is warned, audited and counted", async () => {
    const { answer, facts, entry } = await answered(asking(marked, ["dev", "oncall"]));
    expect(answer).toMatchObject({
      response: {
        allowed: true,
        warnings: [inForce, expect.stringMatching(/^would be denied: spec.engineVersion.*\[R1\]$/)],
        auditAnnotations: { rule: "none", bypass: "restore of orders", "bypass-until": until },
      },
    });
    expect(facts).toMatchObject({ verdict: "allow", bypass: "granted", wouldDeny: ["R1"] });
    expect(entry).toMatchObject({
      verdict: "allow",
      bypass: "restore of orders",
      until,
      user: "jane",
    });
  });

  test("an edit that is right is warned of it too", async () => {
    const right = anEdb({ engineVersion: "8.0" }, { annotations });
    const { answer } = await answered(asking(right, ["oncall"]));
    expect(answer).toMatchObject({ response: { allowed: true, warnings: [inForce] } });
  });

  test("a stranger is refused, and told why the annotation does not count", async () => {
    const { answer, facts } = await answered(asking(marked, ["dev"]));
    const because = "you are in no group that may bypass";
    expect(answer).toMatchObject({
      response: {
        allowed: false,
        warnings: [`the admission bypass does not count: ${because}`],
        auditAnnotations: { rule: "R1", "bypass-ignored": because },
      },
    });
    expect(facts).toMatchObject({ verdict: "deny", bypass: "ignored" });
  });

  test("an end in the year 9999 does not count", async () => {
    const far = { ...annotations, "engine.io/admission-bypass-until": "9999-12-31T23:59:59Z" };
    const { answer, entry } = await answered(
      asking(anEdb({ engineVersion: "9.9" }, { annotations: far }), ["oncall"]),
    );
    expect(answer).toMatchObject({
      response: {
        allowed: false,
        warnings: ["the admission bypass does not count: it ends more than 24 h from now"],
      },
    });
    expect(entry).toMatchObject({ verdict: "deny" });
  });

  test("nobody passes without a configured group", async () => {
    const { answer } = await answered(asking(marked, ["oncall"]), {
      context: { bypassGroups: [] },
    });
    expect(answer).toMatchObject({ response: { allowed: false } });
  });

  test("very many refusals pass with as many warnings as the API server passes on", async () => {
    const moduleList = Array.from({ length: 1_000 }, (_, at) => ({ name: `m${at}` }));
    const many = anEdb({ engineVersion: "8.0", moduleList }, { annotations });
    const { answer } = await answered(asking(many, ["oncall"]));
    const { response } = answer as { response: { allowed: boolean; warnings: string[] } };
    expect(response.allowed).toBe(true);
    expect(response.warnings).toHaveLength(33);
    expect(response.warnings.at(-1)).toBe("969 more warnings are not shown");
  });

  test.each<[string, Partial<FakeClusters>, string]>([
    [
      "the ECs are not known",
      { isSynced: false },
      "not judged: the clusters (EC) have not been read yet",
    ],
    ["a rule fails", { crash: new TypeError("cannot read x") }, "not judged: cannot read x"],
  ])("a member passes although %s, and is told so", async (_name, clusters, warning) => {
    const { answer, status, facts } = await answered(asking(marked, ["oncall"]), { clusters });
    expect({ status, answer }).toMatchObject({
      status: 200,
      answer: {
        response: {
          allowed: true,
          warnings: [inForce, warning],
          auditAnnotations: { rule: "none", data: "unknown", bypass: "restore of orders" },
        },
      },
    });
    expect(facts).toMatchObject({ verdict: "allow", bypass: "granted" });
  });
});

test("a rule that only warns is counted as one that would refuse", async () => {
  const rules = { version: "warn", policy: "deny", modules: "deny" } as const;
  const { facts } = await review(aReview(wrongUpdate), {
    context: { options: { ...options, rules } },
  });
  expect(facts).toMatchObject({ verdict: "allow", rule: "none", wouldDeny: ["R1"] });
});

test("a rule that crashes is a 500 with the uid", async () => {
  const crash = new TypeError("cannot read x");
  const { status, answer, entry, ...rest } = await review(aReview(wrongUpdate), {
    clusters: { crash },
  });
  expect({ status, answer }).toEqual({
    status: 500,
    answer: fault({
      code: 500,
      reason: "InternalError",
      message: "a rule failed, see the webhook's log",
      uid: "uid-1",
    }),
  });
  expect(entry).toMatchObject({ uid: "uid-1", verdict: "error" });
  expect(rest.crash).toBe(crash);
});

const noReview =
  "the body is not an AdmissionReview of admission.k8s.io/v1 or admission.k8s.io/v1beta1";
const without = (field: string) => aReview({ ...wrongUpdate, [field]: undefined });

const uid = "uid-1";
const withOperation = (operation: unknown) => aReview({ ...wrongUpdate, operation });
const strangeOperation = (received: string) => ({
  message: `the review's operation has to be CREATE, UPDATE, DELETE or CONNECT, received: ${received}`,
  uid,
});

test.each<[string, unknown, { readonly message: string; readonly uid?: string }]>([
  ["nothing", "", { message: "the body is empty" }],
  ["no JSON", "{", { message: "the body is not JSON" }],
  ["a list", [], { message: "the body is not a JSON object" }],
  ["null", "null", { message: "the body is not a JSON object" }],
  ["an unknown version", aReview(wrongUpdate, "v2"), { message: noReview, uid }],
  ["another kind", { ...aReview(wrongUpdate), kind: "Review" }, { message: noReview, uid }],
  ["no request", aReview(undefined), { message: "the review has no request" }],
  ["a request that is a list", aReview([]), { message: "the review has no request" }],
  ["no uid", without("uid"), { message: "the review's request has no uid" }],
  [
    "a uid that is not a text",
    aReview({ ...wrongUpdate, uid: 7 }),
    { message: "the review's request has no uid" },
  ],
  ["no operation", without("operation"), strangeOperation("null")],
  ["an empty operation", withOperation(""), strangeOperation('""')],
  ["an operation in lower case", withOperation("update"), strangeOperation('"update"')],
  ["an operation of HTTP", withOperation("PATCH"), strangeOperation('"PATCH"')],
  ["an operation with a blank", withOperation("UPDATE "), strangeOperation('"UPDATE "')],
  ["an operation that is null", withOperation(null), strangeOperation("null")],
  ["an operation that is a number", withOperation(5), strangeOperation("5")],
  ["an operation that is a list", withOperation(["UPDATE"]), strangeOperation("[...]")],
  ["an operation that is an object", withOperation({}), strangeOperation("{...}")],
  [
    "an operation of control characters",
    withOperation("\u001b[31m\n"),
    strangeOperation('"\\u001b[31m\\n"'),
  ],
  [
    "a long operation",
    withOperation("U".repeat(100_000)),
    strangeOperation(`"${"U".repeat(61)}..."`),
  ],
  [
    "an operation of another kind of object",
    aReview({ ...wrongUpdate, operation: "PATCH", resource: { resource: "pods" } }),
    strangeOperation('"PATCH"'),
  ],
  ["no resource", without("resource"), { message: "the review's request has no resource", uid }],
  ["no object", without("object"), { message: "the review's request has no object", uid }],
  [
    "an update without the old object",
    without("oldObject"),
    { message: "the review's request has no oldObject", uid },
  ],
])("%s is a bad request", async (_name, body, known) => {
  const { status, headers, answer, entry } = await review(body);
  expect({ status, headers, answer }).toEqual({
    status: 400,
    headers: {},
    answer: fault({ code: 400, reason: "BadRequest", ...known }),
  });
  expect(entry).toEqual({ uid: known.uid ?? "", verdict: "unreadable", because: known.message });
});

test("names are escaped and cut before they reach the log", async () => {
  const request = {
    ...wrongUpdate,
    uid: "u\u001b[31m",
    name: "x".repeat(300),
    namespace: "a\nb\u009b",
  };
  const { entry } = await review(aReview(request));
  expect(entry).toMatchObject({ uid: "u\\u001b[31m", namespace: "a\\u000ab\\u009b" });
  expect(String(entry["name"])).toHaveLength(253);
});
