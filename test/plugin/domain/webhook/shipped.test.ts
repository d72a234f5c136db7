import { judgeShipped } from "../../../../plugin/domain/webhook/plan";

test.each([
  ["no operator", undefined, 0],
  ["a tag that tells no release", "latest", 0],
  ["the latest that is known", "8.2.0-13", 0],
  ["an older one that is not listed", "8.0.3-1", 0],
  ["a later build", "8.2.0-14", 1],
  ["a later release", "10.0.0-1", 1],
] as const)("%s", (...[, operator, count]) => {
  const found = judgeShipped(operator, "ValidatingWebhookConfiguration/x");
  expect(found).toHaveLength(count);
  for (const { cause } of found) expect(cause).toContain(`the operator is of ${operator ?? ""}, `);
});
