import { defaultNames, mapNames, type Names, namesTree } from "../../../../plugin/domain/names";
import { judgeNames, keysOf } from "../../../../plugin/domain/names/judge";
import { everyOverride, renamed, usable } from "../../../support/renamed";

function problemsOf(overrides: unknown): readonly string[] {
  const judged = judgeNames(overrides);
  return "problems" in judged ? judged.problems : [];
}

describe("any subset replaces the defaults", () => {
  test.each<[string, unknown]>([
    ["an empty file", undefined],
    ["a file that holds null", null],
    ["no key", {}],
    ["a group whose keys are all commented out", { webhook: null }],
    ["every default, once more", defaultNames],
  ])("%s changes nothing", (_title, overrides) => {
    expect(judgeNames(overrides)).toEqual({ names: defaultNames });
  });

  test("one key of a group leaves its neighbors alone", () => {
    expect(usable(judgeNames({ webhook: { secret: "acme-tls" } }))).toEqual({
      ...defaultNames,
      webhook: { ...defaultNames.webhook, secret: "acme-tls" },
    });
  });

  test("a list is replaced as a whole", () => {
    const { fields } = usable(judgeNames({ fields: { moduleLists: ["plugins"] } }));
    expect(fields.moduleLists).toEqual(["plugins"]);
  });

  test("a key that was a single text once takes one still", () => {
    const { annotations } = usable(judgeNames({ annotations: { operatorVersion: "acme.io/v" } }));
    expect(annotations.operatorVersion).toEqual(["acme.io/v"]);
  });

  test("a cluster without bundled modules has an empty list of them", () => {
    expect(usable(judgeNames({ bundledModules: [] })).bundledModules).toEqual([]);
  });

  test("every key can be given, and arrives", () => {
    expect(renamed).toEqual(everyOverride);
    const same = mapNames(namesTree, ({ value }, path) => {
      const given = path.reduce<unknown>(
        (at, key) => (at as Record<string, unknown>)[key],
        renamed,
      );
      return JSON.stringify(given) === JSON.stringify(value);
    });
    expect(JSON.stringify(same)).not.toContain("true");
  });
});

describe("unknown keys are refused, with the nearest known one", () => {
  test.each<[string, unknown, string]>([
    [
      "a typo",
      { webhook: { secrt: "x" } },
      "webhook.secrt: unknown key (did you mean webhook.secret?)",
    ],
    ["a typo at the top", { grup: "x.y" }, "grup: unknown key (did you mean group?)"],
    [
      "a key of another group",
      { entry: "a.b.c" },
      "entry: unknown key (did you mean webhook.entry?)",
    ],
    ["nothing near", { webhook: { banana: 1 } }, "webhook.banana: unknown key"],
    ["what every object has", { constructor: "x" }, "constructor: unknown key"],
    ["a prototype", JSON.parse('{"__proto__":{"group":"x"}}'), "__proto__: unknown key"],
  ])("%s", (_title, overrides, problem) => {
    expect(problemsOf(overrides)).toEqual([problem]);
  });
});

