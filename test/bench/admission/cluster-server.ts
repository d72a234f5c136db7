/**
 * An API server that holds as many ECs up to date, each with a status as large up to date: it makes
 * them while it sends them, so that it needs next to no memory. It lists in pages, gets, and watches;
 * a watch brings bookmarks and, so many times a second, an EC that has changed.
 */
import { readFileSync } from "node:fs";
import { createServer } from "node:https";
import type { ServerResponse } from "node:http";
import { once } from "node:events";
import { join } from "node:path";
import { defaultNames } from "../../../plugin/domain/names/names";
import { anEc } from "../../webhook/fake-clusters";
import { type ClusterServerOptions, countPath } from "./cluster-options";
import { judgedCluster } from "./reviews";

const options = JSON.parse(process.argv[2] ?? "{}") as ClusterServerOptions;
const { group, ecVersion, ec: kind } = defaultNames;
const root = `/apis/${group}/${ecVersion}`;
const watches = new Set<ServerResponse>();
let revision = 1_000_000;
/** Those for the count are not counted. */
let requests = 0;

/** Statuses are full of small entries; one text is sent for all. */
const shard = { uid: 1, role: "master", node: "node:1", status: "OK", usedMemory: "1.21GB" };
const entry = JSON.stringify(shard);
const filler = Buffer.from(
  Array<string>(Math.ceil(options.statusBytes / (entry.length + 1)))
    .fill(entry)
    .join(","),
);

/** The first one is the EC of the reviews; each other has a namespace of its own. */
function parts(index: number): readonly [Buffer, Buffer, Buffer] {
  const namespace = index === 0 ? "engine" : `tenant-${String(index)}`;
  const ec = anEc({ ...judgedCluster, namespace, resourceVersion: String(1_000 + index) });
  const whole = JSON.stringify({ ...ec, status: { ...ec.status, shards: [] } });
  const cut = whole.lastIndexOf("[]") + 1;
  return [Buffer.from(whole.slice(0, cut)), filler, Buffer.from(whole.slice(cut))];
}

async function write(response: ServerResponse, piece: Buffer | string): Promise<void> {
  if (!response.destroyed && !response.write(piece)) {
    await Promise.race([once(response, "drain"), once(response, "close")]);
  }
}

async function writeEc(response: ServerResponse, index: number): Promise<void> {
  for (const piece of parts(index)) await write(response, piece);
}

async function sendList(response: ServerResponse, query: URLSearchParams): Promise<void> {
  const from = Number(query.get("continue") ?? 0);
  const limit = Number(query.get("limit") ?? options.count);
  const next = Math.min(options.count, from + limit);
  const metadata = {
    resourceVersion: String(revision),
    ...(next < options.count ? { continue: String(next) } : {}),
  };
  const head = { kind: `${kind.kind}List`, apiVersion: `${group}/${ecVersion}`, metadata };
  await write(response, `${JSON.stringify(head).slice(0, -1)},"items":[`);
  for (let index = from; index < next; index += 1) {
    if (index > from) await write(response, ",");
    await writeEc(response, index);
  }
  response.end("]}");
}

async function answer(path: string, query: URLSearchParams, response: ServerResponse) {
  if (path === countPath) {
    response.end(String(requests));
    return;
  }
  requests += 1;
  const [, namespace, name] =
    new RegExp(`^${root}(?:/namespaces/([^/]+))?/${kind.plural}(?:/([^/]+))?$`).exec(path) ?? [];
  if (!path.startsWith(root)) {
    response.writeHead(404).end(JSON.stringify({ kind: "Status", code: 404 }));
    return;
  }
  response.setHeader("content-type", "application/json");
  if (name === "ec" && namespace === "engine") {
    await writeEc(response, 0);
    response.end();
  } else if (name !== undefined) {
    response.writeHead(404).end(JSON.stringify({ kind: "Status", code: 404, details: { name } }));
  } else if (query.has("watch")) {
    response.flushHeaders();
    watches.add(response);
    response.once("close", () => watches.delete(response));
  } else {
    await sendList(response, query);
  }
}

async function tellChanges(): Promise<void> {
  for (const watch of watches) {
    revision += 1;
    const index = revision % options.count;
    await write(watch, '{"type":"MODIFIED","object":');
    await writeEc(watch, index);
    await write(watch, "}\n");
  }
}

function tellBookmarks(): void {
  const object = { kind: kind.kind, metadata: { resourceVersion: String((revision += 1)) } };
  for (const watch of watches) watch.write(`${JSON.stringify({ type: "BOOKMARK", object })}\n`);
}

async function keepTelling(): Promise<never> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 1_000 / options.changesPerSecond));
    await tellChanges();
  }
}

const pair = {
  cert: readFileSync(join(options.tlsDir, "cert")),
  key: readFileSync(join(options.tlsDir, "privateKey")),
};
const server = createServer(pair, (request, response) => {
  const url = new URL(request.url ?? "/", "https://localhost");
  void answer(url.pathname, url.searchParams, response);
});
server.listen(options.port, "127.0.0.1");
if (options.changesPerSecond > 0) void keepTelling();
else setInterval(tellBookmarks, 10_000);
