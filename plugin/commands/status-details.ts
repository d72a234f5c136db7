/** What the document of a status has to say, the one model behind the screen and the JSON. */
import type { Names } from "../domain/names";
import { termOf } from "../domain/names";
import { type FindingsStatus, type Status, summarise, type Summary } from "../domain/status/status";
import type { Look } from "../run/status";
import type { GlobalOptions } from "./context";
import { engineCommand } from "./kubectl-command";

/** `details` of the document. */
export interface StatusDetails extends Omit<Status, "next" | "findings"> {
  readonly server: string;
  /** What messages call the kinds of databases. */
  readonly terms: { readonly edb: string; readonly eaadb: string };
  readonly summary: readonly Summary[];
  readonly findings: FindingsStatus & { readonly command: string };
  readonly next?: { readonly says: string; readonly command?: string };
  /** The API server does not answer: this is the last state that was read. */
  readonly old?: NonNullable<Look["old"]>;
}

/** Who prints the commands, and in which words. */
export interface DetailsContext {
  readonly names: Names;
  readonly options: Pick<GlobalOptions, "prefix" | "contextArgs" | "namesFile">;
  readonly server: string;
}

/** A look with its words and its commands, ready to be copied. */
export function detailsOf({ status, old }: Look, context: DetailsContext): StatusDetails {
  const { names, server } = context;
  const { next, findings, ...rest } = status;
  return {
    server,
    ...rest,
    terms: { edb: termOf(names.edb), eaadb: termOf(names.eaadb) },
    summary: summarise(status, names),
    findings: { ...findings, command: engineCommand(context.options)(["check"]) },
    ...(next !== undefined && {
      next: {
        says: next.says,
        ...(next.words !== undefined && { command: engineCommand(context.options)(next.words) }),
      },
    }),
    ...(old !== undefined && { old }),
  };
}

/** One sentence on the whole. */
export function reasonOf({ verdict, summary }: StatusDetails): string {
  const named = summary.filter(({ is }) => is === verdict).map(({ title }) => title);
  switch (verdict) {
    case "fine":
    case "absent":
      return "everything is fine";
    case "moving":
      return `moving: ${named.join(", ")}`;
    case "unknown":
      return `not all could be read: ${named.join(", ")}`;
    case "stalled":
      return `stalled: ${named.join(", ")}`;
  }
}
