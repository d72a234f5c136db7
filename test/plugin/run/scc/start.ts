/** Where the tests of a run begin: one account, in the constraint's users and in a binding. */
import { accessResources, constraintResource } from "../../../../plugin/domain/scc/grants";
import type { Scene } from "./memory-scene";
import { aConstraint, account, aNamespace, anEc, granted, placeNamed, user } from "./objects";

export const place = placeNamed("engine");
export const { ns, other, scc } = place;
export const namespaces = [aNamespace(ns), aNamespace(other)];
export const bindingName = `system:openshift:scc:${scc}`;
export const bindingRef = { resource: accessResources.clusterRoleBindings, name: bindingName };
export const constraintRef = { resource: constraintResource, name: scc };

/** The account in the constraint's users and, with another one, in oc's cluster-wide binding. */
export const objects = [
  ...namespaces,
  anEc(ns),
  aConstraint(scc, { users: [user(ns)] }),
  ...granted(scc, { subjects: [account(other), account(ns)] }),
];
/** The same with nobody else. */
export const alone = [
  ...namespaces,
  anEc(ns),
  aConstraint(scc, { users: [user(ns)] }),
  ...granted(scc, { subjects: [account(ns)] }),
];

export const linesOf = ({ sent }: Scene): readonly string[] => sent.map(({ line }) => line);
export const codesOf = (found: readonly { readonly code: string }[] = []): readonly string[] =>
  found.map(({ code }) => code);
