/** Configurations of others that call what is gone: whose they are, and who may write them again. */
import { judgeOthers } from "../../../../plugin/domain/admission/others";
import type { ValidatingWebhookConfiguration } from "../../../../plugin/domain/kube/models";
import type { ObjectMeta } from "../../../../plugin/domain/kube/objects";
import type { LeftMarks } from "../../../../plugin/domain/kube/owners";
import { defaultNames } from "../../../../plugin/domain/names/names";

const label = "ValidatingWebhookConfiguration/gate-x7k2p";
const aLeftover = (metadata: ObjectMeta): ValidatingWebhookConfiguration => ({
  apiVersion: "admissionregistration.k8s.io/v1",
  kind: "ValidatingWebhookConfiguration",
  metadata: { name: "gate-x7k2p", ...metadata },
  webhooks: [
    {
      name: "gate.example",
      clientConfig: { service: { name: "gate", namespace: "ops" } },
      rules: [
        {
          apiGroups: [defaultNames.group],
          apiVersions: ["*"],
          operations: ["UPDATE"],
          resources: ["*"],
        },
      ],
    },
  ],
});
const olm = { labels: { "olm.owner": "gate.v1.0.0", "olm.owner.namespace": "ops" } };
const argo = { annotations: { "argocd.argoproj.io/tracking-id": "gate" } };
const collected = Object.assign(new Map<string, string>(), {
  collected: new Map([[label, "Gate/main"]]),
});

interface Case {
  readonly metadata: ObjectMeta;
  readonly left?: LeftMarks;
  readonly says: string;
}

test.each<[string, Case]>([
  ["nobody's", { metadata: {}, left: new Map(), says: "save it and delete it: kubectl get" }],
  [
    "of OLM, whose release is gone",
    {
      metadata: olm,
      left: new Map([[label, "gate.v1.0.0 does not exist"]]),
      says: "save it and delete it (it has marks of OLM, which need not be asked: gate.v1.0.0 does not exist): kubectl get",
    },
  ],
  [
    "of OLM, whose release is there",
    {
      metadata: olm,
      left: new Map(),
      says: "save it and delete it (OLM is there and may write it again: approve the InstallPlan",
    },
  ],
  [
    "of OLM, which may not be looked for",
    {
      metadata: olm,
      left: new Map([[label, undefined]]),
      says: "(it has marks of OLM: where that still runs, approve",
    },
  ],
  [
    "of OLM, which was not looked for",
    { metadata: olm, says: "(it has marks of OLM: where that still runs, approve" },
  ],
  [
    "of Argo CD, which may be in another cluster",
    {
      metadata: argo,
      left: new Map(),
      says: "(it has marks of Argo CD: where that still runs, change",
    },
  ],
  [
    "of what the garbage collector deletes",
    {
      metadata: { ownerReferences: [{ kind: "Gate", name: "main" }] },
      left: collected,
      says: "save it and delete it: kubectl get",
    },
  ],
])("a leftover %s", (_, { metadata, left, says }) => {
  const callable = { names: defaultNames, namespace: "shop", living: ["shop"], left };
  const [finding] = judgeOthers([aLeftover(metadata)], callable);
  expect(finding).toMatchObject({ code: "WEBHOOK-LEFTOVER", object: label });
  expect(finding?.fix).toContain(says);
  expect(finding?.fix).toMatch(/ && kubectl delete validatingwebhookconfiguration gate-x7k2p$/);
});
