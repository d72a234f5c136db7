/** Several runs as one: the lists one after the other, and the end of the later one. */
import { distinct } from "../domain/findings";
import type { Event, Report, StepReport } from "./report";

/** The steps of a report; none where it has no list. */
export function stepsOf({ steps = [] }: Report): readonly StepReport[] {
  return steps;
}

/** An event with its step counted on from those before it. */
export function countedOn(event: Event, before: number): Event {
  return event.type === "step" ? { ...event, step: shifted(event.step, before) } : event;
}

/** The report of what came first with that of what followed; `title` names the later one. */
export function joinedReport(first: Report, next: Report, title: string): Report {
  const before = stepsOf(first).length;
  return {
    ...next,
    ...first,
    ...ownParts(next),
    steps: [...stepsOf(first), ...stepsOf(next).map((step) => shifted(step, before))],
    ...both("probes", first, next),
    ...both("backups", first, next),
    findings: distinct([...(first.findings ?? []), ...(next.findings ?? [])]),
    exit: { ...next.exit, reason: `${first.exit.reason}; ${title}: ${next.exit.reason}` },
  };
}

function shifted(step: StepReport, by: number): StepReport {
  return { ...step, n: step.n + by };
}

/** What a part alone has to say. */
function ownParts({ namespaces, details, permissions }: Report): Partial<Report> {
  return {
    ...(namespaces && { namespaces }),
    ...(details !== undefined && { details }),
    ...(permissions && { permissions }),
  };
}

function both(key: "probes" | "backups", first: Report, next: Report): Partial<Report> {
  const all = [...(first[key] ?? []), ...(next[key] ?? [])];
  return all.length === 0 ? {} : { [key]: all };
}
