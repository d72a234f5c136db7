import { compile, Unknown, type Values } from "../../../../plugin/domain/advisories/language";
import type { Concern } from "../../../../plugin/domain/advisories/vocabulary";

/** The value of a condition, why it is not known, or what is wrong with it. */
function ask(text: string, values: Values = {}, concern: Concern = "database"): unknown {
  const read = compile(text, concern, "bool");
  if (typeof read === "string") return { problem: read };
  const value = read.judge(values);
  return value instanceof Unknown ? value.because : value;
}

function print(text: string, values: Values = {}): unknown {
  const read = compile(text, "database", "text");
  if (typeof read === "string") return { problem: read };
  const value = read.show(values);
  return value instanceof Unknown ? value.because : value;
}

const notRead = new Unknown("databases could not be read");
const orders = { name: "orders", version: "7.4.2", tls: true, shards: 3, modules: [] };

test.each<[condition: string, values: Values, says: unknown]>([
  ["database.modules.exists(m, m.name == 'search')", { database: orders }, false],
  ["database.shards > 2 && database.tls", { database: orders }, true],
  ["database.name in ['orders', 'users']", { database: orders }, true],
  ["size(database.modules) == 0 ? true : false", { database: orders }, true],
  ["int('3') == database.shards", { database: orders }, true],
  ["nodes.all(n, n.ready)", { nodes: [{ ready: true }, { ready: true }] }, true],
  ["nodes.exists_one(n, n.ready)", { nodes: [{ ready: true }, { ready: false }] }, true],
  ["nodes.exists(n, n.labels['zone'] == 'a')", { nodes: [{ labels: { zone: "a" } }] }, true],
  ["nodes.exists(n, 'zone' in n.labels)", { nodes: [{ labels: { zone: 1 } }] }, false],
  ["nodes.exists(n, has(n.labels.zone))", { nodes: [{ labels: { zone: "a" } }] }, true],
  ["nodes.exists(database2, database2.ready)", { nodes: [{ ready: true }] }, true],
])("%s of %j is %s", (condition, values, says) => {
  expect(ask(condition, values)).toBe(says);
});

test.each<[condition: string, version: unknown, says: unknown]>([
  ["database.version < '8.4'", "7.4.2", true],
  ["database.version < '8.4'", "8.10", false],
  ["database.version == '7.4'", "7.4.0", true],
  ["database.version != '7.4'", "7.4.1", true],
  ["'7.4' == database.version", "7.4", true],
  ["'8.0' <= database.version", "8.0", true],
  ["'8.0' < database.version", "8.0", false],
  ["'8.0' > database.version", "7.4", true],
  ["'8.0' >= database.version", "8.2", false],
  ["database.version >= '8.0.18-9'", "8.0.18-23.11.minimal", true],
  ["database.version <= database.version", "8.0", true],
  ["database.version > target.engine", "8.2", true],
  ["database.version in cluster.offered", "8.0", true],
  ["cluster.offered.exists(v, v > database.version)", "8.0", true],
  ["database.version < database.name", "8.0", '"orders" is no version'],
  [
    "database.version < '8.4'",
    "latest",
    'version of database orders is "latest", and version is expected',
  ],
  ["database.version < '8.4'", 8.2, "version of database orders is 8.2, and version is expected"],
  ["database.version < '8.4'", undefined, "version of database orders is absent"],
])("%s where it is %p: %s", (condition, version, says) => {
  const values = {
    database: { name: "orders", version },
    cluster: { offered: ["7.4", "8.0.0", "8.4"] },
    target: { engine: "8.1" },
  };
  expect(ask(condition, values)).toBe(says);
});

test.each<[condition: string, kubernetes: string, says: boolean]>([
  ["platform.kubernetes == '1.33'", "v1.33.4+k3s1", true],
  ["platform.kubernetes >= '1.33.9'", "1.33+", true],
  ["platform.kubernetes < '1.34'", "v1.34.0", false],
])("a platform is compared by its minor version: %s of %s", (condition, kubernetes, says) => {
  expect(ask(condition, { platform: { kubernetes } })).toBe(says);
});

