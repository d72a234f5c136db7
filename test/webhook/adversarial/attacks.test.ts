/**
 * Abuse over raw sockets against the real process. After each attack it is alive, judges right, has
 * nothing in flight, and has written nothing of what the body held.
 */
import { gzipSync } from "node:zlib";
import { anEdb, anUpdate, aReview, rightUpdate, wrongUpdate } from "../reviews";
import { RawConnection } from "./raw-connection";
import { startWebhookProcess, type WebhookProcess } from "./webhook-process";
import { chunk, head, marker, padded, post } from "./wire";

let webhook: WebhookProcess;

beforeAll(async () => {
  webhook = await startWebhookProcess();
});

afterAll(async () => {
  await webhook.stop();
});

const right = JSON.stringify(aReview(rightUpdate));
const wrong = JSON.stringify(aReview(wrongUpdate));
/** Sends bytes as one call and reads what comes of it. */
async function exchange(bytes: string | Buffer): Promise<string> {
  const connection = await webhook.open();
  await connection.write(bytes);
  const reply = await connection.reply();
  connection.destroy();
  return reply;
}

let marks = 0;

/** The length of the log with the line of every call so far: lines of reviews are written together. */
async function logLength(): Promise<number> {
  const uid = `mark-${(marks += 1)}`;
  await webhook.review(right.replace("uid-1", uid));
  for (let looks = 0; looks < 1_000; looks += 1) {
    if (webhook.log().includes(`"${uid}"`)) return webhook.log().length;
    await webhook.metric("engine_admission_in_flight");
  }
  throw new Error("a line of the log does not come");
}

afterEach(async () => {
  await webhook.untilIdle();
  expect(webhook.isAlive()).toBe(true);
  const answer = { status: 200, body: { response: { allowed: true } } };
  expect(await webhook.review(right)).toMatchObject(answer);
  expect(webhook.log()).not.toContain(marker);
});

/** A right review whose object carries this text as well. */
const rightWith = (text: string) =>
  JSON.stringify(aReview(rightUpdate)).replace('"object":{', `"object":{${text},`);
const deep = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
const secret = `"x":"${marker}"`;

