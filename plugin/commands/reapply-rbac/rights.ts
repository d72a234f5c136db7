/** Which permissions are missing where, and what a failed place says. */
import { isForbidden } from "../../ports/forbidden";
import { eachAtMost } from "../../domain/base/concurrency";
import { ApiError, type EngineError, TimeoutError, BlockedError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import { objectLabel } from "../../domain/kube/objects";
import { rbacFinding } from "../../domain/rbac/findings";
import { type Grant, grantLines, grantsOf, readRules } from "../../domain/kube/role-rules";
import { placeName, type Site } from "../../domain/rbac/site";
import { listPermissions } from "../../domain/kube/change";
import { ChangedError } from "../../kernel/send";
import { describeAccess, findMissingPermissions, tellMissing } from "../../kernel/permissions";
import { inOrder, type RbacContext, listWrites } from "./changes";
import type { RbacDeps, RbacOptions } from "./read";
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
      const missing = await this.#findLacking(this.#listNeeded(site));
      const unseen = await this.#lacksWitness(site, options);
      found.set(site, unseen ? [...missing, toProve(site)] : missing);
    });
    return new Map([...found].filter(([, missing]) => missing.length > 0));
  }

  /** A binding is removed only when the second one is seen to be in force. */
  async #lacksWitness({ plan, namespace }: Site, { prove }: RbacOptions): Promise<boolean> {
    if (!plan.rebind || !prove) return false;
    return !(await this.deps.reviews.possible(namespace));
  }

  /** One question each for the whole cluster, and more only for what is not allowed everywhere. */
  async #findLacking(needed: readonly Permission[]): Promise<readonly Permission[]> {
    const held = await Promise.all(
      needed.map(async (one) => {
        if (await this.#mayEverywhere(anywhere(one))) return true;
        return one.namespace !== undefined && (await this.deps.cluster.can(describeAccess(one)));
      }),
    );
    return needed.filter((_one, index) => held[index] !== true);
  }

  #mayEverywhere(permission: Permission): Promise<boolean> {
    const line = permissionLine(permission);
    const answer = this.#wide.get(line) ?? this.deps.cluster.can(describeAccess(permission));
    this.#wide.set(line, answer);
    return answer;
  }

  #listNeeded(site: Site): readonly Permission[] {
    return inOrder(listWrites(site, this.context)).flatMap(listPermissions);
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
  reportLacking(site: Site, missing: readonly Permission[]): readonly Finding[] {
    this.#missing.push(...missing);
    const cause = `you may not ${missing.map(permissionLine).join(", nor ")}`;
    return [rbacFinding("forbidden", { object: roleAt(site), cause })];
  }

  /** A place whose access nobody lets us ask about. */
  reportUnproven(site: Site): readonly Finding[] {
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
    return isForbidden(error) ? await this.#explainForbidden(error, site) : [refused(error, site)];
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

  async #explainForbidden(error: ApiError, site: Site): Promise<readonly Finding[]> {
    const missing = await findMissingPermissions(this.deps.cluster, this.#listNeeded(site));
    if (missing.length > 0) return this.reportLacking(site, missing);
    if (this.#explained >= explainedAtMost) {
      const cause = `the role grants permissions that you do not have, as in ${this.#example}`;
      return [rbacFinding("escalation", { object: roleAt(site), cause })];
    }
    const given = askable(grantsOf(readRules(site.plan.outcome.role)));
    const lacking = await this.#findLacking(given.map((grant) => toHold(grant, site)));
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
export function askable(grants: readonly Grant[]): readonly Grant[] {
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
