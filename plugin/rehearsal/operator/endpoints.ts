/** The endpoints of the webhook's Service: they follow the operator's pods (domain facts 4.1). */
import { kinds } from "../../domain/kinds";
import { at, list, own, sameJson, text } from "../../domain/values";
import type { KubeObject } from "../../run/ports";
import type { Act } from "./act";
import { operatorPods } from "./operator-pod";
import { isReadyPod } from "./pod-status";
import { identity, type Scene } from "./scene";
import { controllerManager, hashOf, writeFields } from "./writes";

/** Brings the first slice up to date; the others, which another controller may have made, are left. */
export function endpointActs(scene: Scene): readonly Act[] {
  const { service, slices, names, deployment } = scene;
  if (scene.endpoints === false || service === undefined || deployment === undefined) return [];
  const pods = operatorPods(scene);
  if (text(at(service, ["spec", "selector", "name"])) !== names.operator.podLabel) return [];
  const [slice] = slices;
  const endpoints = pods.flatMap((pod, index) => endpointOf(scene, pod, index));
  const key = `${identity(service)} endpoints ${hashOf(endpoints)}`;
  if (slice !== undefined && sameJson(shownOf(slice), endpoints.map(brief))) return [];
  const run: Act["run"] = ({ cluster }) =>
    slice === undefined
      ? cluster.create(newSlice(service, endpoints), { fieldManager: controllerManager })
      : writeFields(
          cluster,
          { resource: kinds.endpointSlice, object: slice, manager: controllerManager },
          { endpoints },
        );
  return [{ key, afterMs: 0, run }];
}

function endpointOf(scene: Scene, pod: KubeObject, index: number): readonly object[] {
  const given = scene.endpoints === false ? undefined : scene.endpoints?.[index];
  const address = given ?? text(at(pod, ["status", "podIP"]));
  if (address === undefined) return [];
  const ready = isReadyPod(pod);
  const terminating = pod.metadata.deletionTimestamp !== undefined;
  const { name, namespace, uid } = pod.metadata;
  const targetRef = { kind: "Pod", name, namespace, uid };
  return [{ addresses: [address], conditions: { ready, serving: ready, terminating }, targetRef }];
}

function shownOf(slice: KubeObject): readonly unknown[] {
  return list(own(slice, "endpoints")).map(brief);
}

/** What a reader of endpoints looks at; a missing condition counts as ready. */
function brief(endpoint: unknown): unknown {
  return [list(own(endpoint, "addresses")), at(endpoint, ["conditions", "ready"]) !== false];
}

function newSlice(service: KubeObject, endpoints: readonly object[]): KubeObject {
  const { name = "", namespace } = service.metadata;
  const port = list(at(service, ["spec", "ports"]))[0];
  return {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      name: `${name}-${hashOf(name).slice(0, 5)}`,
      ...(namespace !== undefined && { namespace }),
      labels: { "kubernetes.io/service-name": name },
    },
    addressType: "IPv4",
    endpoints,
    ports: [
      { name: text(own(port, "name")) ?? "", port: own(port, "targetPort"), protocol: "TCP" },
    ],
  };
}
