import type { UpgradePlan } from "../../../../plugin/commands/upgrade/plan-document";

/** A plan of nothing, with what a row says of it. */
export function aPlan(changes: Partial<UpgradePlan> = {}): UpgradePlan {
  return {
    apiVersion: "cli.engine.com/v1",
    kind: "UpgradePlan",
    program: "0.1.0",
    madeAt: "2026-01-02T03:04:05Z",
    cluster: "c",
    namespace: "engine",
    release: "./release",
    words: ["upgrade"],
    parts: [],
    steps: [],
    findings: [],
    ...changes,
  };
}
