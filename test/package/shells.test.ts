/** Completion in a real zsh and a real fish, of Debian packages that are unpacked into a folder, by the scripts that the archive has. */
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fetched, hasDebianTools } from "../../.ci/package/debian";
import { run } from "../control-plane/run";
import { archHere, released, unpackInto } from "./released";

/** Of Debian 12, whose libraries any later system has. */
const packages = {
  "z/zsh/zsh_5.9-4+b15_amd64": "8362cc8bbb530d393950522dc8a9df5a860a61227d62ff669a7524056e6289a8",
  "z/zsh/zsh-common_5.9-4_all": "4f263aa88910f750965b1a83dcbca1355b2cf509acffe96cc2d856333909a7b5",
  "f/fish/fish_3.6.0-3.1+deb12u1_amd64":
    "ffe12d263ef84a49554205e7c6607d81bc4f78f350194aab303a9a7a7888bbab",
  "f/fish/fish-common_3.6.0-3.1+deb12u1_all":
    "7386d9ae1851784c9ab3818f18389dbe33f4961f48617393509e2cc99ac6b6e1",
  "p/pcre2/libpcre2-32-0_10.42-1_amd64":
    "cadd2941b89f3f80dd739df457f96cd7a77f364d878b5c2c354130208bd60c31",
};

const fits = hasDebianTools() && archHere === "amd64";
if (!fits) process.stderr.write("zsh and fish are not run: needs apt and amd64\n");
const withShells = fits ? describe : describe.skip;

const dir = mkdtempSync(join(tmpdir(), "shells-"));
const [root, bin, home] = [join(dir, "root"), join(dir, "bin"), join(dir, "home")];
const libraries = join(root, "usr/lib/x86_64-linux-gnu");
const env = {
  ...{ HOME: home, PATH: [bin, "/usr/bin", "/bin"].join(delimiter), TERM: "dumb" },
  ...{ LD_LIBRARY_PATH: libraries, ROOT: root },
};
afterAll(() => {
  rmSync(dir, { recursive: true });
});

/** A zsh reads the first of any kind, a zsh with a terminal the second too. */
const startup = {
  ".zshenv": `module_path=(${libraries}/zsh/5.9)\nfpath=($ROOT/usr/share/zsh/functions/**/*(/))\n`,
  ".zshrc": `fpath=(~/.zfunc $fpath)
autoload -U compinit; compinit -u -D
tell() { print -r -- "$BUFFER" > ~/line; exit }
zle -N tell
bindkey '^X' tell
`,
};

/** Where the help says that the scripts go. */
const places = {
  "kubectl-engine.zsh": ".zfunc/_kubectl-engine",
  "kubectl-engine.fish": ".config/fish/completions/kubectl-engine.fish",
};

/** Types a line and Tab into a zsh with a terminal, then the key that tells what the line has become. */
const typing = `zmodload zsh/zpty
zpty shell $ROOT/bin/zsh -i
zpty -w -n shell $1$'\\t\\x18'
while zpty -r shell said; do print -rn -- $said; done
`;

withShells("the script that the archive has", () => {
  beforeAll(async () => {
    for (const folder of [root, bin, home]) mkdirSync(folder);
    for (const [path, sha256] of Object.entries(packages)) {
      const file = fetched(`pool/main/${path}.deb`, sha256);
      expect(await run("dpkg-deb", ["--extract", file, root])).toMatchObject({ code: 0 });
    }
    // fish takes the files beside it only where both of its folders are there
    symlinkSync("../etc", join(root, "usr/etc"));
    await unpackInto(released("kubectl-engine_linux_amd64.tar.gz"), bin);
    for (const [name, text] of Object.entries(startup)) writeFileSync(join(home, name), text);
    writeFileSync(join(dir, "typing.zsh"), typing);
    for (const [script, place] of Object.entries(places)) {
      mkdirSync(dirname(join(home, place)), { recursive: true });
      copyFileSync(join(bin, "completion", script), join(home, place));
    }
  });

  test.each([
    ["a command", "upgrade-w", "upgrade-webhook "],
    ["a command of a group", "cert ins", "cert inspect "],
    ["a code", "explain SECRET-MISS", "explain SECRET-MISSING "],
    ["a value bound to its flag", "check --only=SECRET-MISS", "check --only=SECRET-MISSING "],
    ["a file", "upgrade-webhook --template ~/.zshr", "upgrade-webhook --template ~/.zshrc "],
  ])("completes %s in zsh, at the first Tab", async (_name, typed, line) => {
    rmSync(join(home, "line"), { force: true });
    const zsh = join(root, "bin/zsh");
    await run(zsh, [join(dir, "typing.zsh"), `kubectl-engine ${typed}`], { env });
    expect(readFileSync(join(home, "line"), "utf8")).toBe(`kubectl-engine ${line}\n`);
  });

  test.each([
    ["a command", "upgrade-w", ["upgrade-webhook"]],
    ["a command of a group", "cert ins", ["inspect"]],
    ["the wide form", "status -o w", ["wide"]],
    ["the words of a flag", "status -o j", ["json", "jsonl", "jsonpath="]],
    ["a code", "explain SECRET-MISS", ["SECRET-MISSING"]],
    ["a file", `upgrade-webhook --template ${home}/.zshr`, [`${home}/.zshrc`]],
  ])("completes %s in fish", async (_name, typed, words) => {
    const args = ["-c", `complete -C 'kubectl-engine ${typed}'`];
    const { stdout } = await run(join(root, "usr/bin/fish"), args, { env });
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => line.split("\t")[0])).toEqual(words);
  });
});
