/** Reads an uploaded file: one part of a form, of a limited size (S95). */
import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { Busboy } from "@fastify/busboy";
import type { Names } from "../../domain/names";
import { ApiRefusal, malformed } from "./refusal";

/** What is read of a form. */
interface Form {
  readonly files: ReadonlyMap<string, Buffer>;
  /** Names of the parts that are no files. */
  readonly others: readonly string[];
  readonly tooLarge: boolean;
}

/** The one file of the form, under the name of the specification. */
export async function readUpload(
  request: IncomingMessage,
  names: Names,
  limit: number,
): Promise<Buffer> {
  const { noModule, invalidModule } = names.restErrors;
  const field = names.restModuleFields.file;
  const type = request.headers["content-type"] ?? "";
  if (!/^multipart\/form-data\b/i.test(type)) {
    request.resume();
    throw malformed([`the body is no form with a file field ${field}`], noModule);
  }
  const { files, others, tooLarge } = await readForm(request, { type, limit });
  if (tooLarge) throw new ApiRefusal(413, "too_large", `the file is larger than ${limit} bytes`);
  const file = files.get(field);
  if (file === undefined) throw malformed([`the form has no file field ${field}`], noModule);
  const strange = [...others, ...[...files.keys()].filter((name) => name !== field)];
  if (strange.length > 0) {
    throw malformed(
      [`the form has more than the file ${field}: ${strange.join(", ")}`],
      invalidModule,
    );
  }
  return file;
}

async function readForm(
  request: IncomingMessage,
  { type, limit }: { readonly type: string; readonly limit: number },
): Promise<Form> {
  const files = new Map<string, Buffer>();
  const others: string[] = [];
  let tooLarge = false;
  try {
    const parser = new Busboy({
      headers: { ...request.headers, "content-type": type },
      limits: { fileSize: limit, files: 4, fields: 16, parts: 20 },
    });
    await new Promise<void>((resolve, reject) => {
      parser.on("file", (name: string, stream: Readable) => {
        const chunks: Buffer[] = [];
        stream.on("data", (chunk: Buffer) => chunks.push(chunk));
        stream.on("limit", () => (tooLarge = true));
        stream.on("end", () => files.set(name, Buffer.concat(chunks)));
        stream.on("error", reject);
      });
      parser.on("field", (name: string) => others.push(name));
      parser.on("error", reject);
      parser.on("finish", resolve);
      request.on("aborted", () => {
        reject(new Error("the client went away"));
      });
      request.pipe(parser);
    });
  } catch {
    request.unpipe();
    request.resume();
    throw malformed(["the form is broken"]);
  }
  return { files, others, tooLarge };
}
