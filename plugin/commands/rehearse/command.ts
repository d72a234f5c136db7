/**
 * `rehearse`: any command, run against a cluster in memory. Its plan, the run itself, the edits that
 * people would try afterwards, and the run again, which has nothing left to do.
 */
import { exitCodes } from "../../domain/base/errors";
import { quoteCommand } from "../../output/escape";
import { type Edit, tryEdits } from "../../simulator/edits";
import { type Embedded, openEmbedded } from "../../simulator/simulate";
import { exampleRelease } from "../../simulator/example";
import { listUnknown } from "../../simulator/limits";
import { findWebhook } from "../../simulator/webhook-process";
import type { Finding } from "../../domain/base/findings";
import type { Report } from "../../kernel/report";
import type { RehearseFlags } from "./flags";
import type { CommandContext, CommandRun } from "../../cmdutil/context";
import type { RehearsalDetails, RehearsedSource, RehearsedStage } from "./text";
import { type Opened, openSource } from "./source";
import { playStage, readOnce, type Staged, type Stages, type StageWish } from "./stages";
import { rehearsedByDefault } from "../../cmdutil/standard-flags";
import type { KubeObject } from "../../domain/kube/objects";
import type { User } from "../../simulator/model";

/** A request of a rehearsal takes as long as one over a good network. */
const latencyMs = 10;

/** Plays every stage; the exit code is that of the worst. */
export const runRehearse: CommandRun<RehearseFlags> = async (context, _args, flags) => {
  const places = {
    given: flags.webhook,
    executable: context.executable,
    path: context.env["PATH"],
  };
  const webhook = () => findWebhook(places);
  // what was given is judged at once, what was not is looked for when it is called
  if (flags.webhook !== undefined) await webhook();
  const opened = await openSource(context, flags.from);
  try {
    const { clock, names, signal } = context;
    const now = clock.now();
    const embedded = await openEmbedded({ ...opened, names, webhook, now, signal });
    try {
      return await new Rehearsal({ context, flags, opened, embedded }).run();
    } finally {
      await embedded.close();
    }
  } finally {
    opened.close();
  }
};

class Rehearsal {
  private readonly stages: Stages;
  private readonly played: RehearsedStage[] = [];

  constructor(private readonly staged: Staged) {
    const { context, flags } = staged;
    this.stages = {
      context,
      command: flags.command,
      contextArgs: staged.opened.contextArgs,
      readInput: readOnce(context.readInput, flags.from),
      ownRelease: flags.from === undefined ? exampleRelease(context.names) : undefined,
    };
  }

  async run(): Promise<Report> {
    const { context, flags } = this.staged;
    const { dryRun } = context.options;
    if (dryRun !== "none") {
      await this.play("the dry run", dryRun);
      return this.report();
    }
    if (flags.command.reads !== true) await this.play("the plan", "client");
    const run = await this.play("the run", "none");
    if (run.report.exit.code === exitCodes.ok) await this.afterwards(run);
    return this.report();
  }

  /** What follows a run that ended well: edits by people, and the same command again. */
  private async afterwards(run: RehearsedStage): Promise<void> {
    const { flags } = this.staged;
    if (flags.command.path === rehearsedByDefault) await this.playEdits();
    if (!flags.command.settles || run.writes === 0) return;
    const again = await this.play("the same command again", "none");
    if (again.writes === 0) return;
    this.played.splice(-1, 1, {
      ...again,
      report: endWith(
        again.report,
        `it sent writes (${again.writes}) where nothing was left to do`,
      ),
    });
  }

  private async play(title: string, dryRun: StageWish["dryRun"]): Promise<RehearsedStage> {
    const { context, opened, embedded } = this.staged;
    context.signal.throwIfAborted();
    const stage = await playStage(this.stages, {
      title,
      dryRun,
      clock: embedded.played,
      event: context.event,
      apis: embedded.apis,
      cluster: opened.asUser(this.connect(opened.user)),
    });
    context.signal.throwIfAborted();
    // what the command set going comes to its end before anybody looks again
    await embedded.played.settle();
    this.played.push(stage);
    return stage;
  }

  private connect(user: Opened["user"]) {
    const { opened, embedded } = this.staged;
    const { namespace, source } = opened;
    return embedded.controlPlane.connect({
      user,
      namespace,
      server: nameServer(source.described),
      lacks: source.lacks,
      misfits: source.misfits,
      latency: () => {
        embedded.clock.advance(latencyMs);
      },
    });
  }

