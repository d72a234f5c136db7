/** Exec credential plugins (client.authentication.k8s.io), as client-go runs them. */
import { type ChildProcess, spawn } from "node:child_process";
import { PermissionError } from "../../domain/errors";
import { asArray, asString, getOwn, isObject, type Json, parseJson } from "../../domain/values";
import { deadline } from "../../run/ports";
import { readText } from "../files";
import {
  bearer,
  type Credential,
  type CredentialContext,
  type CredentialSource,
  type Issued,
  KeptCredential,
} from "./credentials";

const outputLimit = 1024 * 1024;

/** Runs the plugin when a credential is needed and keeps it until it expires or is refused. */
export class ExecPlugin implements CredentialSource {
  private readonly kept: KeptCredential;
  private child: ChildProcess | undefined;

  constructor(
    private readonly site: CredentialContext,
    private readonly spec: Json,
  ) {
    this.kept = new KeptCredential(() => this.ask(), site.clock);
  }

  get(): Promise<Credential> {
    return this.kept.get();
  }

  refused(): boolean {
    this.kept.forget();
    return true;
  }

  close(): void {
    if (this.child !== undefined) abandon(this.child, "SIGTERM");
  }

  private async ask(): Promise<Issued> {
    const status = getOwn(this.parsed(await this.output()), "status");
    const token = asString(getOwn(status, "token"));
    const cert = asString(getOwn(status, "clientCertificateData"));
    const key = asString(getOwn(status, "clientKeyData"));
    const pair = cert === undefined || key === undefined ? undefined : { cert, key };
    if (token === undefined && pair === undefined) throw this.failed("gave no credential");
    const expires = Date.parse(asString(getOwn(status, "expirationTimestamp")) ?? "");
    return {
      credential: {
        authorization: token && bearer(token),
        pair,
      },
      expires: Number.isNaN(expires) ? Infinity : expires,
    };
  }

  /** The parser's own error is dropped: it quotes the output, which is the credential. */
  private parsed(output: string): Json {
    const answer = parseJson(output);
    const wanted = getOwn(this.spec, "apiVersion");
    if (!isObject(answer) || getOwn(answer, "kind") !== "ExecCredential") {
      throw this.failed("printed no ExecCredential");
    }
    if (getOwn(answer, "apiVersion") === wanted) return answer;
    throw this.failed("answered in another apiVersion than the kubeconfig asks for");
  }

  private output(): Promise<string> {
    const { stdin, stderr } = process;
    const mode = getOwn(this.spec, "interactiveMode");
    const { silent = false } = this.site;
    const interactive = mode !== "Never" && stdin.isTTY && !silent;
    if (mode === "Always" && !interactive) throw this.failed("needs a terminal");
    const args = asArray(getOwn(this.spec, "args")).map(String);
    return new Promise((resolve, reject) => {
      const child = spawn(this.command(), args, {
        env: this.environment(interactive),
        stdio: [
          interactive ? "inherit" : "ignore",
          "pipe",
          stderr.isTTY && !silent ? "inherit" : "ignore",
        ],
        // without a terminal of its own it cannot open one to ask on
        detached: silent && process.platform !== "win32",
        windowsHide: true,
      });
      this.child = child;
      const { clock, timeoutMs } = this.site;
      const inTime = deadline(clock, timeoutMs, () => {
        reject(this.failed(`did not end within ${timeoutMs / 1000} s`));
        abandon(child, "SIGKILL");
      });
      const chunks: Buffer[] = [];
      let size = 0;
      child.stdout.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > outputLimit) child.kill();
        else chunks.push(chunk);
      });
      child.on("error", (error: NodeJS.ErrnoException) => {
        inTime();
        const missing = error.code === "ENOENT";
        reject(this.failed(missing ? "was not found" : `could not be run (${error.code ?? ""})`));
      });
      child.on("close", (code, signal) => {
        inTime();
        if (code === 0) resolve(Buffer.concat(chunks).toString("utf8"));
        else reject(this.failed(`ended with ${signal ?? `exit code ${code ?? ""}`}`));
      });
    });
  }

  private command(): string {
    const command = asString(getOwn(this.spec, "command"));
    if (command === undefined) throw this.failed("has no command");
    return command;
  }

  private environment(interactive: boolean): NodeJS.ProcessEnv {
    const given = asArray(getOwn(this.spec, "env")).map((entry) => [
      String(getOwn(entry, "name")),
      String(getOwn(entry, "value")),
    ]);
    const cluster =
      getOwn(this.spec, "provideClusterInfo") === true ? this.clusterInfo() : undefined;
    const info = {
      kind: "ExecCredential",
      apiVersion: getOwn(this.spec, "apiVersion"),
      spec: { cluster, interactive },
    };
    return {
      ...this.site.env,
      ...(Object.fromEntries(given) as NodeJS.ProcessEnv),
      KUBERNETES_EXEC_INFO: JSON.stringify(info),
    };
  }

  private clusterInfo(): Json {
    const { base, cluster } = this.site.target;
    const ca = cluster.caData ?? encoded(cluster.caFile);
    return {
      server: base.href.replace(/\/$/, ""),
      "tls-server-name": cluster.tlsServerName,
      "insecure-skip-tls-verify": cluster.insecure,
      "certificate-authority-data": ca,
      "proxy-url": cluster.proxyUrl,
      config: cluster.execConfig,
    };
  }

  private failed(how: string): PermissionError {
    const command = asString(getOwn(this.spec, "command")) ?? "";
    const { userName } = this.site.target;
    return new PermissionError(`the exec credential plugin ${command} of ${userName} ${how}`, {
      hint: asString(getOwn(this.spec, "installHint")) ?? `run ${command} by hand to see why`,
    });
  }
}

/** Ends it; what it has started itself may hold its output open, which nobody waits for. */
function abandon(child: ChildProcess, signal: NodeJS.Signals): void {
  child.kill(signal);
  child.stdout?.destroy();
  child.unref();
}

function encoded(file: string | undefined): string | undefined {
  const read = file === undefined ? undefined : readText(file);
  if (read === undefined || !("text" in read)) return undefined;
  return Buffer.from(read.text).toString("base64");
}
