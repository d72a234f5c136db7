/** `upgrade-webhook --with rbac,scc`: what goes on after the swap, as one run with one document. */
import type { Release } from "../domain/release/release";
import type { Event, Report, StepReport } from "../run/report";
import type { CommandContext, Follower, UpgradeWebhookFlags } from "./context";
import { prepareReapplyRbac } from "./reapply-rbac";
import { prepareUnbindScc } from "./unbind-scc";

/** What the parts take from the flags of the swap, and the release that it opened. */
export interface FollowerFlags extends Pick<UpgradeWebhookFlags, "takeOver" | "probe"> {
  readonly opened?: Release | undefined;
}

interface Part {
  readonly title: string;
  readonly run: (context: CommandContext) => Promise<Report>;
}

/**
 * Reads what the parts need, so that wrong input ends the run before the swap. What comes back goes
 * on from the swap's report: each part only after the one before it went well.
 */
export async function prepareFollowers(
  context: CommandContext,
  flags: FollowerFlags,
  wanted: readonly Follower[],
): Promise<(swapped: Report) => Promise<Report>> {
  const parts = await Promise.all(wanted.map((part) => prepared[part](context, flags)));
  return async (swapped) => {
    let report = swapped;
    for (const { title, run } of parts) {
      if (report.exit.code !== 0) return report;
      report = joined(report, await run(numberedFrom(context, stepsOf(report).length)), title);
    }
    return report;
  };
}

const prepared: Readonly<
  Record<Follower, (context: CommandContext, flags: FollowerFlags) => Promise<Part>>
> = {
  rbac: async (context, { opened, takeOver, probe }) => ({
    title: "RBAC",
    run: await prepareReapplyRbac(
      context,
      { mode: "expand", dropLocal: [], prune: false, takeFields: [], takeOver, probe },
      opened === undefined ? {} : { opened },
    ),
  }),
  scc: async (context) => ({ title: "SCC", run: await prepareUnbindScc(context, {}) }),
};

/** The context with the steps of its events counted on; its own properties stay as lazy as they are. */
function numberedFrom(context: CommandContext, before: number): CommandContext {
  const event = (one: Event): void => {
    context.event(one.type === "step" ? { ...one, step: shifted(one.step, before) } : one);
  };
  return Object.create(context, { event: { value: event } }) as CommandContext;
}

function shifted(step: StepReport, by: number): StepReport {
  return { ...step, n: step.n + by };
}

function stepsOf({ steps = [] }: Report): readonly StepReport[] {
  return steps;
}

/** One document: the lists of both one after the other, and the end of the later one. */
function joined(first: Report, next: Report, title: string): Report {
  const before = stepsOf(first).length;
  return {
    ...next,
    ...first,
    ...ownParts(next),
    steps: [...stepsOf(first), ...stepsOf(next).map((step) => shifted(step, before))],
    ...both("probes", first, next),
    ...both("backups", first, next),
    findings: [...(first.findings ?? []), ...(next.findings ?? [])],
    exit: { ...next.exit, reason: `${first.exit.reason}; ${title}: ${next.exit.reason}` },
  };
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
