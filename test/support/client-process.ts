/** One client of the program in a process of its own, with the environment that it was started in. */
import { get } from "node:https";
import { connect } from "../../plugin/adapters/kubernetes/connect";
import { openRelease } from "../../plugin/adapters/release/open";
import { kinds } from "../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../plugin/domain/names/names";
import { connect as connectWebhook } from "../../webhook/clusters/clusters";
import { anApiClient } from "./cluster-api-client";

/** What a client is given: where to, and whom to trust. */
export interface ClientOrder {
  readonly client: string;
  readonly url: string;
  readonly caPem: string;
  readonly kubeconfig: string;
}

const { signal } = new AbortController();
const pod = { resource: kinds.configMap, namespace: "ns", name: "x" };

const clients: Readonly<Record<string, (order: ClientOrder) => Promise<unknown>>> = {
  "Node's own": ({ url }) =>
    new Promise((resolve, reject) => {
      get(url, resolve).on("error", reject);
    }),
  kubernetes: async ({ kubeconfig }) => (await opened(kubeconfig)).get(pod, { signal }),
  "a watch": async ({ kubeconfig }) => {
    for await (const event of (await opened(kubeconfig)).watch(kinds.configMap, {
      signal,
      resourceVersion: "1",
    }))
      return event;
    return undefined;
  },
  "a WebSocket": async ({ kubeconfig }) => {
    const cluster = await opened(kubeconfig);
    return cluster.forward?.({ pod, port: 1 }, signal);
  },
  "the REST API": async ({ url, caPem }) => (await anApiClient({ url, caPem })).databases(signal),
  "a download": ({ url }) => openRelease(`${url}/r.tar.gz`, { names, env: {}, signal }),
  "the webhook": ({ kubeconfig }) =>
    connectWebhook({ KUBECONFIG: kubeconfig }).send({ method: "GET", path: "/" }, signal),
};

function opened(kubeconfig: string) {
  return Promise.resolve(connect({ kubeconfig }, {}));
}

process.once("message", (order: ClientOrder) => {
  const told = (text: string): void => {
    process.send?.(text, () => {
      process.disconnect();
    });
  };
  const client = clients[order.client];
  client?.(order).then(
    () => {
      told("answered");
    },
    (error: unknown) => {
      told(String(error));
    },
  );
});
