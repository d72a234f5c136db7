import type { Edit, RuleOptions } from "../../../../plugin/domain/rules/types";
import {
  type Circumstances,
  allowed,
  ambiguous,
  changed,
  created,
  eaadb,
  found,
  json,
  judge,
  missing,
  noCluster,
} from "./cases";

const withRg = found({
  userModules: [{ name: "rg" }, { name: "EngineGraph" }],
  statusModules: [
    { name: "rg", displayName: "EngineGears" },
    { name: "graph", displayName: "EngineGraph" },
    { name: "search", displayName: "EngineSearch" },
    { name: "mine", displayName: "Mine" },
    { name: "posing", displayName: "ReJSON" },
  ],
});

function modules(...all: readonly unknown[]): { readonly moduleList: readonly unknown[] } {
  return { moduleList: all.map((name) => ({ name })) };
}

const at = (engineVersion: string, ...all: readonly unknown[]): object => ({
  ...modules(...all),
  engineVersion,
});

/** The fields of the causes, with the path of the usual list left out. */
function placesOf(edit: Edit, around: Circumstances = {}): readonly string[] {
  return judge(edit, around).causes.map(({ rule, field }) =>
    `${rule} ${field}`.replace(/^R3 spec\.moduleList(\[\d+\])?(\.name)?$/, "$1"),
  );
}

test.each<[string, Edit, Circumstances?]>([
  ["the bundled names", created(modules("search", "ReJSON", "timeseries", "bf"))],
  ["the bundled names without an EC", created(modules("search", "bf")), { cluster: missing }],
  ["defined in the EC", created(modules("rg")), { cluster: withRg }],
  ["defined, by its display name", created(modules("EngineGears")), { cluster: withRg }],
  ["defined by its display name", created(modules("EngineGraph")), { cluster: withRg }],
  ["defined by its display name, by name", created(modules("graph")), { cluster: withRg }],
  ["bundled, by its display name", created(modules("EngineSearch")), { cluster: withRg }],
  ["in the field's spelling", created({ modulesList: [{ name: "rg" }] }), { cluster: withRg }],
  ["null", created({ moduleList: null, modulesList: null })],
  ["an empty list", created({ moduleList: [] })],
  ["below an EDB's global configurations", created({ globalConfigurations: modules("x") })],
])("R3 passes what is bundled or defined: %s", (_title, ...[edit, around]) => {
  expect(judge(edit, around)).toEqual(allowed);
});

const remedy =
  "neither bundled nor defined in EC engine/ec; add it to spec.userDefinedModules of that EC or remove it here";

const write = (name: string): string =>
  `neither bundled nor defined in EC engine/ec; write "${name}"`;

test.each<[string, unknown, string, string?]>([
  ["unknown", "graph", `"graph"`],
  ["another case", "rejson", `"rejson" (did you mean "ReJSON"?)`, write("ReJSON")],
  ["a longer word", "research", `"research"`],
  ["another case of a user's module", "RG", `"RG" (did you mean "rg"?)`],
  ["__proto__", "__proto__", `"__proto__"`],
  ["empty", "", `""`],
  ["a look-alike", "se\u0430rch", String.raw`"se\u0430rch"`],
  ["huge", "m".repeat(3_000_000), `"${"m".repeat(61)}..."`],
])("R3 refuses what is neither: %s", (...[, name, shown, wrong = remedy]) => {
  const cluster = found({ userModules: [{ name: "rg" }] });
  const cause = {
    rule: "R3",
    reason: "FieldValueNotFound",
    field: "spec.moduleList[0].name",
    message: `Not found: ${shown}: ${wrong} [R3]`,
  };
  const verdict = { causes: [cause], warnings: [], dependsOnCluster: true };
  expect(judge(created(modules(name)), { cluster })).toEqual(verdict);
});

const publishing = [{ name: "search", displayName: "EngineSearch" }];

