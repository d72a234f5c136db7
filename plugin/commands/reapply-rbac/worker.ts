/** Brings one place up to date: role, binding, proof. Running it again continues from what is there. */
import { eachAtMost } from "../../domain/base/concurrency";
import {
  ApiError,
  type EngineError,
  exitCodes,
  TimeoutError,
  BlockedError,
} from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { objectLabel } from "../../domain/kube/objects";
import { rbacFinding } from "../../domain/rbac/findings";
import { isAsWanted } from "../../domain/rbac/plan";
import { type Grant, grantLines, grantsOf, rulesOf } from "../../domain/kube/role-rules";
import { placeName, type Site, siteOf } from "../../domain/rbac/site";
import { accountsOf } from "../../domain/rbac/templates";
import { type Apply, permissionsOf } from "../../domain/kube/change";
import { ChangedError, replanned } from "../../kernel/send";
import type { Session } from "../../kernel/session";
import { waitFor } from "../../kernel/wait";
import { accessOf, missingPermissions, tellMissing } from "../../kernel/permissions";
import type { ReviewQuestion } from "../../readers/reviews";
import { inOrder, type SiteWrites, type RbacContext, writesOf } from "./changes";
import type { Places, RbacDeps, RbacOptions } from "./read";
import { conflictsAt } from "./plan";
import type { SiteOutcome } from "./targets";
import type { Result } from "../../domain/kube/planned-write";
import { kinds } from "../../domain/kube/kinds";
import { fewNamespaces, rbacProof } from "./needs";
import { type Permission, permissionLine, reviewPermission } from "../../domain/kube/permissions";

/** Each explanation costs a question a rule: the first ones tell what the others would. */
const explainedAtMost = 20;

/** Explains failures, and gathers the permissions that would have prevented them. */
export class Rights {
  readonly #missing: Permission[] = [];
  /** What the user may do everywhere, each asked once. */
  readonly #wide = new Map<string, Promise<boolean>>();
  #explained = 0;
  #example = "";

  constructor(
    private readonly deps: RbacDeps,
    private readonly context: RbacContext,
  ) {}

  /** The permissions that are missing at each place, those without which nothing is written there. */
  async missingAt(
    sites: readonly Site[],
    options: RbacOptions,
  ): Promise<ReadonlyMap<Site, readonly Permission[]>> {
    // in the order of the places, whichever is answered first
    const found = new Map<Site, readonly Permission[]>(sites.map((site) => [site, []]));
    await eachAtMost(options.concurrency, sites, async (site) => {
      const missing = await this.#lacking(this.#needed(site));
      const unseen = await this.#lacksWitness(site, options);
      found.set(site, unseen ? [...missing, toProve(site)] : missing);
    });
    return new Map([...found].filter(([, missing]) => missing.length > 0));
  }

