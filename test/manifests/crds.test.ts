import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { defaultNames as names, type KindNames } from "../../plugin/domain/names";
import { at, isObject, list, own, text } from "../../plugin/domain/values";

const folder = join(__dirname, "../../manifests/crds");

const definitions = new Map(
  readdirSync(folder).map((file) => {
    const definition = load(readFileSync(join(folder, file), "utf8"));
    return [text(at(definition, ["spec", "names", "kind"])) ?? "", definition] as const;
  }),
);

const versionsOf = ({ kind }: KindNames): readonly unknown[] =>
  list(at(definitions.get(kind), ["spec", "versions"]));

/** The schema of the field at a path written with dots; `[]` steps into a list. */
function schemaOf(kind: KindNames, path: string): unknown {
  const steps = path.split(".").flatMap((step) => {
    const field = step.replace("[]", "");
    return step === field ? ["properties", field] : ["properties", field, "items"];
  });
  return at(versionsOf(kind)[0], ["schema", "openAPIV3Schema", ...steps]);
}

/** The columns as kubectl heads them, with the name that it puts in front. */
const columnsOf = (version: unknown): readonly string[] => [
  "NAME",
  ...list(own(version, "additionalPrinterColumns")).map((column) =>
    (text(own(column, "name")) ?? "").toUpperCase(),
  ),
];

/** Every schema inside a schema, itself included, with the path to it. */
function schemasIn(schema: unknown, path = "$"): readonly (readonly [string, unknown])[] {
  const fields = own(schema, "properties");
  const inner = isObject(fields)
    ? Object.keys(fields).flatMap((name) => schemasIn(own(fields, name), `${path}.${name}`))
    : [];
  const items = own(schema, "items");
  return [[path, schema], ...inner, ...(items === undefined ? [] : schemasIn(items, `${path}[]`))];
}

const withoutDescription = (schema: unknown): unknown =>
  JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => (key === "description" ? undefined : value)),
  );

const kinds = [
  { title: "EC", kind: names.ec, versions: [names.ecVersion, names.version] },
  { title: "EDB", kind: names.edb, versions: [names.version] },
  { title: "EAADB", kind: names.eaadb, versions: [names.version] },
  { title: "ERC", kind: names.erc, versions: [names.version] },
];

test("there is one definition per kind and no other", () => {
  expect([...definitions.keys()].sort()).toEqual(kinds.map(({ kind }) => kind.kind).sort());
});

describe.each(kinds)("the definition of the $title", ({ kind, versions }) => {
  const definition = definitions.get(kind.kind);

  test("is a namespaced resource with the names that the plugin uses", () => {
    expect(own(definition, "apiVersion")).toBe("apiextensions.k8s.io/v1");
    expect(own(definition, "kind")).toBe("CustomResourceDefinition");
    expect(at(definition, ["metadata", "name"])).toBe(`${kind.plural}.${names.group}`);
    expect(at(definition, ["spec", "group"])).toBe(names.group);
    expect(at(definition, ["spec", "scope"])).toBe("Namespaced");
    expect(at(definition, ["spec", "names"])).toEqual({
      kind: kind.kind,
      listKind: `${kind.kind}List`,
      plural: kind.plural,
      singular: kind.kind.toLowerCase(),
      shortNames: [kind.short],
    });
  });

  test(`serves ${versions.join(" and ")} and stores the first`, () => {
    expect(
      versionsOf(kind).map((version) => [
        own(version, "name"),
        own(version, "served"),
        own(version, "storage"),
      ]),
    ).toEqual(versions.map((name, index) => [name, true, index === 0]));
  });

  test("has a status of its own in every version", () => {
    expect(versionsOf(kind).map((version) => own(version, "subresources"))).toEqual(
      versions.map(() => ({ status: {} })),
    );
  });

  test("has one schema and one listing for all its versions, so that nothing needs converting", () => {
    const [first, ...others] = versionsOf(kind);
    others.forEach((other) => {
      expect(own(other, "schema")).toEqual(own(first, "schema"));
      expect(own(other, "additionalPrinterColumns")).toEqual(
        own(first, "additionalPrinterColumns"),
      );
    });
    expect(at(definition, ["spec", "conversion"])).toBeUndefined();
  });

  test("gives every field a type", () => {
    const untyped = schemasIn(at(versionsOf(kind)[0], ["schema", "openAPIV3Schema"]))
      .filter(([, schema]) => text(own(schema, "type")) === undefined)
      .filter(([, schema]) => own(schema, "x-kubernetes-int-or-string") !== true);
    expect(untyped.map(([path]) => path)).toEqual([]);
  });

  test("prints fields that the schema has", () => {
    const paths = list(own(versionsOf(kind)[0], "additionalPrinterColumns"))
      .map((column) => (text(own(column, "jsonPath")) ?? "").slice(1))
      .filter((path) => !path.startsWith("metadata."));
    expect(paths.filter((path) => schemaOf(kind, path) === undefined)).toEqual([]);
  });
});

