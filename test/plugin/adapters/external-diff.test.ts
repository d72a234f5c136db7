/** The program of KUBECTL_EXTERNAL_DIFF, called as kubectl diff calls it. */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { externalDiff } from "../../../plugin/adapters/external-diff";
import { UsageError } from "../../../plugin/domain/base/errors";
import { aFolder } from "../../support/a-folder";
import { captured } from "../../support/program-world";

const folder = aFolder("compare");

/** A program that shows its words and the files of both folders, and ends as its environment says. */
function program(): string {
  const file = join(folder, "compare");
  writeFileSync(
    file,
    `#!${process.execPath}
const { readdirSync, readFileSync, statSync } = require("node:fs");
const [, , ...words] = process.argv;
const folders = words.slice(0, 2).map((path) => ({
  path,
  mode: (statSync(path).mode & 0o777).toString(8),
  files: readdirSync(path).map((name) => [
    name,
    readFileSync(path + "/" + name, "utf8"),
    (statSync(path + "/" + name).mode & 0o777).toString(8),
  ]),
}));
console.error("talk");
process.stdout.write(JSON.stringify({ folders, words: words.slice(2) }), () => {
  process.exitCode = Number(process.env.END);
});
`,
    { mode: 0o700 },
  );
  return file;
}

interface Shown {
  readonly folders: readonly { readonly path: string; readonly files: unknown }[];
  readonly words: readonly string[];
}

const files = [
  ["v1.X.a.changed", "a: 1\n", "a: 2\n"],
  ["v1.X.a.created", "", "b: 1\n"],
] as const;

async function compared(line: string, end = "1", signal = new AbortController().signal) {
  const [out, err] = [captured(), captured()];
  const env = { ...process.env, END: end };
  await externalDiff(line, files, { env, streams: { out, err }, signal });
  return { shown: JSON.parse(out.text()) as Shown, err: err.text() };
}

test("gets two folders with a file for each object, and both are gone afterwards", async () => {
  const { shown, err } = await compared(program());
  const [live, merged] = shown.folders;
  expect(shown.folders).toMatchObject([
    {
      mode: "700",
      files: [
        ["v1.X.a.changed", "a: 1\n", "600"],
        ["v1.X.a.created", "", "600"],
      ],
    },
    {
      mode: "700",
      files: [
        ["v1.X.a.changed", "a: 2\n", "600"],
        ["v1.X.a.created", "b: 1\n", "600"],
      ],
    },
  ]);
  expect([live?.path, merged?.path]).toEqual([
    expect.stringMatching(/\/LIVE-\w+$/),
    expect.stringMatching(/\/MERGED-\w+$/),
  ]);
  expect([live, merged].map((one) => existsSync(one?.path ?? ""))).toEqual([false, false]);
  expect(err).toBe("talk\n");
});

test.each([
  ["words after the folders", " -u --color=always N", ["-u", "--color=always", "N"]],
  ["a word of other characters is dropped", " a/b $(id) ;ls -u 'x'", ["-u"]],
  ["blanks between them", "  -u  -N", ["-u", "-N"]],
])("its arguments: %s", async (_name, words, args) => {
  expect((await compared(`${program()}${words}`)).shown.words).toEqual(args);
});

test("its end with 0 is fine too: it may know better what a difference is", async () => {
  expect((await compared(program(), "0")).shown.words).toEqual([]);
});

test.each([
  ["that fails", program, /compare ended with 2$/],
  ["that is not there", () => join(folder, "absent"), /absent cannot be run$/],
])("a program %s is told", async (_name, line, message) => {
  const error: unknown = await compared(line(), "2").catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  expect((error as UsageError).message).toMatch(message);
});

test("an interrupt ends it", async () => {
  const stop = new AbortController();
  stop.abort(new Error("interrupted"));
  await expect(compared(program(), "0", stop.signal)).rejects.toThrow("interrupted");
});
