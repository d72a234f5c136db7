/** The rehearsed swap as a terminal shows it, with what differs from run to run made the same. */
import { dirname } from "node:path";
import { PassThrough } from "node:stream";
import { runProgram } from "../../plugin/cli/program";
import { aFolder } from "./a-folder";
import { worldOf } from "./program-world";
import { aWebhookProgram } from "./webhook-program";

/** Lines of a terminal: what was typed, the run, and the edits that follow it. */
export async function recordSession(): Promise<readonly string[]> {
  const chunks: string[] = [];
  const out = Object.assign(new PassThrough(), { isTTY: true, columns: 110 });
  out.on("data", (chunk: Buffer) => chunks.push(chunk.toString("utf8")));
  const words = ["rehearse", "upgrade-webhook"];
  const PATH = dirname(aWebhookProgram().file);
  const env = { HOME: aFolder("session"), PATH, ENGINE_QUIET: "true", NO_COLOR: "1" };
  const world = worldOf(words, { env });
  const code = await runProgram({ ...world, streams: { ...world.streams, out } });
  await new Promise(setImmediate); // the stream hands over what was written
  const shown = chunks.join("").replaceAll(/\b[0-9a-f]{64}\b/g, "3f".repeat(32));
  const [, from = "", run = "", end = ""] =
    /^(== 2\.)([^]*?)\n+(?:== 4\.[^]*\n)(Done: .*)\n*$/m.exec(shown) ?? [];
  if (code !== 0 || run === "") throw new Error(shown);
  const typed = `$ kubectl engine ${words.join(" ")}`;
  return [typed, "…", ...`${from}${run}`.split("\n"), "", "…", end];
}
