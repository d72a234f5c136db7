/** The webhook configuration: whole, today's, and calling what is there (S24-S30; domain facts 4). */
import { factNamed } from "../../domain/facts/facts";
import { type KubeObject, nameOf, namespaceOf } from "../../domain/kube/objects";
import { distinct } from "../../domain/base/findings";
import { getOwn, oncePer } from "../../domain/base/values";
import { webhookFindings } from "../../domain/admission/findings";
import {
  caBundleOf,
  candidatesOf,
  entriesInForce as inForce,
  type EntryInForce,
  entryNames,
  entryOf,
  matchesResource,
  type Trust,
  trustOf,
} from "../../domain/admission/configuration";
import { type Check, checksOf, type CheckResult, on } from "../../domain/checks/check";
import { goalOf, type CheckContext } from "../../domain/checks/context";
import { selects } from "../../domain/kube/selectors";
import { injectorOf, judgeInjection } from "../../domain/admission/injector";
import { calledBy, judgeWays, type Way, wayFacts } from "../../domain/admission/way";
import { type SwapPlan, planSwap } from "./plan";

const { error, shared, warning } = checksOf("webhook");
const needs = ["webhookConfigurations"] as const;
const planned = ["webhookConfigurations", "namespaces", "webhookSecrets"] as const;

type Code = keyof typeof webhookFindings;

/** What the plan of a swap says too. */
const fromPlan = (what: Code, title: string, severity?: "warning"): Check => {
  const entry = { ...webhookFindings[what], ...(severity && { severity }) };
  return shared(entry, {
    title,
    needs: planned,
    wants: "webhook",
    judge: (situation) =>
      (planOf(situation)?.findings ?? [])
        .filter(({ code }) => code === entry.code)
        .map((finding) => ({ ...finding, ...(severity && { severity }) })),
  });
};

/** One judgment for all checks of the way. */
const waysOf = oncePer((situation: CheckContext): readonly Way[] => {
  const { facts, names, target } = situation;
  const wanted = calledBy(target.webhook, names);
  return judgeWays(configurationsOf(situation), wayFacts(facts), wanted);
});

type WayFact = Check["needs"][number];

/** What is broken on the way from the API server to the container. */
const fromWay = (what: Code, title: string, lists: readonly WayFact[] = []): Check =>
  shared(webhookFindings[what], {
    title,
    needs: [...needs, ...lists],
    judge: (situation) =>
      distinct(waysOf(situation).flatMap(({ findings }) => findings)).filter(
        ({ code }) => code === webhookFindings[what].code,
      ),
  });
const server: readonly WayFact[] = ["services", "endpointSlices"];
const behind: readonly WayFact[] = [...server, "pods", "deployments"];

