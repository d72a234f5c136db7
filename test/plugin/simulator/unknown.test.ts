import { limits, listUnknown } from "../../../plugin/simulator/limits";
import { anOldConfiguration } from "../../support/builders";

const mutating = {
  ...anOldConfiguration({ entry: { name: "sidecar.example.com" } }),
  kind: "MutatingWebhookConfiguration",
};
const general = limits.filter(
  ({ id }) => !["other-webhooks", "mutating-webhooks", "openshift-admission"].includes(id),
);

test("where nothing special was found, what holds for every rehearsal is said, and nothing else", () => {
  expect(listUnknown([anOldConfiguration()], new Map())).toEqual(
    general.map(({ cannot }) => cannot),
  );
});

test("what was found and not treated as on a real cluster comes first, by name", () => {
  const foreign = anOldConfiguration({ entry: { name: "policy.example.com" } });
  const skipped = new Map([["policy.example.com", "the code behind it is not rehearsed"]]);
  const [first, second] = listUnknown([mutating, foreign], skipped);
  expect(first).toMatch(/^webhooks of others are not called.* \(here: policy\.example\.com\)$/);
  expect(second).toMatch(/^mutating webhooks are not called.* \(here: sidecar\.example\.com\)$/);
});

test("every limit that concerns some clusters alone exists under that id", () => {
  expect(limits.length - general.length).toBe(3);
});