test("a platform and a text that is none", () => {
  const values = { platform: { kubernetes: "v1.33.4" } };
  expect(ask("platform.kubernetes < '2'", values)).toBe('"2" is no version');
});

const truth = { t: "database.tls", f: "database.flash", u: "database.replicated" } as const;
const three: Values = { database: { tls: true, flash: false, replicated: notRead } };
const unknown = notRead.because;

test.each<[condition: string, says: unknown]>([
  ["u || t", true],
  ["t || u", true],
  ["u || f", unknown],
  ["f || u", unknown],
  ["u || u", unknown],
  ["u && f", false],
  ["f && u", false],
  ["u && t", unknown],
  ["t && u", unknown],
  ["u && u", unknown],
  ["!u", unknown],
  ["u == t", unknown],
  ["u ? t : f", unknown],
  ["t ? f : u", false],
  ["[1].exists(x, u) || t", true],
  ["[1].all(x, u) && f", false],
])("with t true, f false and u not known, %s is %s", (condition, says) => {
  const text = condition.replaceAll(/\b[tfu]\b/g, (name) => truth[name as keyof typeof truth]);
  expect(ask(text, three)).toBe(says);
});

const nodes = [{ name: "a" }, new Unknown("node b is gone"), { name: "c" }, "d"];

test.each<[condition: string, says: unknown]>([
  ["nodes.exists(n, n.name == 'c')", true],
  ["nodes.exists(n, n.name == 'z')", "node b is gone"],
  ["nodes.all(n, n.name == 'a')", false],
  ["nodes.all(n, n.name != 'z')", "node b is gone"],
  ["nodes.filter(n, n.name == 'c').size() == 1", "node b is gone"],
  ["size(nodes) == 4", true],
  ["nodes[3].name == 'd'", "element 3 of a list of nodes is no object"],
  ["nodes[7].name == 'd'", "no such key: index out of bounds, index 7 >= size 4"],
])("of a list with elements that are not known, %s is %s", (condition, says) => {
  expect(ask(condition, { nodes })).toBe(says);
});

test.each<[name: string, condition: string, values: Values, says: unknown]>([
  ["an optional word that is absent", "has(target.engine)", { target: {} }, false],
  ["an optional word that is null", "has(target.engine)", { target: { engine: null } }, false],
  ["an optional word", "has(target.engine)", { target: { engine: "8.4" } }, true],
  ["without a target", "has(target.engine)", {}, false],
  ["a target that is not known", "has(target.engine)", { target: notRead }, unknown],
  ["a word that is not known", "has(target.engine)", { target: { engine: notRead } }, unknown],
  [
    "a word of another type",
    "has(target.engine)",
    { target: { engine: 8 } },
    "target.engine is 8, and version is expected",
  ],
  ["a word that cannot be absent", "has(cluster.tag)", { cluster: {} }, "cluster.tag is absent"],
  ["asked for without has()", "target.engine < '8'", {}, "target.engine is absent"],
  [
    "a label",
    "nodes[0].labels['a'] == 'b'",
    { nodes: [{ labels: {} }] },
    "nodes[0].labels['a'] is absent",
  ],
  ["a variable", "cluster.nodes == 3", {}, "cluster is absent"],
  [
    "a variable of another type",
    "cluster.nodes == 3",
    { cluster: 3 },
    "cluster is 3, and cluster is expected",
  ],
  [
    "text for a number",
    "cluster.nodes > 3",
    { cluster: { nodes: "3" } },
    'cluster.nodes is "3", and int is expected',
  ],
  [
    "with the name of the object",
    "cluster.nodes > 3",
    { cluster: { nodes: "3", name: "main" } },
    'nodes of cluster main is "3", and int is expected',
  ],
  [
    "a fraction",
    "cluster.nodes > 3",
    { cluster: { nodes: 3.5 } },
    "cluster.nodes is 3.5, and int is expected",
  ],
  [
    "a number for a name",
    "cluster.name == 'a'",
    { cluster: { name: 3 } },
    "cluster.name is 3, and string is expected",
  ],
  [
    "text for a bool",
    "cluster.storage",
    { cluster: { storage: "yes" } },
    'cluster.storage is "yes", and bool is expected',
  ],
  [
    "a list for a bool",
    "cluster.storage",
    { cluster: { storage: [] } },
    "cluster.storage is a list, and bool is expected",
  ],
  [
    "an object for a list",
    "cluster.offered.size() > 0",
    { cluster: { offered: {} } },
    "cluster.offered is an object, and a list of version is expected",
  ],
  [
    "an element of another type",
    "cluster.userModules.size() > 0",
    { cluster: { userModules: ["a", 3] } },
    "cluster.userModules[1] is 3, and string is expected",
  ],
  [
    "a list for labels",
    "nodes.exists(n, has(n.labels.a))",
    { nodes: [{ labels: [] }] },
    "node.labels is a list, and labels is expected",
  ],
  [
    "a very long text",
    "cluster.nodes > 3",
    { cluster: { nodes: "x".repeat(1000) } },
    `cluster.nodes is "${"x".repeat(59)}…, and int is expected`,
  ],
])("%s", (_name, condition, values, says) => {
  expect(ask(condition, values)).toBe(says);
});

