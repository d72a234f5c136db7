import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { defaultNames, namesTree } from "../../../plugin/domain/names/names";
import { judgeNames, listKeys } from "../../../plugin/domain/names/judge";
import { exampleSource } from "../../../plugin/simulator/example";
import { everyOverride, renamed } from "../../support/renamed";
import { renderDocuments } from "../../../plugin/adapters/kubernetes/text/yaml";
import { startOfRun, typed } from "../../support/program-world";
import { aWebhookProgram } from "../../support/webhook-program";
import { aFolder } from "../../support/a-folder";

let folder = "";
beforeEach(() => {
  folder = aFolder("names");
});

function file(text: string, name = "names.yaml"): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe("options --names", () => {
  test("prints every name below a comment", async () => {
    const { code, out, err } = await typed(["options", "--names"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(load(out)).toEqual(defaultNames);
    expect(out.match(/^ *# /gm)).toHaveLength(listKeys(namesTree).length + 2);
    expect(out).toContain("\n  # Secret with the webhook's key pair\n  secret: admission-tls\n");
    expect(out).toContain("\nengineVersions: ['7.2', '7.4', '8.0', '8.2']\n");
  });

  test("its output, fed back, changes nothing", async () => {
    const { out } = await typed(["options", "--names"]);
    expect(judgeNames(load(out))).toEqual({ names: defaultNames });
    const again = await typed(["options", "--names", file(out)]);
    expect(again).toEqual({ code: 0, out, err: "" });
  });

  test("with a file it prints the names as the file makes them", async () => {
    const all = file(renderDocuments([everyOverride]));
    const { out } = await typed(["options", `--names=${all}`]);
    expect(load(out)).toEqual(renamed);
    const json = file('{"webhook": {"secret": "acme-tls"}}', "names.json");
    expect(load((await typed(["options", "--names", json])).out)).toEqual({
      ...defaultNames,
      webhook: { ...defaultNames.webhook, secret: "acme-tls" },
    });
  });

  test.each([
    [["options", "--names", "-o", "json"]],
    [["options", "-o", "json", "--names"]],
    [["-o=json", "options", "--names"]],
  ])("%j gives them as an object in the document", async (argv) => {
    const { out } = await typed(argv);
    expect(JSON.parse(out)).toMatchObject({ kind: "Options", details: { names: defaultNames } });
  });

  test("alone it stands for the default, whatever the variable says", async () => {
    const env = { ENGINE_NAMES: join(folder, "none.yaml") };
    const { code, out } = await typed(["options", "--names"], { env });
    expect([code, load(out)]).toEqual([0, defaultNames]);
  });
});

describe("an annotation with several spellings", () => {
  const older = "older.io/operator";
  const program = aWebhookProgram();
  const status = async (spellings: unknown, annotations: object) => {
    const { objects } = await exampleSource(defaultNames, startOfRun);
    const pinned = `${defaultNames.images.operator}@sha256:${"ab".repeat(32)}`;
    const items = objects.map((object) =>
      object.kind === "Deployment" && object.metadata.name === defaultNames.operator.deployment
        ? {
            ...(JSON.parse(
              JSON.stringify(object).replaceAll(/engine\/operator:[^"]*/g, pinned),
            ) as object),
            metadata: { ...object.metadata, annotations },
          }
        : object,
    );
    const dump = file(JSON.stringify({ apiVersion: "v1", kind: "List", items }), "dump.json");
    const names = file(JSON.stringify({ annotations: { operatorVersion: spellings } }));
    const own = [`--webhook=${program.file}`, "--from", dump, "--names", names, "-o", "json"];
    const argv = ["rehearse", ...own, "status"];
    const { out } = await typed(argv, { env: { HOME: folder, ENGINE_HOME: folder } });
    return JSON.stringify(JSON.parse(out));
  };

  test.each<[string, unknown, object]>([
    ["the one text of an earlier file", older, { [older]: "8.0.2-2" }],
    ["the first of a list", ["new.io/v", older], { "new.io/v": "8.0.2-2" }],
    ["the last of a list", ["new.io/v", older], { [older]: "8.0.2-2" }],
    ["the first that is there", ["new.io/v", older], { "new.io/v": "8.0.2-2", [older]: "1.0.0-1" }],
  ])("is read by %s", async (_title, spellings, annotations) => {
    expect(await status(spellings, annotations)).toContain('"version":"8.0.2-2"');
  });
});

describe("a names file that cannot be used is exit 2, with every problem", () => {
  test.each<[string, string, readonly string[]]>([
    [
      "several at once",
      "ec: { kind: acme, plurl: x }\nversion: ''",
      [
        'ec.kind: "acme" is not a kind (CamelCase, letters and digits, at most 63)',
        "ec.plurl: unknown key (did you mean ec.plural?)",
        'version: "" is not an API version such as v1 or v1alpha1',
      ],
    ],
    [
      "keys that are there twice, beside all else",
      'ec: { short: a, "short": b }\nimages: { cluster: X }\nec: { kind: Y }\nec:\n  kind: z\n',
      [
        "ec.short: is there twice",
        'images.cluster: "X" is not an image without tag or digest',
        "ec: is there twice",
        "ec: is there twice",
      ],
    ],
    ["two documents", "a: 1\n---\nb: 1", ["holds 2 documents where one is expected"]],
    ["a list", "- a", ['["a"] is not a mapping of names']],
  ])("%s", async (_title, text, problems) => {
    const path = file(text);
    const { code, out, err } = await typed(["version", "-o", "json", "--names", path]);
    expect(code).toBe(2);
    const { findings } = JSON.parse(out) as { findings: { code: string; cause: string }[] };
    expect(findings.map(({ cause }) => cause)).toEqual(
      problems.map((problem) => `--names ${path}: ${problem}`),
    );
    for (const problem of problems) expect(err).toContain(problem);
  });

  test("no such file, also where the variable names it", async () => {
    const path = join(folder, "none.yaml");
    for (const [argv, env] of [
      [["version", "--names", path], {}],
      [["version"], { ENGINE_NAMES: path }],
    ] as const) {
      const { code, err } = await typed(argv, { env });
      expect({ code, err }).toMatchObject({
        code: 2,
        err: expect.stringContaining(`--names: no such file: ${path}`) as string,
      });
    }
  });

  test("stdin", async () => {
    const { code, err } = await typed(["version", "--names", "-"]);
    expect(code).toBe(2);
    expect(err).toContain("--names -: is stdin, give a file");
  });

  test.each([
    ["at the end", ["version", "--names"]],
    ["before a command that is not options", ["--names=", "version"]],
  ])("a missing value %s", async (_title, argv) => {
    const { code, err } = await typed(argv);
    expect(code).toBe(2);
    expect(err).toContain("--names: needs a value");
  });

  test("problems of the file and of other flags are named together", async () => {
    const path = file("grup: a.b");
    const { err } = await typed(["version", "--names", path, "--timeout=soon"]);
    expect(err).toContain("grup: unknown key");
    expect(err).toContain("--timeout");
  });
});
