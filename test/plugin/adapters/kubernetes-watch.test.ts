import { connect } from "../../../plugin/adapters/kubernetes/connect";
import { splitLines } from "../../../plugin/adapters/http/answer";
import { ApiError, UnavailableError } from "../../../plugin/domain/base/errors";
import type { KubeClient, WatchEvent, WatchOptions } from "../../../plugin/ports/kubernetes";
import {
  type FakeApiServer,
  type Handler,
  type Reply,
  startFakeApiServer,
  status,
  configMaps,
} from "../../support/api-server";

let server: FakeApiServer;
let cluster: KubeClient;
let handler: Handler;
let stop: AbortController;

beforeEach(async () => {
  stop = new AbortController();
  server = await startFakeApiServer((request) => handler(request));
  cluster = await connect({ server: server.url, namespace: "mine" }, {});
});

afterEach(async () => {
  cluster.close();
  await server.close();
});

const object = (name: string, resourceVersion = "7") => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, resourceVersion },
});
const line = (type: string, inner: object): string =>
  `${JSON.stringify({ type, object: inner })}\n`;
const lines = (...all: readonly string[]): Reply => ({
  body: all.join(""),
  headers: { "content-type": "application/json" },
});
const gone = { kind: "Status", code: 410, reason: "Expired", message: "too old" };

function watch(options: Partial<WatchOptions> = {}): AsyncIterable<WatchEvent> {
  return cluster.watch(configMaps, { signal: stop.signal, ...options });
}

/** The events that came, and how the watch ended. */
async function events(options: Partial<WatchOptions> = {}): Promise<readonly unknown[]> {
  const seen: unknown[] = [];
  try {
    for await (const event of watch(options)) seen.push(event);
    return [...seen, "ended"];
  } catch (error) {
    return [...seen, error];
  }
}

describe("what is asked for", () => {
  const always = { watch: "true", allowWatchBookmarks: "true" };
  const rows: readonly {
    readonly name: string;
    readonly options: Partial<WatchOptions>;
    readonly expected: object;
  }[] = [
    {
      name: "all objects of a kind",
      options: {},
      expected: { path: "/api/v1/configmaps", query: always },
    },
    {
      name: "those of a namespace",
      options: { namespace: "ns" },
      expected: { path: "/api/v1/namespaces/ns/configmaps", query: always },
    },
    {
      name: "changes after a version, selected",
      options: { resourceVersion: "5", labelSelector: "a=b", fieldSelector: "metadata.name=x" },
      expected: {
        query: {
          ...always,
          resourceVersion: "5",
          labelSelector: "a=b",
          fieldSelector: "metadata.name=x",
        },
      },
    },
  ];

  test.each(rows)("$name", async ({ options, expected }) => {
    handler = () => lines();
    await events(options);
    expect(server.requests).toEqual([expect.objectContaining({ method: "GET", ...expected })]);
    expect(server.requests[0]?.headers).not.toHaveProperty("accept-encoding");
  });

  test("nothing when the signal was aborted before", async () => {
    stop.abort();
    expect(await events()).toEqual(["ended"]);
    expect(server.requests).toEqual([]);
  });
});

