/** A newcomer's terminal: bash in an empty folder. */
import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { getuid } from "node:process";
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { GivenUp, until } from "../control-plane/until";

export interface Typed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A namespace of mounts takes root, or one of users. */
const namespaces = ["--mount", ...(getuid?.() === 0 ? [] : ["--map-root-user"])];

/** Whether this machine allows a terminal a /usr of its own. */
export function canOpen(): boolean {
  const layers = "lowerdir=/usr,upperdir=/mnt/upper,workdir=/mnt/work";
  const mounts = [
    "mount -t tmpfs none /mnt && mkdir /mnt/upper /mnt/work",
    `mount -t overlay overlay -o ${layers} /usr`,
  ].join(" && ");
  return spawnSync("unshare", [...namespaces, "sh", "-c", mounts]).status === 0;
}

/** What npm and jest set for the processes below them; the caches of packages stay in use. */
const setByRunners =
  /^(npm_(?!config_(userconfig|cache|cafile|registry)$)|JEST_|ENGINE_|(NODE_ENV|NODE_OPTIONS|NODE|INIT_CWD|KUBECONFIG)$)/;

/**
 * Programs are installed below /usr, which is this terminal's own: what is written there is seen by
 * nobody else and is gone at the end. That takes root, or a namespace of users.
 */
export class Shell {
  private readonly bash: ChildProcessByStdio<Writable, Readable, null>;
  private readonly lines: Interface;
  private readonly ended = new AbortController();
  private typed = 0;
  private isSandboxUp = false;
  private isBusy = false;

  constructor(
    private readonly folder: string,
    env: NodeJS.ProcessEnv = {},
  ) {
    const home = join(folder, "home");
    mkdirSync(home);
    mkdirSync(join(folder, "own"));
    const inherited = Object.entries(process.env).filter(([name]) => !setByRunners.test(name));
    const go = spawnSync("go", ["env", "GOENV"], { encoding: "utf8" });
    this.bash = spawn("unshare", [...namespaces, "bash", "--noprofile", "--norc"], {
      cwd: folder,
      env: {
        ...Object.fromEntries(inherited),
        ...(go.status === 0 ? { GOENV: go.stdout.trim() } : {}),
        ...env,
        HOME: home,
      },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.lines = createInterface({ input: this.bash.stdout }).once("close", () => {
      this.ended.abort(new Error("bash has ended"));
    });
  }

  /** Makes /usr the terminal's own. */
  async open(): Promise<void> {
    const own = join(this.folder, "own");
    const layers = `lowerdir=/usr,upperdir=${own}/upper,workdir=${own}/work`;
    await this.demand(`mount -t tmpfs none ${own} && mkdir ${own}/upper ${own}/work`);
    await this.demand(`mount -t overlay overlay -o ${layers} /usr`);
    // who is root already may have no sudo
    await this.demand('type -P sudo >/dev/null || sudo() { "$@"; }');
    // jobs are groups of processes of their own, as in a terminal
    await this.demand("set -m");
  }

  /** Types a command and waits until it has ended; `npm run sandbox` only until it is up. */
  async type(line: string): Promise<Typed> {
    if (/^npm run sandbox *(#|$)/.test(line)) return this.startSandbox();
    const { out, err, code } = await this.send(line);
    return { code, out: readFileSync(out, "utf8"), err: readFileSync(err, "utf8") };
  }

  /** Closes it; what has not ended is killed. */
  async close(): Promise<void> {
    const closed = once(this.bash, "close");
    if (this.isBusy) this.bash.kill("SIGKILL");
    else this.bash.stdin.end("exit\n");
    await closed;
  }

  /** Presses Ctrl-C in the sandbox's terminal. */
  async endSandbox(): Promise<void> {
    if (this.isSandboxUp && !this.isBusy) await this.send("kill -INT -- -$! && wait $!");
    this.isSandboxUp = false;
  }

  /** Types a command that has to end with 0. */
  async demand(line: string): Promise<void> {
    const { code, err } = await this.type(line);
    if (code !== 0) throw new Error(`${line}: ${err}`);
  }

  private async send(line: string) {
    this.typed += 1;
    const file = join(this.folder, `typed-${String(this.typed)}`);
    const [out, err] = [`${file}.out`, `${file}.err`];
    this.bash.stdin.write(`{ ${line}\n} </dev/null >${out} 2>${err}; echo $?\n`);
    this.isBusy = true;
    const [text] = (await once(this.lines, "line", { signal: this.ended.signal })) as [string];
    this.isBusy = false;
    return { out, err, code: Number(text) };
  }

  /** It runs in a terminal of its own; the lines that it gives for the other one are typed there. */
  private async startSandbox(): Promise<Typed> {
    const { out, err } = await this.send("npm run sandbox &");
    const text = await until(
      "the sandbox",
      () => {
        const [shown, log] = [readFileSync(out, "utf8"), readFileSync(err, "utf8")];
        if (log.includes("npm error")) throw new GivenUp(log);
        return Promise.resolve(shown.includes("Ctrl-C takes all of it down.") ? shown : undefined);
      },
      { withinMs: 600_000 },
    );
    this.isSandboxUp = true;
    for (const line of text.split("\n").filter((each) => each.startsWith("  export "))) {
      await this.demand(line.trim());
    }
    return { code: 0, out: text, err: "" };
  }
}
