/** `validate` at its command line: files in, verdicts with places out, nothing asked of any cluster. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import Ajv from "ajv";
import { dump } from "js-yaml";
import type { Report, RulesDetails } from "../../../../plugin/kernel/report";
import { aFolder } from "../../../support/a-folder";
import junitSchema from "../../../support/junit.schema.json";
import { expectGoldenText } from "../../../support/golden";
import { type Ended, type Scene, stdinOf, typed } from "../../../support/program-world";
import { workOf } from "../../../support/work";
import { yamlBomb } from "../../../support/yaml-bomb";
import { admin, makeWorld } from "../../../support/world";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { parseDocuments } from "../../../../plugin/adapters/kubernetes/text/yaml";

/** An element as Python's parser reads it, which takes no XML that is not well-formed. */
interface XmlElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

const readsXml = `import json, sys, xml.etree.ElementTree as tree
def told(one):
    return {"tag": one.tag, "attributes": one.attrib, "children": [told(child) for child in one], "text": (one.text or "").strip()}
print(json.dumps(told(tree.fromstring(sys.stdin.buffer.read()))))`;

let folder = "";
beforeEach(() => {
  folder = aFolder("manifests");
});

/** Writes files below the folder, and runs the line with their paths in it. */
async function validate(
  files: Readonly<Record<string, string | Buffer>>,
  words: readonly string[] = [],
  scene: Scene = {},
): Promise<Ended> {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  const inFolder = words.map((word) => word.replace("./", `${folder}/`));
  const line = words.includes("-f") ? inFolder : ["-f", folder, ...inFolder];
  const { code, out, err } = await typed(["validate", ...line], scene);
  const masked = (text: string): string => text.replaceAll(folder, "FOLDER");
  return { code, out: masked(out), err: masked(err) };
}

type Document = Report & { readonly details: RulesDetails };

/** What was found, a line each: where, which code, in which field. */
const foundIn = ({ out }: Ended): readonly string[] =>
  ((JSON.parse(out) as Document).findings ?? []).map(({ location, code, severity, field }) => {
    const { file = "", line = 0, column = 0 } = location ?? {};
    const place = `${file.replace("FOLDER/", "")}:${line}:${column}`;
    return [place, severity, code, field ?? ""].join(" ").trim();
  });

const ec = (spec: string, status = ""): string => `apiVersion: app.engine.com/v1
kind: EngineEnterpriseCluster
metadata: {name: ec, namespace: engine}
spec: {${spec}}
${status}`;
const edb = (
  spec: string,
  name = "carts",
  namespace = "shop",
): string => `apiVersion: app.engine.com/v1alpha1
kind: EngineEnterpriseDatabase
metadata:
  name: ${name}
  namespace: ${namespace}
spec:
  ${spec.replaceAll("\n", "\n  ")}
`;
const ofEc = "engineEnterpriseCluster: {name: ec}";
const published = `status:
  bundledDatabaseVersions:
  - {dbType: engine, version: 7.2.4, major: true}
  - {dbType: engine, version: 7.4.0, major: false}
`;
const major = ec("engineUpgradePolicy: major");

describe("files as kubectl reads them", () => {
  const wrong = edb(`${ofEc}\nengineVersion: "9.9"`, "carts", "engine");
  const wide = Buffer.from(`\uFEFF${wrong}`, "utf16le");

  test.each<[string, string | Buffer]>([
    ["UTF-16LE", wide],
    ["UTF-16BE", Buffer.from(wide).swap16()],
    ["UTF-8 with its mark", `\uFEFF${wrong}`],
  ])("%s has the places of the text", async (_, written) => {
    const files = { "db.yaml": written, "ec.yaml": ec("", published) };
    const ended = await validate(files, ["-o", "json"]);
    expect(foundIn(ended)).toEqual(foundIn(await validate({ "db.yaml": wrong }, ["-o", "json"])));
    expect(foundIn(ended)).toEqual(["db.yaml:8:18 error R1 spec.engineVersion"]);
  });

  test("a tag that kubectl ignores leaves the object to be checked", async () => {
    const tagged = wrong.replace("metadata:", "metadata:\n  annotations: {a: !vault x}");
    const files = { "db.yaml": tagged, "ec.yaml": ec("", published) };
    expect(foundIn(await validate(files, ["-o", "json"]))).toEqual([
      "db.yaml:9:18 error R1 spec.engineVersion",
    ]);
  });
});