describe("bodies", () => {
  const version = '"engineVersion":"8.0"';
  const spec = (text: string) => right.replace(version, text);
  const versions = (first: string, second: string) =>
    spec(`"engineVersion":"${first}","engineVersion":"${second}"`);
  const modules = (...names: readonly string[]) => {
    const moduleList = names.map((name) => ({ name }));
    return JSON.stringify(
      aReview(anUpdate({ engineVersion: "7.2" }, { engineVersion: "8.0", moduleList })),
    );
  };
  const at = (depth: number) => rightWith(`"deep":${deep(depth)}`);
  const latin = Buffer.from(rightWith(secret).replace("db1", "\u00ff"), "latin1");
  const protobuf = Buffer.concat([Buffer.from("k8s\0"), Buffer.from(right)]);
  const manyKeys = Array.from({ length: 4e5 }, (_, key) => `"k${key}":0`).join(",");
  const allowed = /^HTTP\/1.1 200 [^]*"allowed":true/;
  const denied = /^HTTP\/1.1 200 [^]*"allowed":false/;
  const bad = /^HTTP\/1.1 400 /;

  test.each<[string, string | Buffer, RegExp]>([
    ["JSON that breaks off", rightWith(secret).slice(0, -9), bad],
    ["no JSON at all", marker, bad],
    ["two documents", `${right}${right}`, bad],
    ["a null character at the end", `${right}\u0000`, bad],
    ["a byte order mark", `\ufeff${right}`, bad],
    ["bytes that are no UTF-8", latin, bad],
    ["UTF-16", Buffer.from(right, "utf16le"), bad],
    ["gzip that is not announced", gzipSync(right), bad],
    ["protobuf that is not announced", protobuf, bad],
    ["nine hundred thousand levels where nobody looks", at(9e5), allowed],
    ["a million levels where nobody looks", at(1e6), allowed],
    ["a million levels of the version", spec(`"engineVersion":${deep(1e6)}`), denied],
    ["a million levels, never closed", rightWith(`"deep":${"[".repeat(1e6)}`).slice(0, -9), bad],
    ["a million levels in place of the review", deep(1e6), bad],
    ["a hundred thousand levels of the version", spec(`"engineVersion":${deep(1e5)}`), denied],
    ["a version that was right and is said again", versions("8.0", "9.9"), denied],
    ["a version that was wrong and is said again", versions("9.9", "8.0"), allowed],
    ["two requests", right.replace(/}$/, `,"request":${JSON.stringify(wrongUpdate)}}`), denied],
    ["a version in __proto__", spec('"__proto__":{"engineVersion":"9.9"}'), allowed],
    ["a spec in __proto__", rightWith('"__proto__":{"spec":7}'), allowed],
    ["a request in __proto__", `{"__proto__":${right}}`, bad],
    ["a version that is a constructor", spec('"engineVersion":"constructor"'), denied],
    ["modules named as members of every object", modules("__proto__", "constructor"), denied],
    ["an EC named __proto__", right.replaceAll('"name":"ec"', '"name":"__proto__"'), allowed],
    [
      "a namespace",
      right.replace('"namespace":"engine","op', '"namespace":"constructor","op'),
      allowed,
    ],
    ["a number beyond every range", spec('"engineVersion":1e999'), denied],
    ["terminal escapes in a module's name", modules("\u001b[31m\u009b\n"), denied],
    ["half a surrogate pair", spec('"engineVersion":"\\ud800"'), denied],
    [
      "six megabytes of brackets",
      rightWith(`"x":[${"{},".repeat(2e6)}{}]`),
      /^HTTP\/1.1 (200|400) /,
    ],
    ["six megabytes of keys", rightWith(manyKeys), allowed],
  ])("%s", async (_name, body, expected) => {
    const reply = await exchange(post(body));
    expect(reply.slice(0, 2_000)).toMatch(expected);
    expect(reply.length).toBeLessThan(32_768);
    expect(reply).not.toMatch(/[^\x20-\x7e\r\n]/);
    expect(await webhook.metric("engine_admission_panics_total")).toBe(0);
  });

  test("no depth of a judged field is left without an answer", async () => {
    const far = `"padding":"${"x".repeat(300_000)}"`;
    for (const depth of [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000]) {
      const body = rightWith(far).replace(version, `"engineVersion":${deep(depth)}`);
      expect(await exchange(post(body))).toMatch(/^HTTP\/1.1 (200 [^]*"allowed":false|400 )/);
    }
  });
});

