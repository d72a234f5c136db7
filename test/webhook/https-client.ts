/** A caller over real HTTPS. */
import { type Agent, request } from "node:https";
import { type IncomingHttpHeaders, request as httpRequest } from "node:http";
import type { PemPair } from "../support/tls";

export interface Call {
  readonly port: number;
  /** Absent: plain http. */
  readonly ca?: string;
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Several parts are sent chunked. */
  readonly body?: string | Buffer | readonly (string | Buffer)[];
  readonly agent?: Agent;
  /** Whose certificate is shown; nobody's without it. */
  readonly as?: PemPair | undefined;
  /** Ends the call with an error. */
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
}

/** Sends a request and reads the whole answer; JSON is parsed. */
export function call({ port, ca, body = "", agent, signal, as, ...head }: Call): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, agent: agent ?? false, ...head, signal } as const;
    const identity = as && { cert: as.certPem, key: as.keyPem };
    const sent = ca === undefined ? httpRequest(options) : request({ ...options, ca, ...identity });
    sent.on("error", reject);
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const json = response.headers["content-type"]?.startsWith("application/json") === true;
        const { statusCode: status, headers } = response;
        resolve({ status, headers, body: json ? (JSON.parse(text) as unknown) : text });
      });
    });
    if (typeof body === "string" || Buffer.isBuffer(body)) {
      sent.end(body);
    } else {
      for (const part of body) sent.write(part);
      sent.end();
    }
  });
}
