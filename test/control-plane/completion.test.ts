/** Completion as kubectl asks for it: `kubectl __complete engine …`, through the program that the packages have. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server, type AddressInfo } from "node:net";
import { join } from "node:path";
import { kubectlCompletion } from "../../plugin/cli/completion-scripts";
import { type ControlPlane, distDir } from "./control-plane";
import { type RunResult, run } from "./run";
import { openSuite, type Suite } from "./suite";

let suite: Suite;
let controlPlane: ControlPlane;
let bin: string;
beforeAll(async () => {
  suite = await openSuite({ server: "stand-in" });
  ({ controlPlane } = suite);
  bin = join(controlPlane.site.homeDir, "bin");
  mkdirSync(bin, { recursive: true });
  symlinkSync(join(distDir, "kubectl-engine"), join(bin, "kubectl-engine"));
  const { name, text } = kubectlCompletion("linux");
  writeFileSync(join(bin, name), text, { mode: 0o755 });
});
afterAll(() => suite.close());

/** kubectl with the scratch home and a folder of the user's own on the PATH, in which the plugin is. */
function typed(
  args: readonly string[],
  kubeconfig = controlPlane.kubeconfigFor("admin", "engine"),
): Promise<RunResult> {
  const known = controlPlane.kubectlEnv(kubeconfig);
  const env = { ...known, PATH: `${bin}:${known["PATH"] ?? ""}` };
  return run(controlPlane.binaries.kubectl, args, { env });
}

/** A busy machine is given time: what a person waits for at most is tested beside a clock of the test's own. */
const unhurried = "--request-timeout=60s";

/** The words that kubectl offers, its directive last; what it says itself of the directive goes to stderr. */
async function offered(line: string, kubeconfig?: string): Promise<readonly string[]> {
  const [command = "", ...rest] = line.split(" ");
  const words = rest.length === 0 ? [command] : [command, unhurried, ...rest];
  const { code, stdout } = await typed(["__complete", "engine", ...words], kubeconfig);
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split("\n");
  return lines.map((each) => each.split("\t")[0] ?? "");
}

test.each([
  ["commands", "upgrade-c", ["upgrade-cluster", ":4"]],
  ["clusters", "upgrade-cluster ", ["ec", ":4"]],
  ["databases", "upgrade-database ", ["orders", "sessions", ":4"]],
  ["databases of a namespace", "upgrade-database engine/o", ["engine/orders", ":4"]],
  ["databases of every namespace", "upgrade-database -A s", [":4"]],
  ["databases with their kind", "upgrade-database edb/engine/s", ["edb/engine/sessions", ":4"]],
  ["the tag that belongs to the operator", "upgrade-cluster ec --target ", ["8.0.20-44.23", ":4"]],
  ["namespaces", "status -n eng", ["engine", ":4"]],
  ["the wide form", "status -o w", ["wide", ":4"]],
  ["words of a flag", "status -o j", ["json", "jsonl", "jsonpath=", ":4"]],
  ["files", "upgrade-webhook --template ", [":0"]],
  ["codes", "explain SECRET-MISS", ["SECRET-MISSING", ":4"]],
])("kubectl completes %s", async (_, line, expected) => {
  expect(await offered(line)).toEqual(expected);
});

describe("a server that takes the call and never answers", () => {
  let server: Server;
  let address: string;
  beforeAll(async () => {
    server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    address = `https://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  });
  afterAll(() => server.close());

  test("is given up in silence, without an error on the terminal", async () => {
    const line = ["__complete", "upgrade-cluster", "--server", address, ""];
    const kubeconfig = controlPlane.kubeconfigFor("admin", "engine");
    const env = controlPlane.kubectlEnv(kubeconfig);
    const ended = await run(join(distDir, "kubectl-engine"), line, { env });
    expect({ code: ended.code, out: ended.stdout, err: ended.stderr }).toEqual({
      code: 0,
      out: ":4\n",
      err: "",
    });
  });
});

test("bash completes by the script that is printed", async () => {
  const file = join(controlPlane.site.homeDir, "completion.bash");
  const printed = await typed(["engine", "completion", "bash"]);
  writeFileSync(file, printed.stdout);
  const line = `kubectl-engine upgrade-cluster ${unhurried} `;
  const script = `. ${file}; COMP_LINE='${line}'; COMP_POINT=${String(line.length)}; _kubectl_engine; echo "\${COMPREPLY[@]}"`;
  const env = controlPlane.kubectlEnv(controlPlane.kubeconfigFor("admin", "engine"));
  const { stdout, stderr } = await run("/bin/bash", ["-c", script], { env });
  expect({ stdout, stderr }).toEqual({ stdout: "ec\n", stderr: "" });
});
