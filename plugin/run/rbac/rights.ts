/** Which rights the writes take, who lacks them where, and why a place failed, with a way out. */
import { ApiError, type EngineError, TimeoutError } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { kinds } from "../../domain/kinds";
import { objectLabel } from "../../domain/objects";
import { type Permission, permissionLine } from "../../domain/permissions";
import { rbacFinding } from "../../domain/rbac/codes";
import { type Grant, grantLines, grantsOf, rulesOf } from "../../domain/rbac/rules";
import { placeName, type Site } from "../../domain/rbac/site";
import { permissionsOf } from "../engine/change";
import { accessOf, missingPermissions, tellMissing } from "../engine/permissions";
import { ChangedError } from "../engine/outcome";
import { BlockedError } from "../engine/recorder";
import { reviewPermission } from "../reviews";
import { inOrder, type WriteContext, writesOf } from "./changes";
import type { RbacDeps, RbacOptions } from "./deps";

/** More namespaces than these are asked for by one ClusterRole. */
const fewNamespaces = 3;

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
    private readonly context: WriteContext,
  ) {}

  /** The permissions that are missing at each place, those without which nothing is written there. */
  async missingAt(
    sites: readonly Site[],
    options: RbacOptions,
  ): Promise<ReadonlyMap<Site, readonly Permission[]>> {
    const found = await Promise.all(
      sites.map(async (site): Promise<readonly [Site, readonly Permission[]]> => {
        const missing = await this.#lacking(this.#needed(site));
        const unseen = await this.#lacksWitness(site, options);
        return [site, unseen ? [...missing, toProve(site)] : missing];
      }),
    );
    return new Map(found.filter(([, missing]) => missing.length > 0));
  }

  /** A binding is taken away only when the second one is seen to be in force. */
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
      const cause = `the role gives rights that you do not hold, as in ${this.#example}`;
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
        cause: `the role gives a right that you do not hold in ${placeName(site)}: ${line}`,
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
  return reviewPermission("to prove the access (or go without proof: --no-probe)", namespace);
}

function toHold(grant: Grant, { namespace }: Site): Permission {
  const why = "the role gives it, and only who holds it may give it";
  return { ...grant, ...(namespace !== undefined && { namespace }), why };
}

function anywhere({ verb, group, resource, name, why }: Permission): Permission {
  return { verb, group, resource, ...(name !== undefined && { name }), why };
}
