/** Which webhooks are asked, and what. */
import type { ApiError } from "../../../../plugin/domain/base/errors";
import {
  type ClosableAdmission,
  createAdmission,
} from "../../../../plugin/simulator/admission/admission";
import type { Attempt } from "../../../../plugin/simulator/model";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import { ManualClock } from "../../../support/manual-clock";
import { aPair } from "../../../support/tls";
import { attemptOf, definitionOf, person, stateOf } from "../authorization/state";
import {
  answering,
  configuration,
  entry,
  serverName,
  service,
  startWebhook,
  trusting,
  type WebhookServer,
} from "./webhook-server";

const pair = aPair({ names: [serverName] });
const ann = { name: "ann", groups: ["team", "system:authenticated"] };
const database: KubeObject = {
  apiVersion: "x.y/v1",
  kind: "Database",
  metadata: { name: "orders", namespace: "a", labels: { tier: "gold" } },
  spec: { size: 1 },
};
const namespaceA: KubeObject = {
  apiVersion: "v1",
  kind: "Namespace",
  metadata: { name: "a", labels: { env: "prod" } },
};
const definition: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "databases.x.y" },
  spec: {
    versions: [
      { name: "v0", served: false },
      { name: "v1beta1", served: true },
      { name: "v1", served: true },
    ],
  },
};

let server: WebhookServer;
let admission: ClosableAdmission;
let skipped: string[];
const denial = (message: string): ReturnType<typeof answering> =>
  answering({ allowed: false, status: { message } });

beforeEach(async () => {
  skipped = [];
  const allow = answering({ allowed: true });
  server = await startWebhook(pair, {
    one: allow,
    two: allow,
    no: denial("first"),
    never: denial("second"),
  });
  admission = createAdmission({
    clock: new ManualClock(Date.now()),
    route: () => ({ host: "127.0.0.1", port: server.port }),
    onSkipped: (name, why) => skipped.push(`${name}: ${why}`),
  });
});
afterEach(async () => {
  admission.close();
  await server.close();
});

function withEntries(...entries: readonly object[]): KubeObject {
  return configuration(
    "probe",
    entries.map((one) => trusting(one, pair.certPem)),
  );
}

async function admit(
  attempt: Attempt,
  ...objects: readonly KubeObject[]
): Promise<readonly string[]> {
  return admission.admit(attempt, stateOf([service, namespaceA, definition, ...objects]));
}

const rule = {
  apiGroups: ["x.y"],
  apiVersions: ["v1"],
  resources: ["databases"],
  operations: ["*"],
};
const only = (more: object): object => ({ rules: [{ ...rule, ...more }] });
const selector = (key: string, value: string): object => ({ matchLabels: { [key]: value } });
const update = { object: { ...database, spec: { size: 2 } }, before: database };
const node: KubeObject = { apiVersion: "v1", kind: "Node", metadata: { name: "n" } };

interface Row {
  readonly title: string;
  readonly entry: object;
  readonly called: boolean;
  readonly about?: { readonly object?: KubeObject; readonly before?: KubeObject };
}

const rows: readonly Row[] = [
  { title: "the resource of a rule", entry: only({}), called: true },
  { title: "a subresource only", entry: only({ resources: ["databases/status"] }), called: false },
  {
    title: "the resource and its subresources",
    entry: only({ resources: ["databases/*"] }),
    called: true,
  },
  { title: "everything", entry: only({ resources: ["*/*"] }), called: true },
  { title: "another API group", entry: only({ apiGroups: ["z"] }), called: false },
  { title: "objects of namespaces", entry: only({ scope: "Namespaced" }), called: true },
  {
    title: "another version with matchPolicy Exact",
    entry: { ...only({ apiVersions: ["v1beta1"] }), matchPolicy: "Exact" },
    called: false,
  },
  { title: "a version that is not served", entry: only({ apiVersions: ["v0"] }), called: false },
  {
    title: "a namespace selector, of no namespace",
    entry: {
      rules: [{ ...rule, apiGroups: [""], resources: ["nodes"] }],
      namespaceSelector: selector("env", "prod"),
    },
    called: true,
    about: { object: node },
  },
  {
    title: "a namespace selector, itself a namespace with other labels",
    entry: {
      rules: [{ ...rule, apiGroups: [""], resources: ["namespaces"] }],
      namespaceSelector: selector("env", "prod"),
    },
    called: false,
    about: { object: { ...namespaceA, metadata: { name: "a" } }, before: namespaceA },
  },
];

test.each(rows)("$title: called $called", async ({ entry: more, called, about }) => {
  const attempt = attemptOf({ user: ann, ...(about ?? { object: database }) });
  const custom = attempt.definition.resource.group === "x.y";
  await admit(
    { ...attempt, definition: { ...attempt.definition, custom } },
    withEntries(entry("one", more)),
  );
  expect(server.received.length).toBe(called ? 1 : 0);
});

const exempt = [
  configuration("mine", []),
  configuration("mine", [], "MutatingWebhookConfiguration"),
  { apiVersion: "authorization.k8s.io/v1", kind: "SelfSubjectAccessReview", metadata: {} },
];

test.each(exempt)("no webhook is asked about a $kind", async (object) => {
  await admit(attemptOf({ user: ann, object }), withEntries(entry("no")));
  expect(server.received).toEqual([]);
});

