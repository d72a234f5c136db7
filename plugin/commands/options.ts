/** `options`: the flags that every command takes, the names of the product, or manifests under them. */
import { inlineYaml, parseDocuments, renderDocuments } from "../adapters/yaml";
import { defaultNames, type Names, namesTree, type NamesTree } from "../domain/names";
import { asArray, asString, getOwn, isObject, suggestion } from "../domain/values";
import type { TextStyle } from "../output/text";
import { fittedHelp } from "../output/fit";
import type { Report } from "../run/report";
import type { CommandRun } from "./context";
import { type FlagSpec, listOf, variableOf } from "./flags";
import type { OptionsFlags } from "./specs/about";
import { connectionTable, explained, runTable, spelling } from "./standard-flags";
import { NameSpec } from "../domain/names/types";
import { shippedSchema, shippedWebhook } from "../adapters/shipped";
import { UsageError } from "../domain/errors";
import type { KubeObject } from "../domain/objects";
import { rebrand } from "../domain/rebrand";
import { createRegistry } from "../rehearsal/kinds/registry";
import { strategicMerge } from "../rehearsal/memory/patches";
import { structureOf } from "../rehearsal/memory/structure";

/** The global flags as data, the names as a names file has them, or the manifests under the names. */
export const runOptions: CommandRun<OptionsFlags> = ({ names }, _args, flags) =>
  Promise.resolve({
    apiVersion: "cli.engine.com/v1",
    kind: "Options",
    ...answer(names, flags),
  });

function answer(names: Names, flags: OptionsFlags): Pick<Report, "details" | "exit"> {
  const done = (details: object, reason: string) =>
    ({ details, exit: { code: 0, reason } }) as const;
  if (flags.manifests !== undefined) {
    const manifests = webhookManifests(names, flags.manifests.ownCert);
    return done({ manifests }, "the manifests of the companion webhook");
  }
  if (flags.schema !== undefined) {
    return done({ schema: schemaOf(flags.schema.kind) }, "the JSON schema of the documents");
  }
  if (flags.names) return done({ names }, "the names of the product");
  const details = {
    connection: listOf(connectionTable).map(described),
    run: listOf(runTable).map(described),
  };
  return done(details, "the flags that every command takes");
}

/** Of every kind, or of one with the definitions that it leads to. */
function schemaOf(kind: string | undefined): object {
  const schema = shippedSchema();
  const [report, { properties }, ...byKind] = schema.allOf;
  if (kind === undefined) return schema;
  const kinds = properties.kind.enum;
  if (!kinds.includes(kind)) {
    const hint = `use one of ${kinds.join(", ")}`;
    const what = `--schema: ${JSON.stringify(kind)} is not a kind of document`;
    throw new UsageError(`${what}${suggestion(kind, kinds)}`, { hint });
  }
  const own = byKind.find(({ if: { properties } }) => properties.kind.const === kind);
  const reached = new Map<string, object>();
  const reach = (part: object): void => {
    for (const [, name = ""] of JSON.stringify(part).matchAll(/"#\/definitions\/(\w+)"/g)) {
      const definition = schema.definitions[name];
      if (definition === undefined || reached.has(name)) continue;
      reached.set(name, definition);
      reach(definition);
    }
  };
  const allOf = [report, { properties: { kind: { const: kind } } }, own?.then ?? {}];
  reach(allOf);
  return { ...schema, title: kind, allOf, definitions: Object.fromEntries(reached) };
}

function described(flag: FlagSpec) {
  return { flag: spelling(flag).trim(), help: explained(flag), variable: variableOf(flag) };
}

/** Manifests or names as YAML; else the flags in two parts, and how the environment comes in. */
export function optionsText({ details }: Report, { width }: TextStyle): string {
  const { manifests, names, schema, connection = [], run = [] } = details as OptionsDetails;
  if (schema !== undefined) return `${JSON.stringify(schema, undefined, 2)}\n`;
  if (manifests !== undefined) return renderDocuments(manifests);
  if (names !== undefined) return namesText(names);
  const lines = [
    "The following flags can be given to any command.",
    "",
    "Connection, as in kubectl:",
    ...connection.flatMap(flagText),
    "Run and output:",
    ...run.flatMap(flagText),
    "An environment variable stands in for a flag that is not given; the flag wins. A variable of a",
    "flag without a value is true or false, one of a flag that may be repeated is separated by commas.",
    "Then the kubeconfig counts, then the default.",
  ];
  return `${fittedHelp(lines.join("\n"), width)}\n`;
}

export interface OptionsDetails {
  readonly manifests?: readonly KubeObject[];
  readonly names?: Names;
  /** In the words of JSON Schema, draft 7. */
  readonly schema?: object;
  readonly connection?: readonly ReturnType<typeof described>[];
  readonly run?: readonly ReturnType<typeof described>[];
}

function flagText({ flag, help, variable }: ReturnType<typeof described>): readonly string[] {
  const indent = " ".repeat(10);
  return [
    `  ${flag.startsWith("--") ? "    " : ""}${flag}`,
    `${indent}${help}`,
    `${indent}${variable}`,
    "",
  ];
}

