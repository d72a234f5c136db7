/** Changes of a cluster on which everything is in order, each by the check that it is about. */
import type { World } from "./world";

/** A change, and whether the cluster is one of OpenShift. */
export type Change = ((world: World) => unknown) & { readonly openshift?: true };

/** By "CODE: what is changed". */
export type Rows = Readonly<Record<string, Change>>;

/** The same change on OpenShift. */
export const onOpenShift = (change: Change): Change =>
  Object.assign((world: World) => change(world), { openshift: true as const });