test("a review says all about a creation", async () => {
  const options = { kind: "CreateOptions", apiVersion: "meta.k8s.io/v1", fieldManager: "me" };
  await admit(attemptOf({ user: ann, object: database }, { options }), withEntries(entry("one")));
  const [call] = server.received;
  expect(call).toMatchObject({
    url: "/one?timeout=5s",
    headers: {
      host: `${serverName}:443`,
      accept: "application/json, */*",
      "content-type": "application/json",
      "user-agent": "kube-apiserver-admission",
    },
  });
  const kind = { group: "x.y", version: "v1", kind: "Database" };
  const resource = { group: "x.y", version: "v1", resource: "databases" };
  expect(call?.review).toEqual({
    kind: "AdmissionReview",
    apiVersion: "admission.k8s.io/v1",
    request: {
      uid: expect.stringMatching(/^[\da-f-]{36}$/) as unknown,
      kind,
      resource,
      requestKind: kind,
      requestResource: resource,
      name: "orders",
      namespace: "a",
      operation: "CREATE",
      userInfo: { username: "ann", groups: ["team", "system:authenticated"] },
      object: database,
      oldObject: null,
      dryRun: false,
      options,
    },
  });
});

test("a review of another version of the kind names both", async () => {
  const attempt = attemptOf(
    { user: ann, ...update },
    { definition: definitionOf(database, true), dryRun: true },
  );
  const wanted = {
    ...only({ apiVersions: ["v1beta1"] }),
    admissionReviewVersions: ["v9", "v1beta1", "v1"],
  };
  await admit(attempt, withEntries(entry("one", wanted)));
  expect(server.received[0]?.review).toMatchObject({
    apiVersion: "admission.k8s.io/v1beta1",
    request: {
      kind: { version: "v1beta1" },
      resource: { version: "v1beta1" },
      requestKind: { version: "v1" },
      requestResource: { version: "v1" },
      operation: "UPDATE",
      object: { apiVersion: "x.y/v1beta1", kind: "Database", spec: { size: 2 } },
      oldObject: { apiVersion: "x.y/v1beta1", kind: "Database", spec: { size: 1 } },
      dryRun: true,
    },
  });
});

test("a review of a deletion holds what is deleted, one of a namespace names it twice", async () => {
  await admit(attemptOf({ user: ann, before: namespaceA }), withEntries(entry("one")));
  expect(server.received[0]?.review.request).toMatchObject({
    name: "a",
    namespace: "a",
    operation: "DELETE",
    object: null,
    oldObject: namespaceA,
  });
});

test("all webhooks are asked, and of several refusals each counts in its turn", async () => {
  const later = configuration("b", [trusting(entry("never"), pair.certPem)]);
  const earlier = configuration("a", [
    trusting(entry("one"), pair.certPem),
    trusting(entry("no"), pair.certPem),
  ]);
  const edit = (): Promise<unknown> =>
    admit(attemptOf({ user: ann, object: database }), later, earlier);
  await expect(edit()).rejects.toThrow('admission webhook "no.x.y" denied the request: first');
  expect(server.received.map(({ url }) => url.replace(/\?.*/, "")).sort()).toEqual([
    "/never",
    "/no",
    "/one",
  ]);
  await expect(edit()).rejects.toThrow('admission webhook "never.x.y" denied the request');
  await expect(edit()).rejects.toThrow('admission webhook "no.x.y" denied the request: first');
});

test.each([
  ["Some", "Fail", false],
  ["Unknown", "Ignore", false],
  ["NoneOnDryRun", "Fail", true],
])("a dry run with sideEffects %s and failurePolicy %s", async (sideEffects, policy, asked) => {
  const webhook = entry("one", { sideEffects, failurePolicy: policy });
  const attempt = attemptOf({ user: ann, object: database }, { dryRun: true });
  const outcome = await admit(attempt, withEntries(webhook)).catch((error: unknown) => error);
  expect(server.received.length).toBe(asked ? 1 : 0);
  if (asked) {
    expect(outcome).toEqual([]);
  } else {
    const { message, status, reason, causes } = outcome as ApiError;
    expect({ message, status, reason, causes }).toEqual({
      message: 'admission webhook "one.x.y" does not support dry run',
      status: 400,
      reason: "BadRequest",
      causes: [],
    });
  }
});

test("a write in a namespace that is not there is refused where its labels count", async () => {
  const lost = { ...database, metadata: { name: "orders", namespace: "gone" } };
  const webhook = entry("one", { namespaceSelector: selector("env", "prod") });
  const attempt = attemptOf({ user: person("ann"), object: lost });
  await expect(admit(attempt, withEntries(webhook))).rejects.toMatchObject({
    message: 'namespaces "gone" not found',
    status: 404,
    reason: "NotFound",
  });
  expect(server.received).toEqual([]);
});

test("what is not done as on a real cluster is told", async () => {
  const conditions = { matchConditions: [{ name: "x", expression: "false" }] };
  const mutating = configuration(
    "m",
    [entry("two"), entry("no", only({ resources: ["z"] }))],
    "MutatingWebhookConfiguration",
  );
  await admit(
    attemptOf({ user: ann, object: database }),
    withEntries(entry("one", conditions)),
    mutating,
  );
  expect(server.received.map(({ url }) => url)).toEqual(["/one?timeout=5s"]);
  expect(skipped).toEqual([
    "two.x.y: mutating webhooks are not called",
    "one.x.y: its matchConditions are not evaluated: it is called as if they matched",
  ]);
});