describe("verdicts", () => {
  type VerdictRow = [string, Record<string, string>, number, string[], string[]?];

  test.each<VerdictRow>([
    ["a fit database", { "a.yaml": major, "b.yaml": edb(`${ofEc}\nengineVersion: "8.0"`) }, 0, []],
    [
      "a version that no EC bundles, and a module that is not defined",
      {
        "a.yaml": major,
        "b.yaml": edb(`${ofEc}\nengineVersion: "9.9"\nmodulesList:\n- name: graph`),
      },
      1,
      ["b.yaml:8:18 error R1 spec.engineVersion", "b.yaml:10:11 error R3 spec.modulesList[0].name"],
    ],
    [
      "a version without quotes, without any EC",
      { "b.yaml": edb("engineVersion: 8.0") },
      1,
      ["b.yaml:7:18 error R1 spec.engineVersion"],
    ],
    [
      "an active-active database, in the place of its own",
      {
        "a.yaml": major,
        "b.yaml": edb('globalConfigurations:\n  engineVersion: "1.0"').replace(
          "EngineEnterpriseDatabase",
          "EngineEnterpriseActiveActiveDatabase",
        ),
      },
      1,
      ["b.yaml:8:20 error R1 spec.globalConfigurations.engineVersion"],
    ],
    [
      "an EC that is not at hand",
      { "b.yaml": edb(`${ofEc}\nengineVersion: "7.2"`) },
      0,
      ["b.yaml:4:9 warning RULES-NOT-EVALUATED"],
    ],
    [
      "a version that no release has, and an unknown module, without the EC",
      { "b.yaml": edb(`${ofEc}\nengineVersion: "9.9"\nmodulesList: [{name: graph}]`) },
      1,
      ["b.yaml:8:18 error R1 spec.engineVersion", "b.yaml:4:9 warning RULES-NOT-EVALUATED"],
    ],
    [
      "what two documents of one EC disagree about",
      {
        "base/ec.yaml": ec("userDefinedModules: [{name: gears}]"),
        "base/db.yaml": edb(`${ofEc}\nmodulesList: [{name: gears}]`),
        "prod/ec.yaml": ec("nodes: 5"),
      },
      0,
      ["base/ec.yaml:3:18 warning MANIFEST-TWICE", "base/db.yaml:4:9 warning RULES-NOT-EVALUATED"],
      ["-R"],
    ],
    [
      "what both of them refuse",
      {
        "a.yaml": ec("userDefinedModules: [{name: gears}]"),
        "b.yaml": ec("nodes: 5"),
        "db.yaml": edb(`${ofEc}\nmodulesList: [{name: rows}]`),
      },
      1,
      ["a.yaml:3:18 warning MANIFEST-TWICE", "db.yaml:8:24 error R3 spec.modulesList[0].name"],
    ],
    [
      "a patch of a kustomization is no EC",
      {
        "base/ec.yaml": ec("userDefinedModules: [{name: gears}]"),
        "base/db.yaml": edb(`${ofEc}\nmodulesList: [{name: gears}]`),
        "prod/kustomization.yaml": "resources: [../base]\npatches: [{path: ec.yaml}]\n",
        "prod/ec.yaml": ec("nodes: 5"),
      },
      0,
      ["prod/kustomization.yaml:1:13 warning MANIFEST-NOT-RENDERED"],
      ["-R"],
    ],
    [
      "a module of one of two ECs, of which the database names none",
      {
        "a.yaml": ec("userDefinedModules: [{name: gears}]"),
        "b.yaml": ec("nodes: 5").replace("name: ec", "name: other"),
        "db.yaml": edb("modulesList: [{name: gears}]", "carts", "engine"),
      },
      0,
      ["db.yaml:4:9 warning RULES-WARNING", "db.yaml:4:9 warning RULES-NOT-EVALUATED"],
    ],
    [
      "a display name, before the EC has a status",
      { "a.yaml": ec("nodes: 3"), "b.yaml": edb(`${ofEc}\nmodulesList: [{name: EngineJSON}]`) },
      0,
      ["b.yaml:4:9 warning RULES-NOT-EVALUATED"],
    ],
    [
      "a misspelled kind",
      { "b.yaml": edb('engineVersion: "9.9"').replace("EnterpriseDatabase", "EnterpriseDatabse") },
      1,
      ["b.yaml:2:7 error MANIFEST-NEAR-MISS"],
    ],
    [
      "a kind of another group, strictly",
      { "b.yaml": edb("a: 1").replace("app.engine.com", "other.example.com") },
      1,
      ["b.yaml:1:13 warning MANIFEST-OTHER-KIND"],
      ["--strict"],
    ],
    [
      "nothing to check, strictly",
      { "a.yaml": "apiVersion: v1\nkind: List\n" },
      1,
      [":0:0 warning MANIFEST-NOTHING"],
      ["--strict"],
    ],
    [
      "values and notices beside databases are passed over",
      { "values.yaml": "replicas: 1\n", "list.json": "[1]", "b.yaml": edb("engineVersion: major") },
      0,
      [],
    ],
    [
      "an empty file that is named",
      { "b.yaml": "# nothing\n---\n" },
      2,
      [":0:0 error MANIFEST-UNREADABLE"],
      ["-f", "./b.yaml"],
    ],
    [
      "a kindless file that is named",
      { "b.yaml": "replicas: 1\n" },
      2,
      ["b.yaml:1:1 error MANIFEST-UNREADABLE"],
      ["-f", "./b.yaml"],
    ],
    [
      "an EC that is not at hand, strictly",
      { "b.yaml": edb(`${ofEc}\nengineVersion: "7.2"`) },
      1,
      ["b.yaml:4:9 warning RULES-NOT-EVALUATED"],
      ["--strict"],
    ],
    [
      "what no EC could say, where it is not at hand",
      { "b.yaml": edb(`${ofEc}\nengineVersion: major\nmodulesList: [{name: search}]`) },
      0,
      [],
      ["--strict"],
    ],
    [
      "an EC that --clusters does not have",
      {
        "b.yaml": edb(`${ofEc}\nmodulesList:\n- name: graph`),
        "c.txt": major.replace("{name: ec", "{name: other"),
      },
      1,
      [
        "b.yaml:7:35 error REF spec.engineEnterpriseCluster.name",
        "b.yaml:9:11 error R3 spec.modulesList[0].name",
      ],
      ["--clusters=./c.txt"],
    ],
    [
      "an EC of the manifests without a status: that of --clusters",
      {
        "a.yaml": ec("userDefinedModules: [{name: graph}]"),
        "b.yaml": edb(`${ofEc}\nengineVersion: "8.0"\nmodulesList:\n- name: graph`),
        "c.txt": ec("", published),
      },
      1,
      ["b.yaml:8:18 error R1 spec.engineVersion"],
      ["--clusters=./c.txt"],
    ],
    [
      "a change onto a minor release, by --old",
      {
        "a.yaml": major,
        "new/b.yaml": edb(`${ofEc}\nengineVersion: "7.4"`),
        "old/b.yaml": edb(`${ofEc}\nengineVersion: "7.2"`),
      },
      1,
      ["new/b.yaml:8:18 error R2 spec.engineVersion"],
      ["-f", "./a.yaml", "-f", "./new", "--old=./old"],
    ],
    ...(["a", "z"] as const).map((place): VerdictRow => [
      `two documents of the database before that differ, the one that decides in ${place}.yaml`,
      {
        "a.yaml": major,
        "new/b.yaml": edb(`${ofEc}\nengineVersion: "7.4"`),
        [`old/${place}.yaml`]: edb(`${ofEc}\nengineVersion: "7.2"`),
        "old/m.yaml": edb(`${ofEc}\nengineVersion: "7.4"`),
      },
      0,
      ["new/b.yaml:4:9 warning RULES-NOT-EVALUATED"],
      ["-f", "./a.yaml", "-f", "./new", "--old=./old"],
    ]),
    [
      "a raise from whichever of two documents before",
      {
        "a.yaml": major,
        "new/b.yaml": edb(`${ofEc}\nengineVersion: "8.2"`),
        "old/b.yaml": edb(`${ofEc}\nengineVersion: "7.2"`),
        "old/c.yaml": edb(`${ofEc}\nengineVersion: "7.4"`),
      },
      1,
      ["new/b.yaml:8:18 error R2 spec.engineVersion"],
      ["-f", "./a.yaml", "-f", "./new", "--old=./old"],
    ],
    [
      "two documents before that say the same of what is checked, and a patch",
      {
        "a.yaml": major,
        "new/b.yaml": edb(`${ofEc}\nengineVersion: "7.4"`),
        "old/b.yaml": edb(`${ofEc}\nengineVersion: "7.2"`),
        "old/c.yaml": edb(`${ofEc}\nengineVersion: "7.2"\nmemorySize: 1GB`),
        "old/d.yaml": `$patch: replace\n${edb(`${ofEc}\nengineVersion: "7.4"`)}`,
      },
      1,
      ["new/b.yaml:8:18 error R2 spec.engineVersion"],
      ["-f", "./a.yaml", "-f", "./new", "--old=./old"],
    ],
    [
      "a raise that one document of the EC refuses, from one document before",
      {
        "a.yaml": major,
        "b.yaml": ec("engineUpgradePolicy: latest"),
        "new/b.yaml": edb(`${ofEc}\nengineVersion: "7.4"`),
        "old/b.yaml": edb(`${ofEc}\nengineVersion: "7.2"`),
        "old/c.yaml": edb(`${ofEc}\nengineVersion: "7.4"`),
      },
      0,
      ["a.yaml:3:18 warning MANIFEST-TWICE", "new/b.yaml:4:9 warning RULES-NOT-EVALUATED"],
      ["-f", "./a.yaml", "-f", "./b.yaml", "-f", "./new", "--old=./old"],
    ],
    [
      "what was there before is never refused",
      { "a.yaml": major, "b.yaml": edb(`${ofEc}\nengineVersion: "1.0"`) },
      0,
      [],
      ["--old=./b.yaml"],
    ],
    [
      "a rule that warns, and one that is off",
      {
        "a.yaml": major,
        "b.yaml": edb(`${ofEc}\nengineVersion: "9.9"\nmodulesList:\n- name: graph`),
      },
      0,
      ["b.yaml:8:18 warning R1 spec.engineVersion"],
      ["--rules=version=warn,modules=off"],
    ],
    [
      "latest by a setting",
      { "a.yaml": major, "b.yaml": edb(`${ofEc}\nengineVersion: latest`) },
      0,
      [],
      ["--allow-latest"],
    ],
    [
      "the size of the step by a setting",
      {
        "a.yaml": major,
        "b.yaml": edb(`${ofEc}\nengineVersion: "8.2"`),
        "o.txt": edb(`${ofEc}\nengineVersion: "7.4"`),
      },
      0,
      [],
      ["--old=./o.txt", "--policy-reading=step"],
    ],
    [
      "a namespace that a manifest leaves out",
      {
        "a.yaml": major.replace("namespace: engine", "namespace: shop"),
        "b.yaml": edb(`${ofEc}\nengineVersion: "9.9"`).replace("  namespace: shop\n", ""),
      },
      1,
      ["b.yaml:7:18 error R1 spec.engineVersion"],
      ["-n", "shop"],
    ],
    [
      "the operator's namespace under another name",
      {
        "a.yaml": major.replace("namespace: engine", "namespace: ops"),
        "b.yaml": edb(`${ofEc}\nengineVersion: "9.9"`),
      },
      1,
      ["b.yaml:8:18 error R1 spec.engineVersion"],
      ["--operator-namespace=ops"],
    ],
    [
      "a database that is being deleted",
      {
        "a.yaml": major,
        "b.yaml": edb('engineVersion: "9.9"').replace("  name:", "  deletionTimestamp: x\n  name:"),
      },
      0,
      [],
    ],
    [
      "other kinds, of other groups too",
      { "b.yaml": edb('engineVersion: "9.9"').replace("app.engine.com", "other.example.com") },
      0,
      ["b.yaml:1:13 warning MANIFEST-OTHER-KIND"],
    ],
  ])("%s", async (...[, files, code, found, words]) => {
    const ended = await validate(files, [...(words ?? []), "-o", "json"]);
    expect({ code: ended.code, found: foundIn(ended) }).toEqual({ code, found });
  });
});

