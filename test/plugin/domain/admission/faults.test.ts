/** What a probe was told of the webhook itself: each of the API server's texts has its link and its command. */
import { firstRun } from "../../../../plugin/domain/base/remedy";
import { readAnswer } from "../../../../plugin/domain/admission/answers";
import {
  findUnevaluated,
  judgeAnswers,
  reportUnevaluated,
} from "../../../../plugin/domain/admission/faults";
import type { Observation } from "../../../../plugin/domain/admission/probe";
import type { ValidatingWebhook } from "../../../../plugin/domain/kube/models";
import { defaultNames as names } from "../../../../plugin/domain/names/names";

const { entry, configuration } = names.webhook;
const answering = {
  ours: [entry],
  policies: ["Fail"] as const,
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
    failing(`${post}: no endpoints available for service "admission"`),
    ["WEBHOOK-NO-ENDPOINTS", "kubectl describe service admission --namespace=data"],
  ],
  ["no Service", failing(`${post}: service "admission" not found`), ["WEBHOOK-SERVICE-MISSING"]],
  [
    "no such port",
    failing(`${post}: no service port 443 found for service "admission"`),
    ["WEBHOOK-SERVICE-PORT", "kubectl get service admission --namespace=data -o yaml"],
  ],
  [
    "another CA",
    failing(
      `${post}: tls: failed to verify certificate: x509: certificate signed by unknown authority`,
    ),
    ["WEBHOOK-SERVES-OTHER", restart],
  ],
  ["too late", failing(`${post}: context deadline exceeded`), ["WEBHOOK-UNREACHABLE", logs]],
  ["no way", failing(`${post}: dial tcp 10.0.0.1:443: i/o timeout`), ["WEBHOOK-UNREACHABLE", logs]],
  [
    "nothing listens",
    failing(`${post}: dial tcp 10.0.0.1:443: connect: connection refused`),
    ["WEBHOOK-NOT-ANSWERING", logs],
  ],
  ["the connection is cut", failing(`${post}: EOF`), ["WEBHOOK-NOT-ANSWERING", logs]],
  [
    "the connection is reset",
    failing(`${post}: read tcp 10.0.0.2:5000->10.0.0.1:8443: read: connection reset by peer`),
    ["WEBHOOK-NOT-ANSWERING", logs],
  ],
  [
    "no route",
    failing(`${post}: dial tcp 10.0.0.1:8443: connect: no route to host`),
    ["WEBHOOK-UNREACHABLE", "kubectl get networkpolicies --namespace=data -o yaml"],
  ],
  [
    "a proxy that is down",
    failing(`${post}: proxyconnect tcp: dial tcp 10.9.9.9:3128: connect: connection refused`),
    ["WEBHOOK-UNREACHABLE"],
  ],
  ["a proxy that refuses", failing(`${post}: Service Unavailable`), ["WEBHOOK-UNREACHABLE"]],
  [
    "a name that is not resolved",
    failing(`${post}: dial tcp: lookup admission.data.svc on 10.96.0.10:53: no such host`),
    ["WEBHOOK-UNREACHABLE"],
  ],
  [
    "plain HTTP",
    failing(`${post}: http: server gave HTTP response to HTTPS client`),
    ["WEBHOOK-NOT-ANSWERING", logs],
  ],
  [
    "something else than TLS",
    failing(`${post}: tls: first record does not look like a TLS handshake`),
    ["WEBHOOK-NOT-ANSWERING", logs],
  ],
  [
    "a client certificate that is refused",
    failing(`${post}: remote error: tls: certificate required`),
    ["WEBHOOK-NOT-ANSWERING", logs],
  ],
  [
    "a handshake that breaks off",
    failing(`${post}: remote error: tls: handshake failure`),
    ["WEBHOOK-NOT-ANSWERING", logs],
  ],
  [
    "a certificate that has expired",
    failing(
      `${post}: tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2026-11-28T02:00:00Z is after 2026-11-20T00:00:00Z`,
    ),
    ["WEBHOOK-SERVES-OTHER", "tool cert inspect"],
  ],
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
    ["WEBHOOK-UNREACHABLE", logs],
  ],
])("%s", (_, observation, [code, line]) => {
  const found = judgeAnswers([seen("accept"), observation, seen("accept")], answering);
  expect(found).toMatchObject({ code, object: answering.object });
  const command = firstRun(found?.remedies)?.run;
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

test.each([
  [
    "proxyconnect tcp: dial tcp 10.9.9.9:3128: connect: connection refused",
    ".data.svc into NO_PROXY",
  ],
  ["Service Unavailable", ".data.svc into NO_PROXY"],
  [
    "dial tcp 10.0.0.1:443: connect: connection refused",
    "the port that the Service sends to with the one that the container opens; see kubectl get service admission --namespace=data -o yaml;",
  ],
  ["dial tcp: lookup admission.data.svc on 10.96.0.10:53: no such host", "not a URL"],
  ['cannot route to service with ClusterIP "None"', "no address of its own"],
  ["http: server gave HTTP response to HTTPS client", "speaks no TLS"],
  ["tls: first record does not look like a TLS handshake", "speaks no TLS"],
  ["something new", "not explained"],
  ["remote error: tls: certificate required", "does not take the API server's"],
  ["read: connection reset by peer", "the connection is cut"],
  ["EOF", "a sidecar of a mesh"],
])("%s is told by its cause", (text, says) => {
  const found = judgeAnswers([failing(`${post}: ${text}`)], answering);
  expect(`${String(found?.cause)} ${String(found?.fix)}`).toContain(says);
});

test.each<[string, Partial<Parameters<typeof judgeAnswers>[1]>, string, readonly string[]]>([
  [
    "under Fail",
    {},
    "an edit that must be refused passes: no webhook in force refuses it",
    ["see in its log why it lets them pass", "restart it"],
  ],
  [
    "under Ignore, where no one can tell whether it was called",
    { policies: ["Ignore"] },
    "an edit that must be refused passes, and whether the webhook answered cannot be seen: failurePolicy Ignore: calls that fail let edits pass",
    [
      "see whether calls reach it: its log has a line for each; where none comes, check names what is broken on the way",
      "restart it where they come",
    ],
  ],
  [
    "with conditions, whatever the policy is",
    { policies: ["Ignore"], conditions: ["c asks who edits", "d is never true"] },
    "an edit that must be refused passes: it is not called, by its conditions (c asks who edits; d is never true), or lets it pass",
    ["see whether its matchConditions are meant for this user and these edits"],
  ],
])("a bad edit that passes, %s: %#", (_, more, cause, says) => {
  const found = judgeAnswers([seen("deny")], { ...answering, ...more });
  expect(found).toMatchObject({ code: "WEBHOOK-ALLOWS-ALL", object: answering.object, cause });
  const told = found?.remedies?.flatMap((one) => [one.says, ...(one.then ? [one.then.says] : [])]);
  expect(told).toEqual(says);
});

describe("a condition that cannot be evaluated", () => {
  const condition = { name: "team", expression: "object.metadata.labels.team == 'a'" };
  const conditional: ValidatingWebhook = { name: entry, matchConditions: [condition] };
  const other: ValidatingWebhook = {
    name: "other",
    matchConditions: [{ name: "x", expression: "request.userInfo.username != 'x'" }],
  };
  const refusal = (expression: string): string =>
    `edbs.app.engine.com "probe" is forbidden: expression '${expression}' resulted in error: no such key: labels`;
  const told = refusal(condition.expression);

  test.each<[string, readonly Observation[], readonly ValidatingWebhook[], string | undefined]>([
    ["of an entry", [seen("accept", told)], [conditional], "team"],
    ["of the second entry", [seen("accept", told)], [{}, other, conditional], "team"],
    ["after answers of other sorts", [seen("deny"), seen("accept", told)], [conditional], "team"],
    ["of somebody else's entry", [seen("accept", refusal("false"))], [conditional], undefined],
    ["no conditions", [seen("accept", told)], [{}], undefined],
    ["no answers", [], [conditional], undefined],
    [
      "an edit that is refused by a quota",
      [seen("accept", "exceeded quota")],
      [conditional],
      undefined,
    ],
    ["a call that fails", [failing(`${post}: EOF`)], [conditional], undefined],
  ])("%s: %#", (_, observations, entries, name) => {
    const found = findUnevaluated(observations, entries);
    expect(found).toEqual(name === undefined ? undefined : { name, detail: told });
  });

  test.each<[readonly ("Fail" | "Ignore")[], string]>([
    [["Fail"], "edits that it checks fail"],
    [["Ignore"], "nothing is validated (failurePolicy Ignore: calls that fail let edits pass)"],
  ])("under %j it is told with what it does, and only looked at", (policies, does) => {
    const { object } = answering;
    const found = reportUnevaluated({ name: "team", detail: told }, { object, policies });
    expect(found).toMatchObject({ code: "WEBHOOK-NOT-ANSWERING", severity: "error", object });
    expect(found.cause).toBe(
      `${does}, as its condition team cannot be evaluated for them: ${told}`,
    );
    const words = ["get", object.toLowerCase(), "-o", "yaml"];
    const says =
      "have the condition ask whether a field is there before it is used, or take it out";
    expect(found.remedies).toEqual([{ says, see: { of: "kubectl", words } }]);
  });
});
