/** The webhook configuration: whole, today's, and calling what is there (S24-S30; domain facts 4). */
import { factNamed } from "../../domain/facts/facts";
import type { ValidatingWebhook, ValidatingWebhookConfiguration } from "../../domain/kube/models";
import { readName } from "../../domain/kube/objects";
import { distinct } from "../../domain/base/findings";
import { oncePer } from "../../domain/base/values";
import { webhookFindings } from "../../domain/admission/findings";
import {
  isOthers,
  readServiceName,
  readServiceNamespace,
  hasOlmPair,
  readCaBundle,
  listCandidates,
  entriesInForce as inForce,
  type EntryInForce,
  entryNames,
  findEntry,
  matchesResource,
  listRuleVersions,
  withMatchingRules,
  type Trust,
  compareTrust,
  fieldOf,
} from "../../domain/admission/configuration";
import { describeConsequence, listPolicies } from "../../domain/admission/consequence";
import { type Check, makeChecks, type CheckResult, on } from "../../domain/checks/check";
import { findGoal, type CheckContext } from "../../domain/checks/context";
import { readCallable, judgeOthers, listJudging } from "../../domain/admission/others";
import { fixByOwner, fixCaByOwner } from "../../domain/admission/owned";
import { findInjector, judgeInjection } from "../../domain/admission/injector";
import {
  deletionOfOthers,
  readCalled,
  judgeWays,
  type Way,
  wayFacts,
} from "../../domain/admission/way";
import { type SwapPlan, planSwap } from "./plan";
import { judgeScope, judgeSelectors } from "./scope-checks";

const { error, shared, warning } = makeChecks("webhook");
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
      (planFromFacts(situation)?.findings ?? [])
        .filter(({ code }) => code === entry.code)
        .map((finding) => ({ ...finding, ...(severity && { severity }) })),
  });
};

/** One judgment for all checks of the way. */
const listWays = oncePer((situation: CheckContext): readonly Way[] => {
  const { facts, names, target } = situation;
  const wanted = readCalled(target.webhook, names);
  return judgeWays(listConfigurations(situation), wayFacts(facts), wanted);
});

type WayFact = Check["needs"][number];

/** What is broken on the way from the API server to the container. */
const fromWay = (what: Code, title: string, lists: readonly WayFact[] = []): Check =>
  shared(webhookFindings[what], {
    title,
    needs: [...needs, ...lists],
    judge: (situation) =>
      distinct(
        listWays(situation).flatMap(({ findings, doubts = [] }) => [...findings, ...doubts]),
      ).filter(({ code }) => code === webhookFindings[what].code),
  });

/** Configurations that are not the product's, and judge its databases. */
const fromOthers = (what: "leftover" | "selectsNoNamespace", title: string): Check =>
  shared(webhookFindings[what], {
    title,
    needs: [...needs, "namespaces"],
    judge: ({ facts }) =>
      judgeOthers(listJudging(facts), readCallable(facts)).filter(
        ({ code }) => code === webhookFindings[what].code,
      ),
  });

/** One by which no call is answered has a finding of its own. */
const carriesEntry = fromPlan("otherConfiguration", "No other configuration carries the entry");
const otherConfigurations: Check = {
  ...carriesEntry,
  judge: (situation) => {
    const told = [
      ...listWays(situation).flatMap(({ findings }) => findings),
      ...judgeTrust(situation),
    ].map(({ object }) => object);
    return carriesEntry.judge(situation).filter(({ object }) => !told.includes(object));
  },
};

const server: readonly WayFact[] = ["services", "endpointSlices"];
const behind: readonly WayFact[] = [...server, "pods", "deployments"];

