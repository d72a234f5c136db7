/** What commands write to a log, where both streams go to one file and nobody looks at a terminal. */
import type { Finding } from "../../plugin/domain/base/findings";
import type { Report } from "../../plugin/kernel/report";
import { openedFor } from "../jobs/trial";
import { admin } from "../support/world";
import { Starts } from "../support/starts";
import { aWebhookProgram } from "../support/webhook-program";

const starts = new Starts();
const upgrade = ["upgrade", "--release", starts.place.release, "--no-probe", "-n", "engine"];

async function run(words: readonly string[]) {
  const { controlPlane, clock } = await openedFor({}, starts);
  const cluster = controlPlane.connect({ user: admin, namespace: "engine" });
  return await starts.typed(words, { cluster, clock });
}

/** Of a rehearsal, those of its worst stage. */
function findingsOf(out: string): readonly Finding[] {
  const { findings = [], details } = JSON.parse(out) as Report & {
    readonly details?: { readonly stages?: readonly { readonly report: Report }[] };
  };
  const played = details?.stages?.flatMap(({ report }) => report.findings ?? []) ?? [];
  return [...findings, ...played];
}

test.each([
  ["check", ["check", "-n", "engine"]],
  ["upgrade", [...upgrade, "--yes"]],
  ["a plan of upgrade", [...upgrade, "--dry-run=client"]],
  ["a rehearsal", ["rehearse", "upgrade", "--yes", `--webhook=${aWebhookProgram().file}`]],
])("%s: no finding is there twice", async (_what, words) => {
  const { out, err } = await run(words);
  // The log has a line for each finding before the first write, the result on stdout has it in full.
  const [log, result] = [err, out].map((text) => text.replaceAll(/\s+/g, " "));
  const findings = findingsOf((await run([...words, "-o", "json"])).out);
  const told = findings.map(({ code, object = "" }) => `${code} ${object}`.trim());
  const count = (text: string, one: string): number => text.split(one).length - 1;
  const times = [...new Set(told)].map(
    (one) => [one, Math.max(count(String(log), one), count(String(result), one))] as const,
  );
  expect(times.filter(([, most]) => most > 0)).not.toEqual([]);
  expect(times.filter(([, most]) => most > 1)).toEqual([]);
});
