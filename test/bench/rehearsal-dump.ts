/**
 * How long a rehearsal takes to load a dump of 10,000 databases and 1,000 namespaces, and how much
 * memory at most: JSON and YAML as kubectl writes them, each in a process of its own. Exit code 1
 * above a limit.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { dump } from "js-yaml";
import { defaultNames } from "../../plugin/domain/names/names";
import { createRegistry } from "../../plugin/simulator/kinds/registry";
import { MemoryControlPlane } from "../../plugin/simulator/api-server/control-plane";
import { readDump } from "../../plugin/simulator/source/dump";
import { databaseNumber, definitions, namespaceNumber } from "./rehearsal/scene";
import { openParts } from "./rehearsal/parts";

const databases = 10_000;
const namespaces = 1_000;
const limitMs = 5_000;
const limitMb = 500;

/** What one loading took. */
interface Load {
  readonly ms: number;
  readonly peakMb: number;
  readonly objects: number;
}

async function load(file: string): Promise<Load> {
  const from = process.hrtime.bigint();
  const source = await readDump(
    { file },
    {
      names: defaultNames,
      now: Date.now(),
      shippedCrds: definitions(),
      registry: createRegistry(),
    },
  );
  const controlPlane = new MemoryControlPlane(openParts());
  controlPlane.load(source.objects);
  const ms = Number(process.hrtime.bigint() - from) / 1e6;
  const peakMb = process.resourceUsage().maxRSS / 1024;
  return { ms, peakMb, objects: source.objects.length };
}

/** So many objects of each kind, as JSON and as YAML. */
export function writeDumps(
  folder: string,
  { databases, namespaces }: Readonly<Record<"databases" | "namespaces", number>>,
): readonly string[] {
  const items = [
    ...Array.from({ length: namespaces }, (_, n) => namespaceNumber(n)),
    ...Array.from({ length: databases }, (_, n) => databaseNumber(n, namespaces)),
  ];
  const head = { apiVersion: "v1", kind: "List", metadata: { resourceVersion: "" } };
  const [json, yaml] = [join(folder, "dump.json"), join(folder, "dump.yaml")];
  writeFileSync(json, JSON.stringify({ ...head, items }, null, 4));
  const options = { noRefs: true, lineWidth: -1, noArrayIndent: true };
  // item by item, so that js-yaml holds the text of one at a time
  const texts = items.map((item) => dump([item], options));
  writeFileSync(yaml, [dump(head, options), "items:\n", ...texts].join(""));
  return [json, yaml];
}

/** In a fresh process, whose memory is the loading's alone. */
export function measure(file: string): Load {
  const args = [require.resolve("tsx/cli"), __filename, file];
  const { status, stdout } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error(`loading ${file} ended with exit code ${String(status)}`);
  return JSON.parse(stdout) as Load;
}

function measureAll(): void {
  const folder = mkdtempSync(join(tmpdir(), "engine-bench-"));
  try {
    for (const file of writeDumps(folder, { databases, namespaces })) {
      const { ms, peakMb, objects } = measure(file);
      const size = statSync(file).size / 1e6;
      console.log(
        `${file.endsWith("json") ? "JSON" : "YAML"}, ${size.toFixed(0)} MB, ${objects} objects: ` +
          `${ms.toFixed(0)} ms (limit ${limitMs}), ${peakMb.toFixed(0)} MB (limit ${limitMb})`,
      );
      if (ms > limitMs || peakMb > limitMb) process.exitCode = 1;
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (require.main === module) {
  const [file] = process.argv.slice(2);
  if (file === undefined) measureAll();
  else {
    load(file).then(
      (taken) => {
        process.stdout.write(JSON.stringify(taken));
      },
      (error: unknown) => {
        console.error(error);
        process.exitCode = 1;
      },
    );
  }
}
