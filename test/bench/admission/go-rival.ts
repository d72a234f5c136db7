/** Builds the Go rival from its pinned modules, once for each state of its source. */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const source = join(__dirname, "go-rival");
const cache = join(__dirname, "../../../.cache/bench");
const buildMs = 30 * 60_000;

/** The program, or why there is none. */
export type Rival =
  | { readonly is: "built"; readonly binary: string }
  | { readonly is: "missing"; readonly because: string };

export function buildRival(): Rival {
  const version = go(["version"]);
  if (version.status !== 0) return { is: "missing", because: "there is no Go here" };
  const binary = join(cache, `go-rival-${fingerprint(version.stdout)}`);
  if (existsSync(binary)) return { is: "built", binary };
  mkdirSync(cache, { recursive: true });
  process.stderr.write("building the Go rival, once; this takes minutes with an empty cache\n");
  const args = ["build", "-mod=readonly", "-trimpath", "-buildvcs=false", "-o", binary, "."];
  const built = go(args);
  if (built.status === 0) return { is: "built", binary };
  const lastLine = built.stderr.trim().split("\n").at(-1) ?? "";
  return { is: "missing", because: `Go could not build it (${lastLine})` };
}

/** A workspace, flags of the user's own or another toolchain must not change the result. */
function go(args: readonly string[]) {
  const env = {
    ...process.env,
    CGO_ENABLED: "0",
    GOWORK: "off",
    GOFLAGS: "",
    GOTOOLCHAIN: "local",
  };
  return spawnSync("go", args, { cwd: source, env, encoding: "utf8", timeout: buildMs });
}

function fingerprint(version: string): string {
  const hash = createHash("sha256").update(version);
  for (const file of readdirSync(source).sort()) {
    hash.update(`${file}\n`).update(readFileSync(join(source, file)));
  }
  return hash.digest("hex").slice(0, 12);
}
