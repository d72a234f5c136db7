import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface User {
  readonly name: string;
  readonly groups?: readonly string[];
}

/** The admin may do everything; the others hold no right until a test grants them some. */
export const defaultUsers: readonly User[] = [
  { name: "admin", groups: ["system:masters"] },
  { name: "restricted" },
  { name: "viewer" },
  { name: "editor" },
];

export interface KubeconfigOptions {
  readonly user: string;
  readonly server: string;
  /** Certificate authority in PEM; an empty one leaves the field out. */
  readonly ca: string;
  readonly token: string;
  readonly namespace?: string;
}

/** Users known to the server by static tokens, made anew for each control plane. */
export class Users {
  private readonly tokens = new Map<string, string>();

  constructor(
    private readonly users: readonly User[],
    private readonly dir: string,
  ) {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    users.forEach(({ name }) => this.tokens.set(name, randomBytes(24).toString("hex")));
  }

  tokenOf(user: string): string {
    const token = this.tokens.get(user);
    if (token === undefined) {
      const known = [...this.tokens.keys()].join(", ");
      throw new Error(`no user ${user} was declared when the control plane was started (${known})`);
    }
    return token;
  }

  /** The file that kube-apiserver reads: one line a user, groups in quotes. */
  writeTokenFile(): string {
    const file = join(this.dir, "tokens.csv");
    const lines = this.users.map(({ name, groups = [] }) => {
      const fields = [this.tokenOf(name), name, name];
      return [...fields, ...(groups.length > 0 ? [`"${groups.join(",")}"`] : [])].join(",");
    });
    writeFileSync(file, `${lines.join("\n")}\n`, { mode: 0o600 });
    return file;
  }

  writeKubeconfig(options: Omit<KubeconfigOptions, "token">): string {
    const port = new URL(options.server).port;
    const parts = [options.user, port, options.namespace].filter((part) => part !== undefined);
    // a colon, as in the names of service accounts, would end a path in KUBECONFIG
    const file = join(this.dir, `${parts.join("-").replaceAll(":", "-")}.kubeconfig`);
    const config = kubeconfig({ ...options, token: this.tokenOf(options.user) });
    writeFileSync(file, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 });
    return file;
  }
}

/** A kubeconfig as data (JSON is YAML); tests spoil single fields of it. */
export function kubeconfig({ user, server, ca, token, namespace }: KubeconfigOptions): object {
  const name = "control-plane";
  const authority = Buffer.from(ca).toString("base64");
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [
      { name, cluster: { server, ...(ca ? { "certificate-authority-data": authority } : {}) } },
    ],
    users: [{ name: user, user: { token } }],
    contexts: [
      { name, context: { cluster: name, user, ...(namespace === undefined ? {} : { namespace }) } },
    ],
    "current-context": name,
  };
}
