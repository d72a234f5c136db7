/** A recovery as a person reads it: the verdict, the evidence, the procedure step by step. */
import { escape } from "../output/escape";
import type { Palette } from "../output/style";
import type { RecoveryDetails } from "./recover-details";

/** The lines above the rest of the report. */
export function recoveryLines(details: RecoveryDetails, palette: Palette): readonly string[] {
  const { verdict, says, evidence, procedure } = details;
  const paint = verdict === "frozen" ? palette.bad : palette.good;
  const shown = evidence.map(({ from, at, object, says: line }) => {
    const where = [at, object].flatMap((part) => (part === undefined ? [] : [escape(part)]));
    return `  ${from} ${where.join(" ")}: ${escape(line)}`;
  });
  const steps = procedure.flatMap(({ says: what, source, commands }, index) => [
    `${index + 1}. ${escape(what)} (${source})`,
    ...commands.map((command) => `   ${escape(command)}`),
  ]);
  return [
    `${paint(verdict)}: ${escape(says)}`,
    ...(shown.length === 0 ? [] : ["", palette.strong("Evidence (beside the causes):"), ...shown]),
    ...(steps.length === 0 ? [] : ["", palette.strong("Procedure:"), ...steps]),
  ];
}
