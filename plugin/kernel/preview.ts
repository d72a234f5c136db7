/**
 * What a write leads to: an object before and after it, as a diff shows it (what somebody said, and no secret),
 * and as the API server will store it, which later parts are planned over.
 */
import { createHash, randomBytes } from "node:crypto";
import { buildPatch } from "../domain/kube/edits";
import { kinds } from "../domain/kube/kinds";
import type { Names } from "../domain/names/names";
import { type KubeObject, lastApplied } from "../domain/kube/objects";
import type { PlannedWrite } from "../domain/kube/planned-write";
import {
  asArray,
  asString,
  getOwn,
  isObject,
  type Json,
  omit,
  withValue,
} from "../domain/base/values";
import { type Change, findLive } from "../domain/kube/change";

/** What the write leads to: as a dry run has `stored` it, else as far as the request alone tells. */
export function compareStates(
  change: Change,
  stored: KubeObject | undefined,
  names: Names,
): NonNullable<PlannedWrite["states"]> {
  const live = findLive(change);
  const merged = change.verb === "delete" ? undefined : mergeChange(change, live, stored);
  return {
    ...(merged !== undefined && stored === undefined && { unasked: true as const }),
    ...(live && { live: showObject(live, names) }),
    ...(merged !== undefined && { merged: showObject(merged as KubeObject, names) }),
  };
}

/** What a write that was not tried leads to, as far as the request alone tells. */
export function predictStored(change: Change): KubeObject {
  return mergeChange(change, findLive(change), undefined) as KubeObject;
}

function mergeChange(change: Change, live: unknown, stored: unknown): unknown {
  const sent = change.verb === "patch" ? buildPatch(change.edits) : change.object;
  if (stored !== undefined) return dropDefaults(stored, live, sent);
  return change.verb === "update" ? sent : layOver(live, sent);
}

/** Without what the API server fills in below what is new. */
function dropDefaults(stored: unknown, live: unknown, sent: unknown): unknown {
  if (Array.isArray(stored)) {
    return asArray(stored).map((item, at) =>
      dropDefaults(item, findPeer(item, live, at), findPeer(item, sent, at)),
    );
  }
  if (!isObject(stored) || !isObject(sent)) return stored;
  const told = Object.entries(stored).filter(([key]) => isObject(live) || Object.hasOwn(sent, key));
  return Object.fromEntries(
    told.map(([key, one]) => [key, dropDefaults(one, getOwn(live, key), getOwn(sent, key))]),
  );
}

/** The same item of another list: by its name, else by its place. */
function findPeer(item: unknown, list: unknown, at = -1): unknown {
  const name = getOwn(item, "name");
  if (name === undefined) return asArray(list)[at];
  return asArray(list).find((one) => getOwn(one, "name") === name);
}

/** The object with what is sent; null takes a field away. */
function layOver(live: unknown, sent: unknown): unknown {
  if (Array.isArray(sent)) return asArray(sent).map((item) => layOver(findPeer(item, live), item));
  if (!isObject(sent)) return sent ?? undefined;
  return Object.entries(sent).reduce<Json>(
    (all, [key, value]) => withValue(all, [key], layOver(getOwn(all, key), value)),
    isObject(live) ? live : {},
  );
}

/** What the API server keeps for itself. */
const own = ["managedFields", "resourceVersion", "generation", "uid", "creationTimestamp"];

function showObject(object: KubeObject, { ecFields }: Names): Json {
  const { annotations = {}, ...metadata } = omit(object.metadata, ...own, "selfLink");
  const said = omit(annotations, lastApplied);
  const whole = {
    ...omit(object, "status"),
    metadata: { ...metadata, ...(Object.keys(said).length > 0 && { annotations: said }) },
  };
  const isSecret = object.kind === kinds.secret.kind;
  return maskSecrets(whole, ["caBundle", ...ecFields.license.slice(-1)], isSecret) as Json;
}

/** Names of variables whose values nobody may see. */
const secretName = /pass|secret|token|key|cred|auth/i;

function maskSecrets(value: unknown, keys: readonly string[], isSecret = false): unknown {
  if (typeof value === "string") return value.includes("-----BEGIN ") ? fingerprint(value) : value;
  if (Array.isArray(value)) return asArray(value).map((one) => maskSecrets(one, keys));
  if (!isObject(value)) return value;
  const hidden = secretName.test(asString(getOwn(value, "name")) ?? "") ? [...keys, "value"] : keys;
  const fields = Object.entries(value).map(([key, one]): readonly [string, unknown] => {
    if (typeof one === "string" && hidden.includes(key)) return [key, fingerprint(one)];
    const isData = isSecret && isObject(one) && /^(data|stringData)$/.test(key);
    return [key, maskSecrets(one, isData ? Object.keys(one) : keys)];
  });
  return Object.fromEntries(fields);
}

/** What is shorter could be guessed from its digest: that is salted. */
const guessable = 32;
const salt = randomBytes(16);

/** Of certificates the fingerprint that openssl shows of each, of anything else that of its bytes. */
function fingerprint(value: string): string {
  const sha256 = (...parts: readonly Buffer[]): string =>
    createHash("sha256").update(Buffer.concat(parts)).digest("hex");
  const decoded = Buffer.from(value, "base64");
  const bytes = decoded.toString("base64") === value ? decoded : Buffer.from(value);
  const found = bytes.toString("latin1").matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END/g);
  const certificates = [...found].map(([, inner = ""]) => sha256(Buffer.from(inner, "base64")));
  if (certificates.length > 0) return `certificate SHA-256 ${certificates.join(", ")}`;
  if (bytes.length >= guessable) return `SHA-256 ${sha256(bytes)}`;
  return `salted SHA-256 ${sha256(salt, bytes)}`;
}
