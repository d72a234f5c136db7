/** Reads the JSON body of a call, of a limited size (S78, S79, S109). */
import type { IncomingMessage } from "node:http";
import { ApiRefusal, malformed } from "./refusal";

/** The value, undefined where nothing was sent; 400 when it is no JSON, 413 when it is too large. */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  const bytes = await readAll(request, limit);
  if (bytes.length === 0) return undefined;
  const { "content-type": type = "", "content-encoding": encoding = "identity" } = request.headers;
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw malformed(["a body has to come with Content-Type: application/json"]);
  }
  if (encoding !== "identity") throw malformed(["a body has to come without Content-Encoding"]);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as unknown;
  } catch {
    throw malformed(["the body is no JSON"]);
  }
}

/** What is too large is read to its end, and dropped: a client that still sends hears no answer. */
async function readAll(request: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= limit) chunks.push(chunk);
    else chunks.length = 0;
  }
  if (length <= limit) return Buffer.concat(chunks);
  throw new ApiRefusal(413, "too_large", `the body is larger than ${limit} bytes`);
}
