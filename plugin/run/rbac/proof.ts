/** Asks the API server whether accounts have the access that their role gives. */
import { type KubeObject, objectLabel } from "../../domain/objects";
import { rbacFinding } from "../../domain/rbac/codes";
import { type Grant, grantLines, grantsOf, rulesOf } from "../../domain/rbac/rules";
import { accountsOf } from "../../domain/rbac/templates";
import { at } from "../../domain/values";
import type { Finding } from "../../domain/findings";
import type { RbacDeps, RbacOptions } from "./deps";
import type { Site } from "./site";

/** The API server learns of a new binding within moments. */
const longestWaitMs = 10_000;

/** Who is asked about. */
interface Who {
  readonly user: string;
  readonly groups: readonly string[];
}

/** The access of every account of the binding: one rule each, a gained one where there is one. */
export async function proveSite(
  deps: RbacDeps,
  options: RbacOptions,
  { namespace, plan }: Site,
): Promise<readonly Finding[]> {
  const grant = grantToProve(plan.gained, plan.outcome.role);
  if (grant === undefined) return [];
  const accounts = accountsOf(plan.outcome.binding);
  const answers = await Promise.all(
    accounts.map(async (account) => {
      const home = account.namespace ?? "";
      const groups = [
        "system:serviceaccounts",
        `system:serviceaccounts:${home}`,
        "system:authenticated",
      ];
      const user = `system:serviceaccount:${home}:${account.name}`;
      const allowed = await becomesAllowed(deps, options, {
        who: { user, groups },
        grant,
        namespace,
      });
      return { user, allowed };
    }),
  );
  return answers
    .filter(({ allowed }) => !allowed)
    .map(({ user }) =>
      rbacFinding("notProven", {
        object: objectLabel(plan.outcome.binding),
        cause: `role and binding are as wanted, but an access review denies ${user}: ${grantLines([grant]).join()}`,
      }),
    );
}

/** True as soon as the user may use a rule of the role through the binding that was just made. */
export async function witnessed(
  deps: RbacDeps,
  options: RbacOptions,
  { user, site }: { readonly user: string; readonly site: Site },
): Promise<boolean> {
  const { namespace, plan } = site;
  const grant = grantToProve([], plan.outcome.role);
  if (grant === undefined) return true;
  return await becomesAllowed(deps, options, { who: { user, groups: [] }, grant, namespace });
}

/** A gained one first; a path of the API cannot be asked for as an object. */
function grantToProve(gained: readonly Grant[], role: KubeObject): Grant | undefined {
  const all = [...gained, ...grantsOf(rulesOf(role))];
  return all.find(({ resource }) => !resource.startsWith("/"));
}

interface Question {
  readonly who: Who;
  readonly grant: Grant;
  readonly namespace: string | undefined;
}

async function becomesAllowed(
  { cluster, clock, signal }: RbacDeps,
  { timeoutMs }: RbacOptions,
  { who, grant, namespace }: Question,
): Promise<boolean> {
  const until = clock.now() + Math.min(timeoutMs, longestWaitMs);
  for (let pause = 20; ; pause = Math.min(pause * 2, 1_000)) {
    const answer = await cluster.create({
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      metadata: {},
      spec: {
        user: who.user,
        groups: who.groups,
        resourceAttributes: {
          ...attributesOf(grant),
          ...(namespace !== undefined && { namespace }),
        },
      },
    });
    if (at(answer, ["status", "allowed"]) === true) return true;
    if (clock.now() + pause > until) return false;
    await clock.sleep(pause, signal);
  }
}

/** A grant as an access review asks for it. */
export function attributesOf({ verb, group, resource, name }: Grant) {
  const [plural = "", subresource] = resource.split("/");
  return {
    verb,
    group,
    resource: plural,
    ...(subresource !== undefined && { subresource }),
    ...(name !== undefined && { name }),
  };
}

/** The grants of a role that the user lacks: what they may not give either. */
export class OwnRights {
  readonly #wide = new Map<string, Promise<boolean>>();

  constructor(private readonly deps: RbacDeps) {}

  async lacking(role: KubeObject, namespace: string | undefined): Promise<readonly Grant[]> {
    const { cluster } = this.deps;
    const grants = grantsOf(rulesOf(role)).filter(({ resource }) => !resource.startsWith("/"));
    const held = await Promise.all(
      grants.map(async (grant) => {
        const access = attributesOf(grant);
        const key = JSON.stringify(access);
        const everywhere = this.#wide.get(key) ?? cluster.can(access);
        this.#wide.set(key, everywhere);
        if ((await everywhere) || namespace === undefined) return await everywhere;
        return await cluster.can({ ...access, namespace });
      }),
    );
    return grants.filter((_grant, index) => held[index] !== true);
  }
}
