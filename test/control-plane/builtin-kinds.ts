/**
 * Writes the built-in kinds of the embedded cluster as data: `npx tsx test/control-plane/builtin-kinds.ts`.
 *
 * Types, merge keys and paths come from the OpenAPI documents of the pinned API server. What these do
 * not say comes from two other places: the Go types of the same release tell which empty values are
 * left out (`omitempty`), and builtin-kinds.json lists the kinds and the defaults, which the server
 * has as code.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import settings from "./builtin-kinds.json";
import { startControlPlane } from "./control-plane";
import { pinnedTools, repositoryRoot } from "./pins";
import { run } from "./run";

interface OpenApi {
  readonly $ref?: string;
  readonly allOf?: readonly OpenApi[];
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, OpenApi>>;
  readonly items?: OpenApi;
  readonly additionalProperties?: OpenApi;
}

interface Document {
  readonly paths: Readonly<
    Record<string, { readonly post?: Operation; readonly patch?: Operation }>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, OpenApi>> };
}

interface Operation {
  readonly "x-kubernetes-group-version-kind"?: { group: string; version: string; kind: string };
}

/** A field of a Go struct, as far as the encoder of JSON looks at it. */
interface GoField {
  readonly pointer: boolean;
  readonly omitempty: boolean;
}

const kept = ["type", "format", "default", ...extensions("list-type", "list-map-keys", "map-type")];

/** Schemas that OpenAPI cannot tell: a value of any type, or the schema of a schema. */
const free = ["JSON", "JSONSchemaPropsOrStringArray", "FieldsV1", "RawExtension"];
const schemaOrMore = ["JSONSchemaPropsOrArray", "JSONSchemaPropsOrBool"];

function extensions(...names: readonly string[]): readonly string[] {
  return names.map((name) => `x-kubernetes-${name}`);
}

/** `io.k8s.api.core.v1.PodSpec` as `core.PodSpec`; of what is no API group, the package. */
function shortName(reference: string): string {
  const [name = "", ...folders] = reference.split(/[./]/).reverse();
  return `${folders.find((part) => !/^v\d/.test(part)) ?? ""}.${name}`;
}

const defaults: Readonly<Record<string, Readonly<Record<string, unknown>> | undefined>> =
  settings.defaults;

/** How a field is stored that was not given, or holds nothing. */
function storedForm(schema: OpenApi, owner: string, go: GoField | undefined): object {
  if (go === undefined || go.pointer || schema.type === undefined) return {};
  if (go.omitempty) return { omitempty: true };
  if (schema.type !== "array" && schema.type !== "object") return {};
  // Go writes a list or a map that was never given as null; an empty one comes back so from etcd,
  // where all but definitions of custom kinds are stored as protobuf.
  const isProtobuf = !owner.startsWith("apiextensions.");
  return { default: null, nullable: true, ...(isProtobuf && { omitempty: true }) };
}

class Cutter {
  readonly definitions = new Map<string, unknown>();
  private readonly full: ReadonlyMap<string, OpenApi>;

  constructor(
    documents: readonly Document[],
    private readonly goTypes: ReadonlyMap<string, ReadonlyMap<string, GoField>>,
  ) {
    const schemas = documents.flatMap(({ components }) => Object.entries(components.schemas));
    this.full = new Map(schemas.map(([name, schema]) => [shortName(name), schema]));
  }

  add(name: string): void {
    if (this.definitions.has(name)) return;
    this.definitions.set(name, undefined);
    const bare = name.slice(name.indexOf(".") + 1);
    const schema = this.full.get(name) ?? {};
    const cut = free.includes(bare)
      ? { "x-kubernetes-preserve-unknown-fields": true }
      : { ...this.cut(schema, name), ...(bare === "JSONSchemaProps" && { type: undefined }) };
    this.definitions.set(name, cut);
  }

  private cut(schema: OpenApi, owner = ""): Readonly<Record<string, unknown>> {
    const target = schema.$ref ?? schema.allOf?.[0]?.$ref;
    const { properties, items, additionalProperties } = schema;
    return {
      ...(target !== undefined && { $ref: this.refer(target) }),
      ...Object.fromEntries(Object.entries(schema).filter(([key]) => kept.includes(key))),
      ...(properties !== undefined && {
        properties: Object.fromEntries(
          this.inOrder(Object.keys(properties), owner).map((key) => [
            key,
            this.field(properties[key] ?? {}, owner, key),
          ]),
        ),
      }),
      ...(items !== undefined && { items: { ...this.cut(items), default: undefined } }),
      ...(additionalProperties !== undefined && {
        additionalProperties: { ...this.cut(additionalProperties), default: undefined },
      }),
    };
  }

  /** Fields as Go declares them: in this order the server writes what it fills in. */
  private inOrder(keys: readonly string[], owner: string): readonly string[] {
    const declared = [...(this.goTypes.get(owner)?.keys() ?? [])];
    return keys.toSorted((one, other) => declared.indexOf(one) - declared.indexOf(other));
  }

