import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import type { KubeObject } from "../../plugin/domain/kube/objects";
import { isObject } from "../../plugin/domain/base/values";
import { rbac } from "../../plugin/simulator/authorization/grants";
import { createAdmission } from "../../plugin/simulator/admission/admission";
import { createRegistry } from "../../plugin/simulator/kinds/registry";
import { MemoryControlPlane } from "../../plugin/simulator/api-server/control-plane";
import { Store } from "../../plugin/simulator/api-server/store";
import type { User } from "../../plugin/simulator/model";
import type { Clock, KubeClient } from "../../plugin/ports/kubernetes";
import { admissionService } from "./objects";
import { type RunningWebhook, startWebhook } from "./webhook";
import type { ShortWorld } from "./world";

const folder = join(__dirname, "../../manifests/crds");
const definitions = readdirSync(folder).map(
  (file) => load(readFileSync(join(folder, file), "utf8")) as KubeObject,
);

const clock: Clock = {
  now: () => Date.now(),
  sleep: () => Promise.reject(new Error("nothing in memory waits")),
};

/** An API server in memory of the case's own. */
export async function openMemoryWorld(namespace: string): Promise<ShortWorld> {
  const webhooks = new Map<string, RunningWebhook>();
  const registry = createRegistry();
  const admission = createAdmission({
    clock,
    route: ({ namespace: home, name, port }) => {
      const found = webhooks.get(`${home}/${name}:${port}`);
      if (found !== undefined) return { host: "127.0.0.1", port: found.port };
      return { refused: `dial tcp 10.96.0.1:${port}: connect: connection refused` };
    },
  });
  const store = Store.empty();
  const parts = { clock, registry, access: rbac, admission };
  const controlPlane = new MemoryControlPlane(parts, store);
  controlPlane.load([...definitions, namespaceOf("default")]);
  const connected = (user: User): KubeClient => controlPlane.connect({ user, namespace });
  const cluster = connected({ name: "admin", groups: ["system:masters", authenticated] });
  await cluster.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const setStatus = (object: KubeObject, status: object): Promise<void> => {
    const { name = "", namespace: home } = object.metadata;
    const { group, plural } = registry.byKind(object.apiVersion, object.kind)?.resource ?? {};
    const kind = { group: group ?? "", plural: plural ?? "" };
    const before = store.get(kind, name, home);
    if (before === undefined)
      return Promise.reject(new Error(`there is no ${kind.plural}/${name}`));
    store.put({ kind, name, namespace: home }, { ...before, status });
    return Promise.resolve();
  };
  return {
    namespace,
    cluster,
    as: (name, groups = []) =>
      Promise.resolve(connected({ name, groups: [...groups, authenticated] })),
    seed: async (...objects) => {
      for (const object of objects) {
        await cluster.create(object, { fieldManager: "seed" });
        if (isObject(object["status"])) await setStatus(object, object["status"]);
      }
    },
    setStatus,
    serve: async ({ port = 443, ...webhook }) => {
      await cluster.create(admissionService(namespace, port));
      const running = await startWebhook({ host: "127.0.0.1", port: 0 }, webhook);
      webhooks.set(`${namespace}/admission:${port}`, running);
    },
    settle: async (ready) => {
      if (!(await ready())) throw new Error("memory does not act upon what was written");
    },
    close: async () => {
      admission.close();
      await Promise.all([...webhooks.values()].map((webhook) => webhook.close()));
    },
  };
}

const authenticated = "system:authenticated";

function namespaceOf(name: string): KubeObject {
  return { apiVersion: "v1", kind: "Namespace", metadata: { name } };
}
