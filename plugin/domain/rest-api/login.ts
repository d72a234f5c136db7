/** A login that the REST API refuses: each one counts towards the lock of the account (S105). */
import { error, type Explained } from "../base/findings";
import { bindFindings } from "../names/codes";

/** What may be wrong with the credentials of the REST API. */
const loginFindings = {
  refused: error("REST-CREDENTIALS-REFUSED", "S105", {
    cause:
      "the cluster's REST API refuses the user name and password: each try counts towards the lock of the account, which the operator itself uses",
    fix: "put the password in force into the Secret, or name another Secret with --api-credentials-secret, before you run this again",
  }),
} as const satisfies Readonly<Record<string, Explained>>;

/** A finding of one of the codes. */
export const loginFinding = bindFindings(loginFindings);

/** Every code, for the catalogue. */
export const loginCodes: readonly Explained[] = Object.values(loginFindings);
