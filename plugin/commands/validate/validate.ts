/** `validate` and `audit`: what is read of a cluster for the rules, and the report of what they say. */
import { clusterKey, projectCluster } from "../../domain/rules/clusters";
import { exitCodes, PermissionError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { readNamespace, type KubeObject } from "../../domain/kube/objects";
import { rulesNeeds } from "../../domain/checks/needs";
import { rulesOfChange } from "../../domain/rules/order";
import type { ClusterFacts, Edit } from "../../domain/rules/types";
import {
  type Befores,
  listFindings,
  type JudgedEdit,
  judgeIn,
  findKind,
  labelManifest,
  type RuleWorld,
} from "./violations";
import { type PermissionChecker, requireNeeds } from "../../kernel/permissions";
import type { Recorder } from "../../kernel/recorder";
import type { Report, JudgedObject, RulesDetails } from "../../kernel/report";
import { readSnapshot, type SnapshotDeps } from "../../readers/snapshot";

/** What is stored, by the lists of a cluster. */
export interface StoredObjects {
  readonly clusters: readonly ClusterFacts[];
  readonly databases: readonly KubeObject[];
}

/** One LIST of each kind, whatever the number of objects; without the permissions it ends with 4. */
export async function readStored(
  deps: SnapshotDeps & PermissionChecker,
  namespace: string,
  command: "audit" | "validate",
): Promise<StoredObjects> {
  const { names } = deps;
  const keys = ["ecs", "edbs", "eaadbs"] as const;
  await requireNeeds(deps, command, rulesNeeds({ names, namespace }));
  const { objects, unread } = await readSnapshot(deps, namespace, keys);
  for (const key of keys) {
    const refusal = unread.get(key);
    if (refusal !== undefined) throw new PermissionError(refusal);
  }
  return {
    clusters: objects.ecs.flatMap((ec) => projectCluster(ec, names) ?? []),
    databases: [...objects.edbs, ...objects.eaadbs],
  };
}

/** An edit that is judged, and where it stands. */
export interface AskedEdit {
  readonly edit: Edit;
  readonly namespace: string;
  /** Where it is not known what the object was before; the edit's own is one of them. */
  readonly befores?: Befores;
  /** Of a part of the object in a file. */
  readonly locate?: (field: string) => Finding["location"];
  /** The line to run for a finding. */
  readonly commandFor?: (finding: Finding, judged: JudgedEdit) => string | undefined;
}

/** What is judged by what, and what is said besides. */
interface AskedWorld {
  readonly world: RuleWorld;
  readonly asked: readonly AskedEdit[];
  /** About the files themselves; an error among them is a violation. */
  readonly remarks?: readonly Finding[];
}

/** How a report of the rules ends. */
interface RulesEnd {
  /** What could not be read. */
  readonly problems?: readonly Finding[];
  /** What was not evaluated, and warnings about the files, count as violations. */
  readonly strict?: boolean;
}

/** Judges every edit and reports: 1 for violations, 2 where something could not be read. */
export function reportRules(
  recorder: Recorder,
  { world, asked, remarks = [] }: AskedWorld,
  { problems = [], strict = false }: RulesEnd = {},
): Report {
  const judge = judgeIn(world);
  const objects: JudgedObject[] = [];
  recorder.addFindings([...problems, ...remarks]);
  for (const one of asked) {
    const { edit, namespace, befores, locate, commandFor } = one;
    const judged = judge(edit, namespace, befores);
    const object = labelManifest(edit.after, namespace);
    const location = locate?.("");
    objects.push({ object, ...(location && { location }), result: chooseResult(judged) });
    recorder.addFindings(
      listFindings(object, judged).map((finding) => {
        const place = locate?.(finding.field ?? "");
        const command = commandFor?.(finding, judged);
        return { ...finding, ...(place && { location: place }), ...(command && { command }) };
      }),
    );
  }
  const details: RulesDetails = {
    objects,
    clusters: [...new Set(world.clusters.map(clusterKey))],
    withoutChange: asked.some(({ edit }) => edit.before !== undefined) ? [] : rulesOfChange,
  };
  return { ...recorder.report(chooseEnd(details, { problems, strict, remarks })), details };
}

function chooseResult({ verdict, unevaluated }: JudgedEdit): JudgedObject["result"] {
  if (verdict.causes.length > 0) return "refused";
  return unevaluated === undefined ? "allowed" : "not evaluated";
}

function chooseEnd(
  details: RulesDetails,
  end: Required<RulesEnd & Pick<AskedWorld, "remarks">>,
): Report["exit"] {
  const { strict, remarks } = end;
  const problems = end.problems.length;
  const near = remarks.filter(({ severity }) => severity === "error").length;
  const noted = remarks.length - near;
  const refused = countResults(details, "refused");
  const open = countResults(details, "not evaluated");
  const counts = [
    [near, near === 1 ? "1 near miss" : `${near} near misses`],
    [noted, noted === 1 ? "1 warning about the files" : `${noted} warnings about the files`],
    [open, `${open} not evaluated`],
    [problems, problems === 1 ? "1 problem with the files" : `${problems} problems with the files`],
    [details.withoutChange.length, `${details.withoutChange.join(", ")} applies only to updates`],
  ] as const;
  const [all, verb] = [details.objects.length, refused === 1 ? "violates" : "violate"];
  const reason = [
    `${refused} of ${all} ${all === 1 ? "database" : "databases"} ${verb} the rules`,
    ...counts.flatMap(([count, said]) => (count > 0 ? [said] : [])),
  ].join("; ");
  if (problems > 0) {
    return { code: exitCodes.usage, reason, next: "correct the files, then run again" };
  }
  if (refused + near > 0) {
    return { code: exitCodes.failed, reason, next: "correct what is named, then run again" };
  }
  return { code: strict && open + noted > 0 ? exitCodes.failed : exitCodes.ok, reason };
}

function countResults({ objects }: RulesDetails, wanted: JudgedObject["result"]): number {
  return objects.filter(({ result }) => result === wanted).length;
}

/** The stored databases as they would be judged if they were made now. */
export function listStoredEdits(
  databases: readonly KubeObject[],
  { options: { names } }: RuleWorld,
): readonly { readonly edit: Edit; readonly namespace: string }[] {
  return databases.flatMap((object) => {
    const kind = findKind(object, names);
    if (kind === undefined) return [];
    return [{ edit: { kind, before: undefined, after: object }, namespace: readNamespace(object) }];
  });
}
