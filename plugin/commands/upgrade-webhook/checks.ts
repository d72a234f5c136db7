/** The webhook configuration: whole, today's, and calling what is there (S24-S30; domain facts 4). */
import type { Found } from "../../domain/diagnosis/symptom";
import { byTool } from "../../domain/base/remedy";
import { factNamed } from "../../domain/facts/facts";
import type { ValidatingWebhookConfiguration } from "../../domain/kube/models";
import { readName } from "../../domain/kube/objects";
import { webhookFindings } from "../../domain/admission/findings";
import { findEntry, readCaBundle } from "../../domain/admission/configuration";
import { type Check, makeChecks, on } from "../../domain/checks/check";
import { findGoal, type CheckContext } from "../../domain/checks/context";
import { readCallable } from "../../domain/admission/others";
import { fixByOwner } from "../../domain/admission/owned";
import {
  admissionSymptoms as rows,
  findCurrent,
  judgeTrust,
  listInForce,
  listWays,
  probeSymptoms,
  serverList,
} from "../../domain/admission/symptoms";
import { type SwapPlan, planSwap } from "./plan";
import { judgeScope } from "./scope-checks";

const { ofSymptom, shared, warning } = makeChecks("webhook");
const needs = ["webhookConfigurations"] as const;
const planned = ["webhookConfigurations", "namespaces", "webhookSecrets"] as const;

const seeDiff = { of: "tool", words: ["diff", "upgrade-webhook"] } as const;

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

/** The checks of the configuration. */
export const webhookChecks: readonly Check[] = [
  ofSymptom(rows.absent),
  warning("WEBHOOK-OLD", "S25", {
    title: "The old configuration is gone, and its entry too",
    cause: "the configuration of releases before 6.4.2, or its entry, is still there",
    ...byTool(
      "run upgrade-webhook: it deletes the old one when the new one is proven",
      "upgrade-webhook",
    ),
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
  ofSymptom(rows.entryAbsent),
  ofSymptom(rows.idle),
  ...Object.values(probeSymptoms).map((row) => ofSymptom(row)),
  ofSymptom(rows.placeholder),
  ofSymptom(rows.namespaceGone),
  ofSymptom(rows.callsOther),
  ...serverList.map((row) => ofSymptom(row)),
  ofSymptom(rows.probed, { wants: "probe" }),
  ofSymptom(rows.rulesBehind, { wants: "webhook" }),
  ofSymptom(rows.holdsMore, { wants: "webhook" }),
  ofSymptom(rows.timeoutShort),
  ofSymptom(rows.evictionHeld),
  ofSymptom(rows.mesh),
  warning("WEBHOOK-DIFFERS", "Facts 4.1", {
    title: "The configuration is as the template has it",
    cause: "fields of the configuration differ from the template's",
    ...byTool(
      "run upgrade-webhook, or diff upgrade-webhook to see what it would change",
      ...seeDiff.words,
    ),
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
              fixByOwner(plan.live, situation.facts, seeDiff),
            ),
          ];
    },
  }),
  fromPlan("failurePolicy", "The failure policy is the template's"),
  fromPlan("losesRules", "The template guards all that the entry guards"),
  fromPlan("kept", "The configuration has no selector of its own"),
  fromPlan("otherNamespace", "The configuration serves this operator"),
  otherConfigurations,
  ofSymptom(rows.leftover),
  ofSymptom(rows.selectsNoNamespace),
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
): readonly Found[] {
  const { entry: ours, oldEntry } = situation.names.webhook;
  const beside = findEntry(current, ours) !== undefined;
  const consequence = beside ? "it checks every edit a second time" : `${ours} takes its place`;
  return listInForce(situation)
    .filter((one) => one.configuration === current && one.entry.name === oldEntry)
    .map(({ field }) =>
      on(current, `its entry ${oldEntry} is of releases before 6.4.2: ${consequence}`, {
        field,
        ...fixByOwner(current, situation.facts),
      }),
    );
}

/** The checks of the CA and of the scope. */
export const webhookTrustChecks: readonly Check[] = [
  ofSymptom(rows.staleCa, { wants: "certificate" }),
  ofSymptom(rows.injectedOther, { wants: "certificate" }),
  ofSymptom(rows.unguarded),
  warning("WEBHOOK-SCOPE-SHARED", "Facts 4.4", {
    title: "The webhook checks only this operator's databases",
    cause: "other operators are on this cluster, and the entry is not limited to namespaces",
    fix: "limit the entry by a namespaceSelector, each operator with a configuration of its own",
    needs: [...needs, "namespaces", "ecs"],
    judge: (situation) => judgeScope(situation, listInForce(situation)),
  }),
];

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
