/** What commands print on a terminal fits it: seen through a pseudo-terminal, as a person does. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { entries, parents } from "../../plugin/cli/commands";
import { startFakeApiServer } from "../support/api-server";
import { bundled } from "../support/bundled";
import { aWebhookProgram } from "../support/webhook-program";

const root = join(__dirname, "../..");
const onTerminal = join(root, "test/support/terminal.py");
const lines = ["--import", "tsx", join(root, "test/support/terminal-lines.ts")];

/** All that a program writes on a terminal, and its end; `typed` is what a person types then. */
async function onScreen(
  columns: number,
  words: readonly string[],
  typed: (text: string) => string | undefined = () => undefined,
) {
  const child = spawn("python3", [onTerminal, String(columns), process.execPath, ...words], {
    cwd: root,
    stdio: ["pipe", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.on("data", (chunk: Buffer) => {
    text += chunk.toString("utf8");
    const answer = typed(text);
    if (answer !== undefined) child.stdin.write(answer);
  });
  const code = await new Promise((resolve) => child.once("close", resolve));
  return { text, code };
}

/** Every line that stood on the screen, those that were written over too. */
async function screen(columns: number, typed: readonly (readonly string[])[]) {
  const { text, code } = await onScreen(columns, [...lines, JSON.stringify(typed)]);
  expect(code).toBe(0);
  return text
    .replaceAll(/\r\n|\r\u001b\[K/g, "\n")
    .replaceAll(/\u001b\[\d*m/g, "")
    .split("\n");
}

/** Commands, what is one word (paths, URLs, hashes), and the lines of a unified diff that are no context. */
const isCopied = (line: string): boolean =>
  /(^|[ :])(kubectl|oc|helm) /.test(line) ||
  /^\s*\S*$/.test(line) ||
  /^(diff -u |--- |\+\+\+ |[-+] {2})/.test(line);

const helps = [
  ...entries.map(({ path }) => path.split(" ")),
  ...Object.keys(parents).map((p) => [p]),
]
  .map((words) => [...words, "--help"])
  .concat([["--help"], ["options"], ["check", "--list"], ["explain", "SECRET-MISSING"], ["bogus"]]);

/** Each of them ends as it has to: what could not be rehearsed would be one line. */
const runs = [
  ["rehearse"],
  ["rehearse", "upgrade", "--yes"],
  ["rehearse", "upgrade", "--dry-run=client"],
  ["rehearse", "check"],
  ["rehearse", "status"],
  ["rehearse", "reapply-rbac"],
  ["rehearse", "recover"],
  ["rehearse", "upgrade-cluster", "ec", "--target=8.0.2-17"],
];

test.each([
  ["help", 80, helps],
  ["help", 120, helps],
  ["reports", 80, runs],
  ["reports", 120, runs],
  ["reports of what works on a cluster", 80, []],
  ["reports of what works on a cluster", 120, []],
])("%s: every line fits %d columns", async (what, columns, typed) => {
  const { file } = aWebhookProgram();
  const rehearsed = what === "reports" ? [`--webhook=${file}`] : [];
  const shown = await screen(
    columns,
    typed.map((words) => [...words, ...rehearsed]),
  );
  const ends = shown.filter((line) => line.startsWith(">>> ended with"));
  // without lines, all that works on a cluster is run
  if (typed.length > 0) expect(ends).toHaveLength(typed.length);
  expect(ends.length).toBeGreaterThanOrEqual(runs.length);
  expect(ends.filter((line) => !/ [0-3]$/.test(line))).toEqual([]);
  expect(shown.filter((line) => line.length > columns && !isCopied(line))).toEqual([]);
});

test("Ctrl-C ends a watch in silence, and what follows begins on a clean line", async () => {
  const server = await startFakeApiServer(({ path }) => {
    if (path === "/version") return { body: { gitVersion: "v1.34.1" } };
    const metadata = { name: "engine", resourceVersion: "1" };
    if (path.endsWith("/engine"))
      return { body: { apiVersion: "v1", kind: "Namespace", metadata } };
    return { body: { kind: "List", metadata, items: [] } };
  });
  const main = [bundled("plugin/main.ts")];
  const words = ["status", "--watch", `--server=${server.url}`, "-n", "engine"];
  const drawn = "\u001b[J";
  let isTyped = false;
  const { text, code } = await onScreen(80, [...main, ...words], (shown) => {
    if (isTyped || !shown.includes(drawn)) return undefined;
    isTyped = true;
    return "\u0003";
  });
  await server.close();
  expect([code, text]).toEqual([130, expect.stringContaining(drawn)]);
  expect(text.slice(text.lastIndexOf(drawn))).toBe(`${drawn}^C\r\n`);
  // neither another screen nor a hidden cursor is left behind
  expect(text).not.toContain("\u001b[?");
});
