import { omit } from "../../../../plugin/domain/base/values";
import { Unknown, type Values } from "../../../../plugin/domain/advisories/language";
import { judgeEach, judgeRow, listFacts } from "../../../../plugin/domain/advisories/judge";
import type { Sourced } from "../../../../plugin/domain/advisories/row";

const base: Sourced = {
  code: "SOME-CODE",
  id: "some-code",
  origin: "test",
  source: "notes of a release",
  severity: "warning",
  area: "databases",
  concerns: "database",
  title: "It is so",
  cause: "it is not so",
  fix: "make it so",
  examples: { fires: {}, silent: {} },
};

function row(rest: Partial<Sourced>): Sourced {
  return { ...base, ...rest };
}

/** What a row says in one word, or why nothing is known. */
function judge(rest: Partial<Sourced>, values: Values): string {
  const judgment = judgeRow(row(rest), values);
  return judgment.is === "unknown" ? judgment.because : judgment.is;
}

const operator = (version: unknown) => ({ operator: { version } });
const runs = (version: unknown) => ({ database: { name: "orders", version } });
const to = (target: Values["target"]) => ({ target });

const gone = new Unknown("deployments could not be read");
const release = "give the release with --target";

test.each<[name: string, rest: Partial<Sourced>, values: Values, says: string]>([
  ["a row without any condition", {}, {}, "fires"],
  ["a condition that holds", { when: "true" }, {}, "fires"],
  ["a condition that does not", { when: "false" }, {}, "silent"],
  ["a condition that is not known", { when: "database.tls" }, {}, "database is absent"],
  ["one that counts as holding then", { when: "database.tls", whenUnknown: "fires" }, {}, "fires"],
  [
    "one that does not hold, and would count as holding",
    { when: "database.tls", whenUnknown: "fires" },
    { database: { tls: false } },
    "silent",
  ],
])("%s", (_name, rest, values, says) => {
  expect(judge(rest, values)).toBe(says);
});

const step = { crosses: { operator: { from: "<8.0", to: ">=8.0" } } };

test.each<[name: string, rest: Partial<Sourced>, values: Values, says: string]>([
  ["is made", step, { ...operator("7.22.2-43"), ...to({ operator: "8.0.2-2" }) }, "fires"],
  ["was made before", step, { ...operator("8.0.2-2"), ...to({ operator: "8.0.6-8" }) }, "silent"],
  ["is not reached", step, { ...operator("7.8.0-1"), ...to({ operator: "7.22.2-43" }) }, "silent"],
  ["counts as reached without a target", step, operator("7.22.2-43"), "fires"],
  ["is behind without a target", step, operator("8.0.2-2"), "silent"],
  ["from what is not known", step, { operator: { version: gone } }, gone.because],
  ["from what is absent", step, { operator: {} }, "operator.version is absent"],
  [
    "from what is not known to elsewhere",
    step,
    { ...operator(gone), ...to({ operator: "7.4.2-2" }) },
    "silent",
  ],
  [
    "to what is not known",
    step,
    { ...operator("7.4.2-2"), ...to({ operator: gone }) },
    gone.because,
  ],
  [
    "from elsewhere to what is not known",
    step,
    { ...operator("8.0.2-2"), ...to({ operator: gone }) },
    "silent",
  ],
  [
    "with a target of something else",
    step,
    { ...operator("7.4.2-2"), ...to({ cluster: "8.0.2-17" }) },
    "fires",
  ],
  [
    "to where it is already",
    { crosses: { operator: { to: ">=8.0" } } },
    { ...operator("8.0.2-2"), ...to({ operator: "8.0.2-2" }) },
    "silent",
  ],
  [
    "back",
    { crosses: { operator: { to: ">=8.0" } } },
    { ...operator("8.0.6-8"), ...to({ operator: "8.0.2-2" }) },
    "silent",
  ],
  [
    "from anywhere, which is not known",
    { crosses: { operator: { to: ">=8.0" } } },
    { ...operator(gone), ...to({ operator: "8.0.2-2" }) },
    "fires",
  ],
  [
    "to anywhere",
    { crosses: { cluster: { from: "<8.0" } } },
    { cluster: { tag: "7.22.0-28" }, target: { cluster: "7.22.2-1" } },
    "fires",
  ],
  [
    "of a platform that is there",
    { crosses: { kubernetes: { from: ">=1.33" } } },
    { platform: { kubernetes: "v1.33.4" } },
    "fires",
  ],
  [
    "of a platform that is not there",
    { crosses: { openshift: { from: ">=4.20" } } },
    { platform: { kubernetes: "v1.33.4" } },
    "silent",
  ],
  [
    "of a platform that was not read",
    { crosses: { openshift: { from: ">=4.20" } } },
    { platform: gone },
    gone.because,
  ],
  [
    "of two, where one is not made",
    { crosses: { ...step.crosses, cluster: { from: "<8.0" } } },
    { ...operator("7.4.2-2"), cluster: { tag: "8.0.2-17" } },
    "silent",
  ],
])("a step %s", (_name, rest, values, says) => {
  expect(judge(rest, values)).toBe(says);
});

