/**
 * The complete object that is written once (domain facts 4.3): the template with the CA in it,
 * the API server's defaults spelled out, and what is kept of the live object.
 */
import type { Finding } from "../findings";
import type { Names } from "../names";
import { type KubeObject, lastApplied } from "../objects";
import { at, isObject, type Json, list, own, sameJson } from "../values";
import { isEmptySelector } from "../kube/selectors";
import { entriesOf, entryOf } from "./configuration";

/** What the wanted object is made of. */
export interface Ingredients {
  readonly template: KubeObject;
  /** The new configuration as found, when there is one. */
  readonly live: KubeObject | undefined;
  /** The old configuration as found, when there is one. */
  readonly old: KubeObject | undefined;
  /** Base64 as in the Secret's item, unchanged (S28, S30). */
  readonly caBundle: string;
  readonly takeTemplateSelectors: boolean;
  readonly names: Names;
}

/** The wanted object, which values of the live one are in it, and what a person should know. */
export interface Wanted {
  readonly object: KubeObject;
  readonly kept: readonly string[];
  readonly findings: readonly Finding[];
}

const serverTimeout = 10;
const selectorFields = ["namespaceSelector", "objectSelector", "matchConditions"] as const;

/** Builds the wanted configuration; pure. */
export function wantedConfiguration(from: Ingredients): Wanted {
  const templateEntry = entryOf(from.template, from.names.webhook.entry) ?? {};
  const source = sourceEntry(from);
  const kept = keptOf(source, templateEntry, from.takeTemplateSelectors);
  const entry = { ...withDefaults(templateEntry, from.caBundle), ...kept };
  const object = {
    apiVersion: from.template.apiVersion,
    kind: from.template.kind,
    metadata: metadataOf(from),
    webhooks: [entry],
  };
  return { object, kept: Object.keys(kept), findings: findingsOf(source, entry, from) };
}

/** The entry that values are kept from: the new one's, else the old one's. */
function sourceEntry(from: Ingredients): Json | undefined {
  if (from.live !== undefined) return entryOf(from.live, from.names.webhook.entry);
  return entryOf(from.old, from.names.webhook.oldEntry) ?? entriesOf(from.old)[0];
}

function keptOf(source: Json | undefined, template: Json, fromTemplate: boolean): Json {
  const selectors = fromTemplate
    ? []
    : selectorFields
        .map((field) => [field, own(source, field)] as const)
        .filter(([field, value]) => !isEmpty(value) && !sameJson(value, own(template, field)));
  const timeout = own(source, "timeoutSeconds");
  const byHand =
    typeof timeout === "number" &&
    timeout !== serverTimeout &&
    timeout !== own(template, "timeoutSeconds");
  return Object.fromEntries<unknown>([
    ...selectors,
    ...(byHand ? [["timeoutSeconds", timeout] as const] : []),
  ]);
}

/** An absent, empty object or empty list value selects everything: nothing to keep. */
function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return isEmptySelector(value);
}

/** What the API server would fill in, said outright: a comparison needs it, an apply owns it. */
function withDefaults(entry: Json, caBundle: string): Json {
  const service = own(own(entry, "clientConfig"), "service");
  return {
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: serverTimeout,
    ...entry,
    clientConfig: {
      service: { port: 443, ...(isObject(service) ? service : {}) },
      caBundle,
    },
    rules: list(own(entry, "rules")).map((rule) =>
      isObject(rule) ? { scope: "*", ...rule } : rule,
    ),
  };
}

function metadataOf(from: Ingredients): KubeObject["metadata"] {
  const { metadata } = from.template;
  const live = from.live?.metadata;
  const labels = { ...live?.labels, ...metadata.labels };
  const annotations: Record<string, string> = { ...live?.annotations, ...metadata.annotations };
  // kubectl's own bookkeeping speaks of kubectl's last apply, never of ours
  const own = Object.entries(annotations).filter(([key]) => key !== lastApplied);
  return {
    name: from.names.webhook.configuration,
    ...(Object.keys(labels).length > 0 && { labels }),
    ...(own.length > 0 && { annotations: Object.fromEntries(own) }),
  };
}

function findingsOf(source: Json | undefined, entry: Json, from: Ingredients): readonly Finding[] {
  const found = own(source, "failurePolicy");
  const written = at(entry, ["failurePolicy"]);
  if (source === undefined || found === undefined || found === written) return [];
  return [
    {
      code: "WEBHOOK-FAILURE-POLICY",
      severity: "warning",
      object: `ValidatingWebhookConfiguration/${from.names.webhook.configuration}`,
      field: "webhooks[0].failurePolicy",
      cause: `the live entry has ${JSON.stringify(found)}, the template ${JSON.stringify(written)}, and the template's is written`,
      fix: "give a template with the policy that you want by --template",
      source: "cli contract, upgrade-webhook",
    },
  ];
}