  /** A binding is removed only when the second one is seen to be in force. */
  async #lacksWitness({ plan, namespace }: Site, { prove, dryRun }: RbacOptions): Promise<boolean> {
    if (!plan.rebind || !prove || dryRun !== "none") return false;
    return !(await this.deps.reviews.possible(namespace));
  }

  /** One question each for the whole cluster, and more only for what is not allowed everywhere. */
  async #lacking(needed: readonly Permission[]): Promise<readonly Permission[]> {
    const held = await Promise.all(
      needed.map(async (one) => {
        if (await this.#everywhere(anywhere(one))) return true;
        return one.namespace !== undefined && (await this.deps.cluster.can(accessOf(one)));
      }),
    );
    return needed.filter((_one, index) => held[index] !== true);
  }

  #everywhere(permission: Permission): Promise<boolean> {
    const line = permissionLine(permission);
    const answer = this.#wide.get(line) ?? this.deps.cluster.can(accessOf(permission));
    this.#wide.set(line, answer);
    return answer;
  }

  #needed(site: Site): readonly Permission[] {
    return inOrder(writesOf(site, this.context)).flatMap(permissionsOf);
  }

  /** Puts what was missing and the Roles to ask for into the report. */
  async tell(): Promise<void> {
    if (this.#missing.length === 0) return;
    const places = new Set(this.#missing.map(({ namespace }) => namespace));
    const asked = places.size > fewNamespaces ? this.#missing.map(anywhere) : this.#missing;
    const each = new Map(asked.map((one) => [permissionLine(one), one]));
    await tellMissing(this.deps, [...each.values()]);
  }

  /** The findings of a failed place; what concerns every place alike is thrown again. */
  async explain(error: unknown, site: Site): Promise<readonly Finding[]> {
    if (error instanceof BlockedError) return error.findings;
    if (error instanceof ApiError) return await this.#explainAnswer(error, site);
    if (error instanceof ChangedError || error instanceof TimeoutError) {
      return [refused(error, site)];
    }
    throw error;
  }

  /** A place that lacks permissions. */
  lacks(site: Site, missing: readonly Permission[]): readonly Finding[] {
    this.#missing.push(...missing);
    const cause = `you may not ${missing.map(permissionLine).join(", nor ")}`;
    return [rbacFinding("forbidden", { object: roleAt(site), cause })];
  }

  /** A place whose access nobody lets us ask about. */
  unproven(site: Site): readonly Finding[] {
    this.#missing.push(toProve(site));
    return [rbacFinding("unproven", { object: objectLabel(site.plan.outcome.binding) })];
  }

  async #explainAnswer(error: ApiError, site: Site): Promise<readonly Finding[]> {
    const { namespace = "" } = site;
    const object = `Namespace/${namespace}`;
    if (error.causes.some(({ reason }) => reason === "NamespaceTerminating")) {
      return [rbacFinding("namespaceTerminating", { object })];
    }
    if (error.status === 404 && namespace !== "" && (await this.#isGone(namespace))) {
      return [rbacFinding("namespaceAbsent", { object })];
    }
    return error.status === 403 ? await this.#forbidden(error, site) : [refused(error, site)];
  }

  /** Who may not see the namespace cannot tell that it is gone. */
  async #isGone(name: string): Promise<boolean> {
    try {
      return (await this.deps.cluster.get({ resource: kinds.namespace, name })) === undefined;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  }

  async #forbidden(error: ApiError, site: Site): Promise<readonly Finding[]> {
    const missing = await missingPermissions(this.deps.cluster, this.#needed(site));
    if (missing.length > 0) return this.lacks(site, missing);
    if (this.#explained >= explainedAtMost) {
      const cause = `the role grants permissions that you do not have, as in ${this.#example}`;
      return [rbacFinding("escalation", { object: roleAt(site), cause })];
    }
    const given = askable(grantsOf(rulesOf(site.plan.outcome.role)));
    const lacking = await this.#lacking(given.map((grant) => toHold(grant, site)));
    if (lacking.length === 0) return [refused(error, site)];
    this.#explained += 1;
    this.#example = placeName(site);
    this.#missing.push(...lacking);
    return grantLines(lacking).map((line) =>
      rbacFinding("escalation", {
        object: roleAt(site),
        field: "rules",
        cause: `the role grants a permission that you do not have in ${placeName(site)}: ${line}`,
      }),
    );
  }
}

/** Those on objects: a path of the API cannot be asked for as one. */
function askable(grants: readonly Grant[]): readonly Grant[] {
  return grants.filter(({ resource }) => !resource.startsWith("/"));
}

function roleAt({ plan }: Site): string {
  return objectLabel(plan.outcome.role);
}

function refused(error: EngineError, site: Site): Finding {
  const { message: cause, hint } = error;
  return rbacFinding("refused", { object: roleAt(site), cause, ...(hint && { fix: hint }) });
}

/** What it takes to see that the access at a place is in force. */
function toProve({ namespace }: Site): Permission {
  return reviewPermission(rbacProof, namespace);
}

function toHold(grant: Grant, { namespace }: Site): Permission {
  const why = "the role gives it, and only who holds it may give it";
  return { ...grant, ...(namespace !== undefined && { namespace }), why };
}

function anywhere({ verb, group, resource, name, why }: Permission): Permission {
  return { verb, group, resource, ...(name !== undefined && { name }), why };
}

/** The API server learns of a new binding within moments: before these it is asked in vain. */
const usualWaitMs = 30;
const longestWaitMs = 10_000;

/** What the work is done with. */
interface Tools {
  readonly session: Session;
  readonly rights: Rights;
  readonly places: Places;
  readonly context: RbacContext;
}

/** Works on places one by one. */
export class Worker {
  constructor(
    private readonly deps: RbacDeps,
    private readonly options: RbacOptions,
    private readonly tools: Tools,
  ) {}

  /** Writes one place, and gives the proof that ends it; only what concerns every place is thrown. */
  async write(first: Site): Promise<() => Promise<SiteOutcome>> {
    const { deps, options, tools } = this;
    let site = first;
    const failed = async (error: unknown): Promise<SiteOutcome> => {
      return { site, result: "failed", findings: await tools.rights.explain(error, site) };
    };
    try {
      await replanned(deps, first, {
        work: async (planned) => {
          site = planned;
          await this.#bringUpToDate(planned);
        },
        again: async () =>
          siteOf(site, await tools.places.read(site), { ...options, names: deps.names }),
      });
      return async () => await this.#end(site).catch(failed);
    } catch (error) {
      const outcome = await failed(error);
      return () => Promise.resolve(outcome);
    }
  }

  async #bringUpToDate(site: Site): Promise<void> {
    const { deps, options, tools } = this;
    if (isAsWanted(site.plan)) return;
    const conflicts = conflictsAt(site, deps.names, options);
    if (conflicts.length > 0) throw new BlockedError(exitCodes.conflict, conflicts);
    const writes = writesOf(site, tools.context);
    if (options.dryRun === "none") await this.#write(site, writes);
    else await this.#plan(writes);
  }

  async #end(site: Site): Promise<SiteOutcome> {
    const { dryRun } = this.options;
    const unchanged = isAsWanted(site.plan);
    if (dryRun !== "none") {
      return { site, result: unchanged ? "unchanged" : "planned", findings: [] };
    }
    if (!unchanged) await this.deps.clock.sleep(usualWaitMs);
    const findings = await this.#prove(site);
    return { site, result: unchanged ? "unchanged" : resultOf(site), findings };
  }

  /** Nobody is without access at any moment: the second binding gives it while the first is away. */
  async #write(site: Site, writes: SiteWrites): Promise<void> {
    const { session } = this.tools;
    const { role, leftOver, second, old, binding, end } = writes;
    session.requireConfirmed(inOrder(writes));
    if (role !== undefined) await session.send(role);
    if (leftOver !== undefined) await session.send(leftOver);
    const meanwhile = second && (await session.send(second));
    if (meanwhile !== undefined) await this.#witness(site);
    if (old !== undefined) await session.send(old);
    if (binding !== undefined) await session.send(binding);
    if (end !== undefined) await session.send({ ...end, object: meanwhile ?? end.object });
  }

  /** A dry run judges what does not follow on another write that is only planned. */
  async #plan(writes: SiteWrites): Promise<void> {
    const { session } = this.tools;
    const { role, old, binding, end } = writes;
    const isNew = role !== undefined && role.live === undefined;
    // the old binding is still there, and the second was never made
    const afterOld = old === undefined ? [] : [binding, end];
    const unjudged =
      isNew && this.options.dryRun === "server"
        ? inOrder({ ...writes, role: undefined })
        : afterOld;
    for (const write of inOrder(writes)) {
      if (!unjudged.includes(write)) await session.plan(write);
      else session.tell(write === binding && old === undefined ? waiting(write) : write);
    }
  }

  /** Nothing is removed before the API server knows what gives the access meanwhile. */
  async #witness(site: Site): Promise<void> {
    const user = this.tools.context.witness;
    const { binding, role } = site.plan.outcome;
    if (user === undefined) return;
    const cause = `in ${placeName(site)} the second binding is not seen to be in force, so the first was left as it was`;
    await this.#allowed(site, {
      users: [{ user, groups: [] }],
      grant: askable(grantsOf(rulesOf(role)))[0],
      denied: () => rbacFinding("notProven", { object: objectLabel(binding), cause }),
    });
  }

  /** The access of every account of the binding: one rule each, a gained one where there is one. */
  async #prove(site: Site): Promise<readonly Finding[]> {
    const { namespace, part, plan } = site;
    const { binding, role } = plan.outcome;
    // a ClusterRole gives nothing by itself: its namespaces are the proof
    if (!this.options.prove || part === "role") return [];
    if (!(await this.deps.reviews.possible(namespace))) return this.tools.rights.unproven(site);
    const [grant] = [...askable(plan.gained), ...askable(grantsOf(rulesOf(role)))];
    const users = accountsOf(binding).map(({ name, namespace: home = "" }) => ({
      user: `system:serviceaccount:${home}:${name}`,
      groups: ["system:serviceaccounts", `system:serviceaccounts:${home}`, "system:authenticated"],
    }));
    const denied = ({ user }: User): Finding =>
      rbacFinding("notProven", {
        object: objectLabel(binding),
        cause: `role and binding are up to date, but an access review denies ${user}: ${grantLines(grant ? [grant] : []).join()}`,
      });
    await this.#allowed(site, { users, grant, denied });
    return [];
  }

  /** Waits until all of them may use the grant; throws what is said of those who may not. */
  async #allowed({ namespace }: Site, { users, grant, denied }: Proof): Promise<void> {
    if (grant === undefined) return;
    const { clock, signal, reviews } = this.deps;
    const access = accessOf({ ...grant, ...(namespace !== undefined && { namespace }) });
    let left = users;
    // a line for each of a thousand places would say nothing
    const recorder = { waiting: () => undefined };
    await waitFor(
      { clock, signal, recorder },
      {
        look: async () => {
          const asked = left.map(async (one) => await reviews.ask({ ...one, access }));
          const answers = await Promise.all(asked);
          left = left.filter((_one, at) => answers[at]?.allowed !== true);
          if (left.length === 0) return { is: "done", value: undefined };
          return { is: "moving", on: "the API server to know the binding" };
        },
        beforeWrite: true,
        ...{ firstMs: 20, everyMs: 1_000 },
        total: {
          ms: Math.min(this.options.timeoutMs, longestWaitMs),
          end: () => new BlockedError(exitCodes.failed, left.map(denied)),
        },
      },
    );
  }
}

const waiting = (binding: Apply): Apply => ({
  ...binding,
  why: "after the role, which has to be there first",
});

type User = Pick<ReviewQuestion, "user" | "groups">;

interface Proof {
  readonly users: readonly User[];
  /** Undefined for a role that gives nothing on objects: nothing can be asked. */
  readonly grant: Grant | undefined;
  readonly denied: (user: User) => Finding;
}

function resultOf({ plan: { role, binding } }: Site): Result {
  const created = role?.live === undefined && binding?.live === undefined;
  return created && role !== undefined && binding !== undefined ? "created" : "changed";
}
