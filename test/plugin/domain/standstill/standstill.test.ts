/** Each cause of a standstill is told by `status`, `recover` and `check` alike; what is merely slow by none of them. */
import { judgeChecks } from "../../../../plugin/commands/checks";
import { judgeCluster } from "../../../../plugin/domain/engine-cluster/rollout";
import { rollFindings } from "../../../../plugin/domain/rollout/findings";
import { clusterFindings } from "../../../../plugin/domain/engine-cluster/findings";
import { classifyFreeze } from "../../../../plugin/domain/recovery/classify";
import { clustersStatus } from "../../../../plugin/commands/upgrade-cluster/next";
import { situationOf } from "../../../../plugin/domain/checks/context";
import type { Facts } from "../../../../plugin/domain/facts/facts";
import { double, single, slow, type Scene } from "./causes";
import { facts, name, theEc } from "./scene";

const scenes = [...single, ...double].map(([title, facts, cause, beside]: Scene) => ({
  ...{ title, facts, cause, beside },
}));
const ofStandstill = new Set([
  ...Object.values(rollFindings).map(({ code }) => code),
  ...[clusterFindings.quorumLost, clusterFindings.mistakenTag, clusterFindings.notTakenUp].map(
    ({ code }) => code,
  ),
]);

function recovered(facts: Facts) {
  const [ec] = facts.objects.ecs;
  if (ec === undefined) throw new Error("the scene has an EC");
  return classifyFreeze(facts, ec);
}

test.each(scenes)("$title", ({ facts, cause: { code, object, says, step }, beside }) => {
  const verdict = judgeCluster(facts, name);
  expect(verdict).toMatchObject({ is: "stalled", code, object });
  if (verdict.is !== "stalled") return;
  expect(verdict.because).toMatch(says);
  expect(verdict.fix).toMatch(step);
  const others = (verdict.beside ?? []).map((one) => one.code);
  if (beside !== undefined) expect(others).toContain(beside);
});

test.each(scenes)(
  "status, recover and check agree: $title",
  ({ facts, cause: { code, object } }) => {
    const [shown] = clustersStatus(situationOf(facts, {})).items;
    expect(shown?.verdict).toMatchObject({ is: "stalled", code, object });
    const freeze = recovered(facts);
    expect(freeze.is).toBe("frozen");
    expect(freeze.causes[0]?.finding).toMatchObject({ code, object });
    expect(judgeChecks(facts, {}).findings).toContainEqual(
      expect.objectContaining({ code, object, severity: "error" }),
    );
  },
);

test.each(slow)("merely slow: %s", (_title, facts) => {
  expect(judgeCluster(facts, name).is).toBe("moving");
  const [shown] = clustersStatus(situationOf(facts, {})).items;
  expect(shown?.verdict.is).toBe("moving");
  expect(recovered(facts).is).not.toBe("frozen");
  const found = judgeChecks(facts, {}).findings.filter(({ code }) => ofStandstill.has(code));
  expect(found.filter(({ severity }) => severity === "error")).toEqual([]);
});

test.each<[string, string, "moving" | "standing" | "frozen"]>([
  ["an upgrade", "Upgrade", "moving"],
  ["no upgrade", "Running", "standing"],
  ["a refusal", "InvalidUpgrade", "frozen"],
])("pods that may not be read are no pods that are missing: %s", (_title, state, is) => {
  const seen = facts(
    { ecs: [theEc({ state })], pods: [] },
    { unread: new Map([["pods", "forbidden"]]) },
  );
  const freeze = recovered(seen);
  expect(freeze.is).toBe(is);
  expect(freeze.warnings).toContainEqual(
    expect.objectContaining({ code: "FREEZE-NOT-SEEN", cause: "could not be read: pods" }),
  );
});