describe("input", () => {
  const bad = `${ofEc}\nengineVersion: "9.9"`;
  test.each<[string, Record<string, string>, number, string[], string[]?]>([
    [
      "output of Helm: comments and empty documents",
      {
        "a.yaml": `---\n# Source: c/templates/ec.yaml\n${major}---\n# Source: c/templates/none.yaml\n---\n---\n${edb(bad)}`,
      },
      1,
      ["a.yaml:18:18 error R1 spec.engineVersion"],
    ],
    [
      "a List in JSON, and a typed one in YAML",
      {
        "a.json": JSON.stringify(
          { apiVersion: "v1", kind: "List", items: parseDocuments(major, "it") },
          undefined,
          2,
        ),
        "b.yaml": `apiVersion: app.engine.com/v1alpha1\nkind: EngineEnterpriseDatabaseList\nitems:\n- metadata: {name: x, namespace: shop}\n  spec: {engineEnterpriseCluster: {name: ec}, engineVersion: "9.9"}\n`,
      },
      1,
      ["b.yaml:5:62 error R1 spec.engineVersion"],
    ],
    [
      "folders in a folder, without -R",
      { "a.yaml": major, "x/b.yaml": edb(bad) },
      0,
      [":0:0 warning MANIFEST-NOTHING"],
    ],
    [
      "folders in a folder, with -R",
      { "a.yaml": major, "x/b.yaml": edb(bad) },
      1,
      ["x/b.yaml:8:18 error R1 spec.engineVersion"],
      ["-R"],
    ],
    ["a folder without manifests", { "x/b.yaml": "a: 1" }, 2, [":0:0 error MANIFEST-UNREADABLE"]],
    [
      "every problem of every file, beside what can be read",
      {
        "a.yaml": `${major}---\nkind: A\nkind: B\nkind: C\n`,
        "b.yaml": `a: {\n---\n${edb(bad)}---\na:\n\t- b\n`,
        "c.json": '{"a": 1, "a": 2}',
      },
      2,
      [
        "a.yaml:7:1 error MANIFEST-UNREADABLE",
        "a.yaml:8:1 error MANIFEST-UNREADABLE",
        "b.yaml:2:1 error MANIFEST-UNREADABLE",
        "b.yaml:13:1 error MANIFEST-UNREADABLE",
        "c.json:1:10 error MANIFEST-UNREADABLE",
        "b.yaml:10:18 error R1 spec.engineVersion",
      ],
    ],
    [
      "aliases that expand without end",
      { "a.yaml": yamlBomb },
      2,
      ["a.yaml:1:1 error MANIFEST-UNREADABLE"],
    ],
    [
      "nesting without end",
      { "a.json": '{"a":'.repeat(50_000) },
      2,
      ["a.json:1:1242 error MANIFEST-UNREADABLE"],
    ],
    [
      "keys of the prototype",
      {
        "a.yaml": major,
        "b.yaml": edb(`${bad}\n__proto__: {engineVersion: "8.0"}\nconstructor: 1`),
      },
      1,
      ["b.yaml:8:18 error R1 spec.engineVersion"],
    ],
  ])("%s", async (...[, files, code, found, words]) => {
    const ended = await validate(files, [...(words ?? []), "-o", "json"]);
    expect({ code: ended.code, found: foundIn(ended) }).toEqual({ code, found });
  });

  test("which documents the verdict depends on is said", async () => {
    const files = {
      "a.yaml": major,
      "b.yaml": ec("engineUpgradePolicy: latest"),
      "new.yaml": edb(`${ofEc}\nengineVersion: "7.4"`),
      "old/b.yaml": edb(`${ofEc}\nengineVersion: "7.2"`),
      "old/c.yaml": edb(`${ofEc}\nengineVersion: "7.4"`),
    };
    const words = ["-f", "./a.yaml", "-f", "./new.yaml", "--old=./old"];
    const differ =
      "2 documents of it before the change differ: FOLDER/old/b.yaml:4, FOLDER/old/c.yaml:4";
    const one = await validate(files, words);
    expect(one.out).toContain(`not evaluated: ${differ}\n`);
    const both = await validate({}, ["-f", "./b.yaml", ...words]);
    expect(both.out).toContain(`not evaluated: ${differ}; the documents of EC engine/ec differ\n`);
  });

  test("stdin", async () => {
    const stdin = stdinOf(`${major}---\n${edb(bad)}`);
    const ended = await validate({}, ["-f", "-", "-o", "json"], { stdin });
    expect(foundIn(ended)).toEqual(["stdin:13:18 error R1 spec.engineVersion"]);
  });

  test.each([
    [["-f", "-", "--old", "-"], "--filename and --old: stdin can be read once"],
    [["-f", "-", "--clusters=-"], "--filename and --clusters: stdin can be read once"],
    [["-f", "-", "-f", "-"], "--filename: stdin can be read once"],
  ])("stdin for two inputs is refused before it is read: %j", async (words, says) => {
    const { code, err, out } = await validate({}, words, { stdin: stdinOf(major) });
    expect([code, out]).toEqual([2, ""]);
    expect(err.split(says)).toHaveLength(2);
  });

  test("a file of 100 MB is refused, and not read to its end", async () => {
    writeFileSync(join(folder, "big.yaml"), "a: 1\n");
    truncateSync(join(folder, "big.yaml"), 100 * 2 ** 20);
    const ended = await validate({ "a.yaml": major }, ["-o", "json"]);
    expect(ended.code).toBe(2);
    expect((JSON.parse(ended.out) as Report).findings?.[0]?.cause).toBe(
      "FOLDER/big.yaml: more than 16 MiB",
    );
  });

  test("names of a megabyte are cut, and nothing of them reaches a terminal as it is", async () => {
    const name = `"\\u202e\\u001b[31m${"x".repeat(2 ** 20)}"`;
    const { out, err, code } = await validate({
      "a.yaml": major,
      "b.yaml": edb('engineVersion: "\\u001b]0;x\\u0007"', name, '"\\u202e"'),
    });
    expect(code).toBe(1);
    expect(out.length + err.length).toBeLessThan(3_000);
    expect(out + err).not.toMatch(/[\u001b\u0007\u202e]/);
  });

  test.each<[string, string[], string]>([
    ["no file", ["--strict"], "--filename: give a file, a folder, or -"],
    [
      "two sources of clusters",
      ["-f", "-", "--live", "--clusters=x"],
      "--clusters and --live: give one of the two",
    ],
    [
      "two states before",
      ["-f", "-", "--live", "--old=x"],
      "--old and --live: give one of the two",
    ],
    [
      "a reading that is none",
      ["-f", "-", "--policy-reading=x"],
      '--policy-reading: "x" is not one of target, step',
    ],
    [
      "a form of verdicts elsewhere",
      [],
      "--output: sarif is for verdicts on objects, and version gives none",
    ],
  ])("%s is refused", async (_name, words, problem) => {
    const line = words.length === 0 ? ["version", "-o", "sarif"] : ["validate", ...words];
    const { code, err } = await typed(line);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(problem) as string });
  });

  test("a file of clusters that is none is told by name", async () => {
    const { code, err } = await validate({ "a.yaml": major, "c.txt": edb("a: 1") }, [
      "--clusters=./c.txt",
    ]);
    expect(code).toBe(2);
    expect(err).toContain(
      "--clusters: FOLDER/c.txt: object 1 is no EngineEnterpriseCluster of app.engine.com",
    );
  });
});