test("a function gives its value once, and only when it is asked for", () => {
  const tag = jest.fn(() => "8.0.2-2");
  const cluster = { tag, name: "main" };
  expect(ask("cluster.name == 'main'", { cluster })).toBe(true);
  expect(tag).not.toHaveBeenCalled();
  expect(ask("cluster.tag > '8.0' && cluster.tag < '9'", { cluster })).toBe(true);
  expect(ask("cluster.tag > '8.0'", { cluster, target: {} })).toBe(true);
  expect(tag).toHaveBeenCalledTimes(1);
  expect(ask("database.tls", { database: () => ({ tls: true }) })).toBe(true);
});

test("an error of a function is no unknown value", () => {
  const cluster = {
    tag: () => {
      throw new RangeError("broken");
    },
  };
  expect(() => ask("cluster.tag > '8.0'", { cluster })).toThrow("broken");
});

const deep = (depth: number) => `${"(".repeat(depth)}true${")".repeat(depth)}`;

test.each<[name: string, condition: string, problem: string]>([
  [
    "a variable that is none",
    "clutser.nodes > 3",
    "there is no variable clutser (did you mean cluster?)",
  ],
  ["a variable of other rows", "node.ready", "there is no node in a row that concerns database"],
  ["a word that is none", "cluster.nodez > 3", "cluster has no nodez (did you mean nodes?)"],
  [
    "a word that is none, in has()",
    "has(cluster.nodez)",
    "cluster has no nodez (did you mean nodes?)",
  ],
  ["deep in has()", "has(cluster.name.nodez)", "string has no fields, so there is no nodez"],
  [
    "behind what is none, in has()",
    "has(cluster.nodez.x)",
    "cluster has no nodez (did you mean nodes?)",
  ],
  ["deeper in has()", "has(cluster.name.a.b)", "string has no fields, so there is no a"],
  ["a loop without anything", "nodes.exists()", "found no matching overload for 'list.exists()'"],
  ["in a loop", "nodes.exists(n, has(n.archh))", "node has no archh (did you mean arch?)"],
  ["another type", "cluster.nodes > '3'", "no such overload: int > string"],
  ["a text for a condition", "cluster.name", "it gives string, and bool is expected"],
  ["a version that is none", "cluster.tag < 'eight'", '"eight" is no version'],
  ["a version that is a number", "cluster.tag < 8", "no such overload: Version < int"],
  ["half a condition", "cluster.nodes >", "unexpected end"],
  ["no condition", "", "unexpected end"],
  ["has() of no word", "has(true)", "has() invalid argument"],
  ["a type", "int == int", "there is no variable int"],
  ["matches()", "cluster.name.matches('^(a+)+$')", "there is no function matches"],
  ["dyn()", "dyn(cluster).nodez == 3", "there is no function dyn"],
  ["type()", "type(cluster) == type(cluster)", "there is no function type"],
  ["a near function", "sise(nodes) > 1", "there is no function sise (did you mean size?)"],
  ["a clock", "timestamp('2026-11-30T00:00:00Z') < now()", "there is no function timestamp"],
  ["cel.bind()", "cel.bind(x, nodes, true)", "there is no variable cel"],
  ["constructor", "cluster.constructor == 'x'", "constructor is no word"],
  ["__proto__", "nodes.exists(n, n.labels.__proto__ == 'x')", "__proto__ is no word"],
  ["prototype", "has(cluster.prototype)", "prototype is no word"],
  ["toString", "cluster.toString == 'x'", "cluster has no toString"],
  ["constructor in brackets", "nodes[0].labels['constructor'] == 'x'", "constructor is no word"],
  [
    "a word in brackets",
    "cluster['nodes'] == 3",
    "a word is asked for with a dot, and not with [ ]",
  ],
  [
    "an element called constructor",
    "nodes.exists(constructor, true)",
    "a loop cannot call its element constructor: choose another name",
  ],
  [
    "an element called like a variable",
    "nodes.exists(cluster, true)",
    "a loop cannot call its element cluster: choose another name",
  ],
  [
    "an element without a name",
    "nodes.exists(1, true)",
    "exists(var, predicate) invalid predicate iteration variable",
  ],
  [
    "three loops",
    "nodes.exists(a, nodes.exists(b, nodes.exists(c, true)))",
    "more than 2 loops are in one another",
  ],
  [
    "lists of lists",
    "[nodes].exists(l, l.exists(a, l.exists(b, true)))",
    "a list of lists cannot be gone through",
  ],
  ["a map", "{'a': 1}.size() == 1", "it has a map, of which there is no use here"],
  ["too long a text", `true ${" ".repeat(1000)}`, "it has more than 1000 characters"],
  [
    "too many nodes",
    Array.from({ length: 120 }, () => "true").join("||"),
    "it has more than 200 parts",
  ],
  ["too deep a text", deep(30), "it is nested deeper than 24 levels"],
])("%s is refused when it is read", (_name, condition, problem) => {
  expect(ask(condition)).toEqual({ problem });
});

