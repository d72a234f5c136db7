/**
 * The yardstick: node's own https server that parses the whole review and judges it by the rules, without
 * log, metrics, limits, live reads or rotation of its pair.
 */
import { createServer } from "node:https";
import { answer, listenPort, type Review, serverOptions } from "./same-rules";

createServer(serverOptions, (request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const text = Buffer.concat(chunks).toString();
    const body = text === "" ? "" : JSON.stringify(answer(JSON.parse(text) as Review));
    response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    });
    response.end(body);
  });
}).listen(listenPort, "127.0.0.1");
