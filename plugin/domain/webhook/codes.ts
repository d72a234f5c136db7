/** The finding codes of the webhook and its swap, each with its cause, its way out and its source. */
import type { Explained, Finding } from "../findings";

const noNamespace: Explained = {
  code: "NAMESPACE-MISSING",
  severity: "error",
  cause: "the operator's namespace does not exist",
  fix: "give the operator's namespace with -n",
  source: "S29",
};

/** The finding that the namespace is not there, with what is known beside. */
export function namespaceMissing(namespace: string, cause = noNamespace.cause): Finding {
  const { code, severity, fix, source } = noNamespace;
  return { code, severity, object: `Namespace/${namespace}`, cause, fix, source };
}

/** The catalogue entries of every finding of a swap. */
export const webhookCodes: readonly Explained[] = [
  {
    code: "FIELD-CONFLICT",
    severity: "error",
    cause: "another field manager holds a field that has to be written, and may write it again",
    fix: "have that manager change the field, or take it with --take-fields",
    source: "S18",
  },
  {
    code: "FIELD-LEFT-OVER",
    severity: "error",
    cause:
      "another manager set a field that the wanted object does not have, and an apply cannot take it away",
    fix: "remove it with kubectl edit validatingwebhookconfiguration, then run again",
    source: "domain facts 4.3",
  },
  {
    code: "HOME-NOT-WRITABLE",
    severity: "warning",
    cause: "the folder for the records of runs cannot be written",
    fix: "set ENGINE_HOME to a folder that can be written",
    source: "cli contract, Runs",
  },
  noNamespace,
  {
    code: "OPERATOR-NOT-READY",
    severity: "error",
    cause: "the operator's Deployment is not 1/1 ready, up to date and available",
    fix: "wait until it is, or run with --wait; kubectl describe pod shows what keeps it",
    source: "S19",
  },
  {
    code: "PROBE-AMBIGUOUS",
    severity: "error",
    cause:
      "another configuration has an entry of the same name for the same edits: a refusal would not prove which of the two it came from",
    fix: "delete that configuration if nobody needs it, or go without proof with --no-probe",
    source: "cli contract, upgrade-webhook",
  },
  {
    code: "PROBE-NO-KIND",
    severity: "error",
    cause: "none of the kinds that the webhook entry matches is served by the API server",
    fix: "install the operator's custom resource definitions first, or go without proof with --no-probe",
    source: "S16",
  },
  {
    code: "PROBE-NO-MATCH",
    severity: "error",
    cause:
      "no namespace or object is selected by the entry's selectors, so no edit can prove the webhook",
    fix: "label a namespace so that it is selected, or go without proof with --no-probe",
    source: "domain facts 4.3",
  },
  {
    code: "PROBE-SKIPPED",
    severity: "warning",
    cause:
      "no probe was made: it is unproven that the webhook answers and that it refuses a bad edit",
    fix: "run again without --no-probe, it writes nothing when all is as wanted",
    source: "domain facts 4.3",
  },
  {
    code: "WEBHOOK-ABSENT",
    severity: "warning",
    cause: "neither the new nor the old configuration existed: nothing was validated until now",
    fix: "review the databases that were edited in the meantime",
    source: "S24",
  },
  {
    code: "WEBHOOK-FAILURE-POLICY",
    severity: "warning",
    cause:
      "the live entry's failurePolicy differs from the template's, and the template's is written",
    fix: "give a template with the policy that you want by --template",
    source: "cli contract, upgrade-webhook",
  },
  {
    code: "WEBHOOK-KEPT",
    severity: "warning",
    cause: "a selector, condition or time limit of the live entry was kept against the template",
    fix: "nothing, if it is wanted; else run with --take-template-selectors or edit it",
    source: "domain facts 4.3",
  },
  {
    code: "WEBHOOK-LOSES-RULES",
    severity: "error",
    cause:
      "the template does not guard resources or operations that the live entry guards: it is of an older release than the cluster",
    fix: "give the template of the operator's release with --release SOURCE, or drop what it lacks with --take-template-rules",
    source: "cli contract, upgrade-webhook",
  },
  {
    code: "WEBHOOK-NO-ENDPOINTS",
    severity: "error",
    cause: "the Service that the webhook entry calls has no ready endpoint, every call would fail",
    fix: "restart the pod behind the Service and wait for it, or run with --wait",
    source: "domain facts 4.5",
  },
  {
    code: "WEBHOOK-OLD-HAS-OTHERS",
    severity: "error",
    cause:
      "the old configuration also holds entries that are not the operator's; deleting it would lose them",
    fix: "move those entries to a configuration of their own, then run again",
    source: "S25",
  },
  {
    code: "WEBHOOK-OTHER-CONFIGURATION",
    severity: "warning",
    cause: "another configuration carries the same entry and may judge the same databases",
    fix: "look at it with kubectl get validatingwebhookconfiguration -o yaml, delete it if nobody needs it",
    source: "domain facts 4.4",
  },
  {
    code: "WEBHOOK-OTHER-NAMESPACE",
    severity: "error",
    cause:
      "the configuration serves another namespace that exists: its databases would be judged by another webhook",
    fix: "run with -n for that namespace, or with --take-over to move it",
    source: "domain facts 4.4",
  },
  {
    code: "WEBHOOK-OWNED",
    severity: "error",
    cause:
      "Helm, OLM or a GitOps controller owns a configuration that would be changed, or one that calls the same webhook already",
    fix: "use that owner's own way: helm upgrade, the InstallPlan, or the repository that it follows",
    source: "domain facts 4.4",
  },
  {
    code: "WEBHOOK-SERVICE-MISSING",
    severity: "error",
    cause: "the Service that the webhook entry calls does not exist",
    fix: "install the operator or the companion webhook in that namespace first, or give its namespace with -n",
    source: "domain facts 4.5",
  },
  {
    code: "WEBHOOK-TEMPLATE-OLDER",
    severity: "warning",
    cause:
      "the operator is of a later release than the template that the tool ships is known for, and nothing in the cluster tells what its webhook guards",
    fix: "give the template of the operator's release with --release SOURCE",
    source: "S26",
  },
];