test.each([
  [
    "EC, in the order of the specification",
    names.ec,
    [
      "NAME",
      "NODES",
      "VERSION",
      "STATE",
      "SPEC STATUS",
      "LICENSE STATE",
      "SHARDS LIMIT",
      "LICENSE EXPIRATION DATE",
      "AGE",
    ],
  ],
  [
    "EDB",
    names.edb,
    ["NAME", "VERSION", "PORT", "CLUSTER", "SHARDS", "STATUS", "SPEC STATUS", "AGE"],
  ],
  [
    "EAADB",
    names.eaadb,
    ["NAME", "STATUS", "SPEC STATUS", "LINKED EDBS", "REPLICATION STATUS", "AGE"],
  ],
  ["ERC", names.erc, ["NAME", "STATUS", "SPEC STATUS", "LOCAL", "AGE"]],
])("kubectl lists the %s", (_title, kind, columns) => {
  versionsOf(kind).forEach((version) => {
    expect(columnsOf(version)).toEqual(columns);
  });
});

test("the license's expiration date is printed as the timestamp that it is", () => {
  const column = list(own(versionsOf(names.ec)[0], "additionalPrinterColumns")).find(
    (item) => own(item, "name") === "License Expiration Date",
  );
  expect(own(column, "type")).toBe("string");
});

describe("the schema leaves to the webhook what the webhook judges", () => {
  test.each([
    ["the engine version of an EDB", names.edb, "spec.engineVersion"],
    ["the engine version of an EAADB", names.eaadb, "spec.globalConfigurations.engineVersion"],
    ["the eviction policy of an EDB", names.edb, "spec.evictionPolicy"],
    ["the eviction policy of an EAADB", names.eaadb, "spec.globalConfigurations.evictionPolicy"],
    ["the state of an EC", names.ec, "status.state"],
    ["the version tag of an EC", names.ec, "spec.engineEnterpriseImageSpec.versionTag"],
  ])("%s is any string", (_title, kind, path) => {
    expect(withoutDescription(schemaOf(kind, path))).toEqual({ type: "string" });
  });

  test.each(names.fields.moduleLists)("a database may list its modules in %s", (field) => {
    expect(schemaOf(names.edb, `spec.${field}`)).toMatchObject({
      type: "array",
      items: {
        required: ["name"],
        properties: { name: { type: "string" }, version: { type: "string" } },
      },
    });
  });
});

describe("the schema of a cluster", () => {
  test("knows the policies major and latest", () => {
    const policy = schemaOf(names.ec, names.fields.engineUpgradePolicy.join("."));
    expect(own(policy, "enum")).toEqual([names.majorChannel, names.latestChannel]);
  });

  test("has automatic upgrade under upgradeSpec and not directly under spec", () => {
    const field = "autoUpgradeEngineEnterprise";
    expect(schemaOf(names.ec, `spec.upgradeSpec.${field}`)).toMatchObject({ type: "boolean" });
    expect(schemaOf(names.ec, `spec.${field}`)).toBeUndefined();
  });

  test("takes exactly one of http and https as the source of a module", () => {
    const source = schemaOf(names.ec, `${names.fields.userDefinedModules.join(".")}[].source`);
    expect(own(source, "oneOf")).toEqual([{ required: ["http"] }, { required: ["https"] }]);
    expect(at(source, ["properties", "https", "required"])).toEqual(["url"]);
    expect(at(source, ["properties", "https"])).toEqual(at(source, ["properties", "http"]));
  });

  test("wants tag and pull policy once an image is given", () => {
    expect(own(schemaOf(names.ec, "spec.engineEnterpriseImageSpec"), "required")).toEqual([
      "versionTag",
      "imagePullPolicy",
    ]);
  });

  test("publishes the versions and modules that the rules read", () => {
    const { bundledDatabaseVersions, statusModules } = names.fields;
    expect(schemaOf(names.ec, `${bundledDatabaseVersions.join(".")}[].major`)).toMatchObject({
      type: "boolean",
    });
    expect(schemaOf(names.ec, `${statusModules.join(".")}[].displayName`)).toEqual({
      type: "string",
    });
  });
});

test("an active-active database has the settings of a database, field by field", () => {
  const global = schemaOf(names.eaadb, names.fields.globalConfigurations.join("."));
  expect(global).toEqual(schemaOf(names.edb, "spec"));
});

test("a remote cluster names its cluster and the namespace of it", () => {
  expect(own(schemaOf(names.erc, "spec"), "required")).toEqual(["ecName", "ecNamespace"]);
});
