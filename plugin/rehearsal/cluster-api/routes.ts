/** The calls that a release serves. */
import type { ApiProfile } from "./profiles";
import { ApiRefusal } from "./refusal";
import {
  clusterRoutes,
  licenseRoutes,
  nodeRoutes,
  policyRoutes,
  tokenRoutes,
} from "./routes-cluster";
import {
  actionRoutes,
  bdbActionRoutes,
  databaseRoutes,
  newerActionRoutes,
} from "./routes-databases";
import { installRoutes, moduleRoutes, userModuleRoutes } from "./routes-modules";
import type { Route } from "./routing";

/** A call that older releases had: its path is known, and nothing of it is served. */
const goneRoutes: readonly Route[] = [
  {
    method: "POST",
    path: "installModule",
    reads: "upload",
    answer: ({ request }) => {
      request.resume();
      throw new ApiRefusal(405, "method_not_allowed", "modules are not installed by this call");
    },
  },
];

/** What the specification has is always there; the rest as the release has it. */
export function routesOf(profile: ApiProfile): readonly Route[] {
  const optional: readonly (readonly [boolean, readonly Route[]])[] = [
    [profile.install === "served", installRoutes],
    [profile.install === 405, goneRoutes],
    [profile.userModules, userModuleRoutes],
    [profile.actions, actionRoutes],
    [profile.bdbActions, bdbActionRoutes],
    [profile.newerActions, newerActionRoutes],
    [profile.license, licenseRoutes],
    [profile.cluster, clusterRoutes],
    [profile.policy, policyRoutes],
    [profile.nodes, nodeRoutes],
    [profile.tokens, tokenRoutes],
  ];
  const served = optional.filter(([isServed]) => isServed).flatMap(([, routes]) => routes);
  return [...databaseRoutes, ...moduleRoutes, ...served];
}