/** The checks of the configuration. */
export const webhookChecks: readonly Check[] = [
  shared(webhookFindings.absent, {
    title: "An admission webhook validates databases",
    needs,
    judge: (situation) =>
      configurationsOf(situation).length === 0
        ? [
            {
              object: `ValidatingWebhookConfiguration/${situation.names.webhook.configuration}`,
              cause: "neither the new nor the old configuration exists: nothing is validated",
            },
          ]
        : [],
  }),
  warning("WEBHOOK-OLD", "S25", {
    title: "The old configuration is gone, and its entry too",
    cause: "the configuration of releases before 6.4.2, or its entry, is still there",
    fix: "run upgrade-webhook: it deletes the old one when the new one is proven",
    needs,
    judge: (situation) => {
      const { facts, names } = situation;
      const name = names.webhook.oldConfiguration;
      const old = factNamed(facts, "webhookConfigurations", { name });
      const current = currentOf(situation);
      const beside = "it judges every edit a second time";
      return [
        ...(old === undefined ? [] : [on(old, current ? beside : "it is the only one")]),
        ...(current === undefined ? [] : oldEntriesIn(current, situation)),
      ];
    },
  }),
  fromPlan("oldHasOthers", "The old configuration holds nothing of others"),
  error("WEBHOOK-ENTRY-ABSENT", "S30", {
    title: "The configuration has its entry",
    cause: "the configuration does not have the one entry that the procedure names",
    fix: "run upgrade-webhook: it writes the whole configuration",
    needs,
    judge: (situation) => {
      const current = currentOf(situation);
      const { entry } = situation.names.webhook;
      if (current === undefined || entryOf(current, entry) !== undefined) return [];
      const held = entryNames(current).join(", ");
      return [on(current, `it has no entry ${entry}, it has: ${held === "" ? "none" : held}`)];
    },
  }),
  fromWay("placeholder", "No placeholder was left in the configuration"),
  fromWay("namespaceGone", "The configuration calls a namespace that exists", ["namespaces"]),
  fromWay("callsOther", "The entry calls what is there", ["services"]),
  fromWay("serviceMissing", "The Service that the webhook calls exists", ["services"]),
  fromWay("servicePort", "The Service has the port that the webhook calls", ["services"]),
  fromWay("selectsNothing", "The selector of the Service finds pods", behind),
  fromWay("noPods", "What the Service selects has pods", behind),
  fromWay("podsNotReady", "A pod behind the Service is ready", behind),
  fromWay("noEndpoints", "The Service that the webhook calls has a ready endpoint", server),
  fromWay("strangerPod", "The Service selects the webhook's pods alone", behind),
  fromWay("targetPort", "The Service sends to the port on which the webhook listens", behind),
  fromWay("networkClosed", "No NetworkPolicy closes the webhook's port", [
    ...behind,
    "networkPolicies",
  ]),
  warning("WEBHOOK-RULES-BEHIND", "Facts 4.1", {
    title: "The configuration matches every kind that the template does",
    cause: "edits of some kinds are not validated: the entry is of an older release",
    fix: "run upgrade-webhook",
    needs,
    wants: "webhook",
    judge: judgeRules,
  }),
  warning("WEBHOOK-DIFFERS", "Facts 4.1", {
    title: "The configuration is as the template has it",
    cause: "fields of the configuration differ from the template's",
    fix: "run upgrade-webhook, or diff upgrade-webhook to see what it would change",
    needs: planned,
    wants: "webhook",
    judge: (situation) => {
      const plan = planOf(situation);
      const fields = (plan?.differences ?? []).filter((field) => !hasOwnCheck(field));
      return plan?.live === undefined || fields.length === 0
        ? []
        : [on(plan.live, `it differs at ${fields.join(", ")}`)];
    },
  }),
  fromPlan("failurePolicy", "The failure policy is the template's"),
  fromPlan("kept", "The configuration has no selector of its own"),
  fromPlan("otherNamespace", "The configuration serves this operator"),
  fromPlan("otherConfiguration", "No other configuration carries the entry"),
  {
    ...fromPlan("templateOlder", "The template is known for the operator's release"),
    needs: [...planned, "deployments"],
  },
  // the owner's own upgrade brings it; only upgrade-webhook has to refuse
  fromPlan("owned", "Nobody else writes the configuration", "warning"),
];

/** Fields that a check of their own tells of, or the one on the namespace that is served. */
function hasOwnCheck(field: string): boolean {
  return /\.(caBundle|service|rules|failurePolicy)$|\]$/.test(field) && !/^metadata/.test(field);
}

/** The old entry, moved into the configuration of today. */
function oldEntriesIn(current: KubeObject, situation: CheckContext): readonly CheckResult[] {
  const { entry: ours, oldEntry } = situation.names.webhook;
  const beside = entryOf(current, ours) !== undefined;
  const consequence = beside ? "it judges every edit a second time" : `${ours} takes its place`;
  return entriesInForce(situation)
    .filter((one) => one.configuration === current && getOwn(one.entry, "name") === oldEntry)
    .map(({ field }) =>
      on(current, `its entry ${oldEntry} is of releases before 6.4.2: ${consequence}`, { field }),
    );
}

function judgeRules(situation: CheckContext): readonly CheckResult[] {
  const { names, target } = situation;
  const current: KubeObject | undefined = currentOf(situation);
  const [live, wanted] = [current, target.webhook].map((one) => entryOf(one, names.webhook.entry));
  if (current === undefined || live === undefined) return [];
  const missing = [names.edb, names.eaadb, names.erc].flatMap(({ plural }) =>
    ["CREATE", "UPDATE"]
      .map((operation) => ({ group: names.group, plural, operation }))
      .filter((one) => matchesResource(wanted, one) && !matchesResource(live, one))
      .map(({ operation }) => `${operation} ${plural}`),
  );
  return missing.length === 0
    ? []
    : [on(current, `not validated: ${missing.join(", ")}`, { field: "webhooks[0].rules" })];
}

/** What keeps API servers from verifying the webhook by an entry's CA. */
const distrusts: Readonly<Record<Exclude<Trust, "fit">, string>> = {
  empty: "its caBundle is empty: every call fails",
  "encoded-twice": "its caBundle is base64 of base64: every call fails",
  "no-pem": "its caBundle holds no certificate: every call fails",
  stale: "its caBundle holds neither the certificate of the Secret nor the CA that issued it",
};

