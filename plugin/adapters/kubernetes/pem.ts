/** Keys and certificates that a kubeconfig gives, as data or by file. */
import { InputError } from "../../domain/base/errors";
import { createSecureContext } from "node:tls";
import { fileProblem, readText } from "../files";
import type { ClientPair } from "../http/agents";

/** The PEM text, undefined where neither is given; `what` names it in the InputError. */
export function readPem(
  data: string | undefined,
  file: string | undefined,
  what: string,
): string | undefined {
  const found = data === undefined ? fromFile(file, what) : Buffer.from(data, "base64").toString();
  if (found === undefined || found.includes("-----BEGIN ")) return found;
  throw new InputError(`${what} is not PEM${data === undefined ? ` (${file ?? ""})` : ""}`);
}

function fromFile(file: string | undefined, what: string): string | undefined {
  if (file === undefined) return undefined;
  const read = readText(file);
  if ("text" in read) return read.text;
  throw new InputError(`cannot read ${what}: ${fileProblem(file, read.failure)}`);
}

/** Why TLS cannot use these, by OpenSSL's code alone: ` (CODE)`; undefined where it can. */
export function tlsProblem(pair: ClientPair): string | undefined {
  try {
    createSecureContext(pair);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === undefined ? "" : ` (${code})`;
  }
}
