import {
  compareRules,
  grantLines,
  grantsOf,
  rulesOf,
  uniteRules,
} from "../../../../plugin/domain/rbac/rules";

const rule = (
  groups: string,
  resources: string,
  ...[verbs, names = ""]: readonly [string, string?]
) => ({
  apiGroups: groups === "core" ? [""] : groups.split(","),
  resources: resources.split(","),
  verbs: verbs.split(","),
  ...(names !== "" && { resourceNames: names.split(",") }),
});
const onPaths = (...paths: readonly string[]) => ({ nonResourceURLs: paths, verbs: ["get"] });

describe("what a change of rules gives and takes", () => {
  test.each([
    [
      "a verb",
      [rule("core", "pods", "get")],
      [rule("core", "pods", "get,list")],
      ["pods: list"],
      [],
    ],
    [
      "nothing, in other words",
      [rule("core", "pods,nodes", "get")],
      [rule("core", "nodes", "get"), rule("core", "pods", "get")],
      [],
      [],
    ],
    [
      "what no wildcard gave",
      [rule("*", "*", "get")],
      [rule("apps", "pods", "get,list")],
      ["pods.apps: list"],
      ["*.*: get"],
    ],
    [
      "nothing beyond a wildcard verb",
      [rule("core", "pods", "*")],
      [rule("core", "pods", "*,get")],
      [],
      [],
    ],
    [
      "what a name limits",
      [rule("core", "pods", "get", "a")],
      [rule("core", "pods", "get")],
      ["pods: get"],
      [],
    ],
    [
      "another name",
      [rule("core", "pods", "get", "a")],
      [rule("core", "pods", "get", "b")],
      ['pods "b": get'],
      ['pods "a": get'],
    ],
    [
      "nothing of a subresource of all",
      [rule("core", "*/status", "get")],
      [rule("core", "*/status,pods/status", "get")],
      [],
      [],
    ],
    [
      "another subresource",
      [rule("core", "*/status", "get")],
      [rule("core", "*/status,pods/scale", "get")],
      ["pods/scale: get"],
      [],
    ],
    [
      "another group",
      [rule("apps", "pods", "get")],
      [rule("core", "pods", "get")],
      ["pods: get"],
      ["pods.apps: get"],
    ],
    ["a path", [onPaths("/healthz")], [onPaths("/healthz", "/livez")], ["/livez: get"], []],
    ["nothing below a path", [onPaths("/apis/*")], [onPaths("/apis/*", "/apis/apps")], [], []],
    [
      "paths that objects do not give",
      [rule("*", "*", "*")],
      [rule("*", "*", "*"), onPaths("/healthz")],
      ["/healthz: get"],
      [],
    ],
    [
      "nothing that is not a text",
      [{ apiGroups: "x", resources: [1], verbs: ["get"] }],
      [],
      [],
      [],
    ],
  ] as const)("%s", (...[, before, after, gained, lost]) => {
    const difference = compareRules(before, after);
    expect(grantLines(difference.gained)).toEqual(gained);
    expect(grantLines(difference.lost)).toEqual(lost);
  });
});

test("rules of no role are none", () => {
  expect(rulesOf(undefined)).toEqual([]);
  expect(rulesOf({ rules: [null, rule("core", "pods", "get")] })).toHaveLength(1);
});

test("a grant that is given twice is one grant", () => {
  expect(grantsOf([rule("core", "pods", "get"), rule("core", "pods", "get")])).toHaveLength(1);
});

test("united rules keep the first and add whole rules that give more", () => {
  const [first, more] = [rule("core", "pods", "get"), rule("core", "pods", "get,list")];
  expect(uniteRules([first], [first, more])).toEqual([first, more]);
});

test("the same two lists of rules are compared once, and a list with anything else in it is cleaned", () => {
  const [before, after] = [[rule("core", "pods", "get")], [rule("core", "nodes", "get")]];
  expect(compareRules(before, after)).toBe(compareRules(before, after));
  expect(rulesOf({ rules: before })).toBe(before);
  expect(rulesOf({ rules: [...before, "no rule"] })).toEqual(before);
});
