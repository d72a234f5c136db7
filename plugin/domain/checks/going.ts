/**
 * Nothing is advised for what goes with something that is being deleted: the write would be lost, or refused. This
 * is for people who read; a gate takes every finding as it is.
 */
import type { Finding } from "../base/findings";
import { omit } from "../base/values";
import { clusterFindings } from "../engine-cluster/findings";
import { deletionFindings } from "../kube/deletion";
import { kinds } from "../kube/kinds";
import type { Names } from "../names/names";

type Goes = (finding: Finding) => boolean;

/** Whether a finding is about what goes with the object of another finding, by the code of that one. */
const withThese: Readonly<Record<string, (going: Finding, names: Names) => Goes>> = {
  // the operator's namespace: without it nothing of this operator can be written anywhere
  [deletionFindings.namespace.code]: () => () => true,
  [deletionFindings.definition.code]: ({ object }, names) => {
    const defined = [names.ec, names.edb, names.eaadb, names.erc].find(
      ({ plural }) => object === `${kinds.definition.kind}/${plural}.${names.group}`,
    );
    return (finding) => finding.object?.startsWith(`${String(defined?.kind)}/`) === true;
  },
  [deletionFindings.object.code]: isSame,
  [clusterFindings.deleting.code]: isSame,
};

function isSame({ object }: Finding): Goes {
  return (finding) => finding.object === object;
}

/** The findings, without the advice of those that are about what goes. */
export function silenceGoing(findings: readonly Finding[], names: Names): readonly Finding[] {
  const going = findings.flatMap((finding) => {
    const judge = Object.hasOwn(withThese, finding.code) ? withThese[finding.code] : undefined;
    return judge === undefined ? [] : [{ finding, goes: judge(finding, names) }];
  });
  return findings.map((finding) => {
    const found = going.find(({ goes }) => goes(finding));
    if (found === undefined || going.some((one) => one.finding === finding)) return finding;
    const fix = `nothing while ${String(found.finding.object)} is being deleted`;
    return { ...omit(finding, "remedies", "command"), fix };
  });
}
