/** Asks the API server whether accounts have the access that their role gives. */
import { type KubeObject, objectLabel } from "../../domain/objects";
import { rbacFinding } from "../../domain/rbac/codes";
import { type Grant, grantLines, grantsOf, rulesOf } from "../../domain/rbac/rules";
import { accountsOf } from "../../domain/rbac/templates";
import type { Finding } from "../../domain/findings";
import type { Access } from "../ports";
import type { ReviewQuestion } from "../reviews";
import type { RbacDeps, RbacOptions } from "./deps";
import type { Site } from "./site";

/** The API server learns of a new binding within moments. */
const longestWaitMs = 10_000;

/** The access of every account of the binding: one rule each, a gained one where there is one. */
export async function proveSite(
  deps: RbacDeps,
  options: RbacOptions,
  { namespace, plan }: Site,
): Promise<readonly Finding[]> {
  const grant = grantToProve(plan.gained, plan.outcome.role);
  if (grant === undefined) return [];
  const object = objectLabel(plan.outcome.binding);
  const answers = await Promise.all(
    accountsOf(plan.outcome.binding).map(async (account) => {
      const home = account.namespace ?? "";
      const groups = [
        "system:serviceaccounts",
        `system:serviceaccounts:${home}`,
        "system:authenticated",
      ];
      const user = `system:serviceaccount:${home}:${account.name}`;
      const question = { user, groups, access: accessOf(grant, namespace) };
      return { user, allowed: await becomesAllowed(deps, options, question) };
    }),
  );
  return answers
    .filter(({ allowed }) => !allowed)
    .map(({ user }) =>
      rbacFinding("notProven", {
        object,
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
  return await becomesAllowed(deps, options, {
    user,
    groups: [],
    access: accessOf(grant, namespace),
  });
}

/** A gained one first; a path of the API cannot be asked for as an object. */
function grantToProve(gained: readonly Grant[], role: KubeObject): Grant | undefined {
  const isOnObjects = ({ resource }: Grant): boolean => !resource.startsWith("/");
  return gained.find(isOnObjects) ?? grantsOf(rulesOf(role)).find(isOnObjects);
}

async function becomesAllowed(
  { reviews, clock }: RbacDeps,
  { timeoutMs }: RbacOptions,
  question: ReviewQuestion,
): Promise<boolean> {
  const until = clock.now() + Math.min(timeoutMs, longestWaitMs);
  for (let pause = 20; ; pause = Math.min(pause * 2, 1_000)) {
    if ((await reviews.ask(question)).allowed) return true;
    if (clock.now() + pause > until) return false;
    // an interrupt lets what is written be seen: the namespace is told with its result
    await clock.sleep(pause);
  }
}

/** A grant as an access review asks for it, in a namespace or in the whole cluster. */
export function accessOf(
  { verb, group, resource, name }: Grant,
  namespace: string | undefined,
): Access {
  const [plural = "", subresource] = resource.split("/");
  return {
    verb,
    group,
    resource: plural,
    ...(subresource !== undefined && { subresource }),
    ...(name !== undefined && { name }),
    ...(namespace !== undefined && { namespace }),
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
        const access = accessOf(grant, undefined);
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
