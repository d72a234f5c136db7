import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { openRelease, type OpenOptions } from "../../../../plugin/adapters/release/open";
import { UsageError } from "../../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { type Entry, packFiles, tarOf } from "../../../support/releases/pack";
import { aFolder } from "../../../support/a-folder";

const options: OpenOptions = { names, env: {}, signal: new AbortController().signal };
const bundle: Entry = { name: "bundle.yaml", text: "a: 1\n" };

let home = "";
let folder = "";
let before: readonly string[] = [];
beforeEach(() => {
  home = aFolder("archive");
  folder = join(home, "in");
  mkdirSync(folder);
});

async function open(bytes: Buffer, limits: OpenOptions["limits"] = {}) {
  const file = join(folder, "r.tar.gz");
  writeFileSync(file, bytes);
  before = readdirSync(folder, { recursive: true }).map(String);
  return await openRelease(file, { ...options, limits });
}

/** What was refused; nothing may have come out of the archive. */
async function problemsOf(opened: Promise<unknown>): Promise<readonly string[]> {
  const error: unknown = await opened.catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(UsageError);
  expect(readdirSync(folder, { recursive: true }).map(String)).toEqual(before);
  expect(readdirSync(home)).toEqual(["in"]);
  const problems = error instanceof UsageError ? error.problems : [];
  return problems.map((problem) => problem.replaceAll(folder, "F"));
}

describe("an archive is read", () => {
  const more: Entry = { name: "README.md", text: "x" };
  test.each<[string, readonly Entry[]]>([
    ["with the files at its root", [bundle, more]],
    ["with ./ before its paths", [{ ...bundle, name: "./bundle.yaml" }]],
    ["with one folder around them", [{ ...bundle, name: "r-1.2.3/bundle.yaml" }]],
    ["with the folder deploy alone", [{ ...bundle, name: "deploy/bundle.yaml" }]],
    ["with the folder deploy in the one around", [{ ...bundle, name: "r/deploy/bundle.yaml" }]],
    [
      "with a long path beside it",
      [bundle, { name: `${"d/".repeat(90)}${"f".repeat(60)}`, text: "x" }],
    ],
  ])("%s", async (_title, entries) => {
    const release = await open(await packFiles(entries));
    expect(release.file(names.release.bundle)?.text).toBe("a: 1\n");
  });

  test("and a deeper folder is not searched, nor one of several", async () => {
    const deep = await open(await packFiles([{ ...bundle, name: "a/b/bundle.yaml" }]));
    expect(deep.file(names.release.bundle)).toBeUndefined();
    const several = await open(
      await packFiles([
        { ...bundle, name: "a/bundle.yaml" },
        { ...bundle, name: "b/bundle.yaml" },
      ]),
    );
    expect(several.file(names.release.bundle)).toBeUndefined();
  });

  test("and the root comes before a folder of the same name", async () => {
    const entries = [
      { ...bundle, name: "deploy/deploy/bundle.yaml" },
      { ...bundle, name: "deploy/bundle.yaml", text: "b: 2\n" },
    ];
    const release = await open(await packFiles(entries));
    expect(release.file(names.release.bundle)?.text).toBe("b: 2\n");
  });
});

describe("an archive is refused, and nothing of it is written:", () => {
  test.each<[string, readonly Entry[], readonly string[]]>([
    [
      "a link in the place of the bundle",
      [{ name: "bundle.yaml", type: "symlink", linkname: "/etc/passwd" }],
      ['"bundle.yaml" is a link'],
    ],
    ...(["character-device", "block-device", "fifo", "contiguous-file"] as const).map(
      (type): [string, readonly Entry[], readonly string[]] => [
        `a ${type}`,
        [bundle, { name: "a", type }],
        ['"a" is neither a file nor a folder'],
      ],
    ),
    ["a way out", [{ name: "../hostile", text: "x" }], ['"../hostile" leads out of the archive']],
    [
      "many faults, of which the first are named",
      Array.from({ length: 12 }, (_, index) => ({ name: `/${index}` })),
      [
        ...Array.from({ length: 10 }, (_, index) => `"/${index}" has an absolute path`),
        "and 2 more",
      ],
    ],
  ])("%s", async (_title, entries, problems) => {
    const found = await problemsOf(open(await packFiles(entries)));
    expect(found).toEqual(problems.map((problem) => `archive F/r.tar.gz: ${problem}`));
  });
});

describe("an archive is refused for being", () => {
  const damaged = "F/r.tar.gz is not a .tar.gz archive, or it is damaged";

  test.each<[string, () => Buffer | Promise<Buffer>]>([
    ["no gzip", () => Buffer.from("<html>not found</html>")],
    ["empty", () => Buffer.alloc(0)],
    ["cut off", async () => (await packFiles([bundle])).subarray(0, -12)],
    ["a .tar that was cut off", async () => gzipSync((await tarOf([bundle])).subarray(0, 514))],
    [
      "changed on the way",
      async () => {
        const bytes = await packFiles([bundle]);
        bytes[bytes.length - 6] = (bytes.at(-6) ?? 0) ^ 1;
        return bytes;
      },
    ],
  ])("%s", async (_title, make) => {
    expect(await problemsOf(open(await make()))).toEqual([damaged]);
  });

  test("packed too large", async () => {
    const bytes = await packFiles([bundle]);
    expect(await problemsOf(open(bytes, { packedBytes: bytes.length - 1 }))).toEqual([
      "archive F/r.tar.gz is larger than 0 MiB",
    ]);
    await expect(open(bytes, { packedBytes: bytes.length })).resolves.toBeDefined();
  });

  test("a bomb: a thousand times larger when it is unpacked", async () => {
    const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(20_000);
    const limits = { unpackedBytes: 8 * 1024 * 1024 };
    expect(await problemsOf(open(bomb, limits))).toEqual([
      "archive F/r.tar.gz unpacks to more than 8 MiB",
    ]);
  });

  test("of too many entries", async () => {
    const entries = Array.from({ length: 5 }, (_, index) => ({ name: `f${index}`, text: "x" }));
    const bytes = await packFiles(entries);
    expect(await problemsOf(open(bytes, { entries: 4 }))).toEqual([
      "archive F/r.tar.gz holds more than 4 entries",
    ]);
    await expect(open(bytes, { entries: 5 })).resolves.toBeDefined();
  });
});
