/** Exec credential plugins (client.authentication.k8s.io), as client-go runs them. */
import { type ChildProcess, spawn } from "node:child_process";
import { isatty } from "node:tty";
import { InputError, PermissionError } from "../../domain/base/errors";
import { secretsIn } from "../../domain/base/redact";
import { asArray, asString, getOwn, isObject, type Json } from "../../domain/base/values";
import { deadline } from "../../ports/kubernetes";
import { closeAtExit, endGroup, LastWords } from "../child";
import { firstDocument } from "./text/documents";
import { readText } from "../files";
import { inlineYaml } from "./text/yaml";
import type { ClientPair } from "../http/agents";
import { oneLine } from "../http/answer";
import {
  bearer,
  type Credential,
  type CredentialContext,
  type CredentialSource,
  type Issued,
  KeptCredential,
} from "./credentials";
import { tlsProblem } from "./pem";

const outputLimit = 1024 * 1024;
/** Characters of the output that are kept out of what it says. */
const searchedOutput = 64 * 1024;
/** Those that kubectl knows. */
const apiVersions = [
  "client.authentication.k8s.io/v1",
  "client.authentication.k8s.io/v1beta1",
] as const;

/**
 * Logins that failed in this process: a person is not asked twice in one run. A renewal that fails once may
 * succeed later: a rollback must not end for it. One that ran out of time is not begun again either.
 */
const failedLogins = new Map<string, Error>();

/** Runs the plugin when a credential is needed and keeps it until it expires or is refused. */
export class ExecPlugin implements CredentialSource {
  private readonly kept: KeptCredential;
  private readonly key: string;
  private child: ChildProcess | undefined;
  private isClosed = false;
  private hasWorked = false;
  private isLate = false;
  /** What its last run said of itself, as far as that was not passed on. */
  private words = "";

  constructor(
    private readonly site: CredentialContext,
    private readonly spec: Json,
  ) {
    this.kept = new KeptCredential(() => this.ask(), site.clock);
    this.key = JSON.stringify([site.target.userName, spec]);
    const version = getOwn(spec, "apiVersion");
    if (apiVersions.some((known) => known === version)) return;
    const named = version === undefined ? "no apiVersion" : `the apiVersion ${inlineYaml(version)}`;
    throw new InputError(
      `the exec credential plugin ${asString(getOwn(spec, "command")) ?? ""} of ${site.target.userName} has ${named}: ${apiVersions.join(" or ")} is needed`,
    );
  }

  get(): Promise<Credential> {
    return this.kept.get();
  }

  refused(used: Credential): boolean {
    return this.kept.refused(used);
  }

  accepted(used: Credential): void {
    this.hasWorked = true;
    this.kept.accepted(used);
  }

  close(): void {
    this.isClosed = true;
    if (this.child !== undefined) endGroup(this.child, this.site.clock);
  }

  private async ask(): Promise<Issued> {
    const failed = failedLogins.get(this.key);
    if (failed !== undefined) throw failed;
    try {
      return await this.run();
    } catch (error) {
      const isFinal = this.isLate || !this.hasWorked;
      // one that was ended with its connection has not failed
      if (isFinal && !this.isClosed && error instanceof Error) failedLogins.set(this.key, error);
      throw error;
    }
  }

  private async run(): Promise<Issued> {
    const status = getOwn(this.parse(await this.output()), "status");
    const token = asString(getOwn(status, "token"));
    const expires = Date.parse(asString(getOwn(status, "expirationTimestamp")) ?? "");
    const pair = this.readPair(status);
    if (token === undefined && pair === undefined) throw this.explainFailure("gave no credential");
    return {
      credential: { authorization: token && bearer(token), pair },
      expires: Number.isNaN(expires) ? Infinity : expires,
    };
  }

  private readPair(status: unknown): ClientPair | undefined {
    const cert = asString(getOwn(status, "clientCertificateData"));
    const key = asString(getOwn(status, "clientKeyData"));
    if (cert === undefined && key === undefined) return undefined;
    if (cert === undefined || key === undefined) {
      const half =
        cert === undefined ? "a key without its certificate" : "a certificate without its key";
      throw this.explainFailure(`gave ${half}`);
    }
    const problem = tlsProblem({ cert, key });
    if (problem === undefined) return { cert, key };
    throw this.explainFailure(`gave a certificate and key that cannot be used${problem}`);
  }

