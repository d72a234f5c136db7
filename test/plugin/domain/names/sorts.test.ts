import * as sorts from "../../../../plugin/domain/names/types";

const long = (count: number): string => "a".repeat(count);

test.each<[string, sorts.NameSpec, ...(readonly string[])[]]>([
  [
    "an object name",
    sorts.objectName("Secret", "x", "X"),
    ["a", "a-b.c1", long(253)],
    ["", "A", "-a", "a-", "a..b", "a_b", "a b", "a/b", long(254)],
  ],
  ["a label", sorts.label(undefined, "x", "X"), ["a", "1-a", long(63)], ["", "a.b", "A", long(64)]],
  [
    "a role",
    sorts.roleName("Role", "x", "X"),
    ["edb-role", "system:acme:Reader"],
    ["", ".", "..", "a/b", "a%b", "a b"],
  ],
  ["a group", sorts.groupName("x.y", "X"), ["app.acme.io"], ["", "acme", "App.acme.io", "a..b"]],
  ["a version", sorts.apiVersion("v1", "X"), ["v1", "v1beta2"], ["", "1", "V1", "v1/x", "v1-"]],
  ["a kind", sorts.kindName("X", "X"), ["Acme", "AcmeDb2"], ["", "acme", "Acme-Db", "Acme Db"]],
  ["a plural", sorts.resourceName("plural", "x", "X"), ["acmes"], ["", "Acmes", "1a", "a.b"]],
  ["an entry", sorts.entryName("a.b.c", "X"), ["a.b.c"], ["", "a.b", "a.b.C"]],
  ["a path", sorts.urlPath("/x", "X"), ["/", "/a/b"], ["", "a", "/a b", "/a?b", "/a#b", "/{uid}"]],
  [
    "a path with a hole",
    sorts.urlPath("/x/{uid}", "X"),
    ["/y/{uid}/z"],
    ["/y", "/y/{id}", "/{uid}/{uid}"],
  ],
  ["an item", sorts.itemKey("x", "X"), ["tls.crt", "A_b-c"], ["", "a/b", "a b", long(254)]],
  [
    "a label's key",
    sorts.metadataKey("x", "X"),
    ["a", "acme.io/a", "A_b.c"],
    ["", "/a", "a/", "A.io/a", "a/b/c", "a b", `acme.io/${long(64)}`],
  ],
  ["a label's value", sorts.labelValue("x", "X"), ["a", "A_b.c"], ["", "-a", "a/b", long(64)]],
  [
    "an image",
    sorts.imageName("x", "X"),
    ["acme", "acme/op", "host.io:5000/acme/op_1"],
    ["", "acme/", "acme/Op", "acme:1", "acme@sha256:0", "/acme"],
  ],
  ["a word", sorts.word("x", "X"), ["ReJSON", "a-b"], ["", "a b", "a\n", "ä", long(129)]],
  ["a field", sorts.field("x", "X"), ["dbType", "_x", "a-b"], ["", "a.b", "a b", "1a", "[]"]],
  [
    "a placeholder",
    sorts.tokens(["XXX"], "X"),
    ["ABC", "<ns>", "${NS}"],
    ["", "AB", "A B C", 'A"B', "A'B", "A\\B", "A\u00e4B"],
  ],
  [
    "an engine version",
    sorts.versions(["1.2"], "X"),
    ["7.2", "10.0"],
    ["", "7", "7.2.1", "v7.2", "07.2"],
  ],
  [
    "a file",
    sorts.files(["x"], "X"),
    ["a.yaml", "a/b.yaml", "..a/b"],
    ["", "/a", "../a", "a/../b", "a/..", "a\\b", "a b"],
  ],
])("%s", (_title, { sort, value }, ...[fit = [], unfit = []]) => {
  const judge = (text: string): boolean => sort.fits(text, String(value));
  expect(fit.filter((text) => !judge(text))).toEqual([]);
  expect(unfit.filter(judge)).toEqual([]);
});

test("nobody may change a default by mistake: paths begin where the API server has them", () => {
  const { list } = sorts.fieldPath(["status", "x"], "X").sort;
  expect(list?.fits(["status", "y", "z"], ["status", "x"])).toBe(true);
  expect(list?.fits(["spec", "y"], ["status", "x"])).toBe(false);
});
