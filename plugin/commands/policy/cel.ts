/**
 * The Common Expression Language, as far as policies need it: its standard functions and macros alone,
 * which every API server has that has policies (admission facts 14).
 */
import type { FieldPath } from "../../domain/base/values";

/** Expressions by their names; those that follow one may use it. */
export type Variables = Readonly<Record<string, string>>;

/** A text, or a list of texts or numbers. */
export function literal(value: string | readonly (string | number)[]): string {
  if (typeof value === "string") return JSON.stringify(value);
  return `[${value.map((each) => JSON.stringify(each)).join(", ")}]`;
}

/** A regular expression as the text that `matches` takes. */
export function pattern({ source }: RegExp): string {
  return literal(source);
}

/** The same, whatever the letters' case. */
export function anyCase({ source }: RegExp): string {
  return literal(`(?i)${source}`);
}

/** A variable of the policy. */
export function use(name: string): string {
  return `variables.${name}`;
}

/** All of them hold. */
export function all(...parts: readonly string[]): string {
  return parts.map(enclose).join(" && ");
}

/** One of them holds. */
export function any(...parts: readonly string[]): string {
  return parts.map(enclose).join(" || ");
}

/** What binds less than `&&` and `||` is put in brackets. */
function enclose(part: string): string {
  return /\|\||&&| \? /.test(part) ? `(${part})` : part;
}

const plainName = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Words that the language keeps for itself. */
const kept =
  /^(as|break|const|continue|else|false|for|function|if|import|in|let|loop|namespace|null|package|return|true|var|void|while)$/;

const isPlain = (key: string): boolean => plainName.test(key) && !kept.test(key);

/** A member of an object that has it. */
export function member(object: string, key: string): string {
  return isPlain(key) ? `${object}.${key}` : `${object}[${literal(key)}]`;
}

/** True for an object that has the member. */
export function has(object: string, key: string): string {
  return isPlain(key) ? `has(${object}.${key})` : `${literal(key)} in ${object}`;
}

/** The member of a value that may be no object: null where it is not there, as null counts as absent. */
function readMember(value: string, key: string): string {
  return `type(${value}) == map && ${has(value, key)} ? ${member(value, key)} : null`;
}

/** The value at a path, or null, without any variable. */
export function valueAt(root: string, path: FieldPath): string {
  const parts = path.flatMap((key, index) => {
    const holder = path.slice(0, index).reduce(member, root);
    return [...(index > 0 ? [`type(${holder}) == map`] : []), has(holder, key)];
  });
  return `(${parts.join(" && ")} ? ${path.reduce(member, root)} : null)`;
}

/** A text that is safe to show; others only as what they are. */
export function showText(text: string): string {
  return `'"' + (${text}.matches("^[ -~]{1,64}$") ? ${text} : "...") + '"'`;
}

/** The variable of a path: `spec.engineVersion` is `engineVersion`, behind "old" it is `oldEngineVersion`. */
export function nameVariable(path: FieldPath, prefix = ""): string {
  const keys = path.length > 1 && path[0] === "spec" ? path.slice(1) : path;
  const words = [...(prefix === "" ? [] : [prefix]), ...keys];
  return words
    .map((word) => word.replaceAll(/\W/g, "_"))
    .map((word, index) => (index === 0 ? word : word.slice(0, 1).toUpperCase() + word.slice(1)))
    .join("");
}

/** A variable for each value on the way to the ends of the paths, and for the ends; each may be null. */
export function pathVariables(root: string, paths: readonly FieldPath[], prefix = ""): Variables {
  const found: Record<string, string> = {};
  for (const path of paths) {
    path.forEach((key, index) => {
      const holder = index === 0 ? root : use(nameVariable(path.slice(0, index), prefix));
      found[nameVariable(path.slice(0, index + 1), prefix)] = readMember(holder, key);
    });
  }
  return found;
}

/** Those variables that the expressions use, and that these use in turn, as a policy lists them. */
export function pickUsed(variables: Variables, expressions: readonly string[]) {
  const used: { readonly name: string; readonly expression: string }[] = [];
  const texts = [...expressions];
  for (const [name, expression] of Object.entries(variables).reverse()) {
    const mention = new RegExp(`\\bvariables\\.${name}\\b`);
    if (!texts.some((text) => mention.test(text))) continue;
    used.unshift({ name, expression });
    texts.push(expression);
  }
  return used;
}
