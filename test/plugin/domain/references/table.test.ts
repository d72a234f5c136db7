/** Every field of the shipped definitions that names an object has a row, and every row is walked. */
import { exampleDefinitions } from "../../../../plugin/simulator/example";
import {
  asArray,
  asString,
  getOwn,
  getPath,
  isObject,
} from "../../../../plugin/domain/base/values";
import {
  defaultNames as names,
  kinds,
  type ProductKind,
} from "../../../../plugin/domain/names/names";
import { each, listRows } from "../../../../plugin/domain/references/table";
import { catalogue } from "../../../../plugin/commands/explain/catalogue";

interface Field {
  readonly path: string;
  readonly schema: unknown;
}

function listFields(schema: unknown, path = ""): readonly Field[] {
  const properties = getOwn(schema, "properties");
  const inner = isObject(properties)
    ? Object.entries(properties).flatMap(([key, one]) =>
        listFields(one, path === "" ? key : `${path}.${key}`),
      )
    : [];
  const items = getOwn(schema, "items");
  return [
    { path, schema },
    ...inner,
    ...(items === undefined ? [] : listFields(items, `${path}.${each}`)),
  ];
}

function fieldsOf(kind: ProductKind): readonly Field[] {
  const definition = exampleDefinitions(names).find(
    ({ metadata }) => metadata.name === `${names[kind].plural}.${names.group}`,
  );
  return asArray(getPath(definition, ["spec", "versions"])).flatMap((version) =>
    listFields(getPath(version, ["schema", "openAPIV3Schema"])),
  );
}

/** Fields that look as if they named an object, each with the reason why they do not. */
const exceptions: Readonly<Record<string, string>> = {
  "ec spec.clusterCredentialSecretType": "it says where secrets are kept",
  "ec spec.username": "an account of the REST API",
  "ec spec.userDefinedModules.[].name": "it defines the name that databases use",
};

const looks =
  /(Secret|SecretName|ConfigMap|ConfigMapName|ClassName|AccountName|Ref|[a-z]Name)$|^name$/;
const says = /\b(Secret|ConfigMap|Service|ServiceAccount|service account|[Ss]torage class)\b/;

function isLike({ path, schema }: Field): boolean {
  const last = path.split(".").at(-1) ?? "";
  const isText = getOwn(schema, "type") === "string";
  return path.startsWith("spec.") && isText && (looks.test(last) || describes(schema));
}

const describes = (schema: unknown): boolean =>
  says.test(asString(getOwn(schema, "description")) ?? "");

const rowNames = new Set(listRows(names).map(({ by, path }) => `${by} ${path.join(".")}`));

test.each(kinds)("each field of the definition of %s that names an object has a row", (kind) => {
  const like = fieldsOf(kind).filter(isLike);
  expect(like.length).toBeGreaterThan(0);
  const all = [...new Set(like.map(({ path }) => `${kind} ${path}`))];
  const open = all.filter((one) => !rowNames.has(one) && !Object.hasOwn(exceptions, one));
  expect(open).toEqual([]);
});

test("no exception is left over, and none has a row", () => {
  const all = new Set(kinds.flatMap((kind) => fieldsOf(kind).map(({ path }) => `${kind} ${path}`)));
  const left = Object.keys(exceptions).filter((one) => !all.has(one) || rowNames.has(one));
  expect(left).toEqual([]);
});

test("each path is there once, but where what is named depends on the entry", () => {
  const paths = listRows(names).map(({ by, path }) => `${by} ${path.join(".")}`);
  const twice = paths.filter((path, index) => paths.indexOf(path) !== index);
  expect(twice).toEqual([
    "edb spec.replicaSources.[].replicaSourceName",
    "eaadb spec.globalConfigurations.replicaSources.[].replicaSourceName",
  ]);
});

test("each row is looked for, is told by a check, or says why it is not", () => {
  const codes = new Set(catalogue.map(({ code }) => code));
  const ways = listRows(names).map(({ list, told, why, path }) => ({
    path,
    ways: [told !== undefined && codes.has(told), told === undefined && list !== undefined, why],
  }));
  const bad = ways.filter(
    (one) => one.ways.filter((way) => way !== undefined && way !== false).length !== 1,
  );
  expect(bad).toEqual([]);
});
