import { generatePair, type KeyPair } from "../../../../plugin/adapters/certificate";
import {
  ApiError,
  type EngineError,
  exitCodes,
  PermissionError,
  UnavailableError,
} from "../../../../plugin/domain/base/errors";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { createCertificate } from "../../../../plugin/commands/cert/create";
import type { CreateOptions } from "../../../../plugin/commands/cert/plan";
import type { Report } from "../../../../plugin/kernel/report";
import { aClusterServiceVersion, olmDefinitions } from "../../../support/olm";
import { aSecret, aWorld, names, now, refusal } from "./world";

let first: KeyPair;
let second: KeyPair;

beforeAll(async () => {
  const request = { namespace: "engine", names, now };
  [first, second] = await Promise.all([generatePair(request), generatePair(request)]);
});

type World = ReturnType<typeof aWorld>;
type Row = [string, (world: World) => void, Partial<CreateOptions>, number, string];
const saved = "admission-tls-20260615-120000-abcdef";
const restore = `kubectl engine cert create --replace --from-secret ${saved} -n engine`;

const run = (world: World, changes: Partial<CreateOptions> = {}) => {
  const options: CreateOptions = {
    ...{ runId: "20260615-120000-ABCDEF", fieldManager: "kubectl-engine", years: 5 },
    ...{ dryRun: "none", replace: false, ...changes },
  };
  const { runId: id, dryRun } = options;
  const deps = world.deps("CertCreate", { id, startedAt: "2026-06-15T12:00:00Z", dryRun });
  return createCertificate(deps, options);
};

const secretWith = (metadata: Partial<KubeObject["metadata"]>): KubeObject =>
  aSecret(second, { metadata: { name: "admission-tls", namespace: "engine", ...metadata } });

const reference = (apiVersion: string, kind: string, name: string) => ({
  ownerReferences: [
    { apiVersion, kind, name, uid: "u1", controller: kind !== "ClusterServiceVersion" },
  ],
});
const wrote = (manager: string) => ({
  manager,
  operation: "Update",
  fieldsV1: { "f:data": { ".": {}, "f:cert": {}, "f:privateKey": {} } },
});

/** The release of OLM that a Secret may refer to. */
const release = aClusterServiceVersion("1.0.0", "Succeeded", "engine.v1");

/** A controller's signs, and its name in the finding. */
const kept: readonly (readonly [string, Partial<KubeObject["metadata"]>, string])[] = [
  ["OLM", { labels: { "olm.managed": "true" } }, "OLM"],
  [
    "OLM by its ClusterServiceVersion",
    reference("operators.coreos.com/v1alpha1", "ClusterServiceVersion", "engine.v1"),
    "ClusterServiceVersion/engine.v1",
  ],
  [
    "an ExternalSecret",
    reference("external-secrets.io/v1", "ExternalSecret", "shop"),
    "ExternalSecret/shop",
  ],
  [
    "External Secrets by its label",
    { labels: { "reconcile.external-secrets.io/created-by": "a1" } },
    "External Secrets",
  ],
  [
    "External Secrets by its manager",
    { managedFields: [wrote("externalsecrets.external-secrets.io/shop")] },
    "External Secrets",
  ],
  [
    "cert-manager by its annotation",
    { annotations: { "cert-manager.io/certificate-name": "shop" } },
    "cert-manager",
  ],
  [
    "a controller that nobody knows",
    reference("secrets.example.com/v1", "PairMaker", "p1"),
    "PairMaker/p1",
  ],
  [
    "Argo CD beside a chart",
    {
      labels: { "app.kubernetes.io/managed-by": "Helm" },
      annotations: { "argocd.argoproj.io/tracking-id": "x:/Secret:engine/admission-tls" },
    },
    "Argo CD",
  ],
  ["Flux by its manager", { managedFields: [wrote("kustomize-controller")] }, "Flux"],
  ["Fleet", { annotations: { "objectset.rio.cattle.io/id": "x" } }, "Fleet"],
];

