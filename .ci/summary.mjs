// Adds up what the test runs counted and prints the closing line. A run that left no result counts
// as one failure, and so does any other step that failed.
import console from "node:console";
import { readFileSync } from "node:fs";
import process from "node:process";

const [stepFailed, ...files] = process.argv.slice(2);
let passed = 0;
let failed = 0;
for (const file of files) {
  try {
    const result = JSON.parse(readFileSync(file, "utf8"));
    passed += result.numPassedTests;
    failed += result.numFailedTests + result.numRuntimeErrorTestSuites;
  } catch {
    failed += 1;
  }
}
if (failed === 0 && stepFailed !== "0") failed = 1;
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
