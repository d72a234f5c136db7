/**
 * A page's marked blocks, run: its commands share one folder and one cluster in memory, the built-in
 * example, with the real webhook before it and the operator played.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { type Embedded, openEmbedded } from "../../plugin/simulator/simulate";
import { exampleSource } from "../../plugin/simulator/example";
import { type Gate, observe } from "../../plugin/simulator/observed-cluster";
import { inTurn } from "../../plugin/simulator/virtual-clock";
import type { KubeClient } from "../../plugin/ports/kubernetes";
import { aFolder } from "./a-folder";
import { type MarkedBlock, wordsOf } from "./pages";
import { type Ended, type Scene, startOfRun, typed } from "./program-world";
import { writeRelease } from "./releases/tree";
import { aWebhookProgram } from "./webhook-program";

const namespace = names.operator.namespace;
const anyLines = "…";

/** A command of a block, with the output that the page shows for it. */
interface Shown {
  /** As it was typed, continued lines included. */
  readonly typed: readonly string[];
  readonly line: string;
  readonly output: readonly string[];
}

/** The commands of a block; what stands before the first one is an error. */
export function shownIn(lines: readonly string[]): readonly Shown[] {
  const shown: { typed: string[]; line: string; output: string[] }[] = [];
  let continues = false;
  for (const line of lines) {
    const last = shown.at(-1);
    if (continues && last !== undefined) {
      last.typed.push(line);
      last.line += line.trim();
      continues = line.endsWith("\\");
      last.line = last.line.replace(/\\$/, "");
    } else if (line.startsWith("$ ")) {
      continues = line.endsWith("\\");
      shown.push({ typed: [line], line: line.slice(2).replace(/\\$/, ""), output: [] });
    } else if (last === undefined) {
      throw new Error(`the block does not begin with a command: ${line}`);
    } else last.output.push(line);
  }
  return shown;
}

/** What the program is given by a line of a page; undefined where it is another program's. */
export function programWords(line: string): readonly string[] | undefined {
  const words = wordsOf(line);
  if (words[0] === "npm" && words[1] === "start") return ["rehearse"];
  if (words[0] === "kubectl-engine") return words.slice(1);
  const isPlugin = /^(kubectl|oc)$/.test(words[0] ?? "") && words[1] === "engine";
  return isPlugin ? words.slice(2) : undefined;
}

/** Values that differ from run to run, and times, as one and the same. */
function masked(text: string): string {
  return text
    .replaceAll(/\b[0-9a-f]{64}\b/g, "SHA-256")
    .replaceAll(/\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/g, "UID")
    .replaceAll(/\b\d{8}-\d{6}-[0-9a-f]{6}\b/g, "RUN")
    .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "TIME");
}

const patternOf = (line: string): string =>
  masked(line)
    .split(anyLines)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".*");

/** Whether an output is the one that is shown: a line `…` stands for any lines, one within a line for any text. */
export function fits(output: string, shown: readonly string[]): boolean {
  const lines = shown.map((line) =>
    line.trim() === anyLines ? "(?:.*\\n)*" : `${patternOf(line.trimEnd())}\\n`,
  );
  const found = masked(output).replaceAll(/[ \t]+$/gm, "");
  return new RegExp(`^(?:\\s*\\n)?${lines.join("")}\\s*$`).test(found);
}

/** Runs the blocks of a page, one after the other. */
export class ConsolePage {
  private readonly folder = aFolder("page");
  private readonly home = join(this.folder, "home");
  private embedded: Promise<Embedded> | undefined;
  private readonly abort = new AbortController();
  private readonly webhook = aWebhookProgram().file;

  /** Its folder has a release in ./release, unless the page writes one itself. */
  constructor({ hasRelease = true } = {}) {
    mkdirSync(this.home);
    if (hasRelease) writeRelease(join(this.folder, "release"), "8.0.2-2");
  }

  /** Writes the file of a `file` block, or runs the commands of a `test` block; the lines as they should be. */
  async run({ mark, lines }: MarkedBlock): Promise<readonly string[]> {
    const [kind, word, number] = mark;
    if (kind === "file") {
      writeFileSync(join(this.folder, basename(word ?? "")), `${lines.join("\n")}\n`);
      return lines;
    }
    if (word !== undefined && word !== "exits") throw new Error(`unknown mark: ${mark.join(" ")}`);
    const shown = shownIn(lines);
    const told: string[] = [];
    for (const [index, one] of shown.entries()) {
      const isLast = index === shown.length - 1;
      told.push(...(await this.runOne(one, isLast ? Number(number ?? 0) : 0)));
    }
    return told;
  }

  async close(): Promise<void> {
    this.abort.abort();
    await (await this.embedded)?.close();
  }

  private async runOne(shown: Shown, wanted: number): Promise<readonly string[]> {
    const words = programWords(shown.line);
    if (words === undefined) {
      throw new Error(`only this program's commands are run: take off the mark of ${shown.line}`);
    }
    const { code, out, err } = await this.inFolder(words);
    const output = `${out}${err}`;
    if (code !== wanted) {
      throw new Error(
        `${shown.line}\nends with ${String(code)}, not ${String(wanted)}:\n${output}`,
      );
    }
    const [, file] = / > (\S+)/.exec(shown.line) ?? [];
    if (file !== undefined) writeFileSync(join(this.folder, basename(file)), out);
    if (shown.output.length === 0 || fits(output, shown.output)) {
      return [...shown.typed, ...shown.output];
    }
    return [...shown.typed, ...output.trimEnd().split("\n")];
  }

  /** Names of files are those of the page's folder. */
  private async inFolder(words: readonly string[]): Promise<Ended> {
    const before = process.cwd();
    const path = dirname(this.webhook);
    const env = { HOME: this.home, PATH: path, ENGINE_QUIET: "true" };
    // a rehearsal makes a cluster of its own
    const scene = words[0] === "rehearse" ? {} : await this.onCluster();
    process.chdir(this.folder);
    try {
      return await typed(words, { env, ...scene });
    } finally {
      process.chdir(before);
    }
  }

  private async onCluster(): Promise<Pick<Scene, "clock" | "connect">> {
    this.embedded ??= this.open();
    const embedded = await this.embedded;
    return { clock: embedded.played, connect: () => connected(embedded) };
  }

  private async open(): Promise<Embedded> {
    const source = await exampleSource(names, startOfRun);
    const { webhook, abort } = this;
    const { signal } = abort;
    return openEmbedded({
      source,
      namespace,
      names,
      webhook: () => Promise.resolve(webhook),
      now: startOfRun,
      signal,
    });
  }
}

/** One request at a time, as in a rehearsal: the same run takes the same course. */
async function connected({ controlPlane, clock, played }: Embedded): Promise<KubeClient> {
  await played.settle();
  const turn = inTurn();
  const gate: Gate = (_call, send) => turn(send);
  const user = { name: "admin", groups: ["system:masters", "system:authenticated"] };
  const latency = (): void => {
    clock.advance(10);
  };
  return observe(controlPlane.connect({ user, namespace, latency }), gate);
}
