/** Plans `reapply-rbac`: reads step by step, judges, asks for permissions, and tries each write by dry run. */
import { describeSituation } from "../../domain/checks/context";
import { countNoun } from "../../domain/base/values";
import { eachAtMost } from "../../domain/base/concurrency";
import { objectLabel } from "../../domain/kube/objects";
import { isAggregated } from "../../domain/kube/role-rules";
import { isAsWanted, takesAway } from "../../domain/rbac/plan";
import type { RbacScope, PlaceFound } from "../../domain/rbac/site";
import { findStale, type Stale } from "../../domain/rbac/managed";
import { wantsAccounts } from "../../domain/rbac/templates";
import { listPermissions, type PlannedChange } from "../../domain/kube/change";
import { type Planned, makeStopped } from "../../kernel/part";
import { projectWrites } from "../../kernel/projection";
import type { World } from "../../kernel/world";
import { MissingPermissionsError, requirePermissions } from "../../kernel/permissions";
import { requireGround } from "../../readers/ground";
import { listDeletions } from "./changes";
import { rbacCommand, rbacNeeds } from "./needs";
import {
  type Inventory,
  type RbacDeps,
  type RbacOptions,
  readAccounts,
  readInventory,
  readLabelPair,
  readNamespaces,
  readOperator,
} from "./read";
import { listAccepted, describeKept, listPlaces, planRbac, listPrunable, tellStale } from "./plan";
import { requireConfigured, type Targets, chooseTargets } from "./targets";
import { makeWork, withoutInterrupt, prune, type RbacWork, workThrough } from "./each-place";
import type { RbacPartWish } from "./input";
import { listPlannedChanges, reapply, type RbacPlanned } from "./reapply";
import { PlaceWorker } from "./one-place";

/** Plans it; what stands against it is a value. */
export async function planReapply(world: World, wish: RbacPartWish): Promise<Planned> {
  const work = makeWork(world, wish, world.dryRun);
  const { deps, summary } = work;
  try {
    const plan = await keepPermitted(work, await planPlaces(work));
    return await makePlanned(work, plan, wish);
  } catch (error) {
    return makeStopped(error);
  } finally {
    deps.recorder.keep({ namespaces: summary.listNamespaces() });
  }
}

/** Whether the accounts of the clusters are to be found. */
export function fillsAccounts(
  { documents, account }: RbacOptions,
  names: RbacDeps["names"],
): boolean {
  return wantsAccounts(documents, names) && account === undefined;
}

/** Reads step by step, what to read next following from what was read, and plans. */
async function planPlaces(work: RbacWork): Promise<Omit<RbacPlanned, "open" | "lacking">> {
  const { deps, options, summary, tell } = work;
  const { recorder, names } = deps;
  await requireGround(deps, "reapply-rbac", options);
  const told = describeSituation(await readOperator(deps, options), {});
  requireConfigured(told, options);
  const { facts, ...namespaces } = await readNamespaces(deps, options, told);
  const targets = chooseTargets(namespaces, { ...told, facts }, options);
  const running = told.installed?.tag;
  tell(targets.findings);
  summary.begin(targets);
  const fills = fillsAccounts(options, names);
  const accounts = fills ? await readAccounts(deps, options) : [options.account ?? ""];
  const wanted = listPlaces({ names, running }, options, { targets, accounts });
  const managed = wanted.flatMap(({ namespace }) => namespace ?? []);
  const known = { ...options, names, accounts: fills, managed, label: targets.label };
  recorder.needs.declare(rbacCommand, rbacNeeds(known));
  const inventory = await readInventory(deps);
  const places = await readPlaces(work, wanted, inventory);
  const plan = planRbac({ names, running, places }, options);
  const shared = plan.wide.filter(({ part }) => part !== undefined);
  const written = shared
    .filter(({ found }) => !isAggregated(found.role))
    .map(({ wanted: { role } }) => role.metadata.name ?? "");
  recorder.needs.declare(rbacCommand, rbacNeeds({ ...known, shared: written }));
  for (const { found, wanted } of shared) {
    const rules = isAggregated(found.role)
      ? "a controller makes its rules"
      : "its rules are updated";
    const label = objectLabel(wanted.role);
    recorder.note(`${label} gives the access in managed namespaces: ${rules}, no Roles are made`);
  }
  tell(describeKept(plan));
  tell(listAccepted([...plan.wide, ...plan.sites], names, options));
  const stale = await readStale(work, targets, inventory);
  tell(tellStale(stale));
  return { ...plan, targets, stale };
}

