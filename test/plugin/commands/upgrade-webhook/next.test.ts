/** The webhook's part of `status`, where its entry calls what is not read here. */
import { provenAt, seenWebhook } from "../../../support/probes";
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import {
  othersFindings,
  webhookStatus,
  webhookStep,
} from "../../../../plugin/commands/upgrade-webhook/next";
import { config, eaadb, edb, webhook } from "../../domain/checks/labels";
import { fitWorld, type World } from "../../domain/checks/world";

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
  const { verdict } = seenWebhook(await world.facts());
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
    const { verdict } = seenWebhook(await world.facts());
    expect(verdict.is).toBe("fine");
    expect(JSON.stringify(verdict).includes("calls that fail let edits pass")).toBe(says);
  },
);

test("a healthy webhook that a label keeps from a database: the verdict and a warning name it", async () => {
  const world = await fitWorld();
  const skips = { matchExpressions: [{ key: "skip", operator: "DoesNotExist" }] };
  world.set(webhook, "webhooks.0.objectSelector", skips).note(edb, "labels", { skip: "1" });
  const facts = await world.facts();
  const { verdict } = seenWebhook(facts);
  expect(verdict.is).toBe("fine");
  expect(JSON.stringify(verdict)).toContain(`it leaves out ${edb}`);
  expect(othersFindings(facts).map(({ code, severity }) => [code, severity])).toEqual([
    ["WEBHOOK-SELECTOR-MISSES", "warning"],
  ]);
});

const trackingId = "argocd.argoproj.io/tracking-id";

/** A configuration that a repository holds, and that is changed at a path. */
async function nextOf(path?: string, value?: unknown) {
  const world = await fitWorld();
  world.note(webhook, "annotations", { [trackingId]: "engine" });
  if (path !== undefined) world.set(webhook, path, value);
  const status = seenWebhook(await world.facts());
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

describe("a probe that was right does not show what it is not called for", () => {
  const skips = { matchExpressions: [{ key: "skip", operator: "DoesNotExist" }] };
  const leavesOut =
    (...labels: readonly string[]) =>
    (world: World): void => {
      world.set(webhook, "webhooks.0.objectSelector", skips);
      for (const label of labels) world.note(label, "labels", { skip: "1" });
    };
  const selects =
    (...values: readonly string[]) =>
    (world: World): void => {
      const key = "kubernetes.io/metadata.name";
      const matchExpressions = [{ key, operator: "In", values }];
      world.set(webhook, "webhooks.0.namespaceSelector", { matchExpressions });
    };

  test.each<[string, (world: World) => void, string | undefined]>([
    ["nothing is left out", () => undefined, undefined],
    [
      "a kind of edit",
      (world) => world.set(webhook, "webhooks.0.rules.0.operations", ["CREATE"]),
      "WEBHOOK-RULES-BEHIND",
    ],
    ["one database", leavesOut(edb), undefined],
    ["every database, by labels", leavesOut(edb, config, eaadb), "WEBHOOK-SELECTOR-MISSES"],
    ["one namespace with databases", selects("engine"), undefined],
    ["every namespace with databases", selects("other"), "WEBHOOK-SELECTOR-MISSES"],
    [
      "no database is there",
      (world) => {
        selects("other")(world);
        world.remove(edb, config, eaadb);
      },
      undefined,
    ],
  ])("%s: %s", async (_, change, code) => {
    const world = await fitWorld();
    change(world);
    const facts = await world.facts();
    const { verdict } = webhookStatus(facts, { probe: provenAt(facts.now) });
    expect([verdict.is, "code" in verdict ? verdict.code : undefined]).toEqual([
      code === undefined ? "fine" : "stalled",
      code,
    ]);
  });
});
