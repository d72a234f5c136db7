/** One place: its role, binding and proof, tried in a dry run. Running it again continues from what is there. */
import { nameAwaited } from "../../domain/base/awaited";
import { exitCodes, BlockedError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { objectLabel } from "../../domain/kube/objects";
import { rbacFinding } from "../../domain/rbac/findings";
import { isAsWanted } from "../../domain/rbac/plan";
import {
  type BindingSubject,
  type Grant,
  grantLines,
  grantsOf,
  readRules,
  subjectsBeyond,
} from "../../domain/kube/role-rules";
import { placeName, type Site, planPlace } from "../../domain/rbac/site";
import { listAccounts } from "../../domain/rbac/templates";
import type { Apply, PlannedChange } from "../../domain/kube/change";
import type { World } from "../../kernel/world";
import { workByPlan } from "../../kernel/send";
import type { Session } from "../../kernel/session";
import { waitFor } from "../../kernel/wait";
import { describeAccess } from "../../kernel/permissions";
import type { ReviewQuestion } from "../../readers/reviews";
import { inOrder, type SiteWrites, type RbacContext, listWrites } from "./changes";
import type { Places, RbacDeps, RbacOptions } from "./read";
import { readLeftMarks } from "../../readers/left-marks";
import { findConflictsAt, listMarked } from "./plan";
import { askable, type Rights } from "./rights";
import type { SiteOutcome } from "./summary";
import type { Result } from "../../domain/kube/planned-write";

/** The API server learns of a new binding within moments: before these it is asked in vain. */
const usualWaitMs = 30;
const longestWaitMs = 10_000;

/** What the work is done with. */
export interface Tools {
  readonly session: Session;
  readonly rights: Rights;
  readonly places: Places;
  readonly context: RbacContext;
  readonly dryRun: World["dryRun"];
}

/** Works on places one by one. */
export class PlaceWorker {
  /** The writes that a dry run has planned. */
  readonly planned: PlannedChange[] = [];

  constructor(
    private readonly deps: RbacDeps,
    private readonly options: RbacOptions,
    private readonly tools: Tools,
  ) {}

  /** Writes one place, or tries its writes in a dry run; gives the proof that ends it. Only what concerns every place is thrown. */
  async workOn(first: Site): Promise<() => Promise<SiteOutcome>> {
    const { deps, options, tools } = this;
    let site = first;
    let told: readonly Finding[] = [];
    const failed = async (error: unknown): Promise<SiteOutcome> => {
      return { site, result: "failed", findings: await tools.rights.explain(error, site) };
    };
    try {
      await workByPlan(deps, first, {
        work: async (planned) => {
          site = planned;
          told = await this.#bringUpToDate(planned);
        },
        again: async () =>
          planPlace(site, await tools.places.read(site), { ...options, names: deps.names }),
      });
      return async () => await this.#end(site, told).catch(failed);
    } catch (error) {
      const outcome = await failed(error);
      return () => Promise.resolve(outcome);
    }
  }

  /** What is told of it: marks of owners that are gone. */
  async #bringUpToDate(site: Site): Promise<readonly Finding[]> {
    const { deps, options, tools } = this;
    if (isAsWanted(site.plan)) return [];
    const left = await readLeftMarks(deps, listMarked(site));
    const conflicts = findConflictsAt(site, deps.names, { ...options, left });
    const stands = conflicts.filter(({ severity }) => severity === "error");
    if (stands.length > 0) throw new BlockedError(exitCodes.conflict, stands);
    const writes = listWrites(site, tools.context);
    if (tools.dryRun === "none") await this.#write(site, writes);
    else await this.#tryWrites(writes);
    return conflicts;
  }

  async #end(site: Site, told: readonly Finding[]): Promise<SiteOutcome> {
    const { dryRun } = this.tools;
    const unchanged = isAsWanted(site.plan);
    if (dryRun !== "none") {
      return { site, result: unchanged ? "unchanged" : "planned", findings: told };
    }
    if (!unchanged) await this.deps.clock.sleep(usualWaitMs);
    const findings = [...told, ...(await this.#prove(site))];
    return { site, result: unchanged ? "unchanged" : chooseResult(site), findings };
  }

  /** Nobody is without access at any moment: the second binding gives it while the first is away. */
  async #write(site: Site, writes: SiteWrites): Promise<void> {
    const { session } = this.tools;
    const { role, leftOver, second, old, binding, end } = writes;
    session.requireSendable(inOrder(writes));
    if (role !== undefined) await session.send(role);
    if (leftOver !== undefined) await session.send(leftOver);
    const meanwhile = second && (await session.send(second));
    if (meanwhile !== undefined) await this.#requireInForce(site);
    if (old !== undefined) await session.send(old);
    if (binding !== undefined) await session.send(binding);
    if (end !== undefined) await session.send({ ...end, object: meanwhile ?? end.object });
  }

  /** A dry run judges what does not follow on another write that is only planned. */
  async #tryWrites(writes: SiteWrites): Promise<void> {
    const { session, dryRun } = this.tools;
    const { role, old, binding, end } = writes;
    const isNew = role !== undefined && role.live === undefined;
    // the old binding is still there, and the second was never made
    const afterOld = old === undefined ? [] : [binding, end];
    const unjudged =
      isNew && dryRun === "server" ? inOrder({ ...writes, role: undefined }) : afterOld;
    for (const write of inOrder(writes)) {
      this.planned.push(
        unjudged.includes(write)
          ? session.tellPlanned(write === binding && old === undefined ? waiting(write) : write)
          : await session.planWrite(write),
      );
    }
  }

  /** Nothing is removed before the API server knows what gives the access meanwhile. */
  async #requireInForce(site: Site): Promise<void> {
    const user = this.tools.context.witness;
    const { binding, role } = site.plan.outcome;
    if (user === undefined) return;
    const cause = `in ${placeName(site)} the second binding is not seen to be in force, so the first was left as it was`;
    await this.#waitUntilAllowed(site, {
      users: [{ user, groups: [] }],
      grant: askable(grantsOf(readRules(role)))[0],
      denied: () => rbacFinding("notProven", { object: objectLabel(binding), cause }),
    });
  }

  /** The access of every account of the binding: one rule each, a gained one where there is one. */
  async #prove(site: Site): Promise<readonly Finding[]> {
    const { namespace, part, plan } = site;
    const { binding, role } = plan.outcome;
    // a ClusterRole gives nothing by itself: its namespaces are the proof
    if (!this.options.prove || part === "role") return [];
    if (!(await this.deps.reviews.possible(namespace)))
      return this.tools.rights.reportUnproven(site);
    const [grant] = [...askable(plan.gained), ...askable(grantsOf(readRules(role)))];
    const users = listProven(site).map(({ name, namespace: home = "" }) => ({
      user: `system:serviceaccount:${home}:${name}`,
      groups: ["system:serviceaccounts", `system:serviceaccounts:${home}`, "system:authenticated"],
    }));
    const denied = ({ user }: User): Finding =>
      rbacFinding("notProven", {
        object: objectLabel(binding),
        cause: `role and binding are up to date, but an access review denies ${user}: ${grantLines(grant ? [grant] : []).join()}`,
      });
    await this.#waitUntilAllowed(site, { users, grant, denied });
    return [];
  }

  /** Waits until all of them may use the grant; throws what is said of those who may not. */
  async #waitUntilAllowed({ namespace }: Site, { users, grant, denied }: Proof): Promise<void> {
    if (grant === undefined) return;
    const { clock, signal, reviews } = this.deps;
    const access = describeAccess({ ...grant, ...(namespace !== undefined && { namespace }) });
    let left = users;
    // a line for each of a thousand places would say nothing
    const recorder = { noteWaiting: () => undefined };
    await waitFor(
      { clock, signal, recorder },
      {
        look: async () => {
          const asked = left.map(async (one) => await reviews.ask({ ...one, access }));
          const answers = await Promise.all(asked);
          left = left.filter((_one, at) => answers[at]?.allowed !== true);
          if (left.length === 0) return { is: "done", value: undefined };
          return {
            is: "moving",
            on: nameAwaited(
              left.map(({ user }) => user).join(", "),
              "the API server to know the binding",
            ),
          };
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

/** The accounts of the binding, and the wanted ones that have their access by a group in it. */
function listProven({ plan, wanted }: Site): readonly BindingSubject[] {
  const named = listAccounts(plan.outcome.binding);
  return [...named, ...subjectsBeyond(listAccounts(wanted.binding), named)];
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

function chooseResult({ plan: { role, binding } }: Site): Result {
  const created = role?.live === undefined && binding?.live === undefined;
  return created && role !== undefined && binding !== undefined ? "created" : "changed";
}
