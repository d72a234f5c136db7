/** What the probe was told of the webhook, as the link that is broken and the way to repair it (Facts 4.5; admission facts 3, 4). */
import { describeConsequence, failsOpen, type FailurePolicy } from "./consequence";
import type { Finding } from "../base/findings";
import { kubectl, listInOrder, look, type Remedy, tool } from "../base/remedy";
import type { Names } from "../names/names";
import type { Code } from "../names/codes";
import { webhookFinding, webhookFindings } from "./findings";
import { type CallTrouble, isUnevaluated, readTrouble } from "./call-texts";
import type { ValidatingWebhook } from "../kube/models";
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
  /** What the conditions of the entries ask, by which an edit may never reach the webhook. */
  readonly conditions?: readonly string[];
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

/** It is reached and gives no verdict: what its log says comes before anything is done to it. */
const notAnswering = (
  because: string,
  ...steps: readonly ((place: Place) => Remedy)[]
): Failure => ({
  what: "notAnswering",
  because,
  ways: (place) => [
    ...listInOrder([
      seeLog("see in its log what keeps it", place),
      ...(steps.length === 0 ? [restart("restart it", place)] : steps.map((step) => step(place))),
    ]),
    bypass,
  ],
});

/** The step for a port behind which something else listens, or nothing. */
const comparePorts =
  (opener: "container" | "webhook") =>
  (place: Place): Remedy =>
    onService(
      `compare the port that the Service sends to with the one that the ${opener} opens`,
      ["get", "-o", "yaml"],
      place,
    );

const unreachable = (because: string, ...ways: readonly ((place: Place) => Remedy)[]): Failure => ({
  what: "unreachable",
  because,
  ways: (place) => [...ways.map((way) => way(place)), bypass],
});

const openWay = ({ namespace }: Place): Remedy =>
  look(
    "let the API server reach the port of the pods (NetworkPolicies, firewalls, a tunnel of the provider)",
    ...["get", "networkpolicies", `--namespace=${namespace}`, "-o", "yaml"],
  );

/** Another pair has to be served: after a renewal the Secret has it already. */
const servesUnfit = (because: string): Failure => ({
  what: "servesOther",
  because,
  ways: (place) => [
    {
      ...tool("compare it with the pair of the Secret (cert inspect)", "cert", "inspect"),
      then: restart("where they differ, restart the pod so that it serves that pair", place),
    },
    tool("make a new pair with cert create --replace", "cert", "create", "--replace"),
  ],
});

const writeEntry = tool("run upgrade-webhook", "upgrade-webhook");

/** What each means for the webhook: the link that is broken, and what helps. */
const failures: Readonly<Record<CallTrouble, Failure>> = {
  "no-endpoints": {
    what: "noEndpoints",
    because: "nothing is behind the Service",
    ways: (place) => [onService("have a pod behind the Service", ["describe"], place)],
  },
  "no-service": {
    what: "serviceMissing",
    because: "the Service is not there",
    ways: () => [
      { says: "install the operator in this namespace first, or give its namespace with -n" },
    ],
  },
  "no-address": unreachable(
    "the Service has no address of its own (clusterIP: None, or another name)",
    (place) =>
      onService(
        "save the Service, delete it and apply the one of the release, which has an address, with upgrade-operator --release SOURCE",
        ["get", "-o", "yaml"],
        place,
      ),
  ),
  "no-port": {
    what: "servicePort",
    because: "the Service does not have that port",
    ways: (place) => [onService("give it the port that is called", ["get", "-o", "yaml"], place)],
  },
  proxy: unreachable(
    "the API server calls it through a proxy, which does not let the call pass",
    ({ namespace }) => ({
      says: `take .svc and .${namespace}.svc into NO_PROXY of the API server (its administrator or provider), or let its proxy pass the call`,
    }),
  ),
  "no-name": unreachable("the API server does not resolve the name that it calls", () => ({
    says: "have the entry call the Service, not a URL, or correct the DNS of the API server",
  })),
  tunnel: unreachable(
    "the tunnel through which the API server reaches the cluster's network carries no call",
    () =>
      look(
        "see whether the tunnel's agents run on the nodes and reach the control plane (the provider's part)",
        ...["get", "pods", "--namespace=kube-system", "-o", "wide"],
      ),
  ),
  "no-route": unreachable("there is no way from the control plane to it", openWay, () => ({
    says: "route the pod network from the control plane (the provider's network plugin), or run the webhook's pod with hostNetwork",
  })),
  late: unreachable(
    "no answer came in time: it is not reached, or answers too slowly",
    (place) =>
      seeLog(
        "see in its log whether the call arrived: then it answers more slowly than timeoutSeconds allows",
        place,
      ),
    openWay,
  ),
  closed: notAnswering("nothing listens on the port", comparePorts("container"), (place) =>
    restart("restart it", place),
  ),
  lost: notAnswering("the connection was lost during the call", () => ({
    says: "try again: the next call makes a new connection",
  })),
  cut: notAnswering(
    "the connection is cut, by the webhook or by something between it and the API server",
    () => ({
      says: "where its log has no line for the call, look for a sidecar of a mesh with strict mTLS, or a policy of the network",
    }),
    (place) => restart("restart it", place),
  ),
  "no-tls": notAnswering(
    "what listens on the port speaks no TLS, so it is not the webhook",
    comparePorts("webhook"),
  ),
  "no-http": notAnswering(
    "what listens on the port does not answer as a webhook",
    comparePorts("webhook"),
  ),
  "tls-version": notAnswering(
    "it and the API server have no TLS version or cipher in common",
    () => ({ says: "correct the TLS settings of the webhook, or of the API server" }),
  ),
  // what servers say without a certificate that they can use, without a cipher in common, and to a client without one
  handshake: notAnswering(
    "it breaks off the TLS handshake: it has no certificate that it can use, no cipher in common with the API server, or wants a client certificate",
    () => ({
      ...tool(
        "compare its certificate with the pair of the Secret (cert inspect)",
        "cert",
        "inspect",
      ),
      then: { says: "where they are the same, correct its TLS settings" },
    }),
  ),
  "no-certificate": notAnswering("it has no certificate for the name that is called", () => ({
    ...tool("compare it with the pair of the Secret (cert inspect)", "cert", "inspect"),
  })),
  "client-certificate": notAnswering(
    "it asks for a client certificate, and does not take the API server's",
    () => ({
      says: "give it the CA of the API server's client certificate, or have it ask for none",
    }),
  ),
  expired: servesUnfit(
    "the certificate that it serves, or the CA that issued it, has expired or is not valid yet",
  ),
  "other-name": servesUnfit("the certificate that it serves is not for the name that is called"),
  untrusted: {
    what: "servesOther",
    because: "what it serves is not trusted",
    ways: (place) => [
      {
        ...restart("restart the pod so that it serves the pair of the Secret", place),
        then: writeEntry,
      },
    ],
  },
  unfit: servesUnfit("the API server does not take the certificate that it serves"),
  bundle: {
    what: "staleCa",
    because: "the entry's caBundle cannot be read",
    ways: () => [writeEntry],
  },
  "review-versions": {
    what: "callsOther",
    because: "the entry accepts no version of the review that the API server sends",
    ways: () => [writeEntry],
  },
  "no-review": notAnswering("the answer is no admission review"),
  "no-path": notAnswering("the server that answers does not serve the path that is called", () => ({
    ...writeEntry,
    says: "run upgrade-webhook, which writes the path of the release; where it is the same, another program answers",
  })),
  mesh: unreachable(
    "a mesh between the API server and the webhook lets no call through",
    ({ namespace }) =>
      look(
        "let calls without the mesh's certificate pass to the port of the webhook (exclude the port from the sidecar, or PeerAuthentication PERMISSIVE for it)",
        ...["get", "pods", `--namespace=${namespace}`, "-o", "yaml"],
      ),
  ),
  caller: notAnswering("it, or something before it, refuses the API server as a caller", () => ({
    says: "look for a proxy or a mesh in front of it that asks for credentials",
  })),
  busy: notAnswering("it says that it is too busy to answer", (place) => ({
    ...seeLog("try again; where it stays so, give it more CPU or pods", place),
  })),
  "too-large": notAnswering("it takes no review of this size", () => ({
    says: "raise the limit of the proxy in front of it",
  })),
  broken: notAnswering("it fails by itself"),
};

