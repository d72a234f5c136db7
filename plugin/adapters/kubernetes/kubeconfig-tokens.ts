/**
 * Writes the renewed tokens of an OIDC login into a kubeconfig: these two values in its text and
 * nothing else, under the lock file that kubectl makes for the same purpose (FILE.lock).
 */
import { closeSync, openSync, readFileSync, realpathSync, statSync, unlinkSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Pair,
  parseAllDocuments,
  type Scalar,
  type YAMLMap,
} from "yaml";
import { UsageError } from "../../domain/base/errors";
import { asArray, asString, getOwn, isObject } from "../../domain/base/values";
import type { Clock } from "../../ports/kubernetes";
import { decodeText, encodeLike } from "./text/encoding";
import { fileProblem, replaceFile } from "../files";
import type { UserOrigin } from "./kubeconfig";

/** What an OIDC login holds that changes. */
export interface OidcTokens {
  readonly idToken: string | undefined;
  readonly refreshToken: string | undefined;
}

/** Tokens, and what has come of them. */
interface Renewal {
  readonly old: OidcTokens;
  readonly renewed: OidcTokens;
}

const lockAttempts = 30;
const lockPauseMs = 100;

/** Keeps the tokens in the file; a UsageError says why that cannot be done, and nothing is changed then. */
export async function keepTokens(
  origin: UserOrigin,
  renewal: Renewal,
  clock: Clock,
): Promise<void> {
  const { file } = origin;
  const problem = (why: string): UsageError =>
    new UsageError(`cannot write the kubeconfig ${file}: ${why}`);
  const unlock = await lockFile(file, clock, problem);
  try {
    const { bytes, path, mode } = openFile(file, problem);
    const text = decodeText(bytes);
    if (!bytes.equals(encodeLike(text, bytes))) throw problem("it holds bytes that are no text");
    const edited = withTokens(text, origin.name, renewal);
    if (edited === undefined) throw problem("its login cannot be changed without changing more");
    if (edited === text) return;
    const hint = "make the file and its folder writable";
    await replaceFile(path, encodeLike(edited, bytes), {
      what: "kubeconfig",
      hint,
      mode,
      exactMode: true,
    });
  } finally {
    unlock();
  }
}

interface OpenedFile {
  readonly bytes: Buffer;
  /** Where a link leads: the link stays. */
  readonly path: string;
  readonly mode: number;
}

function openFile(file: string, problem: (why: string) => UsageError): OpenedFile {
  try {
    const path = realpathSync(file);
    const found = statSync(path);
    if (!found.isFile()) throw problem("it is no file");
    return { bytes: readFileSync(path), path, mode: found.mode & 0o777 };
  } catch (error) {
    throw error instanceof UsageError ? error : problem(fileProblem(file, error));
  }
}

/** kubectl makes the lock for the time of a write and does not wait; here that time is waited for. */
async function lockFile(
  file: string,
  clock: Clock,
  problem: (why: string) => UsageError,
): Promise<() => void> {
  const lock = `${file}.lock`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      closeSync(openSync(lock, "wx", 0));
      return () => {
        unlinkSync(lock);
      };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "EEXIST") throw problem(fileProblem(lock, error));
      if (attempt === lockAttempts) {
        throw problem(`${lock} is there: remove it when no other command is writing the file`);
      }
      await clock.sleep(lockPauseMs);
    }
  }
}

/** A part of the text, and what stands in its place. */
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * The text with the new tokens; the text itself where somebody has written other ones since; undefined
 * where they cannot be put there without changing something else.
 */
export function withTokens(text: string, user: string, renewal: Renewal): string | undefined {
  const read = (given: string): Document | undefined =>
    parseAllDocuments(given, { version: "1.1", uniqueKeys: false, strict: false })[0];
  const document = read(text);
  if (document === undefined) return undefined;
  const edits = planEdits(text, new Reader(document).findConfig(user), renewal);
  if (edits === undefined || edits.length === 0) return edits && text;
  const edited = edits
    .toSorted((one, other) => other.from - one.from)
    .reduce((left, edit) => `${left.slice(0, edit.from)}${edit.text}${left.slice(edit.to)}`, text);
  const options = { maxAliasCount: -1 };
  const after = read(edited)?.toJS(options) as unknown;
  return isOnlyRenewed(document.toJS(options), after, renewal) ? edited : undefined;
}

/** None where the file holds other tokens than the old ones; undefined where they are not found. */
function planEdits(
  text: string,
  config: (key: string) => Found | undefined,
  { old, renewed }: Renewal,
): readonly Edit[] | undefined {
  const [idToken, refreshToken] = [config("id-token"), config("refresh-token")];
  if (refreshToken === undefined) return undefined;
  const isOld =
    asString(idToken?.value) === old.idToken && asString(refreshToken.value) === old.refreshToken;
  if (!isOld) return [];
  const { idToken: id = "", refreshToken: refresh = "" } = renewed;
  const edits = [
    idToken === undefined
      ? insertValue(text, refreshToken, ["id-token", id])
      : replaceValue(idToken, id),
    ...(refresh === old.refreshToken ? [] : [replaceValue(refreshToken, refresh)]),
  ];
  return edits.includes(undefined) ? undefined : edits.filter((edit) => edit !== undefined);
}

