/** Brings one place up to date: role, binding, proof. Running it again continues from what is there. */
import { exitCodes } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { objectLabel } from "../../domain/objects";
import { rbacFinding } from "../../domain/rbac/codes";
import { isAsWanted } from "../../domain/rbac/plan";
import { type Grant, grantLines, grantsOf, rulesOf } from "../../domain/rbac/rules";
import { placeName, type Site, siteOf } from "../../domain/rbac/site";
import { accountsOf } from "../../domain/rbac/templates";
import type { Apply } from "../engine/change";
import { replanned } from "../engine/replan";
import type { Session } from "../engine/session";
import { waitFor } from "../engine/wait";
import { accessOf } from "../engine/permissions";
import { BlockedError } from "../engine/recorder";
import type { Result } from "../report";
import type { ReviewQuestion } from "../reviews";
import { inOrder, type SiteWrites, type WriteContext, writesOf } from "./changes";
import type { RbacDeps, RbacOptions } from "./deps";
import { conflictsAt } from "./plan";
import type { Places } from "./read";
import { askable, type Rights } from "./rights";

/** The API server learns of a new binding within moments. */
const longestWaitMs = 10_000;

/** What became of a place. */
export interface Outcome {
  readonly site: Site;
  readonly result: Result;
  readonly findings: readonly Finding[];
}

/** What the work is done with. */
export interface Tools {
  readonly session: Session;
  readonly rights: Rights;
  readonly places: Places;
  readonly context: WriteContext;
}

/** Works on places one by one. */
export class Worker {
  constructor(
    private readonly deps: RbacDeps,
    private readonly options: RbacOptions,
    private readonly tools: Tools,
  ) {}

  /** The outcome of one place; only what concerns every place is thrown. */
  async work(first: Site): Promise<Outcome> {
    const { deps, options, tools } = this;
    let site = first;
    try {
      return await replanned(deps, first, {
        work: async (planned) => {
          site = planned;
          return await this.#bringUpToDate(planned);
        },
        again: async () =>
          siteOf(site, await tools.places.read(site), { ...options, names: deps.names }),
      });
    } catch (error) {
      return { site, result: "failed", findings: await tools.rights.explain(error, site) };
    }
  }

  async #bringUpToDate(site: Site): Promise<Outcome> {
    const { deps, options, tools } = this;
    const unchanged = isAsWanted(site.plan);
    if (!unchanged) {
      const conflicts = conflictsAt(site, deps.names, options);
      if (conflicts.length > 0) throw new BlockedError(exitCodes.conflict, conflicts);
      const writes = writesOf(site, tools.context);
      if (options.dryRun === "none") await this.#write(site, writes);
      else await this.#plan(writes);
    }
    if (options.dryRun !== "none") {
      return { site, result: unchanged ? "unchanged" : "planned", findings: [] };
    }
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

  /** Nothing is taken away before the API server knows what gives the access meanwhile. */
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
        cause: `role and binding are as wanted, but an access review denies ${user}: ${grantLines(grant ? [grant] : []).join()}`,
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