test.each<[string, string, unknown]>([
  ["of a module that it does not list", "EngineJSON", "ReJSON"],
  ["of another release", "EngineSearch 2", "search"],
])("R3 refuses a display name that the EC does not publish: %s", (...[, name, module]) => {
  const [message] = judge(created(modules(name)), {
    cluster: found({ statusModules: publishing }),
  }).causes.map((cause) => cause.message);
  const hint = `(did you mean ${JSON.stringify(module)}?)`;
  expect(message).toBe(`Not found: "${name}" ${hint}: ${write(String(module))} [R3]`);
});

describe("R3, while the EC publishes no modules", () => {
  const uncertain = (shown: string) => [
    `EC engine/ec publishes no modules yet, so it may bundle ${shown}`,
  ];
  const warned = (shown: string) => uncertain(shown).map((text) => `not checked: ${text} [R3]`);

  test.each<[string, Edit, string, readonly string[], unknown?]>([
    ["a display name", created(modules("EngineJSON")), `"EngineJSON"`, []],
    ["one that nobody knows", created(modules("EngineBloom")), `"EngineBloom"`, []],
    [
      "two, one of them twice",
      created(modules("JSON", "EngineSearch 2", "JSON")),
      `"JSON", "EngineSearch 2"`,
      [],
    ],
    [
      "beside what no EC could bundle",
      created(modules("EngineJSON", "x")),
      `"EngineJSON"`,
      ["spec.moduleList[1].name"],
    ],
    [
      "entries that say nothing are no list",
      created(modules("EngineJSON")),
      `"EngineJSON"`,
      [],
      [{}, { name: "", displayName: 5 }, "search"],
    ],
  ])("%s is not known to be wrong", (...[, edit, shown, places, statusModules = []]) => {
    const verdict = judge(edit, { cluster: found({ statusModules }) });
    expect(verdict.causes.map(({ field }) => field)).toEqual(places);
    expect(verdict).toMatchObject({ warnings: warned(shown), uncertain: uncertain(shown) });
  });

  test.each<[string, Circumstances, number]>([
    ["an EC that does not exist", { cluster: missing }, 2],
    ["several ECs", { cluster: ambiguous }, 1],
    ["an EC that publishes others", { cluster: found({ statusModules: publishing }) }, 1],
  ])("%s refuses it", (_title, around, count) => {
    const { causes, uncertain: open } = judge(created(modules("EngineJSON")), around);
    expect({ count: causes.length, open }).toEqual({ count, open: undefined });
  });

  test.each<["warn" | "off", object]>([
    ["warn", { uncertain: uncertain(`"EngineJSON"`), warnings: warned(`"EngineJSON"`) }],
    ["off", {}],
  ])("the rule's setting of %s", (setting, said) => {
    const rules: RuleOptions["rules"] = { version: "deny", policy: "deny", modules: setting };
    const verdict = judge(created(modules("EngineJSON")), { options: { rules } });
    expect(verdict).toEqual({ ...allowed, ...said });
  });
});

test.each([
  ["by its name", "mine", "installed but not"],
  ["by its display name", "Mine", "installed but not"],
  ["under the display name of a bundled one", "posing", "installed but not"],
  ["by another case of its name", "MINE", "neither bundled nor"],
])("R3: one that is merely installed is not defined: %s", (_title, name, lack) => {
  const says = `Not found: "${name}": ${lack} defined in EC engine/ec; `;
  const { causes } = judge(created(modules(name)), { cluster: withRg });
  expect(causes).toMatchObject([{ message: expect.stringContaining(says) as string }]);
});

const noName = "must be a string, the name of a module";
const noList = "must be a list of modules";

