/** Compares what the cluster has after helm's upgrade with what helm has rendered, object by object (S20). */
import type { Finding } from "../../domain/base/findings";
import { boundList, countNoun } from "../../domain/base/values";
import { changesTo, valueAt } from "../../domain/kube/differences";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import { chartKey } from "../../domain/operator/chart-objects";
import type { Unstable } from "../../domain/operator/chart-renders";
import { operatorFinding } from "../../domain/operator/findings";
import type { Evaluated } from "./changes";
import type { ChartObjects } from "./chart-objects";
import type { ChartReader } from "./chart-reader";

/** What was compared, as the end of a run says it, and what is otherwise. */
export interface Compared {
  readonly says: string;
  readonly findings: readonly Finding[];
}

/** Values that the chart makes again with each render are not compared; the end says how many. */
export async function compareWithRender(
  reader: ChartReader,
  { written, leaving }: Pick<ChartObjects, "written" | "leaving">,
  { unstable, namespace }: { readonly unstable: Unstable; readonly namespace: string },
): Promise<Compared> {
  const findings: Finding[] = [];
  const unread: string[] = [];
  let generated = 0;
  const expected = [
    ...written.map((step) => ({
      object: step.object,
      judge: (live: KubeObject | undefined): string | undefined => {
        const made = unstable.get(chartKey(step.object, namespace)) ?? [];
        generated += made.length;
        return describeDifference(step, live, made);
      },
    })),
    ...leaving
      .filter(({ isKept }) => !isKept)
      .map(({ live: object }) => ({ object, judge: describeStaying })),
  ];
  for (const { object, judge } of expected) {
    const found = await reader.read(object);
    if (found.is === "unseen") {
      unread.push(found.label);
      continue;
    }
    const cause = judge(found.live);
    if (cause === undefined) continue;
    findings.push(operatorFinding("chartDiffers", { object: objectLabel(object), cause }));
  }
  const compared = expected.length - unread.length;
  const as = compared - findings.length;
  return {
    says: [
      `${as} of ${countNoun(compared, "object")} compared ${as === 1 ? "is" : "are"} as helm rendered them`,
      ...(generated > 0 ? [`${countNoun(generated, "generated value")} not compared`] : []),
      ...(unread.length > 0 ? [`not read: ${boundList(unread)}`] : []),
    ].join(", "),
    findings,
  };
}

const after = "after helm's upgrade";

function describeDifference(
  { object, stored, removed }: Evaluated,
  live: KubeObject | undefined,
  generated: readonly string[],
): string | undefined {
  if (live === undefined) return `${after} it does not exist`;
  const fields = [
    ...changesTo(live, object, stored).map(({ field }) => field),
    ...removed.filter((field) => valueAt(live, field) !== undefined),
  ].filter((field) => !generated.includes(field));
  if (fields.length === 0) return undefined;
  return `${after} ${boundList(fields)} ${fields.length === 1 ? "is" : "are"} not as helm rendered it`;
}

function describeStaying(live: KubeObject | undefined): string | undefined {
  return live === undefined
    ? undefined
    : `${after} it is still there, and the release has it no more`;
}
