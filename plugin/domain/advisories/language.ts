/**
 * The language of conditions and of `{…}` in texts: CEL over the words of the vocabulary. No other file knows the
 * package that reads it. There is no clock, no network and no chance in it, and a text is bounded when it is read:
 * its length, its nodes, its depth, its loops.
 */
import { type ASTNode, Environment, EvaluationError } from "@marcbachmann/cel-js";
import { oncePer, suggestion } from "../base/values";
import type { FactKey } from "../facts/facts";
import { readNumbers } from "./ranges";
import {
  NotKnown,
  Unknown,
  type Values,
  Version,
  meter,
  nameType,
  sceneOf,
  things,
} from "./values";
import * as spoken from "./vocabulary";

export { Unknown, type Values } from "./values";

type Concern = spoken.Concern;

/** A text that was read, and what it asks for. */
export interface Expression {
  readonly text: string;
  /** Lists of objects that its words are taken from. */
  readonly facts: readonly FactKey[];
  /** The variables and words in it, as `cluster.eligible`. */
  readonly words: readonly string[];
  /** Of a condition. */
  readonly judge: (values: Values) => boolean | Unknown;
  /** Its value for a person: lists are joined. */
  readonly show: (values: Values) => string | Unknown;
}

const longest = 1000;
const limits = {
  maxAstNodes: 200,
  maxDepth: 24,
  maxListElements: 100,
  maxMapEntries: 0,
  maxCallArguments: 4,
};
/** Loops in one another. */
const deepest = 2;

const functions = ["has", "size", "int", "string"];
const loops = ["exists", "all", "exists_one", "filter", "map"];
const methods = [
  ...loops,
  ...["startsWith", "endsWith", "contains", "lowerAscii", "upperAscii", "trim", "size", "join"],
];
/** Names that mean something to JavaScript. */
const refused = ["constructor", "prototype", "__proto__"];

/** A condition or a value in a text, read for what the row concerns; a text says what is wrong with it. */
export function compile(
  text: string,
  concern: Concern,
  gives: "bool" | "text",
): Expression | string {
  if (text.length > longest) return `it has more than ${longest} characters`;
  const parsed = parse(text, concern);
  if (typeof parsed === "string") return parsed;
  const checked = parsed.check();
  const reader = new Reader(variablesOf(spoken.concerns[concern]), concern);
  reader.read(parsed.ast);
  const [problem] = reader.problems;
  if (problem !== undefined) return problem;
  if (!checked.valid) return explain(checked.error);
  const misfit = judgeResult(String(checked.type), gives);
  return (
    misfit ?? {
      text,
      facts: [...reader.facts],
      words: [...reader.words],
      judge: (values) => run(parsed, values, (value) => value === true),
      show: (values) => run(parsed, values, show),
    }
  );
}

type Parsed = ReturnType<Environment["parse"]>;

function parse(text: string, concern: Concern): Parsed | string {
  try {
    return environmentOf(spoken.concerns[concern]).parse(text);
  } catch (error) {
    return explain(error);
  }
}

/** What the package says of a text, as a part of a sentence. */
function explain(error: unknown): string {
  const { summary } = error as PackageError;
  const limit = /^Exceeded (\w+)/.exec(summary)?.[1];
  return limitTexts.get(String(limit)) ?? inSentence(summary);
}

const limitTexts: ReadonlyMap<string, string> = new Map([
  ["maxAstNodes", `it has more than ${limits.maxAstNodes} parts`],
  ["maxDepth", `it is nested deeper than ${limits.maxDepth} levels`],
  ["maxListElements", `a list in it has more than ${limits.maxListElements} elements`],
  ["maxCallArguments", `a function in it is given more than ${limits.maxCallArguments} values`],
  ["maxMapEntries", "it has a map, of which there is no use here"],
]);

function inSentence(summary: string): string {
  const lower = summary.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());
  return lower.replace("token: EOF", "end");
}

/** An error of the package: what it says without the place in the text. */
interface PackageError {
  readonly summary: string;
}

const shown = /^(list<)?(string|int|bool|double|Version)>?$/;

function judgeResult(type: string, gives: "bool" | "text"): string | undefined {
  if (gives === "bool")
    return type === "bool" ? undefined : `it gives ${type}, and bool is expected`;
  return shown.test(type)
    ? undefined
    : `it gives ${type}, which cannot be printed: name a field of it`;
}

