/** A server on loopback that has charts, as a repository of archives and as a registry (OCI distribution). */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dump } from "js-yaml";

/** A chart that it has. */
export interface ServedChart {
  readonly name: string;
  readonly version: string;
  /** As `helm package` makes it. */
  readonly archive: Buffer;
}

export interface ChartServer {
  /** `http://…` of the repository. */
  readonly url: string;
  /** `oci://…` of the registry, without a chart's name. */
  readonly registry: string;
  close(): Promise<void>;
}

interface Answer {
  readonly type: string;
  readonly body: Buffer;
}

/** Starts it on a free port. */
export async function startChartServer(charts: readonly ServedChart[]): Promise<ChartServer> {
  const answers = new Map(
    charts.flatMap((chart) => [...inRepository(chart), ...inRegistry(chart)]),
  );
  answers.set("/v2/", json({}));
  answers.set("/index.yaml", { type: "text/yaml", body: Buffer.from(dump(indexOf(charts))) });
  const server = createServer(({ method, url = "" }, response) => {
    const found = answers.get(url.split("?")[0] ?? "");
    if (found === undefined) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      "Content-Type": found.type,
      "Content-Length": found.body.length,
      "Docker-Content-Digest": digestOf(found.body),
    });
    response.end(method === "HEAD" ? undefined : found.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    registry: `oci://127.0.0.1:${port}/charts`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

const archiveName = ({ name, version }: ServedChart): string => `${name}-${version}.tgz`;

function indexOf(charts: readonly ServedChart[]): object {
  const entryOf = (chart: ServedChart): object => ({
    ...{ apiVersion: "v2", name: chart.name, version: chart.version, urls: [archiveName(chart)] },
    digest: digestOf(chart.archive).slice("sha256:".length),
  });
  const entriesOf = (name: string): readonly object[] =>
    charts.filter((chart) => chart.name === name).map(entryOf);
  const entries = Object.fromEntries(charts.map(({ name }) => [name, entriesOf(name)]));
  return { apiVersion: "v1", entries };
}

function inRepository(chart: ServedChart): readonly (readonly [string, Answer])[] {
  return [[`/${archiveName(chart)}`, { type: "application/gzip", body: chart.archive }]];
}

/** The manifest by its tag and its digest, and the blobs that it names. */
function inRegistry({
  name,
  version,
  archive,
}: ServedChart): readonly (readonly [string, Answer])[] {
  const config = Buffer.from(JSON.stringify({ apiVersion: "v2", name, version }));
  const described = (mediaType: string, body: Buffer): object => ({
    ...{ mediaType, digest: digestOf(body), size: body.length },
  });
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: manifestType,
      config: described("application/vnd.cncf.helm.config.v1+json", config),
      layers: [described("application/vnd.cncf.helm.chart.content.v1.tar+gzip", archive)],
    }),
  );
  const at = `/v2/charts/${name}`;
  const blob = (body: Buffer) =>
    [`${at}/blobs/${digestOf(body)}`, { type: "application/octet-stream", body }] as const;
  const shown = { type: manifestType, body: manifest };
  return [
    [`${at}/tags/list`, json({ name: `charts/${name}`, tags: [version] })],
    [`${at}/manifests/${version}`, shown],
    [`${at}/manifests/${digestOf(manifest)}`, shown],
    blob(config),
    blob(archive),
  ];
}

const manifestType = "application/vnd.oci.image.manifest.v1+json";

function json(value: object): Answer {
  return { type: "application/json", body: Buffer.from(JSON.stringify(value)) };
}

function digestOf(body: Buffer): string {
  return `sha256:${createHash("sha256").update(body).digest("hex")}`;
}