test.each<[string, unknown, string, string]>([
  ["a number", [{ name: 5 }], "[0].name", `5: ${noName}`],
  ["no name", [{}], "[0].name", `null: ${noName}`],
  ["a null entry", [null], "[0].name", `null: ${noName}`],
  ["a text as entry", ["search"], "[0].name", `null: ${noName}`],
  ["a list as entry", [["search"]], "[0].name", `null: ${noName}`],
  ["an own __proto__", [json(`{"__proto__": {"name": "search"}}`)], "[0].name", `null: ${noName}`],
  ["an object as list", { 0: { name: "search" }, length: 1 }, "", `{...}: ${noList}`],
  ["a text as list", "search", "", `"search": ${noList}`],
])("R3 refuses what is malformed: %s", (_title, ...[moduleList, place, text]) => {
  const field = `spec.moduleList${place}`;
  const message = `Invalid value: ${text} [R3]`;
  const cause = { rule: "R3", reason: "FieldValueTypeInvalid", field, message };
  const verdict = { causes: [cause], warnings: [], dependsOnCluster: false };
  expect(judge(created({ moduleList }))).toEqual(verdict);
});

const listed = { modulesList: [{ name: "x" }] };
const ofEaadb = (globals: unknown): Edit => ({
  kind: "eaadb",
  before: undefined,
  after: eaadb(globals),
});
const global = "spec.globalConfigurations.moduleList[0].name";
const unnumbered = changed({ moduleList: [{ name: "x", version: "1" }] }, modules("x"));
const manySearches = Array.from({ length: 9 }, () => "search");

test.each<[string, Edit, readonly string[], Circumstances?]>([
  ["each entry by its index", created(modules("x", "search", "y")), ["[0]", "[2]"]],
  ["the same name twice", created(modules("x", "x")), ["[0]", "[1]"]],
  ["by number, not by text", created(modules("x", ...manySearches, "y")), ["[0]", "[10]"]],
  [
    "both spellings, each reported as written",
    created({ ...listed, ...modules("y") }),
    ["[0]", "R3 spec.modulesList[0].name"],
  ],
  ["below an EAADB's global configurations", ofEaadb(modules("x")), [`R3 ${global}`]],
  ["the same list", changed(modules("x"), modules("x")), []],
  ["another order", changed(modules("x", "y"), modules("y", "x")), []],
  ["the other spelling", changed(modules("x"), listed), []],
  ["a module removed", changed(modules("x", "y"), modules("y")), []],
  ["a module's version alone", unnumbered, []],
  ["a malformed entry that stays", changed(modules(5), modules(5)), []],
  ["a malformed list that stays", changed({ moduleList: "x" }, { moduleList: "x" }), []],
  ["a new name beside an old one", changed(modules("x"), modules("x", "y")), ["[1]"]],
  ["a list replaced by a text", changed(modules("search"), { moduleList: "search" }), [""]],
  ["a malformed entry that is new", changed(modules("x"), modules("x", 5)), ["[1]"]],
  ["a number is not its text", changed(modules("5"), modules(5)), ["[0]"]],
  [
    "what is not a name is not a name that is written like it",
    changed(modules(5), modules("\u0000other 5", "other 5")),
    ["[0]", "[1]"],
  ],
  ["a name with a control character", changed(modules("\u0000x"), modules("\u0000x")), []],
  [
    "all when engineVersion changes",
    changed(at("7.2", "x", "y"), at("8.0", "x", "y")),
    ["[0]", "[1]"],
  ],
  ["all when engineVersion is removed", changed(at("7.2", "x"), modules("x")), ["[0]"]],
  ["all when it becomes a channel", changed(at("7.2", "x"), at("major", "x")), ["[0]"]],
  [
    "without an EC, an EAADB's own reference",
    ofEaadb(modules("x")),
    ["REF spec.engineEnterpriseCluster.name", `R3 ${global}`],
    { cluster: missing },
  ],
  ["a malformed entry alone needs no EC", created(modules(5)), ["[0]"], { cluster: missing }],
])("R3 checks what is new: %s", (_title, ...[edit, places, around]) => {
  expect(placesOf(edit, around)).toEqual(places);
});

test("R3: of a hundred thousand unknown modules the first are named, the others counted", () => {
  const edit = created(modules(...Array.from({ length: 100_000 }, (_, index) => `m${index}`)));
  expect(placesOf(edit)).toEqual(Array.from({ length: 64 }, (_, index) => `[${index}]`));
  expect(judge(edit).more).toBe(99_936);
});

