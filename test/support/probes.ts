/** What a probe shows of scenes that are made of objects alone: the webhook works unless an object is wrong. */
import {
  listEntries,
  readCaBundle,
  readServiceName,
  readServiceNamespace,
} from "../../plugin/domain/admission/configuration";
import { kinds } from "../../plugin/domain/kube/kinds";
import type { WebhookConfiguration } from "../../plugin/domain/kube/models";
import type { KubeObject } from "../../plugin/domain/kube/objects";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { getPath } from "../../plugin/domain/base/values";
import { judgesAll, type WebhookServer } from "./served-webhooks";
import type { ProbeOutcome } from "../../plugin/domain/admission/probe-outcome";
import type { Facts } from "../../plugin/domain/facts/facts";
import { type WebhookStatus, webhookStatus } from "../../plugin/commands/upgrade-webhook/next";

/** A server that judges behind each Service that an entry of these objects calls, trusted by all entries and Secrets. */
export function serveAll(objects: readonly KubeObject[]): Readonly<Record<string, WebhookServer>> {
  const entries = objects
    .filter(({ kind }) => kind === kinds.webhookConfiguration.kind)
    .flatMap((one) => listEntries(one as WebhookConfiguration));
  const served = objects
    .filter(({ kind }) => kind === "Secret")
    .map((one) => String(getPath(one, ["data", names.webhook.secretCert])));
  const ca = [...entries.map(readCaBundle), ...served];
  return Object.fromEntries(
    entries.map((entry) => [
      `${String(readServiceNamespace(entry))}/${String(readServiceName(entry))}`,
      { ca, judge: judgesAll },
    ]),
  );
}

/** A probe that was right a fifth of a second before the facts were read. */
export function provenAt(now: number): ProbeOutcome {
  const pairs = [{ kind: "EDB", version: "v1alpha1", namespace: "engine" }];
  return { is: "proven", at: now - 200, isPlayed: false, pairs, beside: [] };
}

/** Right where nothing that was read is against it; else nothing was sent. */
export function playProbe(facts: Facts): ProbeOutcome | undefined {
  const { verdict } = webhookStatus(facts);
  const isOpen = verdict.is === "unknown" && verdict.because.startsWith("not probed");
  return isOpen ? provenAt(facts.now) : undefined;
}

/** The webhook's part of the screen with such a probe. */
export function seenWebhook(facts: Facts): WebhookStatus {
  return webhookStatus(facts, { probe: playProbe(facts) });
}