describe("values of the wrong type or form are refused", () => {
  test.each<[string, unknown, string]>([
    ["no mapping", ["a"], '["a"] is not a mapping of names'],
    ["a text", "group", '"group" is not a mapping of names'],
    ["a text for a group", { ec: "x" }, 'ec: "x" is not a group of names (kind, plural, short)'],
    [
      "a list for a large group",
      { webhook: [] },
      "webhook: [] is not a group of names (configuration, entry, oldConfiguration, …)",
    ],
    ["a number", { majorChannel: 7 }, "majorChannel: 7 is not a text, quote it in YAML"],
    ["a boolean", { majorChannel: true }, "majorChannel: true is not a text, quote it in YAML"],
    ["null", { majorChannel: null }, "majorChannel: null is not a text"],
    [
      "empty",
      { majorChannel: "" },
      'majorChannel: "" is not a word (printable ASCII without spaces)',
    ],
    [
      "a dotted path",
      { fields: { engineVersion: "spec.version" } },
      'fields.engineVersion: "spec.version" is not a list such as [spec, engineVersion]',
    ],
    [
      "a dot in a path",
      { fields: { engineVersion: ["spec", "a.b"] } },
      'fields.engineVersion[1]: "a.b" is not the name of a field (letters, digits, -, _ and $; each part of a path by itself)',
    ],
    [
      "a path of another root",
      { fields: { engineVersion: ["status", "v"] } },
      'fields.engineVersion: ["status","v"] is not a path of at least two fields that begins with spec',
    ],
    [
      "a path that is a root alone",
      { fields: { engineVersion: ["spec"] } },
      'fields.engineVersion: ["spec"] is not a path of at least two fields that begins with spec',
    ],
    [
      "an unquoted version",
      { engineVersions: [7.2, "7.4"] },
      "engineVersions[0]: 7.2 is not a text, quote it in YAML",
    ],
    [
      "no version at all",
      { engineVersions: [] },
      "engineVersions: [] is not a list of at least one",
    ],
    [
      "a text of the wrong form in the place of a list",
      { annotations: { operatorVersion: "a b" } },
      'annotations.operatorVersion: "a b" is not the key of a label or annotation (PREFIX/NAME or NAME)',
    ],
    [
      "a number in the place of a list",
      { annotations: { operatorVersion: 7 } },
      "annotations.operatorVersion: 7 is not a text, quote it in YAML",
    ],
    [
      "a group in the place of a list",
      { annotations: { operatorVersion: {} } },
      "annotations.operatorVersion: {} is not a list such as [engine.io/operator-ver]",
    ],
    [
      "a group in the place of a list that may be empty",
      { openshiftImages: { operator: {} } },
      "openshiftImages.operator: {} is not a list",
    ],
    [
      "a spelling twice",
      { annotations: { operatorVersion: ["a.io/v", "b.io/v", "a.io/v"] } },
      'annotations.operatorVersion: "a.io/v" is there twice',
    ],
    [
      "no spelling",
      { annotations: { operatorVersion: [] } },
      "annotations.operatorVersion: [] is not a list of at least one",
    ],
    ["a version twice", { engineVersions: ["7.2", "7.2"] }, 'engineVersions: "7.2" is there twice'],
    [
      "a value as long as a file",
      { majorChannel: "x".repeat(500) },
      `majorChannel: "${"x".repeat(76)}... is not a word (printable ASCII without spaces)`,
    ],
  ])("%s", (_title, overrides, problem) => {
    expect(problemsOf(overrides)).toEqual([problem]);
  });
});

