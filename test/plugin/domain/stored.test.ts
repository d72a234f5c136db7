import { sameStored, storedQuantity } from "../../../plugin/domain/operator/differences";

test.each([
  ["4000m", "4"],
  [4, "4"],
  [0.5, "500m"],
  [".5", "500m"],
  ["5.", "5."],
  ["-1000m", "-1"],
  ["0.0000001", "1m"],
  ["100n", "1m"],
  ["1000", "1k"],
  ["1000k", "1M"],
  ["10e2", "1e3"],
  ["1000e-3", "1"],
  ["10e-1", "1"],
  ["0e3", "0"],
  ["0.5Gi", "512Mi"],
  ["1024Mi", "1Gi"],
  ["0.1Gi", "107374182400m"],
  ["0.5Ki", "512"],
  ["0Ki", "0"],
  ["1025Ki", "1025Ki"],
  ["005", "005"],
] as const)("a quantity of %j is stored as %s", (given, stored) => {
  expect(storedQuantity(given)).toBe(stored);
  expect(storedQuantity(stored)).toBe(stored);
});

test.each(["", ".", "m", "1x", "1 Gi", "1e999", "9".repeat(40), null, true, {}])(
  "%j is no quantity",
  (given) => {
    expect(storedQuantity(given)).toBeUndefined();
  },
);

test.each([
  ["a spelling of the same amount", "4", "4000m", ".resources.limits.cpu", true],
  ["another amount", "3", "4000m", ".resources.limits.cpu", false],
  ["an amount that is none", "x", "y", ".resources.limits.cpu", false],
  ["a size", "1Gi", "1024Mi", ".emptyDir.sizeLimit", true],
  ["a text that looks like an amount", "4", "4000m", '.env[name="CPUS"].value', false],
  ["the same JSON", { a: 1 }, { a: 1 }, ".x", true],
  ["nothing and an empty text", undefined, "", ".value", true],
  ["nothing and null", undefined, null, ".value", true],
  ["nothing and a flag that is left out", undefined, false, ".spec.hostNetwork", true],
  ["nothing and a number that is left out", undefined, 0, ".spec.minReadySeconds", true],
  ["nothing and a flag", undefined, false, ".allowPrivilegeEscalation", false],
  ["nothing and a text", undefined, "a", ".value", false],
] as const)("%s", (...[, live, wanted, field, same]) => {
  expect(sameStored(live, wanted, field)).toBe(same);
});
