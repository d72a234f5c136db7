/** What tests make lies in a folder that is removed when the run ends. */
import { tmpdir } from "node:os";
import { basename } from "node:path";

test("a run has a temporary folder of its own, for the programs that it starts as well", () => {
  expect(basename(tmpdir())).toMatch(/^jest-/);
  expect(process.env["TMPDIR"]).toBe(tmpdir());
});
