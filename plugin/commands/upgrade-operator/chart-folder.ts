/** The definitions of a chart's crds/ folder: helm makes them with an install and never upgrades them (S15, S20). */
import type { Finding } from "../../domain/base/findings";
import { boundList, few } from "../../domain/base/values";
import { definitionNames } from "../../domain/facts/deletion";
import { differences } from "../../domain/kube/differences";
import { kinds } from "../../domain/kube/kinds";
import { type KubeObject, objectLabel, readName } from "../../domain/kube/objects";
import { operatorFinding } from "../../domain/operator/findings";
import { type DesiredObject, findBundleKind } from "../../domain/operator/wanted";
import { getTyped } from "../../ports/typed";
import type { Evaluated } from "./changes";
import { judgeDefinition, lostBetween, markRelease } from "./definitions";
import { evaluate, type Evaluating } from "./evaluate";
import type { OperatorDeps } from "./read";

/** The definitions as objects of a bundle. */
export function listDesired(folder: readonly KubeObject[]): readonly DesiredObject[] {
  return folder.flatMap((object) => {
    const kind = findBundleKind(object);
    return kind === undefined ? [] : [{ kind, object }];
  });
}

/** Judges what --apply-crds would write, each by the rules of a bundle. */
export async function evaluateFolder(
  evaluating: Evaluating,
  folder: readonly KubeObject[],
): Promise<readonly Evaluated[]> {
  const steps: Evaluated[] = [];
  for (const one of listDesired(folder)) steps.push(await evaluate(evaluating, one));
  return steps;
}

/** What helm leaves as it is although the chart of that version has it otherwise. */
export async function judgeFolder(
  { cluster, signal, names }: Pick<OperatorDeps, "cluster" | "signal" | "names">,
  folder: readonly KubeObject[],
  version: string,
): Promise<readonly Finding[]> {
  const findings = await Promise.all(
    folder.map(async (wanted) => {
      const ref = { resource: kinds.definition, name: readName(wanted) };
      const live = await getTyped(cluster, ref, { signal });
      const object = objectLabel(wanted);
      if (live === undefined) {
        const isOurs = definitionNames(names).includes(ref.name);
        return [
          operatorFinding(isOurs ? "chartFolderAbsent" : "chartFolder", { object, cause: absent }),
        ];
      }
      const gains = lostBetween(wanted, live);
      const marked = markRelease(wanted, version, names);
      const verdict = judgeDefinition({ live, wanted: marked, goesUp: true, names });
      const fields = differences(live, wanted).map(({ field }) => field);
      if (verdict.is === "keep" || fields.length === 0) return [];
      const how = gains.length > 0 ? `lacks ${few(gains)}` : `differs in ${boundList(fields)}`;
      const cause = `helm does not upgrade what is in the chart's crds/ folder: the stored definition ${how}`;
      return [operatorFinding("chartFolder", { object, cause })];
    }),
  );
  return findings.flat();
}

const absent =
  "it is in the chart's crds/ folder and not in the cluster: helm makes what is in that folder with an install alone";