describe("what is no manifest yet", () => {
  const chart = {
    "chart/Chart.yaml": "apiVersion: v2\nname: orders\nversion: 0.1.0\n",
    "chart/templates/if.yaml": `{{- if .Values.on }}\n${edb('engineVersion: "9.9"')}{{- end }}\n`,
    "chart/templates/more/value.yaml": edb("engineVersion: {{ .Values.engineVersion }}"),
  };
  const wrong = edb('engineVersion: "9.9"', "wrong");
  const inFolder = ["-f", "./", "-R"];

  test.each<[string, Record<string, string>, number, string[], string[]]>([
    ["a chart", chart, 0, ["chart/templates/if.yaml:1:1 warning MANIFEST-TEMPLATE"], inFolder],
    [
      "a chart, strictly",
      chart,
      1,
      ["chart/templates/if.yaml:1:1 warning MANIFEST-TEMPLATE"],
      [...inFolder, "--strict"],
    ],
    [
      "a chart beside what is wrong",
      { ...chart, "wrong.yaml": wrong },
      1,
      [
        "chart/templates/if.yaml:1:1 warning MANIFEST-TEMPLATE",
        "wrong.yaml:7:18 error R1 spec.engineVersion",
      ],
      inFolder,
    ],
    [
      "a template that is named",
      chart,
      2,
      ["chart/templates/more/value.yaml:7:18 error MANIFEST-TEMPLATE"],
      ["-f", "./chart/templates/more/value.yaml"],
    ],
    [
      "a template before the change",
      { ...chart, "wrong.yaml": wrong },
      2,
      [
        "chart/templates/if.yaml:1:1 error MANIFEST-TEMPLATE",
        "wrong.yaml:7:18 error R1 spec.engineVersion",
      ],
      ["-f", "./wrong.yaml", "--old=./chart/templates/if.yaml"],
    ],
    [
      "templates of others, a warning for each folder",
      {
        "a/jinja.yaml": `{% if on %}\n${wrong}{% endif %}\n`,
        "a/more.yaml": wrong.replace('"9.9"', "{{ version }}"),
        "b/erb.yaml": `<% if on %>\n${wrong}<% end %>\n`,
        "b/shell.yaml": wrong.replace(/spec:[^]*/, "spec: {engineVersion: ${ENGINE_VERSION}}\n"),
      },
      0,
      ["a/jinja.yaml:1:1 warning MANIFEST-TEMPLATE", "b/erb.yaml:1:1 warning MANIFEST-TEMPLATE"],
      inFolder,
    ],
    [
      "a mistake beside marks in quotes, comments and texts",
      {
        "a.yaml": `# {{ comment }}\na: "{{ double }}" # {% too %}\nb: '<% single %>'\nc: |\n  \${text}\n\n  {{ text }}\nd: [\n`,
      },
      2,
      ["a.yaml:9:1 error MANIFEST-UNREADABLE"],
      inFolder,
    ],
    [
      "texts with marks are no templates",
      {
        "a.yaml": `apiVersion: v1\nkind: ConfigMap\ndata: {a: "{{ x }}", b: '{% y %}'}\n---\n${wrong}`,
      },
      1,
      ["a.yaml:11:18 error R1 spec.engineVersion"],
      inFolder,
    ],
    [
      "a folder without manifests",
      { "a/x.txt": "" },
      2,
      [":0:0 error MANIFEST-UNREADABLE"],
      inFolder,
    ],
  ])("%s", async (...[, files, code, found, words]) => {
    const ended = await validate(files, [...words, "-o", "json"]);
    expect({ code: ended.code, found: foundIn(ended) }).toEqual({ code, found });
  });

  test("a template on stdin", async () => {
    const stdin = stdinOf(chart["chart/templates/if.yaml"]);
    const ended = await validate({}, ["-f", "-", "-o", "json"], { stdin });
    expect({ code: ended.code, found: foundIn(ended) }).toEqual({
      code: 2,
      found: ["stdin:1:1 error MANIFEST-TEMPLATE"],
    });
  });

  test("the way to check a chart is said once, also of one whose name needs quotes", async () => {
    const files = Object.fromEntries(
      Object.entries(chart).map(([name, text]) => [name.replace("chart/", "my chart/"), text]),
    );
    const { out } = await validate(files, inFolder);
    expect(out).toContain("2 Helm templates under FOLDER/my chart are not read\n");
    expect(out).toContain("helm template 'FOLDER/my chart' | kubectl engine validate -f -\n");
    expect(out).not.toContain("MANIFEST-NOTHING");
  });

  test("only files that begin as manifests are told to be left out", async () => {
    const { err } = await validate(
      {
        "a.yaml": edb('engineVersion: "7.4"'),
        "database.template": `# ours\n---\n${wrong}`,
        "database.yaml.j2": "{% if on %}",
        "json.tpl": '{"kind": "List"}',
        "apply.sh": `#!/bin/sh\nkubectl apply -f - <<END\n${wrong}END\n`,
        "README.md": `# Databases\n\nThis one:\n${wrong}`,
        "empty.txt": "",
      },
      ["-f", "./"],
    );
    const named = [...err.matchAll(/file FOLDER\/(\S+) was not read/g)].map(([, name]) => name);
    expect(named).toEqual(["database.template", "database.yaml.j2", "json.tpl"]);
  });

  test("a folder without manifests has a way on of its own", async () => {
    const { out } = await validate({ "a/x.txt": "" }, ["-f", "./a"]);
    expect(out).toContain(
      "give a folder with files that end in .yaml, .yml or .json, or give -R to read the folders within it too\n",
    );
  });

  const open = (file = "db.yaml"): string => `${file}:4:9 warning RULES-NOT-EVALUATED`;
  const published7 = ec("", published);

  test.each<[string, Record<string, string>, string[], string[]?]>([
    ["a version", { "db.yaml": edb('engineVersion: "${ENGINE_VERSION}"') }, [open()]],
    ["a version of Helm's", { "db.yaml": edb('engineVersion: "{{ .Values.v }}"') }, [open()]],
    ["a version without quotes", { "db.yaml": edb("engineVersion: $ENGINE_VERSION") }, [open()]],
    [
      "a version, with modules of which one is wrong",
      {
        "ec.yaml": ec("nodes: 3"),
        "db.yaml": edb(`${ofEc}\nengineVersion: \${V}\nmodulesList: [{name: graph}]`),
      },
      ["db.yaml:9:24 error R3 spec.modulesList[0].name", open()],
    ],
    [
      "a version, of a database whose module was there before",
      {
        "ec.yaml": ec("nodes: 3"),
        "db.yaml": edb(`${ofEc}\nengineVersion: \${V}\nmodulesList: [{name: graph}]`),
        "old.txt": edb(`${ofEc}\nengineVersion: "7.2"\nmodulesList: [{name: graph}]`),
      },
      [open()],
      ["--old=./old.txt"],
    ],
    [
      "a module, an entry and what else is wrong",
      {
        "ec.yaml": ec("nodes: 3"),
        "db.yaml": edb(
          `${ofEc}\nmodulesList: [{name: "\${MODULE}", version: "1"}, "{{ .Values.module }}", {name: graph}]`,
        ),
      },
      ["db.yaml:8:83 error R3 spec.modulesList[2].name", open()],
    ],
    [
      "a whole list",
      { "ec.yaml": ec("nodes: 3"), "db.yaml": edb(`${ofEc}\nmodulesList: "\${MODULES}"`) },
      [open()],
    ],
    ["a whole spec", { "db.yaml": edb("").replace(/spec:[^]*/, "spec: ${SPEC}\n") }, [open()]],
    [
      "the name of the EC, where all ECs are known",
      {
        "all.txt": published7,
        "db.yaml": edb("engineEnterpriseCluster: {name: '${EC}'}\nengineVersion: \"7.4\""),
      },
      [open()],
      ["--clusters=./all.txt"],
    ],
    [
      "the namespace, where all ECs are known",
      { "all.txt": published7, "db.yaml": edb(`engineVersion: "8.0"`, "carts", "$NAMESPACE") },
      [open()],
      ["--clusters=./all.txt", "--operator-namespace=other"],
    ],
    [
      "the name of an EC",
      {
        "all.txt": published7,
        "ec.yaml": ec("userDefinedModules: [{name: graph}]").replace("name: ec", "name: $(EC)"),
        "db.yaml": edb("engineEnterpriseCluster: {name: new}\nmodulesList: [{name: graph}]"),
      },
      [open()],
      ["--clusters=./all.txt"],
    ],
    [
      "an EC's modules",
      {
        "ec.yaml": ec("userDefinedModules: [{name: '${MODULE}'}]"),
        "db.yaml": edb(`${ofEc}\nmodulesList: [{name: graph}]\nengineVersion: "9.9"`),
      },
      ["db.yaml:9:18 error R1 spec.engineVersion", open()],
    ],
    [
      "an EC's policy, for a raise",
      {
        "ec.yaml": ec("engineUpgradePolicy: '${POLICY}'"),
        "db.yaml": edb(`${ofEc}\nengineVersion: "7.4"`),
        "old.txt": edb(`${ofEc}\nengineVersion: "7.2"`),
      },
      [open()],
      ["--old=./old.txt"],
    ],
    [
      "an EC's policy, for the newest",
      {
        "ec.yaml": ec("engineUpgradePolicy: '${POLICY}'"),
        "db.yaml": edb(`${ofEc}\nengineVersion: latest`),
      },
      [open()],
    ],
    [
      "an EC's policy, for what it does not decide",
      {
        "ec.yaml": ec("engineUpgradePolicy: '${POLICY}'"),
        "db.yaml": edb(`${ofEc}\nengineVersion: "7.4"`),
      },
      [],
    ],
    ["a field that is not checked", { "db.yaml": edb('memorySize: "${SIZE}"') }, []],
    [
      "dollars and braces that are none",
      { "ec.yaml": ec("nodes: 3"), "db.yaml": edb(`${ofEc}\nengineVersion: "$7.4 {}"`) },
      ["db.yaml:8:18 error R1 spec.engineVersion"],
    ],
  ])("a placeholder: %s", async (...[, files, found, words = []]) => {
    const all = await validate(files, [...words, "-o", "json"]);
    expect(foundIn(all)).toEqual(found);
    const isWrong = found.some((line) => line.includes(" error "));
    expect(all.code).toBe(isWrong ? 1 : 0);
    const strict = await validate({}, [...words, "--strict"]);
    expect(strict.code).toBe(found.length > 0 ? 1 : 0);
  });

  test("what is not filled in is named, with the way on", async () => {
    const files = { "db.yaml": edb("engineVersion: $VERSION\nmodulesList: [$MODULE]") };
    const { out } = await validate(files);
    expect(out).toContain(
      "not evaluated: spec.engineVersion, spec.modulesList are not filled in\n",
    );
    expect(out).toContain("Fix:    fill the placeholders in, and check what comes of it\n");
  });
});

