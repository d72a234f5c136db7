import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type {
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
  WebhookRule,
} from "../../../../plugin/domain/kube/models";
import * as configuration from "../../../../plugin/domain/admission/configuration";
import { aNewConfiguration, anOldConfiguration } from "../../../support/builders";

const { readCaBundle, listCandidates, listEntries, entryNames, findEntry } = configuration;
const { listLost, matchesResource, renderReached, wideRules } = configuration;
const { readServiceName, readServiceNamespace } = configuration;
const { group } = names;

/** An entry of one rule, of the kinds `edbs` and `roles` unless told otherwise. */
function anEntry(changes: WebhookRule = {}): ValidatingWebhook {
  const rule = {
    apiGroups: [group],
    apiVersions: ["v1alpha1"],
    operations: ["CREATE", "UPDATE"],
    resources: ["edbs", "roles"],
  };
  return { rules: [{ ...rule, ...changes }] };
}

const both = (...entries: readonly ValidatingWebhook[]): ValidatingWebhook => ({
  rules: entries.flatMap(({ rules }) => rules ?? []),
});
const wanted = { group, plural: "edbs", operation: "CREATE" };

test.each([undefined, null, []])("of %j nothing is made up", (absent) => {
  const bare = { ...aNewConfiguration(), webhooks: absent };
  expect(listEntries(bare)).toEqual([]);
  expect(findEntry(bare, "absent")).toBeUndefined();
  expect(entryNames({ ...bare, webhooks: [{}] })).toEqual([""]);
  const entries: readonly (ValidatingWebhook | undefined)[] = [
    undefined,
    { clientConfig: undefined, rules: absent },
    { clientConfig: null, rules: [{}] },
    { clientConfig: { service: null }, ...anEntry({ resources: absent }) },
    anEntry({ apiGroups: absent }),
    anEntry({ operations: absent }),
  ];
  for (const entry of entries) {
    expect(readServiceNamespace(entry) ?? readServiceName(entry)).toBeUndefined();
    expect(readCaBundle(entry)).toBe("");
    expect(matchesResource(entry, wanted)).toBe(false);
    expect(listLost(entry, undefined)).toEqual([]);
    expect(wideRules(entry, names)).toEqual([]);
  }
});

test.each<[string, Record<string, string> | undefined, boolean]>([
  ["no labels", undefined, true],
  ["labels without that of its name", { tier: "gold" }, true],
  ["the label of another name", { "kubernetes.io/metadata.name": "shop" }, false],
])("a namespace with %s is selected by its name as the API server does", (_, labels, expected) => {
  const named = { matchLabels: { "kubernetes.io/metadata.name": "engine" } };
  const metadata = { name: "engine", ...(labels && { labels }) };
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata };
  expect(configuration.selectsNamespace({ namespaceSelector: named }, namespace)).toBe(expected);
  expect(configuration.selectsNamespace(undefined, namespace)).toBe(true);
});

test("rules for objects of no namespace do not count", () => {
  const entry = anEntry({});
  const { rules = [] } = entry;
  const both = { ...entry, rules: [...(rules ?? []), { scope: "Cluster" }] };
  expect(configuration.withMatchingRules(both)).toEqual(entry);
  expect(configuration.withMatchingRules({})).toEqual({});
});

test("an entry is found by its name, the first of several, and shows its Service and its CA", () => {
  const webhooks = [{ name: "a", timeoutSeconds: 1 }, { name: "b" }, { name: "a" }];
  const several = { ...aNewConfiguration(), webhooks };
  expect(findEntry(several, "a")).toEqual({ name: "a", timeoutSeconds: 1 });
  expect(entryNames(several)).toEqual(["a", "b", "a"]);
  const entry = findEntry(aNewConfiguration(), names.webhook.entry);
  const shown = [readServiceNamespace(entry), readServiceName(entry), readCaBundle(entry)];
  expect(shown).toEqual(["engine", "admission", "Q0E="]);
});

test.each<[WebhookRule, boolean]>([
  [{}, true],
  [{ apiGroups: ["*"] }, true],
  [{ operations: ["*"] }, true],
  [{ apiGroups: ["h"] }, false],
  [{ operations: ["DELETE"] }, false],
  [{ operations: undefined }, false],
  [{ resources: ["*"] }, true],
  [{ resources: ["*/*"] }, true],
  [{ resources: ["edbs/*"] }, true],
  [{ resources: ["*/status"] }, false],
  [{ resources: ["edbs/status"] }, false],
  [{ resources: ["roles"] }, false],
])("a rule with %j matches: %s", (changes, expected) => {
  expect(matchesResource(both({ rules: [{}] }, anEntry(changes)), wanted)).toBe(expected);
});