describe("clashes are refused", () => {
  const { webhook, fields } = defaultNames;
  test.each<[string, unknown, string]>([
    [
      "two kinds of one name",
      { ec: { kind: "EngineEnterpriseDatabase" } },
      'ec.kind and edb.kind are both "EngineEnterpriseDatabase": two kinds could not be told apart',
    ],
    [
      "a short name that is another's plural",
      { ec: { short: "edbs" }, edb: { plural: "edbs" } },
      'ec.short and edb.plural are both "edbs": two kinds could not be told apart',
    ],
    [
      "old and new configuration",
      { webhook: { oldConfiguration: webhook.configuration } },
      'webhook.configuration and webhook.oldConfiguration are both "engine-enterprise-admission": the old configuration, which is deleted, would be the new one',
    ],
    [
      "old and new entry",
      { webhook: { oldEntry: webhook.entry } },
      'webhook.entry and webhook.oldEntry are both "redisenterprise.admission.engine": a refusal by the old webhook would count as one by the new',
    ],
    [
      "certificate and key",
      { webhook: { secretCert: "privateKey" } },
      'webhook.secretCert and webhook.secretKey are both "privateKey": the private key would be published as the certificate',
    ],
    [
      "a spelling of two annotations",
      { annotations: { operatorVersion: ["a.io/v", "b.io/v"], chartVersion: "b.io/v" } },
      'annotations.operatorVersion and annotations.chartVersion are both "b.io/v": one annotation would mean two things',
    ],
    [
      "one path of two meanings",
      { fields: { evictionPolicy: fields.engineVersion } },
      "fields.engineVersion and fields.evictionPolicy are both spec.engineVersion: one field would mean two things",
    ],
    [
      "a path through another",
      { fields: { clusterReference: [...fields.engineVersion, "name"] } },
      "fields.engineVersion and fields.clusterReference: spec.engineVersion would be a value and hold fields at once",
    ],
    [
      "a module list that is the version",
      { fields: { moduleLists: ["engineVersion"] } },
      "fields.engineVersion and fields.moduleLists[0] are both spec.engineVersion: one field would mean two things",
    ],
    [
      "a placeholder within another",
      { placeholders: { namespace: ["NAME_OF"] } },
      'placeholders.namespace[0] and placeholders.serviceAccount[0]: "NAME_OF" and "NAME_OF_EC_SERVICE_ACCOUNT" overlap, one would be filled in by half',
    ],
    [
      "a placeholder that holds another",
      { placeholders: { serviceAccount: ["XOPERATOR_NAMESPACE"] } },
      'placeholders.namespace[0] and placeholders.serviceAccount[0]: "OPERATOR_NAMESPACE" and "XOPERATOR_NAMESPACE" overlap, one would be filled in by half',
    ],
    [
      "a placeholder within a name",
      { placeholders: { namespace: ["app.engine"] } },
      'placeholders.namespace[0]: "app.engine" is a part of group, "app.engine.com"',
    ],
    [
      "two fields of the upgrade call",
      { upgradeRequest: { forceRestart: "force_discard" } },
      'upgradeRequest.forceRestart and upgradeRequest.forceDiscard are both "force_discard": one field would mean two things',
    ],
  ])("%s", (_title, overrides, problem) => {
    expect(problemsOf(overrides)).toEqual([problem]);
  });

  test("a field of an entry of modules may be called as one of the request", () => {
    expect(problemsOf({ upgradeRequest: { currentModule: "modules" } })).toEqual([]);
  });
});

test("all problems are named at once", () => {
  expect(
    problemsOf({
      webhook: { secrt: "x", secretCert: "privateKey", entry: "a.b" },
      group: "nodots",
      ec: null,
    }),
  ).toEqual([
    "webhook.secrt: unknown key (did you mean webhook.secret?)",
    'webhook.entry: "a.b" is not the name of a webhook entry (a DNS name of at least three parts)',
    'group: "nodots" is not an API group (a DNS name with at least one dot)',
    'webhook.secretCert and webhook.secretKey are both "privateKey": the private key would be published as the certificate',
  ]);
});

test("of very many problems the first ten are named, the others counted", () => {
  const keys = Array.from({ length: 200_000 }, (_, index) => [`key${index}`, "x"]);
  const problems = problemsOf({ webhook: Object.fromEntries(keys) as object });
  expect(problems).toHaveLength(11);
  expect(problems[0]).toBe("webhook.key0: unknown key");
  expect(problems.at(-1)).toBe("and 199990 more problems");
});

test("a key of 20,000 characters is cut, and nothing is near to it", () => {
  const [problem, ...others] = problemsOf({ ["k".repeat(20_000)]: "x" });
  expect([problem, others]).toEqual([`${"k".repeat(77)}...: unknown key`, []]);
});

test("every key has a comment of one line", () => {
  const comments: string[] = [];
  mapNames(namesTree, ({ says }) => comments.push(says));
  expect(comments).toHaveLength(keysOf(namesTree).length);
  expect(comments.filter((says) => !/^[A-Z][^\n]{2,79}$/.test(says))).toEqual([]);
});

test("the derived names are typed as what they are", () => {
  const names: Names = defaultNames;
  expect(names.webhook.secret.length).toBeGreaterThan(0);
});
