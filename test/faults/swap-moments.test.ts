/** The swap of the webhook under every failure of every request: there is not one moment without a webhook. */
import { configurationResource } from "../../plugin/domain/admission/configuration";
import { asArray, getPath } from "../../plugin/domain/base/values";
import type { MemoryControlPlane } from "../../plugin/simulator/api-server/control-plane";
import { failEverywhere } from "../support/hanging";

jest.setTimeout(1_800_000);

/** An entry without the CA of what is served fails every edit of a database. */
function withoutWebhook({ state }: MemoryControlPlane): Promise<string | undefined> {
  const entries = state
    .list(configurationResource)
    .flatMap((configuration) => asArray(configuration["webhooks"]));
  const isTrusting = (entry: unknown): boolean =>
    (getPath(entry, ["clientConfig", "caBundle"]) ?? "") !== "";
  if (entries.length === 0) return Promise.resolve("no webhook is in force");
  return Promise.resolve(entries.every(isTrusting) ? undefined : "an entry has no CA");
}

test("upgrade-webhook comes out of every failure, with a webhook at each moment", async () => {
  const words = (): readonly string[] => ["upgrade-webhook", "--no-probe"];
  const { runs, moments, wrong } = await failEverywhere({ words, judgeMoment: withoutWebhook });
  expect(wrong).toEqual([]);
  expect(runs).toBeGreaterThan(100);
  expect(moments).toBeGreaterThan(runs);
});
