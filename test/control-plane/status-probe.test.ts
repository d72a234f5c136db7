/** `kubectl engine status --probe` on a real API server: the webhook proven by dry runs, and nothing written. */
import type { StatusDetails } from "../../plugin/commands/status-screen";
import { type PluginRun, runner, runPlugin } from "./plugin-run";
import type { Conduct } from "./stand-in-webhook";
import { openSuite, type Suite } from "./suite";
import { putNewConfiguration, removeConfigurations } from "./swap-states";
import { until } from "./until";

let suite: Suite;
beforeAll(async () => {
  suite = await openSuite({ server: "stand-in" });
});
afterAll(() => suite.close());

function status(): Promise<PluginRun> {
  const { controlPlane, scene } = suite;
  const { namespace } = scene;
  return runPlugin(controlPlane, ["status", "--probe"], { namespace, user: runner.name });
}

const webhookOf = ({ report }: PluginRun): StatusDetails["webhook"] =>
  (report as unknown as { details: StatusDetails }).details.webhook;

/** The API server acts on a configuration a moment after it was stored. */
async function saysOf(wanted: RegExp): Promise<StatusDetails["webhook"]> {
  const look = async (): Promise<StatusDetails["webhook"] | undefined> => {
    const run = await status();
    expect([run.code, run.writes]).toEqual([0, []]);
    const webhook = webhookOf(run);
    return wanted.test(webhook.probe?.says ?? "") ? webhook : undefined;
  };
  return await until(`status to say ${wanted.source}`, look, { withinMs: 60_000 });
}

test.each<[Conduct, string, RegExp]>([
  ["judges", "fine", /its twin was refused/],
  ["allows", "stalled", /must be refused passes/],
  ["refuses", "stalled", /must pass is refused/],
  ["fails", "stalled", /does not answer/],
])("a webhook that %s: the verdict is %s", async (conduct, is, says) => {
  const { api, scene } = suite;
  await putNewConfiguration(api, scene, { changes: { service: { path: `/${conduct}` } } });
  const webhook = await saysOf(says);
  expect([webhook.probe?.proven, webhook.verdict.is]).toEqual([is === "fine", is]);
});

test("without a configuration there is nothing to prove", async () => {
  await removeConfigurations(suite.api);
  const { probe } = await saysOf(/no configuration/);
  expect(probe?.proven).toBe(false);
});
