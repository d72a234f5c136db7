import type { Edit, RuleOptions } from "../../../../plugin/domain/rules/types";
import type { Circumstances } from "./cases";
import {
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

function summaryOf(edit: Edit, around: Circumstances = {}): readonly string[] {
  return judge(edit, around).causes.map(({ rule, field }) => `${rule} ${field}`);
}

describe("R3: a module that is bundled or defined passes", () => {
  test.each<[string, Edit, Circumstances?]>([
    ["the bundled names", created(modules("search", "ReJSON", "timeseries", "bf"))],
    ["the bundled names without an EC", created(modules("search", "bf")), { cluster: missing }],
    ["defined in the EC", created(modules("rg")), { cluster: withRg }],
    ["defined, by its display name", created(modules("EngineGears")), { cluster: withRg }],
    ["defined by its display name", created(modules("EngineGraph")), { cluster: withRg }],
    ["defined by its display name, by name", created(modules("graph")), { cluster: withRg }],
    ["bundled, by its display name", created(modules("EngineSearch")), { cluster: withRg }],
    ["in the field's spelling", created({ modulesList: [{ name: "rg" }] }), { cluster: withRg }],
    ["absent", created({})],
    ["null", created({ moduleList: null, modulesList: null })],
    ["an empty list", created({ moduleList: [] })],
    [
      "below an EDB's global configurations, which it has not",
      created({ globalConfigurations: modules("x") }),
    ],
  ])("%s", (_title, ...[edit, around]) => {
    expect(judge(edit, around)).toEqual(allowed);
  });
});

describe("R3: a module that is neither is refused", () => {
  const remedy =
    "neither bundled nor defined in EC engine/ec; add it to spec.userDefinedModules of that EC or remove it here";

  test.each<[string, unknown, string]>([
    ["unknown", "graph", `Not found: "graph": ${remedy} [R3]`],
    ["another case", "rejson", `Not found: "rejson" (did you mean "ReJSON"?): ${remedy} [R3]`],
    [
      "another case of a user's module",
      "RG",
      `Not found: "RG" (did you mean "rg"?): ${remedy} [R3]`,
    ],
    ["constructor", "constructor", `Not found: "constructor": ${remedy} [R3]`],
    ["__proto__", "__proto__", `Not found: "__proto__": ${remedy} [R3]`],
    ["empty", "", `Not found: "": ${remedy} [R3]`],
    ["a look-alike", "se\u0430rch", String.raw`Not found: "se\u0430rch": ${remedy} [R3]`],
    ["line ends", "a\nb", String.raw`Not found: "a\nb": ${remedy} [R3]`],
    ["huge", "m".repeat(3_000_000), `Not found: "${"m".repeat(61)}...": ${remedy} [R3]`],
  ])("%s", (_title, name, message) => {
    const cluster = found({ userModules: [{ name: "rg" }] });
    const cause = {
      rule: "R3",
      reason: "FieldValueNotFound",
      field: "spec.moduleList[0].name",
      message,
    };
    expect(judge(created(modules(name)), { cluster })).toEqual({
      causes: [cause],
      warnings: [],
      dependsOnCluster: true,
    });
  });

  test.each([
    ["by its name", "mine", ""],
    ["by its display name", "Mine", ""],
    ["under the display name of a bundled one", "posing", ""],
    ["by another case of its name", "MINE", "neither bundled nor"],
  ])("one that is merely installed is not defined: %s", (_title, name, lack) => {
    const says =
      lack === ""
        ? "installed but not defined in EC engine/ec; "
        : `${lack} defined in EC engine/ec; `;
    const { causes } = judge(created(modules(name)), { cluster: withRg });
    expect(causes).toMatchObject([
      { message: expect.stringContaining(`Not found: "${name}": ${says}`) as string },
    ]);
  });

  test.each<[string, unknown, string, string]>([
    ["a number", [{ name: 5 }], "[0].name", "5: must be a string, the name of a module"],
    ["a null name", [{ name: null }], "[0].name", "null: must be a string, the name of a module"],
    ["no name", [{}], "[0].name", "null: must be a string, the name of a module"],
    ["a null entry", [null], "[0].name", "null: must be a string, the name of a module"],
    ["a text as entry", ["search"], "[0].name", "null: must be a string, the name of a module"],
    ["a list as entry", [["search"]], "[0].name", "null: must be a string, the name of a module"],
    [
      "a list as name",
      [{ name: ["search"] }],
      "[0].name",
      "[...]: must be a string, the name of a module",
    ],
    [
      "a name that is inherited by an own __proto__",
      [json(`{"__proto__": {"name": "search"}}`)],
      "[0].name",
      "null: must be a string, the name of a module",
    ],
    [
      "an object as list",
      { 0: { name: "search" }, length: 1 },
      "",
      "{...}: must be a list of modules",
    ],
    ["a text as list", "search", "", `"search": must be a list of modules`],
    ["a number as list", 5, "", "5: must be a list of modules"],
  ])("malformed: %s", (_title, ...[moduleList, place, text]) => {
    const cause = {
      rule: "R3",
      reason: "FieldValueTypeInvalid",
      field: `spec.moduleList${place}`,
      message: `Invalid value: ${text} [R3]`,
    };
    const verdict = { causes: [cause], warnings: [], dependsOnCluster: false };
    expect(judge(created({ moduleList }))).toEqual(verdict);
  });

  test.each<[string, Edit, readonly string[]]>([
    ["each entry by its index", created(modules("x", "search", "y")), ["[0]", "[2]"]],
    ["the same name twice", created(modules("x", "x")), ["[0]", "[1]"]],
    ["by number, not by text", created(modules("x", ...many("search", 9), "y")), ["[0]", "[10]"]],
  ])("%s", (_title, edit, places) => {
    expect(summaryOf(edit)).toEqual(
      places.map((place) => `R3 spec.moduleList${place}${place === "" ? "" : ".name"}`),
    );
  });

  test("both spellings are read, each reported as written", () => {
    const edit = created({ modulesList: [{ name: "x" }], moduleList: [{ name: "y" }] });
    expect(summaryOf(edit)).toEqual(["R3 spec.moduleList[0].name", "R3 spec.modulesList[0].name"]);
  });

  test("an EAADB is judged below its global configurations", () => {
    const edit: Edit = {
      kind: "eaadb",
      before: undefined,
      after: eaadb({ modulesList: [{ name: "x" }] }),
    };
    expect(summaryOf(edit)).toEqual(["R3 spec.globalConfigurations.modulesList[0].name"]);
  });

  test("of a hundred thousand unknown modules the first are named, the others counted", () => {
    const edit = created(modules(...Array.from({ length: 100_000 }, (_, index) => `m${index}`)));
    const { causes, more } = judge(edit);
    expect(causes.map(({ field }) => field)).toEqual(
      Array.from({ length: 64 }, (_, index) => `spec.moduleList[${index}].name`),
    );
    expect(more).toBe(99_936);
  });

  test("an unknown module behind very many malformed ones still needs the EC", () => {
    const moduleList = [...Array.from({ length: 100 }, () => ({})), { name: "x" }];
    expect(judge(created({ moduleList }))).toMatchObject({ dependsOnCluster: true, more: 37 });
  });
});

describe("R3: only what is new is judged, unless engineVersion changes", () => {
  test.each<[string, Edit, readonly string[]]>([
    ["the same list", changed(modules("x"), modules("x")), []],
    ["another order", changed(modules("x", "y"), modules("y", "x")), []],
    ["the other spelling", changed(modules("x"), { modulesList: [{ name: "x" }] }), []],
    ["a module removed", changed(modules("x", "y"), modules("y")), []],
    [
      "a module's version alone",
      changed(
        { moduleList: [{ name: "x", version: "1" }] },
        { moduleList: [{ name: "x", version: "2" }] },
      ),
      [],
    ],
    ["a malformed entry that stays", changed(modules(5), modules(5)), []],
    ["a malformed list that stays", changed({ moduleList: "x" }, { moduleList: "x" }), []],
    ["a new name beside an old one", changed(modules("x"), modules("x", "y")), ["[1]"]],
    [
      "a list replaced by the text of its module",
      changed(modules("search"), { moduleList: "search" }),
      [""],
    ],
    ["a malformed entry that is new", changed(modules("x"), modules("x", 5)), ["[1]"]],
    ["a number is not its text", changed(modules("5"), modules(5)), ["[0]"]],
    [
      "what is not a name is not a name that is written like it",
      changed(modules(5), modules("\u0000other 5", "other 5")),
      ["[0]", "[1]"],
    ],
    ["a name with a control character", changed(modules("\u0000x"), modules("\u0000x")), []],
    [
      "the whole list when engineVersion changes",
      changed(
        { ...modules("x", "y"), engineVersion: "7.2" },
        { ...modules("x", "y"), engineVersion: "8.0" },
      ),
      ["[0]", "[1]"],
    ],
    [
      "the whole list when engineVersion is removed",
      changed({ ...modules("x"), engineVersion: "7.2" }, modules("x")),
      ["[0]"],
    ],
    [
      "the whole list when engineVersion becomes a channel",
      changed(
        { ...modules("x"), engineVersion: "7.2" },
        { ...modules("x"), engineVersion: "major" },
      ),
      ["[0]"],
    ],
  ])("%s", (_title, edit, places) => {
    expect(summaryOf(edit)).toEqual(
      places.map((place) => `R3 spec.moduleList${place}${place === "" ? "" : ".name"}`),
    );
  });
});

describe("R3 and REF: without an EC a module that is not bundled is refused", () => {
  test("the named EC does not exist", () => {
    const verdict = judge(created(modules("search", "x")), { cluster: missing });
    expect(verdict).toEqual({
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
          message: `Not found: "x": not bundled, and EC "ec" not found in namespaces "apps", "engine"; create the EC with the module in spec.userDefinedModules or remove the module here [R3]`,
        },
      ],
      warnings: [],
      dependsOnCluster: true,
    });
  });

  test("an EAADB's reference is its own, not that of its global configurations", () => {
    const edit: Edit = { kind: "eaadb", before: undefined, after: eaadb(modules("x")) };
    expect(summaryOf(edit, { cluster: missing })).toEqual([
      "REF spec.engineEnterpriseCluster.name",
      "R3 spec.globalConfigurations.moduleList[0].name",
    ]);
  });

  test("no reference and no EC", () => {
    const verdict = judge(created(modules("x")), { cluster: noCluster });
    expect(verdict.causes.map(({ message }) => message)).toEqual([
      `Not found: "x": not bundled, and no EC found in namespace "engine"; create the EC with the module in spec.userDefinedModules or remove the module here [R3]`,
    ]);
  });

  test("no reference and several ECs", () => {
    const verdict = judge(created(modules("x")), { cluster: ambiguous });
    expect(verdict.causes.map(({ message }) => message)).toEqual([
      `Not found: "x": not bundled, and several ECs found: engine/ec1, engine/ec2; name one of them in spec.engineEnterpriseCluster.name or remove the module here [R3]`,
    ]);
    expect(verdict.warnings).toEqual(["several ECs found: engine/ec1, engine/ec2"]);
  });

  test("a malformed entry alone needs no EC", () => {
    expect(summaryOf(created(modules(5)), { cluster: missing })).toEqual([
      "R3 spec.moduleList[0].name",
    ]);
  });
});

