/** The webhook configuration: whole, today's, and calling what is there (S24-S30; domain facts 4). */
import { factNamed } from "../facts";
import type { KubeObject } from "../objects";
import { leftovers } from "../names";
import { at, list, own, shown } from "../values";
import { webhookFindings } from "../webhook/codes";
import {
  entryNames,
  entryOf,
  matchesResource,
  serviceNameOf,
  serviceNamespaceOf,
} from "../webhook/configuration";
import { judgeServer, serverOf } from "../webhook/readiness";
import { type Check, checksOf, type Found, on } from "./check";
import { nameOf, type Situation } from "./situation";
import { configurationsOf, currentOf, entriesInForce, planOf } from "./webhook-entries";

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

/** What the Service behind an entry of this namespace lacks. */
const fromServer = (what: Code, title: string): Check =>
  shared(webhookFindings[what], {
    title,
    needs: [...needs, "services", "endpointSlices"],
    judge: (situation) =>
      servicesCalled(situation)
        .flatMap((name) => judgeServer(serverOf(situation.facts, name), situation.names))
        .filter(({ code }) => code === webhookFindings[what].code),
  });

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
    title: "The old configuration is gone",
    cause: "the configuration of releases before 6.4.2 is still there",
    fix: "run upgrade-webhook: it deletes the old one when the new one is proven",
    needs,
    judge: (situation) => {
      const { facts, names } = situation;
      const name = names.webhook.oldConfiguration;
      const old = factNamed(facts, "webhookConfigurations", { name });
      const beside = currentOf(situation) !== undefined;
      return old === undefined
        ? []
        : [on(old, beside ? "it judges every edit a second time" : "it is the only one")];
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
  error("WEBHOOK-PLACEHOLDER", "S29", {
    title: "No placeholder was left in the configuration",
    cause: "a placeholder of the template was left in the configuration: every edit is refused",
    fix: "run upgrade-webhook: it fills in the namespace and the CA",
    needs,
    judge: (situation) =>
      entriesInForce(situation).flatMap(({ configuration, entry, field }) =>
        leftovers(entry, situation.names).map((token) =>
          on(configuration, `${token} is left in it`, { field }),
        ),
      ),
  }),
  error("WEBHOOK-NAMESPACE-GONE", "domain facts 4.5", {
    title: "The configuration calls a namespace that exists",
    cause: "the entry calls a Service in a namespace that does not exist: every edit is refused",
    fix: "run upgrade-webhook with the operator's namespace",
    needs: [...needs, "namespaces"],
    judge: (situation) =>
      entriesInForce(situation).flatMap(({ configuration, entry, field }) => {
        const namespace = serviceNamespaceOf(entry);
        const { facts, names } = situation;
        // of a placeholder its own check tells
        if (namespace === undefined || leftovers(namespace, names).length > 0) return [];
        if (factNamed(facts, "namespaces", { name: namespace }) !== undefined) return [];
        return [on(configuration, `namespace ${namespace} does not exist`, { field })];
      }),
  }),
  fromServer("serviceMissing", "The Service that the webhook calls exists"),
  fromServer("noEndpoints", "The Service that the webhook calls has a ready endpoint"),
  error("WEBHOOK-SERVICE-PORT", "domain facts 4.1", {
    title: "The Service has the port that the webhook calls",
    cause: "the Service does not have the port that the entry calls: every edit is refused",
    fix: "give the Service the port 443 again, as the bundle has it",
    needs: [...needs, "services"],
    judge: (situation) =>
      ownEntries(situation).flatMap(({ entry, configuration }) => {
        const name = String(serviceNameOf(entry));
        const service = factNamed(situation.facts, "services", { name });
        const port = at(entry, ["clientConfig", "service", "port"]) ?? 443;
        const ports = list(at(service, ["spec", "ports"])).map((one) => own(one, "port"));
        if (service === undefined || ports.includes(port)) return [];
        return [
          on(
            service,
            `${nameOf(configuration)} calls port ${shown(port)}, it has ${ports.join(", ")}`,
          ),
        ];
      }),
  }),
  warning("WEBHOOK-RULES-BEHIND", "domain facts 4.1", {
    title: "The configuration matches every kind that the template does",
    cause: "edits of some kinds are not validated: the entry is of an older release",
    fix: "run upgrade-webhook",
    needs,
    wants: "webhook",
    judge: judgeRules,
  }),
  warning("WEBHOOK-DIFFERS", "domain facts 4.1", {
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

function ownEntries(situation: Situation) {
  const { namespace } = situation.facts;
  return entriesInForce(situation).filter(({ entry }) => serviceNamespaceOf(entry) === namespace);
}

function servicesCalled(situation: Situation): readonly string[] {
  const called = ownEntries(situation).map(({ entry }) => String(serviceNameOf(entry)));
  return [...new Set(called)];
}

function judgeRules(situation: Situation): readonly Found[] {
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
