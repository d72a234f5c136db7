import type { RequestListener } from "node:http";
import { join } from "node:path";
import {
  type AdvisoryOptions,
  openAdvisories,
  type OpenedAdvisories,
} from "../../../../plugin/adapters/advisories/open";
import { EngineError, exitCodes, UsageError } from "../../../../plugin/domain/base/errors";
import { aFolder, putFile, sha256 } from "../../../support/a-folder";
import { HandClock } from "../../../support/manual-clock";
import { type ReleaseServer, startReleaseServer } from "../../../support/releases/server";
import { aPair } from "../../../support/tls";
import { yamlBomb } from "../../../support/yaml-bomb";

const row = (code: string, more = ""): string => `  - code: ${code}
    severity: warning
    area: databases
    concerns: database
    title: It is well
    when: database.flash
    cause: a part of its data is on flash
    fix: look at it
    source: notes of 8.4
    examples:
      fires: { database: { flash: true } }
      silent: { database: { flash: false } }
${more}`;

const head = 'apiVersion: advisories/v1\ndate: "2026-11-30"\nadvisories:\n';
const sound = head + row("DATABASE-ONE");
const secret = "s3cr3t";

let folder = "";
beforeEach(() => {
  folder = aFolder("advisories");
});

const put = (path: string, content: string | Buffer): string => putFile(folder, path, content);

async function open(
  sources: readonly string[],
  more: Partial<AdvisoryOptions> = {},
): Promise<readonly OpenedAdvisories[]> {
  const { signal } = new AbortController();
  return await openAdvisories(sources, { env: {}, signal, ...more });
}

async function openOne(source: string, more?: Partial<AdvisoryOptions>): Promise<OpenedAdvisories> {
  const [only] = await open([source], more);
  if (only === undefined) throw new Error("nothing was opened");
  return only;
}

async function errorOf(opened: Promise<unknown>): Promise<EngineError> {
  const error: unknown = await opened.catch((reason: unknown) => reason);
  if (!(error instanceof EngineError)) throw new Error("no error of ours", { cause: error });
  expect([error.message, error.hint].join()).not.toContain(secret);
  return error;
}

describe("a source of advisories", () => {
  test("is a file: its rows, its digest and its date", async () => {
    const file = put("own.yaml", sound);
    const opened = await openOne(file);
    expect(opened).toMatchObject({ file, digest: sha256(sound), date: "2026-11-30", findings: [] });
    expect(opened.rows.map(({ code, origin }) => [code, origin])).toEqual([["DATABASE-ONE", file]]);
  });

  test("is a file of JSON too", async () => {
    const values = { apiVersion: "advisories/v1", date: "2026-11-30", advisories: [] };
    expect((await openOne(put("own.json", JSON.stringify(values)))).rows).toEqual([]);
  });

  test("is a folder: its files in the order of their names, its digest that of the listing", async () => {
    const older = sound.replace("11-30", "10-01");
    put("b.yml", head + row("DATABASE-TWO"));
    put("a.yaml", older);
    put("notes.txt", "no advisories");
    put(".hidden.yaml", "no: advisories");
    put("inner/c.yaml", "no: advisories");
    const opened = await openOne(folder);
    expect(opened.rows.map(({ code }) => code)).toEqual(["DATABASE-ONE", "DATABASE-TWO"]);
    expect(opened.date).toBe("2026-10-01");
    const listing = `${sha256(older)}  a.yaml\n${sha256(head + row("DATABASE-TWO"))}  b.yml\n`;
    expect(opened.digest).toBe(sha256(listing));
  });

  test("is each of several, in their order", async () => {
    const files = [put("b.yaml", sound), put("a.yaml", head + row("DATABASE-TWO"))];
    expect((await open(files)).map(({ file }) => file)).toEqual(files);
  });
});

