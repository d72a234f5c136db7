/** What a person does so that OLM brings the operator to a release. */
import { kubectl, look, type Remedy } from "../base/remedy";
import { asString, getPath } from "../base/values";
import { olmKinds } from "../kube/kinds";
import { objectLabel } from "../kube/objects";
import { isSameOperator, listCsvNames, listNamed, type Olm, readPhase } from "./olm";
import { judgeOlm, plural } from "./olm-obstacles";

/** What to do for OLM to bring the operator to the release. */
export function olmWay(
  olm: Olm,
  {
    namespace,
    target = "the release",
  }: { readonly namespace: string; readonly target: string | undefined },
): Remedy {
  const place = `--namespace=${namespace}`;
  const [stuck] = judgeOlm(olm, namespace).filter(({ severity }) => severity === "error");
  if (stuck !== undefined)
    return { says: `first correct what ${stuck.code} says of ${String(stuck.object)}` };
  if (olm.subscription === undefined && olm.others !== undefined) {
    return {
      says: `no Subscription of namespace ${namespace} brings this operator, so OLM does not upgrade it: create one for its package, then run again`,
    };
  }
  const plan = olm.planName;
  const subscription = olm.subscription?.metadata.name ?? "NAME";
  if (plan === undefined) {
    return look(
      `find the InstallPlan of Subscription ${subscription} and approve it (spec.approved: true)`,
      ...["get", plural(olmKinds.installPlan), place],
    );
  }
  if (isWaiting(olm)) {
    const patch = JSON.stringify({ spec: { approved: true } });
    const words = ["patch", "installplan", plan, place, "--type", "merge", "-p", patch];
    return {
      says: `approve InstallPlan ${plan}${describeBrought(olm)}`,
      run: { of: "oc", words },
      then: { says: "run again" },
    };
  }
  return isOver(olm)
    ? kubectl(
        `InstallPlan ${plan} is carried out and did not bring ${target}: choose a channel that has it`,
        ...["edit", plural(olmKinds.subscription), subscription, place],
      )
    : look(
        `InstallPlan ${plan} is approved: wait until OLM has brought ${target}, then run again`,
        ...["get", plural(olmKinds.clusterServiceVersion), "-w", place],
      );
}

/** The plan is carried out, and what it brought is not this operator's next release. */
function isOver({ installPlan, wanted }: Olm): boolean {
  return readPhase(installPlan) === "Complete" && wanted === undefined;
}

/** The plan asks for an approval. */
function isWaiting({ installPlan }: Olm): boolean {
  return (
    readPhase(installPlan) !== "Complete" && getPath(installPlan, ["spec", "approved"]) !== true
  );
}

/** One InstallPlan holds the upgrades of all operators of a namespace. */
function describeBrought({ installPlan, subscription, clusterServiceVersion, others = [] }: Olm) {
  const names = listCsvNames(installPlan);
  const own =
    asString(getPath(subscription, ["status", "currentCSV"])) ??
    clusterServiceVersion?.metadata.name;
  const theirs = names.filter((name) => !isSameOperator(name, own));
  const shown = theirs.map((name) => {
    const its = others.find((one) => listNamed(one).some((csv) => isSameOperator(csv, name)));
    return its === undefined ? name : `${name} of ${objectLabel(its)}`;
  });
  const beside =
    shown.length === 0 ? "" : ` and so upgrades other operators too (${shown.join(", ")})`;
  return names.length === 0 ? "" : `, which brings ${names.join(", ")}${beside}`;
}