function run<T>(parsed: Parsed, values: Values, take: (value: unknown) => T): T | Unknown {
  meter.begin();
  try {
    return take(parsed(sceneOf(values)));
  } catch (error) {
    if (error instanceof NotKnown) return error.unknown;
    if (!(error instanceof EvaluationError)) throw error;
    return new Unknown(explainAbsence(error));
  }
}

/** The words of the text that have no value, else what the package says. */
function explainAbsence(error: EvaluationError): string {
  const { node } = error;
  return error.code === "no_such_key" && node !== undefined
    ? `${node.input.slice(node.start, node.end)} is absent`
    : explain(error);
}

function show(value: unknown): string {
  if (Array.isArray(value)) return value.map(show).join(", ");
  return value instanceof Version ? value.text : String(value);
}

/** The type of a word as the package writes it. */
function typeText(type: spoken.WordType): string {
  if (typeof type === "object") return `list<${typeText(type.list)}>`;
  const special: Readonly<Record<string, string>> = {
    version: "Version",
    labels: "map<string, string>",
  };
  return special[type] ?? type;
}

/** The types and what can be done with versions, made when the first text is read. */
const foundation = oncePer((vocabulary: typeof spoken.vocabulary): Environment => {
  const made = new Environment({ limits });
  made.registerType("Version", { ctor: Version });
  for (const [name, words] of Object.entries(vocabulary)) {
    const fields = Object.entries(words).map(([word, { type }]) => [word, typeText(type)] as const);
    const ctor = things[name as spoken.TypeName];
    made.registerType(name, { ctor, fields: Object.fromEntries(fields) });
  }
  addVersions(made);
  return made;
});

function addVersions(environment: Environment): void {
  environment.registerFunction("string(Version): string", ({ text }: Version) => text, {
    async: false,
  });
  const compares: Readonly<Record<string, (compared: number) => boolean>> = {
    "<": (compared) => compared < 0,
    "<=": (compared) => compared <= 0,
    ">": (compared) => compared > 0,
    ">=": (compared) => compared >= 0,
    "==": (compared) => compared === 0,
  };
  for (const [sign, holds] of Object.entries(compares)) {
    for (const other of ["Version", "string"])
      environment.registerOperator(
        `Version ${sign} ${other}`,
        (left: Version, right: Version | string) => holds(left.compare(right)),
      );
    // that of == comes with its mirror
    if (sign !== "==")
      environment.registerOperator(`string ${sign} Version`, (left: string, right: Version) =>
        holds(-right.compare(left)),
      );
  }
}

const special: readonly string[] = Object.values(spoken.concerns).flat();

/** The variables of every row, and those that it has beside them. */
function variablesOf(own: readonly string[]): ReadonlyMap<string, spoken.Word> {
  const all = Object.entries<spoken.Word>(spoken.variables);
  return new Map(all.filter(([name]) => own.includes(name) || !special.includes(name)));
}

const environmentOf = oncePer((own: readonly string[]): Environment => {
  const environment = foundation(spoken.vocabulary).clone();
  for (const [name, { type }] of variablesOf(own))
    environment.registerVariable(name, typeText(type));
  return environment;
});

/** What the package has found out of a node's type. */
interface Typed {
  readonly checkedType?: {
    readonly name: string;
    readonly kind: string;
    readonly valueType?: { readonly kind: string };
  };
}

const typedOf = (node: ASTNode): Typed["checkedType"] => (node as ASTNode & Typed).checkedType;

/** Names that loops have given, and how deep in loops a node is. */
interface Scope {
  readonly names: readonly string[];
  readonly loops: number;
}

/** Goes through a text that was parsed: collects its words, and what the package would let pass. */
class Reader {
  readonly problems: string[] = [];
  readonly words = new Set<string>();
  readonly facts = new Set<FactKey>();

  constructor(
    private readonly variables: ReadonlyMap<string, spoken.Word>,
    private readonly concern: Concern,
  ) {}

  read(node: ASTNode, scope: Scope = { names: [], loops: 0 }): void {
    if (node.op === "id") this.#name(node.args, scope);
    else if (node.op === "rcall") this.#method(node.args, scope);
    else {
      if (node.op === "call" && !functions.includes(node.args[0]))
        this.problems.push(
          `there is no function ${node.args[0]}${suggestion(node.args[0], functions)}`,
        );
      for (const part of partsOf(node.args)) this.read(part, scope);
    }
    if (node.op === ".") this.#word(node.args);
    if (node.op === "[]") this.#index(node.args);
    this.#versions(node);
  }

