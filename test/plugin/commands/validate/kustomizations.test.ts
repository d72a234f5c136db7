/** `validate` over folders with kustomizations: what they change is named as not checked, with the line that renders it. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Report } from "../../../../plugin/kernel/report";
import { aFolder } from "../../../support/a-folder";
import { type Ended, typed } from "../../../support/program-world";

let folder = "";
beforeEach(() => {
  folder = aFolder("kustomizations");
});

type Files = Readonly<Record<string, string>>;

/** Checks the files below the folder. */
async function validate(files: Files, words: readonly string[] = ["-R"]): Promise<Ended> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const line = words.includes("-f") ? [] : ["-f", folder];
  const inFolder = words.map((word) => word.replace("./", `${folder}/`));
  const { code, out, err } = await typed(["validate", ...line, ...inFolder]);
  const masked = (text: string): string => text.replaceAll(folder, "FOLDER");
  return { code, out: masked(out), err: masked(err) };
}

/** What was found, a line each: where, and which code. */
const foundIn = ({ out }: Ended): readonly string[] =>
  ((JSON.parse(out) as Report).findings ?? []).map(({ location, code }) => {
    const { file = "", line = 0 } = location ?? {};
    return `${file.replace("FOLDER/", "")}:${line} ${code}`;
  });

const ec = `apiVersion: app.engine.com/v1
kind: EngineEnterpriseCluster
metadata: {name: ec, namespace: engine}
spec: {nodes: 3}
`;
const edb = (version: string): string => `apiVersion: app.engine.com/v1alpha1
kind: EngineEnterpriseDatabase
metadata: {name: orders, namespace: engine}
spec: {engineEnterpriseCluster: {name: ec}, engineVersion: "${version}"}
`;
const web = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1}\n";
const base: Files = {
  "ov/base/kustomization.yaml": "resources: [ec.yaml, orders.yaml, web.yaml]\n",
  "ov/base/ec.yaml": ec,
  "ov/base/orders.yaml": edb("7.4"),
  "ov/base/web.yaml": web,
};
const bump = `apiVersion: app.engine.com/v1alpha1
kind: EngineEnterpriseDatabase
metadata: {name: orders}
spec: {engineVersion: "9.9"}
`;
const webPatch =
  "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 2}\n";
const operation = '[{op: replace, path: /spec/engineVersion, value: "9.9"}]';
const live = (text: string): Files => ({
  "ov/live/kustomization.yaml": `resources: [../base]\n${text}\n`,
});
const ofDatabase = "target: {kind: EngineEnterpriseDatabase, name: orders}";
const warned = "ov/live/kustomization.yaml MANIFEST-NOT-RENDERED";
const indented = (text: string): string => text.trimEnd().replaceAll(/^/gm, "    ");

type Row = readonly [title: string, files: Files];

const changing: readonly Row[] = [
  [
    "a merge patch in a file",
    { ...live("patches: [{path: bump.yaml}]"), "ov/live/bump.yaml": bump },
  ],
  ["a merge patch in the kustomization", live(`patches:\n- patch: |-\n${indented(bump)}`)],
  [
    "operations in a file",
    { ...live(`patches: [{${ofDatabase}, path: op.yaml}]`), "ov/live/op.yaml": operation },
  ],
  [
    "operations in the kustomization",
    live(`patches:\n- ${ofDatabase}\n  patch: |-\n    ${operation}`),
  ],
  [
    "a merge patch of a cluster",
    {
      ...live("patches: [{path: policy.yaml}]"),
      "ov/live/policy.yaml": ec.replace("nodes: 3", "engineUpgradePolicy: major"),
    },
  ],
  [
    "patchesStrategicMerge with a file",
    { ...live("patchesStrategicMerge: [bump.yaml]"), "ov/live/bump.yaml": bump },
  ],
  ["patchesStrategicMerge with a text", live(`patchesStrategicMerge:\n- |-\n${indented(bump)}`)],
  [
    "patchesJson6902",
    { ...live(`patchesJson6902: [{${ofDatabase}, path: op.json}]`), "ov/live/op.json": "[]" },
  ],
  ["a target without kind", live(`patches: [{target: {name: ord.*}, patch: "[]"}]`)],
  [
    "a target by label",
    {
      ...live(`patches: [{target: {labelSelector: a=b}, patch: "[]"}]`),
      "ov/base/orders.yaml": edb("7.4").replace("namespace", "labels: {a: b}, namespace"),
    },
  ],
  [
    "a target by labels that are no equalities",
    live(`patches: [{target: {labelSelector: "!a"}, patch: "[]"}]`),
  ],
  ["a target whose pattern cannot be read", live(`patches: [{target: {name: "("}, patch: "[]"}]`)],
  [
    "a target by the name that the base gives",
    {
      ...live(`patches: [{target: {kind: EngineEnterpriseDatabase, name: a-orders}, patch: "[]"}]`),
      "ov/base/kustomization.yaml":
        "resources: [ec.yaml, orders.yaml, web.yaml]\nnamespace: engine\n",
    },
  ],
  ["a target whose kind is a pattern", live("patches: [{target: {kind: Engine.*}, patch: '[]'}]")],
  ["an empty target", live("patches: [{target: {}, patch: '[]'}]")],
  ["a patch that is not among the files", live("patches: [{path: ../../../else/bump.yaml}]")],
  ["a patch that is no YAML", live("patches: [{patch: 'a: ['}]")],
  [
    "a replacement",
    live("replacements: [{targets: [{select: {kind: EngineEnterpriseDatabase}}]}]"),
  ],
  [
    "a replacement in a file",
    { ...live("replacements: [{path: r.yaml}]"), "ov/live/r.yaml": "source: {kind: ConfigMap}" },
  ],
  ["a replacement without kind", live("replacements: [{targets: [{select: {name: orders}}]}]")],
  ["namePrefix", live("namePrefix: live-")],
  ["nameSuffix", live("nameSuffix: -live")],
  ["another namespace", live("namespace: shop")],
  ["a transformer", live("transformers: [t.yaml]")],
  ["configurations", live("configurations: [c.yaml]")],
  ["a generator", live("generators: [g.yaml]")],
  ["a chart", live("helmCharts: [{name: orders}]")],
  [
    "a component",
    {
      ...live("components: [../part]"),
      "ov/part/kustomization.yaml": `kind: Component\npatches: [{${ofDatabase}, patch: '[]'}]`,
    },
  ],
  [
    "a component that is not among the files",
    live("components: ['https://git.example.test/part?ref=1']"),
  ],
  ["a base elsewhere", live("bases: ['https://git.example.test/base?ref=1']")],
];

