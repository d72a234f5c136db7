/** The example of a pull request, by the command line of its action: the bad change is shown with file, line, rule and fix. */
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { aFolder } from "./support/a-folder";

const root = join(__dirname, "..");
const example = join(root, "docs/examples/pull-request");

interface Action {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: {
    readonly steps: readonly [
      { readonly env: Readonly<Record<string, string>>; readonly run: string },
    ];
  };
}

interface Workflow {
  readonly jobs: {
    readonly validate: {
      readonly steps: readonly {
        readonly uses: string;
        readonly with: Readonly<Record<string, string>>;
      }[];
    };
  };
}

const read = (path: string): unknown => load(readFileSync(join(example, path), "utf8"));
const action = read(".github/actions/validate/action.yml") as Action;
const workflow = read(".github/workflows/databases.yml") as Workflow;

let folder = "";
beforeEach(() => {
  folder = aFolder("repository");
  for (const part of ["manifests", "clusters.yaml"]) {
    cpSync(join(example, part), join(folder, part), { recursive: true });
  }
  git("init", "--quiet");
  git("add", ".");
  git("-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "before");
});

function git(...words: readonly string[]): void {
  const { status, stderr } = spawnSync("git", words, { cwd: folder, encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
}

/** What the runner does: inputs into variables, then the script. */
function act(given: Readonly<Record<string, string>>) {
  const program = join(folder, "../program");
  mkdirSync(program, { recursive: true });
  const executable = join(program, "kubectl-engine");
  const words = [process.execPath, require.resolve("tsx/cli"), join(root, "plugin/main.ts")];
  writeFileSync(executable, `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(" ")} "$@"\n`);
  chmodSync(executable, 0o755);
  const [{ env, run }] = action.runs.steps;
  const inputs = new Map(Object.entries(action.inputs).map(([name, one]) => [name, one.default]));
  for (const [name, value] of Object.entries(given)) inputs.set(name, value);
  const variables = Object.entries(env).map(([name, text]): [string, string] => {
    const [, input = ""] = /^\$\{\{ inputs\.(\w+) \}\}$/.exec(text) ?? [];
    const value = inputs.get(input);
    if (value === undefined) throw new Error(`${name} is of no input`);
    return [name, value];
  });
  const path = `${program}:${process.env["PATH"] ?? ""}`;
  // as the runner calls bash
  return spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", run], {
    cwd: folder,
    env: { PATH: path, HOME: folder, ...Object.fromEntries(variables) },
    encoding: "utf8",
  });
}

/** What the workflow gives the action, with the commit before for the base of the pull request. */
const step = workflow.jobs.validate.steps.find(({ uses }) => uses.startsWith("./"));
const given = { ...step?.with, base: "HEAD" };

test("the workflow uses the action, with inputs that it has", () => {
  expect(step?.uses).toBe("./.github/actions/validate");
  expect(Object.keys(action.inputs)).toEqual(expect.arrayContaining(Object.keys(given)));
});

test("what is merged already passes", () => {
  expect(act(given)).toMatchObject({ status: 0, stdout: "0 of 1 database violate the rules\n" });
});

test("the bad pull request is shown with file, line, rule and fix, as its page says", () => {
  cpSync(join(example, "pull-request/manifests"), join(folder, "manifests"), { recursive: true });
  const { status, stdout } = act(given);
  const page = join(example, "README.md");
  const text = readFileSync(page, "utf8");
  const told = text.replace(/(?<=<!-- printed -->\n```text\n)[^`]*(?=```)/, stdout);
  if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(page, told);
  else expect(told).toBe(text);
  expect(status).toBe(1);
  expect(
    stdout.match(/^::error file=manifests\/[\w.]+,line=\d+,col=\d+,title=R[123] .*%0AFix: /gm),
  ).toHaveLength(3);
});

test("an input is never a part of the script", () => {
  const { status, stdout } = act({ files: "$(touch owned); manifests", base: "" });
  expect(status).toBe(2);
  expect(stdout).toContain("no such file: $(touch owned); manifests");
  expect(spawnSync("ls", [folder], { encoding: "utf8" }).stdout).not.toContain("owned");
});

test("further flags are words of their own", () => {
  const { status } = act({ ...given, arguments: "--strict --rules=policy=off" });
  expect(status).toBe(0);
});

describe("advisories that are given", () => {
  const put = (condition: string, flash: boolean): void => {
    writeFileSync(
      join(folder, "own.yaml"),
      `apiVersion: advisories/v1
date: "2026-11-30"
advisories:
  - code: HOUSE-FLASH
    severity: warning
    area: databases
    concerns: database
    title: No data is on flash
    when: ${condition}
    cause: a part of its data is on flash
    fix: upgrade it by day
    source: rules of our house
    examples:
      fires: { database: { flash: ${String(flash)} } }
      silent: { database: { flash: false } }
`,
    );
  };

  test.each([
    ["pass where they are sound", "database.flash", true, 0, /1 row/],
    ["fail where a word is none", "database.flesh", true, 3, /::error file=own\.yaml,line=9,/],
    ["fail where an example is wrong", "database.flash", false, 3, /title=ADVISORY-EXAMPLE/],
  ])("%s", (_title, condition, flash, code, told) => {
    put(condition, flash);
    const { status, stdout } = act({ ...given, advisories: "own.yaml" });
    expect({ status, stdout }).toEqual({
      status: code,
      stdout: expect.stringMatching(told) as string,
    });
  });
});
