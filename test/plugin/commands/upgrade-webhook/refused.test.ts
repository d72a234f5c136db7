/** What refuses a swap before its first write: nothing is written, and the finding says what to do. */
import { defaultNames } from "../../../../plugin/domain/names/names";
import { type ExitCode } from "../../../../plugin/domain/base/errors";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import type { ProbePair } from "../../../../plugin/domain/admission/probe";
import type { SwapOptions } from "../../../../plugin/commands/upgrade-webhook/read";
import {
  aDeployment,
  aNamespace,
  anEndpointSlice,
  aNewConfiguration,
  aSecret,
  aService,
  type ConfigurationChanges,
  ownerMarks,
  resourceOf,
  testCa,
} from "../../../support/builders";
import { applyNew, codesOf, expectWanted, Scene, type Start } from "./scene";
import { parseDocuments } from "../../../../plugin/adapters/kubernetes/text/yaml";
import type { Access } from "../../../../plugin/ports/kubernetes";
import { expectGolden } from "../../../support/golden";

const { group, version, edb, eaadb, erc } = defaultNames;
const guarded = [edb, eaadb, erc].map(({ plural }) => plural);

function ownPair(namespace: string): ProbePair {
  const object = (spec: object): KubeObject => ({
    apiVersion: `${group}/${version}`,
    kind: edb.kind,
    metadata: { name: "mine", namespace },
    spec,
  });
  const denies = [{ what: "a bad version", object: object({ engineVersion: "0.0" }) }];
  const resource = resourceOf(edb);
  return { kind: edb.kind, resource, accept: object({}), denies };
}

/** The rules of a newer release. */
function rules(changes: Readonly<Record<string, unknown>>) {
  const operations = ["CREATE", "UPDATE"];
  const apiVersions = [version];
  return {
    entry: {
      rules: [{ apiGroups: [group], apiVersions, operations, resources: guarded, ...changes }],
    },
  };
}

/** A configuration beside the two that a swap knows, with an entry as the new one has it. */
function beside(changes: ConfigurationChanges = {}, name = "made-by-olm"): KubeObject {
  const object = aNewConfiguration(changes);
  return { ...object, metadata: { ...object.metadata, name } };
}
function mutating(one: KubeObject): KubeObject {
  return { ...one, kind: "MutatingWebhookConfiguration" };
}

const byOlm = { metadata: ownerMarks.OLM };
const byHelm = { metadata: ownerMarks.Helm };
const olmService = {
  clientConfig: {
    service: { name: "operator-service", namespace: "engine", path: "/admission" },
    caBundle: testCa,
  },
};
const byLabel = (value: string) => ({ namespaceSelector: { matchLabels: { team: value } } });

interface Row {
  readonly name: string;
  readonly start: Start;
  /** A third configuration. */
  readonly beside?: KubeObject;
  readonly around?: readonly KubeObject[];
  /** A Service of the operator's namespace that is there too. */
  readonly service?: string;
  readonly options?: Partial<SwapOptions>;
  readonly code: ExitCode;
  readonly errors: readonly string[];
  readonly says: readonly string[];
}

