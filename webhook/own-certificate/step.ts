/**
 * The next step of a certificate's life; pure. Each step follows from what is stored, so that it
 * can be taken again after a crash at any point. The order is the whole point: callers trust a
 * certificate before anybody serves it, and for as long as anybody may serve it.
 *
 * The Secret's certificate item holds what callers have to trust: the served certificate, and
 * behind it for the overlap the one before. So nothing else has to be remembered, and whoever
 * copies the item into a registration copies the right thing at any time.
 */
import type { Names } from "../../plugin/domain/names/names";
import { getPath, type Json, asArray, getOwn, asString } from "../../plugin/domain/base/values";
import {
  readCaBundle,
  callsService,
  listEntries,
} from "../../plugin/domain/admission/configuration";
import { judgeOwnRoot } from "../../plugin/adapters/http/x509/judge";
import { certificatesIn } from "../certificate/certificates";
import { judgeDates, type ServedKeyPair, provenPair, readFingerprint } from "../certificate/served";
import { errorText } from "../log";
import type {
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from "../../plugin/domain/kube/models";

/** A certificate and its private key, both PEM. */
interface MadePair {
  readonly cert: string;
  readonly key: string;
}

export interface Times {
  readonly lifeMs: number;
  /** How long the one before stays trusted: longer than any replica serves it. */
  readonly overlapMs: number;
  /** How long after a change of the registration every API server is taken to know it. */
  readonly settleMs: number;
}

const hour = 60 * 60_000;
export const usualTimes: Times = {
  lifeMs: 90 * 24 * hour,
  overlapMs: 24 * hour,
  settleMs: 10_000,
};

/** A pair that is made and not stored: nobody serves it yet. */
export interface PendingPair {
  readonly pair: MadePair;
  readonly certificate: Certificate;
  /** Since when the registration has been seen to trust it. */
  readonly trustedAt?: number;
}

export interface RotationState {
  readonly now: number;
  readonly secret: SecretFacts | undefined;
  /** Undefined where nothing points at this webhook: there is nobody to tell. */
  readonly registration: RegistrationFacts | undefined;
  readonly candidate: PendingPair | undefined;
}

export type Step =
  | { readonly do: "rest" }
  /** For the API servers to learn of a change. */
  | { readonly do: "wait" }
  | { readonly do: "make" }
  | { readonly do: "trust"; readonly certificates: readonly Certificate[] }
  | { readonly do: "store"; readonly pair: MadePair };

/** True where a new pair has to be made: there is none, or ours is past two thirds of its life. */
export function needsPair(secret: SecretFacts | undefined, now: number): boolean {
  if (secret === undefined) return true;
  if (!secret.ours) return false;
  if (secret.pair === undefined || secret.unfit !== undefined) return true;
  const { validFrom, validTo } = secret.pair.leaf;
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  return now >= from + ((to - from) * 2) / 3;
}

export function nextStep(known: RotationState, times: Times): Step {
  const { secret, now } = known;
  if (needsPair(secret, now)) return bringIn(known, times);
  return secret?.ours === true ? tidyUp(secret, known, times) : { do: "rest" };
}

/** First trusted, then known everywhere, then stored and served. */
function bringIn({ now, secret, registration, candidate }: RotationState, times: Times): Step {
  if (candidate === undefined) return { do: "make" };
  const { certificate, pair, trustedAt } = candidate;
  // without a Secret, replicas may still serve what the registration trusts
  const before = (secret ?? registration)?.certificates ?? [];
  const older = before.filter(({ sha256 }) => sha256 !== certificate.sha256);
  const certificates = [certificate, ...older];
  if (registration !== undefined) {
    if (!trustsOnly(registration, certificates)) return { do: "trust", certificates };
    if (trustedAt === undefined || now < trustedAt + times.settleMs) return { do: "wait" };
  }
  return { do: "store", pair: { cert: joinPems(certificates), key: pair.key } };
}

/** Drops the certificate before when the overlap is over; the registration trusts what is stored. */
function tidyUp(
  secret: SecretFacts,
  { now, registration }: RotationState,
  { overlapMs }: Times,
): Step {
  const { certificates, pair, writtenAt } = secret;
  const [leaf, ...older] = certificates;
  if (leaf !== undefined && pair !== undefined && older.length > 0) {
    if (now >= writtenAt + overlapMs)
      return { do: "store", pair: { cert: leaf.pem, key: pair.key } };
  }
  return registration === undefined || trustsOnly(registration, certificates)
    ? { do: "rest" }
    : { do: "trust", certificates };
}

/** Every entry trusts these certificates and no others. */
function trustsOnly(
  { certificates: own, further }: RegistrationFacts,
  certificates: readonly Certificate[],
): boolean {
  return [own, ...further.map((entry) => entry.certificates)].every((trusted) =>
    same(trusted, certificates),
  );
}

/** The same certificates, in any order. */
function same(one: readonly Certificate[], other: readonly Certificate[]): boolean {
  const key = (some: readonly Certificate[]): string =>
    some
      .map(({ sha256 }) => sha256)
      .sort()
      .join();
  return key(one) === key(other);
}

export function joinPems(certificates: readonly Certificate[]): string {
  return certificates.map(({ pem }) => pem).join("");
}

export interface Certificate {
  readonly pem: string;
  readonly sha256: string;
}

export interface SecretFacts {
  readonly version: string;
  /** Since when it is being deleted: what is written into it is lost with it. */
  readonly deletedAt?: string;
  /** True while both items are as this webhook wrote them: whoever changes them takes them over. */
  readonly ours: boolean;
  /** Who holds the items, for the log. */
  readonly managers: readonly string[];
  /** When this webhook wrote them last, by the API server's clock. */
  readonly writtenAt: number;
  readonly certificates: readonly Certificate[];
  /** Undefined where the items are no pair. */
  readonly pair?: ServedKeyPair;
  /** Why it cannot be served now, undefined when it can. */
  readonly unfit?: string;
}

/** The webhook configuration, where the product's entry of it points at this webhook's Service. */
export interface RegistrationFacts {
  readonly version: string;
  /** Since when it is being deleted. */
  readonly deletedAt?: string;
  /** What the product's entry trusts. */
  readonly certificates: readonly Certificate[];
  /** What entries that a person added for the same Service trust: they fail with another CA. */
  readonly further: readonly TrustingEntry[];
}

interface TrustingEntry {
  readonly name: string;
  readonly certificates: readonly Certificate[];
}

/** Where this webhook is, and under which name it is called. */
export interface Self {
  readonly names: Names;
  readonly namespace: string;
}

/** The name that the API server verifies. */
export function nameServer({ names, namespace }: Self): string {
  return `${names.webhook.service}.${namespace}.svc`;
}

/** The Secret's facts at a moment; never a throw. */
export function secretFacts(secret: Json, self: Self, now: number): SecretFacts {
  const { secretCert, secretKey } = self.names.webhook;
  const item = (name: string): string =>
    Buffer.from(asString(getPath(secret, ["data", name])) ?? "", "base64").toString("utf8");
  const cert = item(secretCert);
  const holders = asArray(getPath(secret, ["metadata", "managedFields"])).filter((entry) =>
    [secretCert, secretKey].some((name) => holds(entry, name)),
  );
  const mine = holders.find(
    (entry) =>
      getOwn(entry, "manager") === self.names.webhookFieldManager &&
      [secretCert, secretKey].every((name) => holds(entry, name)),
  );
  return {
    version: readVersion(secret),
    ...readDeletion(secret),
    ours: mine !== undefined,
    managers: holders.map((entry) => asString(getOwn(entry, "manager")) ?? "?"),
    writtenAt: Date.parse(asString(getOwn(mine, "time")) ?? "") || 0,
    certificates: parseCertificates(cert),
    ...judgePair({ cert, key: item(secretKey) }, self, now),
  };
}

function readDeletion(object: Json): Pick<SecretFacts, "deletedAt"> {
  const deletedAt = asString(getPath(object, ["metadata", "deletionTimestamp"]));
  return deletedAt === undefined ? {} : { deletedAt };
}

function holds(entry: unknown, item: string): boolean {
  return getPath(entry, ["fieldsV1", "f:data", `f:${item}`]) !== undefined;
}

function judgePair(
  texts: Pick<ServedKeyPair, "cert" | "key">,
  self: Self,
  now: number,
): Pick<SecretFacts, "pair" | "unfit"> {
  try {
    const pair = provenPair(texts, self.names.webhook);
    const refused = judgeOwnRoot(pair.cert, { name: nameServer(self) });
    const unfit = refused ?? judgeDates(pair, new Date(now));
    return { pair, ...(unfit !== undefined && { unfit }) };
  } catch (error) {
    return { unfit: errorText(error) };
  }
}

/** The registration's facts; undefined where no entry of it points at this webhook. */
export function registrationFacts(
  configuration: Json | undefined,
  { names, namespace }: Self,
): RegistrationFacts | undefined {
  const { entry: name, service } = names.webhook;
  if (configuration === undefined || !isRegistration(configuration)) return undefined;
  const calling = listEntries(configuration).filter((entry) =>
    callsService(entry, { name: service, namespace }),
  );
  const entry = calling.find((one) => one.name === name);
  if (entry === undefined) return undefined;
  return {
    version: readVersion(configuration),
    ...readDeletion(configuration),
    certificates: listTrusted(entry),
    further: calling
      .filter((one) => one !== entry)
      .map((one) => ({ name: String(one.name), certificates: listTrusted(one) })),
  };
}

/** It was read at the address of that kind; without entries it registers nothing. */
function isRegistration(object: Json): object is ValidatingWebhookConfiguration {
  return Array.isArray(object["webhooks"]);
}

function listTrusted(entry: ValidatingWebhook): readonly Certificate[] {
  return parseCertificates(Buffer.from(readCaBundle(entry), "base64").toString("utf8"));
}

/** The certificates of a PEM text that can be read, in its order. */
export function parseCertificates(text: string): readonly Certificate[] {
  return certificatesIn(text).map((each) => ({ pem: String(each), sha256: readFingerprint(each) }));
}

/** The version of an object that a patch binds itself to. */
export function readVersion(object: Json): string {
  return asString(getOwn(getOwn(object, "metadata"), "resourceVersion")) ?? "";
}
