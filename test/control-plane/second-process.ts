/** A process of its own beside a test, which tells in lines of JSON what it sees; and its way to the API server. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ControlPlane } from "./control-plane";

export interface SecondProcess<T> {
  /** All that it has told so far; more comes. */
  readonly told: T[];
  /** Gives it a line. */
  readonly say: (line: object) => void;
  /** Tells it that no more comes, and waits for its end. */
  readonly stop: () => Promise<void>;
}

/** Starts a program of this folder, which ends with its stdin. */
export function startProcess<T>(program: string): SecondProcess<T> {
  const args = ["--import", require.resolve("tsx"), join(__dirname, program)];
  const child = spawn(process.execPath, args, {
    stdio: ["pipe", "pipe", "inherit"],
    cwd: __dirname,
    env: { PATH: process.env["PATH"] ?? "" },
  });
  const told: T[] = [];
  const ended = once(child, "exit");
  createInterface({ input: child.stdout }).on("line", (line) => {
    told.push(JSON.parse(line) as T);
  });
  return {
    told,
    say: (line) => {
      child.stdin.write(`${JSON.stringify(line)}\n`);
    },
    stop: async () => {
      child.stdin.end();
      await ended;
    },
  };
}

/** Where the API server is, and what it knows a user by. */
export interface Connection {
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  readonly token: string;
}

/** The connection of a user of the control plane. */
export function connectionOf(controlPlane: ControlPlane, user: string): Connection {
  const { clusters, users } = JSON.parse(
    readFileSync(controlPlane.kubeconfigFor(user), "utf8"),
  ) as {
    readonly clusters: readonly [{ readonly cluster: Readonly<Record<string, string>> }];
    readonly users: readonly [{ readonly user: { readonly token: string } }];
  };
  const [{ cluster }] = clusters;
  return {
    url: cluster["server"] ?? "",
    ca: Buffer.from(cluster["certificate-authority-data"] ?? "", "base64").toString("utf8"),
    token: users[0].user.token,
  };
}
