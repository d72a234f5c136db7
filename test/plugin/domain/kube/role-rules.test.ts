import {
  compareRules,
  grantLines,
  grantsOf,
  rulesOf,
  uniteRules,
} from "../../../../plugin/domain/kube/role-rules";

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

const get = (groups: string, resources: string, names?: string) =>
  rule(groups, resources, "get", names);
const many = (groups: string, resources: string) => rule(groups, resources, "get,list");
const status = get("core", "*/status");
const odd = { apiGroups: "x", resources: [1], verbs: ["get"] };
const all = rule("*", "*", "*");

test.each<[string, readonly object[], readonly object[], readonly string[], readonly string[]]>([
  ["a verb", [get("core", "pods")], [many("core", "pods")], ["pods: list"], []],
  [
    "nothing, in other words",
    [get("core", "pods,nodes")],
    [get("core", "nodes"), get("core", "pods")],
    [],
    [],
  ],
  [
    "what no wildcard gave",
    [get("*", "*")],
    [many("apps", "pods")],
    ["pods.apps: list"],
    ["*.*: get"],
  ],
  ["nothing beyond a verb", [rule("core", "pods", "*")], [rule("core", "pods", "*,get")], [], []],
  ["what a name limits", [get("core", "pods", "a")], [get("core", "pods")], ["pods: get"], []],
  [
    "another name",
    [get("core", "pods", "a")],
    [get("core", "pods", "b")],
    ['pods "b": get'],
    ['pods "a": get'],
  ],
  ["nothing of a subresource of all", [status], [get("core", "*/status,pods/status")], [], []],
  ["another subresource", [status], [get("core", "*/status,pods/scale")], ["pods/scale: get"], []],
  [
    "another group",
    [get("apps", "pods")],
    [get("core", "pods")],
    ["pods: get"],
    ["pods.apps: get"],
  ],
  ["a path", [onPaths("/healthz")], [onPaths("/healthz", "/livez")], ["/livez: get"], []],
  ["nothing below a path", [onPaths("/apis/*")], [onPaths("/apis/*", "/apis/apps")], [], []],
  ["paths that objects do not give", [all], [all, onPaths("/healthz")], ["/healthz: get"], []],
  ["nothing that is not a text", [odd], [], [], []],
])("a change of rules gives and takes: %s", (...[, before, after, gained, lost]) => {
  const difference = compareRules(rulesOf({ rules: before }), rulesOf({ rules: after }));
  expect(grantLines(difference.gained)).toEqual(gained);
  expect(grantLines(difference.lost)).toEqual(lost);
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
