/**
 * Floods by callers that show no certificate, against the real process with an API server of its
 * own: good edits pass all the same. `ENGINE_FLOOD=4` makes the load as large as in CI.
 */
import { rmSync } from "node:fs";
import { Agent } from "node:https";
import { FakeApiServer, type Fault } from "../api-server";
import { anUpdate, aReview, rightUpdate } from "../reviews";
import { emptyFolder } from "../tls-folder";
import { RawConnection } from "./raw-connection";
import { plainKubeconfig, startWebhookProcess, type WebhookProcess } from "./webhook-process";
import { chunk, head, padded } from "./wire";

const load = Number(process.env["ENGINE_FLOOD"] ?? 1);
/** A good edit that takes longer has failed: much less than what hangs would hold it up. */
const deadlineMs = 5_000;
const getOf = (name: string) => `/namespaces/engine/engineenterpriseclusters/${name}`;

let dir: string;
let api: FakeApiServer;
let webhook: WebhookProcess;
let agent: Agent;
let attackers: RawConnection[];

beforeEach(async () => {
  dir = emptyFolder();
  api = new FakeApiServer("http");
  const KUBECONFIG = plainKubeconfig(dir, await api.start());
  api.put({ name: "ec", policy: "major" });
  webhook = await startWebhookProcess({ ENGINE_WEBHOOK_CLUSTERS: "api", KUBECONFIG });
  agent = new Agent({ keepAlive: true, maxSockets: 10 });
  attackers = [];
});

afterEach(async () => {
  api.fault = () => undefined; // so that nothing waits for it any more
  for (const each of attackers) each.destroy();
  agent.destroy();
  expect(webhook.isAlive()).toBe(true);
  process.stdout.write(
    `${expect.getState().currentTestName ?? ""}: peak ${Math.round(webhook.peakMiB())} MiB\n`,
  );
  expect(webhook.peakMiB()).toBeLessThan(192);
  await api.stop();
  await webhook.stop();
  rmSync(dir, { recursive: true });
});

/** From 7.2 to a version, in a database of some EC. */
const reviewOf = (ec: string, engineVersion = "8.0") => {
  const engineEnterpriseCluster = { name: ec };
  const before = { engineEnterpriseCluster, engineVersion: "7.2" };
  return JSON.stringify(aReview(anUpdate(before, { engineEnterpriseCluster, engineVersion })));
};

/** From now on it learns of ECs by asking for them alone. */
function blind(fault: Fault = () => undefined): void {
  api.fault = (url) =>
    url.pathname.endsWith("/engineenterpriseclusters") ? { status: 500 } : fault(url);
  api.breakWatches();
}

const verdictOf = async (body: string): Promise<unknown> => {
  const signal = AbortSignal.timeout(deadlineMs);
  const { status, body: answer } = await webhook.review(body, { agent, signal });
  return (
    (answer as { readonly response?: { readonly allowed: boolean } }).response?.allowed ?? status
  );
};

/** What became of a hundred, so many at a time. */
async function verdictsOf(body: string, atOnce = 10): Promise<readonly unknown[]> {
  const verdicts: unknown[] = [];
  while (verdicts.length < 100) {
    const edits = Array.from({ length: atOnce }, () => verdictOf(body).catch(() => "no answer"));
    verdicts.push(...(await Promise.all(edits)));
  }
  return verdicts;
}

/** Of a hundred good edits ninety-five are allowed in time. */
function expectAllowed(verdicts: readonly unknown[]): void {
  const others = verdicts.filter((verdict) => verdict !== true);
  if (others.length > 5) expect(others).toEqual([]);
}

async function attack(count: number, write: (index: number) => string | Buffer, port = 0) {
  const target = port === 0 ? { port: webhook.port, ca: webhook.ca } : { port };
  for (let from = 0; from < count; from += 100) {
    const some = Array.from({ length: Math.min(100, count - from) }, () =>
      RawConnection.open(target),
    );
    attackers.push(...(await Promise.all(some)));
  }
  await Promise.all(attackers.map((each, index) => each.write(write(index))));
}

const good = JSON.stringify(aReview(rightUpdate));
/** A whole call that may take long. */
const patient = (body: string) =>
  head([`Content-Length: ${Buffer.byteLength(body)}`], "30s") + body;
const asked = (name: string) => api.requests.filter((url) => url.includes(getOf(name))).length;
const inFlight = () => webhook.metric("engine_admission_in_flight");

