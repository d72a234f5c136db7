/** The license, the cluster's settings, nodes, and tokens (S106, S114; domain facts 9). */
import type { Names } from "../../domain/names";
import { isObject, own, text } from "../../domain/values";
import { licenseAnswer, nodeAnswers } from "./answers";
import { malformed } from "./refusal";
import type { Answer, Call, Route, Site } from "./routing";
import { tokenSeconds } from "./users";
import { newestOf } from "./module-choice";

const year = 365 * 24 * 3_600_000;

/** Reading it, and putting another in its place. */
export const licenseRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "license",
    answer: (_, { store, clock, names }) => ({
      body: licenseAnswer(store.license, clock.now(), names),
    }),
  },
  { method: "PUT", path: "license", answer: renew },
];

/** The cluster's settings. */
export const clusterRoutes: readonly Route[] = [
  { method: "GET", path: "cluster", answer: (_, site) => ({ body: settingsOf(site) }) },
  { method: "PUT", path: "cluster", answer: change },
];

/** What is done to databases where nobody says otherwise. */
export const policyRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "policy",
    answer: (_, { store, names: { clusterFields: fields } }) => ({
      body: {
        ...(store.upgradePolicy !== undefined && { [fields.upgradePolicy]: store.upgradePolicy }),
        [fields.defaultVersion]: newestOf(store.versions) ?? "",
      },
    }),
  },
];

/** The nodes. */
export const nodeRoutes: readonly Route[] = [
  {
    method: "GET",
    path: "nodes",
    answer: (_, { store, names }) => ({ body: nodeAnswers(store, names) }),
  },
];

/** A token in the place of credentials. */
export const tokenRoutes: readonly Route[] = [
  { method: "POST", path: "authorize", open: true, answer: authorize },
];

/** Any text is a license that is good for a year: what a real one holds is not shown. */
function renew({ body }: Call, { store, clock, names }: Site): Answer {
  const field = names.licenseFields.text;
  judgeFields(body, [field]);
  const given = text(own(body, field));
  if (given === undefined) throw malformed([`${field} has to be a text`]);
  const now = clock.now();
  store.license = { ...store.license, text: given, activatedAt: now, expiresAt: now + year };
  return { body: licenseAnswer(store.license, now, names) };
}

function settingsOf({ store, names: { clusterFields: fields } }: Site) {
  return { [fields.name]: store.name, [fields.allowModulesUpload]: store.uploadsAllowed };
}

function change({ body }: Call, site: Site): Answer {
  const field = site.names.clusterFields.allowModulesUpload;
  judgeFields(body, [field]);
  const allowed = own(body, field);
  if (typeof allowed !== "boolean") throw malformed([`${field} has to be true or false`]);
  site.store.uploadsAllowed = allowed;
  return { body: settingsOf(site) };
}

function authorize({ body }: Call, { callers, names }: Site): Answer {
  const { username, password, ttl, accessToken }: Names["authorizeFields"] = names.authorizeFields;
  judgeFields(body, [username, password, ttl]);
  const seconds = own(body, ttl) ?? tokenSeconds.usual;
  const { least, most } = tokenSeconds;
  if (
    typeof seconds !== "number" ||
    !Number.isInteger(seconds) ||
    seconds < least ||
    seconds > most
  ) {
    throw malformed([`${ttl} has to be a whole number of ${least} to ${most}`]);
  }
  const proof = { password: text(own(body, password)) ?? "", seconds };
  return { body: { [accessToken]: callers.tokenFor(text(own(body, username)) ?? "", proof) } };
}

function judgeFields(body: unknown, known: readonly string[]): void {
  if (!isObject(body)) throw malformed(["the body is no JSON object"]);
  const strange = Object.keys(body).filter((field) => !known.includes(field));
  if (strange.length > 0)
    throw malformed(strange.map((one) => `${one} is not a field of this call`));
}
