/** Further ways, of kinds that a cluster meets later: proxies beside the webhook, two families, addresses made by hand. */
import { defaultNames as names } from "../../../../plugin/domain/names/names";
import type { KubeObject } from "../../../../plugin/domain/kube/objects";
import {
  type Broken,
  byHand,
  client,
  entries,
  noSlice,
  onPort,
  own,
  pod,
  policy,
  ports,
  type Scene,
  service,
  slice,
  unready,
  webhookPod,
} from "./way-rows";

const namespace = "engine";
const { service: name } = names.webhook;
const { admissionContainer, container, deployment } = names.operator;
const second = `Pod/${namespace}/${deployment}-2`;

const proxy = (title: string, port: object): object => ({ name: title, ports: [port] });
const admission = (port: object): object => ({ name: admissionContainer, ports: [port] });
const containers =
  (...list: readonly object[]) =>
  (s: Scene) =>
    s.set(pod, "spec.containers", [{ name: container }, ...list]);

/** An endpoint that nobody's controller made, beside the Service that lost its selector. */
const handMade = (spec: Readonly<Record<string, unknown>>) => (s: Scene) => {
  byHand(s, { name: "https", port: 8443 });
  for (const [key, value] of Object.entries(spec)) s.set(slice, key, value);
  return s;
};

const external = (externalName: string) => (s: Scene) =>
  s.set(service, "spec", { type: "ExternalName", externalName }).remove(slice);

const nodes = [{ ipBlock: { cidr: "10.20.0.0/16" } }];
const denied = (): KubeObject => policy("default-deny");

