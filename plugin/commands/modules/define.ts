/** Writes the list of user-defined modules of an EC, and follows the restart that this brings (S52-S56, S124). */
import type { PartRun } from "../../cmdutil/part-command";
import { nameAwaited } from "../../domain/base/awaited";
import { nameProgress } from "../../domain/rollout/progress";
import { BlockedError, exitCodes } from "../../domain/base/errors";
import { asString, getPath } from "../../domain/base/values";
import { clusterFinding } from "../../domain/engine-cluster/findings";
import { clusterLook, clusterWrite } from "../../domain/engine-cluster/needs";
import { clusterAbsent, findOwnership } from "../../domain/engine-cluster/operator";
import { findSet, judgeCluster } from "../../domain/engine-cluster/rollout";
import { closeLook, type FactKey, type Facts } from "../../domain/facts/facts";
import { groundNeeds, leftMarkNeeds, needList, type Needs } from "../../domain/facts/needs";
import type { Patch } from "../../domain/kube/change";
import { type KubeObject, objectLabel, type Resource } from "../../domain/kube/objects";
import type { Names } from "../../domain/names/names";
import type { Part } from "../../kernel/part";
import { projectWrites } from "../../kernel/projection";
import type { RunPorts } from "../../kernel/world";
import { type PartDescription, makeSimplePart, type SimplePlan } from "../../kernel/simple-part";
import { boundRollout, waitFor } from "../../kernel/wait";
import { readEc } from "../../cmdutil/rest-api-option";
import { ecResource, readClusterFacts, suspected } from "../../readers/engine-cluster";
import { requireGround } from "../../readers/ground";
import { readDefinition, withDefinition } from "../../readers/snapshot";
import type { ModulesDefineFlags } from "./flags";
import { type DefinePlan, planDefinition } from "./plan";

/** What is looked at before the list is written, and while the pods are renewed. */
const looked: readonly FactKey[] = [
  ...(["statefulSets", "claims", "pods", "deployments", "edbs", "eaadbs"] as const),
  "resourceQuotas",
];

/** What the plan rests on beside it: an operator without its lease would not act, a node under pressure takes no pod. */
const planned: readonly FactKey[] = [...looked, "leases", "nodes"];

/** `modules define` as a part. */
export function definePart(flags: ModulesDefineFlags, run: PartRun): Part {
  const { namespace } = run;
  return makeSimplePart(
    {
      command: "modules define",
      needs: (names) => defineNeeds({ names, namespace, name: flags.ec }),
    },
    {
      describe: (ports) => describeDefining(ports, { flags, run }),
      options: { ...run, stallAfterMs: flags.stallAfterMs, takeFields: flags.takeFields },
    },
  );
}

interface DefineWish {
  readonly flags: ModulesDefineFlags;
  readonly run: PartRun;
}

/** What the plan is made from. */
interface ModuleFacts {
  readonly facts: Facts;
  readonly resource: Resource;
  readonly name: string;
}

interface ModulesPlan extends SimplePlan, ModuleFacts {
  readonly definition: DefinePlan;
}

function describeDefining(
  ports: RunPorts,
  wish: DefineWish,
): PartDescription<ModuleFacts, ModulesPlan> {
  const { cluster } = ports;
  const { namespace, args } = wish.run;
  const label = (ec: KubeObject): string => `${objectLabel(ec)}: ${args.join(", ")}`;
  return {
    read: async () => {
      const { metadata } = await readEc(cluster, wish.flags.ec, ports);
      const name = String(metadata.name);
      const resource = await ecResource(ports);
      await requireGround(ports, "modules", { namespace, clusters: [name] });
      const [facts, definition] = await Promise.all([
        readClusterFacts(ports, { namespace, resource }, planned),
        readDefinition(ports, "ec"),
      ]);
      return { facts: withDefinition(facts, definition), resource, name };
    },
    plan: (found) => planModules(found, wish),
    proof: async (plan) => await followRestart(ports, plan, wish),
    still: "defined already, nothing would be written",
    says: ({ definition: { ec } }, seen) => `${label(ec)}: ${seen}`,
    midway: "the list of modules is written",
    after: (_, writes) => projectWrites(writes),
  };
}

