/**
 * More of everything than the webhook takes: slow callers, idle connections, large bodies.
 * `ENGINE_FLOOD=4` opens as many idle connections as CI does: handshakes take their time.
 */
import { execFileSync } from "node:child_process";
import { aReview, rightUpdate } from "../reviews";
import { RawConnection } from "./raw-connection";
import { startWebhookProcess, type WebhookProcess } from "./webhook-process";
import { chunk, head, marker, padded, post } from "./wire";

const load = Number(process.env["ENGINE_FLOOD"] ?? 1);
const encrypted = 400 * load;

const right = JSON.stringify(aReview(rightUpdate));
let webhook: WebhookProcess;

beforeEach(async () => {
  webhook = await startWebhookProcess();
});

afterEach(async () => {
  await webhook.untilIdle();
  expect(webhook.isAlive()).toBe(true);
  expect((await review()).status).toBe(200);
  expect(webhook.log()).not.toContain(marker);
  await webhook.stop();
});

const review = () => webhook.review(right);
const open = () => webhook.open();

function openMany(count: number, target: () => Promise<RawConnection>) {
  return Promise.all(Array.from({ length: count }, target));
}

const destroyAll = (connections: readonly RawConnection[]) => {
  for (const each of connections) each.destroy();
};

describe("slow callers", () => {
  test("a head that does not end is answered and closed", async () => {
    const connection = await open();
    await connection.write(head([]).slice(0, 30));
    await connection.closed();
    expect(connection.text()).toMatch(/^HTTP\/1.1 408 /);
  });

  test("a body that does not end is told to come again, and closed", async () => {
    const connection = await open();
    await connection.write(`${head(["Content-Length: 999"], "1s")}{"${marker}`);
    await connection.closed();
    expect(connection.text()).toMatch(/^HTTP\/1.1 503 [^]*did not arrive in time/);
  });

  test("a body that drips is cut off all the same", async () => {
    const connection = await open();
    await connection.write(head(["Transfer-Encoding: chunked"], "1s"));
    const drip = setInterval(() => connection.socket.write(chunk(" ")), 50);
    await connection.closed();
    clearInterval(drip);
    expect(connection.text()).toMatch(/^HTTP\/1.1 503 /);
  });

  test.each([
    ["small", "Content-Length: 999"],
    ["large", "Content-Length: 7000000"],
    ["chunked", "Transfer-Encoding: chunked"],
  ])("any number of %s bodies that do not arrive shuts nobody out", async (_name, length) => {
    const connections = await openMany(300, open);
    await Promise.all(connections.map((each) => each.write(head([length], "30s"))));
    for (let count = 0; count < 20; count += 1) expect((await review()).status).toBe(200);
    destroyAll(connections);
  });
});

describe("idle connections", () => {
  const wanted = 2_500 * load;
  const descriptors = Number(execFileSync("sh", ["-c", "ulimit -n"], { encoding: "utf8" }));
  // this process needs descriptors for other things too
  const count = Math.min(wanted, descriptors - 500);
  const reason = count < wanted ? `: no more, ulimit -n is ${descriptors}` : "";

  test(`${count} that never say a word leave room for reviews${reason}`, async () => {
    const kept = await open();
    await kept.write(post(right));
    const connections: RawConnection[] = [];
    while (connections.length < count) {
      connections.push(...(await openMany(500, () => RawConnection.open({ port: webhook.port }))));
      expect((await review()).status).toBe(200);
    }
    // the one that was used before all of them has not been cut
    await kept.write(post(right));
    expect(await kept.answers(2)).toHaveLength(2);
    expect(connections.filter(({ isClosed }) => !isClosed).length).toBeLessThanOrEqual(1_100);
    destroyAll([...connections, kept]);
  });

  test("more than the process may have open shut nobody out", async () => {
    const few = ["/bin/sh", "-c", 'ulimit -n 1024; exec "$@"', "sh"];
    const limited = await startWebhookProcess({}, "ready", few);
    const { port, ca } = limited;
    const connections: RawConnection[] = [];
    for (let round = 0; round < 3; round += 1) {
      connections.push(...(await openMany(500, () => RawConnection.open({ port }))));
    }
    for (let count = 0; count < 20; count += 1) {
      const fresh = await RawConnection.open({ port, ca });
      await fresh.write(post(right));
      expect(await fresh.answers(1)).toMatchObject([{ status: 200 }]);
      connections.push(fresh);
    }
    destroyAll(connections);
    await limited.stop();
  });

  test(`${encrypted} that are encrypted leave room, and cost little memory`, async () => {
    const connections: RawConnection[] = [];
    while (connections.length < encrypted) {
      connections.push(...(await openMany(50, open)));
      if (connections.length % 200 === 0) expect((await review()).status).toBe(200);
    }
    expect((await review()).status).toBe(200);
    process.stdout.write(`${encrypted} idle: peak ${Math.round(webhook.peakMiB())} MiB\n`);
    expect(webhook.peakMiB()).toBeLessThan(192);
    destroyAll(connections);
  });
});