const engine = { crosses: { engine: { from: "<8.4", to: ">=8.4" } } };
const offers = (offered: unknown) => ({ cluster: { offered } });

test.each<[name: string, values: Values, says: string, rest?: Partial<Sourced>]>([
  ["asked for", { ...runs("8.2"), ...to({ engine: "8.4" }) }, "fires"],
  ["not asked for", { ...runs("8.2"), ...to({ engine: "8.2" }), ...offers(["8.4"]) }, "silent"],
  ["offered", { ...runs("8.2"), ...offers(["8.2", "8.4"]) }, "fires"],
  ["not offered", { ...runs("8.2"), ...offers(["8.2"]) }, "silent"],
  ["offered or not, which is not known", { ...runs("8.2"), ...offers(gone) }, gone.because],
  ["not known to be offered, and made before", { ...runs("8.4"), ...offers(gone) }, "silent"],
  ["of a version that is not known", { ...runs(gone), ...offers(["8.4"]) }, gone.because],
  [
    "offered, but none later",
    { ...runs("8.4"), ...offers(["8.4"]) },
    "silent",
    { crosses: { engine: { to: ">=8.4" } } },
  ],
  [
    "of any goal",
    { ...runs("8.2"), ...offers([]) },
    "fires",
    { crosses: { engine: { from: "<8.4" } } },
  ],
])("a step of an engine version that is %s", (_name, values, says, rest = engine) => {
  expect(judge(rest, values)).toBe(says);
});

test.each<[name: string, rest: Partial<Sourced>, values: Values, says: string]>([
  ["what runs", { at: { operator: "<8.0" } }, operator("7.4.2-2"), "fires"],
  [
    "what is asked for",
    { at: { operator: "<8.0" } },
    { ...operator("7.4.2-2"), ...to({ operator: "8.0.2-2" }) },
    "silent",
  ],
  ["what is not known", { at: { operator: "<8.0" } }, { operator: gone }, gone.because],
  ["no OpenShift", { at: { openshift: "<4.20" } }, { platform: {} }, "silent"],
  ["an engine version", { at: { engine: "<8.0" } }, runs("7.4"), "fires"],
  [
    "two of them",
    { at: { engine: "<8.0", operator: ">=8.0" } },
    { ...runs("7.4"), ...operator("8.0.2-2") },
    "fires",
  ],
  ["an end", { fixedIn: { operator: ">=8.0.6-8" } }, operator("8.0.6-8"), "silent"],
  [
    "an end that is not reached",
    { fixedIn: { operator: ">=8.0.6-8" } },
    operator("8.0.2-2"),
    "fires",
  ],
  [
    "an end that is not known",
    { fixedIn: { operator: ">=8.0.6-8" } },
    { operator: gone },
    gone.because,
  ],
  [
    "an end that another platform has",
    { fixedIn: { openshift: ">=4.20" } },
    { platform: {} },
    "fires",
  ],
  [
    "no version",
    { at: { operator: "<8.0" } },
    operator("latest"),
    'operator.version is "latest", and version is expected',
  ],
])("a range over %s", (_name, rest, values, says) => {
  expect(judge(rest, values)).toBe(says);
});

