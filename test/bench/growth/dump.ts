/** The loading of a dump for a rehearsal, by the number of its objects. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { measure, writeDumps } from "../rehearsal-dump";
import { usageOf } from "../rbac/usage";
import { tell } from "./cluster";
import { pointOf, type Round } from "./points";

const subject = "dump";
/** Of ten objects one is a namespace. */
const namespaceIn = 10;

export interface DumpPlan {
  readonly sizes: readonly number[];
  readonly rounds: number;
}

export async function measureDumps({ sizes, rounds }: DumpPlan): Promise<void> {
  for (const size of sizes) {
    const folder = mkdtempSync(join(tmpdir(), "engine-bench-"));
    const namespaces = Math.ceil(size / namespaceIn);
    const [json = "", yaml = ""] = writeDumps(folder, { databases: size - namespaces, namespaces });
    try {
      tell(pointOf({ subject, line: "JSON", size }, await loadings(json, rounds)));
      tell(pointOf({ subject, line: "YAML", size }, await loadings(yaml, rounds)));
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function loadings(file: string, rounds: number): Promise<readonly Round[]> {
  const all: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const { value, others } = await usageOf([], () => Promise.resolve(measure(file)));
    all.push({ values: { seconds: value.ms / 1_000, mib: value.peakMb }, others });
  }
  return all;
}