describe("large bodies", () => {
  const large = () => padded({ ...aReview(rightUpdate) }, 6 * 2 ** 20);

  test("twenty of six megabytes at once stay below 192 MiB, or some are told to come again", async () => {
    const body = post(large());
    const connections = await openMany(20, open);
    for (const each of connections) void each.write(body);
    const answers = await Promise.all(connections.map((each) => each.answers(1)));
    const statuses = answers.map(([answer]) => answer?.status);
    const shed = statuses.filter((status) => status === 429).length;
    const peak = webhook.peakMiB();
    process.stdout.write(`twenty large bodies: peak ${Math.round(peak)} MiB, ${shed} shed\n`);
    expect(statuses.every((status) => status === 200 || status === 429)).toBe(true);
    expect(statuses).toContain(200);
    // the second figure is what no machine's way of collecting garbage may exceed
    expect(peak).toBeLessThan(shed === 0 ? 192 : 224);
    destroyAll(connections);
  });

  test("callers that send large bodies and go away do not pile them up", async () => {
    const body = post(large());
    for (let round = 0; round < 10 * load; round += 1) {
      const connections = await openMany(4, open);
      await Promise.all(connections.map((each) => each.write(body)));
      destroyAll(connections);
    }
    process.stdout.write(`large bodies and gone: peak ${Math.round(webhook.peakMiB())} MiB\n`);
    expect(webhook.peakMiB()).toBeLessThan(256);
  });

  const costly = (text: string) => right.replace('"object":{', `"object":{"x":${text},`);

  test.each<[string, string]>([
    ["text", large()],
    ["many small objects", costly(`[${"{},".repeat(2 ** 20)}{}]`)],
    [
      "many modules",
      right.replace(
        '"engineVersion":"8.0"',
        `"engineVersion":"8.0","moduleList":[${'{"name":"x"},'.repeat(100_000)}{}]`,
      ),
    ],
  ])("a small review is answered beside six megabytes of %s", async (_name, body) => {
    const connections = await openMany(2, open);
    const [large, small] = connections;
    await large?.write(post(body));
    await small?.write(post(right));
    expect((await small?.answers(1))?.map(({ status }) => status)).toEqual([200]);
    const [last] = (await large?.answers(1)) ?? [];
    expect([200, 400]).toContain(last?.status);
    destroyAll(connections);
  });

  test("a body of more judged values than can be stored is refused alone", async () => {
    const version = `[${"[],".repeat(2.4e6)}[]]`;
    const hostile = right.replace('"engineVersion":"8.0"', `"engineVersion":${version}`);
    const usual = post(padded(aReview(rightUpdate), 2 ** 20));
    const connections = await openMany(3, open);
    const [first, second, third] = connections;
    await first?.write(post(hostile));
    await Promise.all([second?.write(usual), third?.write(usual)]);
    const answers = await Promise.all(connections.map((each) => each.answers(1)));
    const peak = webhook.peakMiB();
    process.stdout.write(`millions of values: peak ${Math.round(peak)} MiB\n`);
    expect(answers.map(([answer]) => answer?.status)).toEqual([400, 200, 200]);
    expect(peak).toBeLessThan(192);
    destroyAll(connections);
  });

  test("the densest body that is read stays below 192 MiB", async () => {
    const version = `[${"[],".repeat(1e6)}[]]`;
    const dense = right.replace('"engineVersion":"8.0"', `"engineVersion":${version}`);
    const connection = await open();
    await connection.write(post(dense));
    const [answer] = await connection.answers(1);
    process.stdout.write(`dense body: peak ${Math.round(webhook.peakMiB())} MiB\n`);
    expect(answer?.status).toBe(200);
    expect(webhook.peakMiB()).toBeLessThan(192);
    connection.destroy();
  });
});
