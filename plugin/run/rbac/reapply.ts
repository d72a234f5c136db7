/**
 * Role and RoleBinding in every managed namespace (S34): what exists is read at once, differences
 * alone are written, each namespace has a result of its own. The cluster's state is the only memory.
 */
import { eachAtMost } from "../../domain/at-most";
import { UsageError } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import type { KubeObject } from "../../domain/objects";
import type { RoleFiles } from "../../domain/rbac/lines";
import { isAsWanted, takesAway } from "../../domain/rbac/plan";
import { clusterRoleOf, isShared, sharedPair } from "../../domain/rbac/shared";
import type { Stale } from "../../domain/rbac/stale";
import type { Pair } from "../../domain/rbac/kinds";
import { pairIn, renderRbac, wantsAccounts } from "../../domain/rbac/templates";
import { requireHome, requireYes } from "../engine/session";
import { MissingPermissionsError, requirePermissions } from "../ledger";
import type { Report } from "../report";
import { Reviews } from "../reviews";
import { backupsOf } from "./backups";
import type { RbacDeps, RbacOptions, RbacPorts } from "./deps";
import { Ending } from "./ending";
import { Pace, paced } from "./pace";
import { missingAt, readPermissions, reportMissing } from "./permissions";
import { prunable, prune, prunePermissions, staleFindings } from "./prune";
import {
  BoundRules,
  type Inventory,
  readAccounts,
  readOperator,
  readInventory,
  readPlace,
} from "./read";
import { Refusals } from "./refusal";
import { keptFindings, requireDroppable, requireLate, requireRoles } from "./release";
import { sharedRoles, type Site, siteOf } from "./site";
import { readStale } from "./stale";
import { readTargets, type Targets } from "./targets";
import { Worker } from "./worker";
import { Writer } from "./writer";

/** Runs it; expected ends of every kind come back as a report. */
export async function reapplyRbac(ports: RbacPorts, options: RbacOptions): Promise<Report> {
  const note = (text: string): void => {
    ports.recorder.note(text);
  };
  const cluster = paced(ports.cluster, new Pace(options.concurrency, ports, note));
  const run = new Reapply({ ...ports, cluster, reviews: new Reviews(cluster) }, options);
  try {
    await run.run();
    return run.report();
  } catch (error) {
    return run.failure(error);
  }
}

interface Planned {
  readonly targets: Targets;
  /** The cluster-wide pair, in label mode, and ClusterRoles that give the access in namespaces. */
  readonly wide: readonly Site[];
  readonly sites: readonly Site[];
  readonly stale: readonly Stale[];
}

class Reapply {
  readonly #writer: Writer;
  readonly #refusals: Refusals;
  readonly #bound: BoundRules;
  readonly #ending: Ending;

  constructor(
    private readonly deps: RbacDeps,
    private readonly options: RbacOptions,
  ) {
    this.#writer = new Writer(deps, options);
    this.#refusals = new Refusals(deps);
    this.#bound = new BoundRules(deps);
    this.#ending = new Ending(options);
  }

  async run(): Promise<void> {
    const { deps, options } = this;
    const fills = wantsAccounts(options.documents, deps.names) && options.account === undefined;
    await requirePermissions(deps, readPermissions(deps, options, fills));
    const planned = await this.#plan(fills);
    const open = await this.#withPermission(planned);
    await this.#confirm(planned, open);
    await this.#requireHome(planned, open);
    await this.#work(open, planned);
    if (options.prune) await this.#prune(planned.stale);
  }

