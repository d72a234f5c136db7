/** What persons have made of a cluster: a command cannot know it before it has read it. */
import { defaultNames as names } from "../../plugin/domain/names/names";
import { type KubeObject, objectLabel } from "../../plugin/domain/kube/objects";
import { exampleDefinitions } from "../../plugin/simulator/example";
import {
  aBinding,
  aConstraint,
  account,
  anEc,
  aRole,
  namespaces,
  ns,
  other,
  scc,
  useOf,
  user,
} from "../plugin/commands/unbind-scc/objects";
import { aNewConfiguration } from "./builders";
import { findLine } from "../../plugin/domain/rbac/lines";
import type { Start, Words } from "./starts";

const namespace = names.operator.namespace;

type Row = Start & { readonly words: Words };

const rbacGroup = "rbac.authorization.k8s.io";
const { consumerBinding } = names.rbac;
const alsoIn =
  (...added: readonly KubeObject[]) =>
  (example: readonly KubeObject[]) => [
    ...example.filter((one) => !added.some((it) => objectLabel(it) === objectLabel(one))),
    ...added,
  ];
const operators = [{ kind: "ServiceAccount", name: names.operator.serviceAccount, namespace }];
const personsRole = aRole("shop-databases", [
  { apiGroups: [""], resources: ["secrets"], verbs: ["get"] },
]);
const oldRules = findLine("7.22.0-7", names)?.rules ?? [];
const personsBinding = aBinding(
  consumerBinding,
  { kind: "ClusterRole", name: "shop-databases" },
  { namespace: "shop", subjects: operators },
);
const personsLocalRole = aRole(
  "stores",
  [{ apiGroups: [""], resources: ["secrets"], verbs: ["get"] }],
  "shop",
);
const { webhooks = [], ...newConfiguration } = aNewConfiguration();
const [ownEntry] = webhooks as readonly object[];
const selected = (name: string) => ({
  namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": name } },
});
const entryFor = (plural: string) => ({
  ...ownEntry,
  name: `${plural}.shop.example`,
  rules: [
    {
      apiGroups: [names.group],
      apiVersions: [names.version],
      operations: ["CREATE", "UPDATE"],
      resources: [plural],
    },
  ],
});
const configurationOf = (...entries: readonly object[]): KubeObject => ({
  ...newConfiguration,
  webhooks: entries,
});
const swapWords: Words = () => ["upgrade-webhook"];
const rbacWords: Words = ({ release }) => ["reapply-rbac", "--release", release];
const sccName = "shop-engine";
const sccRow = (rule: object): Row => ({
  words: () => ["unbind-scc", "--scc", scc],
  objects: () => [
    ...exampleDefinitions(names),
    ...namespaces,
    anEc(ns),
    aConstraint(scc, { users: [user(ns)] }),
    aRole(sccName, [rule]),
    aBinding(
      sccName,
      { kind: "ClusterRole", name: sccName },
      { subjects: [account(other), account(ns)] },
    ),
  ],
});

/** Command lines, each with such a cluster. */
export const persons: Readonly<Record<string, Row>> = {
  "upgrade-webhook, proven in another namespace": {
    words: swapWords,
    objects: alsoIn(configurationOf({ ...ownEntry, ...selected("shop") })),
  },
  "upgrade-webhook, with an entry for another kind": {
    words: swapWords,
    objects: alsoIn(configurationOf({ ...ownEntry }, entryFor(names.erc.plural))),
  },
  "upgrade-webhook, with an entry for another namespace": {
    words: swapWords,
    objects: alsoIn(
      configurationOf({ ...ownEntry }, { ...entryFor(names.eaadb.plural), ...selected("shop") }),
    ),
  },
  "reapply-rbac, a binding to a person's ClusterRole": {
    words: rbacWords,
    objects: alsoIn(personsRole, personsBinding),
  },
  "reapply-rbac, a binding to a person's Role": {
    words: rbacWords,
    objects: alsoIn(personsLocalRole, {
      ...personsBinding,
      roleRef: { apiGroup: rbacGroup, kind: "Role", name: "stores" },
    }),
  },
  "reapply-rbac --prune, a binding to a person's ClusterRole": {
    words: ({ release }) => ["reapply-rbac", "--release", release, "--prune"],
    objects: alsoIn(personsRole, personsBinding),
  },
  "upgrade, proven elsewhere, a binding to a person's ClusterRole": {
    words: ({ release }) => ["upgrade", "--release", release],
    objects: alsoIn(
      configurationOf({ ...ownEntry, ...selected("shop") }),
      ...[personsRole, personsBinding],
    ),
  },
  "upgrade --only webhook,rbac,scc, all of these": {
    words: ({ release }) => ["upgrade", "--release", release, "--only", "webhook,rbac,scc"],
    objects: alsoIn(
      configurationOf({ ...ownEntry }, { ...entryFor(names.eaadb.plural), ...selected("shop") }),
      ...[personsRole, personsBinding],
    ),
  },
};

/** Rights that make an administrator are never asked for without a name: these take a round more. */
export const twice: Readonly<Record<string, Row>> = {
  "unbind-scc, a binding to a person's ClusterRole": sccRow(useOf(scc)),
  "reapply-rbac, a person's ClusterRole that gives the access": {
    words: ({ release }) => ["reapply-rbac", "--release", release],
    objects: alsoIn(
      aRole("shop-databases", oldRules),
      ...["shop", "reports"].map((namespace) => ({
        ...personsBinding,
        metadata: { ...personsBinding.metadata, namespace },
      })),
    ),
  },
};