  /** JSON or YAML; the reader's own problems are dropped: they quote the output, which is the credential. */
  private parse(output: string): Json {
    const document = firstDocument(output);
    const answer = document !== undefined && "value" in document ? document.value : undefined;
    if (!isObject(answer) || getOwn(answer, "kind") !== "ExecCredential") {
      throw this.explainFailure("printed no ExecCredential");
    }
    const [wanted, given] = [getOwn(this.spec, "apiVersion"), getOwn(answer, "apiVersion")];
    if (given === wanted) return answer;
    const version = oneLine(String(given), 80);
    throw this.explainFailure(
      `answered in ${version}, but the kubeconfig asks for ${String(wanted)}`,
    );
  }

  private output(): Promise<string> {
    const { stdin, stderr } = process;
    const mode = getOwn(this.spec, "interactiveMode");
    const { silent = false, isDocument = false } = this.site;
    const interactive = mode !== "Never" && stdin.isTTY && !silent;
    if (mode === "Always" && !interactive) throw this.explainFailure("needs a terminal");
    const args = asArray(getOwn(this.spec, "args")).map(String);
    return new Promise((resolve, reject) => {
      const child = spawn(this.command(), args, {
        env: this.environment(interactive),
        stdio: [
          interactive ? "inherit" : "ignore",
          "pipe",
          // as kubectl passes it on; where nobody reads along, it is told in the error
          silent || (isDocument && !stderr.isTTY) ? "pipe" : "inherit",
        ],
        // in a session of its own it cannot open the terminal to ask a person on it, and can be ended with
        // what it has started
        detached: (silent || !hasTerminal()) && process.platform !== "win32",
        windowsHide: true,
      });
      this.child = child;
      const { clock, loginMs } = this.site;
      const inTime = deadline(clock, loginMs, () => {
        this.isLate = true;
        reject(this.explainLate(loginMs));
        endGroup(child, clock);
      });
      closeAtExit(child);
      const words = new LastWords();
      child.stderr?.on("data", words.add);
      const chunks: Buffer[] = [];
      let size = 0;
      child.stdout?.on("data", (chunk: Buffer) => {
        size += chunk.length;
        if (size > outputLimit) child.kill();
        else chunks.push(chunk);
      });
      child.on("error", (error: NodeJS.ErrnoException) => {
        inTime();
        const missing = error.code === "ENOENT";
        reject(
          this.explainFailure(missing ? "was not found" : `could not be run (${error.code ?? ""})`),
        );
      });
      child.on("close", (code, signal) => {
        inTime();
        const output = Buffer.concat(chunks).toString("utf8");
        this.words = words.isEmpty ? "" : words.describe(this.secrets(output));
        if (code === 0) resolve(output);
        else reject(this.explainFailure(`ended with ${signal ?? `exit code ${code ?? ""}`}`));
      });
    });
  }

  private command(): string {
    const command = asString(getOwn(this.spec, "command"));
    if (command === undefined) throw this.explainFailure("has no command");
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
    const ca = cluster.caData ?? encodeFile(cluster.caFile);
    return {
      server: base.href.replace(/\/$/, ""),
      "tls-server-name": cluster.tlsServerName,
      "insecure-skip-tls-verify": cluster.insecure,
      "certificate-authority-data": ca,
      "proxy-url": cluster.proxyUrl,
      config: cluster.execConfig,
    };
  }

  /** What is no word for an error: its output, and what it was given in secret. */
  private secrets(output: string): readonly string[] {
    const given = asArray(getOwn(this.spec, "env")).map((entry): [string, unknown] => [
      String(getOwn(entry, "name")),
      getOwn(entry, "value"),
    ]);
    const printed = output
      .slice(0, searchedOutput)
      .split(/[\s"',]+/)
      .filter((word) => word.length >= 8);
    return [...printed, ...secretsIn(Object.fromEntries(given))];
  }

  private explainFailure(how: string, hint?: string): PermissionError {
    const command = asString(getOwn(this.spec, "command")) ?? "";
    const { userName } = this.site.target;
    const said = this.words === "" ? "" : `: ${this.words}`;
    const usual = asString(getOwn(this.spec, "installHint")) ?? `run ${command} by hand to see why`;
    return new PermissionError(
      `the exec credential plugin ${command} of ${userName} ${how}${said}`,
      { hint: hint ?? usual },
    );
  }

  private explainLate(ms: number): PermissionError {
    const command = asString(getOwn(this.spec, "command")) ?? "";
    return this.explainFailure(
      `did not end within ${ms / 1000} s`,
      `log in with ${command} by hand, then run the same command again; --timeout gives a login more time`,
    );
  }
}

/** Whether a person may be there: a plugin may open the terminal whatever its own streams are. */
function hasTerminal(): boolean {
  return [0, 1, 2].some((descriptor) => isatty(descriptor));
}

function encodeFile(file: string | undefined): string | undefined {
  const read = file === undefined ? undefined : readText(file);
  if (read === undefined || !("text" in read)) return undefined;
  return Buffer.from(read.text).toString("base64");
}
