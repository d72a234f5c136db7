/** A socket through a proxy: CONNECT for http and https proxies, SOCKS5. */
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP, type Socket } from "node:net";
import { words } from "./answer";
import { hostOf, portOf, type Proxy } from "./proxy";
import { checkServerIdentity, type ConnectionOptions } from "node:tls";
import { readText } from "../files";

/** Where a tunnel ends, and what ends the attempt. */
interface TunnelEnd {
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

/** The proxy gave no tunnel; the server itself was never spoken to. The message says why in words. */
export class ProxyError extends Error {
  readonly proxy: Proxy;

  constructor(proxy: Proxy, problem: string, cause?: unknown) {
    super(words[problem] ?? problem, { cause });
    this.name = "ProxyError";
    this.proxy = proxy;
  }
}

/** What opens tunnels to a server, rejecting with a ProxyError; undefined where no proxy is. */
export function tunnelTo(
  base: URL,
  proxy: Proxy | undefined,
): ((signal: AbortSignal) => Promise<Socket>) | undefined {
  if (proxy === undefined) return undefined;
  const open = proxy.url.protocol.startsWith("socks") ? socksTunnel : httpTunnel;
  return (signal) => open(proxy, { host: hostOf(base), port: portOf(base), signal });
}

function httpTunnel(proxy: Proxy, { host, port, signal }: TunnelEnd): Promise<Socket> {
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const { username, password } = proxy.url;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const request = proxy.url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const connect = request({
      method: "CONNECT",
      host: hostOf(proxy.url),
      port: portOf(proxy.url),
      path: authority,
      agent: false,
      ...verified(),
      signal,
      headers: {
        host: authority,
        ...(login !== ":" && {
          "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}`,
        }),
      },
    });
    connect.on("error", (error: NodeJS.ErrnoException) => {
      reject(new ProxyError(proxy, error.code ?? "it cannot be reached", error));
    });
    connect.on("connect", (response, socket: Socket) => {
      if (response.statusCode === 200) resolve(socket);
      else {
        socket.destroy();
        reject(new ProxyError(proxy, `it answered ${response.statusCode ?? "nothing"}`));
      }
    });
    connect.end();
  });
}

async function socksTunnel(proxy: Proxy, { host, port, signal }: TunnelEnd): Promise<Socket> {
  const { SocksClient } = await import("socks");
  const { username, password } = proxy.url;
  try {
    const client = new SocksClient({
      command: "connect",
      destination: { host, port },
      proxy: {
        host: hostOf(proxy.url),
        port: portOf(proxy.url),
        type: 5,
        ...(username !== "" && {
          userId: decodeURIComponent(username),
          password: decodeURIComponent(password),
        }),
      },
    });
    return await new Promise<Socket>((resolve, reject) => {
      const givenUp = (): void => {
        reject(new Error("given up"));
      };
      signal.addEventListener("abort", givenUp);
      client.on("established", ({ socket }) => {
        signal.removeEventListener("abort", givenUp);
        resolve(socket);
      });
      client.on("error", reject);
      client.connect();
    });
  } catch (error) {
    throw new ProxyError(proxy, "it gave no SOCKS5 connection", error);
  }
}

/**
 * Options of connections that are verified: said, for else NODE_TLS_REJECT_UNAUTHORIZED decides.
 * Without a CA Node's own list counts; without names the certificate is for the host.
 */
export function verified(ca?: string, names: readonly string[] = []): ConnectionOptions {
  return { ...(ca !== undefined && { ca }), rejectUnauthorized: true, ...forOneOf(names) };
}

/** Any of these names will do for the certificate; one that can be SNI is asked for as such. */
function forOneOf(names: readonly string[]): ConnectionOptions {
  const [first, ...others] = names;
  if (first === undefined) return {};
  if (others.length === 0 && isIP(first) === 0) return { servername: first };
  return {
    checkServerIdentity: (_host, certificate) => {
      const problems = names.map((name) => checkServerIdentity(name, certificate));
      return problems.includes(undefined) ? undefined : problems[0];
    },
  };
}

const bundles = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/** What this machine trusts, as kubectl does without a CA; Node's own list is another. */
export function systemRoots(env: NodeJS.ProcessEnv): string | undefined {
  const named = env["SSL_CERT_FILE"] ?? "";
  for (const file of named === "" ? bundles : [named]) {
    const read = readText(file);
    if ("text" in read) return read.text;
  }
  return undefined;
}
