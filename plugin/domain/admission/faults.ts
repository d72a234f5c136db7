/** What the probe was told of the webhook, as the link that is broken and the way to repair it (Facts 4.5; admission facts 3, 4). */
import { describeConsequence, failsOpen, type FailurePolicy } from "./consequence";
import type { Finding } from "../base/findings";
import { kubectl, look, type Remedy, tool } from "../base/remedy";
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
  readonly ways: (place: Place) => readonly Remedy[];
}

const seeLog = (says: string, { names: { operator }, namespace }: Place): Remedy =>
  look(
    says,
    ...["logs", `deployment/${operator.deployment}`],
    ...[`--container=${operator.admissionContainer}`, `--namespace=${namespace}`],
  );
const restart = (says: string, { names: { operator }, namespace }: Place): Remedy =>
  kubectl(
    says,
    ...["rollout", "restart", `deployment/${operator.deployment}`, `--namespace=${namespace}`],
  );
const onService = (
  says: string,
  [act, ...after]: readonly [string, ...(readonly string[])],
  { names, namespace }: Place,
): Remedy => {
  return look(says, act, "service", names.webhook.service, `--namespace=${namespace}`, ...after);
};
const bypass: Remedy = {
  says: "for edits that cannot wait, see kubectl engine explain guides/bypass",
};

const notAnswering = (
  because: string,
  after: (then: Remedy, place: Place) => Remedy = (then) => then,
): Failure => ({
  what: "notAnswering",
  because,
  ways: (place) => [
    {
      ...seeLog("see in its log what keeps it", place),
      then: after(restart("restart it", place), place),
    },
    bypass,
  ],
});

/** The API server's texts for a call that failed (k8s.io/apiserver, net/http of Go), the closest first. */
const failures: readonly (readonly [text: RegExp, failure: Failure])[] = [
  [
    /no endpoints available for service/,
    {
      what: "noEndpoints",
      because: "nothing is behind the Service",
      ways: (place) => [onService("have a pod behind the Service", ["describe"], place)],
    },
  ],
  [
    /service "[^"]*" not found/,
    {
      what: "serviceMissing",
      because: "the Service is not there",
      ways: () => [
        { says: "install the operator in this namespace first, or give its namespace with -n" },
      ],
    },
  ],
  [
    /cannot route to service with ClusterIP/,
    {
      what: "unreachable",
      because: "the Service has no address of its own (clusterIP: None)",
      ways: (place) => [
        onService(
          "save the Service, delete it and apply the one of the release, which has an address, with upgrade-operator --release SOURCE",
          ["get", "-o", "yaml"],
          place,
        ),
        bypass,
      ],
    },
  ],
  [
    /no service port \S+ found for service/,
    {
      what: "servicePort",
      because: "the Service does not have that port",
      ways: (place) => [onService("give it the port that is called", ["get", "-o", "yaml"], place)],
    },
  ],
  [
    /proxyconnect|: (Forbidden|Service Unavailable|Bad Gateway|Gateway Time-?out|Proxy Authentication Required)$/,
    {
      what: "unreachable",
      because: "the API server calls it through a proxy, which does not let the call pass",
      ways: ({ namespace }) => [
        {
          says: `take .svc and .${namespace}.svc into NO_PROXY of the API server (its administrator or provider), or let its proxy pass the call`,
        },
        bypass,
      ],
    },
  ],
  [
    /no such host/,
    {
      what: "unreachable",
      because: "the API server does not resolve the name that it calls",
      ways: () => [
        {
          says: "have the entry call the Service, not a URL, or correct the DNS of the API server",
        },
        bypass,
      ],
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
      ways: (place) => [
        {
          ...restart("restart the pod so that it serves the pair of the Secret", place),
          then: tool("run upgrade-webhook", "upgrade-webhook"),
        },
      ],
    },
  ],
  [
    /context deadline exceeded|i\/o timeout|Client\.Timeout exceeded|no answer within|no route to host/,
    {
      what: "unreachable",
      because: "the API server does not reach it in time",
      ways: ({ namespace }) => [
        look(
          "let the API server reach the port of the pods (NetworkPolicies, firewalls, a tunnel of the provider)",
          ...["get", "networkpolicies", `--namespace=${namespace}`, "-o", "yaml"],
        ),
        bypass,
      ],
    },
  ],
  [
    /connection refused/,
    notAnswering("nothing listens on the port", (then, place) => ({
      ...onService(
        "compare the port that the Service sends to with the one that the container opens",
        ["get", "-o", "yaml"],
        place,
      ),
      then,
    })),
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
  const isUnseen = policies.includes("Ignore");
  const cause = isUnseen
    ? `an edit that must be refused passes, and whether the webhook answered cannot be seen: ${failsOpen}`
    : "an edit that must be refused passes: no webhook in force refuses it";
  const says = isUnseen
    ? "see whether calls reach it: its log has a line for each; where none comes, check names what is broken on the way"
    : "see in its log why it lets them pass";
  const then = restart(isUnseen ? "restart it where they come" : "restart it", place);
  const remedies = [{ ...seeLog(says, place), then }];
  return webhookFinding("allowsAll", { object, cause, remedies });
}

function refuses({ object, ...place }: Answering, detail: string): Finding {
  return webhookFinding("refusesAll", {
    object,
    cause: `it refuses an edit that must pass: ${detail}`,
    remedies: [seeLog("do what it asks for", place), restart("restart it", place), bypass],
  });
}

function fails({ object, policies, ...place }: Answering, detail: string): Finding {
  const { what, because, ways } = failures.find(([text]) => text.test(detail))?.[1] ?? other;
  const cause = `${describeConsequence(policies)}, ${because}: ${detail}`;
  return webhookFinding(what, { object, cause, remedies: ways(place) });
}
