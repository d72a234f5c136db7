/** Runs a part by itself, planned once it waits for nothing any more. */
import { UnknownOutcomeError } from "../domain/base/errors";
import type { Part, Planned, Outcome } from "./part";
import { requireHome } from "./journal";
import { requireNeeds } from "./permissions";
import { overlayWorld, unchanged } from "./projection";
import type { Report } from "./report";
import { waitFor, makeGivenUpError } from "./wait";
import { type AskingPorts, type RunPorts, type World, requireYes } from "./world";

/** How a part that runs alone is run; times in milliseconds. */
interface PartOptions {
  readonly dryRun: "none" | "client" | "server";
  /** For what has to pass before the first write. */
  readonly limitMs: number;
  /** What may pass by itself is waited for; absent: unless it is a dry run. */
  readonly waits?: boolean;
}

/** Runs a part by itself, planned once; expected ends of every kind come back as a report. */
export async function runPart(
  ports: AskingPorts,
  part: Part,
  options: PartOptions,
): Promise<Report> {
  const { recorder } = ports;
  try {
    await requireNeeds(ports, part.command, part.needs(ports.names));
    const tell = recorder.once();
    const { dryRun, waits = dryRun === "none" } = options;
    const world = { ...ports, tell, dryRun, waits };
    const plan = await planWaited(part, world, options.limitMs);
    if (plan.stops !== undefined) {
      return { ...recorder.failure(plan.stops), ...findDetails(plan.expects) };
    }
    if (dryRun !== "none") return toReport(ports, plan.expects);
    await confirm(ports, plan, tell);
    return toReport(ports, await plan.act({ ...ports, tell }));
  } catch (error) {
    const isCut = ports.signal.aborted && !(error instanceof UnknownOutcomeError);
    return recorder.failure(error, isCut ? { stands: "nothing was written" } : {});
  }
}

/** Shows what was found before the first write, then asks. */
async function confirm(
  ports: AskingPorts,
  { writes, calls = [], questions }: Planned,
  tell: World["tell"],
): Promise<void> {
  const count = writes.length + calls.length;
  tell(await requireHome(ports, count > 0));
  if (count > 0) await ports.present?.(ports.recorder.everyFinding);
  for (const question of questions) await requireYes(ports, question);
}

/** The plan once nothing is waited for any more. */
export async function planWaited(part: Part, world: World, limitMs: number): Promise<Planned> {
  return await waitFor(world, {
    look: async () => {
      const plan = await part.plan(overlayWorld(world, unchanged));
      const { waitsFor: on, limit } = plan;
      return on === undefined ? { is: "done", value: plan } : { is: "moving", on, limit };
    },
    beforeWrite: true,
    total: { ms: limitMs, end: makeGivenUpError },
  });
}

function toReport({ recorder }: Pick<RunPorts, "recorder">, { details, ...exit }: Outcome): Report {
  return { ...recorder.report(exit), ...findDetails({ details }) };
}

/** A plan that stops says as well what is known by then. */
function findDetails({ details }: Pick<Outcome, "details">): Pick<Report, "details"> {
  return details === undefined ? {} : { details };
}