test.each<[name: string, rest: Partial<Sourced>, values: Values, says: string]>([
  ["without one", { needsTarget: true }, {}, release],
  ["with an empty one", { needsTarget: true }, to({}), release],
  ["of the operator", { needsTarget: true }, to({ operator: "8.0.2-2" }), "fires"],
  ["of the cluster", { needsTarget: true }, to({ cluster: "8.0.2-2" }), "fires"],
  ["of an engine", { needsTarget: true }, to({ engine: "8.4" }), "fires"],
  [
    "without one, where ranges decide",
    { needsTarget: true, at: { engine: "<8" } },
    runs("8.2"),
    "silent",
  ],
  ["without one, where the condition decides", { needsTarget: true, when: "false" }, {}, "silent"],
])("a row that needs a target, %s", (_name, rest, values, says) => {
  expect(judge(rest, values)).toBe(says);
});

test.each<[name: string, rest: Partial<Sourced>, values: Values, says: string]>([
  [
    "silent ranges over a condition that is not known",
    { at: { engine: "<8" }, when: "database.tls" },
    runs("8.2"),
    "silent",
  ],
  [
    "a silent condition over ranges that are not known",
    { at: { operator: "<8" }, when: "false" },
    { operator: gone },
    "silent",
  ],
  [
    "ranges that are not known over a condition that holds",
    { at: { operator: "<8" }, when: "true" },
    { operator: gone },
    gone.because,
  ],
  [
    "the ranges' reason over the condition's",
    { at: { operator: "<8" }, when: "database.tls" },
    { operator: gone },
    gone.because,
  ],
])("%s", (_name, rest, values, says) => {
  expect(judge(rest, values)).toBe(says);
});

test("a condition is not asked where ranges decide", () => {
  const name = jest.fn(() => "orders");
  const values = { database: { version: "8.2", name } };
  expect(judge({ at: { engine: "<8" }, when: "database.name == 'orders'" }, values)).toBe("silent");
  expect(name).not.toHaveBeenCalled();
});

const cluster = { tag: "7.22.0-28" };
const old = { at: { engine: "<8", cluster: "<8" } };

test.each<[name: string, other: Values, says: readonly string[]]>([
  ["the same version", { ...runs("7.4"), cluster }, ["fires", "fires"]],
  ["another version", { ...runs("8.2"), cluster }, ["fires"]],
  ["another cluster", { ...runs("7.4"), cluster: { tag: "8.0.2-17" } }, ["fires"]],
  ["another target", { ...runs("7.4"), cluster, target: { cluster: "8.0.2-17" } }, ["fires"]],
  ["another operator", { ...runs("7.4"), cluster, operator: {} }, ["fires", "fires"]],
  ["another platform", { ...runs("7.4"), cluster, platform: {} }, ["fires", "fires"]],
  ["a version that is not known", { ...runs(gone), cluster }, ["fires", "unknown"]],
  ["no database", { cluster }, ["fires", "unknown"]],
  ["a database that is none", { cluster, database: null }, ["fires", "unknown"]],
  ["one that is worked out", { cluster, database: () => ({ version: "8.2" }) }, ["fires"]],
])("of many, one beside %s is judged as it is alone", (_name, other, says) => {
  const subjects = [{ values: { ...runs("7.4"), cluster } }, { values: other }];
  const told = judgeEach(row(old), subjects);
  expect(told.map(({ judgment }) => judgment.is)).toEqual(says);
  const alone = subjects.map(({ values }) => judgeRow(row(old), values));
  expect(told.map(({ judgment }) => judgment)).toEqual(alone.filter(({ is }) => is !== "silent"));
});

test("where ranges decide of all, no condition is read", () => {
  const subjects = [{ values: runs("8.2") }];
  expect(judgeEach(row({ at: { engine: "<8" }, when: "no condition" }), subjects)).toEqual([]);
});

test("each whose version is not known has its own reason", () => {
  const subjects = ["orders", "carts"].map((name) => ({ values: { database: { name } } }));
  const told = judgeEach(row({ at: { engine: "<8" } }), subjects);
  expect(told.map(({ judgment }) => judgment)).toEqual([
    { is: "unknown", because: "version of database orders is absent", keys: [] },
    { is: "unknown", because: "version of database carts is absent", keys: [] },
  ]);
});

test("it is told which lists were not read", () => {
  const unread = new Unknown("nodes were not read", ["nodes"]);
  const one = row({ when: "nodes.all(n, n.ready)" });
  expect(judgeRow(one, { nodes: unread })).toEqual({
    is: "unknown",
    because: "nodes were not read",
    keys: ["nodes"],
  });
});

