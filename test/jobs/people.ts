/** Plays of people: who changes what the job is about, who interrupts it, who says nothing, who may not. */
import { InterruptedError } from "../../plugin/cmdutil/context";
import { ApiError, exitCodes } from "../../plugin/domain/base/errors";
import type { Fault } from "./faults";
import { type Field, fieldsWritten, owned } from "./fields";
import {
  type Case,
  ended,
  isDone,
  isSame,
  type Play,
  thenAgain,
  type Undisturbed,
  unless,
  unwritten,
} from "./judge";
import type { Ran, Request, Trial, Written } from "./trial";

const { ok, usage, permission, conflict, timeout, interrupted, partial } = exitCodes;

/** Someone writes the object, or makes it, when the job has read it and not yet written. */
export function changedMeanwhile({ ran }: Undisturbed): (write: Written) => Play {
  return (write) => async (trial) => {
    const first = await trial.run({
      disturb: async (request) => {
        if (isSame(request, write)) await touch(trial, write);
      },
    });
    const now = await trial.stored(write);
    const isKept = now?.metadata.annotations?.[note] === "stays";
    // what the job deletes in the end, it may have read again before
    const isDeleted = ran.written.some(
      ({ call }) => call.verb === "delete" && call.subject === write.call.subject,
    );
    return [
      ...ended(first, [ok, conflict, partial]),
      ...unless(isKept || (now === undefined && isDeleted), "the other's value is gone"),
    ];
  };
}

const note = "example.com/theirs";

/** An object that someone makes is as the job would make it; of one that is there only the note is theirs. */
async function touch(trial: Trial, { before, after }: Written): Promise<void> {
  const object = before ?? after;
  if (object === undefined) return;
  const { apiVersion, kind } = object;
  const { name = "", namespace } = object.metadata;
  const metadata = { name, ...(namespace && { namespace }), annotations: { [note]: "stays" } };
  const noted = { ...(before === undefined && after), apiVersion, kind, metadata };
  await trial.admin.apply(noted, { fieldManager: "kubectl-edit", force: true });
}

/** Fields that the job writes, each owned by GitOps before the job begins. */
export function foreign(writes: readonly Written[]): readonly Case[] {
  return writes.flatMap((write) => {
    const { nth, before, after } = write;
    if (nth > 0 || before === undefined || after === undefined) return [];
    return fieldsWritten(before, after).map((field) => ({
      at: `${write.key}: ${field.path.join(".")}`,
      play: (trial: Trial) => ownedByGitOps(trial, write, field),
    }));
  });
}

const gitOps = "argocd-controller";

/** The job may also find that it need not write the field. */
async function ownedByGitOps(
  trial: Trial,
  write: Written,
  field: Field,
): Promise<readonly string[]> {
  const { objectOf, isKept } = owned(field);
  const now = await trial.stored(write);
  if (now === undefined) return ["it is not there yet"];
  await trial.admin.apply(objectOf(now), { fieldManager: gitOps, force: true });
  const plan = await trial.run({ more: ["--dry-run=server"] });
  const first = await trial.run();
  if (first.code === ok && isKept(await trial.stored(write))) return unwritten(plan);
  return [
    ...unless(isKept(await trial.stored(write)), `overwritten, exit ${String(first.code)}`),
    ...refused(first, field),
    ...refused(plan, field).map((why) => `dry run, ${why}`),
    ...unwritten(plan),
  ];
}

function refused(ran: Ran, { path }: Field): readonly string[] {
  const said = `${ran.out}${ran.err}`;
  return [
    ...ended(ran, [conflict, partial]),
    ...unless(said.includes(gitOps), "the manager is not named"),
    ...unless(said.includes(path.at(-1) ?? ""), "the field is not named"),
  ];
}

