/** The JSON schema of every document, made of the types that the program fills (plugin/cli/documents.ts). */
import { join } from "node:path";
import ts from "typescript";
import { compilerOptions } from "../../tsconfig.json";

/** A JSON schema, as far as it is made here. */
type Schema = Readonly<Record<string, unknown>>;

const root = join(__dirname, "../..");
const about =
  "What -o json and -o yaml print, and the last line of -o jsonl. Within v1 properties are only added: a reader ignores those that it does not know.";

/** The schema of all documents; `details` goes by the kind. */
export function documentsSchema(): Schema {
  const path = join(root, "plugin/cli/documents.ts");
  const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, root);
  const program = ts.createProgram([path], options);
  const documents = program.getSourceFile(path)?.statements.find(ts.isInterfaceDeclaration);
  if (documents === undefined) throw new Error(`${path} has no interface`);
  const checker = program.getTypeChecker();
  const writer = new SchemaWriter(checker);
  const details = writer.propertiesOf(checker.getTypeAtLocation(documents));
  const branches = Object.entries(details)
    .filter(([, schema]) => Object.keys(schema).length > 0)
    .map(([kind, schema]) => ({
      if: { properties: { kind: { const: kind } } },
      then: { properties: { details: schema } },
    }));
  // a rehearsal's details hold reports, which defines them
  const report = { $ref: "#/definitions/Report" };
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    $id: "https://cli.engine.com/v1/documents.schema.json",
    title: "Documents of kubectl engine, cli.engine.com/v1",
    description: about,
    allOf: [report, { properties: { kind: { enum: Object.keys(details) } } }, ...branches],
    definitions: writer.definitions(),
  };
}

const { TypeFlags } = ts;

/** Turns types into schemas; what has a name is defined once. */
class SchemaWriter {
  readonly #defined = new Map<string, { readonly symbol: ts.Symbol; schema: Schema }>();

  constructor(private readonly checker: ts.TypeChecker) {}

  definitions(): Schema {
    const all = [...this.#defined].map(([name, { schema }]) => [name, schema] as const);
    return Object.fromEntries(all.sort(([one], [other]) => one.localeCompare(other, "en")));
  }

  propertiesOf(type: ts.Type): Readonly<Record<string, Schema>> {
    const properties = this.checker.getPropertiesOfType(type).filter((one) => !isInternal(one));
    return Object.fromEntries(properties.map((one) => [one.name, this.property(one)]));
  }

  of(type: ts.Type): Schema {
    if (type.isUnion()) return this.anyOf(type.types);
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    const { flags } = type;
    if (flags & TypeFlags.BooleanLiteral)
      return { const: this.checker.typeToString(type) === "true" };
    if (flags & (TypeFlags.String | TypeFlags.TemplateLiteral)) return { type: "string" };
    if (flags & TypeFlags.Number) return { type: "number" };
    if (flags & TypeFlags.Null) return { type: "null" };
    return flags & (TypeFlags.Object | TypeFlags.Intersection) ? this.object(type) : {};
  }

  /** Values that are told one by one are an enum together, and true and false a boolean. */
  private anyOf(types: readonly ts.Type[]): Schema {
    const some = types.filter(({ flags }) => !(flags & TypeFlags.Undefined));
    const told = some.map((one) => this.of(one));
    const fixed = told.filter((one) => "const" in one);
    // the compiler's order follows that of its work, which any other change may move
    const values = fixed.map((one) => one["const"]).sort(byValue);
    const isBoolean = values.includes(true) && values.includes(false);
    const together = isBoolean ? { type: "boolean" } : { enum: values };
    const others = told.filter((one) => !fixed.includes(one));
    const all = [...others, ...(fixed.length > 1 ? [together] : fixed)];
    const schemas = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
    const [first = {}, ...more] = schemas;
    return more.length === 0 ? first : { anyOf: schemas };
  }

  private object(type: ts.Type): Schema {
    if (this.checker.isTupleType(type) || this.checker.isArrayType(type)) {
      const items = this.checker.getTypeArguments(type as ts.TypeReference);
      return { type: "array", items: this.anyOf(items) };
    }
    const named = type.aliasTypeArguments === undefined ? type.aliasSymbol : undefined;
    const symbol = named ?? (type.isClassOrInterface() ? type.symbol : undefined);
    if (symbol === undefined) return this.content(type);
    const { name } = symbol;
    const known = this.#defined.get(name);
    if (known === undefined) {
      const definition = { symbol, schema: {} };
      this.#defined.set(name, definition);
      definition.schema = { ...this.told(symbol), ...this.content(type) };
    } else if (known.symbol !== symbol) throw new Error(`two types are called ${name}`);
    return { $ref: `#/definitions/${name}` };
  }

  private content(type: ts.Type): Schema {
    const properties = this.checker.getPropertiesOfType(type);
    const index = this.checker.getIndexInfoOfType(type, ts.IndexKind.String);
    const required = properties.filter((one) => !this.mayLack(one)).map(({ name }) => name);
    return {
      type: "object",
      ...(required.length > 0 && { required }),
      properties: this.propertiesOf(type),
      ...(index && { additionalProperties: this.of(index.type) }),
    };
  }

  private mayLack(property: ts.Symbol): boolean {
    const type = this.checker.getTypeOfSymbol(property);
    const parts = type.isUnion() ? type.types : [type];
    const isOpen = parts.some(({ flags }) => flags & (TypeFlags.Undefined | TypeFlags.Unknown));
    return isOpen || Boolean(property.flags & ts.SymbolFlags.Optional);
  }

  /** With its comment; in draft 7 nothing counts beside a reference. */
  private property(property: ts.Symbol): Schema {
    const schema = this.of(this.checker.getTypeOfSymbol(property));
    const told = this.told(property);
    const isBeside = Object.keys(told).length > 0 && schema["$ref"] !== undefined;
    return { ...told, ...(isBeside ? { allOf: [schema] } : schema) };
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

/** True for what the program takes off before it prints. */
function isInternal(property: ts.Symbol): boolean {
  return property.getJsDocTags().some(({ name }) => name === "internal");
}

function byValue(left: unknown, right: unknown): number {
  return String(left).localeCompare(String(right), "en", { numeric: true });
}
