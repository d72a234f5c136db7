/** The program: a command line in, an exit code out. Help needs nothing that is loaded later. */
import type { GlobalOptions } from "../cmdutil/context";
import { attribute, FlagReader } from "../cmdutil/flags";
import { parseSkip } from "../domain/checks/selection";
import type { ExitCode } from "../domain/base/errors";
import { hasTemplate, verdictForms } from "../domain/base/output-form";
import { fitHelp, readWidth } from "../domain/base/fit";
import type { Question, Suggestion } from "./complete";
import type { HostProcess } from "./context";
import { defaultNames, type Names } from "../domain/names/names";
import type { Chosen } from "../cmdutil/entry";
import type { CommandLine } from "./run";
import type { ReadNames } from "./names-file";
import { codes, diff, writers } from "./commands";
import { parse, type Parsed, choosePrefix, toGlobalOptions } from "./tree";

/** Runs one command line to its end; never throws. */
export async function runProgram(world: HostProcess): Promise<ExitCode> {
  const { argv, env, streams } = world;
  if (argv[0] === "__complete") return complete(argv.slice(1), world);
  const parsed = parse(argv, choosePrefix(env));
  if (parsed.help !== undefined) {
    const help = parsed.help(await chooseNames(parsed, env));
    streams.out.write(fitHelp(help, readWidth(streams.out)));
    return 0;
  }
  return runParsed(parsed, { ...world, argv: parsed.words });
}

async function runParsed({ raw, chosen, problems }: Parsed, world: HostProcess): Promise<ExitCode> {
  const global = toGlobalOptions(raw, world.env);
  const named = await readNamesOption(global.options);
  const judged = chosen && (await judge(chosen, named.names, problems.length > 0));
  const unnamed = nameProblems(chosen, global.options);
  const unwritable = await reportProblems(global.options.report);
  const form = await readForm(global.options.output);
  const own = judged?.problems ?? [];
  const found = [problems, global.problems, unnamed, unwritable, form.problems, own];
  const all = [...new Set(found.flat())];
  const isSound = all.length + named.problems.length === 0;
  const said = isSound ? answerAtOnce(chosen, global.options) : undefined;
  if (said !== undefined) {
    world.streams.out.write(said);
    return 0;
  }
  const { run } = await import("./run.ts");
  return run(
    {
      options: {
        ...global.options,
        names: named.names,
        ...fallBack({ report: unwritable, output: form.problems }),
      },
      form: form.form,
      problems: all,
      fileProblems: named.problems,
      ...judged?.line,
      args: chosen?.args ?? [],
    },
    world,
  );
}

/** What stands against the file of --report, before anything is done. */
async function reportProblems(file: string | undefined): Promise<readonly string[]> {
  if (file === undefined) return [];
  const problem = (await import("../adapters/files.ts")).unwritable(file);
  return problem === undefined ? [] : [`--report: ${problem}`];
}

/** The mistakes themselves are reported without what they are about. */
function fallBack(problems: Readonly<Record<"report" | "output", readonly string[]>>) {
  return {
    ...(problems.report.length > 0 && { report: undefined }),
    ...(problems.output.length > 0 && { output: "text" as const }),
  };
}

/** The form of -o, its template compiled; what cannot be read of one is known before anything is done. */
async function readForm(
  output: GlobalOptions["output"],
): Promise<Pick<CommandLine, "form"> & { readonly problems: readonly string[] }> {
  if (!hasTemplate(output)) return { form: output, problems: [] };
  const { compileForm, TemplateError } = await import("../output/template.ts");
  try {
    return { form: compileForm(output), problems: [] };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    return { form: "text", problems: [`--output: ${error.message}`] };
  }
}

/** Verdicts have forms of their own. Names are printed of objects: a command that neither writes nor shows any has none to print. */
function nameProblems(chosen: Chosen | undefined, { output }: GlobalOptions): readonly string[] {
  if (chosen === undefined) return [];
  const { entry, raw, inner } = chosen;
  const isForVerdicts = verdictForms.some((form) => form === output);
  if (isForVerdicts && (inner ?? chosen).entry.verdicts !== true) {
    return [`--output: ${output} is for verdicts on objects, and ${entry.path} gives none`];
  }
  if (output !== "name") return [];
  const isWriter = writers.includes(entry) || entry === diff;
  if (isWriter || entry.shows?.(new FlagReader(raw)) === true) return [];
  return [`--output: name is for objects, and ${entry.path} neither writes nor lists any here`];
}