  /** By someone who may edit every database: what is shown is the webhook's answer. */
  private async playEdits(): Promise<void> {
    const { embedded, context } = this.staged;
    const someone = { name: "system:admin", groups: ["system:masters"] };
    const { state } = embedded.controlPlane;
    const edits = await tryEdits(this.connect(someone), state, context.names);
    if (edits.length === 0) return;
    this.played.push({
      title: "edits of a database, as people would try them",
      command: edits.map(renderEdit).join(" ; "),
      writes: 0,
      edits: edits.map((edit) => ({ command: renderEdit(edit), answer: edit.answer })),
      report: buildReport(edits),
    });
  }

  private report(): Report {
    const { context, opened, embedded } = this.staged;
    const { source, namespace } = opened;
    const details: RehearsalDetails = {
      source: describeSource(this.staged),
      stages: this.played,
      unknown: listUnknown(source.objects, embedded.skipped),
    };
    return {
      apiVersion: "cli.engine.com/v1",
      kind: "Rehearsal",
      run: context.run,
      target: { server: nameServer(source.described), namespace },
      findings: source.findings,
      details,
      exit: chooseExit(this.played, source.findings),
    };
  }
}

function renderEdit({ command }: Edit): string {
  return quoteCommand(["kubectl", ...command]);
}

/** Never an address: nobody may take it for a real run. */
function nameServer(described: string): string {
  return `rehearsal of ${described}`;
}

function buildReport(edits: readonly Edit[]): Report {
  const wrong = edits.filter(({ asWanted }) => !asWanted);
  const expected = wrong.map(({ wanted }) => `the edit that had to be ${wanted} was not`);
  return {
    apiVersion: "cli.engine.com/v1",
    kind: "Edits",
    exit:
      wrong.length === 0
        ? { code: exitCodes.ok, reason: edits.map(({ wanted }) => `one was ${wanted}`).join(", ") }
        : { code: exitCodes.failed, reason: expected.join(", "), next: "look at the answer above" },
  };
}

function endWith(report: Report, reason: string): Report {
  const next = "report this as an error of kubectl-engine";
  return { ...report, exit: { code: exitCodes.failed, reason, next } };
}

/** The source in words and numbers, with what a person must know about it. */
function describeSource({ context, opened, embedded }: Staged): RehearsedSource {
  const { source, user } = opened;
  return {
    described: source.described,
    objects: source.objects.length,
    kinds: countObjects(source.objects, context),
    user: userText(user, opened),
    warnings: [...source.warnings, ...notServing(embedded, context)],
  };
}

function userText({ name, groups }: User, { narrowed }: Opened): string {
  if (narrowed) return `${name}, with the permissions that the live cluster reports`;
  return groups.includes("system:masters") ? `${name}, who may do everything` : name;
}

function countObjects(
  objects: readonly KubeObject[],
  { names }: CommandContext,
): Readonly<Record<string, number>> {
  const kinds = ["Namespace", names.ec.kind, names.edb.kind, names.eaadb.kind, names.erc.kind];
  const counts = kinds.map((kind) => [kind, objects.filter((one) => one.kind === kind).length]);
  return Object.fromEntries(counts.filter(([, count]) => count !== 0)) as Record<string, number>;
}

function notServing(embedded: Embedded, { names }: CommandContext): readonly string[] {
  if (!embedded.hasPair) {
    return [`no Secret ${names.webhook.secret} to serve with: calls of the webhook are refused`];
  }
  if (embedded.webhook()?.ready !== false) return [];
  return [`the webhook program does not become ready with the pair of ${names.webhook.secret}`];
}

/** Exit codes, the worst last. */
const gravity: readonly number[] = [0, 2, 3, 4, 5, 124, 69, 6, 7, 8, 1, 70];

/** The worst of the stages; no success on a dump with errors of its own. */
function chooseExit(
  stages: readonly RehearsedStage[],
  findings: readonly Finding[] = [],
): Report["exit"] {
  const rank = ({ report }: RehearsedStage): number => gravity.indexOf(report.exit.code);
  const [worst] = [...stages].sort((one, other) => rank(other) - rank(one));
  if (worst !== undefined && rank(worst) > 0) {
    const { exit } = worst.report;
    return { ...exit, reason: `${worst.title}: ${exit.reason}` };
  }
  if (findings.some(({ severity }) => severity === "error")) {
    return {
      code: exitCodes.blocked,
      reason:
        "the dump has fields of another type than their kind: what depends on them is unknown",
      next: "correct the dump as the errors say, then rehearse again",
    };
  }
  return {
    code: exitCodes.ok,
    reason: "the rehearsal ended as expected, nothing real was touched",
  };
}
