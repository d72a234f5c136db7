/** The definitions that a chart brings, and what stands against them: helm would end midway, or lose what is stored. */
import type { Finding } from "../../domain/base/findings";
import { isObject } from "../../domain/base/values";
import { definitionNames } from "../../domain/facts/deletion";
import { kinds } from "../../domain/kube/kinds";
import type { CustomResourceDefinition } from "../../domain/kube/models";
import { type KubeObject, objectLabel, readName } from "../../domain/kube/objects";
import type { RenderedChart } from "../../domain/operator/chart-images";
import type { Names } from "../../domain/names/names";
import { operatorFinding } from "../../domain/operator/findings";
import { type Evaluated, isWritten } from "./changes";
import { type DefinitionVerdict, judgeDefinition, lostBetween, markRelease } from "./definitions";
import { findChanges, findRefusals } from "./evaluate";
import type { OperatorDeps, OperatorOptions } from "./read";
import { asKind } from "../../domain/kube/typed";

interface Options extends Pick<OperatorOptions, "namespace"> {
  /** Version of the chart, which its definitions are of where they do not say it. */
  readonly version: string;
}

/** Definitions as they will be, and what stands against that. */
interface Brought {
  readonly ahead: readonly KubeObject[];
  readonly findings: readonly Finding[];
}

/** What a chart brings. */
interface Bringing extends Pick<RenderedChart, "objects" | "hooked"> {
  /** The definitions of its crds/ folder, where a Job of the chart applies them. */
  readonly folder: readonly KubeObject[];
  /** The chart's own objects, as they were read and judged. */
  readonly judged: readonly Evaluated[];
}

/** What becomes of a stored definition by a chart of that version, which its definitions need not say. */
export function judgeByChart(
  live: CustomResourceDefinition,
  wanted: KubeObject,
  { version, names }: { readonly version: string; readonly names: Names },
): DefinitionVerdict {
  const marked = markRelease(wanted, version, names);
  return judgeDefinition({ live, wanted: marked, goesUp: true, names });
}

/** The product's definitions, judged as those of a bundle. */
export async function readBrought(
  deps: OperatorDeps,
  options: Options,
  { objects, hooked = [], folder, judged }: Bringing,
): Promise<Brought> {
  const known = definitionNames(deps.names);
  const isOurs = (one: KubeObject): boolean => known.includes(readName(one));
  const written = objects.filter(isDefinition).filter(isOurs);
  const names = written.map(readName);
  // what a hook brings is left where the stored one is newer, or where helm itself writes it
  const brought = [...hooked, ...folder]
    .filter(isOurs)
    .filter((one) => !names.includes(readName(one)));
  const findings: Finding[] = [];
  const ahead: KubeObject[] = [];
  for (const wanted of [...written, ...brought]) {
    const name = readName(wanted);
    const step = judged.find(({ object }) => isDefinition(object) && readName(object) === name);
    const live = step === undefined ? await readDefinition(deps, name) : step.live;
    const stored = asKind(live, "CustomResourceDefinition");
    if (stored !== undefined) {
      const verdict = judgeByChart(stored, wanted, { ...options, names: deps.names });
      if (verdict.is === "keep" && brought.includes(wanted)) continue;
      const isSent = step !== undefined && isWritten(step);
      findings.push(
        ...findRefusals(stored, wanted),
        ...(isSent ? judgeLowered(stored, verdict) : []),
      );
      // what helm itself writes is changed, whatever the verdict
      const loses = isSent ? lostBetween(stored, wanted) : [];
      const change = verdict.is === "keep" ? ({ is: "apply", loses, keeps: [] } as const) : verdict;
      findings.push(...(await findChanges({ deps, options }, change, { live: stored, wanted })));
    }
    ahead.push(wanted);
  }
  return { ahead, findings };
}

async function readDefinition(
  { cluster, signal }: OperatorDeps,
  name: string,
): Promise<KubeObject | undefined> {
  return await cluster.get({ resource: kinds.definition, name }, { signal });
}

/** Helm keeps no definition that is newer than the chart's. */
function judgeLowered(stored: KubeObject, verdict: DefinitionVerdict): readonly Finding[] {
  if (verdict.is !== "keep" || verdict.isMarked !== true) return [];
  const cause = `helm would write the chart's definition over it, and ${verdict.because}`;
  return [operatorFinding("chartLowers", { object: objectLabel(stored), cause })];
}

function isDefinition(object: unknown): object is KubeObject {
  return isObject(object) && object["kind"] === kinds.definition.kind;
}
