import { kinds } from "../../../plugin/domain/kube/kinds";
import { type ObservedCall, observe } from "../../../plugin/simulator/observed-cluster";
import type { KubeClient, KubeObject } from "../../../plugin/ports/kubernetes";
import { aNamespace, aService } from "../../support/builders";
import { admin, makeWorld } from "../../support/world";

const service = { resource: kinds.service, name: "admission", namespace: "engine" };
const settings: KubeObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "engine" },
};

function observed() {
  const calls: ObservedCall[] = [];
  const controlPlane = makeWorld({
    objects: [aNamespace("engine"), aService("engine")],
  }).controlPlane;
  const inner = controlPlane.connect({ user: admin, namespace: "engine", server: "here" });
  const cluster = observe(inner, (call, send) => {
    calls.push(call);
    return send();
  });
  return { cluster, calls, controlPlane };
}

const engine = { resource: kinds.namespace, name: "engine" };
const patch = { metadata: { labels: { a: "b" } } };

type Wanted = Pick<ObservedCall, "verb" | "subject" | "writes">;

test.each<[string, Wanted, (cluster: KubeClient) => Promise<unknown>]>([
  [
    "a get",
    { verb: "get", subject: "Service engine/admission", writes: false },
    (to) => to.get(service),
  ],
  [
    "a list",
    { verb: "list", subject: "services engine", writes: false },
    (to) => to.list(kinds.service, { namespace: "engine" }),
  ],
  [
    "a create",
    { verb: "create", subject: "ConfigMap engine/settings", writes: true },
    (to) => to.create(settings),
  ],
  [
    "a dry run",
    { verb: "create", subject: "ConfigMap engine/settings", writes: false },
    (to) => to.create(settings, { dryRun: true }),
  ],
  [
    "an apply",
    { verb: "apply", subject: "ConfigMap engine/settings", writes: true },
    (to) => to.apply(settings, { fieldManager: "x" }),
  ],
  [
    "an update",
    { verb: "update", subject: "Namespace engine", writes: true },
    (to) => to.update(aNamespace("engine")),
  ],
  [
    "a patch",
    { verb: "patch", subject: "Namespace engine", writes: true },
    (to) => to.patch(engine, patch, { type: "merge" }),
  ],
  [
    "a deletion",
    { verb: "delete", subject: "Service engine/admission", writes: true },
    (to) => to.delete(service, {}),
  ],
  [
    "a question",
    { verb: "ask", subject: "whether to get pods", writes: false },
    (to) => to.can({ verb: "get", group: "", resource: "pods" }),
  ],
  [
    "the name",
    { verb: "ask", subject: "for the name of the user", writes: false },
    (to) => to.whoAmI(),
  ],
  [
    "what is served",
    { verb: "ask", subject: "what /v1 serves", writes: false },
    (to) => to.serves("", "v1"),
  ],
])("%s passes the gate once, under its name", async (_, wanted, act) => {
  const { cluster, calls } = observed();
  await act(cluster);
  expect(calls).toMatchObject([wanted]);
});

test("a watch passes the gate, and its changes come through", async () => {
  const { cluster, calls } = observed();
  const stop = new AbortController();
  for await (const event of cluster.watch(kinds.namespace, { signal: stop.signal })) {
    expect(event).toMatchObject({ type: "ADDED", object: { metadata: { name: "engine" } } });
    stop.abort();
  }
  expect(calls).toMatchObject([{ verb: "watch", subject: "namespaces" }]);
});

test("what the gate keeps from being sent has no effect", async () => {
  const { controlPlane } = observed();
  const inner = controlPlane.connect({ user: admin, namespace: "engine" });
  const closed = observe(inner, () => Promise.reject(new Error("not sent")));
  await expect(closed.delete(service, {})).rejects.toThrow("not sent");
  expect(controlPlane.state.get(kinds.service, "admission", "engine")).toBeDefined();
  closed.close();
});

test("it says what the inner one says of itself", () => {
  expect(observed().cluster).toMatchObject({ server: "here", namespace: "engine" });
});