describe("a kustomization that changes the product's objects, or may", () => {
  test.each(changing)("%s", async (_title, files) => {
    const all = { ...base, ...files };
    const ended = await validate(all, ["-R", "-o", "json"]);
    const found = foundIn(ended).map((line) => line.replace(/:\d+/, ""));
    expect({ code: ended.code, found }).toEqual({ code: 0, found: [warned] });
    const strict = await validate({}, ["-R", "--strict"]);
    expect(strict.code).toBe(1);
    expect(strict.out).toContain(
      "exit code 1: 0 of 1 database violate the rules; 1 warning about the files",
    );
  });

  test("the line that renders it stands beside what is not checked", async () => {
    const files = { ...base, ...live("patches: [{path: bump.yaml}]"), "ov/live/bump.yaml": bump };
    const { out } = await validate(files);
    expect(out).toContain(
      "patches[0] changes EngineEnterpriseDatabase: what comes of FOLDER/ov/live was not checked\n",
    );
    expect(out).toContain("kubectl kustomize FOLDER/ov/live | kubectl engine validate -f -\n");
  });
});

test.each<Row>([
  ["only resources", live("")],
  [
    "a merge patch of a Deployment",
    { ...live("patches: [{path: w.yaml}]"), "ov/live/w.yaml": webPatch },
  ],
  ["operations on a Deployment", live("patches: [{target: {kind: Deployment}, patch: '[]'}]")],
  [
    "a target whose kind is another pattern",
    live("patches: [{target: {kind: Deploy.*, name: orders}, patch: '[]'}]"),
  ],
  [
    "a target of another name",
    live("patches: [{target: {kind: EngineEnterpriseDatabase, name: nosuch}, patch: '[]'}]"),
  ],
  [
    "a target of another namespace",
    live("patches: [{target: {name: orders, namespace: default}, patch: '[]'}]"),
  ],
  [
    "a target by labels and annotations that no object has",
    live(
      "patches: [{target: {labelSelector: 'app=web,tier=a'}, patch: '[]'}, {target: {annotationSelector: a=b}, patch: '[]'}]",
    ),
  ],
  ["a target of another group", live("patches: [{target: {group: apps}, patch: '[]'}]")],
  ["a text that patches a Deployment", live(`patchesStrategicMerge:\n- |-\n${indented(webPatch)}`)],
  [
    "a replacement in a Deployment",
    live("replacements: [{targets: [{select: {kind: Deployment}}]}]"),
  ],
  ["the namespace that the objects have", live("namespace: engine")],
  [
    "labels, annotations, images, replicas",
    live(
      "commonLabels: {a: b}\nlabels: [{pairs: {a: b}}]\nimages: [{name: a, newTag: b}]\nreplicas: [{name: web, count: 2}]",
    ),
  ],
  [
    "generated ConfigMaps and variables",
    live("configMapGenerator: [{name: a}]\nvars: [{name: V}]"),
  ],
  [
    "fields of other types",
    live("patches: {a: b}\ncomponents: [1, {}]\nnamePrefix: ''\nreplacements: 5"),
  ],
])("a kustomization with %s is silent", async (_title, files) => {
  const ended = await validate({ ...base, ...files }, ["-R", "--strict", "-o", "json"]);
  expect({ code: ended.code, found: foundIn(ended) }).toEqual({ code: 0, found: [] });
});

