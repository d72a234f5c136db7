import { ageOf, daysUntil, renderAge } from "../../../../plugin/domain/duration";
import { bounded, verdictOf, worst, worstOf } from "../../../../plugin/domain/status/verdict";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

test.each<[number, string]>([
  [-5, "0s"],
  [119_000, "119s"],
  [2 * minute, "2m"],
  [9 * minute + 5_000, "9m5s"],
  [10 * minute, "10m"],
  [179 * minute, "179m"],
  [3 * hour + 20 * minute, "3h20m"],
  [8 * hour, "8h"],
  [47 * hour, "47h"],
  [2 * day, "2d"],
  [3 * day + 4 * hour, "3d4h"],
  [8 * day, "8d"],
  [729 * day, "729d"],
  [730 * day, "2y"],
  [800 * day, "2y70d"],
  [2920 * day, "8y"],
  [4000 * day, "10y"],
])("%d ms are %s", (ms, text) => {
  expect(renderAge(ms)).toBe(text);
});

test("what is no date has no age, and no days left", () => {
  expect(ageOf(7, 0)).toBeUndefined();
  expect(ageOf("soon", 0)).toBeUndefined();
  expect(daysUntil("<none>", 0)).toBeUndefined();
  expect(daysUntil(undefined, 0)).toBeUndefined();
});

test("days to a moment are whole ones, below zero when it is past", () => {
  expect(daysUntil("1970-01-03T12:00:00Z", 0)).toBe(2);
  expect(daysUntil("1970-01-01T00:00:00Z", hour)).toBe(-1);
});

test("names are listed as far as they can be read", () => {
  expect(bounded(["a", "b"])).toBe("a, b");
  expect(bounded(["a", "b", "c"], 2)).toBe("a, b and 1 more");
});

test("nothing judged is fine", () => {
  expect(worst([])).toBe("fine");
  expect(worstOf([])).toBeUndefined();
});

test("a rollout's verdict is the component's", () => {
  expect(verdictOf({ is: "done", says: "s" })).toEqual({ is: "fine", says: "s" });
  expect(verdictOf({ is: "moving", on: "o", step: "1" })).toEqual({ is: "moving", on: "o" });
});
