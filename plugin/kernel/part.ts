/**
 * One piece of work that writes, as a command of its own and as a part of `upgrade`: it is planned without a
 * write, over the cluster as earlier parts will leave it, and the plan that was made is what acts.
 */
import type { EngineError } from "../domain/base/errors";
import type { Finding } from "../domain/base/findings";
import type { Needs } from "../domain/facts/needs";
import { liveOf, refOf, type RehearsedChange } from "../domain/kube/change";
import { kinds } from "../domain/kube/kinds";
import { type KubeObject, objectLabel } from "../domain/kube/objects";
import type { StepInfo } from "../domain/kube/planned-write";
import { omit, sameJson } from "../domain/base/values";
import type { Names } from "../domain/names/names";
import {
  type AskingPorts,
  requireHome,
  requireNeeds,
  requireYes,
  type RunPorts,
} from "./permissions";
import { storedBy } from "./preview";
import { definedKind, followedBy, projected, type Projection, unchanged } from "./projected";
import type { ExitReport, Report } from "./report";
import { givenUp, waitFor } from "./wait";

/** Made by a factory that closes over its options. */
export interface Part {
  /** The words of its command. */
  readonly command: string;
  readonly needs: (names: Names) => Needs;
  /** Reads, judges and tries by dry run. Throws EngineError only where nothing can be planned from what was read. */
  readonly plan: (world: World) => Promise<Planned>;
  /** Of a part that is left to someone else: whether it has come about. */
  readonly prove?: (world: World) => Promise<ExitReport>;
}

/** What a part plans on: its cluster refuses writes. */
export interface World extends RunPorts {
  /** `none`: the plan is carried out at once, and is not tried before. */
  readonly dryRun: "none" | "client" | "server";
  /** What may pass by itself becomes `waitsFor`; otherwise it stops the part. */
  readonly waits: boolean;
  /** Tells each finding once, in the plan and in the act. */
  readonly tell: (findings: readonly Finding[]) => void;
}

/** What a part acts with. */
export interface Acting extends RunPorts {
  readonly tell: (findings: readonly Finding[]) => void;
}

/** How a part ended. */
export interface Outcome extends ExitReport {
  readonly details?: unknown;
}

/** A write that is planned. */
export type PlannedChange = RehearsedChange;

/** A part that is planned; its steps and findings are told to the recorder of its world. */
export interface Planned {
  readonly writes: readonly PlannedChange[];
  /** Requests to other servers and programs, each with its `write`. */
  readonly calls?: readonly StepInfo[];
  /** Why it cannot be carried out; what comes after it is planned all the same. */
  readonly stops?: EngineError;
  /** What may pass by itself, and is waited for before it is planned again. */
  readonly waitsFor?: string;
  /** Asked before the first write. */
  readonly questions: readonly string[];
  /** How a dry run of it ends. */
  readonly expects: Outcome;
  /** What it will have brought about, which is more than its writes. */
  readonly after: Projection;
  /** Carries the plan out, with its own session, rollback and proof. Throws EngineError before its first write. */
  readonly act: (ports: Acting) => Promise<Outcome>;
}

/** How a part that runs alone is run; times in milliseconds. */
export interface PartOptions {
  readonly dryRun: "none" | "client" | "server";
  /** For what has to pass before the first write. */
  readonly limitMs: number;
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
    const { dryRun } = options;
    const world = { ...ports, tell, dryRun, waits: dryRun === "none" };
    const plan = await planWaited(part, world, options.limitMs);
    if (plan.stops !== undefined) return recorder.failure(plan.stops);
    if (dryRun !== "none") return toReport(ports, plan.expects);
    const writes = plan.writes.length + (plan.calls ?? []).length;
    const warnings = await requireHome(ports, writes > 0);
    tell(warnings);
    for (const question of plan.questions) await requireYes(ports, question);
    return toReport(ports, await plan.act({ ...ports, tell }));
  } catch (error) {
    return recorder.failure(error);
  }
}

/** A part planned ahead: its dry run as a report, and what it will have brought about. */
export interface PlannedAhead {
  readonly report: Report;
  readonly after: Projection;
}

/** Plans a part over what earlier parts will leave behind; expected ends of every kind come back as a report. */
export async function planOver(
  ports: RunPorts,
  part: Part,
  { dryRun, after }: Pick<World, "dryRun"> & { readonly after: Projection },
): Promise<PlannedAhead> {
  const { recorder } = ports;
  try {
    await requireNeeds(ports, part.command, part.needs(ports.names));
    const world = { ...ports, tell: recorder.once(), dryRun, waits: false };
    const { stops, expects, after: next } = await part.plan(overlaid(world, after));
    const report = stops === undefined ? toReport(ports, expects) : recorder.failure(stops);
    return { report, after: next };
  } catch (error) {
    return { report: recorder.failure(error), after: unchanged };
  }
}

function toReport({ recorder }: Pick<RunPorts, "recorder">, { details, ...exit }: Outcome): Report {
  return { ...recorder.report(exit), ...(details !== undefined && { details }) };
}

/** The plan once nothing is waited for any more. */
export async function planWaited(part: Part, world: World, limitMs: number): Promise<Planned> {
  return await waitFor(world, {
    look: async () => {
      const plan = await part.plan(overlaid(world, unchanged));
      const { waitsFor: on } = plan;
      return on === undefined ? { is: "done", value: plan } : { is: "moving", on };
    },
    beforeWrite: true,
    total: { ms: limitMs, end: givenUp },
  });
}

/** The world as a projection leaves it; with none it only refuses writes. */
export function overlaid<W extends Pick<RunPorts, "cluster">>(world: W, after: Projection): W {
  return { ...world, cluster: projected(world.cluster, after) };
}

/** What writes leave behind, by their dry runs or, where they were not tried, by what they send. */
export function leftBy(writes: readonly PlannedChange[]): Projection {
  // an object that is written twice is as the last write leaves it
  const last = new Map(writes.map((write) => [objectLabel(write.change.object), write]));
  const left = [...last.values()].map(({ change, stored }): Projection => {
    if (change.verb === "delete") return { ...unchanged, gone: [refOf(change)] };
    const live = liveOf(change);
    const object = identified(stored ?? storedBy(change), live);
    return { ...unchanged, stored: [object], shades: shadesOf(object, live) };
  });
  return {
    ...unchanged,
    stored: left.flatMap(({ stored }) => stored),
    gone: left.flatMap(({ gone }) => gone),
    shades: left.flatMap(({ shades }) => shades),
  };
}

/** Adds what a part brings about beside its writes. */
export function withOutcome(
  writes: readonly PlannedChange[],
  more: Partial<Projection>,
): Projection {
  return followedBy(leftBy(writes), { ...unchanged, ...more });
}

const identity = ["uid", "resourceVersion", "generation", "creationTimestamp"];

/** An object that exists keeps its identity, so that a saved plan sees a change; a new one has none yet. */
function identified(object: KubeObject, live: KubeObject | undefined): KubeObject {
  const kept = Object.fromEntries(
    identity.flatMap((name) =>
      live?.metadata[name] === undefined ? [] : [[name, live.metadata[name]]],
    ),
  );
  return { ...object, metadata: { ...omit(object.metadata, ...identity), ...kept } };
}

/** A definition that changes makes dry runs of its kind untriable; one of which only marks change does not. */
function shadesOf(object: KubeObject, live: KubeObject | undefined): Projection["shades"] {
  if (object.kind !== kinds.definition.kind) return [];
  return sameJson(object["spec"], live?.["spec"]) ? [] : [definedKind(object)];
}
