/** Warning headers (RFC 7234, section 5.5) as the API server sends them. */

const warning = /\s*(\d{3})\s+\S+\s+"((?:[^"\\]|\\.)*)"(?:\s+"[^"]*")?\s*(?:,|$)/gy;

/** The texts of all 299 warnings of a header; what is malformed ends the reading. */
export function parseWarnings(header: string | undefined): readonly string[] {
  if (header === undefined) return [];
  // Node reads header bytes as latin1; the API server writes UTF-8.
  const value = Buffer.from(header, "latin1").toString("utf8");
  const found = [...value.matchAll(warning)];
  return found.flatMap(([, code, quoted = ""]) =>
    code === "299" ? [quoted.replaceAll(/\\(.)/g, "$1")] : [],
  );
}
