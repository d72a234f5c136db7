/** The definitions that a chart brings, and what stands against them: helm would end midway, or lose what is stored. */
import type { Finding } from "../../domain/base/findings";
import { isObject } from "../../domain/base/values";
import { definitionNames } from "../../domain/facts/deletion";
import { kinds } from "../../domain/kube/kinds";
import { type KubeObject, readName } from "../../domain/kube/objects";
import type { RenderedChart } from "../../domain/operator/chart-images";
import { judgeDefinition } from "./definitions";
import { findChanges, findRefusals } from "./evaluate";
import type { OperatorDeps, OperatorOptions } from "./read";
import { getTyped } from "../../ports/typed";

type Options = Pick<OperatorOptions, "namespace">;

/** Definitions as they will be, and what stands against that. */
interface Brought {
  readonly ahead: readonly KubeObject[];
  readonly findings: readonly Finding[];
}

/** The product's definitions, judged as those of a bundle; `folder` are those that a Job of the chart applies. */
export async function readBrought(
  deps: OperatorDeps,
  options: Options,
  { objects, hooked = [] }: RenderedChart,
  folder: readonly KubeObject[],
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
      const verdict = judgeDefinition({ live, wanted, goesUp: true, names: deps.names });
      if (verdict.is === "keep" && brought.includes(wanted)) continue;
      findings.push(...findRefusals(live, wanted));
      // what helm itself writes is changed, whatever the verdict
      const change =
        verdict.is === "keep" ? ({ is: "apply", loses: [], keeps: [] } as const) : verdict;
      findings.push(...(await findChanges({ deps, options }, change, { live, wanted })));
    }
    ahead.push(wanted);
  }
  return { ahead, findings };
}

function isDefinition(object: unknown): object is KubeObject {
  return isObject(object) && object["kind"] === kinds.definition.kind;
}
