/** Databases, their upgrade, and actions (S75–S94; domain facts 9). */
import { actionAnswer, bdbAnswer, newerActionAnswer } from "./answers";
import type { Action, Bdb } from "./model";
import { ApiRefusal, notFound } from "./refusal";
import { type Answer, type Call, type Route, type Site, uidOf } from "./routing";
import { planUpgrade } from "./upgrade-judge";
import { deprecationsOf, readUpgradeRequest } from "./upgrade-request";

/** The calls about databases. */
export const databaseRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "bdbs",
    answer: (_, site) => ({
      body: [...site.store.bdbs.values()]
        .toSorted((one, other) => one.uid - other.uid)
        .map((bdb) => bdbAnswer(bdb, site)),
    }),
  },
  {
    method: "GET",
    path: "bdb",
    answer: (call, site) => ({ body: bdbAnswer(bdbOf(call, site), site) }),
  },
  { method: "POST", path: "upgrade", answer: upgrade },
];

/** The list and one of it. */
export const actionRoutes: readonly Route[] = [
  { method: "GET", path: "actions", answer: allActions },
  {
    method: "GET",
    path: "action",
    answer: (call, site) => ({ body: actionAnswer(actionOf(call, site), site) }),
  },
];

/** Those of one database. */
export const bdbActionRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "bdbActions",
    answer: (call, site) => {
      const { uid } = bdbOf(call, site);
      const own = [...site.store.actions.values()].filter(({ bdb }) => bdb === uid);
      return { body: own.map((action) => actionAnswer(action, site)) };
    },
  },
];

/** One, in the newer form. */
export const newerActionRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "newerAction",
    answer: (call, site) => ({ body: newerActionAnswer(actionOf(call, site), site) }),
  },
];

/** In the order in which a request is judged: who, what it says, about what, and whether it can be. */
function upgrade(call: Call, site: Site): Answer {
  const { names, profile, store, works } = site;
  const uid = uidOf(call);
  judgePermission(call, site);
  const request = readUpgradeRequest(call.body === undefined ? {} : call.body, names, profile);
  const bdb = bdbOf(call, site);
  judgeLicense(site);
  const busy = store.busyWith(uid);
  if (busy !== undefined) {
    throw new ApiRefusal(409, "database_busy", `database ${uid} is busy with action ${busy.uid}`);
  }
  const action = works.upgrade(planUpgrade({ store, names, bdb, request }));
  const started = store.bdbs.get(uid) ?? bdb;
  const warnings = profile.deprecates ? deprecationsOf(call.body, names) : [];
  return {
    body: { ...bdbAnswer(started, site), [names.bdbFields.actionUid]: action.uid },
    ...(warnings.length > 0 && {
      headers: { warning: warnings.map((text) => `299 - ${JSON.stringify(text)}`) },
    }),
  };
}

/** S104. */
function judgePermission({ user }: Call, { names }: Site): void {
  const needed = names.restPermission;
  if (user?.permissions.includes(needed) === true) return;
  throw new ApiRefusal(403, "permission_denied", `the permission ${needed} is missing`);
}

/** An expired license keeps databases as they are (domain facts 9). */
function judgeLicense({ store, clock }: Site): void {
  if (store.license.expiresAt > clock.now()) return;
  throw new ApiRefusal(403, "license_expired", "the license has expired");
}

function bdbOf(call: Call, { store }: Site): Bdb {
  const uid = uidOf(call);
  const bdb = store.bdbs.get(uid);
  if (bdb === undefined) throw notFound(`database ${uid}`);
  return bdb;
}

function actionOf({ params }: Call, { store }: Site): Action {
  const uid = params["uid"] ?? "";
  const action = store.actions.get(uid);
  if (action === undefined) throw notFound(`action ${JSON.stringify(uid.slice(0, 80))}`);
  return action;
}

function allActions(_: Call, site: Site): Answer {
  const { actionFields: fields } = site.names;
  const all = [...site.store.actions.values()];
  const told = (ofDatabases: boolean) =>
    all
      .filter(({ bdb }) => (bdb !== undefined) === ofDatabases)
      .map((action) => actionAnswer(action, site));
  return { body: { [fields.actions]: told(false), [fields.stateMachines]: told(true) } };
}
