/**
 * The complete object that is written once (domain facts 4.3): the template with the CA in it,
 * the API server's defaults spelled out, and what is kept of the live object.
 */
import { webhookFinding } from "./findings";
import type { Finding } from "../base/findings";
import { leftovers, type Names, replaceTokens } from "../names/names";
import type { ValidatingWebhook, ValidatingWebhookConfiguration } from "../kube/models";
import { lastApplied } from "../kube/objects";
import {
  getPath,
  isObject,
  asArray,
  asString,
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
  fieldOf,
  findEntry,
  findSource,
  withCa,
} from "./configuration";

/** What the wanted object is made of. */
export interface Ingredients {
  readonly template: ValidatingWebhookConfiguration;
  /** The new configuration as found, when there is one. */
  readonly live: ValidatingWebhookConfiguration | undefined;
  /** The old configuration as found, when there is one. */
  readonly old: ValidatingWebhookConfiguration | undefined;
  /** Base64 as in the Secret's item, unchanged (S28, S30). */
  readonly caBundle: string;
  readonly takeTemplateSelectors: boolean;
  readonly names: Names;
}

/** The wanted object, which values of the live one are in it, and what a person should know. */
interface DesiredWebhook {
  readonly object: ValidatingWebhookConfiguration;
  readonly kept: readonly string[];
  readonly findings: readonly Finding[];
}

const serverTimeout = 10;
type SelectorField = "namespaceSelector" | "objectSelector" | "matchConditions";