test("of reviews of unknown ECs only a quarter of the places waits for the API server", async () => {
  api.fault = ({ pathname }) => (pathname.includes(getOf("unknown")) ? "hang" : undefined);
  const count = 100 * load;
  await attack(count, (index) => patient(reviewOf(`unknown-${index}`)));
  const turnedAway = () => attackers.filter((each) => /^HTTP\/1.1 503 /.test(each.text())).length;
  while (turnedAway() < count - 32) {
    await inFlight();
  }
  expectAllowed(await verdictsOf(good));
  expect(await inFlight()).toBe(32);
  const names = api.requests.filter((url) => url.includes("unknown"));
  expect(new Set(names).size).toBeLessThanOrEqual(16);
  // which of them waits is a matter of arrival
  const refused = attackers.find((each) => /^HTTP\/1.1 503 /.test(each.text()));
  expect(refused?.text()).toMatch(/retry-after: 1\r\n[^]*too many reviews wait/i);
});

test("an EC that is absent is asked for now and then, not for every review", async () => {
  const unknown = reviewOf("unknown");
  expect(await verdictsOf(unknown)).toEqual(Array.from({ length: 100 }, () => true));
  expect(asked("unknown")).toBeLessThan(50);
});

test("an EC that was absent a moment ago counts as soon as it is there", async () => {
  await api.asked("watch=1");
  blind();
  const byItsEc = reviewOf("new", "8.4");
  expect(await verdictOf(reviewOf("new"))).toBe(true);
  expect(await verdictOf(byItsEc)).toBe(false);
  api.put({ name: "new", versions: ["7.2", "8.4"] });
  expect(await verdictOf(byItsEc)).toBe(true);
});

test("an EC that the watch shows is judged by, whatever was remembered", async () => {
  await api.asked("watch=1");
  const minor = reviewOf("new", "7.4");
  expect(await verdictOf(minor)).toBe(true);
  api.put({ name: "new", policy: "major" });
  while (!webhook.log().includes('"ec":"engine/new"')) await inFlight();
  expect(await verdictOf(minor)).toBe(false);
});

test.each([
  ["a first chunk", 2, 1],
  ["a first chunk, from many", 20 * load, 1],
  ["300 KiB", 2, 300 * 1024],
])("bodies without a length that stop after %s take no room", async (_name, count, length) => {
  await attack(
    count,
    () => head(["Transfer-Encoding: chunked"], "30s") + chunk(" ".repeat(length)).toString(),
  );
  while ((await inFlight()) < count) continue;
  const large = padded({ ...aReview(rightUpdate) }, 300 * 1024);
  expectAllowed(await verdictsOf(large, 2));
});

test("connections to the metrics port that never say what they want take no room", async () => {
  const count = 750 * load;
  await attack(count, () => "GET /metr", webhook.metricsPort);
  expectAllowed(await verdictsOf(good));
  expect(await inFlight()).toBe(0);
  expect(webhook.descriptors()).toBeLessThan(200);
  expect(attackers.filter(({ isClosed }) => !isClosed).length).toBeLessThanOrEqual(64);
});

test("who holds the metrics port is sent away after the time that a head may take", async () => {
  await attack(1, () => "GET /metr", webhook.metricsPort);
  await attackers[0]?.closed();
  expect(attackers[0]?.text()).toMatch(/^HTTP\/1.1 408 /);
});

describe("a live read that hangs", () => {
  const fresh = reviewOf("fresh");
  let hangs = true;

  beforeEach(async () => {
    await api.asked("watch=1");
    hangs = true;
    blind(() => (hangs ? "hang" : undefined));
    api.put({ name: "fresh", policy: "major" });
  });

  test("holds nobody who asks after it", async () => {
    await attack(16, () => patient(fresh));
    await api.asked(getOf("fresh"));
    hangs = false;
    expectAllowed(await verdictsOf(fresh));
  });

  test("is sent again for those who have asked already", async () => {
    await attack(100, () => patient(fresh));
    await api.asked(getOf("fresh"), 3);
    hangs = false;
    const answers = await Promise.all(attackers.map((each) => each.answers(1)));
    const statuses = answers.map(([answer]) => answer?.status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(32);
    expect(statuses.every((status) => status === 200 || status === 503)).toBe(true);
  });

  test("of an EC that is unknown holds no good edit", async () => {
    await attack(100 * load, (index) => patient(reviewOf(`unknown-${index}`)));
    await api.asked(getOf("unknown"), 16);
    expectAllowed(await verdictsOf(good));
  });
});