function judgeTrust(situation: CheckContext): readonly CheckResult[] {
  return (
    entriesInForce(situation)
      // WEBHOOK-CA-INJECTED covers what an injector writes
      .filter(({ configuration }) => injectorOf(configuration) === undefined)
      .flatMap(({ configuration, entry, field }) => {
        const trust = trustOf(entry, situation.facts.certificate);
        if (trust === "fit") return [];
        return [on(configuration, distrusts[trust], { field: `${field}.clientConfig.caBundle` })];
      })
  );
}

/** The checks of the CA and of the scope. */
export const webhookTrustChecks: readonly Check[] = [
  shared(webhookFindings.staleCa, {
    title: "The webhook entry trusts the certificate of the Secret",
    needs: [...needs, "webhookSecrets"],
    wants: "certificate",
    // only the last of the four causes is seen by the Secret
    partial: true,
    judge: judgeTrust,
  }),
  shared(webhookFindings.injectedOther, {
    title: "No injector writes another CA into the webhook entry",
    needs: [...needs, "webhookSecrets"],
    wants: "certificate",
    judge: (situation) =>
      configurationsOf(situation).flatMap((one) =>
        judgeInjection(
          one,
          entriesInForce(situation).filter(({ configuration }) => configuration === one),
          situation.facts.certificate,
        ),
      ),
  }),
  warning("WEBHOOK-SELECTOR-MISSES", "Facts 4.4", {
    title: "The webhook judges the databases of every managed namespace",
    cause: "the entry's selector leaves out a namespace with databases: nothing validates them",
    fix: "label the namespace so that it is selected, or widen the selector",
    needs: [...needs, "namespaces", "edbs", "eaadbs", "ecs", "deployments", "configMaps"],
    judge: judgeSelectors,
  }),
  warning("WEBHOOK-SCOPE-SHARED", "Facts 4.4", {
    title: "The webhook judges this operator's databases alone",
    cause: "other operators are on this cluster, and the entry is not limited to namespaces",
    fix: "limit the entry by a namespaceSelector, each operator with a configuration of its own",
    needs: [...needs, "namespaces", "ecs"],
    judge: judgeScope,
  }),
];

function judgeSelectors(situation: CheckContext) {
  const { databases, facts, names } = situation;
  // what a person added may match some kinds alone: it takes the place of none of the product's
  const { entry: current, oldEntry } = names.webhook;
  const entries = entriesInForce(situation).filter(({ entry }) =>
    [current, oldEntry].some((name) => name === getOwn(entry, "name")),
  );
  const [first] = entries;
  if (first === undefined) return [];
  const places = [...new Set(databases.map(({ object }) => namespaceOf(object)))];
  return places
    .map((name) => factNamed(facts, "namespaces", { name }))
    .filter((one) => one !== undefined)
    .filter((namespace) => !entries.some((one) => isSelected(one, namespace)))
    .map((namespace) => on(namespace, `${nameOf(first.configuration)} does not select it`));
}

function judgeScope(situation: CheckContext) {
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
  return selects(getOwn(entry, "namespaceSelector"), {
    "kubernetes.io/metadata.name": nameOf(namespace),
    ...namespace.metadata.labels,
  });
}

/** The configurations that are meant: by name or by entry. */
function configurationsOf({ facts, names }: CheckContext): readonly KubeObject[] {
  return candidatesOf(facts.objects.webhookConfigurations, names);
}

/** The configuration of the name of today. */
export function currentOf({ facts, names }: CheckContext): KubeObject | undefined {
  return factNamed(facts, "webhookConfigurations", { name: names.webhook.configuration });
}

/** Every entry of the product's, old and new, and what people added for its Service. */
function entriesInForce(situation: CheckContext): readonly EntryInForce[] {
  const { facts, names } = situation;
  const service = { namespace: facts.namespace, name: names.webhook.service };
  return configurationsOf(situation).flatMap((one) => inForce(one, service, names));
}

/** What the swap would plan; undefined without a template. The CA that is there counts where none is known. */
export function planOf(situation: CheckContext): SwapPlan | undefined {
  const { facts, names, target } = situation;
  if (target.webhook === undefined) return undefined;
  const live = entryOf(currentOf(situation), names.webhook.entry);
  return planSwap({
    namespace: facts.namespace,
    template: target.webhook,
    configurations: facts.objects.webhookConfigurations,
    caBundle: facts.certificate?.caBundle ?? caBundleOf(live),
    certificate: facts.certificate,
    livingNamespaces: facts.objects.namespaces.map(nameOf),
    takeTemplateSelectors: false,
    takeTemplateRules: false,
    shippedFor: target.shippedWebhook === true ? goalOf(situation)?.tag : undefined,
    names,
  });
}
