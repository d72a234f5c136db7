/**
 * What the webhook says when its knowledge of the clusters is old: a gate between it and the API
 * server holds its watch, or lets it hear nothing at all.
 */
import { join } from "node:path";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { cluster, database, type Scene, seedScene } from "./scene";
import { pathOf } from "./api";
import { freePorts } from "../support/free-ports";
import { sumOf } from "./webhook-replicas";
import { putNewConfiguration, untilCalled } from "./swap-states";
import { writeTlsFolder } from "./certificate";
import { until } from "./until";
import { newEntryName } from "./webhook-configurations";
import { startWebhook } from "./webhook-process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";

let controlPlane: ControlPlane;
let scene: Scene;
let gate: ApiGate;
let metricsUrl: string;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  scene = await seedScene(controlPlane.api);
  gate = await startApiGate(controlPlane);
  const tlsDir = join(controlPlane.site.dataDir, "tls");
  writeTlsFolder(tlsDir, scene.pair);
  const [metricsPort = 0] = await freePorts(1);
  await startWebhook({
    controlPlane,
    namespace: scene.namespace,
    tlsDir,
    kubeconfig: gate.kubeconfig,
    env: { ENGINE_WEBHOOK_METRICS_PORT: String(metricsPort) },
  });
  metricsUrl = `http://${scene.clusterIP}:${String(metricsPort)}/metrics`;
  // A call that cannot be judged is repeated for so long; one that can be is answered within it on a busy machine too.
  const entry = { timeoutSeconds: 8 };
  await putNewConfiguration(controlPlane.api, scene, { changes: { entry } });
  await untilCalled(controlPlane.api, scene, { entry: newEntryName });
});
afterEach(() => {
  gate.open();
  gate.release();
});
afterAll(async () => {
  await gate.close();
  await controlPlane.stop();
});

type Verdict = "accepted" | "denied" | "not checked";

/** What becomes of a raise of the stored database from 7.2 onto a minor release; a dry run. */
async function raise(): Promise<Verdict> {
  const stored = database({ namespace: scene.namespace, name: "sessions" });
  const { status, body } = await controlPlane.api.send("PATCH", `${pathOf(stored)}?dryRun=All`, {
    body: { spec: { engineVersion: "7.4" } },
    contentType: "application/merge-patch+json",
  });
  if (status === 200) return "accepted";
  const message = (body as { readonly message?: string }).message ?? "";
  if (message.includes("denied the request")) return "denied";
  if (message.includes("failed calling webhook")) return "not checked";
  throw new Error(`${String(status)} ${message}`);
}

async function setPolicy(policy: "major" | "latest"): Promise<void> {
  const ref = cluster({ namespace: scene.namespace });
  const answer = await controlPlane.api.send("PATCH", pathOf(ref), {
    body: { spec: { engineUpgradePolicy: policy } },
    contentType: "application/merge-patch+json",
  });
  expect(answer.status).toBe(200);
}

async function metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number> {
  return sumOf(await (await fetch(metricsUrl)).text(), `engine_admission_${name}`, labels);
}

/** Waits until the webhook needs no live read to judge by this policy. */
async function known(policy: "major" | "latest"): Promise<void> {
  await setPolicy(policy);
  await until(`the policy ${policy} to be known`, async () => {
    const overturned = await metric("deny_overturned_total");
    // Where `latest` is still known the raise passes, so that a denial tells enough.
    if ((await raise()) !== (policy === "latest" ? "accepted" : "denied")) return undefined;
    return (await metric("deny_overturned_total")) === overturned || undefined;
  });
}

describe("the policy of the cluster changes while the watch is held", () => {
  test("a denial that is no longer right is never sent, and counted as overturned", async () => {
    await known("major");
    gate.hold();
    await setPolicy("latest");
    const before = await metric("deny_overturned_total");
    for (let n = 0; n < 20; n += 1) expect(await raise()).toBe("accepted");
    expect((await metric("deny_overturned_total")) - before).toBe(20);
  });

  test("an allow that is no longer right ends with the event", async () => {
    await known("latest");
    gate.hold();
    await setPolicy("major");
    expect(await raise()).toBe("accepted"); // the documented price of an allow from the cache
    gate.release();
    await until("the denial", async () => (await raise()) === "denied" || undefined, {
      everyMs: 5,
    });
    for (let n = 0; n < 20; n += 1) expect(await raise()).toBe("denied");
  });
});

