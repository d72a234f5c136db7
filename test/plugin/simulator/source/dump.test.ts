import { dump as yaml } from "js-yaml";
import type { KubeObject } from "../../../../plugin/ports/kubernetes";
import type { Source } from "../../../../plugin/simulator/source/completion";
import { createRegistry } from "../../../../plugin/simulator/kinds/registry";
import { readDump } from "../../../../plugin/simulator/source/dump";
import { configMap, labels, namespaceA, options, problemsOf, read } from "./dumps";

const json = (value: unknown, indent = 0): string => JSON.stringify(value, null, indent);
const aList = (items: readonly unknown[]) => ({
  apiVersion: "v1",
  items,
  kind: "List",
  metadata: { resourceVersion: "" },
});
const database = (name: string, more: object = {}) => ({
  apiVersion: "app.engine.com/v1alpha1",
  kind: "EngineEnterpriseDatabase",
  metadata: { name, namespace: "a" },
  ...more,
});

/** Without the definitions that are added to every dump that has none. */
function found(source: Source): readonly string[] {
  return labels(source).filter((label) => !label.startsWith("CustomResourceDefinition"));
}

function stored({ objects }: Source, name: string): KubeObject | undefined {
  return objects.find(({ metadata }) => metadata.name === name);
}

const three = [namespaceA, configMap("x"), configMap("y")];
const wanted = ["Namespace a", "ConfigMap a/x", "ConfigMap a/y"];
const many = three.map((object) => yaml(object));

describe("what kubectl writes is read", () => {
  test.each([
    ["a list as YAML", yaml(aList(three))],
    ["a list as JSON", json(aList(three), 4)],
    ["several documents", many.join("---\n")],
    ["documents after a first marker", `---\n${many.join("---\n")}---\n`],
    ["empty documents", `---\n---\n# none\n---\n${many.join("---\n\n---\nnull\n---\n")}---\n...\n`],
    ["comments", `# a dump\n${many.map((one) => `# next\n${one}`).join("--- # another\n")}`],
    ["a byte order mark", `\uFEFF${many.join("---\n")}`],
    ["a byte order mark before each part", many.map((one) => `\uFEFF---\n${one}`).join("")],
    ["line ends of Windows", many.join("---\n").replaceAll("\n", "\r\n")],
    ["JSON, one after the other", three.map((one) => json(one, 4)).join("\n")],
    ["JSON, one in each line", three.map((one) => json(one)).join("\n")],
    ["JSON between markers", three.map((one) => json(one)).join("\n---\n")],
    ["YAML and JSON by turns", `${many[0] ?? ""}---\n${json(three[1])}\n---\n${many[2] ?? ""}`],
    [
      "YAML that begins like JSON",
      `{apiVersion: v1, kind: List, items: [${three.map((one) => json(one)).join()}]}\n`,
    ],
    ["lists in lists", json(aList([aList(three.slice(0, 2)), three[2]]))],
    ["directives", `%YAML 1.1\n---\n${many.join("---\n")}`],
  ])("%s", async (_name, text) => {
    expect(found(await read(text))).toEqual(wanted);
  });

  test("items of a typed list take what they lack from the list", async () => {
    const { apiVersion, kind, ...bare } = database("db");
    const source = await read(json({ apiVersion, kind: `${kind}List`, items: [bare] }));

    expect(stored(source, "db")).toEqual(database("db"));
  });

  test("an own kind whose name ends in List is an object", async () => {
    const crd = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "allowlists.x.io" },
      spec: {
        group: "x.io",
        scope: "Namespaced",
        names: { kind: "AllowList", plural: "allowlists" },
        versions: [{ name: "v1", served: true }],
      },
    };
    const own = {
      apiVersion: "x.io/v1",
      kind: "AllowList",
      metadata: { name: "l", namespace: "a" },
    };

    expect(found(await read(json(aList([crd, own]))))).toContain("AllowList a/l");
  });

  test("dates, and what else YAML would make of a text, stay text", async () => {
    const text =
      "apiVersion: v1\nkind: ConfigMap\n" +
      "metadata: {name: x, namespace: a, creationTimestamp: 2025-03-01T10:00:00Z}\n" +
      "data:\n  <<: &base {one: '1'}\n  __proto__: x\n";
    const object = stored(await read(text), "x");

    expect(object?.metadata["creationTimestamp"]).toBe("2025-03-01T10:00:00Z");
    expect(Object.entries(object?.["data"] as object)).toEqual([
      ["one", "1"],
      ["__proto__", "x"],
    ]);
  });

  test("an object that is being deleted is kept as it is", async () => {
    const dying = configMap("x", { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["f"] });

    expect(stored(await read(json(dying)), "x")).toEqual(dying);
  });
});

