/**
 * A socket through a SOCKS5 proxy. The library is imported here by name and this file when it is needed:
 * what a bundle imports of a CommonJS package at run time has no names.
 */
import type { Socket } from "node:net";
import { SocksClient } from "socks";

/** Where a tunnel ends, and what ends the attempt. */
export interface TunnelEnd {
  readonly host: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

/** A proxy, and whom it is asked as: nobody without a user name. */
interface SocksProxy {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
}

/** Rejects with what the library says. */
export function openSocks(proxy: SocksProxy, { host, port, signal }: TunnelEnd): Promise<Socket> {
  const { username, password, ...at } = proxy;
  const client = new SocksClient({
    command: "connect",
    destination: { host, port },
    proxy: {
      ...at,
      type: 5,
      ...(username !== "" && { userId: username, password }),
    },
  });
  return new Promise<Socket>((resolve, reject) => {
    const giveUp = (): void => {
      reject(new Error("given up"));
    };
    signal.addEventListener("abort", giveUp);
    client.on("established", ({ socket }) => {
      signal.removeEventListener("abort", giveUp);
      resolve(socket);
    });
    client.on("error", reject);
    client.connect();
  });
}
