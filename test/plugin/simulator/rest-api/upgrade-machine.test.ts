import type { Phase } from "../../../../plugin/simulator/rest-api/state";
import {
  nextRow,
  type UpgradeState,
  upgradeRows,
} from "../../../../plugin/simulator/rest-api/work";

const quiet: UpgradeState = {
  replicas: 0,
  masters: 0,
  guarded: false,
  preserveRoles: false,
  broken: false,
};
const guarded = { guarded: true };

/** One case for each row, in the order of the table: to, and what is done. */
const cases: readonly (readonly [from: Phase, Partial<UpgradeState>, to: Phase, does: string])[] = [
  ["queued", guarded, "finishing", "nothing"],
  ["queued", { ...guarded, replicas: 2, masters: 2 }, "replicas", "restart a batch"],
  ["queued", { ...guarded, masters: 2 }, "failover", "fail over"],
  ["queued", { masters: 2 }, "in-place", "restart a batch"],
  ["replicas", { ...guarded, broken: true, replicas: 1 }, "failed", "give up"],
  ["replicas", { ...guarded, replicas: 1, masters: 2 }, "replicas", "restart a batch"],
  ["replicas", { ...guarded, masters: 2 }, "failover", "fail over"],
  ["replicas", guarded, "finishing", "nothing"],
  ["failover", { ...guarded, masters: 2 }, "masters", "restart a batch"],
  ["masters", { ...guarded, broken: true }, "failed", "give up"],
  ["masters", { ...guarded, masters: 1 }, "masters", "restart a batch"],
  ["masters", { ...guarded, preserveRoles: true }, "roles-back", "fail over"],
  ["masters", guarded, "finishing", "nothing"],
  ["roles-back", guarded, "finishing", "nothing"],
  ["in-place", { broken: true }, "failed", "give up"],
  ["in-place", { masters: 1 }, "in-place", "restart a batch"],
  ["in-place", {}, "finishing", "nothing"],
  ["finishing", {}, "completed", "take over"],
];

test.each(cases.map((one, index) => [index, ...one] as const))(
  "row %i: from %s with %j it goes to %s and does: %s",
  (...[index, from, situation, to, does]) => {
    const row = nextRow(from, { ...quiet, ...situation });
    expect(row).toBe(upgradeRows[index]);
    expect(row).toMatchObject({ from, to, does });
  },
);

test("every row has its case", () => {
  expect(cases).toHaveLength(upgradeRows.length);
});

test("from every state that is no end, in any situation, there is a way on", () => {
  const states = [...new Set(upgradeRows.flatMap(({ from, to }) => [from, to]))];
  const bits = [0, 1].flatMap((replicas) =>
    [0, 1].flatMap((masters) =>
      [true, false].flatMap((yes) =>
        [true, false].map((broken) => ({
          ...{ replicas, masters, broken },
          ...{ guarded: yes, preserveRoles: yes },
        })),
      ),
    ),
  );
  const stuck = states.filter((from) => bits.some((now) => nextRow(from, now) === undefined));
  expect(stuck.sort()).toEqual(["completed", "failed"]);
});