test("a version that is worked out is worked out once", () => {
  const version = jest.fn(() => "7.4");
  const database = { version };
  const one = row({ at: { engine: "<8" } });
  expect(judgeRow(one, { database }).is).toBe("fires");
  expect(judgeEach(one, [{ values: { database } }])).toHaveLength(1);
  expect(judgeRow(one, { database: () => database }).is).toBe("fires");
  expect(judgeRow(one, { database: null }).is).toBe("unknown");
  expect(version).toHaveBeenCalledTimes(1);
});

test("texts tell the values, and say which are unknown", () => {
  const one = row({
    cause: "{database.name} has {database.shards} {{shards}}, {cluster.offered}, '{'}'}'",
    fix: "go to {target.engine}",
    remedies: [
      {
        says: "look at {database.name}",
        see: ["oc", "get", "pods", "{database.namespace}"],
        run: ["engine", "check", "--skip", "{database.name}"],
      },
      { says: "call" },
    ],
  });
  const values = {
    database: { name: "orders", namespace: "a b" },
    cluster: { offered: ["8.2", "8.4"] },
  };
  expect(judgeRow(one, values)).toEqual({
    is: "fires",
    cause: "orders has (unknown) {shards}, 8.2, 8.4, '}'",
    fix: "go to (unknown)",
    remedies: [
      {
        says: "look at orders",
        see: { of: "oc", words: ["get", "pods", "a b"] },
        run: { of: "tool", words: ["check", "--skip", "orders"] },
      },
      { says: "call" },
    ],
  });
});

test("a row without a fix tells only its remedies", () => {
  const judgment = judgeRow({ ...omit(base, "fix"), remedies: [{ says: "wait", run: [] }] }, {});
  expect(judgment).toEqual({
    is: "fires",
    cause: "it is not so",
    remedies: [{ says: "wait", run: { of: "kubectl", words: [] } }],
  });
});

test.each<[name: string, rest: Partial<Sourced>, problem: string]>([
  [
    "a condition",
    { when: "database.tsl" },
    "advisory some-code: database has no tsl (did you mean tls?)",
  ],
  [
    "a range",
    { at: { operator: "8" } },
    "advisory some-code: before 8 a sign is missing: <, <=, >, >= or =",
  ],
  ["a text", { cause: "{" }, "advisory some-code: the brace at { has no other"],
])("%s that was not checked when its file was loaded ends the run", (_name, rest, problem) => {
  expect(() => judge(rest, {})).toThrow(problem);
});

test.each<[name: string, rest: Partial<Sourced>, facts: readonly string[]]>([
  ["what it concerns", { concerns: "remote" }, ["ercs"]],
  ["the operator", { concerns: "operator" }, ["deployments"]],
  ["its ranges", { at: { operator: "<8" } }, ["nodes", "deployments"]],
  [
    "the end of it",
    { fixedIn: { openshift: "<4.20" } },
    ["nodes", "clusterVersions", "constraints"],
  ],
  ["its steps", { crosses: { kubernetes: {} } }, ["nodes", "clusterVersions", "constraints"]],
  ["its condition", { when: "remotes.all(r, r.local)" }, ["nodes", "ercs"]],
  [
    "its words",
    { when: "clusters.all(c, c . modules.size() > 0)" },
    ["nodes", "ecs", "edbs", "eaadbs"],
  ],
  ["its texts", { cause: "{clusters.size()}", fix: "{remotes.size()}" }, ["nodes", "ecs", "ercs"]],
  [
    "its ways out",
    {
      remedies: [
        { says: "{clusters.size()}", run: ["{remotes.size()}"], see: ["{operator.version}"] },
      ],
    },
    ["nodes", "ecs", "ercs", "deployments"],
  ],
  ["a way out without commands", { fix: undefined, remedies: [{ says: "wait" }] }, ["nodes"]],
  ["nothing else", { cause: "remotes", fix: "{{remotes}}" }, ["nodes"]],
  ["nothing that a word behind a dot is called like", { when: "has(target.operator)" }, ["nodes"]],
])("a row needs the lists of %s", (_name, rest, facts) => {
  expect(listFacts(row({ concerns: "node", ...rest }))).toEqual(facts);
});
