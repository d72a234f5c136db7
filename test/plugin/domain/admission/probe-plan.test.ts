/** Which edits are sent to see whether the webhook works: kinds, versions, namespaces and what is stored. */
import {
  mostPairs,
  type PlannedProbe,
  planProbes,
} from "../../../../plugin/domain/admission/probe-plan";
import { makePair } from "../../../../plugin/domain/admission/probe";
import type { Facts } from "../../../../plugin/domain/facts/facts";
import type { ValidatingWebhook } from "../../../../plugin/domain/kube/models";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import {
  aDatabase,
  aNamespace,
  anOldConfiguration,
  aNewConfiguration,
  type ConfigurationChanges,
} from "../../../support/builders";
import { factsOf } from "../engine-cluster/scene";

type Lists = Parameters<typeof factsOf>[0];

const name = "probe-1";
const namespaces = ["engine", "shop", "other"].map((one) => aNamespace(one));
const going = { deletionTimestamp: "2026-08-01T10:00:00Z" };

/** The operator's namespace is `engine`; each test says what its webhook has otherwise. */
function facts(changes: ConfigurationChanges = {}, lists: Lists = {}, rest: Partial<Facts> = {}) {
  const webhookConfigurations = [aNewConfiguration(changes)];
  return factsOf({ namespaces, webhookConfigurations, ...lists }, rest);
}

const entry = (changes: ValidatingWebhook): ConfigurationChanges => ({ entry: changes });
const rulesOf = (resources: readonly string[], operations = ["*"]): ConfigurationChanges =>
  entry({
    rules: [
      { apiGroups: [names.group], apiVersions: ["*"], operations, resources: [...resources] },
    ],
  });
const inNamespaces = (...values: readonly string[]): ValidatingWebhook => ({
  namespaceSelector: {
    matchExpressions: [{ key: "kubernetes.io/metadata.name", operator: "In", values: [...values] }],
  },
});
const { edb, eaadb, erc } = names;
const stored = (namespace: string, called: string, metadata = {}): KubeObject =>
  aDatabase(namespace, called, { uid: `uid-${called}`, ...metadata });