/** Builds the wanted configuration; pure. */
export function buildConfiguration(from: Ingredients): DesiredWebhook {
  const templateEntry = findEntry(from.template, from.names.webhook.entry) ?? {};
  const source = findSource(from, from.names)?.entry;
  const kept = pickKept(source, templateEntry, from.takeTemplateSelectors);
  const caBundle = caFor(
    findEntry(from.live, from.names.webhook.entry) ?? listEntries(from.live)[0],
    from,
  );
  const entry = { ...withDefaults(templateEntry, caBundle), ...kept };
  const object: ValidatingWebhookConfiguration = {
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
function entriesAround(own: ValidatingWebhook, from: Ingredients): readonly ValidatingWebhook[] {
  const all = listEntries(from.live).map((entry) => {
    if (entry.name === own.name) return own;
    return callsSame(entry, own) ? withCa(entry, caFor(entry, from)) : entry;
  });
  return all.includes(own) ? all : [...all, own];
}

/** What an injector has written is written again as it is: any other value would come back. */
function caFor(entry: ValidatingWebhook | undefined, { live, caBundle }: Ingredients): string {
  return (findInjector(live) && entry && readCaBundle(entry)) ?? caBundle;
}

function pickKept(
  source: ValidatingWebhook | undefined,
  template: ValidatingWebhook,
  fromTemplate: boolean,
): Partial<ValidatingWebhook> {
  const isKept = (field: SelectorField): boolean =>
    !fromTemplate && !isEmpty(source?.[field]) && !sameJson(source?.[field], template[field]);
  const timeout = source?.timeoutSeconds ?? serverTimeout;
  const isByHand = timeout !== serverTimeout && timeout !== template.timeoutSeconds;
  return {
    ...(isKept("namespaceSelector") && { namespaceSelector: source?.namespaceSelector }),
    ...(isKept("objectSelector") && { objectSelector: source?.objectSelector }),
    ...(isKept("matchConditions") && { matchConditions: source?.matchConditions }),
    ...(isByHand && { timeoutSeconds: timeout }),
  };
}

/** An absent, empty object or empty list value selects everything: nothing to keep. */
function isEmpty(value: ValidatingWebhook[SelectorField]): boolean {
  return Array.isArray(value) ? value.length === 0 : isEmptySelector(value);
}

/** What the API server would fill in, said outright: a comparison needs it, an apply owns it. */
function withDefaults(entry: ValidatingWebhook, caBundle: string): ValidatingWebhook {
  return {
    failurePolicy: "Fail",
    matchPolicy: "Equivalent",
    namespaceSelector: {},
    objectSelector: {},
    timeoutSeconds: serverTimeout,
    ...entry,
    clientConfig: { service: { port: 443, ...entry.clientConfig?.service }, caBundle },
    rules: (entry.rules ?? []).map((rule) => ({ scope: "*", ...rule })),
  };
}

function buildMetadata(from: Ingredients): ValidatingWebhookConfiguration["metadata"] {
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
  source: ValidatingWebhook | undefined,
  entry: ValidatingWebhook,
  from: Ingredients,
): readonly Finding[] {
  const found = source?.failurePolicy;
  const written = entry.failurePolicy;
  if (found === undefined || found === written) return [];
  const isOpen = found === "Ignore" && written === "Fail";
  const trial = "; with Ignore first where no refusal was seen, and with Fail once one was";
  return [
    webhookFinding("failurePolicy", {
      object: `ValidatingWebhookConfiguration/${from.names.webhook.configuration}`,
      field: `${fieldOf(entry)}.failurePolicy`,
      cause: `the live entry has ${JSON.stringify(found)}, the template ${JSON.stringify(written)}, and the template's is written${isOpen ? trial : ""}`,
    }),
  ];
}

/**
 * The paths at which the live object is not as expected, in order. Labels and annotations are
 * compared where the wanted object names them, the entries of the wanted names as a whole.
 */
export function listDifferences(
  live: ValidatingWebhookConfiguration | undefined,
  wanted: ValidatingWebhookConfiguration,
): readonly string[] {
  const metadata = (["labels", "annotations"] as const).flatMap((part) => {
    const expected = wanted.metadata[part];
    const keys = keysApart(live?.metadata[part], expected, Object.keys(expected ?? {}));
    return keys.map((key) => `metadata.${part}[${key}]`);
  });
  const entries = listEntries(wanted).flatMap((entry) => {
    const path = fieldOf(entry);
    const found = listEntries(live).find(({ name }) => name === entry.name);
    if (found === undefined) return [path];
    const keys = [...new Set([...Object.keys(entry), ...Object.keys(found)])].sort();
    return keysApart(found, entry, keys).flatMap((key) => {
      if (key !== "clientConfig") return [`${path}.${key}`];
      const inner = keysApart(found.clientConfig, entry.clientConfig, [
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
  | { readonly is: "rendered"; readonly configuration: ValidatingWebhookConfiguration }
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
  // what was judged has the kind and the one entry; what the API server alone can judge it refuses itself
  return problems.length > 0
    ? { is: "unfit", problems }
    : { is: "rendered", configuration: rendered as ValidatingWebhookConfiguration };
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
  const entries = asArray(getOwn(rendered, "webhooks"));
  const [entry] = entries;
  if (entries.length !== 1 || !isObject(entry)) {
    return [`webhooks has ${entries.length} entries where exactly one is expected`];
  }
  const name = getOwn(entry, "name");
  const service = getPath(entry, ["clientConfig", "service"]);
  const namespaced = asString(getOwn(service, "namespace"));
  const client = "webhooks[0].clientConfig";
  const judged: readonly (readonly [isWrong: boolean, problem: string])[] = [
    [
      name !== names.webhook.entry,
      `webhooks[0].name is ${renderValue(name)}, expected "${names.webhook.entry}"`,
    ],
    [
      getPath(entry, ["clientConfig", "url"]) !== undefined,
      `${client}.url is set where a service is expected`,
    ],
    [asString(getOwn(service, "name")) === undefined, `${client}.service.name is absent`],
    [
      namespaced !== namespace,
      `${client}.service.namespace is ${renderValue(namespaced)} after rendering, expected "${namespace}"`,
    ],
    ...judgeRules(getOwn(entry, "rules")),
  ];
  return judged.flatMap(([isWrong, problem]) => (isWrong ? [problem] : []));
}

const ruleFields = ["apiGroups", "apiVersions", "operations", "resources"];

/** Code that reads the rules of a template trusts that they are mappings of lists. */
function judgeRules(rules: unknown): readonly (readonly [isWrong: boolean, problem: string])[] {
  const all = asArray(rules);
  const shapes = all.flatMap((rule, index) => {
    const path = `webhooks[0].rules[${index}]`;
    const fields = ruleFields.map((field) => [`${path}.${field}`, getOwn(rule, field)] as const);
    return [
      [!isObject(rule), `${path} is ${renderValue(rule)}, expected a mapping`] as const,
      ...fields.map(
        ([field, value]) =>
          [
            !Array.isArray(value ?? []),
            `${field} is ${renderValue(value)}, expected a list`,
          ] as const,
      ),
    ];
  });
  return [[all.length === 0, "webhooks[0].rules is empty"], ...shapes];
}
