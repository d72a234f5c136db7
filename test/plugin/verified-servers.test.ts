/** `NODE_TLS_REJECT_UNAUTHORIZED=0` in the environment opens no way past a CA: only the flags do. */
import { fork } from "node:child_process";
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { type Folder, kubeconfig, temporaryFolder } from "../support/api-server-kubeconfigs";
import { bundled } from "../support/bundled";
import type { ClientOrder } from "../support/client-process";
import { aPair } from "../support/tls";

const stranger = aPair();
const authority = aPair({ commonName: "authority" });
const token = "s3cr3t";

let folder: Folder;
let server: Server;
let url: string;
/** All that reached the stranger. */
let heard: string[];

beforeAll(async () => {
  folder = temporaryFolder();
  server = createServer({ cert: stranger.certPem, key: stranger.keyPem });
  const hear = ({ method = "", url: path = "" }: IncomingMessage): void => {
    heard.push(`${method} ${path}`);
  };
  server.on("request", (request, response) => {
    hear(request);
    response.end("{}");
  });
  server.on("connect", (request, socket) => {
    hear(request);
    socket.end("HTTP/1.1 502 No\r\n\r\n");
  });
  server.on("upgrade", (request, socket) => {
    hear(request);
    socket.end("HTTP/1.1 400 No\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

beforeEach(() => {
  heard = [];
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  folder.remove();
});

/** What the client says in the end, in a process whose environment switches verification off. */
async function outcomeOf(client: string, cluster: object, user: object): Promise<string> {
  const file = folder.write("config", kubeconfig(cluster, user));
  const order: ClientOrder = { client, url, caPem: authority.certPem, kubeconfig: file };
  const child = fork(bundled("test/support/client-process.ts"), {
    execArgv: [],
    env: { PATH: process.env["PATH"], NODE_TLS_REJECT_UNAUTHORIZED: "0" },
    stdio: ["ignore", "ignore", "ignore", "ipc"],
  });
  child.send(order);
  const [said] = (await once(child, "message")) as [string];
  child.kill();
  return said;
}

const pinned = () => ({
  server: url,
  "certificate-authority-data": Buffer.from(authority.certPem).toString("base64"),
});

test("the environment does switch off what says nothing of its own", async () => {
  expect(await outcomeOf("Node's own", pinned(), {})).toBe("answered");
  expect(heard).toEqual(["GET /"]);
}, 60_000);

const behindProxy = () => ({ ...pinned(), server: "https://10.0.0.1:6443", "proxy-url": url });

test.each<[string, string, () => object, () => object]>([
  ["a read", "kubernetes", pinned, () => ({ token })],
  ["a watch", "a watch", pinned, () => ({ token })],
  ["a WebSocket", "a WebSocket", pinned, () => ({ token })],
  ["the proxy of a read", "kubernetes", behindProxy, () => ({ token })],
  ["the REST API", "the REST API", pinned, () => ({})],
  ["a release's download", "a download", pinned, () => ({})],
  ["the webhook", "the webhook", pinned, () => ({ token })],
  ["the webhook's proxy", "the webhook", behindProxy, () => ({ token })],
])(
  "%s sends nothing to a server of another CA",
  async (_name, ...[client, cluster, user]) => {
    expect(await outcomeOf(client, cluster(), user())).not.toBe("answered");
    expect(heard).toEqual([]);
  },
  60_000,
);

test.each(["kubernetes", "the webhook"])(
  "the kubeconfig's own field still switches it off: %s",
  async (client) => {
    await outcomeOf(client, { server: url, "insecure-skip-tls-verify": true }, { token });
    expect(heard).not.toEqual([]);
  },
  60_000,
);
