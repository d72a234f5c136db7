/**
 * A stand-in for the Secret of the webhook: a rehearsal serves with a key of its own, and judges
 * what it serves with as the original would be judged. Nothing of an original key is kept.
 */
import type { X509Certificate } from "node:crypto";
import {
  readChain,
  generatePair,
  decodeItems,
  readSecretCertificate,
} from "../../adapters/certificate";
import { splitBlocks, decodeBase64 } from "../../adapters/http/x509/pem";
import type { CertificateFacts } from "../../domain/certificate/certificate";
import type { Names } from "../../domain/names/names";
import { type KubeObject, lastApplied } from "../../domain/kube/objects";
import { pemOfKey } from "../../adapters/private-keys";
import { imitate, type Imitation, KeyRing } from "./reissue";
import { countNoun } from "../../domain/base/values";
import { labelObject, type ServedPair } from "./completion";
import { kinds } from "../../domain/kube/kinds";
import { asString, omit } from "../../domain/base/values";
import type {
  MutatingWebhook,
  ValidatingWebhook,
  WebhookConfiguration,
} from "../../domain/kube/models";
import { isKind } from "../../domain/kube/typed";

/** What stand-ins are made with; the same for all Secrets of a source. */
interface StandInOptions {
  readonly names: Names;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly keys: KeyRing;
  /** Certificates that webhook configurations trust. */
  readonly authorities: readonly X509Certificate[];
  /** Empty items were emptied by whoever wrote the dump; false where the cluster itself is read. */
  readonly mayBeRedacted: boolean;
}

/** A Secret's stand-in, and what goes with it. */
export interface StandIn {
  readonly secret: KubeObject;
  /** Absent where the Secret holds no certificate that could be served. */
  readonly pair?: ServedPair;
  /** Fingerprints of the original certificates, and their stand-ins in PEM. */
  readonly certificates: ReadonlyMap<string, string>;
  /** The original's certificate item, which a caBundle may repeat word for word. */
  readonly original: string | undefined;
  /** What stands in for it. */
  readonly caBundle: string | undefined;
  /** The certificate is made up: caBundles of this webhook are to follow it. */
  readonly madeUp: boolean;
  readonly warnings: readonly string[];
}

/** Makes the stand-in of one Secret: the same findings, other keys. */
export async function standIn(secret: KubeObject, options: StandInOptions): Promise<StandIn> {
  const { names, mayBeRedacted } = options;
  const items = decodeItems(secret);
  const emptied = items.size === 0 || items.get(names.webhook.secretCert) === "";
  if (mayBeRedacted && emptied) return makeUp(secret, options, "has no values");
  try {
    return await imitateSecret(secret, options);
  } catch {
    return makeUp(secret, options, "is of a kind that has no stand-in");
  }
}

async function imitateSecret(secret: KubeObject, options: StandInOptions): Promise<StandIn> {
  const { names, keys, authorities } = options;
  const { secretCert, secretKey } = names.webhook;
  const items = decodeItems(secret);
  const original = items.get(secretCert);
  const pem = decodeItem(original);
  const certificates = parseChain(pem);
  const chain = await imitate(certificates, { ring: keys, authorities });
  const facts = readSecretCertificate(secret, names);
  const pair =
    facts.leaf === undefined ? undefined : findPair(secret, chain.slice(0, certificates.length));
  const emptied = pair !== undefined && options.mayBeRedacted && items.get(secretKey) === "";
  const fitting = facts.matchesPrivateKey === true || emptied ? pair?.key : undefined;
  const stranger = await keys.stranger();
  const rewriting = { certificates: replacements(chain), key: stranger };
  const data = withItems(items.keys(), {
    [secretCert]: certificateLike(facts, pem, rewriting),
    [secretKey]: base64(fitting ?? stranger),
  });
  return {
    secret: withData(secret, data),
    ...(pair !== undefined && { pair }),
    certificates: rewriting.certificates,
    original,
    caBundle: data[secretCert],
    madeUp: false,
    warnings: emptied ? [explainMissingKey(secret, secretKey)] : [],
  };
}

function decodeItem(item: string | undefined): string {
  return decodeBase64(item ?? "")?.toString("latin1") ?? "";
}

function parseChain(pem: string): readonly X509Certificate[] {
  return readChain(pem).flatMap((certificate) => certificate ?? []);
}

function explainMissingKey(secret: KubeObject, item: string): string {
  return `${labelObject(secret)} has no value of ${item}: taken for a key that fits`;
}

