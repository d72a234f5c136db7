/** The webhook's part of `status`, where its entry calls what is not read here. */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import { webhookStatus, webhookStep } from "../../../../plugin/commands/upgrade-webhook/next";
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
])("an entry that calls %s is not checked", async (_, clientConfig, where) => {
  const world = await fitWorld();
  world.add({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  world.set(webhook, "webhooks.0.clientConfig", clientConfig);
  const { verdict } = webhookStatus(await world.facts());
  expect(verdict).toEqual({ is: "unknown", because: `engine-enterprise-admission calls ${where}` });
});

test.each([
  ["Ignore", true],
  ["Fail", false],
])(
  "a healthy webhook with failurePolicy %s says whether failed calls let edits pass: %p",
  async (policy, says) => {
    const world = await fitWorld();
    world.set(webhook, "webhooks.0.failurePolicy", policy);
    const { verdict } = webhookStatus(await world.facts());
    expect(verdict.is).toBe("fine");
    expect(JSON.stringify(verdict).includes("calls that fail let edits pass")).toBe(says);
  },
);

const trackingId = "argocd.argoproj.io/tracking-id";

/** A configuration that a repository holds, and that is changed at a path. */
async function nextOf(path?: string, value?: unknown) {
  const world = await fitWorld();
  world.note(webhook, "annotations", { [trackingId]: "engine" });
  if (path !== undefined) world.set(webhook, path, value);
  const status = webhookStatus(await world.facts());
  return { status, step: webhookStep({ webhook: status }) };
}

const place = "webhooks.0.clientConfig";

test.each([
  ["nothing", undefined, undefined, undefined],
  ["its CA", `${place}.caBundle`, "", { words: ["upgrade-webhook", "--ca-only"] }],
  [
    "what it calls",
    `${place}.service.port`,
    8443,
    { says: expect.stringContaining("repository") as string },
  ],
  [
    "its entry, which is of an old release",
    "webhooks.0.name",
    names.webhook.oldEntry,
    { says: expect.stringContaining("repository of the Argo CD application") as string },
  ],
])(
  "of a repository's configuration %s is wrong: no line that would be refused",
  async (_, path, ...[value, wanted]) => {
    const { status, step } = await nextOf(path, value);
    expect(status.configurations).toMatchObject([{ owner: "Argo CD" }]);
    if (wanted === undefined) expect(step).toBeUndefined();
    else expect(step).toMatchObject(wanted);
    expect(step?.words ?? ["--ca-only"]).toContain("--ca-only");
  },
);