test("R3: an unknown module behind very many malformed ones still needs the EC", () => {
  const moduleList = [...Array.from({ length: 100 }, () => ({})), { name: "x" }];
  expect(judge(created({ moduleList }))).toMatchObject({ dependsOnCluster: true, more: 37 });
});

const create = "create the EC with the module in spec.userDefinedModules or remove the module here";

test("R3 and REF: the named EC does not exist", () => {
  expect(judge(created(modules("search", "x")), { cluster: missing })).toEqual({
    causes: [
      {
        rule: "REF",
        reason: "FieldValueNotFound",
        field: "spec.engineEnterpriseCluster.name",
        message: `Not found: "ec": no such EC in namespaces "apps", "engine"; create it or correct the name [REF]`,
      },
      {
        rule: "R3",
        reason: "FieldValueNotFound",
        field: "spec.moduleList[1].name",
        message: `Not found: "x": not bundled, and EC "ec" not found in namespaces "apps", "engine"; ${create} [R3]`,
      },
    ],
    warnings: [],
    dependsOnCluster: true,
  });
});

test.each([
  [noCluster, `no EC found in namespace "engine"; ${create}`, []],
  [
    ambiguous,
    "several ECs found: engine/ec1, engine/ec2; name one of them in spec.engineEnterpriseCluster.name or remove the module here",
    ["several ECs found: engine/ec1, engine/ec2"],
  ],
])("R3: no reference, %j", (cluster, text, warnings) => {
  const verdict = judge(created(modules("x")), { cluster });
  expect(verdict.causes).toMatchObject([
    { message: `Not found: "x": not bundled, and ${text} [R3]` },
  ]);
  expect(verdict.warnings).toEqual(warnings);
});

const warning =
  "module versions changed together with engineVersion: leave the old numbers, they have no effect [R3]";
const search = (engineVersion: string | undefined, version?: unknown): object => ({
  moduleList: [{ name: "search", version }],
  engineVersion,
});
const other = { modulesList: [{ name: "search", version: "2" }], engineVersion: "8.0" };

test.each<[string, object, object, readonly string[]]>([
  ["edited", search("7.2", "1"), search("8.0", "2"), [warning]],
  ["dropped", search("7.2", "1"), search("8.0"), [warning]],
  ["kept", search("7.2", "1"), search("8.0", "1"), []],
  ["null is absent", search("7.2", null), search("8.0"), []],
  ["without engineVersion", search(undefined, "1"), search(undefined, "2"), []],
  ["engineVersion removed", search("7.2", "1"), search(undefined, "2"), []],
  ["a new module", { engineVersion: "7.2" }, search("8.0", "1"), []],
  ["in the other spelling", search("7.2", "1"), other, [warning]],
])(
  "R3 warns of module versions edited with engineVersion: %s",
  (_title, ...[from, to, warnings]) => {
    expect(judge(changed(from, to))).toEqual({ ...allowed, warnings });
  },
);

test.each<["warn" | "off", readonly string[]]>([
  [
    "warn",
    [
      `would be denied: spec.engineEnterpriseCluster.name: Not found: "ec": no such EC in namespaces "apps", "engine";... [REF]`,
      `would be denied: spec.moduleList[0].name: Not found: "x": not bundled, and EC "ec" not found in namespaces "apps... [R3]`,
    ],
  ],
  ["off", []],
])("R3: its setting of %s", (setting, warnings) => {
  const rules: RuleOptions["rules"] = { version: "deny", policy: "deny", modules: setting };
  const { wouldDeny, ...verdict } = judge(created(modules("x")), {
    cluster: missing,
    options: { rules },
  });
  expect(verdict).toEqual({ ...allowed, warnings });
  expect(wouldDeny?.map(({ rule }) => rule)).toEqual(
    setting === "warn" ? ["REF", "R3"] : undefined,
  );
});
