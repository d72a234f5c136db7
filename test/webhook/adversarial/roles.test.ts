/** What a process does of the webhook's work: the one with the port holds no right to write. */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { rmSync } from "node:fs";
import type { ApiRequest } from "../../../webhook/clusters/clusters";
import { namespace, paths, World } from "../own-cert-world";
import { emptyFolder } from "../tls-folder";
import { plainKubeconfig, startWebhookProcess, type WebhookProcess } from "./webhook-process";

const dir = emptyFolder();

let world: World;
let api: Server;
let webhook: WebhookProcess | undefined;
let kubeconfig: string;

beforeEach(async () => {
  world = new World();
  api = createServer((request, response) => {
    let text = "";
    request.setEncoding("utf8").on("data", (part: string) => (text += part));
    request.on("end", () => {
      const { method, url: path = "" } = request;
      const body = text === "" ? {} : { body: JSON.parse(text) as object };
      const asked = { method, path, ...body } as ApiRequest;
      void world.send(asked).then((answer) => {
        response.writeHead(answer.status).end(JSON.stringify(answer.body));
      });
    });
  });
  await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
  const { port } = api.address() as AddressInfo;
  kubeconfig = plainKubeconfig(dir, port);
});

afterEach(async () => {
  await webhook?.stop();
  webhook = undefined;
  api.closeAllConnections();
  await new Promise((resolve) => api.close(resolve));
});

afterAll(() => {
  rmSync(dir, { recursive: true });
});

const settings = (role: string) => ({
  ENGINE_WEBHOOK_ROLE: role,
  ENGINE_WEBHOOK_OWN_CERT: "true",
  ENGINE_NAMESPACE: namespace,
  KUBECONFIG: kubeconfig,
});

test("serve: answers on both ports, and sends the API server nothing about the certificate", async () => {
  webhook = await startWebhookProcess(settings("serve"));
  expect(webhook.listening()).toBe(2);
  await webhook.stop();
  expect(world.requests).toEqual([]);
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)(
  "%s drains, so that no call is left without an answer",
  async (signal) => {
    webhook = await startWebhookProcess();
    await webhook.stop(signal);
    expect(webhook.log()).toMatch(/"message":"draining"[^]*"message":"stopped"/);
  },
);

test("renew: makes the Secret without a folder, a port or a list of clusters", async () => {
  const nothingToServe = { ENGINE_WEBHOOK_TLS_DIR: "", ENGINE_WEBHOOK_CLUSTERS: "file:/none" };
  webhook = await startWebhookProcess(
    { ...settings("renew"), ...nothingToServe },
    "own certificate stored",
  );
  expect(webhook.listening()).toBe(0);
  expect(webhook.isAlive()).toBe(true);
  expect(world.writes).toEqual(["secret 1"]);
  await webhook.stop();
  expect(webhook.log()).toMatch(/"message":"renewing the certificate"[^]*"message":"stopped"/);
});

test.each(["both", ""])("%j: does both, as before there was a choice", async (role) => {
  webhook = await startWebhookProcess(settings(role));
  await webhook.said("own certificate stored");
  expect(webhook.listening()).toBe(2);
  expect(world.get(paths.secret)).toBeDefined();
});

test("a process that only renews says at its start what it cannot reach", async () => {
  await expect(
    startWebhookProcess({ ...settings("renew"), KUBECONFIG: "" }, "renewing the certificate"),
  ).rejects.toThrow(
    "engine-webhook: ENGINE_WEBHOOK_OWN_CERT: no way to the API server: KUBECONFIG is not set and this is not a pod",
  );
});
