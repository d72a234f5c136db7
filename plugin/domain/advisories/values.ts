/**
 * Values of the vocabulary's words, each taken from plain data when a condition asks for it: converted once,
 * and checked against the type that the vocabulary gives it. A value that is not known is thrown, since the
 * language lets the other side of && and || decide over an error.
 */
import { asString, getOwn, isObject, oncePer } from "../base/values";
import type { FactKey } from "../facts/facts";
import {
  compareNumbers,
  readNumbers,
  type ReadNumbers,
  readPlatform,
  type Numbers,
} from "./ranges";
import {
  type TypeName,
  type Variable,
  type Word,
  type WordType,
  variables,
  vocabulary,
} from "./vocabulary";

/** A value that is not known, and why: a list was not read, a field is absent or of another type. */
export class Unknown {
  constructor(
    readonly because: string,
    /** The lists that were not read. */
    readonly keys: readonly FactKey[] = [],
  ) {}
}

/**
 * Plain data by variable. A property may be Unknown; a function without parameters is called once, when its
 * value is asked for.
 */
export type Values = Readonly<Partial<Record<Variable, unknown>>>;

/** What the language throws for a value that is not known. */
export class NotKnown extends Error {
  constructor(readonly unknown: Unknown) {
    super(unknown.because);
  }
}

/** A version as it is written, compared by its numbers. */
export class Version {
  constructor(
    readonly text: string,
    readonly numbers: Numbers,
    private readonly read: ReadNumbers,
  ) {}

  /** Below zero where this one is older than the other, or than what a text says. */
  compare(other: Version | string): number {
    if (typeof other !== "string") return compareNumbers(this.numbers, other.numbers);
    const numbers = this.read(other);
    if (numbers !== undefined) return compareNumbers(this.numbers, numbers);
    throw new NotKnown(new Unknown(`${JSON.stringify(other)} is no version`));
  }
}

/** Elements of lists that one judgment may go through: two loops in one another over 5,000 take seconds. */
const affordable = 250_000;

/** Counts the elements of lists that are handed to a judgment, which is made in one go. */
class Meter {
  #left = affordable;

  begin(): void {
    this.#left = affordable;
  }

  spend(elements: number): void {
    this.#left -= elements;
    if (this.#left < 0)
      throw new NotKnown(new Unknown(`it goes through more than ${affordable} elements of lists`));
  }
}

export const meter = new Meter();

/** What a value is taken from: an object, or the reason for which there is none. */
type Source = Readonly<Record<string, unknown>> | Unknown;

type Words = Readonly<Record<string, Word>>;

/** One thing of the vocabulary. Its words are properties of the class that is made for its type. */
export class Thing {
  private readonly known: Record<string, unknown> = {};

  constructor(
    private readonly source: Source,
    private readonly words: Words,
    private readonly label: (word: string) => string,
  ) {}

  /** The value of a word; undefined where it is absent and may be, NotKnown where it is not known. */
  peek(name: string): unknown {
    const { known } = this;
    if (name in known) return known[name];
    return (known[name] = this.#take(name));
  }

  /** The same for the language. */
  read(name: string): unknown {
    const value = this.peek(name);
    if (value instanceof NotKnown) throw value;
    if (Array.isArray(value)) meter.spend(value.length);
    return value;
  }

  #take(name: string): unknown {
    const { source } = this;
    if (source instanceof Unknown) return new NotKnown(source);
    const held = Object.hasOwn(source, name) ? source[name] : undefined;
    const value = typeof held === "function" ? (held as () => unknown)() : held;
    const word = this.words[name];
    if (word === undefined || (value ?? undefined) === undefined) return this.#absent(name, word);
    const isPlatform = this.words === vocabulary.Platform;
    return convert(value, word.type, {
      label: () => this.label(name),
      read: isPlatform ? readPlatform : readNumbers,
    });
  }

  #absent(name: string, word: Word | undefined): unknown {
    return word?.optional === true
      ? undefined
      : new NotKnown(new Unknown(`${this.label(name)} is absent`));
  }
}

/** What a conversion has to know of where the value is from. */
interface Place {
  /** Its name for a person. */
  readonly label: () => string;
  readonly read: ReadNumbers;
}

/** The value as the language takes it; NotKnown where it is of another type. */
function convert(value: unknown, type: WordType, place: Place): unknown {
  if (value instanceof Unknown) return new NotKnown(value);
  const found = converted(value, type, place);
  if (found !== undefined) return found;
  const because = `${place.label()} is ${show(value)}, and ${nameType(type)} is expected`;
  return new NotKnown(new Unknown(because));
}

