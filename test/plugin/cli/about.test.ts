/** The commands that need no cluster: `explain`, `completion` and `version`. */
import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../../package.json";
import { shells } from "../../../plugin/cmdutil/standard-flags";
import { catalogue } from "../../../plugin/commands/explain/catalogue";
import { sourceCommand } from "../../../plugin/domain/base/findings";
import { explain } from "../../../plugin/domain/names/codes";
import { defaultNames } from "../../../plugin/domain/names/names";
import { aFolder } from "../../support/a-folder";
import { typed } from "../../support/program-world";

test("every code is explained with cause, fix and source", async () => {
  for (const entry of catalogue) {
    const { code, cause, fix, source } = explain(entry, defaultNames);
    const { out } = await typed(["explain", code]);
    for (const part of [cause, fix, sourceCommand(source)]) expect(out).toContain(part);
  }
});

test("a code may be typed in any case, with underscores or brackets", async () => {
  for (const typedCode of ["[R1]", "r3", "secret_missing"]) {
    const { code, out } = await typed(["explain", typedCode]);
    expect([typedCode, code, out]).toEqual([
      typedCode,
      0,
      expect.stringMatching(/^Code: +(R[13]|SECRET-MISSING) /),
    ]);
  }
});

test.each([
  ["S27", "S27 (Admission webhook)\nThe Secret `admission-tls` exists"],
  ["S27,S28", "\n\nS28 (Admission webhook)\nRead the certificate"],
  ["Facts-7", "Facts 7: custom resources\n"],
])("the number %s is explained by its statement", async (wanted, text) => {
  const { code, out } = await typed(["explain", wanted]);
  expect([code, out]).toEqual([0, expect.stringContaining(text)]);
});

test.each([
  ["S999", "the specification has no S999"],
  ["no-such-code", "use a code as a report prints it"],
  ["", "use a code as a report prints it"],
  ["SECRT-MISSING", "(did you mean SECRET-MISSING?)"],
  ["r4", "(did you mean R1?)"],
  ["SECRET-NONSENSE", "use one of SECRET-"],
])("the unknown code %j is wrong usage: %s", async (wanted, help) => {
  const { code, err } = await typed(["explain", wanted]);
  expect([code, err]).toEqual([2, expect.stringContaining(help)]);
});

const scriptFor = async (shell: string): Promise<string> =>
  (await typed(["completion", shell])).out;

test.each(shells)("%s has a script that asks __complete", async (shell) => {
  expect(await scriptFor(shell)).toContain("kubectl-engine __complete");
});

test("completion installs nothing: the word is no shell", async () => {
  const { code, err } = await typed(["completion", "install"]);
  expect(code).toBe(2);
  expect(err).toContain('SHELL: "install" is not one of');
});

/** A folder with a kubectl-engine that answers a completion by what it was asked. */
function fakeProgram(): string {
  const folder = aFolder("engine-completion");
  const program = join(folder, "kubectl-engine");
  const answer = 'printf \'%s\\thelp\\n\' "asked:$#:${!#}" "${!#}other"; echo :4';
  writeFileSync(program, `#!/bin/bash\n${answer}\n`);
  chmodSync(program, 0o755);
  return folder;
}

test.each([
  ["a word begun", "kubectl-engine ver", "asked:2:ver verother"],
  ["a word to come", "kubectl-engine cert ", "asked:3: other"],
  [
    "a value behind =, of which only the value is replaced",
    "kubectl-engine -o=",
    "asked:2:-o= other",
  ],
  ["a value with a colon in it", "kubectl-engine status --context a:b", "asked:4:a:b bother"],
])("bash completes %s", async (_, line, expected) => {
  const script = `${await scriptFor("bash")}
COMP_LINE='${line}'; COMP_POINT=${line.length}; _kubectl_engine; echo "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", script], {
    encoding: "utf8",
    env: { ...process.env, PATH: `${fakeProgram()}:${process.env["PATH"] ?? ""}` },
  });
  expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: expected, stderr: "" });
});

test("version as JSON has the platform too, and no run", async () => {
  const { out } = await typed(["version", "--client", "-o", "json"]);
  const { node } = process.versions;
  const platform = `${process.platform}/${process.arch}`;
  expect(JSON.parse(out)).toEqual({
    apiVersion: "cli.engine.com/v1",
    kind: "Version",
    details: { clientVersion: { version, commit: "unknown", date: "unknown", node, platform } },
    exit: { code: 0, reason: `version ${version}` },
  });
});

test.each([
  ["jsonpath={.kind}", "Version"],
  ["custom-columns=KIND:.kind", "KIND\nVersion\n"],
])("version -o %s", async (form, text) => {
  expect(await typed(["version", "--client", "-o", form])).toMatchObject({ code: 0, out: text });
});

test("wide is text, with more columns where a table has more", async () => {
  const version = await typed(["version", "--client"]);
  expect(await typed(["version", "--client", "-o", "wide"])).toEqual(version);
  const { out } = await typed(["check", "--list", "-o", "wide"]);
  expect(out).toMatch(/^AREA +CODE +SEVERITY +SOURCE +HOLDS WHEN\n/);
});

test("a template that cannot be read is named with every other mistake, and nothing runs", async () => {
  const { code, out, err } = await typed(["version", "--clint", "-o", "jsonpath={.kind"]);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain("unknown flag: --clint");
  expect(err).toContain('--output: a brace has no other in "{.kind"');
});
