/** What an upgrade of an EC would write, and everything that stands against it (S12-S14, S48-S59). */
import type { Skip } from "../checks/selection";
import { type Facts, factNamed } from "../facts";
import type { Finding } from "../findings";
import { type KubeObject, objectLabel } from "../objects";
import { ownerOf } from "../owners";
import type { Permission } from "../permissions";
import type { WantedCluster } from "../rollout/cluster";
import { at, text } from "../values";
import { clusterFinding } from "./codes";
import { usedModules } from "./databases";
import { type AutoPlan, type ClusterWish, editsOf, type FieldEdit } from "./edits";
import { autoOf, autoPathIn } from "./fields";
import { operatorRelease } from "./operator";
import { prerequisites } from "./prerequisites";

/** What is asked for. */
export interface ClusterRequest extends ClusterWish {
  readonly name: string;
  /** Version of the API that the EC is read and written by. */
  readonly version: string;
  /** Findings that are accepted. */
  readonly skip: readonly Skip[];
}

/** The plan, and what may keep it from being done. */
export interface ClusterPlan {
  readonly ec: KubeObject;
  /** Empty: the EC's spec is as wanted, and nothing is held against it. */
  readonly edits: readonly FieldEdit[];
  /** Exit 3. */
  readonly blocks: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** Permissions without which not every prerequisite is judged. */
  readonly missing: readonly Permission[];
  /** A rolling restart without a change of version is under way: it is waited for (S55). */
  readonly restarting: boolean;
  /** What the pods are to come to. */
  readonly wanted: WantedCluster;
}

/** The plan for the EC of this name; undefined where there is none. */
export function planCluster(facts: Facts, request: ClusterRequest): ClusterPlan | undefined {
  const { names, namespace } = facts;
  const ec = factNamed(facts, "ecs", { name: request.name, namespace });
  if (ec === undefined) return undefined;
  const auto = autoPlanOf(facts, ec, request);
  const edits = editsOf(ec, request, { names, auto });
  const writes = edits.length > 0 || (request.auto && auto.path === undefined);
  const planned = { ec, edits, wish: request, auto, skip: request.skip };
  const { findings, missing } = writes ? prerequisites(facts, planned) : nothing;
  const state = edits.length > 0 ? text(at(ec, names.ecFields.state)) : undefined;
  return {
    ec,
    edits,
    blocks: findings.filter(({ severity }) => severity === "error"),
    warnings: findings.filter(({ severity }) => severity === "warning"),
    missing,
    restarting: state === "RunningRollingUpdate",
    wanted: {
      ...wantedOf(facts, request),
      ...(state !== undefined && { stateBefore: state }),
    },
  };
}

const nothing = { findings: [], missing: [] };

/** What the pods are to run; without a tag, what the operator brings. */
function wantedOf(facts: Facts, request: ClusterRequest): WantedCluster {
  const { auto, repository, imagePullPolicy } = request;
  const tag = request.tag ?? operatorRelease(facts).clusterTag;
  return {
    ...(tag !== undefined && { tag }),
    ...(repository !== undefined && { repository }),
    ...(imagePullPolicy !== undefined && { imagePullPolicy }),
    ...(auto && { sameRelease: true }),
  };
}

/** Where the automatic upgrade is written; off, where databases use modules of the user's own (S51). */
function autoPlanOf(facts: Facts, ec: KubeObject, request: ClusterRequest): AutoPlan {
  const { names } = facts;
  const [definition] = facts.objects.definitions.filter(
    ({ metadata }) => metadata.name === `${names.ec.plural}.${names.group}`,
  );
  const own = usedModules(facts, ec).length > 0;
  return {
    path: autoPathIn(definition, request.version, names),
    off: !request.auto && own && autoOf(ec, names),
  };
}

/** Helm, OLM or a GitOps controller would write its own values again (domain facts 4.4). */
export function ownedBy(ec: KubeObject): readonly Finding[] {
  const owner = ownerOf(ec);
  if (owner === undefined) return [];
  return [
    clusterFinding("owned", {
      object: objectLabel(ec),
      cause: `${owner.name} owns it and would undo or fight the change`,
      fix: wayOf(owner),
    }),
  ];
}

/** OLM brings operators alone; the EC is what another operator's object made of it. */
function wayOf({ name, way }: { readonly name: string; readonly way: string }): string {
  return name === "OLM" ? "change the object that OLM or the other operator made it from" : way;
}