  report(): Report {
    this.#close();
    return this.deps.recorder.report(this.#ending.exit(this.#writer.written));
  }

  failure(error: unknown): Report {
    this.#close();
    return this.deps.recorder.failure(error);
  }

  #close(): void {
    const { recorder, command } = this.deps;
    recorder.namespaces(this.#ending.namespaces());
    for (const backup of backupsOf(this.#writer.saved, command)) recorder.backup(backup);
  }

  async #plan(fills: boolean): Promise<Planned> {
    const { deps, options } = this;
    const operator = await readOperator(deps, options);
    const { configured, running } = operator;
    const targets = await readTargets(deps, options, configured);
    deps.recorder.findings(targets.findings);
    this.#ending.begin(targets);
    const accounts = fills ? await readAccounts(deps, options) : [options.account ?? ""];
    const idle = targets.namespaces.length === 0 && !targets.label;
    const roles = idle ? options : requireRoles(deps, options, running);
    const { consumer, label } = this.#render(roles, accounts, targets);
    const inventory = await readInventory(deps, this.#temporary(consumer));
    const sites = await this.#sites(consumer, targets, inventory);
    const labelled = label === undefined ? [] : [await this.#site({ wanted: label }, undefined)];
    const wide = [...labelled, ...sharedRoles(sites, deps, options)];
    const all = [...wide, ...sites];
    requireLate(deps, options, { running, sites: all });
    requireDroppable(options, all);
    deps.recorder.findings(keptFindings(all));
    const stale = await readStale(deps, options, { targets, inventory, configured });
    deps.recorder.findings(staleFindings(stale));
    return { targets, wide, sites, stale };
  }

  #render({ documents, source }: RoleFiles, accounts: readonly string[], { label }: Targets) {
    const { names } = this.deps;
    const { namespace } = this.options;
    const result = renderRbac(documents, { namespace, accounts, label, names });
    if (result.is === "rendered") return result;
    throw new UsageError(
      result.problems.map((problem) => `template ${source}: ${problem}`),
      {
        hint: "give the folder of a release, or its roles and bindings with --template",
      },
    );
  }

  #temporary({ binding }: Pair<KubeObject>): string {
    return `${binding.metadata.name ?? ""}-${this.deps.names.fieldManager}`;
  }

  async #sites(
    consumer: Pair<KubeObject>,
    { namespaces, unfit }: Targets,
    inventory: Inventory | undefined,
  ): Promise<readonly Site[]> {
    const sites = new Map<string, Site>();
    const fit = namespaces.filter((name) => !unfit.has(name));
    await eachAtMost(this.options.concurrency, fit, async (namespace) => {
      const place = { namespace, wanted: pairIn(consumer, namespace) };
      const site = await this.#site(place, inventory);
      sites.set(namespace, site);
    });
    return fit.flatMap((name) => sites.get(name) ?? []);
  }

  async #site(
    where: Pick<Site, "namespace" | "wanted">,
    inventory: Inventory | undefined,
  ): Promise<Site> {
    const { deps, options } = this;
    const place = { ...where, temporaryName: this.#temporary(where.wanted) };
    const { namespace = "" } = where;
    const found = inventory?.at(namespace) ?? (await readPlace(deps, place));
    const planning = { ...options, names: deps.names };
    const name = where.namespace === undefined ? undefined : clusterRoleOf(found.binding);
    const role = name === undefined ? undefined : await this.#bound.clusterRole(name);
    if (isShared(role, deps.names)) {
      const shared = { ...place, wanted: sharedPair(where.wanted, role), part: "binding" } as const;
      return siteOf(shared, { ...found, role }, planning);
    }
    return siteOf(place, await this.#bound.addTo(found, where.wanted.binding), planning);
  }

  /** The places whose writes are allowed; where none is, nothing is begun. */
  async #withPermission(planned: Planned): Promise<readonly Site[]> {
    const { deps, options } = this;
    const { wide, sites, stale } = planned;
    const all = [...wide, ...sites];
    const writing = all.filter(({ plan }) => !isAsWanted(plan));
    const missing = await missingAt(deps, options, writing);
    for (const [site, lacking] of missing) {
      this.#ending.fail(site, this.#refusals.lacks(site, lacking));
    }
    if (missing.size > 0) await reportMissing(deps, this.#refusals.missing);
    if (writing.length > 0 && missing.size === writing.length) {
      throw new MissingPermissionsError([...missing.values()].flat().slice(0, 10));
    }
    if (options.prune) await requirePermissions(deps, prunePermissions(prunable(stale)));
    return all.filter((site) => !missing.has(site));
  }

  async #confirm({ stale }: Planned, open: readonly Site[]): Promise<void> {
    const { deps, options } = this;
    if (options.dryRun !== "none") return;
    const rebinds = open.filter(({ plan }) => plan.rebind).length;
    const narrows = open.filter(({ plan }) => takesAway(plan)).length;
    const prunes = options.prune ? prunable(stale).length : 0;
    if (rebinds + narrows + prunes === 0) return;
    const acts = [
      ...(narrows > 0 ? [`take rights away in ${counted(narrows)}`] : []),
      ...(rebinds > 0 ? [`delete the binding and make it anew in ${counted(rebinds)}`] : []),
      ...(prunes > 0 ? [`delete what is left over in ${counted(prunes)}`] : []),
    ];
    await requireYes(deps, `On ${deps.cluster.server}: ${acts.join(", and ")}?`);
  }

  async #requireHome({ stale }: Planned, open: readonly Site[]): Promise<void> {
    const { deps, options } = this;
    const writes =
      open.some(({ plan }) => !isAsWanted(plan)) || (options.prune && stale.length > 0);
    if (writes && options.dryRun === "none") await requireHome(deps, true);
  }

  /** The cluster-wide pair and the canary first, each alone; then the others at once. */
  async #work(open: readonly Site[], { targets, wide }: Planned): Promise<void> {
    const { deps, options } = this;
    const tools = { writer: this.#writer, refusals: this.#refusals, bound: this.#bound };
    const worker = new Worker(deps, options, tools);
    const one = async (site: Site): Promise<void> => {
      if (this.#ending.stopped) return;
      deps.signal.throwIfAborted();
      this.#ending.add(await worker.work(site));
      const progress = this.#ending.progress();
      if (progress !== undefined) deps.recorder.waiting(progress, 0);
    };
    for (const [name, finding] of targets.unfit) this.#ending.failNamespace(name, [finding]);
    const first = open.filter((site) => wide.includes(site) || site.namespace === options.canary);
    for (const site of first) {
      this.#judgeCanary();
      await one(site);
    }
    this.#judgeCanary();
    const others = open.filter((site) => !first.includes(site));
    await eachAtMost(options.concurrency, others, one);
    const { missing } = this.#refusals;
    if (missing.length > 0) await reportMissing(deps, missing);
  }

  /** It fails by its turn at the latest: what cannot be worked on stops the cluster-wide pair too. */
  #judgeCanary(): void {
    const { canary } = this.options;
    if (canary !== undefined && this.#ending.hasFailed(canary)) {
      this.#ending.stop(`the canary ${canary} failed`);
    }
  }

  async #prune(all: readonly Stale[]): Promise<void> {
    const { deps, options } = this;
    if (this.#ending.stopped) return;
    await eachAtMost(options.concurrency, prunable(all), async (stale) => {
      deps.signal.throwIfAborted();
      const findings: readonly Finding[] = await prune(deps, this.#writer, stale);
      deps.recorder.findings(findings);
      this.#ending.pruned(findings.length === 0);
    });
  }
}

function counted(count: number): string {
  return count === 1 ? "1 place" : `${count} places`;
}
