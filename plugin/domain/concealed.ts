/** Texts of servers and of other programs, which may quote what they were sent. */
import { isObject, list, own } from "./values";

/** Keys, bytes as Go prints them, and what is too long and too mixed for a name or a path. */
const patterns = [
  /-----BEGIN [^-]*-----(?:[^-]|-(?!----))*(?:-----END [^-]*-----)?/g,
  /\[(?:0x)?[0-9a-f]{1,3}(?:[ ,]+(?:0x)?[0-9a-f]{1,3}){8,}\]/g,
  /\{(?:0x[0-9a-f]{1,2}[ ,]*){8,}\}/g,
  /(?=[A-Za-z0-9+/=]*[A-Z])(?=[A-Za-z0-9+/=]*[a-z])(?=[A-Za-z0-9+/=]*\d)[A-Za-z0-9+/=]{40,}/g,
];

/** The text without keys and without the known secrets, in plain and in base64. */
export function concealed(text: string, known: readonly string[]): string {
  const forms = known
    .filter((secret) => secret !== "")
    .flatMap((secret) => [base64(secret), secret, encodeURIComponent(secret)]);
  const without = forms.reduce((left, form) => left.replaceAll(form, "…"), text);
  return patterns.reduce((left, pattern) => left.replaceAll(pattern, "…"), without);
}

/** Texts of six and more characters in a chart's values whose key says that they are secret. */
export function secretsIn(values: unknown, secret = false): readonly string[] {
  if (typeof values === "string") return secret && values.length >= 6 ? [values] : [];
  if (Array.isArray(values)) return list(values).flatMap((one) => secretsIn(one, secret));
  if (!isObject(values)) return [];
  return Object.keys(values).flatMap((key) =>
    secretsIn(own(values, key), secret || /pass|secret|token|key|cred|auth/i.test(key)),
  );
}

function base64(text: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(text)));
}
