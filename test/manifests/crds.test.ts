import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import { defaultNames as names, type KindNames } from "../../plugin/domain/names/names";
import { getPath, isObject, asArray, getOwn, asString } from "../../plugin/domain/base/values";

const folder = join(__dirname, "../../manifests/crds");

const definitions = new Map(
  readdirSync(folder).map((file) => {
    const definition = load(readFileSync(join(folder, file), "utf8"));
    return [asString(getPath(definition, ["spec", "names", "kind"])) ?? "", definition] as const;
  }),
);

const versionsOf = ({ kind }: KindNames): readonly unknown[] =>
  asArray(getPath(definitions.get(kind), ["spec", "versions"]));

/** The schema of the field at a path written with dots; `[]` steps into a list. */
function schemaOf(kind: KindNames, path: string): unknown {
  const steps = path.split(".").flatMap((step) => {
    const field = step.replace("[]", "");
    return step === field ? ["properties", field] : ["properties", field, "items"];
  });
  return getPath(versionsOf(kind)[0], ["schema", "openAPIV3Schema", ...steps]);
}

/** The columns as kubectl heads them, with the name that it puts in front. */
const columnsOf = (version: unknown): readonly string[] => [
  "NAME",
  ...asArray(getOwn(version, "additionalPrinterColumns")).map((column) =>
    (asString(getOwn(column, "name")) ?? "").toUpperCase(),
  ),
];

/** Every schema inside a schema, itself included, with the path to it. */
function schemasIn(schema: unknown, path = "$"): readonly (readonly [string, unknown])[] {
  const fields = getOwn(schema, "properties");
  const inner = isObject(fields)
    ? Object.keys(fields).flatMap((name) => schemasIn(getOwn(fields, name), `${path}.${name}`))
    : [];
  const items = getOwn(schema, "items");
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
    expect(getOwn(definition, "apiVersion")).toBe("apiextensions.k8s.io/v1");
    expect(getOwn(definition, "kind")).toBe("CustomResourceDefinition");
    expect(getPath(definition, ["metadata", "name"])).toBe(`${kind.plural}.${names.group}`);
    expect(getPath(definition, ["spec", "group"])).toBe(names.group);
    expect(getPath(definition, ["spec", "scope"])).toBe("Namespaced");
    expect(getPath(definition, ["spec", "names"])).toEqual({
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
        getOwn(version, "name"),
        getOwn(version, "served"),
        getOwn(version, "storage"),
      ]),
    ).toEqual(versions.map((name, index) => [name, true, index === 0]));
  });

  test("has a status of its own in every version", () => {
    expect(versionsOf(kind).map((version) => getOwn(version, "subresources"))).toEqual(
      versions.map(() => ({ status: {} })),
    );
  });

  test("has one schema and one listing for all its versions, so that nothing needs converting", () => {
    const [first, ...others] = versionsOf(kind);
    others.forEach((other) => {
      expect(getOwn(other, "schema")).toEqual(getOwn(first, "schema"));
      expect(getOwn(other, "additionalPrinterColumns")).toEqual(
        getOwn(first, "additionalPrinterColumns"),
      );
    });
    expect(getPath(definition, ["spec", "conversion"])).toBeUndefined();
  });

  test("gives every field a type", () => {
    const untyped = schemasIn(getPath(versionsOf(kind)[0], ["schema", "openAPIV3Schema"]))
      .filter(([, schema]) => asString(getOwn(schema, "type")) === undefined)
      .filter(([, schema]) => getOwn(schema, "x-kubernetes-int-or-string") !== true);
    expect(untyped.map(([path]) => path)).toEqual([]);
  });

  test("prints fields that the schema has", () => {
    const paths = asArray(getOwn(versionsOf(kind)[0], "additionalPrinterColumns"))
      .map((column) => (asString(getOwn(column, "jsonPath")) ?? "").slice(1))
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
  const column = asArray(getOwn(versionsOf(names.ec)[0], "additionalPrinterColumns")).find(
    (item) => getOwn(item, "name") === "License Expiration Date",
  );
  expect(getOwn(column, "type")).toBe("string");
});

describe("the schema leaves to the webhook what the webhook checks", () => {
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
    expect(getOwn(policy, "enum")).toEqual([names.majorChannel, names.latestChannel]);
  });

  test("has automatic upgrade under upgradeSpec and not directly under spec", () => {
    const field = "autoUpgradeEngineEnterprise";
    expect(schemaOf(names.ec, `spec.upgradeSpec.${field}`)).toMatchObject({ type: "boolean" });
    expect(schemaOf(names.ec, `spec.${field}`)).toBeUndefined();
  });

  test("takes exactly one of http and https as the source of a module", () => {
    const source = schemaOf(names.ec, `${names.fields.userDefinedModules.join(".")}[].source`);
    expect(getOwn(source, "oneOf")).toEqual([{ required: ["http"] }, { required: ["https"] }]);
    expect(getPath(source, ["properties", "https", "required"])).toEqual(["url"]);
    expect(getPath(source, ["properties", "https"])).toEqual(getPath(source, ["properties", "http"]));
  });

  test("wants tag and pull policy once an image is given", () => {
    expect(getOwn(schemaOf(names.ec, "spec.engineEnterpriseImageSpec"), "required")).toEqual([
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
  expect(getOwn(schemaOf(names.erc, "spec"), "required")).toEqual(["ecName", "ecNamespace"]);
});