const rows: readonly Row[] = [
  {
    name: "the live entry guards more resources",
    start: { new: rules({ resources: [...guarded, "engineenterpriseacls"] }) },
    code: 3,
    errors: ["WEBHOOK-LOSES-RULES"],
    says: [`engineenterpriseacls.${group} (CREATE, UPDATE)`, "--take-template-rules"],
  },
  {
    name: "the live entry guards more operations",
    start: { new: rules({ operations: ["*"] }) },
    code: 3,
    errors: ["WEBHOOK-LOSES-RULES"],
    says: [`${edb.plural}.${group} (DELETE, CONNECT)`],
  },
  {
    name: "the live entry guards more groups",
    start: { new: rules({ apiGroups: [group, "batch"] }), old: true },
    code: 3,
    errors: ["WEBHOOK-LOSES-RULES"],
    says: [`${edb.plural}.batch (CREATE, UPDATE)`],
  },
  {
    name: "the live entry guards more, and its CA is empty",
    start: { new: { ...rules({ operations: ["CREATE", "UPDATE", "DELETE"] }), caBundle: "" } },
    code: 3,
    errors: ["WEBHOOK-LOSES-RULES"],
    says: [`${erc.plural}.${group} (DELETE)`],
  },
  {
    name: "OLM has made its own configuration, and there is none of ours",
    start: {},
    beside: beside(byOlm),
    code: 5,
    errors: ["WEBHOOK-OWNED"],
    says: ["OLM owns it", "check every edit twice", "InstallPlan"],
  },
  {
    name: "OLM's calls the Service that OLM has made, under the same entry name",
    start: { old: true },
    beside: beside({ ...byOlm, entry: olmService }),
    service: "operator-service",
    code: 5,
    errors: ["WEBHOOK-OWNED"],
    says: ["OLM owns it"],
  },
  {
    name: "OLM's is left, and the Service that it calls is gone",
    start: { new: true },
    beside: beside({ ...byOlm, entry: olmService }),
    code: 3,
    errors: ["WEBHOOK-LEFTOVER"],
    says: [
      "Service engine/operator-service",
      "> ",
      "&& kubectl delete validatingwebhookconfiguration",
    ],
  },
  {
    name: "a chart's is left, and the namespace that it calls is gone",
    start: { old: true },
    beside: beside({ ...byHelm, namespace: "retired" }),
    code: 3,
    errors: ["WEBHOOK-LEFTOVER"],
    says: ["namespace retired", "marks of Helm"],
  },
  {
    name: "a chart's calls the same Service under another entry name",
    start: { new: true },
    beside: beside({ ...byHelm, entry: { name: "chart.admission.engine" } }),
    code: 5,
    errors: ["WEBHOOK-OWNED"],
    says: ["Helm owns it", "helm upgrade"],
  },
  {
    name: "a mutating one is left, and the namespace that it calls is gone",
    start: { new: true },
    beside: mutating(beside({ namespace: "retired", entry: { name: "proxy.example.com" } })),
    code: 3,
    errors: ["WEBHOOK-LEFTOVER"],
    says: ["namespace retired", "kubectl delete mutatingwebhookconfiguration made-by-olm"],
  },
  {
    name: "one of a policy engine is left, whose Service is gone and whose namespace is not",
    start: { old: true },
    beside: beside({ namespace: "gate", entry: { name: "policy.example.com" } }),
    around: [aNamespace("gate")],
    code: 3,
    errors: ["WEBHOOK-LEFTOVER"],
    says: ["Service gate/admission", "kubectl delete validatingwebhookconfiguration"],
  },
  {
    name: "one for labeled namespaces is left, and the operator's has the label",
    start: { old: true },
    beside: beside({ namespace: "retired", entry: { name: "a.example.com", ...byLabel("a") } }),
    around: [aNamespace("engine", { team: "a" })],
    code: 3,
    errors: ["WEBHOOK-LEFTOVER"],
    says: ["namespace retired"],
  },
  {
    name: "a conflict and a loss: the conflict counts",
    start: { new: rules({ operations: ["*"] }) },
    beside: beside(byOlm),
    code: 5,
    errors: ["WEBHOOK-OWNED", "WEBHOOK-LOSES-RULES"],
    says: ["OLM owns it"],
  },
  {
    name: "nobody's has an entry of the same name for every namespace",
    start: {},
    beside: beside(),
    code: 3,
    errors: ["PROBE-AMBIGUOUS"],
    says: [defaultNames.webhook.entry, "--no-probe"],
  },
  {
    name: "nobody's has an entry of the same name for the namespace of a pair of one's own",
    start: { old: true },
    beside: beside(),
    options: { probePair: ownPair("engine") },
    code: 3,
    errors: ["PROBE-AMBIGUOUS"],
    says: ["delete that configuration"],
  },
];

describe("nothing is written where", () => {
  test.each(rows.map((row) => [row.name, row] as const))("%s", async (_name, row) => {
    const scene = new Scene(row.start);
    if (row.beside !== undefined) scene.world.put(row.beside);
    for (const one of row.around ?? []) scene.world.put(one);
    if (row.service !== undefined) {
      const metadata = { name: row.service, namespace: "engine" };
      scene.world.put({ apiVersion: "v1", kind: "Service", metadata });
    }
    const before = [scene.live(), scene.old()];

    const report = await scene.run(row.options);

    expect(report.exit).toMatchObject({ code: row.code });
    const errors = report.findings?.filter(({ severity }) => severity === "error") ?? [];
    expect(errors.map(({ code }) => code)).toEqual(row.errors);
    const text = errors.map(({ cause, fix }) => `${cause} ${fix}`).join(" ");
    for (const part of row.says) expect(text).toContain(part);
    expect(scene.cluster.written).toEqual([]);
    expect([scene.live(), scene.old()]).toEqual(before);
  });
});