test("after a watch that broke, the first list ends a stale allow", async () => {
  await known("latest");
  gate.shut();
  await setPolicy("major");
  expect(await raise()).toBe("accepted");
  const lists = await metric("cache_relists");
  gate.open();
  await until("a new list", async () => (await metric("cache_relists")) > lists || undefined, {
    everyMs: 10,
  });
  expect(await raise()).toBe("denied");
});

describe.each([
  ["refuses connections", "shut"],
  ["is not heard of", "mute"],
] as const)("the API server %s", (_name, away) => {
  test("what is right passes by what is known", async () => {
    await known("latest");
    gate[away]();
    for (let n = 0; n < 5; n += 1) expect(await raise()).toBe("accepted");
  });

  test("what cannot be confirmed is no denial: the call fails, until the server is back", async () => {
    await known("major");
    gate[away]();
    expect(await raise()).toBe("not checked");
    gate.open();
    expect(await raise()).toBe("denied");
  });
});

test("every verdict that the API server got was counted once, and no rule failed", async () => {
  const server = String((await controlPlane.api.send("GET", "/metrics")).body);
  const calls = (code: string): number =>
    sumOf(server, "apiserver_admission_webhook_request_total", { code });
  expect(await metric("requests_total", { verdict: "allow" })).toBe(calls("200"));
  expect(await metric("requests_total", { verdict: "deny" })).toBe(calls("422"));
  expect(calls("200")).toBeGreaterThan(0);
  expect(calls("422")).toBeGreaterThan(0);
  expect(await metric("panics_total")).toBe(0);
});

export interface ApiGate {
  /** Like the admin's, but through the gate. */
  readonly kubeconfig: string;
  /** Nothing passes any more on the connections that there are, and nobody learns of it; new ones are free. */
  hold(): void;
  /** What was held continues, from where it was. */
  release(): void;
  /** Resets the connections that there are; new ones too from now on, until opened. */
  shut(): void;
  /** As `shut`, but new connections are taken and then nothing is heard on them. */
  mute(): void;
  open(): void;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

export async function startApiGate(controlPlane: ControlPlane): Promise<ApiGate> {
  const { hostname, port: serverPort } = new URL(controlPlane.url);
  const pairs = new Set<Pair>();
  const muted = new Set<Socket>();
  let state: "open" | "shut" | "mute" = "open";

  const gate = createServer((client) => {
    client.on("error", () => undefined);
    if (state === "shut") {
      client.resetAndDestroy();
      return;
    }
    if (state === "mute") {
      muted.add(client.pause());
      return;
    }
    const pair = { client, server: connect({ host: hostname, port: Number(serverPort) }) };
    pairs.add(pair);
    pass(pair);
    for (const [from, to] of directionsOf(pair)) {
      from.on("error", () => to.destroy());
      from.on("close", () => {
        to.destroy();
        pairs.delete(pair);
      });
    }
  });
  const [port = 0] = await freePorts(1);
  gate.listen(port, "127.0.0.1");
  await once(gate, "listening");

  const reset = (): void => {
    for (const { client } of pairs) client.resetAndDestroy();
  };
  return {
    kubeconfig: kubeconfigThrough(controlPlane, port),
    hold: () => {
      for (const pair of pairs) {
        for (const [from, to] of directionsOf(pair)) from.unpipe(to).pause();
      }
    },
    release: () => {
      for (const pair of pairs) pass(pair);
    },
    shut: () => {
      state = "shut";
      reset();
    },
    mute: () => {
      state = "mute";
      reset();
    },
    open: () => {
      state = "open";
      for (const client of muted) client.resetAndDestroy();
      muted.clear();
    },
    close: async () => {
      state = "shut";
      reset();
      for (const client of muted) client.resetAndDestroy();
      gate.close();
      await once(gate, "close");
    },
  };
}

function directionsOf({ client, server }: Pair): readonly (readonly [Socket, Socket])[] {
  return [
    [client, server],
    [server, client],
  ];
}

function pass(pair: Pair): void {
  for (const [from, to] of directionsOf(pair)) from.pipe(to);
}

function kubeconfigThrough(controlPlane: ControlPlane, port: number): string {
  const text = readFileSync(controlPlane.kubeconfig, "utf8");
  const file = join(controlPlane.site.dataDir, `gate-${String(port)}.kubeconfig`);
  const through = text.replaceAll(controlPlane.url, `https://127.0.0.1:${String(port)}`);
  writeFileSync(file, through, { mode: 0o600 });
  return file;
}
