/** The process: environment, signals, exit code. */
import { UsageError } from "../plugin/domain/base/errors";
import { parseConfig } from "./config";
import { createLog, errorText } from "./log";
import { startChecks, startRenewal, startWebhook } from "./program";

async function main(env: NodeJS.ProcessEnv, words: readonly string[]): Promise<void> {
  if (words.length > 0) {
    const { joinWords } = await import("./help.ts");
    process.stdout.write(joinWords(words));
    return;
  }
  const config = parseConfig(env, startChecks(env));
  const log = createLog(config.logLevel);
  const running =
    config.role === "renew"
      ? startRenewal(config, log, { env })
      : await startWebhook(config, log, { env });
  // A second signal finds the drain under way and cuts nothing.
  const leave = () => {
    void running.stop();
  };
  process.on("SIGTERM", leave);
  process.on("SIGINT", leave);
  // what closes its terminal ends it as well, with no call unanswered
  process.on("SIGHUP", leave);
  if (config.endWithStdin) process.stdin.on("close", leave).resume().unref();
}

function fail(error: unknown): void {
  const problems = error instanceof UsageError ? error.problems : [errorText(error)];
  for (const problem of problems) process.stderr.write(`engine-webhook: ${problem}\n`);
  process.exitCode = error instanceof UsageError ? error.exitCode : 1;
}

main(process.env, process.argv.slice(2)).catch(fail);

// The bundler takes a module without exports for CommonJS, and wraps all that it imports.
export {};