test("a row that cannot be judged is one error with file, line, column and field, and the others are there", async () => {
  const broken = row("DATABASE-BAD").replace("    cause: a part of its data is on flash\n", "");
  const file = put("own.yaml", head + row("DATABASE-ONE") + broken + row("DATABASE-TWO"));
  const { rows, findings } = await openOne(file);
  expect(rows.map(({ code }) => code)).toEqual(["DATABASE-ONE", "DATABASE-TWO"]);
  expect(findings).toHaveLength(1);
  const [finding] = findings;
  expect(finding).toMatchObject({ code: "ADVISORY-BROKEN", severity: "error" });
  expect(finding?.location).toEqual({ file, line: 16, column: 5 });
  expect(finding?.object).toBe("Advisory/database-bad");
});

describe("a file that cannot be read at all ends with 2:", () => {
  const anchors = head + row("DATABASE-ONE").replace("fix: look", "fix: &x look");
  test.each<[string, string | Buffer, RegExp]>([
    ["no YAML", "advisories: [", /own\.yaml:\d+:\d+: .+/],
    ["an empty file", "# nothing\n", /own\.yaml:1:1: it is empty$/],
    ["two documents", `${sound}---\n${sound}`, /own\.yaml:1:1: it holds several documents/],
    [
      "a key twice",
      sound.replace("date:", 'date: "x"\ndate:'),
      /own\.yaml:3:1: duplicated mapping/,
    ],
    ["an anchor", anchors, /own\.yaml:11:10: an anchor or an alias/],
    ["aliases without an end", yamlBomb, /own\.yaml:1:5: an anchor or an alias/],
    [
      "a condition that begins with !",
      sound.replace("when: database.flash", "when: !has(database.port) && database.flash"),
      /own\.yaml:\d+:11: a text that begins with ! needs quotes/,
    ],
    ["bytes that are no text", Buffer.from([0xc3, 0x28]), /own\.yaml is not text in UTF-8$/],
    ["more than 1 MiB", `# ${"x".repeat(2 ** 20)}\n`, /own\.yaml is larger than 1 MiB$/],
    ["10,000 rows", `${head}${"- code: A\n".repeat(10_000)}`, /own\.yaml:\d+:\d+: .*500/],
    ["no list of rows", "apiVersion: advisories/v1\n", /own\.yaml:1:1: /],
    [
      "a newer form",
      sound.replace("advisories/v1", "advisories/v9"),
      /own\.yaml:1:\d+: it is written for advisories\/v9/,
    ],
  ])("%s", async (_title, content, message) => {
    const error = await errorOf(open([put("own.yaml", content)]));
    expect(error).toBeInstanceOf(UsageError);
    expect(error.exitCode).toBe(exitCodes.usage);
    expect(error.message).toMatch(message);
  });

  test.each<[string, (path: string) => string, RegExp]>([
    ["no file", (path) => join(path, "none.yaml"), /^advisories: no such file: .*none\.yaml$/],
    ["a folder without files", (path) => path, /^advisories: the folder holds no \.yaml/],
  ])("%s", async (_title, choose, message) => {
    const error = await errorOf(open([choose(folder)]));
    expect(error.exitCode).toBe(exitCodes.usage);
    expect(error.message).toMatch(message);
    expect(error.hint).toBeDefined();
  });

  test("a folder of more than 100 files", async () => {
    for (let n = 0; n <= 100; n += 1) put(`${String(n)}.yaml`, sound);
    expect((await errorOf(open([folder]))).message).toMatch(/holds more than 100 files/);
  });
});

describe("& and * in words are no anchors:", () => {
  test.each([
    "'look here & there'",
    '"*all of it"',
    "look here && there",
    "look *there*",
    ">-\n      &look\n      *there",
  ])("%s", async (fix) => {
    const file = put("own.yaml", head + row("DATABASE-ONE").replace("look at it", fix));
    expect((await openOne(file)).rows).toHaveLength(1);
  });
});