describe("answers are bounded", () => {
  const limit = 32_768;
  const named = (list: readonly unknown[], more: object = {}) =>
    JSON.stringify(
      aReview(
        anUpdate({ engineVersion: "7.2" }, { engineVersion: "9.9", moduleList: list, ...more }),
      ),
    );
  const many = (one: (at: number) => unknown) => Array.from({ length: 1e5 }, (_, at) => one(at));

  test.each<[string, string]>([
    ["modules that are not there", named(many((at) => ({ name: `m${at}` })))],
    ["modules of one name", named(many(() => ({ name: "nothing" })))],
    ["modules without a name", named(many(() => ({})))],
    ["modules that are numbers", named(many((at) => at))],
    [
      "modules in both lists",
      named([{ name: "a" }], { modulesList: many((at) => ({ name: `b${at}` })) }),
    ],
    ["a module of a long name", named([{ name: "y".repeat(1e6) }])],
  ])("%s", async (_name, body) => {
    const reply = await exchange(post(body));
    expect(reply.length).toBeLessThan(limit);
    const causes = [...reply.matchAll(/"field":"/g)].length;
    expect(causes).toBeLessThanOrEqual(32);
    expect(reply).toMatch(/"allowed":false/);
    if (causes === 32) expect(reply).toMatch(/\d+ more problems from here on are not shown/);
  });

  const annotated = (zeros: number) => {
    const annotations = {
      "engine.io/admission-bypass": "x",
      "engine.io/admission-bypass-until": `2020-01-01T00:00:00.${"0".repeat(zeros)}Z`,
    };
    const object = anEdb({ engineVersion: "9.9" }, { annotations });
    return JSON.stringify(aReview({ ...wrongUpdate, object }));
  };
  const denied = /"allowed":false/;
  const megabyte = (letter: string) => `"${letter.repeat(1e6)}"`;

  test.each<[string, string, RegExp]>([
    ["an engine version of a megabyte", right.replace('"8.0"', megabyte("8")), denied],
    ["an end of the bypass of a megabyte", annotated(1e6), denied],
    ["an end of the bypass of some kilobytes", annotated(9_000), denied],
    ["a uid of a megabyte", right.replace('"uid-1"', megabyte("u")), /^HTTP\/1.1 400 /],
    ["a name of a megabyte", wrong.replaceAll('"db1"', megabyte("n")), denied],
    ["a kind of a megabyte", wrong.replaceAll('"EngineEnterpriseDatabase"', megabyte("k")), denied],
    ["an EC's name of a megabyte", wrong.replaceAll('"ec"', megabyte("e")), denied],
  ])("%s", async (_name, body, expected) => {
    const before = await logLength();
    const reply = await exchange(post(body));
    expect(reply.slice(0, 3_000)).toMatch(expected);
    expect(reply.length).toBeLessThan(limit);
    await webhook.untilIdle();
    expect((await logLength()) - before).toBeLessThan(4_096);
  });
});

describe("the framing of a call", () => {
  const tooLong = Buffer.alloc(1024 * 1024, 32);
  const length = Buffer.byteLength(right);
  const chunked = head(["Transfer-Encoding: chunked"]);

  const endless = [...Array.from({ length: 9 }, () => chunk(tooLong)), Buffer.from("0\r\n\r\n")];
  const dripping = [...Array.from(right, (each) => chunk(each)), Buffer.from("0\r\n\r\n")];
  const framed = (...lines: readonly string[]) => head(lines) + right;
  const own = `Content-Length: ${length}`;
  const trailers = `${chunked}0\r\n${"T: t\r\n".repeat(50_000)}`;
  const proto = "application/vnd.kubernetes.protobuf";

  test.each<[string, string | Buffer, RegExp | number]>([
    ["gzip that is announced", post(gzipSync(right), ["Content-Encoding: gzip"]), 415],
    ["protobuf", post(right).toString().replace("application/json", proto), 415],
    ["chunks beyond the limit", Buffer.concat([Buffer.from(chunked), ...endless]), 413],
    ["chunks of one byte each", Buffer.concat([Buffer.from(chunked), ...dripping]), 200],
    ["a chunk whose length is not a number", `${chunked}zz\r\n${right}\r\n0\r\n\r\n`, 400],
    ["a chunk longer than every number", `${chunked}${"f".repeat(40)}\r\n{`, 400],
    ["a chunk's extension without an end", `${chunked}1;${"e".repeat(1e5)}`, /^HTTP\/1.1 4\d\d /],
    ["trailers without an end", trailers, /^HTTP\/1.1 4\d\d /],
    ["a length and chunks", head([own, "Transfer-Encoding: chunked"]) + `0\r\n\r\n${right}`, 400],
    ["chunks and a length", head(["Transfer-Encoding: chunked", own]) + `0\r\n\r\n${right}`, 400],
    ["two lengths that differ", framed(own, "Content-Length: 5"), 400],
    ["two lengths that agree", framed(own, own), 400],
    ["a negative length", framed("Content-Length: -1"), 400],
    ["a coding that nobody knows", framed("Transfer-Encoding: x-mine"), /^HTTP\/1.1 4\d\d /],
    ["no HTTP", "\u0000\u0001\u0002garbage\r\n\r\n", 400],
    ["HTTP/0.9", "GET /admission\r\n\r\n", /^HTTP\/1.1 4\d\d /],
    ["the preface of HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400],
    ["heads beyond the limit", head([`X: ${"h".repeat(100_000)}`]), 431],
    ["ten thousand headers", head(Array.from({ length: 10_000 }, (_, at) => `X-${at}: 1`)), 431],
    ["a null character in a header", head([`X: a\u0000b`, "Content-Length: 0"]), 400],
    ["a header over two lines", head([`X: a\r\n b: c`, "Content-Length: 0"]), 400],
    ["CONNECT", "CONNECT /admission HTTP/1.1\r\nHost: x\r\n\r\n", /^($|HTTP\/1.1 4)/],
    [
      "an upgrade",
      post(right, ["Connection: Upgrade", "Upgrade: websocket"]),
      /^HTTP\/1.1 (200|4\d\d) /,
    ],
    ["an expectation that nobody meets", post(right, ["Expect: wonders"]), 417],
    [
      "an expectation to continue",
      post(right, ["Expect: 100-continue"]),
      /^HTTP\/1.1 100 [^]*HTTP\/1.1 200 /,
    ],
    ["a timeout that is none", head([own], "9".repeat(9_000)) + right, 200],
  ])("%s", async (_name, bytes, expected) => {
    const form = typeof expected === "number" ? RegExp(`^HTTP/1.1 ${expected} `) : expected;
    expect((await exchange(bytes)).slice(0, 2_000)).toMatch(form);
  });

  test("a name that is not the webhook's gets the same certificate and the same answer", async () => {
    const connection = await webhook.open("evil.example");
    await connection.write(post(right));
    expect((await connection.answers(1)).map(({ status }) => status)).toEqual([200]);
    connection.destroy();
  });

  test("what is not TLS is closed", async () => {
    const connection = await RawConnection.open({ port: webhook.port });
    await connection.write(post(rightWith(secret)));
    await connection.closed();
    expect(connection.text()).not.toContain("HTTP");
  });
});

describe("callers that go away", () => {
  test.each<[string, string | Buffer]>([
    ["within the head", head([]).slice(0, 40)],
    ["after the head", head(["Content-Length: 100000"])],
    ["within a small body", head(["Content-Length: 100000"]) + `{${secret}`],
    ["within a large body", head(["Content-Length: 6000000"]) + `{${secret},"${"x".repeat(1e6)}`],
    ["within a chunk", head(["Transfer-Encoding: chunked"]) + `ffff\r\n{${secret}`],
    ["once a small body is there", post(rightWith(secret))],
    ["once a large body is there", post(padded(aReview(rightUpdate), 6e6))],
  ])("%s leave nothing behind, cut or closed", async (_name, bytes) => {
    const connections = await Promise.all([webhook.open(), webhook.open()]);
    await Promise.all(connections.map((each) => each.write(bytes)));
    const [cut, closed] = connections;
    cut.destroy();
    closed.socket.end();
    await closed.closed();
    expect(closed.text()).toMatch(/^($|HTTP\/1.1 (400|200) )/);
  });

  test("a pipeline that is cut leaves nothing in flight", async () => {
    const missing = JSON.stringify(aReview(rightUpdate)).replaceAll('"name":"ec"', '"name":"gone"');
    for (const body of [right, wrong, missing]) {
      const connection = await webhook.open();
      await connection.write(Buffer.concat(Array.from({ length: 100 }, () => post(body))));
      connection.destroy();
    }
    await webhook.untilIdle();
  });
});

describe("pipelining", () => {
  const numbered = (count: number) =>
    Array.from({ length: count }, (_, at) => post(right.replace("uid-1", `uid-${at}`)));
  const uids = (answers: readonly { readonly body: string }[]) =>
    answers.map(({ body }) => /"uid":"(uid-\d+)"/.exec(body)?.[1]);

  test("a hundred calls at once are answered in order", async () => {
    const connection = await webhook.open();
    await connection.write(Buffer.concat(numbered(100)));
    const answers = await connection.answers(100);
    connection.destroy();
    expect(uids(answers)).toEqual(Array.from({ length: 100 }, (_, at) => `uid-${at}`));
  });

  test("calls after one that is broken are never taken for others", async () => {
    const connection = await webhook.open();
    await connection.write(
      Buffer.concat([...numbered(1), post(wrong, ["Transfer-Encoding: chunked"]), ...numbered(2)]),
    );
    await connection.closed();
    const statuses = (await connection.answers(4)).map(({ status }) => status);
    expect([[200, 400], [400]]).toContainEqual(statuses);
  });

  test("a caller that never reads its answers holds no place", async () => {
    const connections = await Promise.all(Array.from({ length: 16 }, () => webhook.open()));
    const moduleList = Array.from({ length: 40 }, (_, at) => ({ name: `m${at}` }));
    const causes = JSON.stringify(
      aReview(anUpdate({ engineVersion: "7.2" }, { engineVersion: "9.9", moduleList })),
    );
    const many = Buffer.concat(Array.from({ length: 1_000 }, () => post(causes)));
    for (const each of connections) {
      each.socket.pause();
      each.socket.write(many);
    }
    for (let count = 0; count < 20; count += 1) {
      const { status } = await webhook.review(right);
      expect([200, 429]).toContain(status);
    }
    await webhook.untilIdle();
    for (const each of connections) each.destroy();
  });
});
