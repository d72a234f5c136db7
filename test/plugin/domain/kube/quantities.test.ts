import {
  addQuantities,
  compareQuantities,
  renderStoredQuantity,
} from "../../../../plugin/domain/kube/quantities";

test.each([
  ["4000m", "4"],
  [4, "4"],
  [0.5, "500m"],
  [".5", "500m"],
  ["5.", "5."],
  ["-1000m", "-1"],
  ["0.0000001", "1m"],
  ["1000", "1k"],
  ["1000k", "1M"],
  ["10e2", "1e3"],
  ["1000e-3", "1"],
  ["0e3", "0"],
  ["0.5Gi", "512Mi"],
  ["1024Mi", "1Gi"],
  ["0.1Gi", "107374182400m"],
  ["0.5Ki", "512"],
  ["0Ki", "0"],
  ["1025Ki", "1025Ki"],
  ["005", "005"],
] as const)("a quantity of %j is stored as %s", (given, stored) => {
  expect([renderStoredQuantity(given), renderStoredQuantity(stored)]).toEqual([stored, stored]);
});

test.each(["", ".", "m", "1x", "1 Gi", "1e999", "9".repeat(40), null, {}])(
  "%j is no quantity",
  (given) => {
    expect(renderStoredQuantity(given)).toBeUndefined();
  },
);

test.each<[unknown, unknown, number | undefined]>([
  ["40Gi", "40960Mi", 0],
  ["40Gi", 42949672960, 0],
  ["40Gi", "41943040Ki", 0],
  ["0.1Ti", "102.4Gi", 0],
  ["9G", "9Gi", -1],
  ["60Gi", "8Gi", 1],
  ["1e3", "1k", 0],
  ["-1", "1", -1],
  ["-1", "-1000m", 0],
  ["much", "1Gi", undefined],
  ["1Gi", undefined, undefined],
])("%j against %j is %j", (one, other, expected) => {
  expect(compareQuantities(one, other)).toBe(expected);
});

test.each<{ one: unknown; other: unknown; times?: 1 | -1; sum: string }>([
  { one: "3Gi", other: "2Gi", sum: "5Gi" },
  { one: "500m", other: "1", sum: "1500m" },
  { one: "0", other: "2Gi", sum: "2Gi" },
  { one: "3", other: "1", times: -1, sum: "2" },
  { one: "1", other: "3", times: -1, sum: "0" },
  { one: "0", other: "0", sum: "0" },
  { one: "much", other: "2", sum: "2" },
  { one: "2", other: undefined, sum: "2" },
  { one: undefined, other: undefined, sum: "0" },
])("%j is added up", ({ one, other, times = 1, sum }) => {
  expect(addQuantities(one, other, times)).toBe(sum);
});