test("one that is left for other namespaces is only mentioned", async () => {
  const scene = new Scene({ old: true });
  scene.world.put(
    beside({ namespace: "retired", entry: { name: "a.example.com", ...byLabel("a") } }),
  );
  for (const one of [aNamespace("engine"), aNamespace("team-a", { team: "a" })]) {
    scene.world.put(one);
  }
  const report = await scene.run();
  expect(report.exit.code).toBe(0);
  expect(codesOf(report)).toEqual(["WEBHOOK-LEFTOVER"]);
  expect(report.findings?.[0]).toMatchObject({
    severity: "warning",
    cause: expect.stringContaining("its namespaceSelector") as string,
  });
});

test("--take-template-rules takes them away, and says which", async () => {
  const scene = new Scene({ new: rules({ resources: [...guarded, "engineenterpriseacls"] }) });
  const report = await scene.run({ takeTemplateRules: true });
  expect(report.exit.code).toBe(0);
  expect(scene.cluster.written).toEqual([applyNew]);
  expect(codesOf(report)).toEqual(["WEBHOOK-LOSES-RULES"]);
  expect(report.findings?.[0]).toMatchObject({ severity: "warning" });
  expectWanted(scene);
});

test("the old configuration's operations are never counted as lost", async () => {
  const scene = new Scene({ old: rules({ operations: ["*"], resources: ["*"] }) });
  expect((await scene.run()).exit.code).toBe(0);
  expectWanted(scene);
});

test.each([
  ["OLM's", { labels: { "olm.owner": "x.v1", "olm.owner.namespace": "engine" } }],
  ["Helm's", { annotations: { "meta.helm.sh/release-namespace": "retired" } }],
])("%s mark forbids nothing where what made it is gone", async (_, metadata) => {
  const scene = new Scene({ new: { metadata, caBundle: "" } });
  const report = await scene.run();
  expect([report.exit.code, scene.cluster.written]).toEqual([0, [applyNew]]);
  expect(report.findings).toMatchObject([{ code: "WEBHOOK-OWNED", severity: "warning" }]);
});

test("one that carries the entry with another CA is to be saved and deleted, as check says", async () => {
  const scene = new Scene({ new: true });
  scene.world.put(beside({ caBundle: "" }));
  const report = await scene.run({ probe: false });
  expect([report.exit.code, scene.cluster.written]).toEqual([0, []]);
  const [found] = report.findings ?? [];
  expect(found).toMatchObject({ code: "WEBHOOK-OTHER-CONFIGURATION", severity: "warning" });
  expect(found?.fix).toContain("kubectl delete validatingwebhookconfiguration made-by-olm");
});

test("what else is asked and may not be read refuses nothing", async () => {
  const scene = new Scene({ new: true });
  scene.world.put(beside({ namespace: "gate", entry: { name: "a.example.com", ...byLabel("a") } }));
  scene.world.put(mutating(beside({ namespace: "retired" })));
  const refused = lacking("list mutatingwebhookconfigurations", "get services");
  scene.world.lacks = (access) => refused(access) && access.namespace !== "engine";
  expect((await scene.run({ probe: false })).exit.code).toBe(0);
});

