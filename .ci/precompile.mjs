// Compiles the start of an executable by a run that does as little as can be. A second file holds the
// code of the start, and what was compiled of it after: `node precompile.mjs EXECUTABLE COMPILED ID`.
import { Buffer } from "node:buffer";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import process from "node:process";
import { Script } from "node:vm";

const [node, , filename, compiled, id] = process.argv;
process.argv = [node, filename, "--help"];
const script = new Script(readFileSync(compiled, "latin1"), { filename });
process.on("exit", () => {
  const of = `${id}${process.version}${process.platform}${process.arch}`;
  writeFileSync(compiled, Buffer.concat([Buffer.from(of), script.createCachedData()]));
  process.exitCode = 0; // how the run itself ended is of no interest here
});
script.runInThisContext()(createRequire(filename), filename, dirname(filename), () => "");