/** Others that wrote the pair and do not keep it: signs, and their names in the warning. */
const written: readonly (readonly [string, Partial<KubeObject["metadata"]>, string])[] = [
  ["a chart", { labels: { "app.kubernetes.io/managed-by": "Helm" } }, "Helm"],
  [
    "a chart by both signs",
    { labels: { "app.kubernetes.io/managed-by": "Helm" }, managedFields: [wrote("helm")] },
    "helm",
  ],
  ["a script", { managedFields: [wrote("terraform"), wrote("kubectl-create")] }, "terraform"],
  [
    "the operator, whose Deployment owns it",
    {
      ...reference("apps/v1", "Deployment", "engine-enterprise-operator"),
      managedFields: [wrote("admission-server"), { manager: "kubelet" }],
    },
    "admission-server",
  ],
  [
    "the operator, for its EC",
    { ...reference("app.engine.com/v1", "EC", "ec"), managedFields: [wrote("manager")] },
    "manager",
  ],
];

const stepsOf = ({ steps = [] }: Report): readonly string[] =>
  steps.map(({ id, object, result }) => `${id} ${object} ${result}`);

function expectNoKey(world: World, report: Report): void {
  const said = JSON.stringify([report, world.events, world.lines]);
  for (const { keyPem } of [first, second]) {
    const [, line = "?"] = keyPem.split("\n");
    expect(said).not.toContain(line);
    expect(said).not.toContain(Buffer.from(keyPem).toString("base64").slice(60, 120));
  }
}

const read = "cert.read Secret/engine/admission-tls done";

test.each<[string, Partial<KubeObject["metadata"]>]>([
  ["a reference", reference("operators.coreos.com/v1alpha1", "ClusterServiceVersion", "engine.v1")],
  ["labels", { labels: { "olm.managed": "true", "olm.owner": "engine.v1" } }],
])("a pair with %s of a release of OLM that is gone is replaced", async (_, metadata) => {
  const world = aWorld([first]);
  for (const definition of olmDefinitions) world.put(definition);
  world.put(secretWith(metadata));
  const report = await run(world, { replace: true });
  expect(report.exit.code).toBe(0);
  expect(world.sent()).toEqual([`create ${saved}`, "update admission-tls"]);
});

