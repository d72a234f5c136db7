/** What a command has found before its first write stands above its question, the worst last. */
import { defaultNames as names } from "../../plugin/domain/names/names";
import type { Finding } from "../../plugin/domain/base/findings";
import type { Event, Report } from "../../plugin/kernel/report";
import { stdinOf } from "../support/program-world";
import { type Place, starts as known, Starts } from "../support/starts";
import { admin } from "../support/world";
import { type Job, jobs } from "./list";
import { openedFor, placed, Trial } from "./trial";

const namespace = names.operator.namespace;
const starts = new Starts();

/** Jobs that ask only on clusters of their own. */
const more: readonly Job[] = [
  {
    title: "upgrade-database (channel)",
    words: () => ["upgrade-database", "config", "--engine-version", "8.0"],
    settles: true,
    before: known["upgrade-database"].before,
    objects: (example) =>
      example.map((object) =>
        object.kind === names.edb.kind && object.metadata.name === "config"
          ? { ...object, spec: { ...(object["spec"] as object), engineVersion: "major" } }
          : object,
      ),
  },
];

const all = [...jobs, ...more].map((job) => [job.title, job] as const);

/** What asks on these clusters. */
const asking = [
  "upgrade",
  "upgrade-webhook",
  "reapply-rbac (contract)",
  "unbind-scc",
  "modules define",
  "recover",
  "upgrade-database (channel)",
];

/** What a terminal shows: its stderr, and what was written to stdout. */
async function onTerminal(job: Job, answer: string, words: readonly string[] = []) {
  const opened = await openedFor(job, starts);
  const cluster = opened.controlPlane.connect({ user: admin, namespace });
  const argv = [...placed(job.words(starts.place), opened), ...words, "--color=never"];
  const stdin = stdinOf(answer, true);
  const { clock } = opened;
  const ended = await starts.typed(argv, { cluster, clock, terminal: true, stdin });
  await opened.api?.close();
  return ended;
}

/** What it finds without a write: `recover` looks where it does not apply. */
async function plannedReport({ words, ...job }: Job): Promise<Report> {
  const looks = (place: Place): readonly string[] =>
    words(place).filter((one) => one !== "--apply");
  const trial = await Trial.of({ ...job, words: looks }, starts);
  const { report } = await trial.run({ more: ["--dry-run=server"] });
  await trial.close();
  return report;
}

/** Lines are broken at the terminal's width. */
const inOneLine = (text: string): string => text.replaceAll(/\s+/g, " ");

function unshown(findings: readonly Finding[], shown: string): readonly string[] {
  const flat = inOneLine(shown);
  return findings.flatMap(({ code, object = "", cause }) =>
    [code, object, cause].every((part) => flat.includes(inOneLine(part)))
      ? []
      : [`${code} ${object}: ${cause}`],
  );
}

const gravity = ["warning", "accepted", "error"];

function gravities(shown: string): readonly number[] {
  return [...shown.matchAll(/^(warning|accepted|error) [A-Z][A-Z-]+/gm)].map(([, word = ""]) =>
    gravity.indexOf(word),
  );
}

test.each(all)("%s: what its plan has found stands above the question", async (title, job) => {
  const { findings = [] } = await plannedReport(job);
  const { code, out, err } = await onTerminal(job, "n\n");
  const [above = "", below] = err.split("[y/N] ");
  expect(below !== undefined).toBe(asking.includes(title));
  if (below === undefined) return;
  expect([code, below, out]).toEqual([2, "Cancelled; nothing was written.\n", ""]);
  expect(unshown(findings, above)).toEqual([]);
  expect(gravities(above)).toEqual(gravities(above).toSorted());
  expect(gravities(above).length > 0).toBe(findings.length > 0);
});

const written = ["created", "changed", "deleted", "done"];

test.each(all)(
  "%s: what it has found before its first write is shown before it",
  async (_, job) => {
    const { out, err } = await onTerminal(job, "y\n", ["-o", "jsonl"]);
    const lines = out.trimEnd().split("\n");
    const events = lines.slice(0, -1).map((line) => JSON.parse(line) as Event);
    const first = events.findIndex(
      (event) =>
        event.type === "step" &&
        !["read", "probe", "wait"].includes(event.step.action) &&
        written.includes(event.step.result),
    );
    expect(first).not.toBe(-1);
    const before = events
      .slice(0, first)
      .flatMap((one) => (one.type === "finding" ? one.finding : []));
    expect(unshown(before, err.split("[y/N] ")[0] ?? "")).toEqual([]);
  },
);

test.each(all)(
  "%s: what stood above the question is counted, and not shown again",
  async (_, job) => {
    const { findings = [] } = await plannedReport(job);
    const { code, out } = await onTerminal(job, "y\n");
    expect(code).toBe(0);
    const later = findings.filter(({ code: one }) => one === "MODULE-DEFINE-NEXT");
    const ended = findings.filter(({ severity }) => severity === "error");
    const expected = findings.length - later.length - ended.length;
    expect(out.includes(", shown above") || / shown above$/m.test(out)).toBe(expected > 0);
    expect(gravities(out)).toHaveLength(later.length);
  },
);
