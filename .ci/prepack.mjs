// `npm pack` and `npm publish`: builds the two programs, and takes the dependencies out of package.json for
// the time of the packing. Each program is one file that holds the code of its dependencies.
import { readFileSync, writeFileSync } from "node:fs";
import process from "node:process";
import { build } from "./build.mjs";
import { keep, manifest } from "./manifest.mjs";

if (build()) {
  keep();
  const packed = JSON.parse(readFileSync(manifest, "utf8"));
  delete packed.dependencies;
  delete packed.devDependencies;
  writeFileSync(manifest, `${JSON.stringify(packed, null, 2)}\n`);
} else {
  process.exitCode = 1;
}
