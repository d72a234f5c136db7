/** The codes whose findings come with a line: those of the table, and those whose remedies have one. */
import { codesWithCommand } from "../../plugin/cmdutil/fix-commands";
import { catalogue } from "../../plugin/commands/explain/catalogue";
import type { Finding } from "../../plugin/domain/base/findings";
import { firstRun } from "../../plugin/domain/base/remedy";

const known: readonly (Pick<Finding, "code"> & Pick<Partial<Finding>, "remedies">)[] = catalogue;

export const commandedCodes: readonly string[] = [
  ...new Set([
    ...codesWithCommand,
    ...known.filter(({ remedies }) => firstRun(remedies) !== undefined).map(({ code }) => code),
  ]),
];
