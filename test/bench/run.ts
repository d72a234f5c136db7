/**
 * Runs every benchmark of this folder in turn; `npm run bench -- NAME` runs the ones named. What
 * begins with a dash is passed on to each.
 */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { spawnSync } from "node:child_process";

const given = process.argv.slice(2);
const flags = given.filter((word) => word.startsWith("-"));
const wanted = given.filter((word) => !flags.includes(word));
const files = readdirSync(__dirname)
  .filter((file) => file.endsWith(".ts") && file !== "run.ts")
  .filter((file) => wanted.length === 0 || wanted.includes(file.replace(/\.ts$/, "")));

for (const file of files) {
  console.log(`\n# ${file}`);
  const tsx = require.resolve("tsx/cli");
  const { status } = spawnSync(process.execPath, [tsx, join(__dirname, file), ...flags], {
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
}