  #name(name: string, { names }: Scope): void {
    if (names.includes(name)) return;
    const word = this.variables.get(name);
    if (word === undefined) {
      const elsewhere = Object.hasOwn(spoken.variables, name);
      const known = [...this.variables.keys(), ...names];
      this.problems.push(
        elsewhere
          ? `there is no ${name} in a row that concerns ${this.concern}`
          : `there is no variable ${name}${suggestion(name, known)}`,
      );
    } else this.#note(name, word);
  }

  #note(name: string, word: spoken.Word): void {
    this.words.add(name);
    for (const fact of word.facts ?? []) this.facts.add(fact);
  }

  #word([owner, name]: readonly [ASTNode, string]): void {
    const type = this.#typeOf(owner);
    if (refused.includes(name)) this.problems.push(`${name} is no word`);
    else if (isTypeName(type)) {
      const words: Readonly<Record<string, spoken.Word>> = spoken.vocabulary[type];
      const word = Object.hasOwn(words, name) ? words[name] : undefined;
      if (word === undefined)
        this.problems.push(
          `${nameType(type)} has no ${name}${suggestion(name, Object.keys(words))}`,
        );
      else this.#note(`${type.toLowerCase()}.${name}`, word);
    } else if (type !== undefined && !type.startsWith("map<"))
      this.problems.push(`${type} has no fields, so there is no ${name}`);
  }

  /** The type of a node; within has() the package knows only that of the first name. */
  #typeOf(node: ASTNode): string | undefined {
    const known = typedOf(node)?.name;
    if (known !== undefined || node.op !== ".") return known;
    const owner = this.#typeOf(node.args[0]);
    if (!isTypeName(owner)) return undefined;
    const words: Readonly<Record<string, spoken.Word>> = spoken.vocabulary[owner];
    const word = words[node.args[1]];
    return word && typeText(word.type);
  }

  #index([owner, index]: readonly [ASTNode, ASTNode]): void {
    if (isTypeName(typedOf(owner)?.name))
      this.problems.push("a word is asked for with a dot, and not with [ ]");
    if (index.op === "value" && refused.includes(String(index.args)))
      this.problems.push(`${String(index.args)} is no word`);
  }

  #method(
    [name, owner, given]: readonly [string, ASTNode, readonly ASTNode[]],
    scope: Scope,
  ): void {
    this.read(owner, scope);
    if (!methods.includes(name))
      this.problems.push(`there is no function ${name}${suggestion(name, methods)}`);
    if (loops.includes(name)) this.#loop(owner, given, scope);
    else for (const part of given) this.read(part, scope);
  }

  #loop(owner: ASTNode, [item, ...rest]: readonly ASTNode[], { names, loops }: Scope): void {
    const name = item?.op === "id" ? item.args : "";
    if (refused.includes(name) || this.variables.has(name))
      this.problems.push(`a loop cannot call its element ${name}: choose another name`);
    if (loops === deepest) this.problems.push(`more than ${deepest} loops are in one another`);
    const element = typedOf(owner)?.valueType?.kind;
    if (element !== undefined && !["primitive", "message", "param"].includes(element))
      this.problems.push("a list of lists cannot be gone through");
    const inner = { names: [...names, name], loops: loops + 1 };
    for (const part of rest) this.read(part, inner);
  }

  /** A version is compared with a text: that it is one can be told at once. */
  #versions(node: ASTNode): void {
    const parts = partsOf(node.args);
    if (!parts.some((part) => typedOf(part)?.name === "Version")) return;
    for (const part of parts)
      if (part.op === "value" && typeof part.args === "string" && isNoVersion(part.args))
        this.problems.push(`${JSON.stringify(part.args)} is no version`);
  }
}

function isNoVersion(text: string): boolean {
  return readNumbers(text) === undefined;
}

function isTypeName(name: string | undefined): name is spoken.TypeName {
  return name !== undefined && Object.hasOwn(spoken.vocabulary, name);
}

function partsOf(args: unknown): readonly ASTNode[] {
  return [args].flat(3).filter(isNode);
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === "object" && value !== null && "op" in value;
}
