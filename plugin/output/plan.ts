/** Planned writes as a person decides by them: what, why, at what risk, and the way back. */
import { permissionLine } from "../domain/permissions";
import type { PlannedWrite, StepReport } from "../run/report";
import { escape } from "./escape";
import type { Palette } from "./style";

/** A person reads so many writes of one part. */
const mostWrites = 12;

/** Writes of one part under its heading; the rest is counted. */
export function renderPlanPart(
  title: string,
  steps: readonly StepReport[],
  palette: Palette,
): readonly string[] {
  const shown = steps.slice(0, mostWrites);
  const more = steps.length - shown.length;
  return [
    palette.strong(title),
    ...shown.flatMap((step) => renderStep(step)),
    ...(more === 0 ? [] : [`  and ${more} writes more, all of them with -o json`]),
  ];
}

function renderStep({ action, object, why, write }: StepReport): readonly string[] {
  const head = `  ${action} ${escape(object)}: ${escape(why)}`;
  return write === undefined
    ? [head]
    : [head, ...renderWrite(write).map((line) => `      ${line}`)];
}

function renderWrite(write: PlannedWrite): readonly string[] {
  const { verb, target, risk, reverse, command } = write;
  const { group, resource, namespace, name } = target;
  const permission = permissionLine({
    verb,
    group,
    resource,
    name,
    ...(namespace !== undefined && { namespace }),
    why,
  });
  return [
    `needs    ${escape(permission)}`,
    `risk     ${escape(risk)}`,
    `reverse  ${escape(reverse)}`,
    `same as  ${escape(command)}`,
  ];
}

/** The permission's own reason is the step's, shown above. */
const why = "";
