import { makePair, type Pair } from "./certificate";
import type { KubeObject } from "./objects";

export const secretName = "admission-tls";

const day = 24 * 60 * 60_000;

/** The secret of the webhook as the operator makes it: Opaque, two items. */
export function admissionSecret(namespace: string, pair: Pair): KubeObject {
  return secretOf(namespace, { cert: pair.cert, privateKey: pair.privateKey });
}

export function secretOf(
  namespace: string,
  items: Readonly<Record<string, string>>,
  type = "Opaque",
): KubeObject {
  const data = Object.entries(items).map(([key, value]) => [
    key,
    Buffer.from(value).toString("base64"),
  ]);
  return {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: secretName, namespace, labels: { app: "engine-enterprise" } },
    type,
    data: Object.fromEntries(data) as Readonly<Record<string, string>>,
  };
}

/** Every way in which the secret can be unfit, each with exactly one thing wrong. */
export const unfitSecrets = {
  "wrong type": (namespace) => {
    const { cert, privateKey } = makePair({ namespace });
    // The TLS type insists on its own two items, so that it cannot be had with ours alone.
    return secretOf(namespace, { cert, privateKey }, "engine.com/admission");
  },
  "three items": (namespace) => secretOf(namespace, { ...makePair({ namespace }), extra: "x" }),
  "one item": (namespace) => secretOf(namespace, { cert: makePair({ namespace }).cert }),
  "no cert": (namespace) => {
    const { cert, privateKey } = makePair({ namespace });
    return secretOf(namespace, { "tls.crt": cert, privateKey });
  },
  "cert is not PEM": (namespace) =>
    secretOf(namespace, { ...makePair({ namespace }), cert: "not a certificate" }),
  "cert holds a private key": (namespace) => {
    const { cert, privateKey } = makePair({ namespace });
    return secretOf(namespace, { cert: `${cert}${privateKey}`, privateKey });
  },
  "no name of the service": (namespace) =>
    admissionSecret(namespace, makePair({ namespace, names: [`admission.${namespace}`] })),
  "no names at all": (namespace) => admissionSecret(namespace, makePair({ namespace, names: [] })),
  expired: (namespace) =>
    admissionSecret(
      namespace,
      makePair({
        namespace,
        notBefore: new Date(Date.now() - 30 * day),
        notAfter: new Date(Date.now() - day),
      }),
    ),
  "not yet valid": (namespace) =>
    admissionSecret(namespace, makePair({ namespace, notBefore: new Date(Date.now() + day) })),
  "another private key": (namespace) =>
    secretOf(namespace, {
      cert: makePair({ namespace }).cert,
      privateKey: makePair({ namespace }).privateKey,
    }),
} as const satisfies Readonly<Record<string, (namespace: string) => KubeObject>>;

export type UnfitSecret = keyof typeof unfitSecrets;
