/**
 * The complete object that is written once (domain facts 4.3): the template with the CA in it,
 * the API server's defaults spelled out, and what is kept of the live object.
 */
import { webhookFinding } from "./findings";
import type { Finding } from "../base/findings";
import { leftovers, type Names, replaceTokens } from "../names/names";
import { type KubeObject, lastApplied } from "../kube/objects";
import {
  getPath,
  isObject,
  type Json,
  asArray,
  getOwn,
  sameJson,
  renderValue,
} from "../base/values";
import { findInjector } from "./injector";
import { isEmptySelector } from "../kube/selectors";
import {
  readCaBundle,
  callsSame,
  listEntries,
  findEntry,
  readServiceName,
  readServiceNamespace,
  withCa,
} from "./configuration";

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
interface DesiredWebhook {
  readonly object: KubeObject;
  readonly kept: readonly string[];
  readonly findings: readonly Finding[];
}

const serverTimeout = 10;
const selectorFields = ["namespaceSelector", "objectSelector", "matchConditions"] as const;

/** Builds the wanted configuration; pure. */
export function buildConfiguration(from: Ingredients): DesiredWebhook {
  const templateEntry = findEntry(from.template, from.names.webhook.entry) ?? {};
  const source = sourceEntry(from);
  const kept = pickKept(source, templateEntry, from.takeTemplateSelectors);
  const caBundle = caFor(
    findEntry(from.live, from.names.webhook.entry) ?? listEntries(from.live)[0],
    from,
  );
  const entry = { ...withDefaults(templateEntry, caBundle), ...kept };
  const object = {
    apiVersion: from.template.apiVersion,
    kind: from.template.kind,
    metadata: buildMetadata(from),
    webhooks: entriesAround(entry, from),
  };
  return { object, kept: Object.keys(kept), findings: findProblems(source, entry, from) };
}

/**
 * The entry in its place among those that are in the live configuration beside it. What calls the
 * same Service fails without the same CA; nothing else of it is this tool's to change.
 */
function entriesAround(own: Json, from: Ingredients): readonly Json[] {
  const { live } = from;
  const named = listEntries(live).filter((entry) => typeof getOwn(entry, "name") === "string");
  const isOwn = (entry: Json): boolean => getOwn(entry, "name") === getOwn(own, "name");
  const all = named.map((entry) => {
    if (isOwn(entry)) return own;
    return callsSame(entry, own) ? withCa(entry, caFor(entry, from)) : entry;
  });
  return all.includes(own) ? all : [...all, own];
}

/** What an injector has written is written again as it is: any other value would come back. */
function caFor(entry: Json | undefined, { live, caBundle }: Ingredients): string {
  return (findInjector(live) && entry && readCaBundle(entry)) ?? caBundle;
}

/** The entry that values are kept from: the new one's, else the old one's. */
function sourceEntry(from: Ingredients): Json | undefined {
  if (from.live !== undefined) return findEntry(from.live, from.names.webhook.entry);
  return findEntry(from.old, from.names.webhook.oldEntry) ?? listEntries(from.old)[0];
}

function pickKept(source: Json | undefined, template: Json, fromTemplate: boolean): Json {
  const selectors = fromTemplate
    ? []
    : selectorFields
        .map((field) => [field, getOwn(source, field)] as const)
        .filter(([field, value]) => !isEmpty(value) && !sameJson(value, getOwn(template, field)));
  const timeout = getOwn(source, "timeoutSeconds");
  const byHand =
    typeof timeout === "number" &&
    timeout !== serverTimeout &&
    timeout !== getOwn(template, "timeoutSeconds");
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
  const service = getOwn(getOwn(entry, "clientConfig"), "service");
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
    rules: asArray(getOwn(entry, "rules")).map((rule) =>
      isObject(rule) ? { scope: "*", ...rule } : rule,
    ),
  };
}

