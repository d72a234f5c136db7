/** A socket through a proxy: CONNECT for http and https proxies, SOCKS5. */
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { BlockList, isIP, isIPv6, type Socket } from "node:net";
import { failureWords } from "./answer";
import { checkServerIdentity, type ConnectionOptions } from "node:tls";
import type { TunnelEnd } from "./socks";
import { UsageError } from "../../domain/base/errors";
import { asString } from "../../domain/base/values";

/** The proxy gave no tunnel; the server itself was never spoken to. The message says why in words. */
export class ProxyError extends Error {
  readonly proxy: Proxy;

  constructor(proxy: Proxy, problem: string, cause?: unknown) {
    super(failureWords[problem] ?? problem, { cause });
    this.name = "ProxyError";
    this.proxy = proxy;
  }
}

/**
 * What opens tunnels to a server, rejecting with a ProxyError; undefined where no proxy is. The roots are
 * what the certificate of an https proxy has to fit.
 */
export function tunnelTo(
  base: URL,
  proxy: Proxy | undefined,
  roots: () => string | undefined,
): ((signal: AbortSignal) => Promise<Socket>) | undefined {
  if (proxy === undefined) return undefined;
  const isSocks = proxy.url.protocol.startsWith("socks");
  return (signal) => {
    const end = { host: readHost(base), port: readPort(base), signal };
    return isSocks
      ? socksTunnel(proxy, end)
      : httpTunnel(proxy, end, proxy.url.protocol === "https:" ? roots() : undefined);
  };
}

function httpTunnel(
  proxy: Proxy,
  { host, port, signal }: TunnelEnd,
  roots: string | undefined,
): Promise<Socket> {
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const { username, password } = proxy.url;
  const login = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const request = proxy.url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const connect = request({
      method: "CONNECT",
      host: readHost(proxy.url),
      port: readPort(proxy.url),
      path: authority,
      agent: false,
      ...verifyPeer(roots),
      // else Node takes the name of the Host header, which is that of the tunnel's end
      servername: isIP(readHost(proxy.url)) === 0 ? readHost(proxy.url) : "",
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

async function socksTunnel(proxy: Proxy, end: TunnelEnd): Promise<Socket> {
  const { openSocks } = await import("./socks.ts");
  try {
    const { username, password } = proxy.url;
    const login = {
      username: decodeURIComponent(username),
      password: decodeURIComponent(password),
    };
    return await openSocks({ host: readHost(proxy.url), port: readPort(proxy.url), ...login }, end);
  } catch (error) {
    throw new ProxyError(proxy, "it gave no SOCKS5 connection", error);
  }
}

/**
 * Options of connections that are verified: said, for else NODE_TLS_REJECT_UNAUTHORIZED decides.
 * Without a CA Node's own list counts; without names the certificate is for the host.
 */
export function verifyPeer(ca?: string, names: readonly string[] = []): ConnectionOptions {
  return { ...(ca !== undefined && { ca }), rejectUnauthorized: true, ...verifyOneOf(names) };
}

/** Any of these names will do for the certificate; one that can be SNI is asked for as such. */
function verifyOneOf(names: readonly string[]): ConnectionOptions {
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

/** A proxy on the way to a server. */
export interface Proxy {
  readonly url: URL;
  /** Its address without the login that the URL may hold. */
  readonly shown: string;
  /** The setting that names it, for hints. */
  readonly setting: string;
}

const schemes = ["http:", "https:", "socks5:", "socks5h:"];

/** The proxy of a kubeconfig's proxy-url always counts; the environment's unless NO_PROXY says no. */
export function proxyFor(base: URL, env: NodeJS.ProcessEnv, proxyUrl?: string): Proxy | undefined {
  if (proxyUrl !== undefined) return parseProxy(proxyUrl, "proxy-url");
  const setting = base.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const named = variable(env, setting);
  if (named === undefined || goesDirect(base, variable(env, "NO_PROXY") ?? "")) return undefined;
  return parseProxy(named.includes("://") ? named : `http://${named}`, setting);
}

function variable(env: NodeJS.ProcessEnv, name: string): string | undefined {
  return asString(env[name]) ?? asString(env[name.toLowerCase()]);
}

function parseProxy(named: string, setting: string): Proxy {
  const url = URL.canParse(named) ? new URL(named) : undefined;
  if (url === undefined || !schemes.includes(url.protocol) || url.hostname === "") {
    throw new UsageError(`${setting} names no proxy: an http, https or socks5 URL is needed`);
  }
  return { url, shown: `${url.protocol}//${url.host}`, setting };
}

/** The host of a URL without the brackets of IPv6. */
export function readHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** The port of a URL, the scheme's own where none is written. */
export function readPort(url: URL): number {
  const usual: Readonly<Record<string, number>> = { "https:": 443, "http:": 80 };
  return url.port === "" ? (usual[url.protocol] ?? 1080) : Number(url.port);
}

/** True when NO_PROXY, or being on this machine, rules the proxy out. */
export function goesDirect(base: URL, noProxy: string): boolean {
  const host = readHost(base).toLowerCase();
  if (host === "localhost" || loopback.check(host, isIPv6(host) ? "ipv6" : "ipv4")) return true;
  const entries = noProxy.split(",").map((entry) => entry.trim().toLowerCase());
  return entries.some((entry) => entry !== "" && covers(entry, host, readPort(base)));
}

const loopback = new BlockList();
loopback.addSubnet("127.0.0.0", 8, "ipv4");
loopback.addAddress("::1", "ipv6");

function covers(entry: string, host: string, port: number): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return inSubnet(entry, host);
  const { name, only } = split(entry);
  if (only !== undefined && only !== port) return false;
  if (isIP(name) !== 0 || isIP(host) !== 0) return same(name, host);
  const domain = name.replace(/^\*\./, ".");
  return domain.startsWith(".") ? host.endsWith(domain) : within(host, domain);
}

function within(host: string, domain: string): boolean {
  return domain !== "" && (host === domain || host.endsWith(`.${domain}`));
}

/** `name`, `name:port`, `[::1]:port`; a bare IPv6 address has colons but no port. */
function split(entry: string): { readonly name: string; readonly only: number | undefined } {
  if (isIP(entry) !== 0) return { name: entry, only: undefined };
  const [, name = "", only] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  return { name: name.replace(/^\[|\]$/g, ""), only: only === undefined ? only : Number(only) };
}

/** Addresses may be spelled differently: compared as addresses. */
function same(one: string, other: string): boolean {
  return isIP(one) !== 0 && inSubnet(`${one}/${isIPv6(one) ? 128 : 32}`, other);
}

function inSubnet(subnet: string, host: string): boolean {
  const [address = "", bits = ""] = subnet.split("/");
  const family = isIPv6(address) ? "ipv6" : "ipv4";
  const widest = family === "ipv6" ? 128 : 32;
  if (isIP(address) === 0 || isIP(host) === 0 || !/^\d+$/.test(bits) || Number(bits) > widest) {
    return false;
  }
  const list = new BlockList();
  list.addSubnet(address, Number(bits), family);
  return list.check(host, isIPv6(host) ? "ipv6" : "ipv4");
}