test("a namespace that is given is that of every object without one", async () => {
  const bare = configMap("bare", { namespace: undefined });
  const role = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "r", namespace: "stray" },
  };
  const place = { text: json(aList([bare, configMap("own"), role])), name: "it" };
  const found = labels(await readDump(place, { ...options(), namespace: "given" }));
  expect(found).toEqual(
    expect.arrayContaining(["ConfigMap given/bare", "ConfigMap a/own", "ClusterRole r"]),
  );
});

describe("a field that no API server stores so", () => {
  const role = {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    metadata: { name: "r", namespace: "a" },
    rules: "x",
  };

  test("is removed, named, and its lists are not trusted", async () => {
    const source = await read(json(aList([namespaceA, role])));
    expect(stored(source, "r")).toMatchObject({ rules: null });
    expect(source.findings).toContainEqual(
      expect.objectContaining({
        code: "DUMP-FIELD-TYPE",
        object: "Role/a/r",
        field: "rules",
        cause: expect.stringContaining("rules is a text instead of a list") as string,
      }),
    );
    const roles = { group: "rbac.authorization.k8s.io", kind: "Role" };
    const asked = [undefined, "a", "b"].map((namespace) => source.misfits?.(roles, namespace));
    const why = "Role/a/r has a value of another type in rules";
    expect(asked).toEqual([why, why, undefined]);
    expect(source.misfits?.({ group: "", kind: "Role" }, "a")).toBeUndefined();
    expect(source.misfits?.({ ...roles, kind: "ClusterRole" }, undefined)).toBeUndefined();
  });

  test("of an object without a namespace counts in the one that is given", async () => {
    const bare = { ...role, metadata: { name: "r" } };
    const place = { text: json(aList([namespaceA, bare])), name: "it" };
    const source = await readDump(place, { ...options(), namespace: "given" });
    const roles = { group: "rbac.authorization.k8s.io", kind: "Role" };
    expect(source.misfits?.(roles, "given")).toContain("Role");
    expect(source.misfits?.(roles, "a")).toBeUndefined();
  });
});

