/** A plan as it is told and saved: the ends of its parts, what it rests on, and the release of a chart. */
import { upgrade as upgradeSpec } from "../../../../plugin/commands/upgrade/flags";
import { describePlan, makeBinding } from "../../../../plugin/commands/upgrade/describe-plan";
import { makeStoppedEnd, makePausedEnd } from "../../../../plugin/commands/upgrade/ends";
import type { UpgradePlan } from "../../../../plugin/commands/upgrade/plan-document";
import type { PartPlan } from "../../../../plugin/commands/upgrade/plan-parts";
import type { Chart } from "../../../../plugin/cmdutil/operator-flags";
import { readDefaults } from "../../../../plugin/cmdutil/spec";
import type { ExitReport } from "../../../../plugin/kernel/report";
import { ManualClock } from "../../../support/manual-clock";

/** Nothing was told while it was planned. */
const told = { heard: [] } as unknown as PartPlan["asides"][number]["told"];

const planWith = (title: string, exit: ExitReport): PartPlan => ({
  wanted: {
    part: { id: "operator", title, source: "S15-S23" },
    makeParts: () => Promise.resolve([]),
  },
  asides: [{ exit, told }],
  steps: [],
  questions: [],
});
const refused = planWith("Upgrade the operator", { code: 3, reason: "it has no account" });

test("a part that stops without a next step is told with its reason alone", () => {
  expect(makeStoppedEnd([refused])).toEqual({
    code: 3,
    reason: "nothing was written: Upgrade the operator: it has no account",
  });
});

test("what two parts say alike is said once as the next step", () => {
  const [one, other] = ["One", "Two"].map((title) =>
    planWith(title, { code: 4, reason: "forbidden", next: "ask for the Role" }),
  );
  const found = one && other && makeStoppedEnd([one, other]);
  expect(found).toMatchObject({ code: 4, next: "ask for the Role" });
});

const pausing: PartPlan = {
  ...planWith("Upgrade the cluster", { code: 0, reason: "" }),
  pause: { because: "a module is not defined", type: "define it", before: 0 },
};

test("a plan that was saved ends at its pause, another one is continued", () => {
  expect(makePausedEnd([refused])).toBeUndefined();
  expect(makePausedEnd([pausing])?.next).toBe(
    "define it; then run the same upgrade again: it continues from there",
  );
  expect(makePausedEnd([pausing], {} as UpgradePlan)?.next).toBe(
    "define it; then create a new plan with --plan-out: this one ends here",
  );
});

test("the release of a chart is its address without the password, and its version", () => {
  const chart: Chart = {
    chart: "https://me:secret@charts.example/engine",
    version: "8.0.2-2",
    releaseName: "operator",
    values: [],
    given: [],
    applyCrds: false,
  };
  const flags = { ...readDefaults(upgradeSpec), chart };
  const binding = makeBinding({ flags, opened: undefined, uid: "c", namespace: "engine" });
  const { release, parts } = describePlan([refused], [], {
    clock: new ManualClock(),
    flags,
    binding,
  });
  expect(release).toMatch(/^https:\/\/\S*charts\.example\/engine 8\.0\.2-2$/);
  expect(release).not.toContain("secret");
  expect(parts).toMatchObject([{ unplanned: "it has no account" }]);
});