/** The same names of items; every other value is empty. */
function withItems(
  names: Iterable<string>,
  values: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries([...names].map((name) => [name, values[name] ?? ""]));
}

function replacements(chain: readonly Imitation[]): ReadonlyMap<string, string> {
  return new Map(chain.map(({ original, pem }) => [original.fingerprint256, pem]));
}

function certificateLike(
  { base64: decodes, encodedTwice }: CertificateFacts,
  pem: string,
  rewriting: PemRewriting,
): string {
  if (!decodes) return "?";
  return base64(encodedTwice ? base64("-----BEGIN CERTIFICATE-----") : disguise(pem, rewriting));
}

/** For a Secret that holds nothing to go by: the pair that an operator would make. */
async function makeUp(
  secret: KubeObject,
  { names, now }: StandInOptions,
  because: string,
): Promise<StandIn> {
  const { secretCert, secretKey } = names.webhook;
  const { namespace = "" } = secret.metadata;
  const { certPem, keyPem } = await generatePair({ namespace, names, now });
  const present = decodeItems(secret);
  const pair = { [secretCert]: base64(certPem), [secretKey]: base64(keyPem) };
  return {
    secret: withData(secret, present.size === 0 ? pair : withItems(present.keys(), pair)),
    pair: { namespace, cert: certPem, key: keyPem },
    certificates: new Map(),
    original: undefined,
    caBundle: pair[secretCert],
    madeUp: true,
    warnings: [
      `${labelObject(secret)} ${because}: its certificate was not rehearsed, a fit one stands in for it`,
    ],
  };
}

function findPair(
  { metadata: { namespace = "" } }: KubeObject,
  chain: readonly Imitation[],
): ServedPair | undefined {
  const [first] = chain;
  if (first === undefined) return undefined;
  const others = chain.slice(1).map(({ pem }) => pem);
  const cert = [first.served, ...others].join("\n");
  return { namespace, cert, key: pemOfKey(first.key) };
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}

function isSecret({ apiVersion, kind }: KubeObject): boolean {
  return apiVersion === "v1" && kind === kinds.secret.kind;
}

/** The Secret that the webhook serves with. */
export function isAdmissionSecret(object: KubeObject, names: Names): boolean {
  return isSecret(object) && object.metadata.name === names.webhook.secret;
}

/** Names of the items, type and metadata stay; every value is empty. */
function dropValues(secret: KubeObject): KubeObject {
  return withData(
    secret,
    Object.fromEntries([...decodeItems(secret).keys()].map((name) => [name, ""])),
  );
}

/** The Secret with other items, and without the copy of them in an annotation. */
function withData(secret: KubeObject, data: Readonly<Record<string, string>>): KubeObject {
  const { annotations, ...others } = secret.metadata;
  const kept = omit(annotations ?? {}, lastApplied);
  return {
    ...omit(secret, "data", "stringData"),
    metadata: { ...others, ...(Object.keys(kept).length > 0 && { annotations: kept }) },
    ...(Object.keys(data).length > 0 && { data }),
  };
}

/** What stands in the place of what. */
interface PemRewriting {
  /** Certificates by the SHA-256 fingerprint of the original. */
  readonly certificates: ReadonlyMap<string, string>;
  /** Takes the place of every private key. */
  readonly key: string;
}

const block = /-----BEGIN ([A-Z0-9 ]+)-----[\s\S]*?(?:-----END \1-----|$)/g;
const brokenCertificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----";

/** A public text: certificates that are not known stay. */
function rewritten(pem: string, { certificates, key }: PemRewriting): string {
  return pem.replaceAll(block, (whole, label: string) => {
    if (label.includes("PRIVATE KEY")) return keyLike(whole, key);
    return label === "CERTIFICATE" ? (findStandIn(whole, certificates) ?? whole) : whole;
  });
}

/** A secret text: nothing of it stays but its shape. */
function disguise(pem: string, { certificates, key }: PemRewriting): string {
  let [shape, from] = ["", 0];
  for (const { 0: whole, 1: label = "", index } of pem.matchAll(block)) {
    shape += mask(pem.slice(from, index));
    if (label.includes("PRIVATE KEY")) shape += keyLike(whole, key);
    if (label === "CERTIFICATE") shape += findStandIn(whole, certificates) ?? breakLike(whole);
    from = index + whole.length;
  }
  return shape + mask(pem.slice(from));
}