describe("an entry of the same name beside ours does no harm where", () => {
  const selected = { ...byOlm, namespace: "other", entry: byLabel("other") };
  test.each<[string, KubeObject, Partial<SwapOptions>, readonly string[]]>([
    [
      "it is another operator's, for another namespace",
      beside(selected),
      {},
      ["WEBHOOK-OWNED", "WEBHOOK-ABSENT"],
    ],
    [
      "it is nobody's, and calls the same webhook for another namespace",
      beside({ entry: byLabel("other") }),
      {},
      ["WEBHOOK-OTHER-CONFIGURATION"],
    ],
    [
      "a pair of one's own is for a namespace that it does not select",
      beside({ entry: byLabel("other") }),
      { probePair: ownPair("engine") },
      ["WEBHOOK-OTHER-CONFIGURATION"],
    ],
    [
      "nothing is to be proven",
      beside(),
      { probe: false },
      ["WEBHOOK-OTHER-CONFIGURATION", "PROBE-SKIPPED"],
    ],
  ])("%s", async (_name, ...[object, options, codes]) => {
    const scene = new Scene();
    for (const one of [object, aNamespace("other", { team: "other" }), aService("other")]) {
      scene.world.put(one);
    }
    const report = await scene.run(options);
    expect(report.exit).toMatchObject({ code: 0 });
    expect(codesOf(report)).toEqual(codes);
    expect(scene.cluster.written).toEqual([applyNew]);
  });

  test("another namespace has no such entry: the probe goes there", async () => {
    const scene = new Scene();
    scene.world.put(aNamespace("engine", { team: "a" }));
    scene.world.put(aNamespace("team-b", { team: "b" }));
    scene.world.put(beside({ entry: byLabel("a") }));
    const report = await scene.run();
    expect(report.exit).toMatchObject({ code: 0 });
    const probed = scene.cluster.calls.filter(({ target }) => target.startsWith(edb.kind));
    expect(new Set(probed.map(({ target }) => target))).toEqual(
      new Set([`${edb.kind}/team-b/kubectl-engine-probe-1`]),
    );
  });
});

const configurations = "validatingwebhookconfigurations";

function lacking(...verbs: readonly string[]): (access: Access) => boolean {
  return ({ verb, resource }) => verbs.includes(`${verb} ${resource}`);
}

describe("a permission that the plan needs is missing: 4, and nothing is written", () => {
  test.each<[string, Start, readonly string[]]>([
    ["to patch, where the new one is absent", { old: true }, [`patch ${configurations}`]],
    ["to create, where the new one is absent", { old: true }, [`create ${configurations}`]],
    ["to delete the old one", { old: true }, [`delete ${configurations}`]],
    ["to patch a live one", { new: { caBundle: "" } }, [`patch ${configurations}`]],
    ["to put the old one back", { old: true, new: true }, [`create ${configurations}`]],
    ["to read the Secret", { old: true }, ["get secrets"]],
    ["to list the configurations", { old: true }, [`list ${configurations}`]],
    ["to send the probe", { old: true }, ["create engineenterprisedatabases"]],
    [
      "to send the probe of another kind",
      { old: true },
      ["create engineenterpriseactiveactivedatabases"],
    ],
  ])("%s", async (_title, start, verbs) => {
    const scene = new Scene(start);
    scene.world.lacks = lacking(...verbs);
    const report = await scene.run();
    expect(report.exit).toMatchObject({ code: 4, next: expect.any(String) as string });
    expect(scene.cluster.written).toEqual([]);
    for (const verb of verbs) {
      expect(report.permissions?.missing.some((line) => line.startsWith(verb))).toBe(true);
    }
  });

  test("the roles to ask for hold everything, the writes that would come later included", async () => {
    const scene = new Scene({ old: true });
    scene.world.lacks = lacking("get secrets", `delete ${configurations}`);
    const report = await scene.run();
    expectGolden("upgrade-webhook/permission.json", report);
    const roles = parseDocuments(report.permissions?.manifest ?? "", "manifest");
    expect(roles.map((role) => (role as { kind: string }).kind).sort()).toEqual([
      "ClusterRole",
      "ClusterRoleBinding",
      "Role",
      "RoleBinding",
    ]);
  });
});

describe("a permission that the plan does not need is not asked for:", () => {
  test.each<[string, Start, string]>([
    ["to write anything, where all is up to date", { new: true }, "patch create delete update"],
    ["to create, where a live one is repaired", { new: { caBundle: "" } }, "create delete"],
  ])("%s", async (_title, start, verbs) => {
    const scene = new Scene(start);
    scene.world.lacks = ({ verb, resource }) =>
      resource === configurations && verbs.split(" ").includes(verb);
    expect((await scene.run()).exit.code).toBe(0);
  });
});

const gone: Readonly<Record<string, (scene: Scene) => void>> = {
  "NAMESPACE-MISSING": ({ world }) => {
    world.drop("Namespace", "engine");
  },
  "WEBHOOK-SERVICE-MISSING": ({ world }) => {
    world.drop("Service", "admission", "engine");
  },
  "WEBHOOK-NO-ENDPOINTS": ({ world }) => {
    world.put(anEndpointSlice("engine", false));
  },
  "OPERATOR-NOT-READY": ({ world }) => {
    world.put(aDeployment("engine", 0));
  },
};