/** All that a command prints whose arguments alone decide; undefined for one that has to run. */
function answerAtOnce(chosen: Chosen | undefined, { output }: GlobalOptions): string | undefined {
  return output === "text" ? chosen?.entry.says?.(chosen.args) : undefined;
}

/** What the command makes of its words; with a mistyped flag among them, what is missing may be that one. */
async function judge(
  chosen: Chosen,
  names: Names | undefined,
  mistyped: boolean,
): Promise<{
  readonly problems: readonly string[];
  readonly line: Pick<CommandLine, "entry" | "prepared" | "warnings" | "placed">;
}> {
  const { entry, raw, inner } = chosen;
  const acting = entry.place === "given" ? (inner ?? chosen) : chosen;
  const prepared = entry.prepare(raw, inner);
  const { missing = [], warnings = [] } = prepared;
  const kinds = await kindProblems(inner ?? chosen, names);
  return {
    problems: [...kinds, ...prepared.problems, ...(mistyped ? [] : missing)],
    line: {
      entry,
      prepared,
      warnings,
      ...readPlace(acting),
    },
  };
}

/** The code of webhookFindings.otherNamespace, whose texts would be loaded for help too. */
const movedCode = "WEBHOOK-OTHER-NAMESPACE";

/** What the namespace has to hold; whoever takes the webhook over to another one means that one. */
function readPlace({ entry: { place, reads }, raw }: Chosen): Pick<CommandLine, "placed"> {
  const read = new FlagReader(raw);
  if (place === undefined || place === "given") return {};
  const isMoved = (word: string): boolean => parseSkip(word).code === movedCode;
  if (place === "webhook" && read.list("skip").some(isMoved)) return {};
  const isReader = reads?.(read) === true;
  return isReader && read.on("all-namespaces") ? {} : { placed: { sign: place, reads: isReader } };
}

/** What stands against names that are typed with a kind, or a namespace, before them. */
async function kindProblems(
  { entry, args, raw }: Chosen,
  names: Names | undefined,
): Promise<readonly string[]> {
  const typed = [
    { ...entry.argument, name: entry.argument?.name ?? "", given: args },
    ...entry.flags.map((flag) => ({
      ...flag,
      name: `--${flag.name}`,
      given: [raw[attribute(flag.name)]].flat(),
    })),
  ].flatMap(({ name, kinds, given }) =>
    kinds === undefined ? [] : given.map((value) => ({ name, kinds, value: String(value) })),
  );
  if (!typed.some(({ value }) => value.includes("/"))) return [];
  const { nameProblem } = await import("../domain/names/names.ts");
  return typed.flatMap(({ name, kinds, value }) => {
    const problem = nameProblem(value, kinds, names ?? defaultNames);
    return problem === undefined ? [] : [`${name}: ${problem}`];
  });
}

/** What --names leads to; nothing is loaded without it. */
async function readNamesOption({
  namesFile,
}: Pick<GlobalOptions, "namesFile">): Promise<ReadNames> {
  if (namesFile === undefined) return { problems: [] };
  const { readNames } = await import("./names-file.ts");
  return readNames(namesFile);
}

/** The names that help is told in: those that the line or the environment gives, where they are fit. */
async function chooseNames({ raw }: Pick<Parsed, "raw">, env: HostProcess["env"]): Promise<Names> {
  const { names } = await readNamesOption({ namesFile: new FlagReader(raw, env).text("names") });
  return names ?? defaultNames;
}

/** Shell completion: never an error in the middle of a prompt. */
async function complete(words: readonly string[], world: HostProcess): Promise<ExitCode> {
  const { env, streams } = world;
  const { complete: answer } = await import("./complete.ts");
  const lineNames = await chooseNames(parse(words, choosePrefix(env)), env);
  const findSuggestions = async (question: Question): Promise<readonly Suggestion[]> => {
    const line = parse(question.before, choosePrefix(env));
    const { options } = toGlobalOptions(line.raw, env);
    const { names } = await readNamesOption(options);
    const { findWords } = await import("./completion-values.ts");
    const everywhere = line.words.includes("--all-namespaces");
    const { raw } = line.chosen?.inner ?? line.chosen ?? line;
    const read = new FlagReader(raw);
    const asked = { release: read.text("release"), target: read.text("target") };
    return findWords({ ...question, options: { ...options, names }, everywhere, asked }, world);
  };
  streams.out.write(await answer(words, { codes, found: findSuggestions, names: lineNames }));
  return 0;
}