describe("what is told", () => {
  test("changes in their order and bookmarks, until the server ends the stream", async () => {
    handler = () =>
      lines(
        line("ADDED", object("ä".repeat(99))),
        line("MODIFIED", object("b")),
        line("BOOKMARK", { kind: "ConfigMap", metadata: { resourceVersion: "9" } }),
        line("DELETED", object("b")),
      );
    expect(await events()).toEqual([
      { type: "ADDED", object: object("ä".repeat(99)) },
      { type: "MODIFIED", object: object("b") },
      { type: "BOOKMARK", resourceVersion: "9" },
      { type: "DELETED", object: object("b") },
      "ended",
    ]);
  });

  test("a version that is too old is ApiError 410, told by the stream", async () => {
    handler = () => lines(line("ADDED", object("a")), line("ERROR", gone));
    const [first, error] = await events();
    expect(first).toMatchObject({ type: "ADDED" });
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: 410, reason: "Expired", message: "too old" });
  });

  test.each([
    ["a kind that is not served", 404, "NotFound"],
    ["a version that is too old, told before the stream", 410, "Expired"],
  ])("%s is ApiError %i", async (_, code, reason) => {
    handler = () => status(code, reason, { message: "no" });
    const [error] = await events();
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ status: code, reason, message: "no" });
  });

  test.each([
    ["no JSON", "<html>\n"],
    ["no event", `${JSON.stringify({ kind: "ConfigMapList" })}\n`],
    ["a change without an object", line("ADDED", {})],
  ])("%s is UnavailableError", async (_, body) => {
    handler = () => lines(body);
    const [error] = await events({ namespace: "ns" });
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).toMatchObject({
      message: `no answer to watch configmaps in namespace ns from the API server ${server.url}: the answer cannot be read`,
    });
  });

  test("a connection that is lost is UnavailableError, after what had come", async () => {
    const first = line("ADDED", object("a"));
    handler = () => ({ ...lines(first, " ".repeat(first.length)), instead: "cut" });
    const [event, error] = await events();
    expect(event).toMatchObject({ type: "ADDED" });
    expect(error).toBeInstanceOf(UnavailableError);
    expect(error).toMatchObject({
      message: expect.stringContaining("connection was reset") as string,
    });
  });
});

describe("how it ends", () => {
  test("an abort ends it while nothing happens", async () => {
    handler = () => ({ ...lines(line("ADDED", object("a"))), instead: "open" });
    const seen: unknown[] = [];
    for await (const event of watch()) {
      seen.push(event);
      setImmediate(() => {
        stop.abort();
      });
    }
    expect(seen).toHaveLength(1);
  });

  test("an abort leaves out what has come already", async () => {
    handler = () => lines(line("ADDED", object("a")), line("ADDED", object("b")));
    const seen: unknown[] = [];
    for await (const event of watch()) {
      seen.push(event);
      stop.abort();
    }
    expect(seen).toHaveLength(1);
  });

  test("an abort ends it before the server has answered", async () => {
    handler = () => ({ instead: "hang" });
    const arrived = server.arrival();
    const ended = events();
    await arrived;
    stop.abort();
    expect(await ended).toEqual(["ended"]);
  });

  test("a reader that stops gives its connection up", async () => {
    handler = ({ query }) =>
      query["watch"] === "true"
        ? { ...lines(line("ADDED", object("a"))), instead: "open" }
        : { body: { kind: "List", items: [] } };
    for await (const event of watch()) {
      expect(event).toMatchObject({ type: "ADDED" });
      break;
    }
    await cluster.list(configMaps);
    expect(server.requests.map(({ connection }) => connection)).toEqual([1, 2]);
  });

  test("closing the cluster ends it as a lost connection", async () => {
    handler = () => ({ ...lines(line("ADDED", object("a"))), instead: "open" });
    const seen: unknown[] = [];
    const reading = (async () => {
      for await (const event of watch()) {
        seen.push(event);
        cluster.close();
      }
    })();
    await expect(reading).rejects.toBeInstanceOf(UnavailableError);
    expect(seen).toHaveLength(1);
  });
});

describe("lines", () => {
  async function* pieces(text: string, size: number): AsyncGenerator<Buffer> {
    const bytes = Buffer.from(text);
    for (let from = 0; from < bytes.length; from += size) {
      yield await Promise.resolve(bytes.subarray(from, from + size));
    }
  }

  test.each([1, 2, 3, 5, 100])("come whole out of pieces of %i bytes", async (size) => {
    const found: string[] = [];
    for await (const one of splitLines(pieces("ä€𝄞\n\n\u2028b\r\nlast", size))) found.push(one);
    expect(found).toEqual(["ä€𝄞", "\u2028b\r", "last"]);
  });
});
