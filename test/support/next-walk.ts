/** The law of the next command: typed as `status` prints it, it is gone from `status`, and it does not end with 5. */
import { join } from "node:path";
import { asString, getPath } from "../../plugin/domain/base/values";
import type { PlayedWorld } from "./played-operator";
import { type Ended, typed } from "./program-world";
import { folder, release, upgrade } from "./upgrade-runs";

/** What is no end that a command foresees: a crash, and the work of somebody else. */
const unforeseen = new Set([5, 70]);

/** More lines than an upgrade has parts are a loop. */
const mostLines = 12;

/** The lines that were typed, in their order, and what breaks the law. */
export interface Walk {
  readonly lines: readonly string[];
  readonly ends: readonly number[];
  readonly wrong: readonly string[];
}

/** Types what `status` prints as next until it prints nothing to type. */
export async function walkNext(world: PlayedWorld, given = release): Promise<Walk> {
  const lines: string[] = [];
  const ends: number[] = [];
  const wrong: string[] = [];
  let next = await readNext(world, given);
  while (next !== undefined && wrong.length === 0) {
    if (lines.length === mostLines) wrong.push("it has no end");
    lines.push(next);
    const { code, err } = await take(world, next);
    ends.push(code);
    const told = err.trim().split("\n").slice(-2).join(" / ");
    if (unforeseen.has(code)) wrong.push(`${next} ended with ${code}: ${told}`);
    const after = await readNext(world, given);
    if (after !== undefined && lines.includes(after))
      wrong.push(`${after} (${code}) comes back: ${told}`);
    next = after;
  }
  return { lines, ends, wrong };
}

async function readNext(world: PlayedWorld, given: string): Promise<string | undefined> {
  // nothing answers for the webhook here
  const { out } = await type(world, `status -n engine --no-probe --release ${given}`);
  return asString(getPath(JSON.parse(out), ["details", "next", "command"]));
}

async function take(world: PlayedWorld, next: string): Promise<Pick<Ended, "code" | "err">> {
  const line = next.replace("kubectl engine ", "");
  if (!line.startsWith("upgrade-webhook")) return await type(world, `${line} --yes`);
  // nothing answers for the webhook that is swapped here: the whole upgrade does without its proof
  const ended = await upgrade(world, ["--yes", "--only", "webhook"]);
  await world.settle();
  return ended;
}

async function type({ cluster, clock, settle }: PlayedWorld, line: string): Promise<Ended> {
  const ended = await typed([...line.split(" "), "-o", "json"], {
    connect: () => Promise.resolve(cluster),
    clock,
    env: { ENGINE_HOME: join(folder, "home") },
  });
  await settle();
  return ended;
}