test.each([
  ["edbs/*", true],
  ["*/status", true],
  ["*", false],
  ["edbs", false],
])("a rule for %s matches edbs/status: %s", (rule, expected) => {
  const status = { ...wanted, plural: "edbs/status" };
  expect(matchesResource(anEntry({ resources: [rule] }), status)).toBe(expected);
});

const named = (name: string | undefined, entry: string): ValidatingWebhookConfiguration => ({
  ...aNewConfiguration(),
  metadata: name === undefined ? {} : { name },
  webhooks: [{ name: entry }],
});

test.each<[string, ValidatingWebhookConfiguration, boolean]>([
  ["the new name", named(names.webhook.configuration, "x"), true],
  ["the old name", named(names.webhook.oldConfiguration, "x"), true],
  ["the new entry", named("chart", names.webhook.entry), true],
  ["the old entry", named("chart", names.webhook.oldEntry), true],
  ["nothing of the product's", named("other", "other.example.com"), false],
  ["no name", named(undefined, "other.example.com"), false],
])("a candidate with %s", (_title, object, expected) => {
  const [old, others] = [anOldConfiguration(), named("other", "x")];
  expect(listCandidates([old, others, object], names)).toEqual(expected ? [old, object] : [old]);
});

test.each<[string, ValidatingWebhook | undefined, ValidatingWebhook, readonly string[]]>([
  ["nothing, where both are alike", anEntry(), anEntry(), []],
  ["nothing, where no entry is live", undefined, anEntry(), []],
  ["a resource", anEntry(), anEntry({ resources: ["edbs"] }), [`roles.${group} (CREATE, UPDATE)`]],
  [
    "an operation",
    anEntry({ operations: ["CREATE", "DELETE"] }),
    anEntry(),
    [`edbs.${group} (DELETE)`, `roles.${group} (DELETE)`],
  ],
  [
    "every operation",
    anEntry({ operations: ["*"], resources: ["edbs"] }),
    anEntry(),
    [`edbs.${group} (DELETE, CONNECT)`],
  ],
  [
    "a group",
    both(anEntry(), anEntry({ apiGroups: [""], resources: ["secrets"] })),
    anEntry(),
    ["secrets (CREATE, UPDATE)"],
  ],
  ["every resource", anEntry({ resources: ["*"] }), anEntry(), [`*.${group} (CREATE, UPDATE)`]],
  [
    "every group",
    anEntry({ apiGroups: ["*"], resources: ["edbs"] }),
    anEntry(),
    ["edbs.* (CREATE, UPDATE)"],
  ],
  [
    "a subresource",
    anEntry({ resources: ["edbs", "edbs/status"] }),
    anEntry(),
    [`edbs/status.${group} (CREATE, UPDATE)`],
  ],
  ["nothing by an apply that adds", anEntry(), anEntry({ resources: ["edbs", "roles", "x"] }), []],
  ["nothing by a wildcard", anEntry(), anEntry({ apiGroups: ["*"], resources: ["*/*"] }), []],
  [
    "nothing by the same in other rules",
    anEntry(),
    both(anEntry({ resources: ["roles"] }), anEntry({ resources: ["edbs"] })),
    [],
  ],
  ["nothing by other versions", anEntry(), anEntry({ apiVersions: ["v1"] }), []],
])("an apply would remove %s", (_title, ...[live, next, lost]) => {
  expect(renderReached(listLost(live, next))).toEqual(lost);
});

test.each<[WebhookRule, readonly string[]]>([
  [{ resources: ["edbs", "roles", "acls"] }, []],
  [{ operations: ["CREATE", "UPDATE", "DELETE"] }, []],
  [{ apiGroups: [group, "apps"] }, ["apiGroups=apps"]],
  [{ apiGroups: [""] }, ["apiGroups="]],
  [{ resources: ["*/*", "edbs/*"] }, ["resources=*/*", "resources=edbs/*"]],
  [{ operations: ["CREATE", "CONNECT"] }, ["operations=CONNECT"]],
  [
    { apiGroups: ["*"], resources: ["*"], operations: ["*"] },
    ["apiGroups=*", "resources=*", "operations=*"],
  ],
])("a template's rules with %j are too wide", (changes, wide) => {
  expect(wideRules(both(anEntry(changes), anEntry(changes)), names)).toEqual(wide);
});
