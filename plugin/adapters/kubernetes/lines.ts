/** A stream of bytes, line by line. */

const newline = 0x0a;

/** Lines of UTF-8 without their ends; empty ones are left out. Bytes are joined before decoding. */
export async function* linesOf(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      begun.push(chunk.subarray(from, end));
      const line = Buffer.concat(begun).toString("utf8");
      begun = [];
      from = end + 1;
      if (line !== "") yield line;
    }
    begun.push(chunk.subarray(from));
  }
  const last = Buffer.concat(begun).toString("utf8");
  if (last !== "") yield last;
}