function planModules(found: ModuleFacts, { flags, run }: DefineWish): ModulesPlan {
  const { facts, resource, name } = found;
  const definition = planDefinition(facts, {
    ec: name,
    version: resource.version,
    modules: run.args.map((module) => ({ name: module, url: flags.sources.get(module) })),
    credentialsSecret: flags.credentialsSecret,
  });
  if (definition === undefined) {
    throw new BlockedError(exitCodes.blocked, [clusterAbsent(facts, name)]);
  }
  const { ec, edits, blocks, warnings } = definition;
  const object = objectLabel(ec);
  const why = "the modules are defined already";
  return {
    ...found,
    ...{ definition, blocks, warnings },
    changes: [definePatch(resource, definition, facts)],
    ...(edits.length > 0 && { question: `Restart all pods of ${object}, one after the other?` }),
    standing: { id: "modules.define", action: "patch", object, why },
  };
}

function definePatch(resource: Resource, { ec, edits }: DefinePlan, facts: Facts): Patch {
  const { names } = facts;
  return {
    verb: "patch",
    id: "modules.define",
    resource,
    object: ec,
    edits,
    needs: "to write the list of user-defined modules",
    risk: "all pods of the cluster are restarted, one after the other",
    reverse:
      "by the printed command, while no database uses the modules; all pods are restarted once more",
    backHolds: "while no database uses the modules; all pods are restarted once more",
    owned: findOwnership(ec, facts),
    dropped: (lost, object) =>
      lost.map(({ path }) =>
        clusterFinding("modulesUndefinable", { object, field: path.join(".") }, names),
      ),
  };
}

/** Until the operator has begun to renew the pods, and every one is renewed; a stall ends with 1. */
async function followRestart(
  ports: RunPorts,
  { facts: before, definition: { ec, edits }, resource, name }: ModulesPlan,
  { flags, run }: DefineWish,
): Promise<string> {
  if (edits.length === 0) return "defined already";
  const { namespace, limitMs } = run;
  const { stallAfterMs } = flags;
  const stateBefore = asString(getPath(ec, before.names.ecFields.state)) ?? "";
  const generation = findSet(before, ec)?.metadata.generation;
  let hasBegun = false;
  const info = {
    id: "modules.follow",
    action: "wait",
    object: objectLabel(ec),
    why: "until every pod is renewed and the state is Running",
  } as const;
  return await ports.recorder.step(info, async () => {
    const says = await waitFor(ports, {
      look: async ({ idleMs, isSuspected }) => {
        const keys = isSuspected ? [...new Set([...looked, ...suspected])] : looked;
        const facts = await readClusterFacts(ports, { namespace, resource }, keys);
        hasBegun ||= findSet(facts, ec)?.metadata.generation !== generation;
        const seen = judgeCluster(facts, name, { stateBefore, patience: { idleMs, stallAfterMs } });
        if (seen.is !== "done") return nameProgress(objectLabel(ec), seen);
        if (!hasBegun)
          return {
            is: "moving",
            on: nameAwaited(objectLabel(ec), "the operator to restart its pods"),
          };
        return { is: "done", value: "defined; every pod is renewed, state Running" };
      },
      ...boundRollout({ limitMs, stallAfterMs }),
    });
    return { result: "done", value: says, why: says };
  });
}

/** What `modules define` needs: one write. */
function defineNeeds(place: {
  readonly names: Names;
  readonly namespace: string;
  readonly name: string | undefined;
}): Needs {
  return {
    reads: clusterLook(place, {
      keys: looked,
      why: () => "to see whether the pods may be restarted",
    }),
    may: [clusterWrite(place, "to write the list of user-defined modules")],
    beside: [
      ...closeLook.map((key) => needList(key, place, "to see why nothing moves")),
      ...groundNeeds(place),
      ...leftMarkNeeds(),
    ],
  };
}
