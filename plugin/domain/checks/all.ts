/** Every check, by area in the order in which they are shown. */
import { activeActiveChecks } from "./active-active";
import { certificateChecks } from "./certificate";
import type { Explained } from "../findings";
import { type Check, judgingCodes } from "./check";
import { clusterChecks } from "./cluster";
import { clusterSpecChecks } from "./cluster-spec";
import { databaseChecks } from "./databases";
import { definitionChecks } from "./definitions";
import { licenceChecks } from "./licence";
import { moduleChecks } from "./modules";
import { operatorChecks } from "./operator";
import { operatorOwnerChecks } from "./operator-owner";
import { platformChecks } from "./platform";
import { rbacChecks } from "./rbac";
import { rbacReachChecks } from "./rbac-reach";
import { rbacSettingChecks } from "./rbac-settings";
import { releaseChecks } from "./release";
import { restChecks } from "./rest";
import { sccChecks } from "./scc";
import { webhookChecks } from "./webhook";
import { webhookTrustChecks } from "./webhook-trust";

/** The catalogue of checks. */
export const checks: readonly Check[] = [
  ...platformChecks,
  ...operatorChecks,
  ...operatorOwnerChecks,
  ...releaseChecks,
  ...definitionChecks,
  ...clusterChecks,
  ...clusterSpecChecks,
  ...licenceChecks,
  ...databaseChecks,
  ...moduleChecks,
  ...activeActiveChecks,
  ...webhookChecks,
  ...webhookTrustChecks,
  ...certificateChecks,
  ...rbacChecks,
  ...rbacSettingChecks,
  ...rbacReachChecks,
  ...sccChecks,
  ...restChecks,
];

/** The codes that no command explains already, for the catalogue of codes. */
export const checkCodes: readonly Explained[] = [
  ...Object.values(judgingCodes),
  ...checks.filter((check) => check.shared !== true),
].map(({ code, severity, cause, fix, source }) => ({ code, severity, cause, fix, source }));
