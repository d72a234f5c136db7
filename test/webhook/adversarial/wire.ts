/** Requests to the admission path as bytes. */

/** Words that a hostile body carries: none of them may reach the log. */
export const marker = "s3cr3t-of-the-object";

const usual = ["Host: admission.engine.svc", "Content-Type: application/json"];

/** The head of a call with these header lines beside the usual ones. */
export function head(lines: readonly string[], timeout = "10s"): string {
  return [`POST /admission?timeout=${timeout} HTTP/1.1`, ...usual, ...lines, "", ""].join("\r\n");
}

/** A whole call, in order. */
export function post(body: string | Buffer, lines: readonly string[] = []): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(head([`Content-Length: ${bytes.length}`, ...lines])), bytes]);
}

/** A body as one chunk of a chunked call. */
export function chunk(body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from("\r\n"),
  ]);
}

/** A text that makes `body` so many bytes long, in a field that nobody judges. */
export function padded(review: object, bytes: number): string {
  const text = JSON.stringify(review);
  const pad = `"padding":"${"x".repeat(Math.max(0, bytes - text.length - 14))}"`;
  return text.replace('"object":{', `"object":{${pad},`);
}
