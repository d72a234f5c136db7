/** The process: environment, signals, exit code. */
import { UsageError } from "../plugin/domain/errors";
import { parseConfig } from "./config";
import { createLog, errorText } from "./log";
import { startChecks, startWebhook } from "./program";

async function main(env: NodeJS.ProcessEnv): Promise<void> {
  const config = parseConfig(env, startChecks(env));
  const running = await startWebhook(config, createLog(config.logLevel), env);
  // A second signal finds the drain under way and cuts nothing.
  const leave = () => {
    void running.stop();
  };
  process.on("SIGTERM", leave);
  process.on("SIGINT", leave);
}

main(process.env).catch((error: unknown) => {
  const problems = error instanceof UsageError ? error.problems : [errorText(error)];
  for (const problem of problems) process.stderr.write(`engine-webhook: ${problem}\n`);
  process.exitCode = error instanceof UsageError ? error.exitCode : 1;
});