describe("stops with 3, and nothing is written:", () => {
  test.each(Object.entries(gone))("%s", async (code, take) => {
    const scene = new Scene({ old: true });
    take(scene);
    const report = await scene.run();
    expect(report.exit).toMatchObject({ code: 3, next: expect.any(String) as string });
    expect(codesOf(report)).toEqual([code]);
    expect(scene.cluster.written).toEqual([]);
  });

  test("the endpoint slices are not served at all", async () => {
    const scene = new Scene({ old: true });
    const { cluster } = scene;
    const listed = cluster.list.bind(cluster);
    cluster.list = async (resource, options) =>
      resource.kind === "EndpointSlice" ? undefined : await listed(resource, options);
    expect(codesOf(await scene.run())).toEqual(["WEBHOOK-NO-ENDPOINTS"]);
    expect(cluster.written).toEqual([]);
  });

  test("the Secret does not come within --wait-secret", async () => {
    const scene = new Scene({ old: true });
    scene.world.drop("Secret", "admission-tls", "engine");
    const report = await scene.run({ waitSecretMs: 1_200 });
    expect(report.exit.code).toBe(3);
    expect(codesOf(report)).toEqual(["SECRET-MISSING"]);
    expect(scene.clock.sleeps.reduce((sum, ms) => sum + ms)).toBeLessThanOrEqual(1_200);
    expect(scene.cluster.written).toEqual([]);
    expect(scene.events).toContainEqual({
      type: "waiting",
      on: "Secret/engine/admission-tls: to be created",
      seconds: 1,
    });
  });
});

describe("waits", () => {
  test("for the Secret, which may come late", async () => {
    const scene = new Scene({ old: true });
    scene.world.drop("Secret", "admission-tls", "engine");
    scene.clock.beforeSleep = () => {
      if (scene.clock.sleeps.length === 20) scene.world.put(aSecret("engine"));
    };
    expect((await scene.run()).exit.code).toBe(0);
  });

  test.each(Object.entries(gone).filter(([code]) => code !== "NAMESPACE-MISSING"))(
    "with --wait until %s is over",
    async (_code, take) => {
      const scene = new Scene({ old: true });
      take(scene);
      scene.clock.beforeSleep = () => {
        if (scene.clock.sleeps.length !== 10) return;
        scene.world.put(aService("engine"));
        scene.world.put(anEndpointSlice("engine"));
        scene.world.put(aDeployment("engine"));
      };
      expect((await scene.run({ wait: true })).exit.code).toBe(0);
    },
  );

  test("with --wait no longer than --timeout: 124, and nothing is written", async () => {
    const scene = new Scene({ old: true });
    scene.world.put(aDeployment("engine", 0));
    const report = await scene.run({ wait: true, timeoutMs: 5_000 });
    expect(report.exit).toMatchObject({ code: 124, next: expect.any(String) as string });
    expect(report.exit.reason).toContain("timed out waiting: Deployment/engine/");
    expect(scene.cluster.written).toEqual([]);
  });

  test("not for a namespace", async () => {
    const scene = new Scene({ old: true });
    scene.world.drop("Namespace", "engine");
    expect((await scene.run({ wait: true })).exit.code).toBe(3);
    expect(scene.clock.sleeps).toEqual([]);
  });

  test("only until it is interrupted", async () => {
    const scene = new Scene({ old: true });
    scene.world.drop("Secret", "admission-tls", "engine");
    scene.clock.beforeSleep = () => {
      scene.interrupt();
    };
    const report = await scene.run();
    expect(report.exit.code).toBe(130);
    expect(report.exit.reason).toBe("interrupted by SIGINT; nothing was written");
  });
});

describe("namespaces of the found configurations", () => {
  test("a cluster that serves no webhook configurations has none", async () => {
    const scene = new Scene();
    const { cluster } = scene;
    const listed = cluster.list.bind(cluster);
    cluster.list = async (resource, options) =>
      resource.kind === "ValidatingWebhookConfiguration"
        ? undefined
        : await listed(resource, options);
    expect(codesOf(await scene.run())).toEqual(["WEBHOOK-ABSENT"]);
  });
});
