import {
  type ChartHook,
  describeHook,
  listHooks,
} from "../../../../plugin/domain/operator/chart-hooks";

const hook = (
  name: string | undefined,
  more: Partial<ChartHook> & { spec?: object } = {},
): ChartHook => {
  const { spec, ...rest } = more;
  return {
    ...{ events: ["pre-upgrade"], weight: 0, deletePolicies: [] },
    object: { apiVersion: "batch/v1", kind: "Job", metadata: { ...(name && { name }) }, spec },
    ...rest,
  };
};

test("hooks of an event come by weight, then by name, else as helm prints them", () => {
  const map = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" } };
  const hooks = [
    hook("c", { weight: 1 }),
    hook("b"),
    hook("b", { object: map }),
    hook("a"),
    hook(undefined, { weight: -5 }),
    hook("z", { events: ["post-upgrade", "pre-upgrade"], weight: -5 }),
    hook("other", { events: ["pre-install"] }),
  ];
  const told = listHooks(hooks, "pre-upgrade").map(
    ({ object }) => `${object.kind} ${String(object.metadata.name)}`,
  );
  const order = ["Job undefined", "Job z", "Job a", "Job b", "ConfigMap b", "Job c"];
  expect(told).toEqual(order);
  expect(listHooks(hooks, "post-upgrade")).toHaveLength(1);
  expect(listHooks(undefined, "pre-upgrade")).toEqual([]);
});

const containers = [{ image: "x:1", command: ["run"], args: ["--all", 3] }, {}];

test.each([
  [
    "a Job",
    hook("a", { weight: -5, spec: { template: { spec: { containers } } } }),
    "hook before the upgrade, weight -5; runs x:1 run --all 3, no image; deleted: before-hook-creation",
  ],
  [
    "a Pod",
    hook("a", {
      deletePolicies: ["hook-succeeded", "hook-failed"],
      object: {
        ...{ apiVersion: "v1", kind: "Pod", metadata: {} },
        spec: { initContainers: [{ image: "y" }], containers: [{ image: "x" }] },
      },
    }),
    "hook before the upgrade, weight 0; runs y, x; deleted: hook-succeeded, hook-failed",
  ],
  [
    "what runs nothing",
    hook("a", { object: { apiVersion: "v1", kind: "ConfigMap", metadata: {} } }),
    "hook before the upgrade, weight 0; deleted: before-hook-creation",
  ],
])("%s is told with what it runs", (_, one, says) => {
  expect(describeHook(one, "pre-upgrade")).toBe(says);
});

test("a hook after the upgrade is told as one", () => {
  expect(describeHook(hook("a"), "post-upgrade")).toContain("hook after the upgrade");
});