/** The checks of the configuration. */
export const webhookChecks: readonly Check[] = [
  shared(webhookFindings.absent, {
    title: "An admission webhook validates databases",
    needs,
    judge: (situation) =>
      listConfigurations(situation).length === 0
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
      const current = findCurrent(situation);
      const beside = "it checks every edit a second time";
      return [
        ...(old === undefined
          ? []
          : [on(old, current ? beside : "it is the only one", fixByOwner(old, facts))]),
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
      const current = findCurrent(situation);
      const { entry } = situation.names.webhook;
      if (current === undefined || findEntry(current, entry) !== undefined) return [];
      const held = entryNames(current).join(", ");
      const cause = `it has no entry ${entry}, it has: ${held === "" ? "none" : held}`;
      return [on(current, cause, fixByOwner(current, situation.facts))];
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
  fromWay("strangerPod", "The Service selects only the webhook's pods", behind),
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
      const plan = planFromFacts(situation);
      const fields = (plan?.differences ?? []).filter((field) => !hasOwnCheck(field));
      return plan?.live === undefined || fields.length === 0
        ? []
        : [
            on(
              plan.live,
              `it differs at ${fields.join(", ")}`,
              fixByOwner(plan.live, situation.facts),
            ),
          ];
    },
  }),
  fromPlan("failurePolicy", "The failure policy is the template's"),
  fromPlan("kept", "The configuration has no selector of its own"),
  fromPlan("otherNamespace", "The configuration serves this operator"),
  otherConfigurations,
  fromOthers("leftover", "No configuration of others refuses every edit"),
  fromOthers("selectsNoNamespace", "Configurations of others select a namespace"),
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
function oldEntriesIn(
  current: ValidatingWebhookConfiguration,
  situation: CheckContext,
): readonly CheckResult[] {
  const { entry: ours, oldEntry } = situation.names.webhook;
  const beside = findEntry(current, ours) !== undefined;
  const consequence = beside ? "it checks every edit a second time" : `${ours} takes its place`;
  return entriesInForce(situation)
    .filter((one) => one.configuration === current && one.entry.name === oldEntry)
    .map(({ field }) =>
      on(current, `its entry ${oldEntry} is of releases before 6.4.2: ${consequence}`, {
        field,
        ...fixByOwner(current, situation.facts),
      }),
    );
}

function judgeRules(situation: CheckContext): readonly CheckResult[] {
  const { names, target } = situation;
  const current = findCurrent(situation);
  const [found, wanted] = [current, target.webhook].map((one) =>
    findEntry(one, names.webhook.entry),
  );
  if (current === undefined || found === undefined) return [];
  const live = withMatchingRules(found, listRuleVersions(wanted));
  const missing = [names.edb, names.eaadb, names.erc].flatMap(({ plural }) =>
    ["CREATE", "UPDATE"]
      .map((operation) => ({ group: names.group, plural, operation }))
      .filter((one) => matchesResource(wanted, one) && !matchesResource(live, one))
      .map(({ operation }) => `${operation} ${plural}`),
  );
  return missing.length === 0
    ? []
    : [
        on(current, `not validated: ${missing.join(", ")}`, {
          field: `${fieldOf(found)}.rules`,
          ...fixByOwner(current, situation.facts),
        }),
      ];
}

/** What keeps API servers from verifying the webhook by an entry's CA. */
const distrusts: Readonly<Record<Exclude<Trust, "fit">, string>> = {
  empty: "its caBundle is empty",
  "encoded-twice": "its caBundle is base64 of base64",
  "no-pem": "its caBundle holds no certificate",
  stale: "its caBundle holds neither the certificate of the Secret nor a valid CA that issued it",
};

function judgeTrust(situation: CheckContext): readonly CheckResult[] {
  return (
    entriesInForce(situation)
      // WEBHOOK-CA-INJECTED covers what an injector writes; OLM serves with a pair of its own
      .filter(({ configuration }) => findInjector(configuration) === undefined)
      .filter(({ configuration }) => !hasOlmPair(configuration, situation.facts))
      // of others only those that call this namespace have to trust its certificate
      .filter(
        ({ configuration, entry }) =>
          !isOthers(configuration, situation.names) ||
          readServiceNamespace(entry) === situation.facts.namespace,
      )
      // a call of what is not there is WEBHOOK-LEFTOVER, whatever it trusts
      .filter(
        ({ configuration, entry }) =>
          !isOthers(configuration, situation.names) || !callsNothing(entry, situation.facts),
      )
      .flatMap(({ configuration, entry, field }) => {
        const trust = compareTrust(entry, situation.facts.certificate);
        if (trust === "fit") return [];
        const place = `${field}.clientConfig.caBundle`;
        const about = {
          field: place,
          ...deletionOfOthers({ configuration }, situation.facts),
          ...fixCaByOwner(configuration, situation.facts),
        };
        const consequence = describeConsequence(listPolicies([entry]));
        return [on(configuration, `${distrusts[trust]}: ${consequence}`, about)];
      })
  );
}

/** True for an entry whose Service was looked for, and is not there. */
function callsNothing(entry: ValidatingWebhook, facts: CheckContext["facts"]): boolean {
  const { namespace, unread } = facts;
  const name = String(readServiceName(entry));
  return !unread.has("services") && factNamed(facts, "services", { name, namespace }) === undefined;
}

/** The checks of the CA and of the scope. */
export const webhookTrustChecks: readonly Check[] = [
  shared(webhookFindings.staleCa, {
    title: "The webhook entry trusts the certificate of the Secret",
    needs,
    // only the last of the four causes is seen by the Secret
    may: ["webhookSecrets"],
    wants: "certificate",
    judge: judgeTrust,
  }),
  shared(webhookFindings.injectedOther, {
    title: "No injector writes another CA into the webhook entry",
    needs: [...needs, "webhookSecrets"],
    wants: "certificate",
    judge: (situation) =>
      listConfigurations(situation).flatMap((one) =>
        judgeInjection(
          one,
          entriesInForce(situation).filter(({ configuration }) => configuration === one),
          situation.facts.certificate,
        ),
      ),
  }),
  warning("WEBHOOK-SELECTOR-MISSES", "Facts 4.4", {
    title: "The webhook checks the databases of every managed namespace",
    cause: "the entry's selector leaves out a namespace with databases: nothing validates them",
    fix: "label the namespace so that it is selected, or widen the selector",
    needs: [...needs, "namespaces", "edbs", "eaadbs", "ecs", "deployments", "configMaps"],
    judge: (situation) => judgeSelectors(situation, entriesInForce(situation)),
  }),
  warning("WEBHOOK-SCOPE-SHARED", "Facts 4.4", {
    title: "The webhook checks only this operator's databases",
    cause: "other operators are on this cluster, and the entry is not limited to namespaces",
    fix: "limit the entry by a namespaceSelector, each operator with a configuration of its own",
    needs: [...needs, "namespaces", "ecs"],
    judge: (situation) => judgeScope(situation, entriesInForce(situation)),
  }),
];

/** The configurations that are meant: by name or by entry. */
function listConfigurations({
  facts,
  names,
}: CheckContext): readonly ValidatingWebhookConfiguration[] {
  return listCandidates(facts.objects.webhookConfigurations, names);
}

/** The configuration of the name of today. */
export function findCurrent({
  facts,
  names,
}: CheckContext): ValidatingWebhookConfiguration | undefined {
  return factNamed(facts, "webhookConfigurations", { name: names.webhook.configuration });
}

/** Every entry of the product's, old and new, and what people added for its Service. */
function entriesInForce(situation: CheckContext): readonly EntryInForce[] {
  const { facts, names } = situation;
  const service = { namespace: facts.namespace, name: names.webhook.service };
  return listConfigurations(situation).flatMap((one) => inForce(one, service, names));
}

/** What the swap would plan; undefined without a template. The CA that is there counts where none is known. */
export function planFromFacts(situation: CheckContext): SwapPlan | undefined {
  const { facts, names, target } = situation;
  if (target.webhook === undefined) return undefined;
  const live = findEntry(findCurrent(situation), names.webhook.entry);
  return planSwap({
    namespace: facts.namespace,
    template: target.webhook,
    configurations: facts.objects.webhookConfigurations,
    caBundle: facts.certificate?.caBundle ?? readCaBundle(live),
    certificate: facts.certificate,
    left: facts.left,
    services: readCallable(facts).services,
    goneServices: facts.goneServices,
    namespaces: facts.objects.namespaces,
    livingNamespaces: facts.objects.namespaces.map(readName),
    takeTemplateSelectors: false,
    takeTemplateRules: false,
    shippedFor: target.shippedWebhook === true ? findGoal(situation)?.tag : undefined,
    names,
  });
}
