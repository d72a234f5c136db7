/** What a diff shows of an object before and after a write. */
import { createHash } from "node:crypto";
import { fieldEdits } from "../../../plugin/domain/kube/edits";
import { kinds } from "../../../plugin/domain/kube/kinds";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import { type KubeObject, lastApplied } from "../../../plugin/domain/kube/objects";
import type { Change } from "../../../plugin/domain/kube/change";
import { compareStates } from "../../../plugin/kernel/preview";
import { aPair } from "../../support/tls";

const told = { id: "x", resource: kinds.deployment, why: "", risk: "", reverse: "" };

const live: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: {
    name: "x",
    namespace: "engine",
    uid: "u",
    resourceVersion: "7",
    generation: 3,
    creationTimestamp: "2026-01-01T00:00:00Z",
    managedFields: [{ manager: "kubectl" }],
    annotations: { [lastApplied]: "{}" },
  },
  spec: {
    replicas: 1,
    template: { spec: { restartPolicy: "Always", containers: [{ name: "a", image: "a:1" }] } },
  },
  status: { readyReplicas: 1 },
};
const metadata = { name: "x", namespace: "engine" };
const containers = [
  { name: "a", image: "a:2" },
  { name: "b", image: "b:1", ports: [{ containerPort: 80 }] },
];
const sent: KubeObject = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata,
  spec: { replicas: null, template: { spec: { containers } } },
};
const apply: Change = { ...told, verb: "apply", object: sent, live };
const before = { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: live["spec"] };
const withSpec = (spec: object): object => ({ ...before, spec });
const stored: KubeObject = {
  ...live,
  metadata: { ...live.metadata, resourceVersion: "8", labels: { by: "a mutating webhook" } },
  spec: {
    replicas: 1,
    template: {
      spec: {
        restartPolicy: "Always",
        containers: [
          { name: "a", image: "a:2" },
          {
            name: "b",
            image: "b:1",
            terminationMessagePath: "/dev/termination-log",
            ports: [{ containerPort: 80, protocol: "TCP" }],
          },
        ],
      },
    },
  },
};

test.each<[name: string, of: [change: Change, stored?: KubeObject], states: object]>([
  [
    "an apply as the API server would store it, without what it fills in below what is new",
    [apply, stored],
    {
      live: before,
      merged: {
        ...withSpec({ replicas: 1, template: { spec: { restartPolicy: "Always", containers } } }),
        metadata: { ...metadata, labels: { by: "a mutating webhook" } },
      },
    },
  ],
  [
    "an apply that was not tried: what it sends over what is there",
    [apply],
    {
      live: before,
      merged: withSpec({ template: { spec: { restartPolicy: "Always", containers } } }),
      unasked: true,
    },
  ],
  [
    "an object that is created, without defaults",
    [
      { ...told, verb: "create", object: { ...sent, spec: { template: {} } } },
      { ...stored, spec: { replicas: 1, template: { spec: {} } } },
    ],
    { merged: withSpec({ template: {} }) },
  ],
  [
    "a patch that was not tried",
    [
      {
        ...told,
        verb: "patch",
        object: live,
        edits: fieldEdits(live, [
          [["spec", "replicas"], 2],
          [["spec", "template"], null],
        ]),
      },
    ],
    { live: before, merged: withSpec({ replicas: 2 }), unasked: true },
  ],
  [
    "another object in the place of one",
    [{ ...told, verb: "update", live, object: { ...sent, spec: { replicas: 3 } } }],
    { live: before, merged: withSpec({ replicas: 3 }), unasked: true },
  ],
  [
    "a change of managers alone is none",
    [
      { ...told, verb: "rewrite", object: live, operations: [], holds: () => true },
      { ...live, metadata: { ...live.metadata, managedFields: [] } },
    ],
    { live: before, merged: before },
  ],
  ["a deletion", [{ ...told, verb: "delete", object: live }], { live: before }],
])("%s", (_name, [change, answer], states) => {
  expect(compareStates(change, answer, names)).toEqual(states);
});

describe("no secret is shown", () => {
  const { certPem: certificate, keyPem: key } = aPair();
  const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");
  const base64 = (text: string): string => Buffer.from(text).toString("base64");
  const der = Buffer.from(certificate.replaceAll(/-----[A-Z ]+-----|\s/g, ""), "base64");
  const certified = `certificate SHA-256 ${sha256(der)}`;
  const objects: readonly [name: string, fields: object, shown: object][] = [
    [
      "data of a Secret",
      { kind: "Secret", data: { cert: base64(certificate), privateKey: base64(key) } },
      { data: { cert: certified, privateKey: `SHA-256 ${sha256(Buffer.from(key))}` } },
    ],
    [
      "a Secret's text",
      { kind: "Secret", stringData: { key } },
      { stringData: { key: `SHA-256 ${sha256(Buffer.from(key))}` } },
    ],
    [
      "CAs of webhooks",
      { webhooks: [{ name: "a", clientConfig: { caBundle: base64(certificate + certificate) } }] },
      { webhooks: [{ name: "a", clientConfig: { caBundle: `${certified}, ${sha256(der)}` } }] },
    ],
    ["a certificate anywhere", { data: { ca: certificate } }, { data: { ca: certified } }],
  ];

  test.each(objects)("%s", (_name, fields, shown) => {
    const object = { apiVersion: "v1", kind: "X", metadata, ...fields };
    const { merged } = compareStates({ ...told, verb: "create", object }, undefined, names);
    expect(merged).toMatchObject(shown);
  });

  test("a password cannot be found by trying: its digest is salted, and tells a change", () => {
    const env = (...values: readonly string[]) =>
      values.map((value) => ({ name: "DB_PASSWORD", value }));
    const object = {
      ...sent,
      spec: { env: env("hunter2", "hunter2", "hunter3"), license: "LICENSE-1" },
    };
    const { merged } = compareStates({ ...told, verb: "create", object }, undefined, names);
    const text = JSON.stringify(merged);
    expect(text).not.toMatch(
      /hunter|LICENSE|f52fbd32b2b3b86ff88ef6c490628285f482af15ddcb29541f94bcf526a3f6c7/,
    );
    const values = [...text.matchAll(/"value":"(salted SHA-256 \w{64})"/g)].map(([, one]) => one);
    expect([values.length, new Set(values).size]).toEqual([3, 2]);
  });
});