describe("work grows as the files do", () => {
  const nth = (at: number, version: string): string =>
    edb(
      `${ofEc}\nengineVersion: "${version}"\nmodulesList: [{name: ${at % 2 === 0 ? "own" : "odd"}}]`,
      `db-${at}`,
    );
  const asJson = (text: string): object => parseDocuments(text, "it")[0] as object;
  const listOf = (texts: readonly string[]): object => ({
    ...{ apiVersion: "v1", kind: "List" },
    items: texts.map(asJson),
  });
  const written: Readonly<Record<string, (texts: readonly string[]) => string>> = {
    documents: (texts) => texts.join("---\n"),
    "a List": (texts) => dump(listOf(texts)),
    "a List in JSON": (texts) => JSON.stringify(listOf(texts), null, 2),
    "JSON after JSON": (texts) => texts.map((text) => JSON.stringify(asJson(text))).join("\n"),
  };
  const forms = Object.keys(written);

  const known = ec("userDefinedModules: [{name: own}]");
  const unknown = known.replace("name: ec", "name: other");

  test.each<[string, string, string, string?]>([
    ...forms.map((form): [string, string, string] => [form, "with its EC", known]),
    ...forms.map((form): [string, string, string] => [form, "without it", unknown]),
    ...forms.map((form): [string, string, string, string] => [
      "a List",
      `and ${form} before the change`,
      known,
      form,
    ]),
  ])("%s, %s", async (...[form, , cluster, old]) => {
    const worked = async (count: number): Promise<number> => {
      const texts = (version: string): readonly string[] =>
        Array.from({ length: count }, (_, at) => nth(at, version));
      const files = {
        "ec.yaml": cluster,
        "all.yaml": String(written[form]?.(texts("7.4"))),
        "old.txt": String(written[old ?? form]?.(texts("7.2"))),
      };
      const words = old === undefined ? [] : ["--old=./old.txt"];
      let ended: Ended | undefined;
      const work = await workOf(async () => {
        ended = await validate(files, [
          "-f",
          "./ec.yaml",
          "-f",
          "./all.yaml",
          ...words,
          "-o",
          "json",
        ]);
      });
      const { objects } = (JSON.parse(String(ended?.out)) as Document).details;
      expect(objects).toHaveLength(count);
      return work;
    };
    // what is done once is not counted
    await worked(1);
    const [few, many] = [await worked(50), await worked(200)];
    expect(few).toBeGreaterThan(1_000);
    expect(many / few).toBeLessThan(5);
  });
});

