/** What an API server said of webhooks that it called in vain, as test/control-plane/call-texts.test.ts records it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CallTrouble } from "../../plugin/domain/admission/call-texts";

/** One call. */
export interface ProducedText {
  readonly title: string;
  /** What is to be read in it; absent: nothing. */
  readonly means?: CallTrouble;
  readonly text: string;
}

export const callTextsFile = join(__dirname, "produced-call-texts.json");

export function readProducedTexts(): readonly ProducedText[] {
  return JSON.parse(readFileSync(callTextsFile, "utf8")) as readonly ProducedText[];
}

/** Without what no two runs have in common: ports, addresses, times and names. */
export function settleText(text: string): string {
  return text
    .replace(/webhook "[^"]*"/, 'webhook "gate.example"')
    .replace(/uid="[^"]*"/, 'uid="1"')
    .replace(/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z/g, "2026-01-01T00:00:00Z")
    .replace(/\/\S*\/data\//g, "/run/")
    .replace(/\brow-\d+/g, "far")
    .replace(/127\.(?!0\.0\.1\b)[\d.]+/g, "10.96.0.7")
    .replace(/(svc|\]|\.\d+):\d{4,5}\b/g, "$1:8443")
    .replace(/[\d.]+:\d+->/, "10.0.0.2:50000->");
}
