/** What a person does so that OLM brings the operator to a release. */
import { asString, getPath } from "../base/values";
import { olmKinds } from "../kube/kinds";
import { objectLabel } from "../kube/objects";
import { isSameOperator, listCsvNames, listNamed, type Olm, readPhase } from "./olm";
import { judgeOlm, plural } from "./olm-obstacles";

/** What to do for OLM to bring the operator to the release, with the exact command where it is known. */
export function olmWay(
  olm: Olm,
  from: {
    readonly namespace: string;
    readonly target: string | undefined;
    readonly command: (words: readonly string[]) => string;
  },
): string {
  const { namespace, command, target = "the release" } = from;
  const kubectl = (...words: readonly string[]): string =>
    command(["kubectl", ...words, `--namespace=${namespace}`]);
  const [stuck] = judgeOlm(olm, namespace).filter(({ severity }) => severity === "error");
  if (stuck !== undefined)
    return `first correct what ${stuck.code} says of ${String(stuck.object)}`;
  if (olm.subscription === undefined && olm.others !== undefined) {
    return `no Subscription of namespace ${namespace} brings this operator, so OLM does not upgrade it: create one for its package, then run again`;
  }
  const plan = olm.planName;
  const subscription = olm.subscription?.metadata.name ?? "NAME";
  if (plan === undefined) {
    const list = kubectl("get", plural(olmKinds.installPlan));
    return `find the InstallPlan of Subscription ${subscription} with: ${list}; then approve it: ${approval("NAME", from)}`;
  }
  if (isWaiting(olm)) {
    return `approve InstallPlan ${plan}${describeBrought(olm)}, then run again: ${approval(plan, from)}`;
  }
  return isOver(olm)
    ? `InstallPlan ${plan} is carried out and did not bring ${target}: choose a channel that has it with: ${kubectl("edit", plural(olmKinds.subscription), subscription)}`
    : `InstallPlan ${plan} is approved: wait until OLM has brought ${target}, then run again; watch it with: ${kubectl("get", plural(olmKinds.clusterServiceVersion), "-w")}`;
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

function approval(
  plan: string,
  { namespace, command }: Pick<Parameters<typeof olmWay>[1], "namespace" | "command">,
): string {
  const patch = JSON.stringify({ spec: { approved: true } });
  const where = `--namespace=${namespace}`;
  const words = ["patch", "installplan", plan, where, "--type", "merge", "-p", patch];
  return command(["oc", ...words]);
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
