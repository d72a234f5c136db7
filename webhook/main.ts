/** The process: environment, signals, exit code; and its second thread, which is this file too. */
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import type { Names } from "../plugin/domain/names";
import { UsageError } from "../plugin/domain/errors";
import { parseConfig } from "./config";
import { createLog, errorText } from "./log";
import { serveParser } from "./review/parser";
import { startChecks, startRenewal, startWebhook } from "./program";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

async function main(env: NodeJS.ProcessEnv): Promise<void> {
  boundHeap();
  const config = parseConfig(env, startChecks(env));
  const log = createLog(config.logLevel);
  const running =
    config.role === "renew"
      ? startRenewal(config, log, { env })
      : await startWebhook(config, log, { env, openParser });
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

/** More than any review takes; what takes more ends the thread, not the process. */
const resourceLimits = { maxOldGenerationSizeMb: 80, maxYoungGenerationSizeMb: 8 };

function openParser(names: Names): Worker {
  return new Worker(__filename, { workerData: names, resourceLimits, env: {} });
}

function fail(error: unknown): void {
  const problems = error instanceof UsageError ? error.problems : [errorText(error)];
  for (const problem of problems) process.stderr.write(`engine-webhook: ${problem}\n`);
  process.exitCode = error instanceof UsageError ? error.exitCode : 1;
}

if (isMainThread) main(process.env).catch(fail);
else if (parentPort !== null) serveParser(parentPort, workerData as Names);

/** Both halves of the space for new objects: half of it costs a review a tenth more, twice of it a fortieth less. */
const mostYoung = 16 * 2 ** 20;
const lookMs = 100;

/**
 * V8 would take ten times what the process needs before it collects, and 32 MiB for new objects.
 * Exported because the bundler takes a module without exports for CommonJS, and wraps all that it imports.
 */
export function boundHeap(): void {
  // collecting begins, beside the work, when so many percent of the way to V8's own limit are used up
  setFlagsFromString("--incremental-marking-soft-trigger=35");
  const timer = setInterval(() => {
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    if ((young?.space_size ?? 0) < mostYoung) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    clearInterval(timer);
  }, lookMs);
  timer.unref();
}