test.each<[string, string]>([
  [
    "every field that may change objects",
    "namePrefix: a-\nnamespace: b\ntransformers: [t.yaml]\nconfigurations: [c.yaml]\npatches: [{target: {name: web}, patch: '[]'}]\nreplacements: [{path: r.yaml}]",
  ],
])("%s is silent over a base without objects of the product", async (_title, text) => {
  const files = {
    "db.yaml": edb("7.4"),
    "ec.yaml": ec,
    "web/kustomization.yaml": "resources: [web.yaml, empty.yaml]\n",
    "web/web.yaml": web,
    "web/empty.yaml": "# nothing yet\n",
    "live/kustomization.yaml": `resources: [../web]\n${text}\n`,
  };
  const ended = await validate(files, ["-R", "--strict", "-o", "json"]);
  expect({ code: ended.code, found: foundIn(ended) }).toEqual({ code: 0, found: [] });
});

describe("forms of a kustomization", () => {
  const text = "resources: [../base]\npatches: [{path: bump.yaml}]\n";
  const header = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n";

  test.each<[string, string]>([
    ["kustomization.yaml", header + text],
    ["kustomization.yml", text],
    ["Kustomization", text],
    ["Kustomization", header + text],
    ["kustomization.yaml", '{"resources": ["../base"], "patches": [{"path": "bump.yaml"}]}'],
    ["kustomization.yaml", `---\n# live\n---\n${text}`],
  ])("%s: %j", async (name, written) => {
    const files = { ...base, [`ov/live/${name}`]: written, "ov/live/bump.yaml": bump };
    const ended = await validate(files, ["-R", "-o", "json"]);
    const found = foundIn(ended).map((line) => line.replace(/:\d+/, ""));
    expect({ code: ended.code, found }).toEqual({
      code: 0,
      found: [`ov/live/${name} MANIFEST-NOT-RENDERED`],
    });
  });

  test("a folder whose name needs quotes, and a chart that kustomize has to render", async () => {
    const files = { ...base, "ov/my live/kustomization.yaml": "helmCharts: [{name: orders}]\n" };
    const over = { "ov/top/kustomization.yaml": "resources: ['../my live']\nnamePrefix: a-\n" };
    const { out } = await validate({ ...files, ...over });
    expect(out).toContain("kubectl kustomize --enable-helm 'FOLDER/ov/my live' | kubectl engine");
    expect(out).toContain("kubectl kustomize --enable-helm FOLDER/ov/top | kubectl engine");
  });
});

test("the base of an overlay is checked as before, and each overlay that changes it has its warning", async () => {
  const files = {
    ...base,
    ...live("namePrefix: live-"),
    "ov/base/orders.yaml": edb("9.9"),
    "ov/eu/kustomization.yaml": "resources: [../live]\n",
    "ov/us/kustomization.yaml": "resources: [../live]\nnameSuffix: -us\n",
  };
  const ended = await validate(files, ["-R", "-o", "json"]);
  expect({ code: ended.code, found: foundIn(ended) }).toEqual({
    code: 1,
    found: [
      "ov/live/kustomization.yaml:2 MANIFEST-NOT-RENDERED",
      "ov/us/kustomization.yaml:2 MANIFEST-NOT-RENDERED",
      "ov/base/orders.yaml:4 R1",
    ],
  });
});

test("a base outside of the folder may hold what was not checked", async () => {
  const ended = await validate({ ...base, ...live("") }, ["-f", "./ov/live", "-o", "json"]);
  expect({ code: ended.code, found: foundIn(ended) }).toEqual({
    code: 0,
    found: ["ov/live/kustomization.yaml:1 MANIFEST-NOT-RENDERED"],
  });
});

test("a component that no kustomization includes has no line of its own to render it", async () => {
  const part = `kind: Component\npatches: [{${ofDatabase}, patch: '[]'}]`;
  const { out } = await validate({ ...base, "ov/part/kustomization.yaml": part });
  expect(out).toContain("render each kustomization that includes it: kubectl kustomize FOLDER | ");
  expect(out).not.toContain("kustomize FOLDER/ov/part");
});

test("kustomizations and components that lead back to themselves end", async () => {
  const files = {
    "a/kustomization.yaml": "resources: [../b, db.yaml]\ncomponents: [../c]\nnamePrefix: a-\n",
    "a/db.yaml": edb("7.4"),
    "b/kustomization.yaml": "resources: [../a, .]\nnamePrefix: b-\n",
    "c/kustomization.yaml": "kind: Component\ncomponents: [../c]\nnamePrefix: c-\n",
  };
  const { code, out } = await validate(files);
  expect(code).toBe(0);
  expect(out).toContain("FOLDER/a/kustomization.yaml");
});

test.each(["sarif", "junit", "github"])("%s has the warning at its place", async (output) => {
  const files = { ...base, ...live("namePrefix: live-") };
  const { code, out } = await validate(files, ["-R", "-o", output]);
  expect(code).toBe(0);
  expect(out).toContain("MANIFEST-NOT-RENDERED");
  expect(out).toContain("ov/live/kustomization.yaml");
});

test("what a hostile kustomization names is escaped and cut", async () => {
  const long = `https://x.example.test/\\e[31m${"x".repeat(1_000)}`;
  const { out } = await validate({ ...base, ...live(`bases: ["${long}"]`) });
  expect(out).not.toContain("\u001b");
  expect(out).not.toContain("x".repeat(100));
});
