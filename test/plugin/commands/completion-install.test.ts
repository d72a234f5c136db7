/** `completion install`: where the files go, and what is refused. */
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { completionScript, kubectlCompletion } from "../../../plugin/commands/completion";
import { shells } from "../../../plugin/commands/standard-flags";
import type { Report } from "../../../plugin/run/report";
import { aFolder } from "../../support/a-folder";
import { typed } from "../../support/program-world";

const { name, text } = kubectlCompletion("linux");

/** A home with the plugin in a folder of the PATH. */
function aHome() {
  const home = aFolder("home");
  const bin = join(home, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "kubectl-engine"), "");
  const env = { HOME: home, SHELL: "/bin/bash", PATH: `relative:${bin}` };
  const install = async (...words: readonly string[]) => {
    const { code, out, err } = await typed(["completion", "install", ...words, "-o", "json"], {
      env,
    });
    return { code, err, report: JSON.parse(out) as Report };
  };
  return { home, bin, env, install };
}

const resultsOf = ({ steps = [] }: Report): readonly string[] =>
  steps.map(({ object, result }) => `${object} ${result}`);

const places = {
  bash: ".local/share/bash-completion/completions/kubectl-engine",
  zsh: ".zfunc/_kubectl-engine",
  fish: ".config/fish/completions/kubectl-engine.fish",
  powershell: ".config/powershell/kubectl-engine.ps1",
};

test.each(shells)(
  "%s: both files are written, and the second run changes nothing",
  async (shell) => {
    const { home, bin, install } = aHome();
    const [script, program] = [join(home, places[shell]), join(bin, name)];
    const first = await install(shell);
    expect({ code: first.code, results: resultsOf(first.report) }).toEqual({
      code: 0,
      results: [`${script} created`, `${program} created`],
    });
    expect(readFileSync(script, "utf8")).toBe(completionScript([shell]));
    expect(readFileSync(program, "utf8")).toBe(text);
    expect(statSync(program).mode & 0o111).toBe(0o111);
    const before = statSync(script).ino;
    const second = await install(shell);
    expect(resultsOf(second.report)).toEqual([`${script} unchanged`, `${program} unchanged`]);
    expect(statSync(script).ino).toBe(before);
  },
);

test("without a shell it is the login shell, and a dry run says where and writes nothing", async () => {
  const { home, bin, install } = aHome();
  const { code, report } = await install("--dry-run=client");
  const [script, program] = [join(home, places.bash), join(bin, name)];
  expect({ code, results: resultsOf(report) }).toEqual({
    code: 0,
    results: [`${script} planned`, `${program} planned`],
  });
  for (const file of [script, program]) expect(() => statSync(file)).toThrow("ENOENT");
});

test("files of an older release are replaced", async () => {
  const { bin, install } = aHome();
  writeFileSync(join(bin, name), "#!/bin/sh\nkubectl-engine __complete $*\n");
  const { report } = await install();
  expect(report.steps?.map(({ result }) => result)).toEqual(["created", "changed"]);
});

test("one that kubectl finds elsewhere on the PATH is enough", async () => {
  const { home, env, bin } = aHome();
  const other = join(home, "other");
  mkdirSync(other);
  writeFileSync(join(other, name), text);
  const { out } = await typed(["completion", "install"], {
    env: { ...env, PATH: `${bin}:${other}` },
  });
  expect(out).toMatch(new RegExp(`${join(other, name)} +unchanged`));
});

test("zsh is told the line that it needs", async () => {
  const { home, install } = aHome();
  const { report } = await install("zsh");
  expect(report.exit.next).toContain(`fpath=(${join(home, ".zfunc")} $fpath)`);
});

test("a folder on the way that is none is refused, and nothing is written", async () => {
  const { home, bin, install } = aHome();
  writeFileSync(join(home, ".local"), "");
  const { code, err } = await install();
  expect({ code, err }).toEqual({
    code: 2,
    err: expect.stringContaining("part of the path is not a folder") as string,
  });
  expect(() => statSync(join(bin, name))).toThrow("ENOENT");
});

test.each<[string, (place: ReturnType<typeof aHome>) => Record<string, string>, RegExp]>([
  [
    "an unknown login shell",
    () => ({ SHELL: "/bin/tcsh" }),
    /the login shell "tcsh" is not one of/,
  ],
  ["no home folder", () => ({ HOME: "" }), /HOME is not set/],
  ["no folder on the PATH", () => ({ PATH: "" }), /no folder of the PATH is open to this user/],
  [
    "somebody else's file",
    ({ bin }) => {
      writeFileSync(join(bin, name), "echo mine\n");
      return {};
    },
    /kubectl_complete-engine is there and not from kubectl-engine/,
  ],
])("%s is one clear error, and nothing is written", async (_, spoil, message) => {
  const place = aHome();
  const env = { ...place.env, ...spoil(place) };
  const { code, out, err } = await typed(["completion", "install"], { env });
  expect({ code, out, err }).toEqual({
    code: 2,
    out: "",
    err: expect.stringMatching(message) as string,
  });
  expect(err.match(/^error:/gm)).toHaveLength(1);
  expect(() => statSync(join(place.home, places.bash))).toThrow("ENOENT");
});

test.each([
  [["bash", "zsh"], /give one shell, or install and one shell/],
  [["install", "bash", "zsh"], /completion install takes one shell/],
  [["install", "tcsh"], /tcsh is not one of bash/],
])("%j is wrong usage", async (words, message) => {
  const { code, err } = await typed(["completion", ...words], { env: aHome().env });
  expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) as string });
});
