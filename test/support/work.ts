/**
 * How much a piece of code looks at and copies, counted: time depends on the machine, a count does not.
 * Characters that texts hand out or are searched for, steps of regular expressions over texts, items
 * that lists hand out, to a loop, to a copy or to a callback.
 */
export async function workOf(act: () => unknown): Promise<number> {
  let work = 0;
  const count = (more: number): void => {
    work += more;
  };
  const restore = [...texts(count), ...expressions(count), ...lists(count)];
  try {
    await act();
  } finally {
    for (const undo of restore) undo();
  }
  return work;
}

type Count = (more: number) => void;
type Undo = () => void;
type Method = (this: never, ...args: never[]) => unknown;

/** Replaces a method by what `around` makes of it. */
function replaced(holder: object, name: string, around: (real: Method) => unknown): Undo {
  const own = Object.getOwnPropertyDescriptor(holder, name);
  if (own === undefined) throw new Error(`there is no ${name}`);
  Object.defineProperty(holder, name, { ...own, value: around(own.value as Method) });
  return () => Object.defineProperty(holder, name, own);
}

type OfText = (text: string, result: unknown, from: number) => number;

const upTo: OfText = (text, result, from) =>
  (typeof result === "number" && result >= 0 ? result : text.length) - from;
const handedOut: OfText = (_text, result) => String(result).length;
const whole: OfText = (text) => text.length;

function texts(count: Count): readonly Undo[] {
  const methods: Readonly<Record<string, OfText>> = {
    slice: handedOut,
    substring: handedOut,
    split: whole,
    includes: (text, isThere, from) => (isThere === true ? 0 : text.length - from),
    indexOf: upTo,
  };
  return Object.entries(methods).map(([name, costs]) =>
    replaced(
      String.prototype,
      name,
      (real) =>
        function (this: string, ...args: readonly unknown[]): unknown {
          const result: unknown = Reflect.apply(real, this, args);
          const from = Number(args[1] ?? 0);
          count(Math.max(costs(this, result, from), 0));
          return result;
        },
    ),
  );
}

/** Every other use of a regular expression is one of these. */
function expressions(count: Count): readonly Undo[] {
  return [
    replaced(
      RegExp.prototype,
      "exec",
      (real) =>
        function (this: RegExp, text: string): unknown {
          const from = this.sticky || this.global ? this.lastIndex : 0;
          const found = Reflect.apply(real, this, [text]) as RegExpExecArray | null;
          const missed = this.sticky ? from : text.length;
          const end = found === null ? missed : found.index + found[0].length;
          count(Math.max(end - from, 0));
          return found;
        },
    ),
  ];
}

function lists(count: Count): readonly Undo[] {
  const iterator = Object.getPrototypeOf([][Symbol.iterator]()) as object;
  const step = replaced(
    iterator,
    "next",
    (real) =>
      function (this: object): unknown {
        count(1);
        return Reflect.apply(real, this, []);
      },
  );
  const copied = ["slice", "concat"].map((name) =>
    replaced(
      Array.prototype,
      name,
      (real) =>
        function (this: unknown[], ...args: readonly unknown[]): unknown {
          const result = Reflect.apply(real, this, args) as readonly unknown[];
          count(result.length);
          return result;
        },
    ),
  );
  const asked = ["map", "filter", "flatMap", "forEach", "find", "findIndex", "some", "every"].map(
    (name) =>
      replaced(
        Array.prototype,
        name,
        (real) =>
          function (this: unknown[], act: Method, ...rest: readonly unknown[]): unknown {
            const counted = (...args: readonly unknown[]): unknown => {
              count(1);
              return Reflect.apply(act, rest[0], args);
            };
            return Reflect.apply(real, this, [counted, ...rest]);
          },
      ),
  );
  return [step, ...copied, ...asked];
}
