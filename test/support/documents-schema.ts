/** The JSON schema of every document, made of the types that the program fills (plugin/program/documents.ts). */
import { join } from "node:path";
import ts from "typescript";

/** A JSON schema, as far as it is made here. */
type Schema = Readonly<Record<string, unknown>>;

const kinds = join(__dirname, "../../plugin/program/documents.ts");
const common = join(__dirname, "../../plugin/run/report.ts");
const about =
  "What -o json and -o yaml print, and the last line of -o jsonl. Within v1 properties are only added: a reader ignores those that it does not know.";

/** The schema of all documents; `details` goes by the kind. */
export function documentsSchema(): Schema {
  const program = ts.createProgram([kinds, common], {
    ...{ strict: true, skipLibCheck: true, noEmit: true, resolveJsonModule: true },
    ...{ target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.NodeNext },
    ...{ allowImportingTsExtensions: true, esModuleInterop: true, types: ["node"] },
  });
  const writer = new SchemaWriter(program.getTypeChecker());
  const details = writer.propertiesOf(interfaceIn(program, kinds, "Documents"));
  const report = writer.of(interfaceIn(program, common, "Report"));
  const branches = Object.entries(details)
    .filter(([, schema]) => Object.keys(schema).length > 0)
    .map(([kind, schema]) => ({
      if: { properties: { kind: { const: kind } } },
      then: { properties: { details: schema } },
    }));
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: "https://cli.engine.com/v1/documents.schema.json",
    title: "Documents of kubectl engine, cli.engine.com/v1",
    description: about,
    allOf: [report, { properties: { kind: { enum: Object.keys(details) } } }, ...branches],
    definitions: writer.definitions(),
  };
}

function interfaceIn(program: ts.Program, path: string, name: string): ts.Type {
  const node = program
    .getSourceFile(path)
    ?.statements.find((one) => ts.isInterfaceDeclaration(one) && one.name.text === name);
  if (node === undefined) throw new Error(`${path} has no interface ${name}`);
  return program.getTypeChecker().getTypeAtLocation(node);
}

/** Turns types into schemas; what has a name is defined once. */
class SchemaWriter {
  readonly #defined = new Map<ts.Symbol, { readonly name: string; schema: Schema }>();

  constructor(private readonly checker: ts.TypeChecker) {}

  definitions(): Schema {
    const all = [...this.#defined.values()].map(({ name, schema }) => [name, schema] as const);
    return Object.fromEntries(all.sort(([one], [other]) => one.localeCompare(other, "en")));
  }

  propertiesOf(type: ts.Type): Readonly<Record<string, Schema>> {
    const properties = type.getProperties();
    return Object.fromEntries(
      properties.map((one) => [one.name, this.of(this.checker.getTypeOfSymbol(one))]),
    );
  }

  of(type: ts.Type): Schema {
    if (type.isUnion()) return this.union(type);
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    const { flags } = type;
    if (flags & ts.TypeFlags.BooleanLiteral) {
      return { const: this.checker.typeToString(type) === "true" };
    }
    const plain = plainTypes.find(([mask]) => flags & mask);
    if (plain !== undefined) return plain[1];
    if (this.checker.isTupleType(type) || this.checker.isArrayType(type)) {
      const items = this.checker.getTypeArguments(type as ts.TypeReference);
      return { type: "array", items: this.anyOf(items) };
    }
    return flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection) ? this.object(type) : {};
  }

  private union({ types }: ts.UnionType): Schema {
    const some = types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined));
    const literals = some.filter((one) => one.isStringLiteral() || one.isNumberLiteral());
    if (literals.length === some.length && some.length > 1) {
      return { enum: literals.map(({ value }) => value) };
    }
    return this.anyOf(some);
  }

  private anyOf(types: readonly ts.Type[]): Schema {
    const told = types.map((type) => JSON.stringify(this.of(type)));
    const both = ['{"const":false}', '{"const":true}'];
    const isBoolean = both.every((each) => told.includes(each));
    const rest = isBoolean ? told.filter((each) => !both.includes(each)) : told;
    const all = [...new Set(isBoolean ? [...rest, '{"type":"boolean"}'] : rest)];
    const schemas = all.map((text) => JSON.parse(text) as Schema);
    return schemas.length === 1 ? (schemas[0] ?? {}) : { anyOf: schemas };
  }

  private object(type: ts.Type): Schema {
    const named = type.aliasTypeArguments === undefined ? type.aliasSymbol : undefined;
    const symbol = named ?? (type.isClassOrInterface() ? type.symbol : undefined);
    if (symbol === undefined) return this.content(type);
    if (!this.#defined.has(symbol)) {
      const taken = [...this.#defined.values()].filter(({ name }) => name.startsWith(symbol.name));
      const name = taken.some((one) => one.name === symbol.name)
        ? `${symbol.name}${taken.length + 1}`
        : symbol.name;
      const definition = { name, schema: {} };
      this.#defined.set(symbol, definition);
      definition.schema = { ...this.told(symbol), ...this.content(type) };
    }
    return { $ref: `#/definitions/${this.#defined.get(symbol)?.name ?? ""}` };
  }

  private content(type: ts.Type): Schema {
    const properties = this.checker.getPropertiesOfType(type);
    const index = this.checker.getIndexInfoOfType(type, ts.IndexKind.String);
    const required = properties.filter((one) => !this.isOptional(one)).map(({ name }) => name);
    return {
      type: "object",
      ...(required.length > 0 && { required }),
      properties: Object.fromEntries(properties.map((one) => [one.name, this.property(one)])),
      ...(index && { additionalProperties: this.of(index.type) }),
    };
  }

  private isOptional(property: ts.Symbol): boolean {
    const type = this.checker.getTypeOfSymbol(property);
    const parts = type.isUnion() ? type.types : [type];
    const mayLack = ts.TypeFlags.Undefined | ts.TypeFlags.Unknown;
    return (
      Boolean(property.flags & ts.SymbolFlags.Optional) || parts.some((one) => one.flags & mayLack)
    );
  }

  /** In draft 7 nothing counts beside a reference. */
  private property(property: ts.Symbol): Schema {
    const schema = this.of(this.checker.getTypeOfSymbol(property));
    const told = this.told(property);
    if (Object.keys(told).length === 0 || schema["$ref"] === undefined)
      return { ...told, ...schema };
    return { ...told, allOf: [schema] };
  }

  /** Its comment, and of its tags those that limit a value. */
  private told(symbol: ts.Symbol): Schema {
    const description = ts.displayPartsToString(symbol.getDocumentationComment(this.checker));
    const limits = symbol.getJsDocTags(this.checker).map(({ name, text }) => {
      const value = ts.displayPartsToString(text);
      return [name, name === "pattern" ? value : Number(value)] as const;
    });
    return { ...(description !== "" && { description }), ...Object.fromEntries(limits) };
  }
}

const plainTypes: readonly (readonly [flags: ts.TypeFlags, schema: Schema])[] = [
  [ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral, { type: "string" }],
  [ts.TypeFlags.Number, { type: "number" }],
  [ts.TypeFlags.Null, { type: "null" }],
];
