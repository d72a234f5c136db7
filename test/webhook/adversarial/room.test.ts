/** The time and the room that calls have, seen from inside: who has to free space for whom. */
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import express from "express";
import { checkCall, reviewRoute } from "../../../webhook/review/call";
import { Arrivals, bigBody, BodyBudget, InFlight, timeFor } from "../../../webhook/review/room";
import { Connections } from "../../../webhook/server";
import { Health } from "../../../webhook/health";
import { Metrics } from "../../../webhook/metrics";
import { answerReview } from "../../../webhook/review/review";
import { clusterFacts, FakeClusters } from "../fake-clusters";
import { FakeLog } from "../fake-log";
import { aReview, bytesOf, options, wrongUpdate } from "../reviews";

test.each([
  ["one second less than asked", "?timeout=10s", 9_000],
  ["at least a quarter of what was asked", "?timeout=1s", 250],
  ["never more than a registration can ask", "?timeout=5m", 29_000],
  ["the usual one without a query", "", 9_000],
  ["the usual one when it is not a duration", "?timeout=soon", 9_000],
  ["the usual one when nothing is left", "?timeout=0s", 9_000],
])("the time for a review is %s", (_name, query, ms) => {
  expect(timeFor(`/admission${query}`)).toBe(ms);
});

describe("places for reviews", () => {
  test("who is late is given up, the oldest slow one frees space, and no timer is left", () => {
    jest.useFakeTimers();
    const arrivals = new Arrivals();
    const said: string[] = [];
    const arrive = (name: string, latest: number, slow = false) => {
      const giveUp = (why: string) => {
        arrivals.delete(arrival);
        said.push(`${name} ${why}`);
      };
      const arrival = { latest, isSlow: () => slow, giveUp };
      arrivals.add(arrival);
    };
    arrive("first", performance.now() + 10);
    arrive("second", Infinity);
    arrive("third", Infinity, true);
    jest.advanceTimersByTime(100);
    const shed = (["slow", "slow", "any", "any"] as const).map((which) => arrivals.shed(which));
    expect(shed).toEqual([true, false, true, false]);
    expect(said).toEqual(["first late", "third shed", "second shed"]);
    jest.advanceTimersByTime(100);
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  test("the caller that has been sending for longest makes room", () => {
    const inFlight = new InFlight(2);
    const gone: string[] = [];
    for (const name of ["first", "second"]) {
      expect(inFlight.enter()).toBe(true);
      const arrival = {
        latest: Infinity,
        isSlow: () => false,
        giveUp: () => {
          inFlight.arriving.delete(arrival);
          gone.push(name);
          inFlight.leave();
        },
      };
      inFlight.arriving.add(arrival);
    }
    expect(inFlight.enter()).toBe(true);
    expect({ gone, size: inFlight.size }).toEqual({ gone: ["first"], size: 2 });
    inFlight.arriving.shed("any"); // what still arrives keeps a timer going
  });

  test("those that are being judged do not", () => {
    const inFlight = new InFlight(1);
    expect([inFlight.enter(), inFlight.enter()]).toEqual([true, false]);
  });
});

test("one large body is let in however large, and small ones whatever there is", () => {
  const budget = new BodyBudget(10 * bigBody);
  expect([20 * bigBody, bigBody + 1, bigBody].map((size) => budget.take(size))).toEqual([
    true,
    false,
    true,
  ]);
  budget.give(20 * bigBody);
  expect([6, 4, 2].map((part) => budget.take(part * bigBody))).toEqual([true, true, false]);
});

describe("room for large bodies", () => {
  const length = bigBody + 1;
  let server: Server;
  let budget: BodyBudget;
  let inFlight: InFlight;

  beforeEach(async () => {
    budget = new BodyBudget(length + 1);
    inFlight = new InFlight(4);
    const clusters = new FakeClusters();
    const health = new Health({ certificate: () => true, clusters: () => true });
    const parts = { clusters, operatorNamespace: "engine", options, maxBody: 2 * length, health };
    const told = { metrics: new Metrics(), log: new FakeLog() };
    const route = { ...parts, ...told, budget, inFlight };
    server = createServer(express().use(checkCall(route), reviewRoute(route)));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });

  afterEach(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });

  const send = (body: string | Buffer, framing = `Content-Length: ${length}`): Promise<string> =>
    new Promise((resolve) => {
      const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
      socket.setEncoding("utf8").once("data", resolve);
      socket.write(
        `POST /admission HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`,
      );
      socket.write(body);
    });
  const whole = Buffer.alloc(length, 32);

  test("is made by one that hardly moves", async () => {
    const slow = send("{");
    while (inFlight.size === 0) await new Promise(setImmediate);
    const now = performance.now();
    const clock = jest.spyOn(performance, "now").mockReturnValue(now + 600);
    const answers = await Promise.all([slow, send(whole)]);
    clock.mockRestore();
    expect(answers.map((answer) => answer.slice(9, 12))).toEqual(["429", "400"]);
    expect(inFlight.size).toBe(0);
    expect(budget.take(length)).toBe(true);
  });

  test("is taken by a body without a length for what has come of it", async () => {
    const chunked = (bytes: number) =>
      send(`${bytes.toString(16)}\r\n${" ".repeat(bytes)}\r\n`, "Transfer-Encoding: chunked");
    void chunked(bigBody);
    while (inFlight.size === 0) await new Promise(setImmediate);
    expect(budget.take(length)).toBe(true);
    expect(await chunked(length)).toMatch(/^HTTP\/1.1 429 [^]*too many large reviews/);
    budget.give(length);
    void chunked(length);
    while (budget.take(length)) {
      budget.give(length);
      await new Promise(setImmediate);
    }
  });

  test("is not made by one that has only begun", async () => {
    void send("{");
    while (inFlight.size === 0) await new Promise(setImmediate);
    expect(await send(whole)).toMatch(/^HTTP\/1.1 429 /);
    expect(inFlight.size).toBe(1);
  });
});

describe("connections", () => {
  let server: Server;
  let held: (() => void)[];
  let opened: Socket[];

  beforeEach(async () => {
    const connections = new Connections(2);
    held = [];
    opened = [];
    server = createServer((request, response) => {
      if (request.url === "/hold") held.push(() => response.end("held"));
      else response.end("done");
    });
    connections.watch(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  });

  afterEach(async () => {
    for (const each of opened) each.destroy();
    await new Promise((resolve) => server.close(resolve));
  });

  const open = async (): Promise<Socket> => {
    const accepted = new Promise((resolve) => server.once("connection", resolve));
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.on("error", () => {});
    opened.push(socket);
    await accepted;
    return socket;
  };
  const ask = async (socket: Socket, path: string, calls = 1): Promise<void> => {
    const called = new Promise<void>((resolve) => {
      const count = () => {
        calls -= 1;
        if (calls === 0) resolve();
        else server.once("request", count);
      };
      server.once("request", count);
    });
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(calls));
    await called;
  };
  const answered = (socket: Socket) => new Promise((resolve) => socket.once("data", resolve));
  const closed = (socket: Socket) => new Promise((resolve) => socket.once("close", resolve));

  test("one that has waited for longest for its first call goes before one just answered", async () => {
    const unused = await open();
    const used = await open();
    const answer = answered(used);
    await ask(used, "/");
    await answer;
    await Promise.all([closed(unused), open()]);
    const again = answered(used);
    await ask(used, "/");
    await again;
  });

  test("one just dialled, for a call that is about to come, stays", async () => {
    const used = await open();
    const answer = answered(used);
    await ask(used, "/");
    await answer;
    const dialled = await open();
    await Promise.all([closed(used), open()]);
    const first = answered(dialled);
    await ask(dialled, "/");
    await first;
  });

  test("the one that was idle for longest goes, when all were used", async () => {
    const sockets = [await open(), await open()];
    for (const each of sockets) {
      const answer = answered(each);
      await ask(each, "/");
      await answer;
    }
    const [oldest = await open()] = sockets;
    await Promise.all([closed(oldest), open()]);
  });

  test("with calls under way on all of them the newest goes, and the calls are answered", async () => {
    const [first, second] = [await open(), await open()];
    await ask(first, "/hold", 2);
    await ask(second, "/hold");
    await closed(await open());
    const answers = Promise.all([answered(first), answered(second)]);
    for (const release of held) release();
    await answers;
  });
});

test("an EC of ten thousand versions makes no long answer", async () => {
  const versions = Array.from({ length: 10_000 }, (_, at) => `8.${at}`);
  const known = [clusterFacts({ versions })];
  const context = {
    clusters: Object.assign(new FakeClusters(), { known }),
    operatorNamespace: "engine",
    options,
  };
  const body = bytesOf(aReview(wrongUpdate));
  const { reply } = await answerReview(body, context, performance.now() + 5_000);
  expect(reply.body.length).toBeLessThan(4_096);
  expect(reply.body).toContain("9969 more");
});
