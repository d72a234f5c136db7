/** The yardstick: node's own https server that parses a review and allows it, and nothing else. */
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";

interface Review {
  readonly apiVersion: string;
  readonly request: { readonly uid: string };
}

const [port = "", dir = ""] = process.argv.slice(2);
// Kept connections wait while the others have their turn.
const options = {
  keepAliveTimeout: 600_000,
  cert: readFileSync(join(dir, "cert")),
  key: readFileSync(join(dir, "privateKey")),
};

createServer(options, (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const review = JSON.parse(Buffer.concat(chunks).toString()) as Review;
    const body = JSON.stringify({
      apiVersion: review.apiVersion,
      kind: "AdmissionReview",
      response: { uid: review.request.uid, allowed: true },
    });
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    });
    response.end(body);
  });
}).listen(Number(port), "127.0.0.1");