describe("R3: module versions edited together with engineVersion are worth a warning", () => {
  const warning =
    "module versions changed together with engineVersion: leave the old numbers, they have no effect [R3]";
  const search = (version?: unknown): object => ({ moduleList: [{ name: "search", version }] });

  test.each<[string, object, object, readonly string[]]>([
    [
      "edited",
      { ...search("1"), engineVersion: "7.2" },
      { ...search("2"), engineVersion: "8.0" },
      [warning],
    ],
    [
      "dropped",
      { ...search("1"), engineVersion: "7.2" },
      { ...search(), engineVersion: "8.0" },
      [warning],
    ],
    [
      "kept",
      { ...search("1"), engineVersion: "7.2" },
      { ...search("1"), engineVersion: "8.0" },
      [],
    ],
    [
      "null is absent",
      { ...search(null), engineVersion: "7.2" },
      { ...search(), engineVersion: "8.0" },
      [],
    ],
    ["without engineVersion", search("1"), search("2"), []],
    ["engineVersion removed", { ...search("1"), engineVersion: "7.2" }, search("2"), []],
    ["a new module", { engineVersion: "7.2" }, { ...search("1"), engineVersion: "8.0" }, []],
    [
      "in the other spelling",
      { ...search("1"), engineVersion: "7.2" },
      { modulesList: [{ name: "search", version: "2" }], engineVersion: "8.0" },
      [warning],
    ],
  ])("%s", (_title, ...[before, after, warnings]) => {
    expect(judge(changed(before, after))).toEqual({ ...allowed, warnings });
  });
});

describe("R3: its setting", () => {
  test.each<["warn" | "off", readonly string[]]>([
    [
      "warn",
      [
        `would be denied: spec.engineEnterpriseCluster.name: Not found: "ec": no such EC in namespaces "apps", "engine";... [REF]`,
        `would be denied: spec.moduleList[0].name: Not found: "x": not bundled, and EC "ec" not found in namespaces "apps... [R3]`,
      ],
    ],
    ["off", []],
  ])("%s", (setting, warnings) => {
    const rules: RuleOptions["rules"] = { version: "deny", policy: "deny", modules: setting };
    const verdict = judge(created(modules("x")), { cluster: missing, options: { rules } });
    const wouldDeny = setting === "warn" && { wouldDeny: ["REF", "R3"] };
    expect(verdict).toEqual({ ...allowed, warnings, ...wouldDeny });
  });
});

function many(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, () => name);
}
