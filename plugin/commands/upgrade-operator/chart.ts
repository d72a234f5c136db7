/**
 * Upgrades the operator by its chart (S20–S22): helm does it, hooks and definitions included; what
 * the chart owns is left to helm. Values that a person gave before are kept. `ChartPlanning` reads and judges,
 * `ChartAct` carries out what was planned.
 */
import type { Part } from "../../kernel/part";
import type { ChartPartOptions } from "./chart-options";
import { ChartPlanning } from "./chart-planning";
import { chartNeeds } from "./needs";

/** Upgrades the operator by its chart. */
export function chartPart(options: ChartPartOptions): Part {
  return {
    command: "upgrade-operator",
    needs: (names) => chartNeeds({ ...options, names }),
    plan: (world) =>
      options.withHelm((helm) =>
        new ChartPlanning({ ...world, helm }, { ...options, dryRun: world.dryRun }).plan(),
      ),
  };
}
