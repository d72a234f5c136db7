/** All Secrets of a source without their values, and the webhooks' trust moved to the stand-ins. */
import { decodeBase64 } from "../../adapters/pem";
import type { KubeObject } from "../../domain/objects";
import { getPath, isObject, asArray, getOwn, asString } from "../../domain/values";
import { KeyRing } from "./reissue";
import {
  isAdmissionSecret,
  isSecret,
  rewritten,
  type StandIn,
  standIn,
  type StandInOptions,
  withoutValues,
} from "./stand-in";
import { counted, type ServedPair } from "./source";

/** Objects that hold no secret any more, and what was done to them. */
export interface Disarmed {
  readonly objects: readonly KubeObject[];
  readonly pairs: readonly ServedPair[];
  readonly warnings: readonly string[];
}

/** Drops the values of Secrets; the webhook's own Secrets get stand-ins. */
export async function disarm(
  objects: readonly KubeObject[],
  options: Omit<StandInOptions, "keys">,
): Promise<Disarmed> {
  const keys = new KeyRing();
  const standIns = new Map<KubeObject, StandIn>();
  for (const secret of objects.filter((object) => isAdmissionSecret(object, options.names))) {
    standIns.set(secret, await standIn(secret, { ...options, keys }));
  }
  const made = [...standIns.values()];
  const trust: Trust = { made, service: options.names.webhook.service, key: await keys.stranger() };
  const secrets = objects.filter(isSecret).length;
  return {
    objects: objects.map((object) => {
      if (isSecret(object)) return standIns.get(object)?.secret ?? withoutValues(object);
      return isWebhookConfiguration(object) ? trusting(object, trust) : object;
    }),
    pairs: made.flatMap(({ pair }) => pair ?? []),
    warnings: [
      ...(secrets === 0
        ? []
        : [
            `the values of ${counted(secrets, "Secret")} were dropped at reading, their names and ` +
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

function isWebhookConfiguration({ apiVersion, kind }: KubeObject): boolean {
  return (
    apiVersion.startsWith("admissionregistration.k8s.io/") && kind.endsWith("WebhookConfiguration")
  );
}

function trusting(object: KubeObject, trust: Trust): KubeObject {
  const webhooks = asArray(object["webhooks"]).map((entry) => {
    const caBundle = asString(getPath(entry, ["clientConfig", "caBundle"]));
    if (!isObject(entry) || caBundle === undefined) return entry;
    const clientConfig = {
      ...(entry["clientConfig"] as object),
      caBundle: bundleFor(entry, trust),
    };
    return { ...entry, clientConfig };
  });
  return webhooks.length === 0 ? object : { ...object, webhooks };
}

/** The same word for word where it was the same; else each certificate that has a stand-in. */
function bundleFor(entry: unknown, trust: Trust): string {
  const caBundle = String(getPath(entry, ["clientConfig", "caBundle"]));
  const { made, key } = trust;
  const whole = made.find(({ original, ...one }) =>
    one.madeUp ? serves(entry, one.secret, trust) : original === caBundle,
  )?.caBundle;
  if (whole !== undefined) return whole;
  const pem = decodeBase64(caBundle)?.toString("latin1") ?? "";
  const certificates = new Map(made.flatMap((one) => [...one.certificates]));
  const other = rewritten(pem, { certificates, key });
  return other === pem ? caBundle : Buffer.from(other, "latin1").toString("base64");
}

function serves(entry: unknown, { metadata }: KubeObject, { service }: Trust): boolean {
  const named = getPath(entry, ["clientConfig", "service"]);
  return getOwn(named, "name") === service && getOwn(named, "namespace") === metadata.namespace;
}
