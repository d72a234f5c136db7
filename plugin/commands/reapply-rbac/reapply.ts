/**
 * Role and RoleBinding in every managed namespace (S34): what exists is read at once, differences
 * alone are written, each namespace has a result of its own. The cluster's state is the only memory.
 *
 * After `run` below, read `targets.ts` (which namespaces), `plan.ts` (what is wanted where), `changes.ts` (the writes that follow from
 * it) and `worker.ts` (how those of one namespace are sent and proven).
 */
import { eachAtMost } from "../../domain/base/concurrency";
import { ApiError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import { rbacFinding } from "../../domain/rbac/findings";
import { kindsIn } from "../../domain/kube/kinds";
import { isAsWanted, takesAway } from "../../domain/rbac/plan";
import type { RbacScope, PlaceFound, Site } from "../../domain/rbac/site";
import { findStale, type Stale } from "../../domain/rbac/managed";
import { roleRefOf } from "../../domain/kube/role-rules";
import { wantsAccounts } from "../../domain/rbac/templates";
import { permissionsOf } from "../../domain/kube/change";
import { Fleet } from "../../kernel/canary";
import {
  MissingPermissionsError,
  requireHome,
  requireNeeds,
  requirePermissions,
  requireYes,
} from "../../kernel/permissions";
import { requireNamespace } from "../../readers/ground";
import { Session } from "../../kernel/session";
import { ChangedError } from "../../kernel/send";
import type { Report } from "../../kernel/report";
import { Reviews } from "../../readers/reviews";
import { inOrder, pruningOf, type RbacContext, writesOf } from "./changes";
import {
  type Inventory,
  Places,
  type RbacDeps,
  type RbacOptions,
  type RbacPorts,
  needsOf,
  readAccounts,
  readInventory,
  readLabelPair,
  readNamespaces,
  readOperator,
} from "./read";
import {
  acceptedAt,
  keptFindings,
  placesOf,
  planRbac,
  prunable,
  type RbacPlan,
  staleFindings,
} from "./plan";
import { Rights, Worker } from "./worker";
import {
  reportName,
  requireConfigured,
  type SiteOutcome,
  Summary,
  type Targets,
  targetsOf,
} from "./targets";

/** Runs it; expected ends of every kind come back as a report. */
export async function reapplyRbac(ports: RbacPorts, options: RbacOptions): Promise<Report> {
  const run = new Reapply({ ...ports, reviews: new Reviews(ports.cluster) }, options);
  try {
    return await run.run();
  } catch (error) {
    return run.failure(error);
  }
}

const command = "reapply-rbac";

interface PlannedRbac extends RbacPlan {
  readonly targets: Targets;
  /** What is left where nothing is managed any more. */
  readonly stale: readonly Stale[];
}

class Reapply {
  readonly #places: Places;
  readonly #rights: Rights;
  readonly #session: Session;
  readonly #context: RbacContext;
  /** The ports of what was begun: it is brought to its end, and interrupts are looked at in between. */
  readonly #begun: RbacDeps;
  readonly #summary = new Summary();

  constructor(
    private readonly deps: RbacDeps,
    private readonly options: RbacOptions,
  ) {
    const { names, command, runId } = deps;
    const { mode, prove, assumeExpanded } = options;
    const witness = prove ? `${names.fieldManager}:${runId}` : undefined;
    // what follows on a state that is only assumed cannot be judged by the API server
    const dryRun = options.dryRun === "server" && assumeExpanded ? "client" : options.dryRun;
    this.#context = { names, command, mode, witness };
    this.#begun = { ...deps, signal: new AbortController().signal };
    this.#session = new Session(this.#begun, { ...options, dryRun });
    this.#places = new Places(deps);
    this.#rights = new Rights(deps, this.#context);
  }

  async run(): Promise<Report> {
    const { deps, options } = this;
    const planned = await this.#plan();
    const open = await this.#permitted(planned);
    if (options.dryRun === "none") await this.#confirm(planned, open);
    const stopped = await this.#work(planned, open);
    if (options.prune && stopped === undefined) await this.#prune(planned.stale);
    deps.recorder.keep({ namespaces: this.#summary.namespaces() });
    return deps.recorder.report(this.#summary.exit(this.#session.written, stopped));
  }

  failure(error: unknown): Report {
    this.deps.recorder.keep({ namespaces: this.#summary.namespaces() });
    return this.deps.recorder.failure(error);
  }

  /** Reads step by step, what to read next following from what was read, and plans. */
  async #plan(): Promise<PlannedRbac> {
    const { deps, options } = this;
    const { recorder, names } = deps;
    const fills = wantsAccounts(options.documents, names) && options.account === undefined;
    await requireNeeds(deps, command, needsOf(deps, options, { accounts: fills }));
    await requireNamespace(deps, options.namespace);
    const { configured, running } = await readOperator(deps, options);
    requireConfigured(configured, options);
    const namespaces = await readNamespaces(deps, options, configured);
    const targets = targetsOf(namespaces, configured, options);
    recorder.findings(targets.findings);
    this.#summary.begin(targets);
    const accounts = fills ? await readAccounts(deps, options) : [options.account ?? ""];
    const wanted = placesOf({ names, running }, options, { targets, accounts });
    const managed = wanted.flatMap(({ namespace }) => namespace ?? []);
    const known = { accounts: fills, managed, label: targets.label };
    recorder.needs.declare(command, needsOf(deps, options, known));
    const inventory = await readInventory(deps);
    const places = await this.#read(wanted, inventory);
    const plan = planRbac({ names, running, places }, options);
    const shared = plan.wide.filter(({ part }) => part !== undefined);
    const written = shared.map(({ wanted: { role } }) => role.metadata.name ?? "");
    recorder.needs.declare(command, needsOf(deps, options, { ...known, shared: written }));
    for (const {
      part,
      wanted: { role },
    } of plan.wide) {
      if (part === undefined) continue;
      recorder.note(
        `${objectLabel(role)} gives the access in managed namespaces: its rules are updated, no Roles are made`,
      );
    }
    recorder.findings(keptFindings(plan));
    recorder.findings(acceptedAt([...plan.wide, ...plan.sites], names, options));
    const stale = await this.#stale(targets, inventory);
    recorder.findings(staleFindings(stale));
    return { ...plan, targets, stale };
  }

  async #read(
    places: readonly RbacScope[],
    inventory: Inventory | undefined,
  ): Promise<ReadonlyMap<RbacScope, PlaceFound>> {
    // in the order of the places, whichever is read first
    const found = new Map<RbacScope, PlaceFound>(places.map((place) => [place, {}]));
    await eachAtMost(this.options.concurrency, places, async (place) => {
      const { namespace } = place;
      const known = namespace === undefined ? undefined : inventory?.at(namespace);
      found.set(place, await this.#places.read(place, known));
    });
    return found;
  }

  /** The leftovers of namespaces, and of label mode where the operator is not told a label any more. */
  async #stale(
    { kept, label }: Targets,
    { roles, bindings }: Pick<Inventory, "roles" | "bindings"> = { roles: [], bindings: [] },
  ): Promise<readonly Stale[]> {
    const { deps, options } = this;
    if (kept === undefined) return [];
    const facts = { kept, operatorNamespace: options.namespace, names: deps.names };
    const near = findStale({ ...facts, roles, bindings });
    return label ? near : [...near, ...findStale({ ...facts, ...(await readLabelPair(deps)) })];
  }

  /** The places whose writes are allowed; where none is, nothing is begun. */
  async #permitted({ wide, sites, stale }: PlannedRbac): Promise<readonly Site[]> {
    const { deps, options } = this;
    const all = [...wide, ...sites];
    const writing = all.filter(({ plan }) => !isAsWanted(plan));
    const missing = await this.#rights.missingAt(writing, options);
    for (const [site, lacking] of missing) {
      const findings = this.#rights.lacks(site, lacking);
      this.#summary.add({ site, result: "failed", findings });
    }
    await this.#rights.tell();
    if (writing.length > 0 && missing.size === writing.length) {
      throw new MissingPermissionsError([...missing.values()].flat().slice(0, 10));
    }
    if (options.prune) {
      const deletions = prunable(stale).flatMap((left) => pruningOf(left));
      await requirePermissions(deps, deletions.flatMap(permissionsOf));
    }
    return all.filter((site) => !missing.has(site));
  }

  /** Asks where something is removed or deleted; from here on nothing else of the kind is sent. */
  async #confirm({ stale }: PlannedRbac, open: readonly Site[]): Promise<void> {
    const { deps, options } = this;
    const rebinds = open.filter(({ plan }) => plan.rebind).length;
    const narrows = open.filter(({ plan }) => takesAway(plan)).length;
    const left = options.prune ? prunable(stale) : [];
    const acts = [
      ...(narrows > 0 ? [`remove permissions in ${counted(narrows)}`] : []),
      ...(rebinds > 0 ? [`delete and recreate the binding in ${counted(rebinds)}`] : []),
      ...(left.length > 0 ? [`delete what is left over in ${counted(left.length)}`] : []),
    ];
    if (acts.length > 0) {
      await requireYes(deps, `On ${deps.cluster.server}: ${acts.join(", and ")}?`);
    }
    const isWriting = left.length > 0 || open.some(({ plan }) => !isAsWanted(plan));
    if (isWriting) await requireHome(deps, true);
    for (const site of open) this.#session.confirm(inOrder(writesOf(site, this.#context)));
    for (const one of left) this.#session.confirm(pruningOf(one));
  }

  /** The cluster-wide places and the canary first, each alone; then the others at once. */
  async #work({ targets }: PlannedRbac, open: readonly Site[]): Promise<string | undefined> {
    const { deps, options } = this;
    for (const [name, finding] of targets.unfit) this.#summary.unfit(name, finding);
    const places = new Map(open.map((site) => [reportName(site), site]));
    const { canary } = options;
    const fleet = new Fleet<string>({
      ...{ concurrency: options.concurrency, maxFailures: options.maxFailures },
      alone: open.filter(({ namespace }) => namespace === undefined).map(reportName),
      canary: canary === undefined ? undefined : { item: canary, label: canary },
      noun: "namespaces",
      signal: deps.signal,
    });
    for (const { name } of this.#summary.failed()) fleet.fail(name);
    const worker = new Worker(this.#begun, options, {
      ...{ session: this.#session, context: this.#context },
      ...{ rights: this.#rights, places: this.#places },
    });
    const from = deps.clock.now();
    const tell = (outcome: SiteOutcome): void => {
      this.#summary.add(outcome);
      if (outcome.result === "failed") fleet.fail(reportName(outcome.site));
      const progress = this.#summary.progress();
      const seconds = (deps.clock.now() - from) / 1000;
      if (progress !== undefined) deps.recorder.waiting(progress, seconds);
    };
    await fleet.run([...places.keys()], async (name) => {
      const site = places.get(name);
      const prove = site && (await worker.write(site));
      return async () => {
        if (prove !== undefined) tell(await prove());
      };
    });
    await this.#rights.tell();
    return fleet.stopped;
  }

  async #prune(all: readonly Stale[]): Promise<void> {
    const { deps, options } = this;
    await eachAtMost(options.concurrency, prunable(all), async (stale) => {
      deps.signal.throwIfAborted();
      const findings = await this.#pruneOne(stale);
      deps.recorder.findings(findings);
      this.#summary.pruned(findings.length === 0);
    });
  }

  /** A role that others use too is left to them. */
  async #pruneOne(stale: Stale): Promise<readonly Finding[]> {
    const isPlanned = this.options.dryRun !== "none";
    try {
      for (const deletion of pruningOf(stale)) {
        if (deletion.object === stale.role && (await this.#isShared(stale.role, stale))) continue;
        if (isPlanned) await this.#session.plan(deletion);
        else await this.#session.send(deletion);
      }
      return [];
    } catch (error) {
      if (!(error instanceof ApiError) && !(error instanceof ChangedError)) throw error;
      const object = `Namespace/${stale.namespace ?? ""}`;
      return [rbacFinding("refused", { object, cause: error.message })];
    }
  }

  async #isShared(role: KubeObject, { bindings }: Stale): Promise<boolean> {
    const { namespace } = role.metadata;
    const { binding: resource } = kindsIn(namespace);
    const within = namespace === undefined ? {} : { namespace };
    const all = (await this.deps.cluster.list(resource, within)) ?? [];
    const reference = `${role.kind}/${role.metadata.name ?? ""}`;
    const ours = bindings.map(({ metadata }) => metadata.name);
    return all.some((one) => roleRefOf(one) === reference && !ours.includes(one.metadata.name));
  }
}

function counted(count: number): string {
  return count === 1 ? "1 place" : `${count} places`;
}
