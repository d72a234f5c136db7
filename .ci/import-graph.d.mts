import type { SourceFile } from "typescript";

export function importsIn(file: SourceFile): readonly { specifier: string; loads: boolean }[];

/** Paths are absolute. */
export function targetOf(
  from: string,
  specifier: string,
  files: ReadonlySet<string>,
): string | undefined;