function buildMetadata(from: Ingredients): KubeObject["metadata"] {
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

function findProblems(
  source: Json | undefined,
  entry: Json,
  from: Ingredients,
): readonly Finding[] {
  const found = getOwn(source, "failurePolicy");
  const written = getPath(entry, ["failurePolicy"]);
  if (source === undefined || found === undefined || found === written) return [];
  const isOpen = found === "Ignore" && written === "Fail";
  const trial = "; with Ignore first where no refusal was seen, and with Fail once one was";
  return [
    webhookFinding("failurePolicy", {
      object: `ValidatingWebhookConfiguration/${from.names.webhook.configuration}`,
      field: "webhooks[0].failurePolicy",
      cause: `the live entry has ${JSON.stringify(found)}, the template ${JSON.stringify(written)}, and the template's is written${isOpen ? trial : ""}`,
    }),
  ];
}

/**
 * The paths at which the live object is not as expected, in order. Labels and annotations are
 * compared where the wanted object names them, the entries of the wanted names as a whole.
 */
export function listDifferences(live: unknown, wanted: KubeObject): readonly string[] {
  const metadata = ["labels", "annotations"].flatMap((part) => {
    const [found, expected] = [live, wanted].map((object) =>
      getOwn(getOwn(object, "metadata"), part),
    );
    const keys = keysApart(found, expected, Object.keys(expected ?? {}));
    return keys.map((key) => `metadata.${part}[${key}]`);
  });
  const entries = listEntries(wanted).flatMap((entry) => {
    const name = String(getOwn(entry, "name"));
    const path = `webhooks[name=${name}]`;
    const found = listEntries(live).find((item) => getOwn(item, "name") === name);
    if (found === undefined) return [path];
    const keys = [...new Set([...Object.keys(entry), ...Object.keys(found)])].sort();
    return keysApart(found, entry, keys).flatMap((key) => {
      if (key !== "clientConfig") return [`${path}.${key}`];
      const inner = keysApart(getOwn(found, key), getOwn(entry, key), [
        "caBundle",
        "service",
        "url",
      ]);
      return inner.map((one) => `${path}.clientConfig.${one}`);
    });
  });
  return [...metadata, ...entries];
}

/** The keys whose values differ. */
function keysApart(live: unknown, wanted: unknown, keys: readonly string[]): readonly string[] {
  return keys.filter((key) => !sameJson(getOwn(live, key), getOwn(wanted, key)));
}

/** A rendered template, or every problem that stands against it. */
type Rendered =
  | { readonly is: "rendered"; readonly configuration: KubeObject }
  | { readonly is: "unfit"; readonly problems: readonly string[] };

/**
 * Puts the namespace in place of every known spelling of the placeholder and judges the outcome.
 * `documents` are the YAML documents of the file; exactly one configuration is wanted.
 */
export function renderTemplate(
  documents: readonly unknown[],
  namespace: string,
  names: Names,
): Rendered {
  const present = documents.filter((document) => document !== null && document !== undefined);
  const [first] = present;
  if (present.length !== 1 || first === undefined) {
    const problem = `it holds ${present.length} documents where exactly one is expected`;
    return { is: "unfit", problems: [problem] };
  }
  if (!isObject(first)) return { is: "unfit", problems: ["it is not a YAML mapping"] };
  const rendered = replaceTokens(first, names.placeholders.namespace, namespace);
  const problems = [
    ...judgeHead(rendered, names),
    ...judgeEntries(rendered, namespace, names),
    ...leftovers(rendered, names).map((token) => `placeholder ${token} is left after rendering`),
  ];
  return problems.length > 0
    ? { is: "unfit", problems }
    : { is: "rendered", configuration: rendered as KubeObject };
}

function judgeHead(rendered: unknown, names: Names): readonly string[] {
  const head: readonly (readonly [path: string, wanted: string])[] = [
    ["apiVersion", "admissionregistration.k8s.io/v1"],
    ["kind", "ValidatingWebhookConfiguration"],
    ["metadata.name", names.webhook.configuration],
  ];
  return head.flatMap(([path, wanted]) => {
    const found = getPath(rendered, path.split("."));
    return found === wanted ? [] : [`${path} is ${renderValue(found)}, expected "${wanted}"`];
  });
}

function judgeEntries(rendered: unknown, namespace: string, names: Names): readonly string[] {
  const entries = listEntries(rendered);
  const entry = entries[0];
  const count = asArray(getOwn(rendered, "webhooks")).length;
  if (count !== 1 || entry === undefined) {
    return [`webhooks has ${count} entries where exactly one is expected`];
  }
  const [name, namespaced] = [getOwn(entry, "name"), readServiceNamespace(entry)];
  const client = "webhooks[0].clientConfig";
  const judged: readonly (readonly [isWrong: boolean, problem: string])[] = [
    [
      name !== names.webhook.entry,
      `webhooks[0].name is ${renderValue(name)}, expected "${names.webhook.entry}"`,
    ],
    [
      getOwn(getOwn(entry, "clientConfig"), "url") !== undefined,
      `${client}.url is set where a service is expected`,
    ],
    [readServiceName(entry) === undefined, `${client}.service.name is absent`],
    [
      namespaced !== namespace,
      `${client}.service.namespace is ${renderValue(namespaced)} after rendering, expected "${namespace}"`,
    ],
    [asArray(getOwn(entry, "rules")).length === 0, "webhooks[0].rules is empty"],
  ];
  return judged.flatMap(([isWrong, problem]) => (isWrong ? [problem] : []));
}
