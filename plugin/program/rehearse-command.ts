/** `rehearse`, as data: the one command that is given another one. */
import type { RehearsedCommand, RehearseFlags } from "../commands/context";
import { UsageError } from "../domain/errors";
import { profileNames, usualProfile } from "../rehearsal/cluster-api/profiles";
import { exampleReleaseName } from "../rehearsal/example-places";
import { rehearsedByDefault } from "../commands/standard-flags";
import type { Chosen, CommandEntry, LoadedCommand, Prepared } from "./entry";
import { groups, mainJob } from "./entry";
import type { RawFlags } from "./values";
import { FlagReader } from "./values";

/** The entry, made for the commands that may be rehearsed. */
export function rehearseCommand(commands: readonly CommandEntry[]): CommandEntry {
  const known = commands.map(({ path }) => path);
  return {
    path: "rehearse",
    kind: "Rehearsal",
    group: groups.upgrade,
    summary: "Run a command against a copy of a cluster in memory, nothing real touched",
    description: `Run a command against a copy of a cluster in memory: its plan, the run itself, and the run again.

The copy is made of a live cluster that is only read, of a dump as "kubectl get -o yaml" writes it, or of a
built-in example. Admission calls go to the webhook program that is really running on this machine. Flags of
the command are given as if it stood alone; without a command, ${rehearsedByDefault} is rehearsed.`,
    examples: [
      { does: "See the swap of the webhook on the built-in example", line: "rehearse" },
      {
        does: "See the whole upgrade on it, to a release that comes along",
        line: "rehearse upgrade",
      },
      { does: "Rehearse it on a copy of a live cluster", line: "rehearse --from prod -n engine" },
      {
        does: "Rehearse a command on a dump, with every failure that can meet it",
        line: "rehearse upgrade-webhook --from dump.yaml --faults all",
      },
      {
        does: "Play the cluster's REST API for curl or for another shell",
        line: "rehearse --serve-api",
      },
    ],
    argument: {
      name: "COMMAND",
      help: "Command to rehearse, followed by its flags",
      choices: known,
      optional: true,
    },
    flags: [
      {
        name: "from",
        value: "PLACE",
        file: true,
        help: "Context of the kubeconfig, or a file or folder of objects, - for stdin; else an example",
      },
      {
        name: "faults",
        value: "WHICH",
        fallback: "none",
        help: "Failures to put in: none, all, a number for a random choice, or CALL:FAULT as printed",
      },
      {
        name: "webhook",
        value: "FILE",
        file: true,
        help: "engine-webhook to call, instead of the one beside this program or on the PATH",
      },
      {
        name: "serve-api",
        help: "Run no command: play the cluster's REST API on this machine until interrupted",
      },
      {
        name: "api-release",
        value: "RELEASE",
        choices: profileNames,
        fallback: usualProfile,
        help: "Release whose REST API is played",
      },
    ],
    cluster: true,
    prepare: (raw, inner) =>
      new FlagReader(raw).on("serve-api")
        ? prepareServing(raw, inner)
        : prepareRehearsal(raw, inner ?? mainJob(commands), commands),
  };
}

function prepareRehearsal(
  raw: RawFlags,
  inner: Chosen,
  commands: readonly CommandEntry[],
): Prepared {
  const read = new FlagReader(raw);
  const flags = judgeFlags(read);
  if (read.given("api-release")) read.missing.push("--api-release: goes with --serve-api");
  if (!commands.includes(inner.entry)) {
    const known = commands.map(({ path }) => path).join(", ");
    read.problems.push(
      `${inner.entry.path} cannot be rehearsed, it works on no cluster; what can: ${known}`,
    );
    const { problems } = read;
    return { problems, load: () => Promise.reject(new UsageError(problems)) };
  }
  const chosen = flags.from === undefined ? withRelease(inner) : inner;
  const prepared = chosen.entry.prepare(chosen.raw);
  return {
    ...prepared,
    problems: [...read.problems, ...prepared.problems],
    missing: [...read.missing, ...(prepared.missing ?? [])],
    load: async () => await loadRehearsal(flags, chosen, await prepared.load()),
  };
}

/** On the built-in example no file is needed: the release to upgrade it to comes with it. */
function withRelease(chosen: Chosen): Chosen {
  const { entry, raw, words } = chosen;
  const read = new FlagReader(raw);
  if (entry.needsRelease !== true || read.given("release") || read.given("chart")) return chosen;
  const release = exampleReleaseName;
  return { ...chosen, raw: { ...raw, release }, words: [...words, `--release=${release}`] };
}

/** The REST API alone: no command is run on it. */
function prepareServing(raw: RawFlags, inner: Chosen | undefined): Prepared {
  const read = new FlagReader(raw);
  const from = read.text("from");
  const release = read.choice("api-release", profileNames, usualProfile);
  // the implied command is there whether it was typed or not
  if (inner !== undefined && inner.entry.path !== rehearsedByDefault) {
    read.problems.push(`--serve-api plays the REST API alone, without ${inner.entry.path}`);
  }
  for (const other of ["faults", "webhook"]) {
    if (read.given(other)) read.problems.push(`--${other} and --serve-api do not go together`);
  }
  return {
    problems: read.problems,
    load: async () => {
      const { runServeApi } = await import("../commands/rehearse-serve.ts");
      const flags = { release, ...(from !== undefined && { from }) };
      return { run: (context, args) => runServeApi(context, args, flags) };
    },
  };
}

async function loadRehearsal(
  flags: Omit<RehearseFlags, "command">,
  { entry, args, words, raw }: Chosen,
  command: LoadedCommand,
): Promise<LoadedCommand> {
  const { runRehearse } = await import("../commands/rehearse.ts");
  const { rehearsalText } = await import("../commands/rehearse-text.ts");
  const { settles = false, repeatsWith, reads } = entry;
  const read = new FlagReader(raw);
  const repeats = repeatsWith !== undefined && read.on(repeatsWith);
  const rehearsed: RehearsedCommand = {
    line: words,
    path: entry.path,
    settles: settles && !repeats,
    reads: reads?.(read) === true,
    run: (context) => command.run(context, args),
  };
  return {
    run: (context) => runRehearse(context, [], { ...flags, command: rehearsed }),
    text: (report, style) => rehearsalText(report, style, command.text),
  };
}

function judgeFlags(read: FlagReader): Omit<RehearseFlags, "command"> {
  const from = read.text("from");
  const webhook = read.text("webhook");
  const faults = read.text("faults");
  if (
    faults !== undefined &&
    !/^(none|all|\d{1,9}|\d{1,6}:[a-z-]+(,\d{1,6}:[a-z-]+)*)$/.test(faults)
  ) {
    read.problems.push(
      `--faults: ${JSON.stringify(faults)} is neither none, all, a number nor CALL:FAULT as printed`,
    );
  }
  return {
    ...(from !== undefined && { from }),
    ...(webhook !== undefined && { webhook }),
    ...(faults !== undefined && faults !== "none" && { faults }),
  };
}
