/** `rehearse --write-example`: the example's release as a folder that every --release reads. */
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { exitCodes, UsageError } from "../../domain/base/errors";
import { releasePaths } from "../../domain/release/contents";
import { exampleRelease } from "../../simulator/example";
import { readFolder } from "../../adapters/release/folder";
import { fileProblem, replaceFile } from "../../adapters/files";
import type { CommandContext } from "../../cmdutil/context";
import { escape } from "../../output/escape";
import type { Report } from "../../kernel/report";

/** `details` of the document. */
export interface ExampleDetails {
  readonly folder: string;
  /** The tag that the release is of, as --target takes it. */
  readonly target: string;
  readonly files: readonly {
    readonly path: string;
    readonly result: "created" | "unchanged" | "planned";
  }[];
}

/** Writes the files that are not there yet; a file with another content is nobody's to replace. */
export async function writeExample(
  { names, options }: Pick<CommandContext, "names" | "options">,
  folder: string,
): Promise<Report> {
  const release = exampleRelease(names);
  const texts = new Map(
    releasePaths(names).flatMap((path) => {
      const file = release.file([path]);
      return file === undefined ? [] : [[path, file.text] as const];
    }),
  );
  const stored = await readFolder(folder, [...texts.keys()]);
  const others = [...texts].filter(([path, text]) => {
    const bytes = stored.get(path);
    return bytes !== undefined && bytes.toString() !== text;
  });
  if (others.length > 0) {
    throw new UsageError(
      others.map(([path]) => `${join(folder, path)} is there, with another content`),
      { hint: "give a folder that is empty or does not exist" },
    );
  }
  const isDry = options.dryRun !== "none";
  const missing = [...texts].filter(([path]) => !stored.has(path));
  for (const [path, text] of isDry ? [] : missing) await writeInto(join(folder, path), text);
  const target = release.source.replace(/^.*:/, "");
  const details: ExampleDetails = {
    folder,
    target,
    files: [...texts.keys()].map((path) => ({
      path,
      result: stored.has(path) ? "unchanged" : isDry ? "planned" : "created",
    })),
  };
  return {
    apiVersion: "cli.engine.com/v1",
    kind: "ExampleRelease",
    details,
    exit: {
      code: exitCodes.ok,
      reason: `release ${target} is in ${folder}; give --release ${folder} --target ${target}`,
    },
  };
}

async function writeInto(path: string, text: string): Promise<void> {
  const writing = { what: "example", hint: "give a folder that can be written", mode: 0o644 };
  try {
    await mkdir(dirname(path), { recursive: true });
  } catch (error) {
    const { what, hint } = writing;
    throw new UsageError(`cannot write the ${what}: ${fileProblem(dirname(path), error)}`, {
      hint,
    });
  }
  await replaceFile(path, text, writing);
}

/** A line for each file, in kubectl's voice, then what it is good for. */
export function exampleText({ details, exit }: Report): string {
  const { folder, files } = details as ExampleDetails;
  const lines = files.map(({ path, result }) => `${escape(join(folder, path))} ${result}`);
  return `${[...lines, "", `Done: ${escape(exit.reason)}`].join("\n")}\n`;
}
