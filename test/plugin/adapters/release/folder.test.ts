import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { openRelease, type OpenOptions } from "../../../../plugin/adapters/release/open";
import { UsageError } from "../../../../plugin/domain/base/errors";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { packFiles } from "../../../support/releases/pack";
import { releaseFiles, writeRelease } from "../../../support/releases/tree";
import { aFolder, putFile, sha256 } from "../../../support/a-folder";

const paths = names.release.webhook;
const options: OpenOptions = { names, env: {}, signal: new AbortController().signal };

let folder = "";
beforeEach(() => {
  folder = aFolder("release");
});

const put = (path: string, content: string | Buffer): string => putFile(folder, path, content);

describe("a file of a release in a folder", () => {
  test.each(paths)("is found at %s", async (path) => {
    const source = put(path, "a: 1\n");
    const release = await openRelease(folder, options);
    expect(release.source).toBe(folder);
    expect(release.file(paths)).toEqual({ text: "a: 1\n", source });
    expect(release.file(names.release.scc)).toBeUndefined();
  });

  test("is the specification's where both are there", async () => {
    put("admission/webhook.yaml", "field");
    put("deploy/admission/webhook.yaml", "spec");
    expect((await openRelease(folder, options)).file(paths)?.text).toBe("spec");
  });

  test("is found where the target fills the path", async () => {
    put("v7.22.0-7/bundle.yaml", "a: 1\n");
    const release = await openRelease(join(folder, "v{tag}"), { ...options, target: "7.22.0-7" });
    expect(release.file(names.release.bundle)?.text).toBe("a: 1\n");
  });

  test("is refused where it is not a text", async () => {
    put("bundle.yaml", Buffer.from([0xff, 0xfe, 0x00]));
    const release = await openRelease(folder, options);
    expect(() => release.file(names.release.bundle)).toThrow(/bundle\.yaml is not text in UTF-8$/);
  });

  test("is refused where it is a folder itself", async () => {
    put("deploy/admission/webhook.yaml/x", "x");
    await expect(openRelease(folder, options)).rejects.toThrow(
      /^is a folder, not a file: .*webhook\.yaml$/,
    );
  });
});

describe("the digest of a folder", () => {
  test("is what sha256sum prints for its files, put through sha256sum", async () => {
    put("openshift/scc.yaml", "scc");
    put("bundle.yaml", "bundle");
    const listing = `${sha256("bundle")}  bundle.yaml\n${sha256("scc")}  openshift/scc.yaml\n`;
    expect((await openRelease(folder, options)).sha256).toBe(sha256(listing));
  });

  test("is that of its files alone, wherever it lies", async () => {
    writeRelease(join(folder, "a"), "7.22.0-7");
    writeRelease(join(folder, "b"), "7.22.0-7");
    put("b/README.md", "no file of the release");
    const [a, b] = await Promise.all(
      ["a", "b"].map((each) => openRelease(join(folder, each), options)),
    );
    expect(b?.sha256).toBe(a?.sha256);
  });

  test.each<[string, () => unknown]>([
    ["a file changes", () => put("bundle.yaml", "other")],
    [
      "a file is elsewhere",
      () => (rmSync(join(folder, "bundle.yaml")), put("deploy/bundle.yaml", "bundle")),
    ],
  ])("differs when %s", async (_title, change) => {
    put("bundle.yaml", "bundle");
    const { sha256: before } = await openRelease(folder, options);
    change();
    expect((await openRelease(folder, options)).sha256).not.toBe(before);
    await expect(openRelease(folder, { ...options, sha256: before })).rejects.toThrow(
      "is not the one that was pinned",
    );
  });
});

describe("a pinned release", () => {
  test("is opened when the digest fits, however it is spelled", async () => {
    const bytes = await packFiles([{ name: "bundle.yaml", text: "a: 1\n" }]);
    const file = put("r.tar.gz", bytes);
    for (const pin of [sha256(bytes), `sha256:${sha256(bytes)}`, sha256(bytes).toUpperCase()]) {
      const release = await openRelease(file, { ...options, sha256: pin });
      expect(release.sha256).toBe(sha256(bytes));
    }
  });

  test("is refused before it is unpacked when it does not, with both digests", async () => {
    const file = put("r.tar.gz", "no archive at all");
    const pin = "0".repeat(64);
    const opened = openRelease(file, { ...options, sha256: pin });
    await expect(opened).rejects.toThrow(
      `its SHA-256 is ${sha256("no archive at all")}, expected ${pin}`,
    );
    await expect(opened).rejects.toThrow(UsageError);
  });
});

describe("a usage error", () => {
  test.each<[string, () => string, Partial<OpenOptions>, readonly string[]]>([
    [
      "nothing is there",
      () => join(folder, "none"),
      {},
      ["release: no such file or folder: FOLDER/none"],
    ],
    [
      "a part of the path is a file",
      () => join(put("file", "x"), "more"),
      {},
      ["release: part of the path is not a folder: FOLDER/file/more"],
    ],
    [
      "it is a file, but no archive",
      () => put("file", "x"),
      {},
      ["FOLDER/file is not a .tar.gz archive, or it is damaged"],
    ],
    [
      "everything is wrong at once",
      () => "http://user:secret@example.com/{tag}.tar.gz?token=secret",
      { target: "latest", sha256: "abc" },
      [
        '"latest" is not the tag of a release such as 7.22.0-7',
        "the SHA-256 of the release is not 64 hexadecimal digits",
        "release http://example.com/latest.tar.gz?… is not on https: nothing would prove where it is from",
        "release http://example.com/latest.tar.gz?… has a login in its address, where others can read it",
      ],
    ],
    ["no URL", () => "https://", {}, ["the URL of the release cannot be read"]],
  ])("%s", async (_title, given, ...[more, problems]) => {
    const error: unknown = await openRelease(given(), { ...options, ...more }).catch(
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(UsageError);
    const found = error instanceof UsageError ? error.problems : [];
    expect(found.map((problem) => problem.replaceAll(folder, "FOLDER"))).toEqual(problems);
  });
});

test("opening an archive writes nothing", async () => {
  const files = Object.entries(releaseFiles("8.0.2-2"));
  const bytes = await packFiles(files.map(([path, text]) => ({ name: `r-1/${path}`, text })));
  const file = put("r.tar.gz", bytes);
  const release = await openRelease(file, options);
  expect(release.file(names.release.bundle)?.source).toBe(`deploy/bundle.yaml in ${file}`);
  expect(readdirSync(folder)).toEqual(["r.tar.gz"]);
});