/** Each link by itself. */
export const furtherBroken: Readonly<Record<string, Broken>> = {
  "the port of the Service": {
    ...{ at: "container", code: "WEBHOOK-TARGET-PORT" },
    change: (s) =>
      ports([{ name: "https", port: 443, targetPort: 443 }])(s).set(slice, "ports", [
        { name: "https", port: 443 },
      ]),
  },
  "the port of the Service, of two pods": {
    ...{ at: "container", code: "WEBHOOK-TARGET-PORT" },
    change: (s) =>
      ports([{ name: "https", port: 443, targetPort: 443 }])(s).add(webhookPod(`${deployment}-2`)),
  },
  "a port of the node, which calls of the Service do not use": {
    ...{ at: "container", code: "WEBHOOK-TARGET-PORT" },
    change: (s) =>
      containers(admission({ containerPort: 8443, hostPort: 9443 }))(
        ports([{ name: "https", port: 443, targetPort: 9443 }])(s),
      ),
  },
  "another port, beside a mesh that says its own": {
    ...{ at: "container", code: "WEBHOOK-TARGET-PORT" },
    change: (s) =>
      containers(
        admission({ containerPort: 8443 }),
        proxy("mesh", { containerPort: 15090 }),
      )(ports([{ name: "https", port: 443, targetPort: 9443 }])(s)),
  },
  "a proxy that names its port as the webhook does, before it": {
    ...{ at: "container", code: "WEBHOOK-TARGET-PORT" },
    change: (s) =>
      containers(
        proxy("relay", { containerPort: 15021, name: "webhook" }),
        admission({ containerPort: 8443, name: "webhook" }),
      )(ports([{ name: "https", port: 443, targetPort: "webhook" }])(s)),
  },
  "a second pod that listens on another port": {
    ...{ at: "container", code: "WEBHOOK-TARGET-PORT" },
    change: (s) =>
      s.add(
        webhookPod(`${deployment}-2`, {
          containers: [{ name: container }, admission({ containerPort: 9443, name: "webhook" })],
        }),
      ),
  },
  "a second pod whose port has another name": {
    ...{ at: "container", code: "WEBHOOK-TARGET-PORT" },
    change: (s) =>
      ports([{ name: "https", port: 443, targetPort: "webhook" }])(s).add(
        webhookPod(`${deployment}-2`, {
          containers: [{ name: container }, admission({ containerPort: 8443, name: "tls" })],
        }),
      ),
  },
  "an endpoint made by hand that is a name of DNS": {
    ...{ at: "pods", code: "WEBHOOK-NO-ENDPOINTS" },
    change: handMade({
      addressType: "FQDN",
      endpoints: [{ addresses: ["gate.example"], conditions: { ready: true } }],
    }),
  },
  "an endpoint made by hand, of a pod that does not open its port": {
    ...{ at: "container", code: "WEBHOOK-TARGET-PORT" },
    change: (s) =>
      handMade({
        ports: [{ name: "https", port: 9443 }],
        endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true } }],
      })(s)
        .add(
          webhookPod(`${deployment}-1`, {
            containers: [
              { name: container, ports: [{ containerPort: 8081 }] },
              admission({ containerPort: 8443, name: "webhook" }),
            ],
          }),
        )
        .set(pod, "status.podIP", "10.0.0.1"),
  },
  "endpoints made by hand, of pods whose ports differ": {
    ...{ at: "container", code: "WEBHOOK-TARGET-PORT" },
    change: (s) => {
      handMade({
        ports: [{ name: "https", port: 9090 }],
        endpoints: [
          { addresses: ["10.0.0.1"], conditions: { ready: true } },
          { addresses: ["10.0.0.2"], conditions: { ready: true } },
        ],
      })(s);
      for (const [index, containerPort] of [8443, 9443].entries()) {
        const title = `${deployment}-${index + 1}`;
        const list = [admission({ containerPort, name: "webhook" })];
        s.add(webhookPod(title, { containers: list }));
        s.set(`Pod/${namespace}/${title}`, "status.podIP", `10.0.0.${index + 1}`);
      }
      return s;
    },
  },
  "pods whose ports have neither number nor name in common": {
    ...{ at: "container", code: "WEBHOOK-TARGET-PORT" },
    change: (s) =>
      s.add(
        webhookPod(`${deployment}-2`, {
          containers: [{ name: container }, admission({ containerPort: 9443, name: "tls" })],
        }),
      ),
  },
  "another name of a Service that is gone from here": {
    ...{ at: "service", code: "WEBHOOK-SERVICE-MISSING" },
    change: external(`gate.${namespace}.svc`),
  },
  "another name of a Service in a namespace that is gone": {
    ...{ at: "service", code: "WEBHOOK-SERVICE-MISSING" },
    change: external("gate.retired.svc.cluster.local"),
  },
  "a policy that opens the port of the Service, not of the pods": {
    ...{ at: "network", code: "WEBHOOK-NETWORK-POLICY" },
    change: (s) => s.add(policy("https", { ingress: onPort(443) })),
  },
  "default deny, and nodes to a range beside the port": {
    ...{ at: "network", code: "WEBHOOK-NETWORK-POLICY" },
    change: (s) =>
      s.add(
        denied(),
        policy("nodes", { ingress: [{ from: nodes, ports: [{ port: 9000, endPort: 9999 }] }] }),
      ),
  },
  "default deny, and the pods that carry a label": {
    ...{ at: "network", code: "WEBHOOK-NETWORK-POLICY" },
    change: (s) =>
      s.add(
        denied(),
        policy("peers", {
          ingress: onPort(8443, { from: [{ podSelector: { matchLabels: { role: "caller" } } }] }),
        }),
      ),
  },
  "a port name that the proxy alone has, for another protocol": {
    ...{ at: "container", code: "WEBHOOK-TARGET-PORT" },
    change: (s) =>
      containers(
        proxy("relay", { containerPort: 8443, name: "webhook", protocol: "UDP" }),
        admission({ containerPort: 8443, name: "tls" }),
      )(ports([{ name: "https", port: 443, targetPort: "webhook" }])(s)),
  },
  "pods that run and are not ready, beside one that ended": {
    ...{ at: "pods", code: "WEBHOOK-PODS-NOT-READY" },
    change: (s) =>
      noSlice(s)
        .set(pod, "status", unready)
        .add(webhookPod(`${deployment}-2`))
        .set(second, "status", { phase: "Failed", reason: "Evicted" }),
  },
  "endpoints that end, and none after them": {
    ...{ at: "pods", code: "WEBHOOK-PODS-NOT-READY" },
    change: (s) =>
      s
        .set(slice, "endpoints", [
          {
            addresses: ["10.0.0.1"],
            conditions: { ready: false, serving: false, terminating: true },
          },
        ])
        .set(pod, "status", unready),
  },
  "a path of the root": {
    ...{ at: "configuration", code: "WEBHOOK-CALLS-OTHER" },
    change: (s) => s.set(entries, `${client}.service.path`, "/"),
  },
  "a selector of the proxy's": {
    ...{ at: "selector", code: "WEBHOOK-SELECTOR" },
    change: (s) => noSlice(s).set(service, "spec.selector", { ...own, "mesh/revision": "1-20" }),
  },
  "two ports of the same number, for other protocols": {
    ...{ at: "port", code: "WEBHOOK-SERVICE-PORT" },
    change: ports([
      { name: "quic", port: 443, targetPort: 8443, protocol: "UDP" },
      { name: "metrics", port: 8080, targetPort: 8080 },
    ]),
  },
  "a sidecar that stays, and opens the wrong port": {
    ...{ at: "container", code: "WEBHOOK-TARGET-PORT" },
    change: (s) =>
      containers({ name: admissionContainer, ports: [{ containerPort: 8080 }] })(
        ports([{ name: "https", port: 443, targetPort: 9443 }])(s),
      )
        .set(pod, "spec.containers.0.ports", [{ containerPort: 8081 }])
        .set(pod, "spec.initContainers", [
          { name: "relay", restartPolicy: "Always", ports: [{ containerPort: 15090 }] },
        ]),
  },
};

