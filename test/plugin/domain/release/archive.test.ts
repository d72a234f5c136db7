import {
  type ArchiveEntry,
  archiveLimits,
  entryPath,
  judgeEntries,
  findLeadingFolder,
  megabytes,
} from "../../../../plugin/domain/release/archive";

const file = (name: string): ArchiveEntry => ({ name, type: "file" });
const folder = (name: string): ArchiveEntry => ({ name, type: "directory" });

test("parts of a path that mean nothing fall away", () => {
  expect(entryPath(file("./a//b/./c/"))).toBe("a/b/c");
});

test("a size is shown with one digit behind the point at most", () => {
  expect([32 * 1024 * 1024, 150_000].map(megabytes)).toEqual(["32 MiB", "0.1 MiB"]);
});

describe("an archive is accepted", () => {
  test.each<[string, readonly ArchiveEntry[]]>([
    ["empty", []],
    ["files and folders", [folder("a/"), file("a/b.yaml"), file("a/..b")]],
    ["a folder that is named twice", [folder("a/"), folder("./a"), file("a/b")]],
    ["a path of the longest length", [file("x".repeat(255))]],
  ])("%s", (_title, entries) => {
    expect(judgeEntries(entries, archiveLimits)).toEqual([]);
  });
});

describe("an archive is refused for", () => {
  test.each<[string, readonly ArchiveEntry[], readonly string[]]>([
    ["a symbolic link", [{ name: "a", type: "symlink" }], ['"a" is a link']],
    ["a hard link", [{ name: "a", type: "link" }], ['"a" is a link']],
    ["a device", [{ name: "a", type: "block-device" }], ['"a" is neither a file nor a folder']],
    ["an absolute path", [file("/a")], ['"/a" has an absolute path']],
    ["a path with a drive", [file("C:/a")], ['"C:/a" has an absolute path']],
    ["a way out", [file("a/../../b")], ['"a/../../b" leads out of the archive']],
    ["a way out as a folder", [folder("..")], ['".." leads out of the archive']],
    [
      "a backslash",
      [file("a\\b")],
      [String.raw`"a\\b" has a path with a control character or \ `.trimEnd()],
    ],
    [
      "a control character, which is not shown as it is",
      [file("a\u001b[2J\u009b\u202e")],
      [String.raw`"a\u001b[2J??" has a path with a control character or \ `.trimEnd()],
    ],
    [
      "a path that is too long, of which the start is shown",
      [file("x".repeat(256))],
      [`"${"x".repeat(80)}…" has a path of more than 255 characters`],
    ],
    ["a file that is there twice", [file("a"), file("./a")], ['"./a" is there twice']],
    ["a file in the place of a folder", [folder("a/"), file("a")], ['"a" is there twice']],
    ["a folder in the place of a file", [file("a"), folder("a/")], ['"a/" is there twice']],
    [
      "everything at once",
      [file("/a"), { name: "b", type: "fifo" }],
      ['"/a" has an absolute path', '"b" is neither a file nor a folder'],
    ],
  ])("%s", (_title, entries, problems) => {
    expect(judgeEntries(entries, archiveLimits)).toEqual(problems);
  });
});

describe("the folder that an archive packs is", () => {
  test.each<[string, readonly ArchiveEntry[], string | undefined]>([
    ["the only one at its root", [folder("r-1/"), file("r-1/a"), file("r-1/b/c")], "r-1"],
    ["found behind ./", [folder("./"), file("./r-1/a")], "r-1"],
    ["none of two", [file("a/b"), file("c/d")], undefined],
    ["none where a file is beside it", [file("a")], undefined],
    ["none in an empty archive", [], undefined],
  ])("%s", (_title, entries, found) => {
    expect(findLeadingFolder(entries)).toBe(found);
  });
});
