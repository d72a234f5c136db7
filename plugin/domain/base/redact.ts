/**
 * Texts without what must not be printed or stored (cli contract, Output): the login and query of an
 * address, a token's flag, keys, and secrets that the caller knows. Nothing else is looked for.
 */
import { isObject, asArray, getOwn } from "./values";

/** Keys, bytes as Go prints them, and what is too long and too mixed for a name or a path. */
const patterns = [
  /-----BEGIN [^-]*-----(?:[^-]|-(?!----))*(?:-----END [^-]*-----)?/g,
  /\[(?:0x)?[0-9a-f]{1,3}(?:[ ,]+(?:0x)?[0-9a-f]{1,3}){8,}\]/g,
  /\{(?:0x[0-9a-f]{1,2}[ ,]*){8,}\}/g,
  /(?=[A-Za-z0-9+/=]*[A-Z])(?=[A-Za-z0-9+/=]*[a-z])(?=[A-Za-z0-9+/=]*\d)[A-Za-z0-9+/=]{40,}/g,
];

/** The text without keys and without the known secrets, in plain and in base64. */
export function conceal(text: string, known: readonly string[]): string {
  const forms = known
    .filter((secret) => secret !== "")
    .flatMap((secret) => [base64(secret), secret, encodeURIComponent(secret)]);
  const without = forms.reduce((left, form) => left.replaceAll(form, "…"), text);
  return patterns.reduce((left, pattern) => left.replaceAll(pattern, "…"), without);
}

/** Texts of six and more characters in a chart's values whose key says that they are secret. */
export function secretsIn(values: unknown, secret = false): readonly string[] {
  if (typeof values === "string") return secret && values.length >= 6 ? [values] : [];
  if (Array.isArray(values)) return asArray(values).flatMap((one) => secretsIn(one, secret));
  if (!isObject(values)) return [];
  return Object.keys(values).flatMap((key) =>
    secretsIn(getOwn(values, key), secret || secretKey.test(key)),
  );
}

const secretKey = /pass|secret|token|key|cred|auth/i;
/** What stands before a value in a text that helm's --set and its like take, of JSON too. */
const settingKey = /(?:^|[,{])\s*((?:\\.|[^\\,={])*?)[=:]/gs;

/** As above, of a text such as `a=1,auth.password=…`. */
export function secretsInSetting(text: string): readonly string[] {
  const at = findSecretValue(text);
  if (at === undefined) return [];
  const value = text.slice(at);
  const parts = value.split(/(?<!\\)[,{}"]/).map((part) => part.replace(/^.*?[=:]\s*/, ""));
  return [value, ...parts]
    .map((part) => part.replaceAll(/\\(.)/gs, "$1"))
    .filter((part) => part.length >= 6);
}

/** Where the first value begins whose key says that it is secret. */
function findSecretValue(text: string): number | undefined {
  const found = [...text.matchAll(settingKey)].find(([, key]) => secretKey.test(String(key)));
  return found && found.index + found[0].length;
}

/** The text up to the first value whose key says that it is secret: what follows may be a part of it. */
function publicSetting(text: string): string {
  const at = findSecretValue(text);
  return publicValue(conceal(at === undefined ? text : `${text.slice(0, at)}${omitted}`, []));
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}

/** Stands where something was left out; no command takes it for a value. */
const omitted = "…";
/** The only flag whose whole value is a secret: kubectl's own. */
const secretFlags = ["token"];
/** An address is one without a scheme too: `user:password@host`. */
const addressFlags = ["server", "api-url"];
/** Values that helm sets one by one. */
const settingFlags = ["set", "set-string", "set-json"];
/** Names of people and groups, which an identity provider may make of its address: `https://host#alice`. */
const identityFlags = ["as", "as-uid", "as-group"];

const address = /([a-z][a-z0-9+.-]*:\/\/)([^\s"'`<>]*)/gi;

/** A text whose addresses are without login and query; a fragment stays, since users have such names. */
export function publicText(text: string): string {
  if (!text.includes("://")) return text;
  return text.replaceAll(address, (_, scheme: string, rest: string) => {
    const all = rest.replace(/[:.,;)]*$/, "");
    const fragment = all.includes("?") ? "" : all.replace(/^[^#]*/, "");
    const shown = publicAddress(all.slice(0, all.length - fragment.length));
    return `${scheme}${shown}${fragment}${rest.slice(all.length)}`;
  });
}

/**
 * The words of a command whose values are bound to their flags: `--release=https://host/path?…`. What helm sets may
 * stand in a word of its own.
 */
export function publicWords(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    if (settingFlags.includes((words[index - 1] ?? "").replace(/^--/, "")))
      return publicSetting(word);
    const [, name] = /^--([^=]+)=/.exec(word) ?? [];
    if (name === undefined) return publicValue(word);
    const value = word.slice(`--${name}=`.length);
    if (identityFlags.includes(name)) return word;
    if (settingFlags.includes(name)) return `--${name}=${publicSetting(value)}`;
    if (secretFlags.includes(name)) return `--${name}=${omitted}`;
    const bare = addressFlags.includes(name) && !value.includes("://");
    return `--${name}=${bare ? publicAddress(value) : publicValue(value)}`;
  });
}

/** One value; an address alone ends with the word, whatever characters its password has. */
export function publicValue(value: string): string {
  const [scheme] = /^[a-z][a-z0-9+.-]*:\/\//i.exec(value) ?? [];
  if (scheme === undefined) return publicText(value);
  return `${scheme}${publicAddress(value.slice(scheme.length))}`;
}

/** What the API server says of its own calls to webhooks: how long it waited is no secret. */
const harmlessQuery = /^\?timeout=\d+m?s$/;

/** What follows the scheme; a port that is none is a login with unescaped characters. */
function publicAddress(rest: string): string {
  const place = rest.replace(/[?#].*$/s, "");
  const authority = place.replace(/\/.*$/s, "");
  const host = authority.slice(authority.lastIndexOf("@") + 1);
  if (!/^(\[[^\]]*\]|[^:]*)(:\d*)?$/.test(host)) return omitted;
  const shown = `${host}${place.slice(authority.length)}`;
  const query = rest.slice(place.length);
  if (query === "" || harmlessQuery.test(query)) return `${shown}${query}`;
  return `${shown}?${omitted}`;
}
