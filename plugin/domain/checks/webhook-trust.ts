/** Whom the webhook entry trusts, and whose edits it judges (S28, S30; domain facts 4.2-4.5). */
import { factNamed } from "../facts";
import type { KubeObject } from "../objects";
import { own } from "../values";
import { type Trust, trustOf } from "../webhook/configuration";
import { selects } from "../kube/selectors";
import { type Check, checksOf, on } from "./check";
import { nameOf, namespaceOf, type Situation } from "./situation";
import { entriesInForce, type EntryInForce } from "./webhook-entries";

const { error, warning } = checksOf("webhook");
const needs = ["webhookConfigurations"] as const;
const fix = "run upgrade-webhook: it writes the certificate of the Secret into it";

const trustIs =
  (trust: Trust, cause: string): Check["judge"] =>
  (situation) =>
    entriesInForce(situation)
      .filter(({ entry }) => trustOf(entry, situation.facts.certificate) === trust)
      .map(({ configuration, field }) =>
        on(configuration, cause, { field: `${field}.clientConfig.caBundle` }),
      );

/** The checks of the CA and of the scope. */
export const webhookTrustChecks: readonly Check[] = [
  error("WEBHOOK-CA-EMPTY", "domain facts 4.3", {
    title: "The webhook entry has a CA",
    cause: "the entry has no CA, and the system's do not trust a self-signed certificate",
    fix,
    needs,
    judge: trustIs("empty", "its caBundle is empty: every call fails"),
  }),
  error("WEBHOOK-CA-ENCODED-TWICE", "domain facts 4.2", {
    title: "The webhook entry's CA is encoded once",
    cause: "the certificate was encoded in base64 again, its value goes into caBundle unchanged",
    fix,
    needs,
    judge: trustIs("encoded-twice", "its caBundle is base64 of base64: every call fails"),
  }),
  error("WEBHOOK-CA-NO-CERTIFICATE", "domain facts 4.5", {
    title: "The webhook entry's CA is a certificate",
    cause: "the entry's CA holds no PEM certificate",
    fix,
    needs,
    judge: trustIs("no-pem", "its caBundle holds no certificate: every call fails"),
  }),
  error("WEBHOOK-CA-STALE", "domain facts 4.5", {
    title: "The webhook entry trusts the certificate of the Secret",
    cause: "the entry's CA is not the certificate of the Secret: calls fail with an x509 error",
    fix,
    needs: [...needs, "webhookSecrets"],
    wants: "certificate",
    judge: trustIs("stale", "its caBundle does not hold the certificate of the Secret"),
  }),
  warning("WEBHOOK-SELECTOR-MISSES", "domain facts 4.4", {
    title: "The webhook judges the databases of every managed namespace",
    cause: "the entry's selector leaves out a namespace with databases: nothing validates them",
    fix: "label the namespace so that it is selected, or widen the selector",
    needs: [...needs, "namespaces", "edbs", "eaadbs", "ecs", "deployments", "configMaps"],
    judge: judgeSelectors,
  }),
  warning("WEBHOOK-SCOPE-SHARED", "domain facts 4.4", {
    title: "The webhook judges this operator's databases alone",
    cause: "other operators are on this cluster, and the entry is not limited to namespaces",
    fix: "limit the entry by a namespaceSelector, each operator with a configuration of its own",
    needs: [...needs, "namespaces", "ecs"],
    judge: judgeScope,
  }),
];

function judgeSelectors(situation: Situation) {
  const { databases, facts } = situation;
  const entries = entriesInForce(situation);
  const [first] = entries;
  if (first === undefined) return [];
  const places = [...new Set(databases.map(({ object }) => namespaceOf(object)))];
  return places
    .map((name) => factNamed(facts, "namespaces", { name }))
    .filter((one) => one !== undefined)
    .filter((namespace) => !entries.some((one) => isSelected(one, namespace)))
    .map((namespace) => on(namespace, `${nameOf(first.configuration)} does not select it`));
}

function judgeScope(situation: Situation) {
  const { namespace, objects } = situation.facts;
  const others = objects.ecs
    .map(({ metadata }) => metadata.namespace)
    .filter((name) => name !== namespace);
  const theirs = objects.namespaces.filter(({ metadata }) => others.includes(metadata.name));
  return entriesInForce(situation).flatMap((one) => {
    const judged = theirs.filter((place) => isSelected(one, place));
    if (judged.length === 0) return [];
    const shown = judged.map(nameOf).join(", ");
    return [
      on(one.configuration, `it also judges the databases of ${shown}`, { field: one.field }),
    ];
  });
}

function isSelected({ entry }: EntryInForce, namespace: KubeObject): boolean {
  return selects(own(entry, "namespaceSelector"), {
    "kubernetes.io/metadata.name": nameOf(namespace),
    ...namespace.metadata.labels,
  });
}
