/** Reports to print in the golden tests: one that went well, one that did not, a hostile one. */
import type { Report } from "../../../plugin/run/report";

const run = { id: "20260102-030405-abcdef", startedAt: "2026-01-02T03:04:05.000Z" };
const target = { server: "https://127.0.0.1:6443", namespace: "engine" };

/** A swap as it should be. */
export const swapped: Report = {
  apiVersion: "cli.engine.com/v1",
  kind: "UpgradeWebhook",
  run: { ...run, dryRun: "none" },
  target,
  certificate: {
    secret: "engine/admission-tls",
    sha256: "ab".repeat(32),
    notAfter: "2031-01-01T00:00:00Z",
    san: ["admission.engine", "admission.engine.svc"],
  },
  steps: [
    {
      n: 1,
      id: "webhook.apply",
      action: "apply",
      object: "ValidatingWebhookConfiguration/engine-enterprise-admission",
      result: "created",
      why: "it is not there yet",
      ms: 41,
    },
    {
      n: 2,
      id: "webhook.probe",
      action: "probe",
      object: "EngineEnterpriseDatabase/engine/probe",
      result: "done",
      why: "the new entry refuses",
      ms: 120,
    },
    {
      n: 3,
      id: "webhook.delete-old",
      action: "delete",
      object: "ValidatingWebhookConfiguration/edb-admission",
      result: "deleted",
      why: "the new one is proven",
      ms: 12,
    },
    {
      n: 4,
      id: "webhook.rest",
      action: "read",
      object: "Service/engine/admission",
      result: "unchanged",
      why: "ready",
      ms: 3,
    },
  ],
  probes: [
    {
      phase: "after apply",
      accept: { ok: 5, of: 5 },
      deny: { ok: 5, of: 5, by: "redisenterprise.admission.engine" },
    },
  ],
  gap: { bypassSeconds: 0, outageSeconds: 0.25, method: "10 probes over 1.2s" },
  findings: [
    {
      code: "WEBHOOK-POLICY-DIFFERS",
      severity: "warning",
      object: "ValidatingWebhookConfiguration/edb-admission",
      field: "webhooks[0].failurePolicy",
      cause: "Ignore was found, the template has Fail",
      fix: "nothing, if Fail is wanted",
      source: "S26",
    },
  ],
  backups: [
    {
      object: "ValidatingWebhookConfiguration/edb-admission",
      file: "/root/.kube/engine/runs/1/edb-admission.yaml",
      command: "kubectl create -f /root/.kube/engine/runs/1/edb-admission.yaml --context=kind",
    },
  ],
  exit: { code: 0, reason: "the new webhook guards alone" },
};

/** A dry run that a missing permission ends. */
export const forbidden: Report = {
  apiVersion: "cli.engine.com/v1",
  kind: "UpgradeWebhook",
  run: { ...run, dryRun: "server" },
  target,
  steps: [
    {
      n: 1,
      id: "webhook.apply",
      action: "apply",
      object: "ValidatingWebhookConfiguration/engine-enterprise-admission",
      result: "failed",
      why: "not allowed",
      ms: 7,
    },
    {
      n: 2,
      id: "webhook.probe",
      action: "probe",
      object: "",
      result: "skipped",
      why: "nothing to prove",
      ms: 0,
    },
  ],
  findings: [
    {
      code: "PERMISSION-MISSING",
      severity: "error",
      cause: "the user may not create\nnor patch webhook configurations",
      fix: "ask for the Role below",
      source: "",
    },
  ],
  permissions: {
    missing: ["create validatingwebhookconfigurations"],
    manifest: "kind: ClusterRole\nrules: []\n",
  },
  exit: { code: 4, reason: "a permission is missing", next: "ask for the Role above" },
};

/** What someone who may write names and messages would like a terminal to do. */
export const hostile: Report = {
  apiVersion: "cli.engine.com/v1",
  kind: "CertInspect",
  steps: [
    {
      n: 1,
      id: "x",
      action: "read",
      object: "Secret/\u001b[2J\u001b]0;owned\u0007evil",
      result: "done",
      why: "two\nlines \u202egnp.exe\u2069",
      ms: 0,
    },
  ],
  certificate: {
    secret: "a\u0000b",
    sha256: "00",
    notAfter: "\u009b31m",
    san: ["\u200bzero", "tag\u{e0041}", "half\ud800"],
  },
  details: {
    "key\u001b": "value\u007f",
    notAfter: "2031",
    nested: { list: ["a", "b\r"], none: null, yes: true, no: false, count: 3, gone: undefined },
    things: [{ name: "one", ok: true }, [1, 2], "plain"],
    empty: [],
  },
  exit: { code: 1, reason: "\u001b[31mred" },
};