function findStandIn(text: string, certificates: PemRewriting["certificates"]): string | undefined {
  const [certificate] = readChain(text);
  return certificates.get(certificate?.fingerprint256 ?? "");
}

/** A block that is cut short is cut short in its stand-in, too. */
function keyLike(text: string, key: string): string {
  return text.endsWith("-----") && text.includes("-----END ") ? key : "-----BEGIN PRIVATE KEY-----";
}

function breakLike(text: string): string {
  return splitBlocks(text).length > 0 ? brokenCertificate : "-----BEGIN CERTIFICATE-----";
}

/** Where lines begin is what a PEM parser looks at. */
function mask(text: string): string {
  return text.replaceAll(/[^\r\n]+/g, "#");
}

/** Objects that hold no secret any more, and what was done to them. */
interface Disarmed {
  readonly objects: readonly KubeObject[];
  readonly pairs: readonly ServedPair[];
  readonly warnings: readonly string[];
}

/** Drops the values of Secrets; the webhook's own Secrets get stand-ins. */
export async function disarm(
  objects: readonly KubeObject[],
  options: Omit<StandInOptions, "keys" | "authorities">,
): Promise<Disarmed> {
  const keys = new KeyRing();
  const authorities = objects
    .filter(isWebhookConfiguration)
    .flatMap(({ webhooks }) => webhooks ?? [])
    .flatMap(({ clientConfig }) => parseChain(decodeItem(clientConfig?.caBundle ?? undefined)));
  const standIns = new Map<KubeObject, StandIn>();
  for (const secret of objects.filter((object) => isAdmissionSecret(object, options.names))) {
    standIns.set(secret, await standIn(secret, { ...options, keys, authorities }));
  }
  const made = [...standIns.values()];
  const trust: Trust = { made, service: options.names.webhook.service, key: await keys.stranger() };
  const secrets = objects.filter(isSecret).length;
  return {
    objects: objects.map((object) => {
      if (isSecret(object)) return standIns.get(object)?.secret ?? dropValues(object);
      return isWebhookConfiguration(object) ? addTrust(object, trust) : object;
    }),
    pairs: made.flatMap(({ pair }) => pair ?? []),
    warnings: [
      ...(secrets === 0
        ? []
        : [
            `the values of ${countNoun(secrets, "Secret")} were dropped at reading, their names and ` +
              `types are kept${made.length === 0 ? "" : "; the webhook's key pair is a stand-in"}`,
          ]),
      ...made.flatMap(({ warnings }) => warnings),
    ],
  };
}

interface Trust {
  readonly made: readonly StandIn[];
  /** Name of the webhook's Service. */
  readonly service: string;
  readonly key: string;
}

function isWebhookConfiguration(object: KubeObject): object is KubeObject & WebhookConfiguration {
  return (
    isKind(object, "ValidatingWebhookConfiguration") ||
    isKind(object, "MutatingWebhookConfiguration")
  );
}

type ClientConfig = ValidatingWebhook["clientConfig"];

function addTrust(object: WebhookConfiguration, trust: Trust): KubeObject {
  const entries: readonly (ValidatingWebhook | MutatingWebhook)[] = object.webhooks ?? [];
  const webhooks = entries.map((entry) => {
    const { clientConfig } = entry;
    const given = asString(clientConfig?.caBundle);
    if (given === undefined) return entry;
    const caBundle = bundleFor(clientConfig, given, trust);
    return { ...entry, clientConfig: { ...clientConfig, caBundle } };
  });
  return webhooks.length === 0 ? object : { ...object, webhooks };
}

/** The same word for word where it was the same; else each certificate that has a stand-in. */
function bundleFor(client: ClientConfig, caBundle: string, trust: Trust): string {
  const { made, key } = trust;
  const whole = made.find(({ original, ...one }) =>
    one.madeUp ? serves(client, one.secret, trust) : original === caBundle,
  )?.caBundle;
  if (whole !== undefined) return whole;
  const pem = decodeBase64(caBundle)?.toString("latin1") ?? "";
  const certificates = new Map(made.flatMap((one) => [...one.certificates]));
  const other = rewritten(pem, { certificates, key });
  return other === pem ? caBundle : Buffer.from(other, "latin1").toString("base64");
}

function serves(client: ClientConfig, { metadata }: KubeObject, { service }: Trust): boolean {
  const { name, namespace } = client?.service ?? {};
  return name === service && namespace === metadata.namespace;
}
