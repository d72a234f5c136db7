/** What a person types wrong at 2 a.m.: one error for each mistake, and what to do about it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { typed } from "../../support/program-world";
import { aFolder } from "../../support/a-folder";

let folder: string;
beforeAll(() => {
  folder = aFolder("mistyped");
  writeFileSync(join(folder, "bad.yaml"), "a: [\n");
});

const errors = (err: string): readonly string[] =>
  err.split("\n").filter((line) => line.startsWith("error: "));

describe("one mistake is one error", () => {
  test.each<[string, string[], string]>([
    [
      "help of a mistyped command names the nearest",
      ["help", "upgrade-clustr"],
      "unknown command: upgrade-clustr (did you mean upgrade-cluster?)",
    ],
    [
      "help of a mistyped command of a group",
      ["help", "cert", "crate"],
      "unknown command: cert crate (did you mean cert create?)",
    ],
    ["--help of no command", ["nosuch", "--help"], "unknown command: nosuch"],
    ["no release", ["upgrade-operator"], "no release: give --release SOURCE, or --chart REF"],
    [
      "a mistyped flag that others go with",
      ["upgrade-operator", "--relase=./release", "--target=8.0.2-2", "--sha256=00"],
      "unknown flag: --relase (did you mean --release?)",
    ],
    [
      "a mistyped flag before the name",
      ["upgrade-cluster", "--targt", "8.0.2-17", "ec"],
      "unknown flag: --targt (did you mean --target?)",
    ],
    ["-f where there is none", ["upgrade-webhook", "-f", "x.yaml"], "unknown flag: -f"],
    ["-fVALUE where there is none", ["upgrade-webhook", "-fx.yaml"], "unknown flag: -f"],
    ["-f in a rehearsal", ["rehearse", "status", "-f", "x.yaml"], "unknown flag: -f"],
  ])("%s: %j", async (_, argv, message) => {
    const { code, err, out } = await typed(argv);
    expect(errors(err)).toEqual([`error: ${message}`]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
  });

  test("two mistakes are two errors", async () => {
    const { err } = await typed(["upgrade", "--relase=./r", "--stall-after=soon"]);
    expect(errors(err)).toHaveLength(2);
  });
});

describe("a file that cannot be used is named, with what is wrong", () => {
  const cases = (): [string, string[], string][] => [
    ["template", ["upgrade-webhook", "--template", "none.yaml"], "no such file: none.yaml"],
    ["names", ["status", "--names", "none.yaml"], "no such file: none.yaml"],
    ["release", ["upgrade-operator", "--release", "none"], "no such file or folder: none"],
    ["a folder", ["upgrade-webhook", "--template", folder], `is a folder, not a file: ${folder}`],
    [
      "a template that is not YAML",
      ["upgrade-webhook", "--template", join(folder, "bad.yaml")],
      `${join(folder, "bad.yaml")} cannot be read`,
    ],
  ];

  test.each(["template", "names", "release", "a folder", "a template that is not YAML"])(
    "%s",
    async (name) => {
      const [, argv = [], message = ""] = cases().find(([one]) => one === name) ?? [];
      const { code, err } = await typed([...argv, "-o", "json"]);
      expect(errors(err)).toEqual([expect.stringContaining(message)]);
      expect(err).not.toMatch(/ENOENT|EISDIR|command line/);
      expect(err).toMatch(/\n {2}next: /);
      expect(code).toBe(2);
    },
  );
});

describe("what a person expects to work", () => {
  test("--version prints the version, as version does", async () => {
    const { out, code } = await typed(["--version"]);
    expect(code).toBe(0);
    expect(out).toBe((await typed(["version"])).out);
    expect((await typed(["-o", "json", "--version"])).out).toBe(
      (await typed(["version", "-o", "json"])).out,
    );
  });

  test("--version of a chart stays what it is", async () => {
    const { err } = await typed(["upgrade-operator", "--chart", "./c", "--version"]);
    expect(err).toContain("--version: needs a value");
  });

  test.each<[string, string[]]>([
    ["--timeout", ["status", "--timeout", "5"]],
    ["--request-timeout", ["status", "--request-timeout=5"]],
    ["--stall-after", ["upgrade-cluster", "ec", "--target=8.0.2-17", "--stall-after", "5"]],
    ["--interval", ["status", "--watch", "--interval", "5"]],
    ["--wait-secret", ["upgrade-webhook", "--wait-secret", "5"]],
  ])("%s takes a number of seconds", async (_, argv) => {
    const { err } = await typed(argv);
    expect(err).not.toContain("is not a duration");
    expect(err).toContain("no cluster here"); // as far as the connection
  });

  test.each<[string, string[], string]>([
    ["upgrade-operator", ["--release", "none", "--target", "v8.0.2-2"], "--target"],
    ["upgrade", ["--release", "none", "--cluster-target", "v8.0.2-17"], "--cluster-target"],
    ["upgrade-cluster", ["ec", "--target", "v8.0.2-17"], "--target"],
    ["check", ["--target", "v8.0.2-2"], "--target"],
  ])("%s drops the leading v of a tag, and says so", async (command, args, flag) => {
    const tag = args.at(-1) ?? "";
    const { err, out } = await typed([command, ...args, "-o", "jsonl"]);
    const [first = "{}"] = out.split("\n");
    const text = `${flag}: ${tag} is read as ${tag.slice(1)}: tags have no leading v`;
    expect(JSON.parse(first)).toEqual({ type: "warning", text });
    expect(err).not.toContain("is not a tag");
  });
});