describe("forms", () => {
  const files = {
    "a b,c:d.yaml": `${major}---\n${edb(`${ofEc}\nengineVersion: "9.9"\nmodulesList:\n- name: "<graph> & \\"co\\" 100% ]]>"`)}`,
    "fine.yaml": edb(`${ofEc}\nengineVersion: "8.0"`, "fine"),
    "open.yaml": edb('engineEnterpriseCluster: {name: elsewhere}\nengineVersion: "8.0"', "open"),
    "wrong.yaml": "a: 1\na: 2\n",
  };

  test.each(["text", "json", "yaml", "jsonl", "sarif", "junit", "github"])("%s", async (output) => {
    const { code, out } = await validate(files, ["-o", output]);
    expect(code).toBe(2);
    expectGoldenText(
      `rules/validate.${output}`,
      out.replaceAll(/"version": "\d+\.\d+\.\d+"/g, '"version": "VERSION"'),
    );
  });

  const schemaFile = join(__dirname, "../../../support/sarif-2.1.0-rtm.5.json");
  const { $schema, id, ...schema } = JSON.parse(readFileSync(schemaFile, "utf8")) as {
    readonly $schema: string;
    readonly id: string;
  };
  // what it uses of draft 4 means the same in the drafts that ajv knows
  expect([$schema, id]).toEqual([expect.stringContaining("draft-04"), expect.any(String)]);

  test.each<[string, string[]]>([
    ["verdicts", []],
    ["wrong usage", ["--rules=x"]],
  ])("SARIF of %s fits the schema of SARIF 2.1.0", async (_name, words) => {
    const { out } = await validate(files, [...words, "-o", "sarif"]);
    const isFit = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: false }).compile(
      schema,
    );
    const log = JSON.parse(out) as { runs: { results: unknown[] }[] };
    expect(isFit(log) ? [] : isFit.errors).toEqual([]);
    expect(log.runs[0]?.results).not.toHaveLength(0);
  });

  test.each(["a b", "50%20", "ü", "a?b#c", "a[b]", 'a"b', "back\\slash", "a:b"])(
    "SARIF's reference of a file leads to it: %s",
    async (title) => {
      const wrong = { [`${title}.yaml`]: edb('engineVersion: "9.9"') };
      const { out } = await validate(wrong, ["-o", "sarif"]);
      const [, uri = ""] = /"uri": "([^"]+\.yaml)"/.exec(out) ?? [];
      const path = decodeURIComponent(new URL(uri, "file:///x/").pathname);
      expect(path.split("/").at(-1)).toBe(`${title}.yaml`);
    },
  );

  test("JUnit is XML to a strict parser, and fits the schema of JUnit", async () => {
    const { out } = await validate(files, ["-o", "junit"]);
    const { stdout, stderr } = spawnSync("python3", ["-c", readsXml], {
      encoding: "utf8",
      input: out,
    });
    expect(stderr).toBe("");
    const read = JSON.parse(stdout) as XmlElement;
    const isFit = new Ajv({ strict: false }).compile(junitSchema);
    expect(isFit(read) ? [] : isFit.errors).toEqual([]);
    expect(read.attributes).toMatchObject({ tests: "4", failures: "1", errors: "1", skipped: "1" });
    const cases = read.children.flatMap(({ children }) => children);
    const failed = cases.flatMap(({ children }) => children.filter(({ tag }) => tag === "failure"));
    expect(failed).toHaveLength(1);
    expect(failed[0]?.text).toContain('"<graph> & \\"co\\" 100% ]]>"');
  });

  test("a workflow command is one line, and nothing of an object begins another", async () => {
    const { out } = await validate(
      { "a.yaml": major, "b.yaml": edb('engineVersion: "x\\n::set-env name=a::b"') },
      ["-o", "github"],
    );
    expect(out.match(/^::.*$/gm)).toHaveLength(1);
    expect(out).not.toMatch(/^::set-env/m);
  });
});