const head = `# The names of the product. A names file replaces any subset of these keys, lists as a whole:
# leave out what stays. Give it with --names FILE or ENGINE_NAMES=FILE, to the webhook as well.

`;

/** Every name with what it is. */
function namesText(names: unknown): string {
  return `${head}${lines(namesTree, names, "").join("\n")}\n`;
}

function lines(tree: NamesTree, names: unknown, indent: string): readonly string[] {
  let space: readonly string[] = [];
  return Object.entries(tree).flatMap(([key, named]) => {
    const value = getOwn(names, key);
    const before = space;
    space = named instanceof NameSpec ? [] : [""];
    return named instanceof NameSpec
      ? [...before, `${indent}# ${named.says}`, `${indent}${key}: ${inlineYaml(value)}`]
      : ["", `${indent}${key}:`, ...lines(named, value, `${indent}  `)];
  });
}

/** The base, or the overlay with a certificate of its own; the names travel along as a ConfigMap. */
function webhookManifests(names: Names, ownCert: boolean): readonly KubeObject[] {
  const built = new Kustomization(shippedWebhook()).build(ownCert ? "webhook-own-cert" : "webhook");
  if (names === defaultNames) return built;
  const objects = built.map((object) => rebrand(object, names) as KubeObject);
  const [first, ...others] = objects.map((object) => withNames(object, names));
  return first === undefined ? [] : [first, namesMap(names), ...others];
}

/** The part of kustomize that the shipped folders use; a test refuses any other. */
class Kustomization {
  readonly #registry = createRegistry();

  constructor(private readonly files: Readonly<Record<string, string>>) {}

  build(folder: string): readonly KubeObject[] {
    const [file] = this.#read(`${folder}/kustomization.yaml`);
    const resources = asArray(getOwn(file, "resources")).map(String);
    const objects = resources.flatMap((path) =>
      path.startsWith("../")
        ? this.build(path.slice(3))
        : this.#read(`${folder}/${path}`).filter(isManifest),
    );
    const patches = asArray(getOwn(file, "patches")).flatMap((patch) =>
      this.#read(`${folder}/${asString(getOwn(patch, "path")) ?? ""}`).filter(isManifest),
    );
    const tags = new Map(
      asArray(getOwn(file, "images")).map((image) => [
        getOwn(image, "name"),
        getOwn(image, "newTag"),
      ]),
    );
    return patches
      .reduce((held, patch) => held.map((object) => this.#patched(object, patch)), objects)
      .map((object) => tagged(object, tags) as KubeObject);
  }

  #read(path: string): readonly unknown[] {
    return parseDocuments(this.files[path] ?? "", path);
  }

  #patched(object: KubeObject, patch: KubeObject): KubeObject {
    const isMeant = object.kind === patch.kind && object.metadata.name === patch.metadata.name;
    return isMeant ? merged(object, patch, this.#registry) : object;
  }
}

function isManifest(value: unknown): value is KubeObject {
  return isObject(value) && isObject(value["metadata"]);
}

function merged(
  object: KubeObject,
  patch: unknown,
  registry: ReturnType<typeof createRegistry>,
): KubeObject {
  const definition = registry.byKind(object.apiVersion, object.kind);
  const structure = definition === undefined ? {} : structureOf(definition);
  return strategicMerge(object, patch, structure) as KubeObject;
}

/** Every image of these names with its tag. */
function tagged(value: unknown, tags: ReadonlyMap<unknown, unknown>): unknown {
  if (Array.isArray(value)) return value.map((item) => tagged(item, tags));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).map(([key, inner]) => {
    const tag = key === "image" ? asString(tags.get(inner)) : undefined;
    return [key, tag === undefined ? tagged(inner, tags) : `${String(inner)}:${tag}`];
  });
  return Object.fromEntries(entries) as unknown;
}

const namesFile = "names.yaml";
const namesFolder = "/etc/names";

const namesObject = ({ companion }: Names): string => `${companion.deployment}-names`;

/** The names file itself, which the webhook's pods have to know as well. */
function namesMap(names: Names): KubeObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: namesObject(names), namespace: names.companion.namespace },
    data: { [namesFile]: namesText(names) },
  };
}

/** A Deployment whose containers read that file. */
function withNames(object: KubeObject, names: Names): KubeObject {
  if (object.kind !== "Deployment") return object;
  const podSpec = getOwn(getOwn(getOwn(object, "spec"), "template"), "spec");
  const containers = asArray(getOwn(podSpec, "containers")).map((container) => ({
    name: getOwn(container, "name"),
    env: [{ name: "ENGINE_NAMES", value: `${namesFolder}/${namesFile}` }],
    volumeMounts: [{ name: "names", mountPath: namesFolder, readOnly: true }],
  }));
  const volumes = [{ name: "names", configMap: { name: namesObject(names) } }];
  const spec = { template: { spec: { containers, volumes } } };
  return merged(object, { spec }, createRegistry());
}