const eaadbStored: KubeObject = {
  ...stored("engine", "carts"),
  kind: eaadb.kind,
  apiVersion: `${names.group}/v1`,
};
/** The databases are served in two versions more, one of them no longer. */
const definitions: readonly KubeObject[] = [
  {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${edb.plural}.${names.group}` },
    spec: {
      versions: [
        { name: "v1", served: true },
        { name: names.version, served: true },
        { name: "v0", served: false },
      ],
    },
  },
];

/** `EDB v1alpha1 engine 32 s`, or `EDB v1alpha1 engine/carts 32 s` for a change. */
function lineOf({ pair: { kind, resource, accept }, limitMs }: PlannedProbe): string {
  const known = [edb, eaadb, erc].find((one) => one.kind === kind);
  const { namespace, uid, name: called } = accept.metadata;
  const place = uid === undefined ? namespace : `${String(namespace)}/${String(called)}`;
  return [known?.short, resource.version, place, limitMs / 1_000, "s"].join(" ").toUpperCase();
}

const limit = "32 S";
const both = [`EDB V1ALPHA1 ENGINE ${limit}`, `EAADB V1ALPHA1 ENGINE ${limit}`];
const ofEdb = both.slice(0, 1);

test.each<[string, Facts, readonly string[]]>([
  ["both kinds once, where all namespaces are selected alike", facts(), both],
  ["of databases alone", facts(rulesOf([edb.plural])), ofEdb],
  [
    "of the old entry, whose time limit is its own",
    facts({}, { webhookConfigurations: [anOldConfiguration()] }),
    ["EDB V1ALPHA1 ENGINE 12 S"],
  ],
  [
    "of an entry without a time limit",
    facts(entry({ timeoutSeconds: undefined })),
    both.map((one) => one.replace(limit, "12 S")),
  ],
  ["of remote clusters alone", facts(rulesOf([erc.plural])), [`ERC V1ALPHA1 ENGINE ${limit}`]],
  [
    "rules that have changes alone: no new one can be refused",
    facts(rulesOf([edb.plural], ["UPDATE"]), { edbs: [stored("engine", "a")] }),
    [],
  ],
  [
    "each version that is served, that of the names first",
    facts(rulesOf([edb.plural]), { definitions }),
    [...ofEdb, `EDB V1 ENGINE ${limit}`],
  ],
  [
    "a kind that is not served is not sent",
    facts({}, {}, { unserved: new Set(["eaadbs"]) }),
    ofEdb,
  ],
  [
    "the operator's namespace is not selected: another one is",
    facts(entry(inNamespaces("shop", "other"))),
    both.map((one) => one.replace("ENGINE", "SHOP")),
  ],
  [
    "one that holds databases comes before one that holds none",
    facts(entry(inNamespaces("shop", "other")), { edbs: [stored("other", "a")] }),
    [
      `EDB V1ALPHA1 OTHER ${limit}`,
      `EDB V1ALPHA1 OTHER/A ${limit}`,
      `EAADB V1ALPHA1 OTHER ${limit}`,
    ],
  ],
  [
    "one that is being deleted takes no edit",
    facts(
      {},
      { namespaces: [{ ...aNamespace("engine"), metadata: { name: "engine", ...going } }] },
    ),
    [],
  ],
  [
    "namespaces that may not be read: the operator's",
    facts({}, { namespaces: [] }, { unread: new Map([["namespaces", "forbidden"]]) }),
    both,
  ],
  [
    "each way in which namespaces are selected, with the time limit of the entry that is called",
    facts(rulesOf([edb.plural]), {
      webhookConfigurations: [
        aNewConfiguration({ entry: { ...rulesOf([edb.plural]).entry, ...inNamespaces("engine") } }),
        anOldConfiguration({ entry: inNamespaces("engine", "shop") }),
      ],
    }),
    [`EDB V1ALPHA1 ENGINE ${limit}`, "EDB V1ALPHA1 SHOP 12 S"],
  ],
  [
    "a namespace that another's webhook judges beside it is a way of its own",
    facts(rulesOf([edb.plural]), {
      mutatingConfigurations: [
        {
          ...aNewConfiguration({ entry: { ...inNamespaces("shop"), name: "add.vendor.example" } }),
          kind: "MutatingWebhookConfiguration",
          metadata: { name: "vendor" },
        },
      ],
    }),
    [...ofEdb, `EDB V1ALPHA1 SHOP ${limit}`],
  ],
  [
    "requirements of objects that contradict each other",
    facts(
      entry({
        objectSelector: {
          matchLabels: { a: "b" },
          matchExpressions: [{ key: "a", operator: "NotIn", values: ["b"] }],
        },
      }),
    ),
    [],
  ],
  [
    "a change of one of each kind, after the one that opens",
    facts({}, { edbs: [stored("shop", "a"), stored("engine", "b")], eaadbs: [eaadbStored] }),
    [
      ...ofEdb,
      `EDB V1ALPHA1 ENGINE/B ${limit}`,
      `EAADB V1 ENGINE/CARTS ${limit}`,
      ...both.slice(1),
    ],
  ],
  [
    "no change of one that is being deleted, or was let past the rules",
    facts(rulesOf([edb.plural]), {
      edbs: [
        stored("engine", "a", going),
        stored("engine", "b", { annotations: { [names.annotations.bypass]: "true" } }),
      ],
    }),
    ofEdb,
  ],
  [
    "no change where rules have new objects alone",
    facts(rulesOf([edb.plural], ["CREATE"]), { edbs: [stored("engine", "a")] }),
    ofEdb,
  ],
  [
    "a change of one that is selected by its labels",
    facts(
      { entry: { ...rulesOf([edb.plural]).entry, objectSelector: { matchLabels: { a: "b" } } } },
      { edbs: [stored("engine", "a"), stored("engine", "b", { labels: { a: "b" } })] },
    ),
    [...ofEdb, `EDB V1ALPHA1 ENGINE/B ${limit}`],
  ],
  [
    "no change of a remote cluster",
    facts(rulesOf([erc.plural]), { ercs: [{ ...stored("engine", "here"), kind: erc.kind }] }),
    [`ERC V1ALPHA1 ENGINE ${limit}`],
  ],
])("%s", (_, given, wanted) => {
  const plan = planProbes(given, { name });
  expect(typeof plan === "string" ? [] : plan.probes.map(lineOf)).toEqual(wanted);
});

test.each<[string, Facts, string]>([
  [
    "no configuration",
    facts({}, { webhookConfigurations: [] }),
    "no configuration of this namespace can be probed",
  ],
  [
    "the Service of another operator",
    facts({ namespace: "shop" }),
    "no configuration of this namespace can be probed",
  ],
  [
    "the Service of a namespace that may be there",
    facts({ namespace: "gone" }, {}, { unread: new Map([["namespaces", "forbidden"]]) }),
    "no configuration of this namespace can be probed",
  ],
  [
    "rules without a kind of the product",
    facts(rulesOf(["pods"])),
    "none of the kinds that it matches is served",
  ],
  [
    "kinds that are not served",
    facts({}, {}, { unserved: new Set(["edbs", "eaadbs", "ercs"]) }),
    "none of the kinds that it matches is served",
  ],
  [
    "selectors that no namespace meets",
    facts(entry(inNamespaces("nowhere"))),
    "nothing is selected by its selectors",
  ],
])("nothing can be sent, and it is said why: %s", (_, given, because) => {
  expect(planProbes(given, { name })).toBe(because);
});

test.each<[string, ConfigurationChanges]>([
  ["a namespace that is gone", { namespace: "gone" }],
  ["a URL", entry({ clientConfig: { url: "https://gate.example/admission" } })],
])("an entry that calls %s is tried: it is no one else's", (_, changes) => {
  expect(planProbes(facts(changes), { name })).toMatchObject({
    ours: [names.webhook.entry],
    left: 0,
    unprovable: ["ERC"],
  });
});

test("kinds of which no bad edit is known are named where others are guarded", () => {
  expect(planProbes(facts(rulesOf([edb.plural])), { name })).toHaveProperty("unprovable", []);
  expect(planProbes(facts(rulesOf([erc.plural])), { name })).toHaveProperty("unprovable", []);
});

test("the entries in force give their names, once each", () => {
  const webhookConfigurations = [aNewConfiguration(), anOldConfiguration(), aNewConfiguration()];
  const plan = planProbes(facts({}, { webhookConfigurations }), { name });
  const { entry: ours, oldEntry } = names.webhook;
  expect(plan).toMatchObject({ ours: [ours, oldEntry], entries: [{}, {}, {}] });
});

describe("no more than are wanted", () => {
  const many = Array.from({ length: 8 }, (_, at) => `n${String(at)}`);
  /** Each namespace is selected in a way of its own. */
  const webhookConfigurations = [
    aNewConfiguration(),
    ...many.map((one) => anOldConfiguration({ entry: inNamespaces(one) })),
  ];
  const given = facts(
    {},
    { webhookConfigurations, namespaces: many.map((one) => aNamespace(one)) },
  );

  test.each<[string, { readonly most?: number }, number, number]>([
    ["as usual", {}, mostPairs, 16 - mostPairs],
    ["one", { most: 1 }, 1, 15],
    ["all", { most: Infinity }, 16, 0],
  ])("%s", (_, wanted, count, left) => {
    const plan = planProbes(given, { name, ...wanted });
    expect(plan).toMatchObject({ left });
    expect(typeof plan === "string" ? 0 : plan.probes.length).toBe(count);
  });
});

test("a pair of one's own takes the place of all, whatever is in force", () => {
  const own = makePair(edb, { names, namespace: "shop", name: "own", labels: {} });
  const none = facts({}, { webhookConfigurations: [] });
  expect(planProbes(none, { name, own })).toEqual({
    probes: [{ pair: own, limitMs: 12_000 }],
    ...{ left: 0, unprovable: [], entries: [], ours: [names.webhook.entry] },
  });
});

test("what is sent has the name, and the labels by which it is selected", () => {
  const objectSelector = { matchLabels: { team: "a" } };
  const plan = planProbes(facts(entry({ objectSelector })), { name });
  const sent = typeof plan === "string" ? [] : plan.probes.map(({ pair }) => pair.accept.metadata);
  const metadata = { name, namespace: "engine", labels: { team: "a" } };
  expect(sent).toEqual([metadata, metadata]);
});
