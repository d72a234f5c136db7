/** How the process leaves when it is told to. */
import { startWebhookProcess } from "./webhook-process";

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "%s drains, so that no call is left without an answer",
  async (signal) => {
    const webhook = await startWebhookProcess();
    await webhook.stop(signal);
    expect(webhook.log()).toMatch(/"message":"draining"[^]*"message":"stopped"/);
  },
  60_000,
);
