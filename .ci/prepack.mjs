// `npm pack` and `npm publish`: the package holds the two programs, so they are built before it is made.
import process from "node:process";
import { build } from "./build.mjs";

if (!build()) process.exitCode = 1;
