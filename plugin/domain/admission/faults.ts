/** What the probe was told of the webhook, as the link that is broken and the way to repair it (Facts 4.5; admission facts 3, 4). */
import { describeConsequence, failsOpen, type FailurePolicy } from "./consequence";
import type { Finding } from "../base/findings";
import type { Names } from "../names/names";
import { webhookFinding, type webhookFindings } from "./findings";
import { isRight, type Observation } from "./probe";

/** Whose answers are judged. */
export interface Answering {
  /** The entries of the product's webhook, by name; "" for a call that had no answer in time. */
  readonly ours: readonly string[];
  /** The configuration, as findings name it. */
  readonly object: string;
  /** The policies of the entries in force. */
  readonly policies: readonly FailurePolicy[];
  /** The operator's. */
  readonly namespace: string;
  readonly names: Names;
}

type Place = Pick<Answering, "namespace" | "names">;

interface Failure {
  readonly what: keyof typeof webhookFindings;
  /** What is so, without the API server's words. */
  readonly because: string;
  readonly step: (place: Place) => string;
}

const log = ({ names: { operator }, namespace }: Place): string =>
  `kubectl logs deployment/${operator.deployment} --container=${operator.admissionContainer} --namespace=${namespace}`;
const restart = ({ names: { operator }, namespace }: Place): string =>
  `kubectl rollout restart deployment/${operator.deployment} --namespace=${namespace}`;
const onService = (act: string, { names, namespace }: Place): string =>
  `kubectl ${act} service ${names.webhook.service} --namespace=${namespace}`;
const emergency = "edits that cannot wait: kubectl engine explain guides/bypass";

const notAnswering = (because: string, before: (place: Place) => string = () => ""): Failure => ({
  what: "notAnswering",
  because,
  step: (place) =>
    `${before(place)}see in its log what keeps it, and restart it with ${restart(place)}; ${emergency}; the log: ${log(place)}`,
});

/** The API server's texts for a call that failed (k8s.io/apiserver, net/http of Go), the closest first. */
const failures: readonly (readonly [text: RegExp, failure: Failure])[] = [
  [
    /no endpoints available for service/,
    {
      what: "noEndpoints",
      because: "nothing is behind the Service",
      step: (place) =>
        `have a pod behind the Service; what it has: ${onService("describe", place)}`,
    },
  ],
  [
    /service "[^"]*" not found/,
    {
      what: "serviceMissing",
      because: "the Service is not there",
      step: () => "install the operator in this namespace first, or give its namespace with -n",
    },
  ],
  [
    /cannot route to service with ClusterIP/,
    {
      what: "unreachable",
      because: "the Service has no address of its own (clusterIP: None)",
      step: (place) =>
        `save the Service, delete it and apply the one of the release, which has an address, with upgrade-operator --release SOURCE; ${emergency}; what it is now: ${onService("get", place)} -o yaml`,
    },
  ],
  [
    /no service port \S+ found for service/,
    {
      what: "servicePort",
      because: "the Service does not have that port",
      step: (place) =>
        `give it the port that is called; what it has: ${onService("get", place)} -o yaml`,
    },
  ],
  [
    /proxyconnect|: (Forbidden|Service Unavailable|Bad Gateway|Gateway Time-?out|Proxy Authentication Required)$/,
    {
      what: "unreachable",
      because: "the API server calls it through a proxy, which does not let the call pass",
      step: ({ namespace }) =>
        `take .svc and .${namespace}.svc into NO_PROXY of the API server (its administrator or provider), or let its proxy pass the call; ${emergency}`,
    },
  ],
  [
    /no such host/,
    {
      what: "unreachable",
      because: "the API server does not resolve the name that it calls",
      step: () =>
        `have the entry call the Service, not a URL, or correct the DNS of the API server; ${emergency}`,
    },
  ],
  [
    /server gave HTTP response to HTTPS client|first record does not look like a TLS handshake/,
    notAnswering("what listens on the port speaks no TLS, so it is not the webhook"),
  ],
  [/remote error: tls: /, notAnswering("it does not take the API server's own certificate")],
  [
    /x509: |tls: /,
    {
      what: "servesOther",
      because: "what it serves is not trusted",
      step: (place) =>
        `restart the pod so that it serves the pair of the Secret, then run upgrade-webhook: ${restart(place)}`,
    },
  ],
  [
    /context deadline exceeded|i\/o timeout|Client\.Timeout exceeded|no answer within|no route to host/,
    {
      what: "unreachable",
      because: "the API server does not reach it in time",
      step: ({ namespace }) =>
        `let the API server reach the port of the pods (NetworkPolicies, firewalls, a tunnel of the provider); ${emergency}; the policies: kubectl get networkpolicies --namespace=${namespace} -o yaml`,
    },
  ],
  [
    /connection refused/,
    notAnswering(
      "nothing listens on the port",
      (place) =>
        `compare the port that the Service sends to with the one that the container opens: ${onService("get", place)} -o yaml; where they are the same, `,
    ),
  ],
  [/\bEOF\b|connection reset by peer|broken pipe/, notAnswering("it cuts the connection")],
];
const other = notAnswering("it gives no answer that counts");

/** The finding on the webhook itself, from the last wrong answer; undefined where it gave none. */
export function judgeAnswers(
  observations: readonly Observation[],
  answering: Answering,
): Finding | undefined {
  const last = observations.findLast((one) => !isRight(one) && isOurs(one, answering.ours));
  if (last === undefined || last.answer.is === "other") return undefined;
  if (last.answer.is === "accepted") return allows(answering);
  const { is, by, detail } = last.answer;
  if (is === "refused") return refuses(answering, detail);
  // an entry that the API server names has refused the edit: only Fail does that
  return fails(by === "" ? answering : { ...answering, policies: ["Fail"] }, detail);
}

function isOurs({ answer }: Observation, ours: readonly string[]): boolean {
  return answer.is === "accepted" || (answer.is !== "other" && ["", ...ours].includes(answer.by));
}

/** Under Ignore an edit also passes where the webhook was never reached: then its log says nothing of it. */
function allows({ object, policies, ...place }: Answering): Finding {
  if (policies.includes("Ignore")) {
    const fix = `see whether calls reach it: its log has a line for each, ${log(place)}; where none comes, kubectl engine check names what is broken on the way; where they come, restart it with ${restart(place)}`;
    const cause = `an edit that must be refused passes, and whether the webhook answered cannot be seen: ${failsOpen}`;
    return webhookFinding("allowsAll", { object, cause, fix });
  }
  const cause = "an edit that must be refused passes: no webhook in force refuses it";
  const fix = `see in its log why it lets them pass, and restart it with ${restart(place)}; the log: ${log(place)}`;
  return webhookFinding("allowsAll", { object, cause, fix });
}

function refuses({ object, ...place }: Answering, detail: string): Finding {
  return webhookFinding("refusesAll", {
    object,
    cause: `it refuses an edit that must pass: ${detail}`,
    fix: `do what it asks for, or restart it with ${restart(place)}; ${emergency}; its log: ${log(place)}`,
  });
}

function fails({ object, policies, ...place }: Answering, detail: string): Finding {
  const { what, because, step } = failures.find(([text]) => text.test(detail))?.[1] ?? other;
  const cause = `${describeConsequence(policies)}, ${because}: ${detail}`;
  return webhookFinding(what, { object, cause, fix: step(place) });
}
