/** An image that cannot be pulled: what registry and kubelet say decides what helps, and whether time does (domain facts 11). */
import type { Recognized } from "./progress";
import type { Pod, ContainerStatus } from "../kube/models";
import { findCondition } from "../kube/typed";
import { asString } from "../base/values";
import { listWarnings, type PodContext, seePod } from "./pod-words";
import { readWaiting } from "./pod-containers";

const imageReasons = new Set([
  "ErrImagePull",
  "ImagePullBackOff",
  "InvalidImageName",
  "ErrImageNeverPull",
  "ImageInspectError",
  "RegistryUnavailable",
  "SignatureValidationFailed",
]);

export function notPulled(
  status: ContainerStatus,
  pod: Pod,
  context?: PodContext,
): Recognized | undefined {
  const { reason, said } = readWaiting(status);
  if (!imageReasons.has(reason)) return undefined;
  const told = [said, ...listFailures(said, pod, context)].join("; ");
  const { way, isPassing = false } = chooseRemedy(told);
  const lacking = isLogin(way) ? findLackingSecret(pod, context) : undefined;
  const words = [told, ...(lacking === undefined ? [] : [lacking])].join("; ");
  const node = String(pod.spec?.nodeName);
  return {
    cause: `the image of container ${String(status.name)} cannot be pulled (${words})`,
    remedies: [seePod(pod, way.replaceAll("NODE", node))],
    ...(isPassing
      ? { since: asString(findCondition(pod, "Ready")?.lastTransitionTime) }
      : { definite: true }),
  };
}

interface Way {
  readonly pattern: RegExp;
  readonly way: string;
  /** The kubelet tries again, and may succeed. */
  readonly isPassing?: true;
}

const login =
  "the registry refuses the login: fix the Secret for pulling images, or what it may pull";

/** What was said decides what helps; the surest words come first. */
const ways: readonly Way[] = [
  {
    pattern: /no space left/i,
    way: "free the disk of node NODE, which has no room for the image",
  },
  {
    pattern: /signature|source image rejected/i,
    way: "a policy of the node refuses the signature of the image: sign it, or let the policy allow it",
  },
  {
    pattern: /InvalidImageName|invalid reference format|couldn't parse image/i,
    way: "it is not a valid name of an image: correct the repository and the tag",
  },
  {
    pattern: /ErrImageNeverPull|pull policy of never/i,
    way: "the node does not have the image and may not pull it: set imagePullPolicy to IfNotPresent, or load the image onto the node",
  },
  {
    pattern: /HTTP response to HTTPS client/i,
    way: "the registry answers without TLS: give it a certificate, or let the container runtime of the nodes use it so",
  },
  {
    pattern:
      /unauthorized|authentication required|auth token|invalid username|denied|forbidden|no basic auth/i,
    way: login,
  },
  {
    pattern: /pull QPS exceeded/i,
    way: "the kubelet limits how often it pulls, and tries again automatically",
    isPassing: true,
  },
  {
    pattern: /toomanyrequests|rate limit|429/i,
    way: "the registry limits how much is pulled: pull with a login, or from a registry of your own",
    isPassing: true,
  },
  {
    pattern:
      /internal server error|bad gateway|service unavailable|gateway time-?out|status.* 50[0-4]\b/i,
    way: "the registry itself fails: see its state; the kubelet tries again automatically",
    isPassing: true,
  },
  {
    pattern: /x509|certificate/i,
    way: "the node does not trust the registry's certificate: give its CA to the container runtime",
  },
  {
    pattern:
      /no such host|i\/o timeout|connection (refused|reset)|dial tcp|deadline exceeded|handshake timeout|\bEOF\b/i,
    way: "the node does not reach the registry: fix its name, the network or the proxy",
    isPassing: true,
  },
  {
    pattern: /no match for platform|exec format/i,
    way: "the image is not there for the node's architecture: use one that is, or other nodes",
  },
  {
    pattern: /manifest unknown|not found|no such image/i,
    way: "the repository does not hold this tag: push it, or set the tag or the repository again",
  },
];

function chooseRemedy(told: string): Pick<Way, "way" | "isPassing"> {
  const found = ways.find(({ pattern }) => pattern.test(told));
  return (
    found ?? {
      way: "check that the repository holds this tag, and that the pull secret fits; then set the tag or the repository again",
    }
  );
}

function isLogin(way: string): boolean {
  return way === login;
}

/** Kubelets of some releases tell in the event alone why they back off. */
function listFailures(said: string, pod: Pod, context: PodContext | undefined): readonly string[] {
  if (context === undefined || ways.some(({ pattern }) => pattern.test(said))) return [];
  const message = listWarnings(context.facts, pod, "Failed")
    .map((event) => String(event.message))
    .find((one) => /^failed to pull image/i.test(one));
  return message === undefined ? [] : [message.trim()];
}

/** The kubelet pulls without a login where the Secret for it is not there. */
function findLackingSecret(pod: Pod, context: PodContext | undefined): string | undefined {
  if (context === undefined) return undefined;
  const [event] = listWarnings(context.facts, pod, "FailedToRetrieveImagePullSecret");
  return asString(event?.message)?.trim();
}
