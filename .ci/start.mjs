// `npm start`: the rehearsal of the main job on the built-in example. Builds the two programs first
// when what they are made of has changed; needs Node and what `npm ci` has installed.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const programs = ["dist/kubectl-engine", "dist/engine-webhook"].map((file) => join(root, file));
const stamp = join(root, ".cache/start.sha256");
const sources = ["plugin", "webhook", "manifests", ".ci", "package.json"];

/** One digest of all that the programs are made of, and of the programs themselves. */
function digest() {
  const hash = createHash("sha256");
  const add = (path) => {
    if (statSync(path).isDirectory()) {
      for (const name of readdirSync(path).sort()) add(join(path, name));
    } else {
      hash.update(`${path}\0`).update(readFileSync(path)).update("\0");
    }
  };
  for (const path of [...sources, "package-lock.json"]) add(join(root, path));
  for (const path of programs) add(path);
  return hash.digest("hex");
}

function isFresh() {
  if (![...programs, stamp].every((file) => existsSync(file))) return false;
  return readFileSync(stamp, "utf8") === digest();
}

function rebuild() {
  if (!build()) return false;
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, digest());
  return true;
}

/** Settings of the person's own would change what is shown. */
function ownEnvironment() {
  const entries = Object.entries(process.env).filter(([name]) => !name.startsWith("ENGINE_"));
  return Object.fromEntries(entries);
}

function rehearse() {
  const child = spawn(process.execPath, [programs[0], "rehearse", ...process.argv.slice(2)], {
    stdio: "inherit",
    env: ownEnvironment(),
  });
  // Ctrl-C reaches the child by itself; this process waits for its end
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("exit", (code) => {
    process.exitCode = code ?? 1;
  });
}

if (isFresh() || rebuild()) rehearse();
else process.exitCode = 1;
