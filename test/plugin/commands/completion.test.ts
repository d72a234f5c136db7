import { spawnSync } from "node:child_process";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { completionText, runCompletion } from "../../../plugin/commands/completion";
import type { CommandContext } from "../../../plugin/commands/context";
import { shells } from "../../../plugin/commands/standard-flags";
import { typed } from "../../support/program-world";
import { aFolder } from "../../support/a-folder";

const context = {} as CommandContext;
const scriptFor = async (...args: string[]): Promise<string> =>
  completionText(await runCompletion(context, args, {}));

test.each(shells.map((shell) => [shell]))("%s has a script that asks __complete", async (shell) => {
  const { code, out } = await typed(["completion", shell]);
  expect(code).toBe(0);
  expect(out).toContain("kubectl-engine __complete");
});

test("no shell, no script", async () => {
  expect(await scriptFor()).toBe("");
  expect(await scriptFor("tcsh")).toBe("");
});

/** A folder with a kubectl-engine that answers a completion by what it was asked. */
function fakeProgram(): string {
  const folder = aFolder("engine-completion");
  const program = join(folder, "kubectl-engine");
  const answer = "printf '%s\\thelp\\n' \"asked:$#:${!#}\" other; echo :4";
  writeFileSync(program, `#!/bin/bash\n${answer}\n`);
  chmodSync(program, 0o755);
  return folder;
}

test.each([
  ["a word begun", "kubectl-engine ver", "asked:2:ver other"],
  ["a word to come", "kubectl-engine cert ", "asked:3: other"],
  [
    "a value behind =, of which only the value is replaced",
    "kubectl-engine -o=",
    "asked:2:-o= other",
  ],
])("bash completes %s", async (_, line, expected) => {
  const script = `${await scriptFor("bash")}
COMP_LINE='${line}'; COMP_POINT=${line.length}; _kubectl_engine; echo "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync("bash", ["-c", script], {
    encoding: "utf8",
    env: { ...process.env, PATH: `${fakeProgram()}:${process.env["PATH"] ?? ""}` },
  });
  const replaced = line.includes("=") ? expected.replace("asked:2:-o=", "") : expected;
  expect({ stdout: stdout.trim(), stderr }).toEqual({ stdout: replaced.trim(), stderr: "" });
});