describe("a digest", () => {
  const other = "0".repeat(64);

  test.each(["", "sha256:"])("of a file is compared: %j", async (before) => {
    const file = put("own.yaml", sound);
    const opened = await openOne(file, { sha256: [before + sha256(sound).toUpperCase()] });
    expect(opened.rows).toHaveLength(1);
  });

  test("that no source has is named with those that they have, before anything is parsed", async () => {
    const file = put("own.yaml", "advisories: [");
    const error = await errorOf(open([file], { sha256: [other] }));
    expect(error.exitCode).toBe(exitCodes.usage);
    expect(error.message).toBe(
      `--advisories-sha256: no source has ${other}: ${file} has ${sha256("advisories: [")}`,
    );
  });

  test("that is none is refused, and nothing is read", async () => {
    const error = await errorOf(open([join(folder, "none")], { sha256: ["abc"] }));
    expect(error.message).toBe("--advisories-sha256: is not 64 hexadecimal digits");
  });
});

describe("an https URL", () => {
  const pair = aPair({ names: ["127.0.0.1", "localhost"] });
  const trust = { ca: pair.certPem };
  let server: ReleaseServer;
  let answer: RequestListener;
  beforeAll(async () => {
    server = await startReleaseServer((request, response) => {
      answer(request, response);
    }, pair);
  });
  beforeEach(() => {
    answer = (_request, response) => response.end(sound);
  });
  afterAll(async () => {
    await server.close();
  });

  test("is read where its digest was given; its query is never shown", async () => {
    const url = `${server.url}/own.yaml?token=${secret}`;
    const opened = await openOne(url, { trust, sha256: [sha256(sound)] });
    expect(opened.file).toBe(`${server.url}/own.yaml?…`);
    expect(opened.rows.map(({ origin }) => origin)).toEqual([`${server.url}/own.yaml?…`]);
  });

  test.each<[string, readonly string[], string]>([
    ["without a digest", [], ""],
    [
      "with another one",
      ["1".repeat(64)],
      `; --advisories-sha256: no source has ${"1".repeat(64)}: URL has ${sha256(sound)}`,
    ],
  ])("%s is refused, and names the digest that was found", async (_title, given, more) => {
    const error = await errorOf(open([`${server.url}/own.yaml`], { trust, sha256: given }));
    expect(error.exitCode).toBe(exitCodes.usage);
    const told = error.message.replaceAll(`${server.url}/own.yaml`, "URL");
    expect(told).toBe(`advisories URL are not pinned: their SHA-256 is ${sha256(sound)}${more}`);
    expect(error.hint).toContain("--advisories-sha256");
  });

  test.each<[string, (url: string) => string, string]>([
    ["http", (url) => url.replace("https", "http"), "is not on https"],
    ["a login", (url) => url.replace("//", `//user:${secret}@`), "has a login in its address"],
    ["no address", () => "https://[", "the URL of the file of advisories cannot be read"],
  ])("with %s is refused, and nothing is asked", async (_title, change, message) => {
    const before = server.asked.length;
    const error = await errorOf(open([change(server.url)], { trust }));
    expect(error.exitCode).toBe(exitCodes.usage);
    expect(error.message).toContain(message);
    expect(server.asked).toHaveLength(before);
  });

  test("that leads to http is refused", async () => {
    answer = (_request, response) =>
      response.writeHead(302, { location: `http://127.0.0.1/x?token=${secret}` }).end();
    const error = await errorOf(open([`${server.url}/a`], { trust }));
    expect(error.exitCode).toBe(exitCodes.usage);
    expect(error.message).toContain("only https is followed");
    expect(error.hint).toContain("download the file of advisories yourself");
  });

  test("with more than 1 MiB is refused", async () => {
    answer = (_request, response) => response.end(Buffer.alloc(2 ** 20 + 1, "#"));
    const error = await errorOf(open([`${server.url}/a`], { trust }));
    expect(error.message).toBe(`file of advisories ${server.url}/a is larger than 1 MiB`);
  });

  test("that has not arrived whole in time ends with 69", async () => {
    const clock = new HandClock();
    let sent: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => (sent = resolve));
    answer = (_request, response) => {
      response.write("# slow\n", () => {
        sent();
      });
    };
    const opened = errorOf(
      open([`${server.url}/a`], { trust, clock, limits: { longestMs: 1_000 } }),
    );
    await begun;
    clock.pass(1_001);
    const error = await opened;
    expect(error.exitCode).toBe(exitCodes.unavailable);
    expect(error.message).toBe(`${server.url}/a did not arrive whole in time`);
  });
});