function converted(value: unknown, type: WordType, place: Place): unknown {
  if (typeof type === "object")
    return Array.isArray(value) ? listOf(value, type.list, place) : undefined;
  return isScalar(type) ? scalars[type](value, place) : thingOf(value, type);
}

type Scalar = "string" | "int" | "bool" | "version" | "labels";

/** What a value of each type is converted to; undefined where it is of another type. */
const scalars: Readonly<Record<Scalar, (value: unknown, place: Place) => unknown>> = {
  string: (value) => (typeof value === "string" ? value : undefined),
  int: (value) => (Number.isSafeInteger(value) ? BigInt(value as number) : undefined),
  bool: (value) => (typeof value === "boolean" ? value : undefined),
  version: (value, { read }) => {
    const numbers = typeof value === "string" ? read(value) : undefined;
    return numbers && new Version(value as string, numbers, read);
  },
  labels: (value) => (isObject(value) ? new Map(Object.entries(value).filter(isText)) : undefined),
};

function isText(entry: [string, unknown]): boolean {
  return typeof entry[1] === "string";
}

function isScalar(type: Scalar | TypeName): type is Scalar {
  return Object.hasOwn(scalars, type);
}

/** How a type is called in a sentence. */
export function nameType(type: WordType): string {
  if (typeof type === "object") return `a list of ${nameType(type.list)}`;
  return isScalar(type) ? type : type.toLowerCase();
}

/** A value for a message, short whatever it is. */
function show(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** A list whose elements are converted, NotKnown where one of them cannot be told. */
function listOf(
  values: readonly unknown[],
  type: "string" | "version" | TypeName,
  { label, read }: Place,
): unknown {
  if (!isScalar(type)) return thingsOf[type](values);
  // the language knows lists by their constructor, which that of another realm is not
  const elements = Array.from(values, (value, index) =>
    convert(value, type, { label: () => `${label()}[${index}]`, read }),
  );
  return elements.find((element) => element instanceof NotKnown) ?? elements;
}

/** A class whose objects have these words as properties. */
export type ThingClass = new (source: Source) => Thing;

function defineThing(words: Words, labelOf: (source: Source) => (word: string) => string) {
  const Named = class extends Thing {
    constructor(source: Source) {
      super(source, words, labelOf(source));
    }
  };
  for (const name of Object.keys(words))
    Object.defineProperty(Named.prototype, name, {
      get(this: Thing) {
        return this.read(name);
      },
    });
  return Named;
}

/** A name where there is one, so that a person finds the object: `version of database orders`. */
function labelIn(type: string) {
  return (source: Source) =>
    (word: string): string => {
      const name = asString(getOwn(source, "name"));
      return name === undefined || word === "name"
        ? `${type}.${word}`
        : `${word} of ${type} ${name}`;
    };
}

function forEachType<T>(make: (type: TypeName) => T): Readonly<Record<TypeName, T>> {
  const types = Object.keys(vocabulary) as readonly TypeName[];
  return Object.fromEntries(types.map((type) => [type, make(type)])) as Record<TypeName, T>;
}

/** The class of each type. */
export const things: Readonly<Record<TypeName, ThingClass>> = forEachType((type) =>
  defineThing(vocabulary[type], labelIn(type.toLowerCase())),
);

const makers = forEachType((type) => oncePer((source: Source) => new things[type](source)));

/** The thing that an object is, undefined where the value is no object. */
function thingOf(value: unknown, type: TypeName): Thing | undefined {
  return isObject(value) ? makers[type](value) : undefined;
}

/** An element that is none keeps its place in the list, and tells why when it is asked for anything. */
const thingsOf = forEachType((type) =>
  oncePer((values: readonly unknown[]) =>
    Array.from(values, (value, index) => {
      if (value instanceof Unknown) return makers[type](value);
      const because = `element ${index} of a list of ${type.toLowerCase()}s is no object`;
      return thingOf(value, type) ?? makers[type](new Unknown(because));
    }),
  ),
);

const Scene = defineThing(variables, () => (word) => word);

/** The variables as one thing. Without a target nothing is asked for. */
export const sceneOf = oncePer(
  (values: Values): Thing =>
    new Scene((values.target ?? undefined) !== undefined ? values : { ...values, target: {} }),
);

/** The text of a database's version, undefined where it is not known. */
export const versionOf = oncePer((database: object): string | undefined => {
  const version = thingOf(database, "Database")?.peek("version");
  return version instanceof Version ? version.text : undefined;
});

/** The value of a variable's word: undefined where it is absent and may be. */
export function peekAt(values: Values, variable: Variable, word: string): unknown {
  const thing = sceneOf(values).peek(variable);
  if (thing instanceof NotKnown) return thing.unknown;
  const value = (thing as Thing).peek(word);
  return value instanceof NotKnown ? value.unknown : value;
}
