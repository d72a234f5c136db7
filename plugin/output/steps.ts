/** Steps as a person reads them: a line for each object that changed, the whole table with -v; and writes before they are sent. */
import type { Result } from "../domain/kube/planned-write";
import { permissionLine } from "../domain/kube/permissions";
import type { PlannedWrite, StepReport } from "../kernel/report";
import { escape, type Palette, renderTable } from "./escape";

/** Columns of the narrowest terminal in use: what a line says beside its object has room in it, or comes with -v. */
export const narrowest = 80;

const calm: readonly Result[] = ["unchanged", "skipped", "planned"];

/** A result in its color. */
export function paintResult(result: string, palette: Palette): string {
  if (result === "failed") return palette.bad(result);
  return calm.some((one) => one === result) ? palette.faint(result) : palette.good(result);
}

/** Every step with its time and reason. */
export function stepTable(all: readonly StepReport[], palette: Palette): readonly string[] {
  if (all.length === 0) return [];
  const rows = all.map((step) => [
    String(step.n),
    step.action,
    escape(step.object),
    step.result,
    `${step.ms}ms`,
    escape(whyWithSource(step)),
  ]);
  const head = ["STEP", "ACTION", "OBJECT", "RESULT", "TIME", "WHY"];
  return renderTable(head, rows, {
    paint: (cell, column) => (column === 3 ? paintResult(cell, palette) : cell),
  });
}

/** Why a step is taken, with the numbers behind it: for who looks them up with `explain`. */
export function whyWithSource({ why, source }: Pick<StepReport, "why" | "source">): string {
  return source === undefined ? why : `${why} (${source})`;
}

/** A line for each object that was or would be written, one for all that are as they should be, and what failed. */
export function stepLines(all: readonly StepReport[], palette: Palette): readonly string[] {
  const written = new Map<string, readonly StepReport[]>();
  const still = new Set<string>();
  for (const step of all) {
    if (step.result === "failed") written.set(`failed ${step.n}`, [step]);
    else if (!writes.has(step.action)) continue;
    else if (step.result === "unchanged") still.add(step.object);
    else written.set(step.object, [...(written.get(step.object) ?? []), step]);
  }
  const unchanged = [...still].filter((object) => !written.has(object));
  const result = paintResult("unchanged", palette);
  return [
    ...[...written.values()].map((steps) => objectLine(steps, palette)),
    ...unchanged.slice(0, 1).map((object) => {
      return unchanged.length === 1
        ? `${escape(object)} ${result}`
        : `${unchanged.length} objects ${result}`;
    }),
  ];
}

const writes: ReadonlySet<string> = new Set(["apply", "patch", "delete", "call", "chart"]);

/** What is said of a write that is only planned. */
const wouldBe: Readonly<Record<string, string>> = {
  apply: "applied",
  patch: "patched",
  delete: "deleted",
  call: "called",
  chart: "upgraded",
};

function describePlanned({ action, write }: StepReport): string {
  return write?.verb === "create" ? "created" : (wouldBe[action] ?? action);
}

/** Of an object that is written several times, how it ends; what each write was for comes with -v. */
function objectLine(steps: readonly StepReport[], palette: Palette): string {
  const last = steps.at(-1);
  if (last === undefined) return "";
  const { object, result } = last;
  const isPlanned = result === "planned";
  const word = isPlanned ? `would be ${describePlanned(last)}` : result;
  const line = `${escape(object)} ${isPlanned ? word : paintResult(result, palette)}`;
  const { why } = last;
  if (result === "failed") return `${line}: ${escape(why)}`;
  const fits = `${object} ${word} (${why})`.length <= narrowest;
  return steps.length === 1 && fits && tellsWhy(last) ? `${line} (${escape(why)})` : line;
}

/** A new object is all new, and one that is gone is gone. */
function tellsWhy({ result, write }: StepReport): boolean {
  const isNew = write?.verb === "create";
  return !isNew && ["changed", "planned", "skipped", "done"].includes(result);
}

/** Writes of one part under its heading: a line for each, and its risk; with -v all that a person decides by. */
export function renderPlanPart(
  title: string,
  steps: readonly StepReport[],
  { palette, verbosity }: { readonly palette: Palette; readonly verbosity: number },
): readonly string[] {
  const lines = steps.flatMap((step) => (verbosity > 0 ? writeLines(step) : shortLines(step)));
  return [palette.strong(title), ...lines];
}

function shortLines({ action, object, why, write }: StepReport): readonly string[] {
  const [image] = write === undefined ? [] : listImages(write);
  const short = `  ${action} ${escape(object)}`;
  const said = image === undefined ? escape(why) : `image ${image}`;
  const whole = `${short}: ${said}`;
  return [
    whole.length <= narrowest ? whole : short,
    ...(whole.length > narrowest && image !== undefined ? [`      ${said}`] : []),
    ...(write === undefined || isCalm(write) ? [] : [`      risk: ${escape(write.risk)}`]),
  ];
}

function isCalm({ risk, isHarmless }: PlannedWrite): boolean {
  return risk === "" || isHarmless === true;
}

function writeLines(step: StepReport): readonly string[] {
  const { action, object, write } = step;
  const head = `  ${action} ${escape(object)}: ${escape(whyWithSource(step))}`;
  if (write === undefined) return [head];
  return [head, ...renderWrite(write).map((line) => `      ${line}`)];
}

function renderWrite(write: PlannedWrite): readonly string[] {
  const { verb, target, risk, reverse, command } = write;
  const { group, resource, namespace, name } = target;
  const permission = permissionLine({ verb, group, resource, name, namespace, why: "" });
  return [
    ...listImages(write).map((image) => `image    ${image}`),
    `needs    ${escape(permission)}`,
    `risk     ${escape(risk)}`,
    `reverse  ${escape(reverse)}`,
    ...(command === undefined ? [] : [`same as  ${escape(command)}`]),
  ];
}

/** `old -> new`, each once. */
function listImages({ changes = [] }: PlannedWrite): readonly string[] {
  const images = changes
    .filter(({ from }) => from !== undefined)
    .map(({ from, to }) => escape(`${String(from)} -> ${String(to)}`));
  return [...new Set(images)];
}
