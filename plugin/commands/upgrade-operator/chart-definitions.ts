/** The definitions that a chart brings, and what stands against them: helm would end midway, or lose what is stored. */
import type { Finding } from "../../domain/base/findings";
import { isObject } from "../../domain/base/values";
import { definitionNames } from "../../domain/facts/deletion";
import { kinds } from "../../domain/kube/kinds";
import { type KubeObject, objectLabel, readName } from "../../domain/kube/objects";
import type { RenderedChart } from "../../domain/operator/chart-images";
import { operatorFinding } from "../../domain/operator/findings";
import { judgeDefinition, lostBetween, markRelease } from "./definitions";
import { findChanges, findRefusals } from "./evaluate";
import type { OperatorDeps, OperatorOptions } from "./read";
import { getTyped } from "../../ports/typed";

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
  /** Objects that helm writes over what is stored. */
  readonly written: readonly KubeObject[];
}

/** The product's definitions, judged as those of a bundle. */
export async function readBrought(
  deps: OperatorDeps,
  options: Options,
  { objects, hooked = [], folder, written: sent }: Bringing,
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
    const ref = { resource: kinds.definition, name: readName(wanted) };
    const live = await getTyped(deps.cluster, ref, { signal: deps.signal });
    if (live !== undefined) {
      const marked = markRelease(wanted, options.version, deps.names);
      const verdict = judgeDefinition({ live, wanted: marked, goesUp: true, names: deps.names });
      if (verdict.is === "keep" && brought.includes(wanted)) continue;
      findings.push(...findRefusals(live, wanted));
      const isSent = sent.some((one) => readName(one) === ref.name);
      if (verdict.is === "keep" && verdict.isMarked === true && isSent) {
        const cause = `helm would write the chart's definition over it, and ${verdict.because}`;
        findings.push(operatorFinding("chartLowers", { object: objectLabel(live), cause }));
      }
      // what helm itself writes is changed, whatever the verdict
      const loses = isSent ? lostBetween(live, wanted) : [];
      const change = verdict.is === "keep" ? ({ is: "apply", loses, keeps: [] } as const) : verdict;
      findings.push(...(await findChanges({ deps, options }, change, { live, wanted })));
    }
    ahead.push(wanted);
  }
  return { ahead, findings };
}

function isDefinition(object: unknown): object is KubeObject {
  return isObject(object) && object["kind"] === kinds.definition.kind;
}
