import { budgetOf, Deadline } from "../../webhook/deadline";

test.each([
  ["one second less than asked", "10s", 9_000],
  ["at least a quarter of what was asked", "1s", 250],
  ["never more than a registration can ask", "5m", 29_000],
  ["the usual one when nothing is asked", null, 9_000],
  ["the usual one when it is no duration", "soon", 9_000],
  ["the usual one when nothing is left", "0s", 9_000],
])("the budget is %s", (_name, timeout, ms) => {
  expect(budgetOf(timeout)).toBe(ms);
});

test("a deadline counts down to zero and stays there", () => {
  let now = 1_000;
  const deadline = new Deadline(500, () => now);
  expect(deadline.left()).toBe(500);
  now = 1_400;
  expect(deadline.left()).toBe(100);
  now = 2_000;
  expect(deadline.left()).toBe(0);
});

test("its signal aborts", async () => {
  const signal = new Deadline(1).signal();
  if (!signal.aborted)
    await new Promise((resolve) => {
      signal.addEventListener("abort", resolve);
    });
  expect(signal.reason).toMatchObject({ name: "TimeoutError" });
});
