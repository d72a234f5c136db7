import { complete } from "../../../plugin/program/complete";
import { typed } from "../../support/program-world";

const codes = (): Promise<readonly (readonly [string, string])[]> =>
  Promise.resolve([
    ["SECRET-ABSENT", "the Secret is absent"],
    ["TEMPLATE-KIND", "wrong kind"],
  ]);

/** The candidates, and the directive at the end. */
async function candidates(...words: readonly string[]): Promise<readonly string[]> {
  const lines = (await complete(words, codes)).trimEnd().split("\n");
  return lines.map((line) => line.split("\t")[0] ?? "");
}

test.each([
  ["commands", ["c"], ["check", "completion", "cert", ":4"]],
  ["PowerShell's empty word", ["cert", '""'], ["create", "inspect", ":4"]],
  ["after a flag with its value", ["-n", "x", "vers"], ["version", ":4"]],
  [
    "own flags",
    ["upgrade-webhook", "--take-"],
    ["--take-over", "--take-fields", "--take-template-selectors", "--take-template-rules", ":4"],
  ],
  ["global flags", ["version", "--dry"], ["--dry-run", ":4"]],
  ["values of a flag", ["version", "-o", "j"], ["json", "jsonl", ":4"]],
  ["values bound to a flag", ["version", "--output=y"], ["--output=yaml", ":4"]],
  ["a flag of free text", ["version", "--context", ""], [":4"]],
  ["files", ["upgrade-webhook", "--template", ""], [":0"]],
  ["shells", ["completion", "f"], ["fish", ":4"]],
  ["codes", ["explain", "S"], ["SECRET-ABSENT", ":4"]],
  ["no argument", ["version", ""], [":4"]],
  [
    "no word at all",
    [],
    [
      ...[
        "check",
        "upgrade",
        "upgrade-webhook",
        "reapply-rbac",
        "upgrade-operator",
        "upgrade-cluster",
        "upgrade-database",
        "unbind-scc",
        "rehearse",
        "diff",
        "status",
        "recover",
        "explain",
        "completion",
        "version",
        "options",
      ],
      ...["cert", "modules", ":4"],
    ],
  ],
  ["what can be looked at by diff", ["diff", "re"], ["reapply-rbac", ":4"]],
  ["flags of the command behind diff", ["diff", "reapply-rbac", "--mo"], ["--mode", ":4"]],
  [
    "flags of a rehearsed command",
    ["rehearse", "cert", "create", "--y"],
    ["--years", "--yes", ":4"],
  ],
  [
    "flags of rehearse behind the command",
    ["rehearse", "upgrade-webhook", "--fr"],
    ["--from", ":4"],
  ],
  ["a place to rehearse on", ["rehearse", "--from", ""], [":0"]],
])("%s", async (_, words, expected) => {
  expect(await candidates(...words)).toEqual(expected);
});

test("__complete answers as kubectl asks a plugin, with help behind a tab", async () => {
  const { code, out } = await typed(["__complete", "vers"]);
  expect({ code, out }).toEqual({ code: 0, out: "version\tPrint the version of this tool\n:4\n" });
});