async function readPlaces(
  { options, places }: RbacWork,
  wanted: readonly RbacScope[],
  inventory: Inventory | undefined,
): Promise<ReadonlyMap<RbacScope, PlaceFound>> {
  // in the order of the places, whichever is read first
  const found = new Map<RbacScope, PlaceFound>(wanted.map((place) => [place, {}]));
  await eachAtMost(options.concurrency, wanted, async (place) => {
    const { namespace } = place;
    const known = namespace === undefined ? undefined : inventory?.at(namespace);
    found.set(place, await places.read(place, known));
  });
  return found;
}

/** The leftovers of namespaces, and of label mode where the operator is not told a label any more. */
async function readStale(
  { deps, options }: RbacWork,
  { kept, label }: Targets,
  { roles, bindings }: Pick<Inventory, "roles" | "bindings"> = { roles: [], bindings: [] },
): Promise<readonly Stale[]> {
  if (kept === undefined) return [];
  const facts = { kept, operatorNamespace: options.namespace, names: deps.names };
  const near = findStale({ ...facts, roles, bindings });
  return label ? near : [...near, ...findStale({ ...facts, ...(await readLabelPair(deps)) })];
}

/** The places whose writes are allowed; where none is, nothing is begun. */
async function keepPermitted(
  { deps, options, rights, summary }: RbacWork,
  plan: Omit<RbacPlanned, "open" | "lacking">,
): Promise<RbacPlanned> {
  const all = [...plan.wide, ...plan.sites];
  const writing = all.filter((site) => !isAsWanted(site.plan));
  const lacking = await rights.missingAt(writing, options);
  for (const [site, missing] of lacking) {
    summary.add({ site, result: "failed", findings: rights.reportLacking(site, missing) });
  }
  await rights.tell();
  if (writing.length > 0 && lacking.size === writing.length) {
    throw new MissingPermissionsError([...lacking.values()].flat().slice(0, 10));
  }
  if (options.prune) {
    const deletions = listPrunable(plan.stale).flatMap((left) => listDeletions(left));
    await requirePermissions(deps, deletions.flatMap(listPermissions));
  }
  return { ...plan, lacking, open: all.filter((site) => !lacking.has(site)) };
}

async function makePlanned(
  work: RbacWork,
  plan: RbacPlanned,
  wish: RbacPartWish,
): Promise<Planned> {
  const { options, context, dryRun } = work;
  for (const [name, finding] of plan.targets.unfit) work.summary.addUnfit(name, finding);
  const { writes, halted } =
    dryRun === "none"
      ? {
          writes: listPlannedChanges(plan, { options, context }).map((change) => ({ change })),
          halted: undefined,
        }
      : await tryWrites(work, plan);
  return {
    writes,
    questions: listQuestions(work, plan),
    expects: work.summary.makeEnd(0, halted),
    after: projectWrites(writes),
    act: async (ports) => await reapply(makeWork(ports, wish, "none"), plan),
  };
}

/** Tries each write; what only the API server refuses is known then. */
async function tryWrites(work: RbacWork, plan: RbacPlanned) {
  const { deps, options, session } = work;
  const worker = new PlaceWorker(withoutInterrupt(deps), options, work);
  const halted = await workThrough(work, plan.open, worker);
  const writes: PlannedChange[] = worker.planned;
  if (options.prune && halted === undefined) {
    await prune(work, plan.stale, async (deletion) => {
      writes.push(await session.planWrite(deletion));
    });
  }
  return { writes, halted };
}

/** Asks where something is removed or deleted. */
function listQuestions({ options }: RbacWork, { open, stale }: RbacPlanned): readonly string[] {
  const rebinds = open.filter(({ plan }) => plan.rebind).length;
  const narrows = open.filter(({ plan }) => takesAway(plan)).length;
  const left = options.prune ? listPrunable(stale) : [];
  const acts = [
    ...(narrows > 0 ? [`remove permissions in ${counted(narrows)}`] : []),
    ...(rebinds > 0 ? [`delete and recreate the binding in ${counted(rebinds)}`] : []),
    ...(left.length > 0 ? [`delete what is left over in ${counted(left.length)}`] : []),
  ];
  return acts.length === 0 ? [] : [`${acts.join(", and ")}?`];
}

function counted(count: number): string {
  return countNoun(count, "place");
}
