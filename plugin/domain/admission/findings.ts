/** The finding codes of the webhook and its swap, each with its cause, its way out and its source. */
import { error, type Explained, type Finding, warning } from "../base/findings";
import { byTool } from "../base/remedy";
import { eitherConsequence, failsOpen } from "./consequence";
import { bindFindings } from "../names/codes";

/** An error that a write of the entry mends. */
const byWrite = (code: string, source: string, { cause, fix }: Pick<Explained, "cause" | "fix">) =>
  error(code, source, { cause, ...byTool(fix, "upgrade-webhook") });

/** The codes by what they are about. */
export const webhookFindings = {
  staleCa: byWrite("WEBHOOK-CA-STALE", "Facts 4.5", {
    cause:
      "API servers cannot verify the webhook by the entry's CA, so calls fail with an x509 error: the CA is empty, is base64-encoded twice (the Secret's value goes into caBundle unchanged), holds no PEM certificate, or holds neither the certificate of the Secret nor a valid CA that issued it",
    fix: "run upgrade-webhook: it writes the certificate of the Secret into it",
  }),
  placeholder: byWrite("WEBHOOK-PLACEHOLDER", "S29", {
    cause: "a placeholder of the template was left in the configuration: every call fails",
    fix: "run upgrade-webhook: it fills in the namespace and the CA",
  }),
  fieldLeftOver: error("FIELD-LEFT-OVER", "Facts 4.3", {
    cause:
      "another manager set a field that the wanted object does not have, and an apply cannot remove it",
    fix: "remove it with kubectl edit validatingwebhookconfiguration, then run again",
  }),
  homeNotWritable: warning("HOME-NOT-WRITABLE", "docs/reference/environment.md", {
    cause: "the folder for the records of runs cannot be written",
    fix: "set ENGINE_HOME to a folder that can be written",
  }),
  namespaceMissing: error("NAMESPACE-MISSING", "S29", {
    cause: "the operator's namespace does not exist",
    fix: "give the operator's namespace with -n",
  }),
  probeAmbiguous: error("PROBE-AMBIGUOUS", "docs/guides/webhook-swap.md", {
    cause:
      "another configuration has an entry of the same name for the same edits: a refusal would not prove which of the two it came from",
    fix: "delete that configuration if nobody needs it, or go without proof with --no-probe",
  }),
  probeNoKind: error("PROBE-NO-KIND", "S16", {
    cause: "none of the kinds that the webhook entry matches is served by the API server",
    fix: "install the operator's custom resource definitions first, or go without proof with --no-probe",
  }),
  probeNoMatch: error("PROBE-NO-MATCH", "Facts 4.3", {
    cause:
      "no namespace or object is selected by the entry's selectors: nothing is validated, and no edit can prove the webhook",
    fix: "write the selectors of the template with upgrade-webhook --take-template-selectors, or label a namespace so that it is selected, or go without proof with --no-probe",
  }),
  probeHidden: error("PROBE-HIDDEN", "docs/guides/webhook-swap.md", {
    cause:
      "a policy, or a webhook of someone else, refuses every bad edit of the probe, so that no refusal by the operator's webhook can be seen",
    fix: "give a bad edit that it lets through with --probe-file, or go without proof with --no-probe",
  }),
  probeRefused: error("PROBE-REFUSED", "docs/guides/webhook-swap.md", {
    cause:
      "a policy or a webhook of someone else refuses or fails edits that must pass, so that no edit can prove the webhook",
    fix: "see to the one that is named; or give an edit that passes with --probe-file, or go without proof with --no-probe",
  }),
  probeSkipped: warning("PROBE-SKIPPED", "Facts 4.3", {
    cause:
      "no probe was made: it is unproven that the webhook answers and that it refuses a bad edit",
    fix: "run again without --no-probe; it writes nothing when all is up to date",
  }),
  absent: warning("WEBHOOK-ABSENT", "S24", {
    cause: "neither the new nor the old configuration existed: nothing was validated until now",
    fix: "review the databases that were edited in the meantime",
  }),
  evictionHeld: warning("WEBHOOK-EVICTION-HELD", "Facts 11", {
    cause:
      "a PodDisruptionBudget lets none of the webhook's pods be evicted, although all are healthy: a drain of their node does not end",
    fix: "let the budget allow one eviction",
  }),
  failurePolicy: warning("WEBHOOK-FAILURE-POLICY", "docs/guides/webhook-swap.md", {
    cause:
      "the live entry's failurePolicy differs from the template's, and the template's is written",
    fix: "give a template with the policy that you want with --template",
  }),
  holdsMore: warning("WEBHOOK-HOLDS-MORE", "docs/guides/webhook-swap.md", {
    cause:
      "with failurePolicy Fail the entry is also called for operations that the template does not guard: while the webhook does not answer, databases cannot be deleted, nor namespaces that hold them",
    fix: "write the rules of the template with upgrade-webhook --take-template-rules, or take these operations out of the entry",
  }),
  injectedOther: error("WEBHOOK-CA-INJECTED", "docs/guides/webhook-swap.md", {
    cause:
      "a CA injector writes a CA into the configuration that is not the one of the certificate that is served",
    fix: "let the webhook serve a certificate of that CA (put it into the Secret), or take the injector's annotation off the configuration",
  }),
  kept: warning("WEBHOOK-KEPT", "Facts 4.3", {
    cause:
      "a selector, condition or time limit of the live entry was kept, though the template has another",
    fix: "nothing, if it is intended; else run with --take-template-selectors or edit it",
  }),
  leftover: error("WEBHOOK-LEFTOVER", "Facts 4.4", {
    cause:
      "a configuration of an earlier installation, or of another tool, checks the databases and calls a Service that is gone, or an entry that someone added to the product's does: every edit is refused",
    fix: "save the configuration and delete it, or take the added entry out of it",
  }),
  rulesBehind: {
    ...byWrite("WEBHOOK-RULES-BEHIND", "Facts 4.1", {
      cause:
        "edits of some kinds, or in some of the versions that are served, are not validated: the rules of the entry are of an older release, or are not for them",
      fix: "run upgrade-webhook",
    }),
    severity: "warning",
  },
  selectorMisses: warning("WEBHOOK-SELECTOR-MISSES", "Facts 4.4", {
    cause:
      "a selector or a condition of the entry leaves out databases of a managed namespace: nothing validates them",
    fix: "label the namespace so that it is selected, or widen the selector",
  }),
  selectsNoNamespace: warning("WEBHOOK-SELECTS-NOTHING", "Facts 4.4", {
    cause: "a configuration of others for the databases selects no namespace: it checks nothing",
    fix: "look at it, and delete it if nobody needs it",
  }),
  losesRules: error("WEBHOOK-LOSES-RULES", "docs/guides/webhook-swap.md", {
    cause:
      "the template does not guard resources or operations that the live entry guards: it is of an older release than the cluster",
    fix: "give the template of the operator's release with --release SOURCE, or drop what it lacks with --take-template-rules",
  }),
  allowsAll: error("WEBHOOK-ALLOWS-ALL", "docs/guides/webhook-unreachable.md", {
    cause: `an edit that must be refused passes: no webhook in force refuses it, or calls of it fail (${failsOpen})`,
    fix: "see in the webhook's log whether calls reach it and why it lets bad edits pass, and restart it",
  }),
  beyondCa: error("WEBHOOK-BEYOND-CA", "docs/guides/gitops.md", {
    cause:
      "--ca-only writes the CA and nothing else, and the configuration is missing or differs in more: where it calls something else, no call is answered whatever its CA is",
    fix: "make the change through the owner of the configuration, or run upgrade-webhook without --ca-only",
  }),
  callsOther: byWrite("WEBHOOK-CALLS-OTHER", "Facts 4.1", {
    cause:
      "the entry calls a Service, a port or a path that is not there, although what the template calls is: every call fails",
    fix: "run upgrade-webhook: it writes the entry as the template has it",
  }),
  entryAbsent: byWrite("WEBHOOK-ENTRY-ABSENT", "S30", {
    cause: "the configuration does not have the one entry that the procedure names",
    fix: "run upgrade-webhook: it writes the whole configuration",
  }),
  mesh: warning("WEBHOOK-MESH", "docs/guides/webhook-unreachable.md", {
    cause:
      "calls of the webhook pass the proxy of a mesh: where the mesh asks every caller for mTLS, it refuses the API server, which is in no mesh",
    fix: "nothing, where the mesh takes calls without mTLS on that port; else leave the port out of the proxy",
  }),
  namespaceGone: byWrite("WEBHOOK-NAMESPACE-GONE", "Facts 4.5", {
    cause: "the entry calls a Service in a namespace that does not exist: every call fails",
    fix: "run upgrade-webhook with the operator's namespace",
  }),
  networkClosed: error("WEBHOOK-NETWORK-POLICY", "Facts 4.5", {
    cause:
      "a NetworkPolicy closes the port of the webhook's pods to the API server: every call times out",
    fix: "add a rule to the policy that opens the port of the webhook",
  }),
  notAnswering: error("WEBHOOK-NOT-ANSWERING", "docs/guides/webhook-unreachable.md", {
    cause: `the webhook does not answer: ${eitherConsequence}`,
    fix: "see in its log what keeps it, and restart it",
  }),
  noEndpoints: error("WEBHOOK-NO-ENDPOINTS", "Facts 4.5", {
    cause: "the Service that the webhook entry calls has no ready endpoint: every call would fail",
    fix: "replace the pod behind the Service and wait for it, or run with --wait",
  }),
  noPods: error("WEBHOOK-NO-PODS", "Facts 4.5", {
    cause: "what the Service of the webhook selects has no pod: every call would fail",
    fix: "have its pods started and wait for them, or run with --wait",
  }),
  oldHasOthers: error("WEBHOOK-OLD-HAS-OTHERS", "S25", {
    cause:
      "the old configuration also holds entries that are not the operator's; deleting it would lose them",
    fix: "move those entries to a configuration of their own, then run again",
  }),
  otherConfiguration: warning("WEBHOOK-OTHER-CONFIGURATION", "Facts 4.4", {
    cause: "another configuration carries the same entry and may check the same databases",
    fix: "look at it with kubectl get validatingwebhookconfiguration -o yaml, and delete it if nobody needs it",
  }),
  otherNamespace: error("WEBHOOK-OTHER-NAMESPACE", "Facts 4.4", {
    cause:
      "the configuration serves another namespace that exists: its databases would be checked by another webhook",
    fix: "run with -n for that namespace, or accept it with --skip WEBHOOK-OTHER-NAMESPACE=OBJECT to move it",
  }),
  podsNotReady: error("WEBHOOK-PODS-NOT-READY", "Facts 4.5", {
    cause: "no pod that the Service of the webhook selects is ready: every call would fail",
    fix: "repair the pod that is named and wait for it, or run with --wait",
  }),
  publishesUnready: error("WEBHOOK-PUBLISHES-UNREADY", "Facts 4.5", {
    cause:
      "no pod that the Service of the webhook selects is ready, and the Service publishes their addresses all the same: every call would fail",
    fix: "repair the pod that is named and wait for it, then take publishNotReadyAddresses off the Service",
  }),
  refusesAll: error("WEBHOOK-REFUSES-ALL", "docs/guides/webhook-unreachable.md", {
    cause: "the webhook refuses edits that must pass",
    fix: "do what its refusal asks for, or restart it",
  }),
  rulesBeyond: error("WEBHOOK-RULES-BEYOND", "docs/guides/webhook-swap.md", {
    cause:
      "the template's rules reach beyond the product's kinds: a fail-closed webhook would stop edits of others",
    fix: "look at its rules; if they are intended, accept each with --skip WEBHOOK-RULES-BEYOND=RULE",
  }),
  owned: error("WEBHOOK-OWNED", "Facts 4.4", {
    cause:
      "Helm, OLM or a GitOps controller owns a configuration that would be changed, or one that calls the same webhook already",
    fix: "make the change through that owner: helm upgrade, the InstallPlan, or the repository that it follows; where it lacks nothing but the CA, run upgrade-webhook --ca-only",
  }),
  selectsNothing: error("WEBHOOK-SELECTOR", "Facts 4.5", {
    cause:
      "the selector of the Service that the webhook entry calls finds no pod: every call would fail",
    fix: "take out of the Service's selector what no pod carries",
  }),
  serviceMissing: error("WEBHOOK-SERVICE-MISSING", "Facts 4.5", {
    cause: "the Service that the webhook entry calls does not exist",
    fix: "install the operator (or the companion webhook) in this namespace first, or give its namespace with -n",
  }),
  servicePort: error("WEBHOOK-SERVICE-PORT", "Facts 4.1", {
    cause: "the Service does not have the port that the entry calls: every call fails",
    fix: "give the Service the port 443 again, as the bundle has it",
  }),
  servesOther: error("WEBHOOK-SERVES-OTHER", "docs/guides/webhook-swap.md", {
    cause:
      "the webhook serves another certificate than that of the Secret: calls fail although the entry has the Secret's CA",
    fix: "restart the pod behind the Service so that it serves the pair of the Secret, then run again",
  }),
  strangerPod: error("WEBHOOK-STRANGER-POD", "Facts 4.5", {
    cause:
      "the Service of the webhook also selects a pod that does not listen: every call that the pod gets fails",
    fix: "have the Service select only the webhook's pods, or give the other pod other labels",
  }),
  targetPort: error("WEBHOOK-TARGET-PORT", "Facts 4.5", {
    cause:
      "the Service of the webhook sends to a port that no container of its pods opens: every call would fail",
    fix: "have the Service send to the port on which the webhook listens",
  }),
  templateOlder: warning("WEBHOOK-TEMPLATE-OLDER", "S26", {
    cause:
      "the operator is of a later release than the template that the tool ships is known for, and nothing in the cluster says what its webhook guards",
    fix: "give the template of the operator's release with --release SOURCE",
  }),
  timeoutShort: warning("WEBHOOK-TIMEOUT-SHORT", "docs/guides/webhook-swap.md", {
    cause:
      "timeoutSeconds is so short that a webhook which asks to be called again a second later is not: the edit is refused with failurePolicy Fail, and not validated with Ignore",
    fix: "set timeoutSeconds to 10, as the API server does by default",
  }),
  unreachable: error("WEBHOOK-UNREACHABLE", "docs/guides/webhook-unreachable.md", {
    cause: `the API server does not reach the webhook in time: ${eitherConsequence}`,
    fix: "let the API server reach the port of the webhook's pods",
  }),
} as const satisfies Readonly<Record<string, Explained>>;

/** A finding of one of the codes. */
export const webhookFinding = bindFindings(webhookFindings);

/** The finding that the namespace is not there, with what is known beside. */
export function namespaceMissing(
  namespace: string,
  cause: string = webhookFindings.namespaceMissing.cause,
): Finding {
  return webhookFinding("namespaceMissing", { object: `Namespace/${namespace}`, cause });
}