test("two loops in one another over very many things end early", () => {
  const databases = Array.from({ length: 5000 }, (_, at) => ({ name: `db-${at}` }));
  const pairs = "databases.exists(a, databases.exists(b, a.name == b.name && false))";
  const because = "it goes through more than 250000 elements of lists";
  expect(ask(pairs, { databases })).toBe(because);
  // the next one has its own measure
  expect(ask("databases.exists(a, a.name == 'db-4999')", { databases })).toBe(true);
});

test.each<[text: string, values: Values, says: unknown]>([
  ["database.name", { database: orders }, "orders"],
  ["database.shards + 1", { database: orders }, "4"],
  ["database.version", { database: orders }, "7.4.2"],
  ["'at ' + string(database.version)", { database: orders }, "at 7.4.2"],
  ["database.tls", { database: orders }, "true"],
  ["1.5 + 1.0", {}, "2.5"],
  ["cluster.offered", { cluster: { offered: ["7.4", "8.0"] } }, "7.4, 8.0"],
  [
    "nodes.filter(n, n.arch == 'arm64').map(n, n.name)",
    {
      nodes: [
        { name: "a", arch: "arm64" },
        { name: "b", arch: "amd64" },
      ],
    },
    "a",
  ],
  ["database.name", {}, "database is absent"],
  ["database", {}, { problem: "it gives Database, which cannot be printed: name a field of it" }],
  ["nodes", {}, { problem: "it gives list<Node>, which cannot be printed: name a field of it" }],
])("{%s} of %j is printed as %p", (text, values, says) => {
  expect(print(text, values)).toEqual(says);
});

test.each<[condition: string, words: readonly string[], facts: readonly string[]]>([
  [
    "cluster.eligible.exists(n, n.arch == 'arm64')",
    ["cluster", "cluster.eligible", "node.arch"],
    ["ecs", "nodes"],
  ],
  ["has(target.engine)", ["target", "target.engine"], []],
  [
    "clusters.exists(c, c.userModules.size() > 0)",
    ["clusters", "cluster.userModules"],
    ["ecs", "edbs", "eaadbs"],
  ],
])("%s asks for words and lists", (condition, words, facts) => {
  expect(compile(condition, "cluster", "bool")).toMatchObject({ words, facts, text: condition });
});
