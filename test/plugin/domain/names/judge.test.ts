import { defaultNames, mapNames, namesTree } from "../../../../plugin/domain/names/names";
import { judgeNames, listKeys } from "../../../../plugin/domain/names/judge";
import { expectGoldenText } from "../../../support/golden";
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

const { webhook, fields } = defaultNames;
/** What is given, by what is wrong with it. */
const refused: Readonly<Record<string, unknown>> = {
  "a typo": { webhook: { secrt: "x" } },
  "a typo at the top": { grup: "x.y" },
  "a key of another group": { entry: "a.b.c" },
  "nothing near": { webhook: { banana: 1 } },
  "what every object has": { constructor: "x" },
  "a prototype": JSON.parse('{"__proto__":{"group":"x"}}') as unknown,
  "no mapping": ["a"],
  "a text": "group",
  "a text for a group": { ec: "x" },
  "a list for a large group": { webhook: [] },
  "a number": { majorChannel: 7 },
  "a boolean": { majorChannel: true },
  null: { majorChannel: null },
  empty: { majorChannel: "" },
  "a dotted path": { fields: { engineVersion: "spec.version" } },
  "a dot in a path": { fields: { engineVersion: ["spec", "a.b"] } },
  "a path of another root": { fields: { engineVersion: ["status", "v"] } },
  "a path that is a root alone": { fields: { engineVersion: ["spec"] } },
  "an unquoted version": { engineVersions: [7.2, "7.4"] },
  "no version at all": { engineVersions: [] },
  "a text of the wrong form in the place of a list": { annotations: { operatorVersion: "a b" } },
  "a number in the place of a list": { annotations: { operatorVersion: 7 } },
  "a group in the place of a list": { annotations: { operatorVersion: {} } },
  "a group in the place of a list that may be empty": { openshiftImages: { operator: {} } },
  "a spelling twice": { annotations: { operatorVersion: ["a.io/v", "b.io/v", "a.io/v"] } },
  "a version twice": { engineVersions: ["7.2", "7.2"] },
  "a value as long as a file": { majorChannel: "x".repeat(500) },
  "two kinds of one name": { ec: { kind: "EngineEnterpriseDatabase" } },
  "a short name that is another's plural": { ec: { short: "edbs" }, edb: { plural: "edbs" } },
  "old and new configuration": { webhook: { oldConfiguration: webhook.configuration } },
  "old and new entry": { webhook: { oldEntry: webhook.entry } },
  "certificate and key": { webhook: { secretCert: "privateKey" } },
  "two constraints": { scc: { older: defaultNames.scc.current } },
  "list and label of namespaces": { configMap: { namespacesLabel: "EDB_NAMESPACES" } },
  "user name and password": { secretItems: { username: "password" } },
  "two containers": { operator: { container: "admission" } },
  "two channels": { majorChannel: "latest" },
  "a module's name and version": { entryFields: { moduleName: "version" } },
  "type and version": { entryFields: { bundledType: "version" } },
  "a module's name and source": { entryFields: { userModuleName: "source" } },
  "name and namespace of who takes part": { entryFields: { participatingName: "namespace" } },
  "two fields of a module's entry": { upgradeRequest: { newModule: "current_module" } },
  "two fields of the upgrade call": { upgradeRequest: { forceRestart: "force_discard" } },
  "two fields of a database": { bdbFields: { name: "uid" } },
  "two fields of a module": { restModuleFields: { name: "uid" } },
  "two fields of an action": { actionFields: { name: "status" } },
  "two fields of the cluster": { clusterFields: { softwareVersion: "version" } },
  "two codes": { restErrors: { noModule: "missing_module" } },
  "a spelling of two annotations": {
    annotations: { operatorVersion: ["a.io/v", "b.io/v"], chartVersion: "b.io/v" },
  },
  "one path of two meanings": { fields: { evictionPolicy: fields.engineVersion } },
  "a path through another": { fields: { clusterReference: [...fields.engineVersion, "name"] } },
  "one path of an EC": { fields: { statusModules: ["status", "state"] } },
  "one path of an EAADB": { eaadbFields: { guid: ["status", "status"] } },
  "one path of an ERC": { ercFields: { local: ["status", "status"] } },
  "a module list that is the version": { fields: { moduleLists: ["engineVersion"] } },
  "a placeholder within another": { placeholders: { namespace: ["NAME_OF"] } },
  "a placeholder that holds another": { placeholders: { serviceAccount: ["XOPERATOR_NAMESPACE"] } },
  "a placeholder within a name": { placeholders: { namespace: ["app.engine"] } },
  "all at once": {
    webhook: { secrt: "x", secretCert: "privateKey", entry: "a.b" },
    group: "nodots",
    ec: null,
  },
};

test("what is refused, and how that is said", () => {
  const blocks = Object.entries(refused).map(([title, given]) =>
    [`## ${title}`, ...problemsOf(given)].join("\n"),
  );
  expectGoldenText("names-refused.txt", `${blocks.join("\n\n")}\n`);
});

test("a field of an entry of modules may be called as one of the request", () => {
  expect(problemsOf({ upgradeRequest: { currentModule: "modules" } })).toEqual([]);
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
  expect(comments).toHaveLength(listKeys(namesTree).length);
  expect(comments.filter((says) => !/^[A-Z][^\n]{2,79}$/.test(says))).toEqual([]);
});
