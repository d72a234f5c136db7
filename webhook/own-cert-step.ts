/**
 * The next step of a certificate's life; pure. Each step follows from what is stored, so that it
 * can be taken again after a crash at any point. The order is the whole point: callers trust a
 * certificate before anybody serves it, and for as long as anybody may serve it.
 *
 * The Secret's certificate item holds what callers have to trust: the served certificate, and
 * behind it for the overlap the one before. So nothing else has to be remembered, and whoever
 * copies the item into a registration copies the right thing at any time.
 */
import type { Certificate, RegistrationFacts, SecretFacts } from "./own-cert-facts";

/** A certificate and its private key, both PEM. */
export interface MadePair {
  readonly cert: string;
  readonly key: string;
}

export interface Times {
  /** How long a certificate is valid. */
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
export interface Candidate {
  readonly pair: MadePair;
  readonly certificate: Certificate;
  /** Since when the registration has been seen to trust it. */
  readonly trustedAt?: number;
}

export interface Known {
  readonly now: number;
  readonly secret: SecretFacts | undefined;
  /** Undefined where nothing points at this webhook: there is nobody to tell. */
  readonly registration: RegistrationFacts | undefined;
  readonly candidate: Candidate | undefined;
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

export function nextStep(known: Known, times: Times): Step {
  const { secret, now } = known;
  if (needsPair(secret, now)) return bringIn(known, times);
  return secret?.ours === true ? tidyUp(secret, known, times) : { do: "rest" };
}

/** First trusted, then known everywhere, then stored and served. */
function bringIn({ now, secret, registration, candidate }: Known, times: Times): Step {
  if (candidate === undefined) return { do: "make" };
  const { certificate, pair, trustedAt } = candidate;
  // without a Secret, replicas may still serve what the registration trusts
  const before = (secret ?? registration)?.certificates ?? [];
  const older = before.filter(({ sha256 }) => sha256 !== certificate.sha256);
  const certificates = [certificate, ...older];
  if (registration !== undefined) {
    if (!same(registration.certificates, certificates)) return { do: "trust", certificates };
    if (trustedAt === undefined || now < trustedAt + times.settleMs) return { do: "wait" };
  }
  return { do: "store", pair: { cert: pemOf(certificates), key: pair.key } };
}

/** Drops the certificate before when the overlap is over; the registration trusts what is stored. */
function tidyUp(secret: SecretFacts, { now, registration }: Known, { overlapMs }: Times): Step {
  const { certificates, pair, writtenAt } = secret;
  const [leaf, ...older] = certificates;
  if (leaf !== undefined && pair !== undefined && older.length > 0) {
    if (now >= writtenAt + overlapMs)
      return { do: "store", pair: { cert: leaf.pem, key: pair.key } };
  }
  return registration === undefined || same(registration.certificates, certificates)
    ? { do: "rest" }
    : { do: "trust", certificates };
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

/** The certificates as one PEM text. */
export function pemOf(certificates: readonly Certificate[]): string {
  return certificates.map(({ pem }) => pem).join("");
}
