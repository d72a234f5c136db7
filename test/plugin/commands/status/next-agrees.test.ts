/**
 * Next and Fix agree: where a component has stalled, Next repeats the way out of its finding, or names a command that
 * nothing is known to stand against.
 */
import { planFromFacts } from "../../../../plugin/commands/upgrade-webhook/checks";
import { judgeStatus, type Status } from "../../../../plugin/commands/status/status";
import { plannedServerList } from "../../../../plugin/domain/admission/symptoms";
import { findIdleSelector } from "../../../../plugin/domain/admission/selected";
import { firstRun } from "../../../../plugin/domain/base/remedy";
import { describeSituation } from "../../../../plugin/domain/checks/context";
import { gate } from "../../../../plugin/domain/diagnosis/diagnose";
import { type Act, acts } from "../../../../plugin/domain/diagnosis/symptom";
import type { ComponentHealth } from "../../../../plugin/domain/rollout/health";
import { everyScene, type Scene } from "../../domain/checks/scenes";
import { gatesOf } from "../../domain/diagnosis/gates";

type Stalled = Extract<ComponentHealth, { is: "stalled" }>;

/** Every scene, with what status says of it. */
let shown: readonly { readonly scene: Scene; readonly status: Status }[] = [];
beforeAll(async () => {
  shown = (await everyScene()).map((scene) => ({ scene, status: statusOf(scene) }));
}, 120_000);

function statusOf({ facts, target }: Scene): Status {
  return judgeStatus(facts, { rbac: target.rbac ?? { documents: [], source: "" } });
}

function verdictsIn(status: Status): readonly ComponentHealth[] {
  const { operator, clusters, databases, activeActive, webhook, rbac } = status;
  const all = [operator, ...clusters.items, clusters, databases, activeActive, webhook, rbac];
  return all.map(({ verdict }) => verdict);
}

function stalledIn(status: Status): readonly Stalled[] {
  return verdictsIn(status).flatMap((verdict) => (verdict.is === "stalled" ? [verdict] : []));
}

function movingIn(status: Status): readonly string[] {
  return verdictsIn(status).flatMap((verdict) => (verdict.is === "moving" ? [verdict.on] : []));
}

/** What of the webhook's would refuse a swap, as far as its facts tell: the plan, the server, and the selectors. */
function swapRefusals(flags: readonly string[], { facts, target }: Scene): readonly string[] {
  const plan = planFromFacts(describeSituation(facts, target));
  const { webhook: template } = target;
  if (plan === undefined || template === undefined) return [];
  const found = [
    ...gate(plannedServerList, "upgrade-webhook", { facts, template }),
    // the owner leaves the CA to this tool
    ...plan.findings.filter(({ code }) => !flags.includes("--ca-only") || code !== "WEBHOOK-OWNED"),
  ].filter(({ severity }) => severity === "error");
  const [entry] = plan.wanted.webhooks ?? [];
  const idle = flags.includes("--take-template-selectors")
    ? undefined
    : findIdleSelector(entry, facts.objects.namespaces);
  return [...found.map(({ code }) => code), ...(idle === undefined ? [] : [idle])];
}

/** What would refuse a command. */
function refusalsOf([command = "", ...flags]: readonly string[], scene: Scene): readonly string[] {
  const act = acts.find((one: Act) => one === command);
  const gates = act === undefined ? [] : gatesOf(act, scene.facts);
  return [
    ...gates.filter(({ severity }) => severity === "error").map(({ code }) => code),
    ...(command === "upgrade-webhook" ? swapRefusals(flags, scene) : []),
  ];
}

test("where a component has stalled there is a next step", () => {
  const without = shown.filter(
    ({ status }) => stalledIn(status).length > 0 && status.next === undefined,
  );
  expect(without.map(({ scene }) => scene.title)).toEqual([]);
});

test("a next step without a command is the way out of what has stalled, or waits for what moves before it", () => {
  const apart = shown.flatMap(({ scene, status }) => {
    const { next } = status;
    const stalled = stalledIn(status);
    if (stalled.length === 0 || next === undefined || next.words !== undefined) return [];
    const first = stalled.flatMap(({ fix, remedies: [remedy] = [] }) => remedy?.says ?? fix);
    const told = [...first, ...movingIn(status)];
    const isOne = told.some((one) => next.says.includes(one));
    return isOne ? [] : [`${scene.title}: ${next.says}`];
  });
  expect(apart).toEqual([]);
});

test("no next command is one that would be refused", () => {
  const useless = shown.flatMap(({ scene, status: { next } }) => {
    if (next?.words === undefined) return [];
    const refused = refusalsOf(next.words, scene);
    return refused.length === 0
      ? []
      : [`${scene.title}: ${next.words.join(" ")} meets ${[...new Set(refused)].join(", ")}`];
  });
  expect(useless).toEqual([]);
});

test("the next command for the webhook is that of its finding, flags included", () => {
  const apart = shown.flatMap(({ scene, status: { next, webhook } }) => {
    if (next?.words?.[0] !== "upgrade-webhook" || webhook.verdict.is !== "stalled") return [];
    const words = firstRun(webhook.verdict.remedies)?.run.words ?? [];
    return words.every((word) => next.words?.includes(word))
      ? []
      : [`${scene.title}: ${next.words.join(" ")} and ${words.join(" ")}`];
  });
  expect(apart).toEqual([]);
});
