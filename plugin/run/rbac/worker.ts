/** Brings one place up to date: role, binding, proof. Running it again goes on from what is there. */
import type { Act } from "../../domain/confirmed";
import type { Finding } from "../../domain/findings";
import { type EngineError, exitCodes } from "../../domain/errors";
import { rbacFinding } from "../../domain/rbac/codes";
import { type KubeObject, objectLabel } from "../../domain/objects";
import { grantLines } from "../../domain/rbac/rules";
import { isAsWanted, temporaryBinding } from "../../domain/rbac/plan";
import { roleRefOf } from "../../domain/rbac/subjects";
import { BlockedError } from "../recorder";
import type { Result } from "../report";
import type { RbacDeps, RbacOptions } from "./deps";
import { proveSite, witnessed } from "./proof";
import { type BoundRules, readPlace } from "./read";
import type { Refusals } from "./refusal";
import { placeName, requireOurs, type Site, siteOf } from "./site";
import { ChangedError, requireConfirmed } from "../outcome";
import { Writer } from "./writer";

const planAttempts = 3;

/** What became of a place. */
export interface Outcome {
  readonly site: Site;
  readonly result: Result;
  readonly findings: readonly Finding[];
}

/** What the work is done with. */
export interface Tools {
  readonly writer: Writer;
  readonly refusals: Refusals;
  readonly bound: BoundRules;
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
    const confirmed = takenActs(first);
    let site = first;
    for (let attempt = 1; ; attempt += 1) {
      try {
        requireConfirmed(confirmed, takenActs(site));
        return await this.#once(site);
      } catch (error) {
        if (!(error instanceof ChangedError) || attempt >= planAttempts) {
          return {
            site,
            result: "failed",
            findings: await this.tools.refusals.explain(error, site),
          };
        }
        this.deps.recorder.note(`${error.message}: reading and planning again`);
        site = await this.#planAgain(site);
      }
    }
  }

  async #planAgain(site: Site): Promise<Site> {
    const found = await readPlace(this.deps, site);
    const known = await this.tools.bound.addTo(found, site.wanted.binding);
    return siteOf(site, known, { ...this.options, names: this.deps.names });
  }

  async #once(site: Site): Promise<Outcome> {
    const { options } = this;
    const unchanged = isAsWanted(site.plan);
    if (!unchanged) await this.#write(site);
    if (options.dryRun !== "none") {
      return { site, result: unchanged ? "unchanged" : "planned", findings: [] };
    }
    // a ClusterRole gives nothing by itself: its namespaces are the proof
    const isProven = options.prove && site.part !== "role";
    const findings = isProven ? await this.#prove(site) : [];
    if (findings.some(isError)) return { site, result: "failed", findings };
    return { site, result: unchanged ? "unchanged" : resultOf(site), findings };
  }

  async #prove(site: Site): Promise<readonly Finding[]> {
    const { deps, options, tools } = this;
    if (await deps.reviews.possible(site.namespace)) return await proveSite(deps, options, site);
    return tools.refusals.unproven(site);
  }

  async #write(site: Site): Promise<void> {
    requireOurs(site, this.deps, this.options);
    const { role } = site.plan;
    if (role !== undefined) await this.tools.writer.apply(role, whyRole(site));
    // a binding to a role that is only planned cannot be judged by a dry run
    const unjudged = role !== undefined && role.live === undefined;
    if (unjudged && this.options.dryRun === "server") await this.#plannedOnly(site);
    else await this.#writeBinding(site);
  }

  async #writeBinding(site: Site): Promise<void> {
    const { binding, rebind, temporary } = site.plan;
    const { writer } = this.tools;
    if (rebind) {
      await this.#rebind(site);
      return;
    }
    if (binding !== undefined) await writer.apply(binding, whyBinding(site));
    if (temporary !== undefined) await writer.delete(temporary, inForceAgain);
  }

  async #plannedOnly(site: Site): Promise<void> {
    const { binding, rebind } = site.plan;
    if (rebind) {
      const { deps, tools } = this;
      const options = { ...this.options, dryRun: "client" } as const;
      const writer = new Writer(deps, options);
      await new Worker(deps, options, { ...tools, writer }).#rebind(site);
    } else if (binding !== undefined) {
      this.tools.writer.planApply(binding, "after the role, which has to be there first");
    }
  }

  /**
   * A roleRef cannot be changed. A second binding gives the access while the first is deleted and
   * made anew; the API server is seen to know it before anything is taken away.
   */
  async #rebind(site: Site): Promise<void> {
    const { writer } = this.tools;
    const { live, object } = site.plan.binding ?? { object: site.plan.outcome.binding };
    const second = await this.#applySecond(site);
    if (live !== undefined) {
      const why = `it is for ${roleRefOf(live)}, wanted ${roleRefOf(object)}`;
      await writer.delete(live, why, "replace --force");
    }
    const why = "with the wanted role";
    if (this.options.dryRun !== "none") {
      // the old one is still there, and the second was never made: the server could judge neither
      writer.planApply({ object }, why);
      writer.planDelete(second, inForceAgain);
      return;
    }
    await writer.apply({ object }, why);
    await writer.delete(second, inForceAgain);
  }

  async #applySecond(site: Site): Promise<KubeObject> {
    const { deps, options } = this;
    const { writer } = this.tools;
    const { plan, temporaryName } = site;
    const witness = `${deps.names.fieldManager}:${deps.runId}`;
    const object = temporaryBinding(plan, temporaryName, options.prove ? witness : undefined);
    let left = plan.temporary;
    if (left !== undefined && roleRefOf(left) !== roleRefOf(object)) {
      await writer.delete(left, "left over from another change");
      left = undefined;
    }
    const why = `the access through ${roleRefOf(object)} while the binding is replaced`;
    const written = await writer.apply({ object, ...(left && { live: left }) }, why);
    const seen = options.dryRun !== "none" || !options.prove;
    if (!seen && !(await witnessed(deps, options, { user: witness, site }))) throw unseen(site);
    return written;
  }
}