describe("live", () => {
  const objects = parseDocuments(
    `${ec("engineUpgradePolicy: major", published)}---\n${edb(`${ofEc}\nengineVersion: "7.2"`)}`,
    "it",
  );
  const run = (user = admin, text = edb(`${ofEc}\nengineVersion: "7.4"`)) => {
    const plane = makeWorld({ objects: worldOf(objects as readonly KubeObject[]) }).controlPlane;
    const cluster = plane.connect({ user, namespace: "shop" });
    return validate({ "b.yaml": text }, ["--live", "-o", "json"], {
      connect: () => Promise.resolve(cluster),
    });
  };

  test("the stored object is what a change begins at, the stored EC what it is checked by", async () => {
    const ended = await run();
    expect({ code: ended.code, found: foundIn(ended) }).toEqual({
      code: 1,
      found: ["b.yaml:8:18 error R2 spec.engineVersion"],
    });
  });

  test("a version that the stored EC does not bundle", async () => {
    const ended = await run(admin, edb(`${ofEc}\nengineVersion: "8.0"`, "other"));
    expect(foundIn(ended)).toEqual(["b.yaml:8:18 error R1 spec.engineVersion"]);
  });

  test("whoever may not list is told which Role to ask for", async () => {
    const ended = await run({ name: "eve", groups: ["system:authenticated"] });
    const { permissions } = JSON.parse(ended.out) as Report;
    expect(ended.code).toBe(4);
    expect(permissions?.missing).toHaveLength(3);
    expect(permissions?.manifest).toContain("engineenterprisedatabases");
  });
});

/** With what the objects need around them. */
function worldOf(objects: readonly KubeObject[]): readonly KubeObject[] {
  const crds = [
    "engine_enterprise_cluster",
    "engine_enterprise_database",
    "engine_enterprise_active_active_database",
  ];
  const texts = crds.map((name) =>
    readFileSync(join(__dirname, `../../../../manifests/crds/${name}.yaml`), "utf8"),
  );
  const namespaces = ["engine", "shop"].map((name) => ({
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name },
  }));
  return [
    ...texts.flatMap((text) => parseDocuments(text, "it") as KubeObject[]),
    ...namespaces,
    ...objects,
  ];
}
