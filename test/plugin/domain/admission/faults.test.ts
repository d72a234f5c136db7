/** What a probe was told of the webhook itself: each of the API server's texts has its link and its command. */
import { fixCommand } from "../../../../plugin/cmdutil/fix-commands";
import { readAnswer } from "../../../../plugin/domain/admission/answers";
import { judgeAnswers } from "../../../../plugin/domain/admission/faults";
import type { Observation } from "../../../../plugin/domain/admission/probe";
import { defaultNames as names } from "../../../../plugin/domain/names/names";

const { entry, configuration } = names.webhook;
const answering = {
  ours: [entry],
  object: `ValidatingWebhookConfiguration/${configuration}`,
  namespace: "data",
  names,
};
const seen = (twin: "accept" | "deny", message?: string): Observation => ({
  ...{ pair: "x", twin, from: 0, to: 1 },
  answer: message === undefined ? { is: "accepted" } : readAnswer({ status: 500, message }),
});
const failing = (words: string, name = entry): Observation =>
  seen(
    "accept",
    `Internal error occurred: failed calling webhook "${name}": failed to call webhook: ${words}`,
  );
const post = 'Post "https://admission.data.svc:443/admission?timeout=30s"';
const logs =
  "kubectl logs deployment/engine-enterprise-operator --container=admission --namespace=data";
const restart = "kubectl rollout restart deployment/engine-enterprise-operator --namespace=data";

test.each<[string, Observation, readonly [code: string, line?: string]]>([
  [
    "nothing behind the Service",
    failing('no endpoints available for service "admission"'),
    ["WEBHOOK-NO-ENDPOINTS", "kubectl describe service admission --namespace=data"],
  ],
  ["no Service", failing('service "admission" not found'), ["WEBHOOK-SERVICE-MISSING"]],
  [
    "no such port",
    failing('no service port 443 found for service "admission"'),
    ["WEBHOOK-SERVICE-PORT", "kubectl get service admission --namespace=data -o yaml"],
  ],
  [
    "another CA",
    failing(
      `${post}: tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    ),
    ["WEBHOOK-SERVES-OTHER", restart],
  ],
  [
    "too late",
    failing(`${post}: context deadline exceeded`),
    ["WEBHOOK-UNREACHABLE", "kubectl get networkpolicies --namespace=data -o yaml"],
  ],
  [
    "no way",
    failing(`${post}: dial tcp 10.0.0.1:443: i/o timeout`),
    ["WEBHOOK-UNREACHABLE", "kubectl get networkpolicies --namespace=data -o yaml"],
  ],
  [
    "nothing listens",
    failing(`${post}: dial tcp 10.0.0.1:443: connect: connection refused`),
    ["WEBHOOK-NOT-ANSWERING", logs],
  ],
  ["the connection is cut", failing(`${post}: EOF`), ["WEBHOOK-NOT-ANSWERING", logs]],
  [
    "an error of the server",
    failing('an error on the server ("panic") has prevented the request from succeeding'),
    ["WEBHOOK-NOT-ANSWERING", logs],
  ],
  [
    "a good edit is refused",
    seen("accept", `admission webhook "${entry}" denied the request: not today`),
    ["WEBHOOK-REFUSES-ALL", logs],
  ],
  ["a bad edit passes", seen("deny"), ["WEBHOOK-ALLOWS-ALL", logs]],
  [
    "no answer at all",
    { ...seen("accept"), answer: { is: "failed", by: "", detail: "no answer within 5 s" } },
    ["WEBHOOK-UNREACHABLE", "kubectl get networkpolicies --namespace=data -o yaml"],
  ],
])("%s", (_, observation, [code, line]) => {
  const found = judgeAnswers([seen("accept"), observation, seen("accept")], answering);
  expect(found).toMatchObject({ code, object: answering.object });
  const command = found && fixCommand(found, names);
  expect(command && [command.of, ...command.words].join(" ")).toBe(line);
});

test.each<[string, readonly Observation[]]>([
  [
    "right answers",
    [seen("accept"), seen("deny", `admission webhook "${entry}" denied the request: x`)],
  ],
  ["the failure of another's webhook", [failing("EOF", "validate.vendor.example")]],
  ["a refusal by something else", [seen("accept", "exceeded quota: small")]],
  ["no answer yet", []],
])("nothing is said of %s", (_, observations) => {
  expect(judgeAnswers(observations, answering)).toBeUndefined();
});