const inForceAgain = "the binding itself is in force again";

/** Errors that a deletion before any proof would turn into a moment without access. */
function unseen(site: Site): EngineError {
  const object = objectLabel(site.plan.outcome.binding);
  return new BlockedError(exitCodes.failed, [
    rbacFinding("notProven", {
      object,
      cause: `in ${placeName(site)} the second binding is not seen to be in force, so the first was left as it was`,
    }),
  ]);
}

/** What is taken away or deleted; what is given may follow what somebody else changes. */
function takenActs({ plan }: Site): readonly Act[] {
  const { outcome, lost, subjectsLost, rebind } = plan;
  const [role, binding] = [objectLabel(outcome.role), objectLabel(outcome.binding)];
  return [
    ...grantLines(lost).map((line) => ({ object: role, does: `take ${line} away` })),
    ...subjectsLost.map((who) => ({ object: binding, does: `take ${who} out of it` })),
    ...(rebind ? [{ object: binding, does: "delete it" }] : []),
  ];
}

function isError({ severity }: Finding): boolean {
  return severity === "error";
}

function whyRole({ plan: { gained, lost, role } }: Site): string {
  if (role?.live === undefined) return "there is none yet";
  if (gained.length + lost.length === 0) return "its labels or annotations differ";
  return `${gained.length} rights more, ${lost.length} fewer`;
}

function whyBinding({ plan }: Site): string {
  if (plan.binding?.live === undefined) return "there is none yet";
  const changed = plan.subjectsGained.length + plan.subjectsLost.length > 0;
  return changed ? "its subjects differ" : "its labels or annotations differ";
}

function resultOf({ plan: { role, binding } }: Site): Result {
  const created = role?.live === undefined && binding?.live === undefined;
  return created && role !== undefined && binding !== undefined ? "created" : "changed";
}
