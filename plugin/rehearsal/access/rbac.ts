/** Access control by roles, as the API server judges it. */
import type { AccessControl } from "../model";
import { decide } from "./decision";
import { refuseEscalation } from "./escalation";

/** The access control of the embedded cluster. */
export const rbac: AccessControl = {
  allows: (user, attributes, state) => decide(user, attributes, state).allowed,
  reason: (user, attributes, state) => decide(user, attributes, state).reason,
  refuseEscalation,
};