/** A value as it is written. */
interface Found {
  readonly value: unknown;
  readonly node: Pick<Scalar, "range" | "type">;
  readonly key: Pick<Scalar, "range" | "type">;
  readonly isFlow: boolean;
}

/** Finds what stands at a path, through aliases and merge keys. */
class Reader {
  constructor(private readonly document: Document) {}

  /** The settings of a user's auth provider, by key. */
  findConfig(user: string): (key: string) => Found | undefined {
    const users = this.resolve(this.findPair(this.document.contents, "users")?.value);
    const items = isSeq(users) ? users.items : [];
    const entry = items.find((item) => this.text(this.findPair(item, "name")?.value) === user);
    const login = this.findPair(this.findPair(entry, "user")?.value, "auth-provider")?.value;
    const config = this.findPair(login, "config")?.value;
    return (key) => this.find(config, key);
  }

  private find(map: unknown, key: string): Found | undefined {
    const pair = this.findPair(map, key);
    if (pair === undefined || !isScalar(pair.key)) return undefined;
    const { value, key: written } = pair;
    // an alias is replaced itself: what it names belongs to somebody else
    if (isAlias(value)) {
      const place = { range: value.range, type: "PLAIN" } as const;
      return { value: this.text(value), node: place, key: written, isFlow: pair.isFlow };
    }
    if (!isScalar(value)) return undefined;
    return { value: value.value, node: value, key: written, isFlow: pair.isFlow };
  }

  private text(node: unknown): unknown {
    const found = this.resolve(node);
    return isScalar(found) ? found.value : undefined;
  }

  private resolve(node: unknown): unknown {
    return isAlias(node) ? node.resolve(this.document) : node;
  }

  /** The last one counts where a key is there twice. */
  private findPair(node: unknown, key: string): (Pair & { readonly isFlow: boolean }) | undefined {
    const map = this.resolve(node);
    if (!isMap(map)) return undefined;
    const own = map.items.findLast((pair) => this.text(pair.key) === key);
    if (own !== undefined) return Object.assign(own, { isFlow: isFlow(map) });
    const merged = map.items.filter((pair) => isScalar(pair.key) && pair.key.source === "<<");
    for (const { value } of merged) {
      const sources = this.resolve(value);
      for (const source of isSeq(sources) ? sources.items : [sources]) {
        const found = this.findPair(source, key);
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }
}

function isFlow(map: YAMLMap): boolean {
  return map.flow === true;
}

function replaceValue({ node }: Found, value: string): Edit | undefined {
  const [from, to] = node.range ?? [];
  if (from === undefined || to === undefined) return undefined;
  const isBlock = node.type?.startsWith("BLOCK") === true;
  const isPlain = node.type === "PLAIN" || isBlock;
  return {
    from,
    to,
    text: `${isPlain ? plain(value) : JSON.stringify(value)}${isBlock ? "\n" : ""}`,
  };
}

/** A key of its own before another one, in the same style. */
function insertValue(
  text: string,
  before: Found,
  [key, value]: readonly [string, string],
): Edit | undefined {
  const from = before.key.range?.[0];
  if (from === undefined) return undefined;
  const quoted = before.key.type !== "PLAIN";
  const pair = `${quoted ? JSON.stringify(key) : key}: ${quoted ? JSON.stringify(value) : plain(value)}`;
  const lineStart = text.lastIndexOf("\n", from - 1) + 1;
  const lead = text.slice(lineStart, from);
  if (before.isFlow) return { from, to: from, text: `${pair}, ` };
  const end = text.includes("\r\n") ? "\r\n" : "\n";
  return { from, to: from, text: `${pair}${end}${lead.replaceAll(/\S/g, " ")}` };
}

/** Without quotes only where no reader can take it for anything but text. */
function plain(value: string): string {
  return /^[A-Za-z][\w.~+/-]{11,}$/.test(value) ? value : JSON.stringify(value);
}

/** True when two documents differ in nothing but these tokens. */
function isOnlyRenewed(before: unknown, after: unknown, renewal: Renewal): boolean {
  if (Array.isArray(before) && Array.isArray(after)) {
    const [one, other] = [asArray(before), asArray(after)];
    return (
      one.length === other.length &&
      one.every((item, at) => isOnlyRenewed(item, other[at], renewal))
    );
  }
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].every((key) => {
      const was = getOwn(before, key);
      const isNew = was === undefined && key === "id-token" && renewal.old.idToken === undefined;
      const is = getOwn(after, key);
      return isNew ? is === renewal.renewed.idToken : isOnlyRenewed(was, is, renewal);
    });
  }
  const { old, renewed } = renewal;
  const isRenewed =
    (before === old.idToken && after === renewed.idToken) ||
    (before === old.refreshToken && after === renewed.refreshToken);
  return isRenewed || isDeepStrictEqual(before, after);
}
