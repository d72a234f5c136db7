import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "js-yaml";
import type { KubeObject } from "../../plugin/domain/kube/objects";
import { isObject } from "../../plugin/domain/base/values";
import { createAdmission } from "../../plugin/simulator/admission/admission";
import type { User } from "../../plugin/simulator/model";
import type { Clock, KubeClient } from "../../plugin/ports/kubernetes";
import { admin, makeWorld } from "../support/world";
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
  const admission = createAdmission({
    clock,
    route: ({ namespace: home, name, port }) => {
      const found = webhooks.get(`${home}/${name}:${port}`);
      if (found !== undefined) return { host: "127.0.0.1", port: found.port };
      return { refused: `dial tcp 10.96.0.1:${port}: connect: connection refused` };
    },
  });
  const { controlPlane } = makeWorld({
    ...{ objects: [...definitions, namespaceOf("default")], clock, admission },
  });
  const connected = (user: User): KubeClient => controlPlane.connect({ user, namespace });
  const cluster = connected(admin);
  await cluster.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  const setStatus = async (object: KubeObject, status: object): Promise<void> => {
    const { name = "", namespace: home } = object.metadata;
    const [version = "", group = ""] = object.apiVersion.split("/").reverse();
    const served = await cluster.serves(group, version);
    const resource = served?.find(({ kind }) => kind === object.kind);
    if (resource === undefined) throw new Error(`${object.kind} is not served`);
    controlPlane.setStatus(
      { resource, name, ...(home !== undefined && { namespace: home }) },
      status,
    );
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