/** `before`: at the request that comes before the write, which is then not sent. */
export function interruptedAt(known: Undisturbed, when: "before" | "during") {
  const { requests } = known.ran;
  return (request: Request): Play => {
    const moment = (when === "before" ? requests[request.index - 1] : undefined) ?? request;
    return async (trial) => {
      const stop = new AbortController();
      const first = await trial.run({
        signal: stop.signal,
        disturb: (one) => {
          if (isSame(one, moment)) stop.abort(new InterruptedError("SIGINT"));
          return undefined;
        },
      });
      const untold = first.written.filter((one) => !isTold(first, one));
      return [
        ...ended(first, [interrupted, ...(isDone(known, trial) ? [ok] : [])]),
        ...untold.map(({ key }) => `${key} is not told`),
        ...(await thenAgain(known, trial)),
      ];
    };
  };
}

/** A step of its own, the result of its namespace, or the reason of the end says that it was done. */
function isTold({ report }: Ran, { call: { target } }: Written): boolean {
  const { name = "", namespace } = target ?? {};
  const { steps = [], namespaces = [], exit } = report;
  const done = steps.filter(({ result }) => !["planned", "unchanged", "skipped"].includes(result));
  return (
    done.some(({ object }) => object.endsWith(`/${name}`)) ||
    namespaces.some((one) => one.name === namespace && one.result !== "unchanged") ||
    exit.reason.includes(name)
  );
}

/** Who waits in an undisturbed run waits for others. */
export function deadline(known: Undisturbed): Play {
  return async (trial) => {
    const first = await trial.run({ more: ["--timeout=1s"], still: true });
    const extra = first.ms - known.ran.ms;
    return [
      ...ended(first, known.ran.ms > 1_000 ? [timeout] : [ok]),
      ...unless(extra <= 60_000, `took ${String(extra / 1000)} s more`),
      ...(await thenAgain(known, trial)),
    ];
  };
}

/** Who does not ask does its work. */
export function unconfirmed(known: Undisturbed): Play {
  return async (trial) => {
    const first = await trial.run({ unconfirmed: true });
    if (first.code === usage) return unwritten(first);
    return [...ended(first, [ok]), ...unless(isDone(known, trial), "not done")];
  };
}

export function dryRun(mode: string): Play {
  return async (trial) => {
    const planned = await trial.run({ more: [`--dry-run=${mode}`] });
    return [...ended(planned, [ok]), ...unwritten(planned)];
  };
}

export function settled({ job, ran, again }: Undisturbed): readonly string[] {
  return [
    ...ended(ran, [ok]),
    ...unless(unwritten(ran).length > 0, "its example writes nothing: list.ts needs words for it"),
    ...(job.settles ? [...ended(again, [ok]), ...unwritten(again)] : []),
  ];
}

export async function forbidden(trial: Trial): Promise<readonly string[]> {
  const ran = await trial.run({ user: "nobody" });
  return [...ended(ran, [permission]), ...unwritten(ran), ...roleUnprinted(ran)];
}

const refusal: Fault = {
  id: "forbidden",
  says: "refused to this user (403)",
  meets: ({ writes, dryRun }) => writes || dryRun,
  ...{ applied: false, kills: false },
  error: ({ verb, subject }) =>
    new ApiError(`${subject} is forbidden: User "admin" cannot ${verb} it`, {
      ...{ status: 403, reason: "Forbidden" },
    }),
};

/** Somebody who may do all but one of the writes, in no namespace: others would be served without it. */
export function mayAllBut({ call, before }: Written): Play {
  const verbs = call.verb === "apply" ? ["patch", ...(before ? [] : ["create"])] : [call.verb];
  return async (trial) => {
    const resource = await trial.resourceOf(call);
    const ran = await trial.run({
      lacks: ({ verb, group, resource: plural }) =>
        verbs.includes(verb) && group === resource?.group && plural === resource.plural,
      disturb: ({ call: { verb, target } }) =>
        verb === call.verb && target?.kind === call.target?.kind ? refusal : undefined,
    });
    return [...ended(ran, [permission]), ...unwritten(ran), ...roleUnprinted(ran)];
  };
}

function roleUnprinted({ report }: Ran): readonly string[] {
  const { manifest = "" } = report.permissions ?? {};
  return unless(/kind: (Cluster)?Role\b/.test(manifest), "no Role is printed");
}
