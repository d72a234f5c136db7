/** Every check, by area in the order in which they are shown. */
import { activeActiveChecks, moduleChecks } from "./modules";
import { certificateChecks, restChecks } from "./secrets";
import type { Explained } from "../findings";
import { type Check, judgingCodes } from "./check";
import { clusterChecks, clusterSpecChecks, licenceChecks } from "./cluster";
import { databaseChecks } from "./databases";
import { deletionChecks } from "./deletion";
import { definitionChecks } from "./definitions";
import { releaseChecks } from "./release";
import { operatorChecks, operatorOwnerChecks } from "./operator";
import { platformChecks } from "./platform";
import { rbacChecks, rbacReachChecks } from "./rbac";
import { rbacSettingChecks } from "./rbac-sites";
import { sccChecks } from "./scc";
import { webhookChecks, webhookTrustChecks } from "./webhook";

/** The catalogue of checks. */
export const checks: readonly Check[] = [
  ...deletionChecks,
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
