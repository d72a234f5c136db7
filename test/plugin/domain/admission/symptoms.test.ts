/** What is found of the webhook is the same whoever asks: check, status, and the gate of a swap. */
import { webhookStatus } from "../../../../plugin/commands/upgrade-webhook/next";
import { playProbe, seenWebhook } from "../../../support/probes";
import { planFromFacts } from "../../../../plugin/commands/upgrade-webhook/checks";
import { isOlmServed } from "../../../../plugin/domain/admission/configuration";
import { plannedServerList, type PlannedScene } from "../../../../plugin/domain/admission/symptoms";
import { judgePlannedWay } from "../../../../plugin/domain/admission/way";
import { describeSituation } from "../../../../plugin/domain/checks/context";
import { gate } from "../../../../plugin/domain/diagnosis/diagnose";
import type { FactKey, Facts } from "../../../../plugin/domain/facts/facts";
import { webhookRows } from "../checks/rows-access";
import { fitWorld, type World } from "../checks/world";

const scenes = Object.entries(webhookRows);

async function build(change: (world: World) => unknown): Promise<World> {
  const world = await fitWorld();
  await change(world);
  return world;
}

function planned({ target }: World, facts: Facts): PlannedScene {
  const { webhook } = target;
  if (webhook === undefined) throw new Error("there is no template");
  return { facts, template: webhook };
}

const hide = (facts: Facts, key: FactKey): Facts => ({
  ...facts,
  objects: { ...facts.objects, [key]: [] },
  unread: new Map([...facts.unread, [key, "forbidden"]]),
});

test.each(scenes)("%s: check names what a swap would refuse", async (_, change) => {
  const world = await build(change);
  const facts = await world.facts();
  const { judged, findings } = await world.judge();
  const told = new Set(findings.map(({ code }) => code));
  // a swap of what OLM serves ends before its gate
  const isOlms = isOlmServed(facts.objects.webhookConfigurations, facts);
  const refused = [
    ...(isOlms ? [] : gate(plannedServerList, "upgrade-webhook", planned(world, facts))),
    ...(planFromFacts(describeSituation(facts, world.target))?.findings ?? []),
  ].filter(({ severity }) => severity === "error");
  expect(refused.map(({ code }) => code).filter((code) => !told.has(code))).toEqual([]);
  const areas = ["webhook", "certificate"];
  const wrong = judged.some(
    ({ check, findings: found }) =>
      areas.includes(check.area) && found.some(({ severity }) => severity === "error"),
  );
  // what is not of this namespace, or only stands against a write, is no matter of status
  const beyond = ["WEBHOOK-OTHER-NAMESPACE", "WEBHOOK-LOSES-RULES", "WEBHOOK-OLD-HAS-OTHERS"];
  const { verdict } = webhookStatus(facts, { probe: world.probe ?? playProbe(facts) });
  if (wrong && !beyond.some((code) => told.has(code))) expect(verdict.is).not.toBe("fine");
});

const lists = [
  ...(["webhookConfigurations", "webhookSecrets", "namespaces"] as const),
  ...(["services", "endpointSlices", "pods", "networkPolicies"] as const),
];

test.each(scenes)("%s: a list that is taken away makes nothing better", async (_, change) => {
  const world = await build(change);
  const facts = await world.facts();
  const isWell = (one: Facts): boolean => ["fine", "absent"].includes(seenWebhook(one).verdict.is);
  const isQuiet = (one: Facts): boolean => {
    const scene = planned(world, one);
    const { doubts = [] } = judgePlannedWay(scene);
    return gate(plannedServerList, "upgrade-webhook", scene).length + doubts.length === 0;
  };
  for (const key of lists) {
    const blind = hide(facts, key);
    if (!isWell(facts)) expect([key, isWell(blind)]).toEqual([key, false]);
    // a swap asks for the one namespace that it has to know
    if (key !== "namespaces" && !isQuiet(facts))
      expect([key, isQuiet(blind)]).toEqual([key, false]);
  }
});
