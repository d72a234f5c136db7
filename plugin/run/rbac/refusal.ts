/** Why a place failed: the API server's refusal made into findings with a way out. */
import { objectLabel } from "../../domain/objects";
import { ApiError, type EngineError, TimeoutError } from "../../domain/errors";
import type { Finding } from "../../domain/findings";
import { permissionLine, type Permission } from "../../domain/permissions";
import { rbacFinding } from "../../domain/rbac/codes";
import { type Grant, grantLines } from "../../domain/rbac/rules";
import { missingPermissions } from "../ledger";
import { BlockedError } from "../recorder";
import type { RbacDeps } from "./deps";
import { proofPermission, writePermissions } from "./permissions";
import { OwnRights } from "./proof";
import { placeName, type Site } from "./site";
import { ChangedError } from "../outcome";

/** Each explanation costs a question a rule: the first ones tell what the others would. */
const explainedAtMost = 20;

/** Explains failures, and gathers the permissions that would have prevented them. */
export class Refusals {
  readonly missing: Permission[] = [];
  readonly #rights: OwnRights;
  #explained = 0;
  #example = "";

  constructor(private readonly deps: RbacDeps) {
    this.#rights = new OwnRights(deps);
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

  /** A place that lacks permissions by the ledger. */
  lacks(site: Site, missing: readonly Permission[]): readonly Finding[] {
    this.missing.push(...missing);
    const cause = `you may not ${missing.map(permissionLine).join(", nor ")}`;
    return [rbacFinding("forbidden", { object: objectOf(site), cause })];
  }

  /** A place whose access nobody lets us ask about. */
  unproven(site: Site): readonly Finding[] {
    this.missing.push(proofPermission(site));
    return [rbacFinding("unproven", { object: objectLabel(site.plan.outcome.binding) })];
  }

  async #explainAnswer(error: ApiError, site: Site): Promise<readonly Finding[]> {
    const { namespace = "" } = site;
    const object = `Namespace/${namespace}`;
    if (error.causes.some(({ reason }) => reason === "NamespaceTerminating")) {
      return [rbacFinding("namespaceTerminating", { object })];
    }
    if (error.status === 404 && namespace !== "" && !(await this.#exists(namespace))) {
      return [rbacFinding("namespaceAbsent", { object })];
    }
    return error.status === 403 ? await this.#forbidden(error, site) : [refused(error, site)];
  }

  async #exists(name: string): Promise<boolean> {
    const resource = { group: "", version: "v1", plural: "namespaces", kind: "Namespace" };
    const { cluster } = this.deps;
    return (await cluster.get({ resource, name }).catch(stillThere)) !== undefined;
  }

  async #forbidden(error: ApiError, site: Site): Promise<readonly Finding[]> {
    const missing = await missingPermissions(this.deps.cluster, writePermissions(site));
    if (missing.length > 0) return this.lacks(site, missing);
    if (this.#explained >= explainedAtMost) {
      const cause = `the role gives rights that you do not hold, as in ${this.#example}`;
      return [rbacFinding("escalation", { object: objectOf(site), cause })];
    }
    const lacking = await this.#rights.lacking(site.plan.outcome.role, site.namespace);
    if (lacking.length === 0) return [refused(error, site)];
    this.#explained += 1;
    this.#example = placeName(site);
    this.missing.push(...lacking.map((grant) => toHold(grant, site)));
    return grantLines(lacking).map((line) =>
      rbacFinding("escalation", {
        object: objectOf(site),
        field: "rules",
        cause: `the role gives a right that you do not hold in ${placeName(site)}: ${line}`,
      }),
    );
  }
}

function objectOf({ plan }: Site): string {
  return objectLabel(plan.outcome.role);
}

function refused(error: EngineError, site: Site): Finding {
  const cause = error.message;
  const { hint } = error;
  return rbacFinding("refused", { object: objectOf(site), cause, ...(hint && { fix: hint }) });
}

function toHold({ verb, group, resource, name }: Grant, { namespace }: Site): Permission {
  return {
    verb,
    group,
    resource,
    ...(namespace !== undefined && { namespace }),
    ...(name !== undefined && { name }),
    why: "the role gives it, and only who holds it may give it",
  };
}

/** Who may not see the namespace cannot tell that it is gone. */
function stillThere(error: unknown): { readonly kind: string } {
  if (error instanceof ApiError) return { kind: "Namespace" };
  throw error;
}
