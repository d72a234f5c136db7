/**
 * How the costs grow: `check`, `status` and `reapply-rbac` with namespaces and databases, these and the
 * plan of `upgrade` by a user whom the API server limits, the webhook with ECs and with the size of
 * reviews, the loading of a dump with its objects. Run after `npm run
 * build`, in parts, since each point is kept in `.cache/bench`; `--only=pages` draws the plots and
 * tables of docs/explanation/scale.md from all that was kept. Flags: `--only=check,status,reapply-rbac,
 * whole-upgrade,webhook,dump,pages`, `--beside=FILE` (another build of the plugin in whole-upgrade), `--sizes=1,100,1000,5000`, `--kb=2,1024` (of reviews), `--rounds=3`,
 * `--seed=TEXT`, `--quick` (small sizes, one round).
 */
import { randomBytes } from "node:crypto";
import { logToStderr } from "../control-plane/binaries";
import { measureCluster } from "./growth/cluster";
import { measureDumps } from "./growth/dump";
import { writePages } from "./growth/pages";
import { measureWebhook } from "./growth/webhook";
import { measureWholeUpgrade } from "./growth/whole-upgrade";

const parts = ["check", "status", "reapply-rbac", "whole-upgrade", "webhook", "dump", "pages"];

const quick = process.argv.includes("--quick");

function flag(name: string, usual: string): string {
  const start = `--${name}=`;
  return process.argv.find((word) => word.startsWith(start))?.slice(start.length) ?? usual;
}

function sizesOf(name: string, usual: string, small: string): readonly number[] {
  return flag(name, quick ? small : usual)
    .split(",")
    .filter(Boolean)
    .map(Number);
}

async function main(): Promise<void> {
  const asked = flag("only", parts.join(",")).split(",");
  const rounds = Number(flag("rounds", quick ? "1" : "3"));
  const seed = flag("seed", randomBytes(4).toString("hex"));
  console.log(`seed ${seed}`);
  const wanted = parts.slice(0, 3).filter((part) => asked.includes(part));
  if (wanted.length > 0) {
    const sizes = sizesOf("sizes", "1,100,1000,5000", "1,20,100");
    await measureCluster({ sizes, wanted, rounds, seed });
  }
  if (asked.includes("whole-upgrade")) {
    const beside = flag("beside", "");
    await measureWholeUpgrade({ sizes: sizesOf("sizes", "5000", "50"), rounds, seed, beside });
  }
  if (asked.includes("webhook")) {
    const clusters = sizesOf("sizes", "1,10,100,1000,5000", "1,10,100");
    const sizes = sizesOf("kb", "2,8,32,128,512,1024", "2,32");
    await measureWebhook({ clusters, sizes, rounds });
  }
  if (asked.includes("dump")) {
    const sizes = sizesOf("sizes", "1,100,1000,10000,100000", "1,100,1000");
    await measureDumps({ sizes, rounds });
  }
  if (asked.includes("pages")) writePages();
}

if (require.main === module) {
  main().catch((error: unknown) => {
    logToStderr(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = 1;
  });
}