test("a reference to what is gone goes with the write, since the Secret would be deleted", async () => {
  const world = aWorld([first]);
  world.put(secretWith(reference("v1", "ConfigMap", "made-by")));
  const report = await run(world, { replace: true });
  expect(report.exit.code).toBe(0);
  const stored = world.secret("admission-tls");
  const copy = world.secret(saved.replace(/^.*\//, ""));
  expect(stored?.metadata.ownerReferences ?? []).toEqual([]);
  expect(JSON.stringify(copy?.metadata)).not.toContain("made-by");
  expect(JSON.stringify(report.steps)).toContain("ConfigMap/made-by does not exist");
});

test.each(written)("a pair that %s wrote is replaced after a question", async (...row) => {
  const [, metadata, name] = row;
  const world = aWorld([first]);
  world.put(secretWith(metadata));
  const report = await run(world, { replace: true });
  expect(report.exit.code).toBe(0);
  expect(world.asked).toEqual([
    `Secret/engine/admission-tls was written by ${name}, which may write it again: replace it (a copy is kept)?`,
  ]);
  expect(report.findings).toMatchObject([{ code: "SECRET-MANAGED", severity: "warning" }]);
  expect(world.sent()).toEqual([`create ${saved}`, "update admission-tls"]);
});

test("a Secret that cannot be updated is asked about once, others that wrote it named", async () => {
  const world = aWorld([first]);
  world.put({ ...secretWith({ managedFields: [wrote("terraform")] }), immutable: true });
  await run(world, { replace: true });
  expect(world.asked).toEqual([
    "Secret/engine/admission-tls was written by terraform, which may write it again, and cannot be updated in place: delete it (a copy is kept) and recreate it?",
  ]);
});

test("a mark can outlive its controller: the way on says which one to take off", async () => {
  const world = aWorld([first]);
  world.put(secretWith({ annotations: { "cert-manager.io/certificate-name": "shop" } }));
  const report = await run(world, { replace: true });
  expect(report.exit.next).toContain(
    "where cert-manager is gone, take the annotation cert-manager.io/certificate-name off the Secret",
  );
});

describe("where there is no Secret", () => {
  test("a pair is written in the form of the specification, read back and reported", async () => {
    const world = aWorld([first]);

    const report = await run(world);

    expect(report.exit).toEqual({
      code: 0,
      reason: "Secret/engine/admission-tls is created",
      next: expect.stringContaining("kubectl engine upgrade-webhook -n engine") as unknown,
    });
    expect(stepsOf(report)).toEqual([read, "cert.write Secret/engine/admission-tls created", read]);
    expect(world.secret("admission-tls")).toMatchObject({
      metadata: { labels: { app: "engine-enterprise" } },
      ...{ type: "Opaque", data: aSecret(first)["data"] },
    });
    expect(report.certificate).toMatchObject({
      secret: "engine/admission-tls",
      notAfter: "2031-06-15T12:00:00Z",
      san: expect.arrayContaining(["admission.engine.svc"]) as unknown,
    });
    expect(report).toMatchObject({
      kind: "CertCreate",
      target: { server: "https://127.0.0.1:6443", namespace: "engine" },
      run: { dryRun: "none" },
      findings: [],
    });
    expectNoKey(world, report);
  });

  test("a dry run needs no home: what is wrong with it is a warning", async () => {
    const world = aWorld([first]);
    world.journal.problem = "the home is read-only";
    const report = await run(world, { dryRun: "client" });
    expect([report.exit.code, world.sent(), world.lines]).toEqual([0, [], []]);
    expect(report.findings).toMatchObject([{ code: "HOME-NOT-WRITABLE", severity: "warning" }]);
  });

  test.each<[string, EngineError, number, string]>([
    [
      "the namespace does not exist",
      refusal(404, "NotFound"),
      exitCodes.blocked,
      "Secret/engine/admission-tls cannot be written: its namespace does not exist",
    ],
    [
      "the namespace is being deleted",
      refusal(403, "Forbidden", "NamespaceTerminating"),
      exitCodes.blocked,
      "Secret/engine/admission-tls cannot be written: its namespace is being deleted",
    ],
    [
      "someone else was faster",
      refusal(409, "AlreadyExists"),
      exitCodes.conflict,
      "Secret/engine/admission-tls was changed or deleted by someone else since it was read",
    ],
    [
      "an admission refuses",
      refusal(422, "Invalid"),
      exitCodes.failed,
      "Secret/engine/admission-tls was refused by the API server (422 Invalid); its words are not shown, they may quote the private key",
    ],
    [
      "the credentials have expired",
      new PermissionError("not logged in"),
      exitCodes.permission,
      "not logged in",
    ],
  ])("%s: the report says so", async (_name, ...[error, code, reason]) => {
    const world = aWorld([first]);
    world.beforeWrites(() => {
      throw error;
    });

    const report = await run(world);

    expect(report.exit).toEqual({ code, reason, next: expect.any(String) as unknown });
    expect(stepsOf(report)).toEqual([read, "cert.write Secret/engine/admission-tls failed"]);
    expect(world.lines).toMatchObject([
      { type: "intent" },
      { type: "outcome", result: expect.stringMatching(/^failed/) as unknown },
    ]);
    expectNoKey(world, report);
  });

  test("what is no expected error continues", async () => {
    const world = aWorld([first]);
    world.beforeWrites(() => {
      throw new TypeError("a bug");
    });

    await expect(run(world)).rejects.toThrow(TypeError);
  });

  test("a Secret that reads back otherwise is a conflict", async () => {
    const world = aWorld([first]);
    world.afterWrites(() => world.put(aSecret(second)));

    expect((await run(world)).exit).toMatchObject({
      code: 5,
      reason: expect.stringContaining("does not read back as written") as unknown,
    });
  });

  test("a Secret that cannot be read back is said to be written", async () => {
    const world = aWorld([first]);
    world.beforeReads(() => {
      if (world.sent().length === 0) return;
      throw new UnavailableError("no answer in time");
    });

    expect((await run(world)).exit).toMatchObject({
      code: 69,
      reason: "Secret/engine/admission-tls is written, but was not read back: no answer in time",
      next: "check whether it is in place with: kubectl engine cert inspect -n engine",
    });
  });

  test("a Secret that is gone again at once is a conflict", async () => {
    const world = aWorld([first]);
    world.afterWrites((_verb, name) => {
      world.world.drop("Secret", name, "engine");
    });

    expect((await run(world)).exit.code).toBe(5);
  });
});

describe("nothing is written", () => {
  test.each<Row>([
    [
      "where there is a Secret and --replace was not given",
      ({ put }) => put(aSecret(second)),
      {},
      5,
      "Secret/engine/admission-tls exists already; nothing was written",
    ],
    [
      "where there is another Secret than the one to put back, without --replace",
      ({ put }) => {
        put(aSecret(second));
        put(aSecret(first, { metadata: { name: "other", namespace: "engine" } }));
      },
      { fromSecret: "other" },
      5,
      "Secret/engine/admission-tls exists already; nothing was written",
    ],
    [
      "when permissions are missing",
      ({ deny }) => {
        deny("create", "get");
      },
      { fromSecret: "other" },
      4,
      'permissions are missing: get secrets "admission-tls" in namespace engine, create secrets in namespace engine, get secrets "other" in namespace engine',
    ],
    [
      "when the permission to delete an immutable Secret is missing",
      ({ deny, put }) => {
        deny("delete");
        put(aSecret(second, { immutable: true }));
      },
      { replace: true },
      4,
      'permissions are missing: delete secrets "admission-tls" in namespace engine',
    ],
    [
      "when the deletion of an immutable Secret is not confirmed",
      ({ put, journal }) => {
        put(aSecret(second, { immutable: true }));
        journal.answer = false;
      },
      { replace: true },
      2,
      "cancelled; nothing was written",
    ],
    ...kept.map(([title, metadata, keeper]): Row => [
      `when ${title} keeps the Secret`,
      ({ put }) => {
        for (const object of [...olmDefinitions, release]) put(object);
        put(secretWith(metadata));
      },
      { replace: true },
      5,
      `Secret/engine/admission-tls: ${keeper} keeps the Secret and would write the pair before back at once`,
    ]),
    [
      "when another manager wrote the pair, and nobody confirms",
      ({ put, journal }) => {
        put(secretWith({ managedFields: [wrote("admission-server")] }));
        journal.answer = false;
      },
      { replace: true },
      2,
      "cancelled; nothing was written",
    ],
    [
      "when no record can be kept",
      ({ journal }) => (journal.problem = "cannot keep a record"),
      {},
      2,
      "cannot keep a record",
    ],
    [
      "when it was interrupted before",
      ({ controller }) => {
        controller.abort(new PermissionError("stopped"));
      },
      {},
      4,
      "stopped",
    ],
    [
      "when the Secret is to be put back from itself",
      () => {},
      { fromSecret: "admission-tls" },
      2,
      "--from-secret admission-tls: that is the Secret to be written",
    ],
    [
      "when the Secret to take the pair from does not exist",
      () => {},
      { fromSecret: "gone" },
      2,
      "there is no Secret gone in namespace engine",
    ],
    [
      "when the Secret to take the pair from is unfit",
      ({ put }) =>
        put(
          aSecret(first, {
            metadata: { name: "other", namespace: "engine" },
            data: { "tls.crt": aSecretData(first, "cert") },
          }),
        ),
      { fromSecret: "other" },
      3,
      "Secret/engine/other: the secret holds 1 item (cert), not the two items cert, privateKey",
    ],
  ])("%s", async (_name, ...[prepare, changes, code, reason]) => {
    const world = aWorld([first]);
    prepare(world);

    const report = await run(world, changes);

    expect(report.exit).toEqual({ code, reason, next: expect.stringMatching(/./) as unknown });
    expect(world.sent()).toEqual([]);
    expectNoKey(world, report);
  });
});

function aSecretData(pair: KeyPair, item: string): unknown {
  return (aSecret(pair)["data"] as Record<string, unknown>)[item];
}

describe("an existing Secret, with --replace", () => {
  const labeled = (changes: Partial<KubeObject> = {}): KubeObject =>
    aSecret(first, {
      metadata: {
        name: "admission-tls",
        namespace: "engine",
        labels: { team: "data" },
        annotations: {
          note: "ours",
          "kubectl.kubernetes.io/last-applied-configuration": '{"data":{}}',
        },
        ownerReferences: [{ apiVersion: "example.com/v1", kind: "Thing", name: "t", uid: "u" }],
      },
      ...changes,
    });

  test("is saved in the cluster, then updated; its labels and owners stay", async () => {
    const world = aWorld([second]);
    const before = world.put(labeled());

    const report = await run(world, { replace: true });

    expect(report.exit.reason).toBe("Secret/engine/admission-tls is replaced");
    expect(world.sent()).toEqual([`create ${saved}`, "update admission-tls"]);
    expect(world.secret("admission-tls")).toMatchObject({
      metadata: {
        uid: before?.metadata.uid,
        labels: { team: "data" },
        annotations: { note: "ours" },
        ownerReferences: [{ kind: "Thing", name: "t", uid: "u" }],
      },
      data: aSecret(second)["data"],
    });
    expect(world.secret("admission-tls")?.metadata.annotations).toEqual({
      note: "ours",
    });
    expect(world.secret(saved)?.metadata).not.toHaveProperty("labels");
    expect(report.backups).toEqual([
      {
        object: "Secret/engine/admission-tls",
        holds: "while the copy is there, and its certificate is valid",
        file: `Secret/engine/${saved}`,
        command: restore,
      },
    ]);
    expect(world.asked).toEqual([]);
    expectNoKey(world, report);
  });

  test.each<[string, Partial<KubeObject>, readonly string[]]>([
    ["as it was", {}, ["update admission-tls"]],
    [
      "whatever its type and items were",
      { type: "custom", data: { a: "Yg==" }, immutable: true },
      ["delete admission-tls", "create admission-tls"],
    ],
  ])("is put back %s by the printed command", async (_name, changes, writes) => {
    const world = aWorld([second]);
    const before = world.put(labeled(changes));
    await run(world, { replace: true });
    world.cluster.calls.length = 0;

    const report = await run(world, { runId: "Later", replace: true, fromSecret: saved });

    expect(report.exit.code).toBe(0);
    expect(world.sent()).toEqual(["create admission-tls-later", ...writes]);
    const { data, type, metadata } = world.secret("admission-tls") as KubeObject;
    expect([data, type]).toEqual([before?.["data"], before?.["type"]]);
    expect(metadata).toMatchObject({
      labels: { team: "data" },
      annotations: { note: "ours" },
      ownerReferences: [{ kind: "Thing", name: "t", uid: "u" }],
    });
  });

  test("that already holds the pair is left alone", async () => {
    const world = aWorld([]);
    world.put(aSecret(first));
    world.put(aSecret(first, { metadata: { name: "other", namespace: "engine" } }));

    const report = await run(world, { fromSecret: "other" });

    expect(report.exit).toEqual({
      code: 0,
      reason: "Secret/engine/admission-tls holds this very pair already",
    });
    expect(report.certificate?.secret).toBe("engine/admission-tls");
    expect(world.sent()).toEqual([]);
  });

  test("takes a pair of type kubernetes.io/tls", async () => {
    const world = aWorld([]);
    world.put(
      aSecret(second, {
        metadata: { name: "tls", namespace: "engine" },
        type: "kubernetes.io/tls",
        data: {
          "tls.crt": aSecretData(second, "cert"),
          "tls.key": aSecretData(second, "privateKey"),
          "ca.crt": "",
        },
      }),
    );

    expect((await run(world, { fromSecret: "tls" })).exit.code).toBe(0);
    expect(world.secret("admission-tls")).toMatchObject({
      type: "Opaque",
      data: aSecret(second)["data"],
    });
  });

  test("put back from a copy whose annotations someone has edited has none", async () => {
    const world = aWorld([]);
    const annotations = {
      "engine.io/saved-from": "admission-tls",
      "engine.io/saved-metadata": "{",
    };
    world.put(aSecret(first, { metadata: { name: "copy", namespace: "engine", annotations } }));

    expect((await run(world, { fromSecret: "copy" })).exit.code).toBe(0);
    const { metadata } = world.secret("admission-tls") ?? {};
    expect(metadata).toMatchObject({ name: "admission-tls" });
    expect(metadata).not.toHaveProperty("labels");
    expect(metadata).not.toHaveProperty("annotations");
  });

  test("deleted since it was read is a conflict, not a missing namespace", async () => {
    const world = aWorld([second]);
    world.put(aSecret(first));
    world.beforeWrites((verb) => {
      if (verb === "update") world.world.drop("Secret", "admission-tls", "engine");
    });

    expect((await run(world, { replace: true })).exit.code).toBe(5);
  });
});

describe("a Secret that cannot be updated, with --replace", () => {
  const unfit: Partial<KubeObject> = { type: "custom" };

  test("is deleted and recreated after asking", async () => {
    const world = aWorld([second]);
    world.put(aSecret(first, unfit));

    const report = await run(world, { replace: true });

    expect(report.exit.code).toBe(0);
    expect(world.asked).toEqual([
      "Secret/engine/admission-tls cannot be updated in place: delete it (a copy is kept) and recreate it?",
    ]);
    expect(world.sent()).toEqual([
      `create ${saved}`,
      "delete admission-tls",
      "create admission-tls",
    ]);
    expect(world.secret("admission-tls")).toMatchObject({ type: "Opaque" });
  });

  test("is not deleted when it becomes so after it was read: nobody was asked", async () => {
    const world = aWorld([second]);
    world.put(aSecret(first));
    world.beforeWrites((verb) => {
      if (verb === "update") world.put(aSecret(first, unfit));
    });
    const report = await run(world, { replace: true });
    expect([report.exit.code, world.asked]).toEqual([5, []]);
    expect(world.sent()).toEqual([`create ${saved}`, "update admission-tls"]);
    expect(world.secret("admission-tls")).toMatchObject(unfit);
  });

  test.each([
    ["client", []],
    ["server", [`create ${saved} (dry run)`, "delete admission-tls (dry run)"]],
  ] as const)("is kept by a dry run %s, which does not ask", async (dryRun, writes) => {
    const world = aWorld([second]);
    world.put(aSecret(first, unfit));

    const report = await run(world, { replace: true, dryRun });

    expect(world.sent()).toEqual(writes);
    expect(world.asked).toEqual([]);
    expect(stepsOf(report).slice(1)).toEqual([
      `cert.save Secret/engine/${saved} planned`,
      "cert.delete Secret/engine/admission-tls planned",
      "cert.write Secret/engine/admission-tls planned",
    ]);
    expect(report).not.toHaveProperty("backups");
  });

  test("is put back when its successor is refused", async () => {
    const world = aWorld([second]);
    world.put(aSecret(first, unfit));
    let creations = 0;
    world.beforeWrites((verb, name) => {
      creations += verb === "create" && name === "admission-tls" ? 1 : 0;
      if (creations === 1) {
        creations += 1;
        throw refusal(422, "Invalid");
      }
    });

    const report = await run(world, { replace: true });

    expect(report.exit).toMatchObject({
      code: 7,
      reason: expect.stringContaining(
        "was put back: Secret/engine/admission-tls was refused",
      ) as unknown,
    });
    expect(world.secret("admission-tls")).toMatchObject({
      type: "custom",
      data: aSecret(first)["data"],
    });
  });

  test("that cannot be put back either is told with the command that does", async () => {
    const world = aWorld([second]);
    world.put(aSecret(first, unfit));
    world.beforeWrites((verb, name) => {
      if (verb === "create" && name === "admission-tls") throw refusal(422, "Invalid");
    });

    expect((await run(world, { replace: true })).exit).toMatchObject({
      code: 8,
      next: `put it back with: ${restore}`,
    });
  });

  test("is recreated although the record cannot be continued", async () => {
    const world = aWorld([second]);
    world.put(aSecret(first, unfit));
    world.beforeWrites((verb) => {
      world.journal.fails = verb === "delete" || world.journal.fails;
    });

    const report = await run(world, { replace: true });

    expect(report.exit.code).toBe(0);
    expect(world.events).toContainEqual({
      type: "note",
      text: "the outcome of apply Secret/engine/admission-tls is not in the record: the disk is full",
    });
  });

  test("is kept when the record cannot be begun", async () => {
    const world = aWorld([second]);
    world.put(aSecret(first, unfit));
    world.journal.fails = true;

    expect((await run(world, { replace: true })).exit).toMatchObject({
      code: 1,
      reason: "the disk is full",
    });
    expect(world.sent()).toEqual([]);
  });
});

describe("a write whose answer is lost is read back", () => {
  const unfit: Partial<KubeObject> = { type: "custom" };
  const lost = new UnavailableError("the connection was reset");

  /** What happens to the n-th write of a verb to the webhook's Secret; others go well. */
  const at =
    (verb: string, name: string, act: () => void): ((verb: string, name: string) => void) =>
    (sent, to) => {
      if (sent === verb && to === name) act();
    };
  const lose = (): never => {
    throw lost;
  };
  const target = "admission-tls";

  test.each<[string, Partial<KubeObject>, string, string]>([
    ["the deletion", unfit, "delete", target],
    ["the creation after a deletion", unfit, "create", target],
  ])("%s was done: the run continues as with an answer", async (_, ...[changes, verb, name]) => {
    const world = aWorld([second]);
    world.put(aSecret(first, changes));
    world.afterWrites(at(verb, name, lose));

    const report = await run(world, { replace: true });

    expect(report.exit).toMatchObject({
      code: 0,
      reason: "Secret/engine/admission-tls is replaced",
    });
    expect(world.secret(target)).toMatchObject(aSecret(second, { metadata: {} }));
    expect(world.sent().filter((write) => write === `${verb} ${name}`)).toHaveLength(1);
  });

  test.each<[string, Partial<KubeObject>, string, string]>([
    ["the deletion", unfit, "delete", target],
  ])(
    "%s was not done: the former pair is there, and the end is 69",
    async (_, ...[changes, verb, name]) => {
      const world = aWorld([second]);
      const before = world.put(aSecret(first, changes));
      world.beforeWrites(at(verb, name, lose));

      expect((await run(world, { replace: true })).exit.code).toBe(69);
      expect(world.secret(target)).toEqual(before);
    },
  );

  test("the creation after a deletion was not done: the former pair is put back", async () => {
    const world = aWorld([second]);
    world.put(aSecret(first, unfit));
    let creations = 0;
    world.beforeWrites(
      at("create", target, () => {
        creations += 1;
        if (creations === 1) lose();
      }),
    );

    expect((await run(world, { replace: true })).exit.code).toBe(7);
    expect(world.secret(target)).toMatchObject(aSecret(first, { ...unfit, metadata: {} }));
  });

  test("the creation is carried out only after the look for it: the pair is in place", async () => {
    const world = aWorld([second]);
    world.put(aSecret(first, unfit));
    let late: KubeObject | undefined;
    const create = world.cluster.create.bind(world.cluster);
    world.cluster.create = (object, options) => {
      if (object.metadata.name !== target) return create(object, options);
      if (late !== undefined) world.put(late);
      else {
        late = object;
        return Promise.reject(lost);
      }
      return create(object, options);
    };

    expect((await run(world, { replace: true })).exit.code).toBe(0);
    expect(world.secret(target)).toMatchObject(aSecret(second, { metadata: {} }));
  });

  test.each([["delete"], ["create"]])(
    "what a %s came to cannot be seen: both ways on are named, nothing more is written",
    async (verb) => {
      const world = aWorld([second]);
      world.put(aSecret(first, unfit));
      world.afterWrites(
        at(verb, target, () => {
          world.beforeReads(lose);
          lose();
        }),
      );

      const report = await run(world, { replace: true });

      expect(report.exit).toMatchObject({
        code: 69,
        reason: expect.stringMatching(/admission-tls may be missing: .* cannot be seen/) as unknown,
        next: `run the same command again when the API server answers, or put the former one back with: ${restore}`,
      });
      expect(world.sent().at(-1)).toBe(`${verb} ${target}`);
    },
  );
});

describe("a refusal that quotes the Secret", () => {
  const quoting = (pair: KeyPair, form: (key: string) => string): ApiError =>
    new ApiError(`admission webhook "keys.example.com" denied the request: ${form(pair.keyPem)}`, {
      status: 422,
      reason: "Invalid",
      causes: [{ field: "data", message: form(pair.keyPem) }],
    });

  test.each<[string, (key: string) => string]>([
    ["as PEM", (key) => key],
    ["as base64", (key) => Buffer.from(key).toString("base64")],
    ["as bytes", (key) => `[${[...Buffer.from(key)].join(" ")}]`],
  ])("%s: who refused is said, no word of it", async (_, form) => {
    for (const [verb, changes] of [
      ["create", { type: "custom" }],
      ["update", {}],
      ["delete", { type: "custom" }],
    ] as const) {
      const world = aWorld([second]);
      world.put(aSecret(first, changes));
      world.beforeWrites((sent, name) => {
        if (sent === verb && name === "admission-tls") throw quoting(second, form);
      });

      const report = await run(world, { replace: true });

      expect(report.exit.code).not.toBe(0);
      expect(report.exit.reason).toContain("refused by admission webhook keys.example.com");
      const said = JSON.stringify([report, world.events, world.lines]);
      expect(said).not.toContain(JSON.stringify(form(second.keyPem)).slice(40, 100));
    }
  });

  const policy = (form: string) =>
    `secrets "admission-tls" is forbidden: ${form}AdmissionPolicy 'team.keys' with binding 'all' denied request: no`;
  test.each<[string, number, string, string, string]>([
    [
      "a webhook",
      403,
      'admission webhook "keys.example.com" denied the request: no',
      "admission webhook keys.example.com",
      "change or remove the webhook keys.example.com",
    ],
    [
      "a webhook that is down",
      500,
      'Internal error occurred: failed calling webhook "keys.example.com": EOF',
      "the API server, because admission webhook keys.example.com does not answer",
      "repair or remove the webhook keys.example.com",
    ],
    [
      "a policy",
      422,
      policy("Validating"),
      "ValidatingAdmissionPolicy team.keys",
      "kubectl get validatingadmissionpolicy/team.keys validatingadmissionpolicybinding/all -o yaml",
    ],
    [
      "a policy that mutates",
      422,
      policy("Mutating"),
      "MutatingAdmissionPolicy team.keys",
      "kubectl get mutatingadmissionpolicy/team.keys mutatingadmissionpolicybinding/all -o yaml",
    ],
  ])("%s that refuses is named with its kind, and the advice is about it", async (...row) => {
    const [, status, message, by, advice] = row;
    const world = aWorld([first]);
    world.beforeWrites((verb) => {
      if (verb === "create") throw new ApiError(message, { status });
    });
    const { exit } = await run(world);
    expect(exit.code).not.toBe(0);
    expect(exit.reason).toContain(`refused by ${by} (`);
    expect(exit.next).toContain(advice);
  });
});