/** The codes of what a probe may show. */
export const probedCodes: readonly Code[] = (
  ["allowsAll", "refusesAll", "probeRefused", "probeHidden"] as const
)
  .map((what): Code => webhookFindings[what])
  .concat(
    [...new Set(Object.values(failures).map(({ what }) => what))].map(
      (what) => webhookFindings[what],
    ),
  );

/** A text that is not known is blamed on nothing, and nothing is advised that could do harm. */
const notExplained: Failure = {
  what: "notAnswering",
  because: "and why is not explained by what the API server says",
  ways: (place) => [seeLog("see in its log whether the call arrived", place), bypass],
};

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

/** The condition of one of the entries that could not be evaluated for an edit: the API server names no webhook. */
export function findUnevaluated(
  observations: readonly Observation[],
  entries: readonly ValidatingWebhook[],
): { readonly name: string; readonly detail: string } | undefined {
  const details = observations.flatMap(({ answer }) =>
    answer.is === "other" && isUnevaluated(answer.detail) ? [answer.detail] : [],
  );
  for (const { name, expression } of entries.flatMap((entry) => entry.matchConditions ?? [])) {
    const detail = details.find((one) => one.includes(`'${String(expression)}'`));
    if (detail !== undefined) return { name: String(name), detail };
  }
  return undefined;
}

/** The finding on that condition. */
export function reportUnevaluated(
  { name, detail }: { readonly name: string; readonly detail: string },
  { object, policies }: Pick<Answering, "object" | "policies">,
): Finding {
  return webhookFinding("notAnswering", {
    object,
    cause: `${describeConsequence(policies)}, as its condition ${name} cannot be evaluated for them: ${detail}`,
    remedies: [
      look(
        "have the condition ask whether a field is there before it is used, or take it out",
        ...["get", object.toLowerCase(), "-o", "yaml"],
      ),
    ],
  });
}

function isOurs({ answer }: Observation, ours: readonly string[]): boolean {
  return answer.is === "accepted" || (answer.is !== "other" && ["", ...ours].includes(answer.by));
}

/** Under Ignore an edit also passes where the webhook was never reached: then its log says nothing of it. */
function allows({ object, policies, conditions = [], ...place }: Answering): Finding {
  if (conditions.length > 0) {
    const why = `it is not called, by its conditions (${conditions.join("; ")}), or lets it pass`;
    const says = "see whether its matchConditions are meant for this user and these edits";
    return webhookFinding("allowsAll", {
      object,
      cause: `an edit that must be refused passes: ${why}`,
      remedies: [look(says, "get", object.toLowerCase(), "-o", "yaml")],
    });
  }
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
  const trouble = readTrouble(detail);
  const { what, because, ways } = trouble === undefined ? notExplained : failures[trouble];
  const cause = `${describeConsequence(policies)}, ${because}: ${detail}`;
  return webhookFinding(what, { object, cause, remedies: ways(place) });
}