/** Broken in memory alone: a cluster of one family does not store it. */
export const twoFamilies: Readonly<Record<string, Broken>> = {
  "addresses of the other family alone": {
    ...{ at: "pods", code: "WEBHOOK-NO-ENDPOINTS" },
    change: (s) => s.set(service, "spec.ipFamilies", ["IPv6"]).set(slice, "addressType", "IPv4"),
  },
  "addresses of the second family alone": {
    ...{ at: "pods", code: "WEBHOOK-NO-ENDPOINTS" },
    change: (s) =>
      s.set(service, "spec.ipFamilies", ["IPv6", "IPv4"]).set(slice, "addressType", "IPv4"),
  },
};

/** Two links at once. */
export const furtherPairs: readonly (readonly [first: string, second: string])[] = [
  ["a second pod that listens on another port", "default deny, and the pods that carry a label"],
  ["a path of the root", "a proxy that names its port as the webhook does, before it"],
  ["a namespace that is gone", "a selector of the proxy's"],
  ["another name of a Service in a namespace that is gone", "a path of the root"],
  ["a selector of the proxy's", "a policy that opens the port of the Service, not of the pods"],
  [
    "two ports of the same number, for other protocols",
    "default deny, and nodes to a range beside the port",
  ],
  ["an endpoint made by hand that is a name of DNS", "a path of the root"],
  ["pods that run and are not ready, beside one that ended", "a path of the root"],
  [
    "a sidecar that stays, and opens the wrong port",
    "a policy that opens the port of the Service, not of the pods",
  ],
  [
    "a second pod whose port has another name",
    "default deny, and nodes to a range beside the port",
  ],
];

/** Ways that are whole, however odd they look. */
export const furtherWhole: Readonly<Record<string, (scene: Scene) => unknown>> = {
  "a port that the kubelet asks and no container says": (s) =>
    containers({
      ...admission({ containerPort: 8080, name: "metrics" }),
      readinessProbe: { httpGet: { path: "/", scheme: "HTTPS", port: 8443 } },
    })(s),
  "another port, and the webhook says none": (s) =>
    containers({ name: admissionContainer })(
      ports([{ name: "https", port: 443, targetPort: 9443 }])(s),
    ),
  "a policy that opens by its name the port that the Service has by number": (s) =>
    s.add(denied(), policy("named", { ingress: onPort("webhook") })),
  "a policy that opens by its number the port that the Service has by name": (s) =>
    ports([{ name: "https", port: 443, targetPort: "webhook" }])(s).add(
      denied(),
      policy("numbered", { ingress: onPort(8443) }),
    ),
  "default deny, and nodes to the port": (s) =>
    s.add(denied(), policy("nodes", { ingress: onPort(8443, { from: nodes }) })),
  "a proxy that opens the port in front of the webhook": (s) =>
    containers(
      proxy("relay", { containerPort: 8443, name: "webhook" }),
      admission({ containerPort: 9443, name: "plain" }),
    )(ports([{ name: "https", port: 443, targetPort: "webhook" }])(s)),
  "a proxy that names its port as the webhook does, behind it": (s) =>
    containers(
      admission({ containerPort: 8443, name: "webhook" }),
      proxy("relay", { containerPort: 15021, name: "webhook" }),
    )(ports([{ name: "https", port: 443, targetPort: "webhook" }])(s)),
  "another name of a Service in a namespace that is there": external(
    `${name}.${namespace}.svc.cluster.local`,
  ),
  "an endpoint made by hand that carries every port": (s) =>
    byHand(s)
      .set(slice, "endpoints", [{ addresses: ["10.0.0.1"], conditions: { ready: true } }])
      .add(webhookPod(`${deployment}-1`))
      .set(pod, "status.podIP", "10.0.0.1"),
  "a pod that ends, beside a ready one": (s) =>
    s.add(webhookPod(`${deployment}-2`)).set(second, "status", { phase: "Failed" }),
  "an endpoint made by hand, of an address outside": handMade({
    ports: [{ name: "https", port: 9443 }],
    endpoints: [{ addresses: ["192.0.2.7"], conditions: { ready: true } }],
  }),
  "an endpoint made by hand, of a pod that opens its port": (s) =>
    handMade({
      ports: [{ name: "https", port: 8443 }],
      endpoints: [{ addresses: ["10.0.0.1"], conditions: { ready: true } }],
    })(s)
      .add(webhookPod(`${deployment}-1`))
      .set(pod, "status.podIP", "10.0.0.1"),
  "a second pod on another port, and the Service goes by its name": (s) =>
    ports([{ name: "https", port: 443, targetPort: "webhook" }])(s).add(
      webhookPod(`${deployment}-2`, {
        containers: [{ name: container }, admission({ containerPort: 9443, name: "webhook" })],
      }),
    ),
};
