/** `--print-role`: the Role that a command needs, without a run and without a cluster. */
import { renderCompactly } from "../adapters/kubernetes/text/yaml";
import { exitCodes } from "../domain/base/errors";
import type { Needs } from "../domain/facts/needs";
import { DeclaredNeeds } from "../kernel/needs";
import { renderRole, unknownUser } from "../kernel/permissions";
import type { Report } from "../kernel/report";
import type { CommandContext } from "./context";
import type { Described } from "./spec";

/** What --print-role is asked for: the command line, and the namespace to work in. */
export interface RoleWish<F> {
  readonly context: CommandContext;
  readonly args: readonly string[];
  readonly flags: F;
  readonly namespace: string;
}

type NeedsOf = (wish: Omit<RoleWish<unknown>, "flags">) => Needs | Promise<Needs>;

/** The namespace is that of -n, else the operator's usual one; the user is that of --as, else to be filled in. */
export function runPrintRole(
  { path, kind }: Pick<Described, "path" | "kind">,
  needsOf: NeedsOf,
): (context: CommandContext, args: readonly string[]) => Promise<Report> {
  return async (context, args) => {
    const { options, names, run } = context;
    const { namespace = names.operator.namespace } = options;
    const declared = new DeclaredNeeds();
    declared.declare(path, await needsOf({ context, args, namespace }));
    const subject = options.connection.as ?? unknownUser;
    const request = { command: path, subject, yaml: renderCompactly };
    return {
      apiVersion: "cli.engine.com/v1",
      ...{ kind, run },
      permissions: { missing: [], manifest: renderRole(request, declared.all()) },
      exit: { code: exitCodes.ok, reason: "this is the Role that it needs; no cluster was asked" },
    };
  };
}

/** The manifest as it is applied. */
export function roleText({ permissions }: Report): string {
  return permissions?.manifest ?? "";
}
