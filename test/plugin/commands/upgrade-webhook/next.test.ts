/** The webhook's part of `status`, where its entry calls what is not read here. */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { webhookStatus } from "../../../../plugin/commands/upgrade-webhook/next";
import { webhook } from "../../domain/checks/labels";
import { fitWorld } from "../../domain/checks/world";

const { namespace } = names.companion;

test.each([
  ["a URL", { url: "https://gate.example/admission" }, "a URL, which is not read here"],
  [
    "the companion webhook",
    { service: { name: "gate", namespace } },
    `namespace ${namespace}, which is not read here, the companion webhook`,
  ],
])("an entry that calls %s is not judged", async (_, clientConfig, where) => {
  const world = await fitWorld();
  world.add({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  world.set(webhook, "webhooks.0.clientConfig", clientConfig);
  const { verdict } = webhookStatus(await world.facts());
  expect(verdict).toEqual({ is: "unknown", because: `engine-enterprise-admission calls ${where}` });
});
