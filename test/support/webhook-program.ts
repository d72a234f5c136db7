/** The webhook as a program of its own, without a build: for tests that let a rehearsal start it. */
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { aFolder } from "./a-folder";
import { bundled } from "./bundled";

/** A program, and what its one run had. */
export interface WebhookProgram {
  readonly file: string;
  /** Process id and folder of the pair of the latest run. */
  lastRun(): { readonly pid: number; readonly tlsDir: string };
}

/** The real webhook. */
export function aWebhookProgram(): WebhookProgram {
  return program(`require(${JSON.stringify(bundled("webhook/main.ts"))});`);
}

/** A webhook that lets everything pass, whatever is asked. */
export function aLenientWebhook(): WebhookProgram {
  return program(`
    const { createServer } = require("node:https");
    const { readFileSync } = require("node:fs");
    const item = (name) => readFileSync(process.env.ENGINE_WEBHOOK_TLS_DIR + "/" + name);
    const server = createServer({ cert: item("cert"), key: item("privateKey") }, (asked, answer) => {
      let body = "";
      asked.on("data", (part) => (body += part));
      asked.on("end", () => {
        const { apiVersion, kind, request } = JSON.parse(body);
        answer.setHeader("content-type", "application/json");
        answer.end(JSON.stringify({ apiVersion, kind, response: { uid: request.uid, allowed: true } }));
      });
    });
    process.on("SIGTERM", () => process.exit(0));
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      for (const message of ["listening", "ready"]) console.log(JSON.stringify({ message, port }));
    });`);
}

function program(body: string): WebhookProgram {
  const folder = aFolder("webhook");
  const file = join(folder, "engine-webhook");
  const notes = join(folder, "run.json");
  const note = `{ pid: process.pid, tlsDir: process.env.ENGINE_WEBHOOK_TLS_DIR }`;
  writeFileSync(
    file,
    `#!/usr/bin/env node\nrequire("node:fs").writeFileSync(${JSON.stringify(notes)}, JSON.stringify(${note}));\n${body}\n`,
  );
  chmodSync(file, 0o755);
  return {
    file,
    lastRun: () => JSON.parse(readFileSync(notes, "utf8")) as ReturnType<WebhookProgram["lastRun"]>,
  };
}
