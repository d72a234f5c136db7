import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { dump as yaml } from "js-yaml";
import { configMap, labels, namespaceA, problemsOf, read } from "./dumps";

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "engine-dump-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

async function configMaps(
  place: { folder: string } | { file: string },
): Promise<readonly string[]> {
  return labels(await read(place)).filter((label) => label.startsWith("ConfigMap"));
}

const text = (name: string): string => yaml(configMap(name));

test("a folder is read with what is below it, in the order of the names", async () => {
  write("b.yaml", text("b"));
  write("a/z.yml", text("z"));
  write("a/y.json", JSON.stringify(configMap("y")));
  write("C.YAML", text("c"));
  write("empty.yaml", "");

  expect(await configMaps({ folder })).toEqual(["c", "y", "z", "b"].map((n) => `ConfigMap a/${n}`));
  expect((await read({ folder })).described).toBe(`folder ${folder}`);
});

test("other files are left alone, and told where they look like manifests", async () => {
  write("a.yaml", text("a"));
  write("README.md", "# a dump\n");
  write(".git/config.yaml", "no: manifest");
  const odd = [write("b.yaml.gz", "x"), write("notes.txt", text("n")), write("c.json.bak", "{}")];
  const { warnings } = await read({ folder });

  for (const path of odd) {
    expect(warnings).toContain(
      `file ${path} was not read: it ends neither in .yaml nor in .yml nor in .json`,
    );
  }
  expect(warnings.join()).not.toMatch(/README|\.git/);
});

test.each<[string, string, unknown]>([
  ["a package", "package.json", { name: "orders", version: "1.0.0" }],
  ["the values of a chart", "values.yaml", { replicas: 3 }],
  ["a chart", "Chart.yaml", { apiVersion: "v2", name: "orders", version: "1.0.0" }],
  ["a patch of JSON", "patch.yaml", [{ op: "remove", path: "/spec/nodes" }]],
  [
    "what Kustomize builds from",
    "kustomization.yaml",
    { apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization", resources: [] },
  ],
])("%s in a folder is passed over, and told", async (_title, file, content) => {
  write("a.yaml", text("a"));
  const path = write(file, yaml(content));
  const source = await read({ folder });
  expect(labels(source).filter((label) => label.startsWith("ConfigMap"))).toEqual([
    "ConfigMap a/a",
  ]);
  expect(source.warnings).toContain(
    `file ${path}, document 1 is passed over: it is no object of a cluster`,
  );
  expect(await problemsOf({ file: path })).not.toEqual([]);
});

test("what was cut off is refused in a folder, too", async () => {
  const path = write("a.yaml", "apiVersion: v1\nitems: []\n");
  expect(await problemsOf({ folder })).toEqual([
    expect.stringContaining(`file ${path}, document 1: it is a list without its end`),
  ]);
});

test("folders that are linked into themselves are read once", async () => {
  write("a/a.yaml", text("a"));
  symlinkSync(folder, join(folder, "a/up"));
  symlinkSync(join(folder, "a"), join(folder, "b"));

  expect(await configMaps({ folder })).toEqual(["ConfigMap a/a"]);
});

test("a link to a file is followed", async () => {
  const elsewhere = write(".hidden/real.yaml", text("a"));
  symlinkSync(elsewhere, join(folder, "link.yaml"));

  expect(await configMaps({ folder })).toEqual(["ConfigMap a/a"]);
});

test.each([
  ["UTF-16 as Windows writes it", Buffer.from(`\uFEFF${text("ä")}`, "utf16le")],
  ["UTF-8 with its mark", Buffer.from(`\uFEFF${text("ä")}`)],
])("a file in %s is read", async (_name, content) => {
  expect(await configMaps({ file: write("dump", content) })).toEqual(["ConfigMap a/ä"]);
});

test("JSON in a file of another name is read as JSON", async () => {
  const file = write("dump.yaml", JSON.stringify([namespaceA, configMap("x")], null, 4));

  expect(await problemsOf({ file })).toEqual([
    `file ${file}, document 1: it is not an object: remove it, or write the dump again`,
  ]);
});

test.each<[name: string, make: () => string, problem: RegExp]>([
  ["that is not there", () => join(folder, "none.yaml"), /no such file: .*none\.yaml$/],
  ["that is a folder", () => folder, /^is a folder, not a file: /],
  [
    "of bytes",
    () => write("a.yaml", Buffer.of(0xff, 0x00, 0xc3)),
    /a\.yaml is not a text in UTF-8/,
  ],
  [
    "that no string can hold",
    () => {
      const path = write("big.json", "");
      truncateSync(path, 2 ** 31);
      return path;
    },
    /big\.json is too long \(2147483648 bytes, the limit is \d+\): split it/,
  ],
])("a file %s is refused", async (_name, make, problem) => {
  expect(await problemsOf({ file: make() })).toEqual([expect.stringMatching(problem)]);
});

test.each([
  ["that is not there", () => join(folder, "none"), /no such file: .*none$/],
  [
    "that is a file",
    () => write("a.yaml", text("a")),
    /part of the path is not a folder: .*a\.yaml$/,
  ],
  ["without manifests", () => folder, /^folder .* holds no objects$/],
])("a folder %s is refused", async (_name, make, problem) => {
  expect(await problemsOf({ folder: make() })).toEqual([expect.stringMatching(problem)]);
});

test("every file that cannot be read is named at once", async () => {
  symlinkSync(join(folder, "nowhere"), join(folder, "a.yaml"));
  write("b.yaml", "a: b: c\n");
  write("c.yaml", text("c"));

  expect(await problemsOf({ folder })).toEqual([
    expect.stringMatching(/no such file: .*a\.yaml$/),
    expect.stringMatching(/b\.yaml, document 1: it is neither YAML nor JSON/),
  ]);
});