  private field(schema: OpenApi, owner: string, key: string): unknown {
    const fallback = defaults[owner]?.[key];
    return {
      ...this.cut(schema),
      ...storedForm(schema, owner, this.goTypes.get(owner)?.get(key)),
      ...(fallback !== undefined && { default: fallback }),
    };
  }

  private refer(target: string): string {
    const name = shortName(target);
    const [group = "", bare = ""] = name.split(".");
    const meant = schemaOrMore.includes(bare) ? `${group}.JSONSchemaProps` : name;
    this.add(meant);
    return meant;
  }
}

/** The structs of every package that the definitions come from, by `package.Type` and JSON name. */
async function readGoTypes(): Promise<Map<string, Map<string, GoField>>> {
  const version = pinnedTools()
    .find(({ name }) => name === "kube-apiserver")
    ?.version.replace(/^v1/, "v0");
  const { stdout } = await run("go", ["env", "GOMODCACHE"], { env: process.env });
  const module = (name: string): string =>
    join(stdout.trim(), "k8s.io", `${name}@${version ?? ""}`);
  const api = readdirSync(module("api")).map((group) => [group, join(module("api"), group, "v1")]);
  const places = [
    ...api,
    ["meta", join(module("apimachinery"), "pkg/apis/meta/v1")],
    ["apiextensions", join(module("apiextensions-apiserver"), "pkg/apis/apiextensions/v1")],
  ] as const;
  const bodies = new Map<string, string>();
  for (const [group = "", folder = ""] of places) {
    for (const file of ["types.go", "types_jsonschema.go"]) {
      const path = join(folder, file);
      const text = existsSync(path) ? readFileSync(path, "utf8") : "";
      for (const [, name = "", body = ""] of text.matchAll(/^type (\w+) struct \{\n(.*?)^\}/gms)) {
        bodies.set(`${group}.${name}`, body);
      }
    }
  }
  return new Map([...bodies.keys()].map((name) => [name, fieldsOf(name, bodies)]));
}

/** Fields by JSON name; embedded structs give theirs to the struct around them. */
function fieldsOf(name: string, bodies: ReadonlyMap<string, string>): Map<string, GoField> {
  const [group = ""] = name.split(".");
  const field = /^\t(?:\w+\s+)?(\*?)([\w.[\]*]+)\s+`json:"([^"]*)"/;
  const found = (bodies.get(name) ?? "").split("\n").flatMap((line) => {
    const [, star = "", type = "", tag] = field.exec(line) ?? [];
    if (tag === undefined) return [];
    const [key = "", ...flags] = tag.split(",");
    if (key === "") return [...fieldsOf(`${group}.${type}`, bodies)];
    return [[key, { pointer: star !== "", omitempty: flags.includes("omitempty") }] as const];
  });
  return new Map(found);
}

/** The row of a kind, from the paths under which it is served. */
function rowOf({ paths }: Document, prefix: string, kind: string): object {
  const operation = (path: string): Operation | undefined =>
    paths[path]?.post ?? paths[path]?.patch;
  const path = Object.keys(paths).find(
    (one) =>
      paths[one]?.post !== undefined &&
      one.startsWith(`/${prefix}/`) &&
      !one.includes("{name}") &&
      operation(one)?.["x-kubernetes-group-version-kind"]?.kind === kind,
  );
  const { group = "", version = "" } =
    operation(path ?? "")?.["x-kubernetes-group-version-kind"] ?? {};
  return {
    group,
    version,
    kind,
    plural: path?.split("/").at(-1),
    namespaced: path?.includes("{namespace}"),
    hasStatus: paths[`${path ?? ""}/{name}/status`] !== undefined,
  };
}

async function main(): Promise<void> {
  const controlPlane = await startControlPlane();
  try {
    const groups = Object.entries(settings.kinds);
    const documents = await Promise.all(
      groups.map(async ([prefix]) => {
        const { body } = await controlPlane.api.send("GET", `/openapi/v3/${prefix}`);
        return body as Document;
      }),
    );
    const cutter = new Cutter(documents, await readGoTypes());
    const kinds = groups.flatMap(([prefix, names], index) =>
      names.map((kind) => {
        const document = documents[index] as Document;
        const schema = Object.keys(document.components.schemas).find((name) =>
          name.endsWith(`.v1.${kind}`),
        );
        cutter.add(shortName(schema ?? ""));
        return { ...rowOf(document, prefix, kind), schema: shortName(schema ?? "") };
      }),
    );
    // One line each: a change of the pinned version shows as the definitions that it changed.
    const definitions = [...cutter.definitions]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`);
    const rows = kinds.map((kind) => JSON.stringify(kind));
    const file = join(repositoryRoot, "plugin/adapters/schema/builtin.json");
    writeFileSync(
      file,
      `{"kinds":[\n${rows.join(",\n")}],\n"definitions":{\n${definitions.join(",\n")}}}\n`,
    );
  } finally {
    await controlPlane.stop();
  }
}

void main();
