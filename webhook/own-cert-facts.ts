/** What is read of the Secret and of the registration, as facts to judge. */
import { X509Certificate } from "node:crypto";
import type { Names } from "../plugin/domain/names";
import { at, type Json, list, own, text } from "../plugin/domain/values";
import { judgeDates, type Pair, provenPair, sha256Of } from "./certificate";
import { errorText } from "./log";
import { versionOf } from "./own-cert-requests";

/** One certificate of a PEM text. */
export interface Certificate {
  readonly pem: string;
  readonly sha256: string;
}

/** The Secret as found. */
export interface SecretFacts {
  readonly version: string;
  /** True while both items are as this webhook wrote them: whoever changes them takes them over. */
  readonly ours: boolean;
  /** Who holds the items, for the log. */
  readonly managers: readonly string[];
  /** When this webhook wrote them last, by the API server's clock. */
  readonly writtenAt: number;
  readonly certificates: readonly Certificate[];
  /** Undefined where the items are no pair. */
  readonly pair?: Pair;
  /** Why it cannot be served now, undefined when it can. */
  readonly unfit?: string;
}

/** The entry of the webhook configuration that points at this webhook's Service. */
export interface RegistrationFacts {
  readonly version: string;
  readonly certificates: readonly Certificate[];
}

/** Where this webhook is, and under which name it is called. */
export interface Self {
  readonly names: Names;
  readonly namespace: string;
}

/** The name that the API server verifies. */
export function serverNameOf({ names, namespace }: Self): string {
  return `${names.webhook.service}.${namespace}.svc`;
}

/** The Secret's facts at a moment; never a throw. */
export function secretFacts(secret: Json, self: Self, now: number): SecretFacts {
  const { secretCert, secretKey } = self.names.webhook;
  const item = (name: string): string =>
    Buffer.from(text(at(secret, ["data", name])) ?? "", "base64").toString("utf8");
  const cert = item(secretCert);
  const holders = list(at(secret, ["metadata", "managedFields"])).filter((entry) =>
    [secretCert, secretKey].some((name) => holds(entry, name)),
  );
  const mine = holders.find(
    (entry) =>
      own(entry, "manager") === self.names.webhookFieldManager &&
      [secretCert, secretKey].every((name) => holds(entry, name)),
  );
  return {
    version: versionOf(secret),
    ours: mine !== undefined,
    managers: holders.map((entry) => text(own(entry, "manager")) ?? "?"),
    writtenAt: Date.parse(text(own(mine, "time")) ?? "") || 0,
    certificates: certificatesOf(cert),
    ...judgePair({ cert, key: item(secretKey) }, self, now),
  };
}

function holds(entry: unknown, item: string): boolean {
  return at(entry, ["fieldsV1", "f:data", `f:${item}`]) !== undefined;
}

function judgePair(
  texts: Pick<Pair, "cert" | "key">,
  self: Self,
  now: number,
): Pick<SecretFacts, "pair" | "unfit"> {
  try {
    const pair = provenPair(texts, self.names.webhook);
    const host = serverNameOf(self);
    const stranger = pair.leaf.checkHost(host) === undefined ? `not made for ${host}` : undefined;
    const unfit = stranger ?? judgeDates(pair, new Date(now));
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
  const entry = list(own(configuration, "webhooks")).find(
    (each) =>
      own(each, "name") === name &&
      at(each, ["clientConfig", "service", "name"]) === service &&
      at(each, ["clientConfig", "service", "namespace"]) === namespace,
  );
  if (configuration === undefined || entry === undefined) return undefined;
  const bundle = text(at(entry, ["clientConfig", "caBundle"])) ?? "";
  const pem = Buffer.from(bundle, "base64").toString("utf8");
  return { version: versionOf(configuration), certificates: certificatesOf(pem) };
}

const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a PEM text that can be read, in its order. */
export function certificatesOf(text: string): readonly Certificate[] {
  return (text.match(block) ?? []).flatMap((pem) => {
    try {
      return [{ pem: `${pem}\n`, sha256: sha256Of(new X509Certificate(pem)) }];
    } catch {
      return [];
    }
  });
}
