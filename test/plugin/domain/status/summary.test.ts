import { defaultNames as names } from "../../../../plugin/domain/names";
import { summarize } from "../../../../plugin/domain/status/status";
import { aNewConfiguration, anEdb, statusOf, unread } from "./scene";

type Args = Parameters<typeof statusOf>;

test.each<[string, string, Args, object]>([
  [
    "what moves, and on what",
    "EDB",
    [{ edbs: [anEdb("a", "8.2", { status: "pending" })] }],
    { is: "moving", facts: "", says: "1 of 1 EDB: engine/a (pending)" },
  ],
  [
    "what is stalled, on which object, and the fix",
    "Webhook",
    [{ webhookConfigurations: [aNewConfiguration({ caBundle: "" })] }],
    {
      is: "stalled",
      facts: "",
      says: "ValidatingWebhookConfiguration/engine-enterprise-admission: its caBundle is empty: every edit that it judges fails",
      fix: "reapply it with upgrade-webhook",
    },
  ],
  [
    "what is stalled without an object",
    "Operator",
    [{ deployments: [] }],
    {
      is: "stalled",
      facts: "",
      says: "there is no Deployment engine-enterprise-operator in namespace engine",
    },
  ],
  [
    "what is not known",
    "RBAC",
    unread("roles"),
    { is: "unknown", facts: "", says: "may not list roles" },
  ],
  [
    "a webhook that was proven",
    "Webhook",
    [{}, {}, { probe: { is: "proven" } }],
    {
      is: "fine",
      facts:
        "engine-enterprise-admission, CA fits, endpoints ready, certificate 1613 days left; probe: an edit that must pass passed, its twin was refused",
    },
  ],
])("told: %s", (...[, component, args, expected]) => {
  const found = summarize(statusOf(...args), names).find(({ title }) => title === component);
  expect(found).toMatchObject(expected);
});