describe("what cannot be read is refused", () => {
  const cut = (text: string, from = 0.6): string => text.slice(0, Math.floor(text.length * from));

  test.each<[name: string, text: string, problem: RegExp]>([
    ["nothing", "", /^the dump holds no objects$/],
    ["comments alone", "# nothing\n---\n", /^the dump holds no objects$/],
    ["an empty list", json(aList([])), /^the dump holds no objects$/],
    ["JSON that ends too early", cut(json(aList(three), 4)), /document 1: .*\(cut off\?/],
    [
      "JSON whose last value ends too early",
      json(three[0]) + cut(json(three[1])),
      /document 2: .*\(cut off\?/,
    ],
    ["JSON with text after it", `${json(three[0])}\n!`, /document 2: it is no JSON/],
    [
      "a YAML list that ends too early",
      cut(yaml(aList(three))),
      /document 1: .*without its end \(cut off\?/,
    ],
    [
      "YAML that ends too early",
      "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  na",
      /document 1, ConfigMap: it has no metadata.name \(cut off\?/,
    ],
    [
      "a quote that does not end",
      'apiVersion: v1\nkind: "Conf',
      /document 1: .*within a double quoted scalar \(cut off\?/,
    ],
    [
      "a second document that is not a YAML",
      `${many[0] ?? ""}---\na: b: c\n`,
      /document 2: it is neither YAML nor JSON, in line 6/,
    ],
    ["a text", "hello\n", /document 1: it is not an object/],
    ["a number", "---\n7\n", /document 1: it is not an object/],
    ["an array", json(three), /document 1: it is not an object/],
    ["an item that is not an object", json(aList([7])), /document 1, item 1: it is not an object/],
    ["an item that is null", json(aList([null])), /document 1, item 1: it is not an object/],
    [
      "no apiVersion",
      json({ ...three[1], apiVersion: undefined }),
      /document 1, ConfigMap a\/x: it has no apiVersion \(/,
    ],
    ["no kind", json({ ...three[1], kind: "" }), /document 1, an object a\/x: it has no kind \(/],
    [
      "no name",
      json({ apiVersion: "v1", kind: "Pod", metadata: {} }),
      /document 1, Pod: it has no metadata.name \(/,
    ],
    [
      "nothing that an object has",
      "a: 1\n",
      /document 1: it has no apiVersion, no kind, no metadata.name \(/,
    ],
    [
      "metadata that is not an object",
      json({ ...three[1], metadata: [] }),
      /document 1, ConfigMap: it has no metadata.name/,
    ],
    [
      "a namespaced object without a namespace",
      json(configMap("x", { namespace: undefined })),
      /^ConfigMap x has no metadata.namespace: add it, or give it with -n$/,
    ],
    [
      "a label that is a number",
      json(configMap("x", { labels: { v: 1.1 } })),
      /ConfigMap a\/x: metadata.labels.v is not a text: put it in quotes/,
    ],
    ["labels that are a list", json(configMap("x", { labels: [] })), /metadata.labels is no map/],
    [
      "a namespace that is a number",
      json(configMap("x", { namespace: 7 })),
      /metadata.namespace is not a text/,
    ],
    [
      "finalizers that are no list",
      json(configMap("x", { finalizers: "f" })),
      /metadata.finalizers is not a list/,
    ],
    [
      "a key that is there twice",
      "a: 1\na: 2\n",
      /document 1: .*in line 2: duplicated mapping key/,
    ],
    ["an alias without an anchor", "a: *hidden\n", /document 1: .*unidentified alias \(/],
  ])("%s", async (_name, text, problem) => {
    expect(await problemsOf(text)).toEqual([expect.stringMatching(problem)]);
  });

  test("a definition that cannot be read", async () => {
    const crd = {
      ...namespaceA,
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
    };
    const registry = createRegistry();
    registry.define = () => {
      throw new Error("spec.versions: Required");
    };
    const outcome = readDump({ text: json(crd), name: "it" }, { ...options(), registry });

    await expect(outcome).rejects.toMatchObject({
      code: "USAGE",
      problems: expect.arrayContaining([
        "CustomResourceDefinition a: spec.versions: Required",
      ]) as unknown,
    });
  });

  test("every problem is named, in the order of the text", async () => {
    const text = [json({ ...three[0], kind: 7 }), "a: b: c", many[1], json(aList([7, three[2]]))];

    expect(await problemsOf(text.join("\n---\n"))).toEqual([
      expect.stringContaining("document 1, an object a: it has no kind"),
      expect.stringContaining("document 2: it is neither YAML nor JSON"),
      expect.stringContaining("document 4, item 1: it is not an object"),
    ]);
  });

  test("very many problems are counted", async () => {
    const problems = await problemsOf(json(aList(Array.from({ length: 1000 }, () => 7))));

    expect(problems).toHaveLength(51);
    expect(problems.at(-1)).toBe("and 950 more problems");
  });

  test("each problem has the number of its line", async () => {
    const text = "a: b: c\n---\n\n# d\n\na: 1\na: 2\n---\n\n- [\n";

    expect((await problemsOf(text)).join().match(/line \d+/g)).toEqual([
      "line 1",
      "line 7",
      "line 11",
    ]);
  });

  test.each([
    ["JSON", (secret: object) => `${json(secret).slice(0, -1)} x}`],
    ["JSON that is cut off", (secret: object) => json(secret).slice(0, -20)],
    ["YAML", (secret: object) => `${yaml(secret)}  bad: *hunter2\n: :\n`],
    ["YAML with a tag", () => "kind: Secret\ndata:\n  a: !hunter2 x\n"],
    ["YAML with an alias", () => "kind: Secret\ndata:\n  a: *hunter2\n"],
    ["YAML with an anchor that is there twice", () => "kind: Secret\ndata:\n  a: %hunter2\n"],
  ])("no problem quotes a value: %s", async (_name, spoil) => {
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "s" },
      data: { p: "hunter2", q: "hunter2" },
    };
    const outcome: unknown = await read(spoil(secret)).catch((error: unknown) => error);

    expect(outcome).toMatchObject({ code: "USAGE" });
    const { message, cause, hint } = outcome as Error & { hint: string };
    expect([message, String(cause), hint].join()).not.toContain("hunter2");
  });
});

describe("what would not end is refused", () => {
  const bomb = [
    "a0: &a0 [x, x, x, x, x, x, x, x, x]",
    ...Array.from(
      { length: 9 },
      (_, n) => `a${n + 1}: &a${n + 1} [${Array.from({ length: 9 }, () => `*a${n}`).join()}]`,
    ),
  ];

  test.each([
    ["aliases of aliases", bomb.join("\n"), /aliases \(&, \*\) expand to an absurd size/],
    ["an object in itself", "a: &a {b: *a}\n", /nested deeper than 250 levels, or contains itself/],
    ["very deep JSON", "[".repeat(100_000) + "]".repeat(100_000), /nested deeper than 250 levels/],
    ["very deep YAML", `a: ${"[".repeat(10_000)}`, /nesting exceeded maxDepth/],
  ])("%s", async (_name, text, problem) => {
    expect(await problemsOf(`${text}\n`)).toEqual([expect.stringMatching(problem)]);
  });

  test("aliases that save some writing are taken", async () => {
    const text = `${yaml(namespaceA)}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: a, labels: &l {k: v}, annotations: *l}\n`;

    expect(stored(await read(text), "x")?.metadata.annotations).toEqual({ k: "v" });
  });
});

describe("what is odd is told and read", () => {
  const warningsOf = async (objects: readonly unknown[]): Promise<readonly string[]> =>
    (await read(json(aList(objects)))).warnings;

  test("the same object twice counts once", async () => {
    const source = await read(json(aList([...three, configMap("x")])));

    expect(found(source)).toEqual(wanted);
    expect(source.warnings).toContain("1 object more than once, each time the same: ConfigMap a/x");
  });

  test.each([
    { name: "first", versions: ["12", "9"], winner: 0 },
    { name: "second", versions: ["9", "12"], winner: 1 },
    { name: "the one that has a version", versions: [undefined, "9"], winner: 1 },
    { name: "first of equal ones", versions: ["9", "9"], winner: 0 },
    { name: "first of two without a version", versions: [undefined, undefined], winner: 0 },
    { name: "the one whose version is a number", versions: ["x", "9"], winner: 1 },
  ])("of two that differ, the newer one counts: $name", async ({ versions, winner }) => {
    const two = versions.map((resourceVersion, n) => ({
      ...configMap("x", { resourceVersion }),
      data: { n: String(n) },
    }));
    const source = await read(json(aList([namespaceA, ...two])));

    expect(found(source)).toEqual(["Namespace a", "ConfigMap a/x"]);
    expect(stored(source, "x")?.["data"]).toEqual({ n: String(winner) });
    expect(source.warnings.join()).toMatch(/1 object more than once and not the same: .*a\/x/);
  });

  test("many of one sort are counted, and some of them named", async () => {
    const twice = Array.from({ length: 8 }, (_, n) => configMap(`m${n}`));
    const warnings = await warningsOf([namespaceA, ...twice, ...twice]);

    expect(warnings).toContain(
      "8 objects more than once, each time the same: " +
        "ConfigMap a/m0, ConfigMap a/m1, ConfigMap a/m2, ConfigMap a/m3, ConfigMap a/m4 and 3 more",
    );
  });

  test("kinds that nobody defines are left out", async () => {
    const widget = (name: string) => ({
      apiVersion: "x.io/v1",
      kind: "Widget",
      metadata: { name, namespace: "a" },
    });
    const source = await read(json(aList([...three, widget("one"), widget("two")])));

    expect(found(source)).toEqual(wanted);
    expect(source.warnings).toContain(
      "2 objects of kind Widget (x.io/v1) left out, the first is Widget a/one: " +
        "no kind of a rehearsal, and the dump holds no CustomResourceDefinition for it",
    );
  });

  test("a version that the definition does not serve is an unknown kind", async () => {
    const warnings = await warningsOf([
      namespaceA,
      { ...database("db"), apiVersion: "app.engine.com/v9" },
    ]);

    expect(warnings.join()).toContain("kind EngineEnterpriseDatabase (app.engine.com/v9) left out");
  });

  test("the product's kinds have the shipped definitions where the dump has none", async () => {
    const source = await read(json(aList([namespaceA, database("db")])));

    expect(labels(source)).toEqual(
      expect.arrayContaining([
        "CustomResourceDefinition engineenterprisedatabases.app.engine.com",
        "EngineEnterpriseDatabase a/db",
      ]),
    );
    expect(source.warnings.join()).toMatch(
      /holds no CustomResourceDefinition engineenterprise.*: those that this tool ships are used/,
    );
  });

  test("a definition of the dump's own is never replaced, nor are kinds added that it lacks", async () => {
    const own = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "engineenterprisedatabases.app.engine.com" },
      spec: {
        group: "app.engine.com",
        scope: "Namespaced",
        names: { kind: "EngineEnterpriseDatabase", plural: "engineenterprisedatabases" },
        versions: [{ name: "v1alpha1", served: true }],
      },
    };
    const source = await read(json(aList([own, namespaceA, database("db")])));

    expect(source.objects.filter(({ kind }) => kind === own.kind)).toMatchObject([own]);
    expect(source.warnings.join()).not.toContain("this tool ships");
  });

  test.each([
    ["security.openshift.io", "SecurityContextConstraints", "securitycontextconstraints"],
    ["config.openshift.io", "ClusterVersion", "clusterversions"],
  ])("objects of OpenShift of the group %s are kept without their definition", async (...kind) => {
    const [group, name, plural] = kind;
    const object = { apiVersion: `${group}/v1`, kind: name, metadata: { name: "x" }, users: ["u"] };
    const source = await read(json(aList([namespaceA, object])));

    expect(stored(source, "x")).toEqual(object);
    expect(source.lacks?.({ group, kind: name }, undefined)).toBe(false);
    expect(source.warnings).toContainEqual(
      `the dump holds objects of ${plural}.${group}, and not their CustomResourceDefinition: ` +
        "one without a schema is used",
    );
  });

  test.each([
    ["without a version is left out: the dump does not report it", [], 0],
    ["with a version stays", [{ apiVersion: "config.openshift.io/v1", kind: "ClusterVersion" }], 1],
  ])("the definition of OpenShift's version %s", async (_title, versions, kept) => {
    const definition = {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "clusterversions.config.openshift.io" },
      spec: {
        group: "config.openshift.io",
        scope: "Cluster",
        names: { kind: "ClusterVersion", plural: "clusterversions" },
        versions: [{ name: "v1", served: true }],
      },
    };
    const named = versions.map((version) => ({ ...version, metadata: { name: "version" } }));
    const source = await read(json(aList([definition, ...named, namespaceA])));
    const { name } = definition.metadata;
    expect(source.objects.filter(({ metadata }) => metadata.name === name)).toHaveLength(kept);
  });

  test("a namespace without its Namespace is made up", async () => {
    const source = await read(json(aList([configMap("x"), database("db")])));

    expect(stored(source, "a")).toMatchObject({
      kind: "Namespace",
      metadata: { name: "a", labels: { "kubernetes.io/metadata.name": "a" } },
    });
    expect(source.warnings.join()).toMatch(/1 Namespace \(a\) made up/);
  });

  test("a Service that others call is taken to exist where nothing of its namespace was read", async () => {
    const rules = [{ apiGroups: ["*"], resources: ["*"], operations: ["*"], apiVersions: ["*"] }];
    const calls = (namespace: string, name: string): object => ({
      name: `${name}.${namespace}.example.com`,
      rules,
      clientConfig: { service: { name, namespace } },
    });
    const configuration = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "MutatingWebhookConfiguration",
      metadata: { name: "policies" },
      webhooks: [
        ...[calls("a", "gate"), calls("b", "gate"), calls("gone", "gate"), calls("b", "gate")],
        { name: "url.example.com", rules, clientConfig: { url: "https://gate.example.com" } },
      ],
    };
    const namespaceB = { ...namespaceA, metadata: { name: "b" } };
    const objects = [namespaceA, namespaceB, configMap("x"), configuration];
    const source = await read(json(aList(objects)));
    const services = found(source).filter((label) => label.startsWith("Service "));
    expect(services).toEqual(["Service b/gate"]);
    expect(source.warnings.join()).toContain("nothing of the namespace of Service b/gate");
  });

  test("the namespace of an object that is in none is passed over", async () => {
    const source = await read(json({ ...namespaceA, metadata: { name: "a", namespace: "b" } }));

    expect(found(source)).toEqual(["Namespace a"]);
  });

  test("a YAML text that ends in the middle of a line may be cut off", async () => {
    const text = many.join("---\n");

    expect((await read(text.trimEnd())).warnings.join()).toContain("in the middle of a line");
    expect((await read(text)).warnings.join()).not.toContain("in the middle of a line");
  });

  test("a dump without the webhook's Secret says what that means", async () => {
    expect((await read(json(aList(three)))).warnings.join()).toContain(
      "the dump holds no Secret admission-tls",
    );
  });
});

test("what the API server fills in is there, and no status is made up", async () => {
  const entry = {
    name: "a.b.c",
    clientConfig: { service: { name: "s", namespace: "a" } },
    rules: [{}],
  };
  const configuration = {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: "ValidatingWebhookConfiguration",
    metadata: { name: "any" },
    webhooks: [entry],
  };
  const { objects } = await read(json(aList([configuration, namespaceA])));
  expect(objects.find(({ kind }) => kind === configuration.kind)).toMatchObject({
    webhooks: [{ clientConfig: { service: { port: 443 } }, rules: [{ scope: "*" }] }],
  });
  expect(objects.find(({ kind }) => kind === "Namespace")?.["status"]).toBeUndefined();
});

const core = (kind: string) => ({ group: "", kind });
const olm = (kind: string) => ({ group: "operators.coreos.com", kind });
const aSubscription = (namespace: string) => ({
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "Subscription",
  metadata: { name: "any", namespace },
});
const subscriptions = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "subscriptions.operators.coreos.com" },
  spec: {
    group: "operators.coreos.com",
    scope: "Namespaced",
    names: { kind: "Subscription", plural: "subscriptions" },
    versions: [{ name: "v1alpha1", served: true, storage: true }],
  },
};

test.each<
  [string, readonly object[], { group: string; kind: string }, string | undefined, boolean]
>([
  ["an object of the kind, in the namespace", [configMap("x")], core("ConfigMap"), "a", false],
  ["one of another namespace", [configMap("x")], core("ConfigMap"), "b", true],
  ["one, asked for anywhere", [configMap("x")], core("ConfigMap"), undefined, false],
  ["none of the kind", [configMap("x")], core("Service"), "a", true],
  ["none of the group", [configMap("x")], olm("ConfigMap"), "a", true],
  ["no Namespace, so that one is made up", [configMap("x")], core("Namespace"), undefined, true],
  ["a Namespace", [namespaceA], core("Namespace"), undefined, false],
  ["a definition alone", [subscriptions], olm("Subscription"), "a", true],
  ["an object without its definition", [aSubscription("a")], olm("Subscription"), "a", true],
  [
    "an object and its definition",
    [aSubscription("a"), subscriptions],
    olm("Subscription"),
    "a",
    false,
  ],
])("what a dump lacks: %s", async (_, objects, ...[kind, namespace, lacking]) => {
  const { lacks } = await read(json(aList([...objects])));
  expect(lacks?.(kind, namespace)).toBe(lacking);
});
