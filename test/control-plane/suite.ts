import { join } from "node:path";
import { type Api, pathOf } from "./api";
import { type ControlPlane, startControlPlane } from "./control-plane";
import { database, type Scene, type SceneOptions, seedScene } from "./scene";
import { runner } from "./plugin-run";
import { startStandIn } from "./stand-in-webhook";
import { writeTlsFolder } from "./certificate";
import type { User } from "./api-server";
import { startWebhook, type Webhook } from "./webhook-process";

export interface SuiteOptions {
  readonly scene?: SceneOptions;
  /** What listens behind the Service: the real webhook by default. */
  readonly server?: "webhook" | "stand-in";
  readonly users?: readonly User[];
}

/** A control plane with an operator's namespace and a webhook, shared by a file's tests. */
export interface Suite {
  readonly controlPlane: ControlPlane;
  readonly api: Api;
  readonly scene: Scene;
  /** Stops what listens behind the Service. */
  stopServer(): Promise<void>;
  close(): Promise<void>;
}

export async function openSuite({
  scene: options,
  server = "webhook",
  users = [],
}: SuiteOptions = {}): Promise<Suite> {
  const controlPlane = await startControlPlane({ users: [runner, ...users] });
  try {
    const scene = await seedScene(controlPlane.api, options);
    const standIn =
      server === "stand-in" ? await startStandIn(scene.clusterIP, scene.pair) : undefined;
    const webhook = standIn === undefined ? await serveScene(controlPlane, scene) : undefined;
    const stopServer = async (): Promise<void> => {
      await Promise.all([standIn?.close(), webhook?.stop({ patienceMs: 0 })]);
    };
    return {
      controlPlane,
      api: controlPlane.api,
      scene,
      stopServer,
      close: async () => {
        await stopServer();
        await controlPlane.stop();
      },
    };
  } catch (error) {
    await controlPlane.stop({ keepLogs: true });
    throw error;
  }
}

/** Starts the real webhook behind a scene's Service, with the scene's pair. */
export function serveScene(
  controlPlane: ControlPlane,
  { namespace, pair }: Scene,
): Promise<Webhook> {
  const tlsDir = join(controlPlane.site.dataDir, `tls-${namespace}`);
  writeTlsFolder(tlsDir, pair);
  return startWebhook({ controlPlane, namespace, tlsDir });
}

/** How the API server answers an edit that is right and one that is wrong, both dry runs. */
export interface Verdicts {
  readonly right: "accepted" | "refused";
  /** The entry that refused the wrong one. */
  readonly wrongRefusedBy: string | undefined;
}

export async function verdictsOf(api: Api, namespace: string): Promise<Verdicts> {
  const send = async (engineVersion: string): Promise<{ status: number; text: string }> => {
    const object = database({ namespace, name: "verdict", engineVersion });
    const path = `${pathOf(object, "collection")}?dryRun=All`;
    const { status, body } = await api.send("POST", path, { body: object });
    return { status, text: (body as { message?: string }).message ?? "" };
  };
  const [right, wrong] = [await send("7.4"), await send("9.9")];
  return {
    right: right.status < 400 ? "accepted" : "refused",
    wrongRefusedBy: /admission webhook "([^"]+)" denied/.exec(wrong.text)?.[1],
  };
}
