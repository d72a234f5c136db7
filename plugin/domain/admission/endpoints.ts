/** Why nothing is behind a Service: its selector, the pods that it finds, and those that it misses (Facts 4.5). */
import type { About, Finding } from "../base/findings";
import { kubectl, look, type Remedy } from "../base/remedy";
import { isDeleting } from "../kube/deletion";
import type { Deployment, EndpointPort, EndpointSlice, Pod, Service } from "../kube/models";
import { readName, readNamespace, objectLabel } from "../kube/objects";
import type { LeftMarks } from "../kube/owners";
import { readRefusal } from "../rollout/deployment";
import { podTrouble } from "../rollout/pod-causes";
import { findRefusalWay } from "../rollout/refusals";
import { boundList, few, getOwn, sameJson } from "../base/values";
import { readyEndpoints } from "./configuration";
import { webhookFinding, type webhookFindings } from "./findings";
import {
  byPatch,
  describeOne,
  isOver,
  mayListen,
  opens,
  ownerBeside,
  readTarget,
  seeObject,
  wordsOn,
} from "./service";

/** A Service without a ready endpoint, and what runs beside it. */
export interface EndpointFacts {
  readonly service: Service;
  /** Those of its namespace; undefined where they could not be read. */
  readonly pods?: readonly Pod[] | undefined;
  /** Deployments whose pods it may select. */
  readonly deployments?: readonly Deployment[] | undefined;
  /** The objects whose owner is gone. */
  readonly left?: LeftMarks | undefined;
}

/** The Service, and whose marks are those of an owner that is gone. */
type Owned = Pick<EndpointFacts, "service" | "left">;

/** One key of a selector with the value that it asks for. */
type Asked = readonly [key: string, value: string];

/** Why there is no endpoint, as the code and the words of its finding. */
interface Explanation extends About {
  readonly what: keyof typeof webhookFindings;
}

/** What keeps the Service without endpoints, and the command that changes it. */
export function judgeEndpoints(facts: EndpointFacts): Finding {
  const { service } = facts;
  const { what, ...about } = explain(facts);
  return webhookFinding(what, { object: objectLabel(service), ...about });
}

function explain({ service, pods, deployments = [], left }: EndpointFacts): Explanation {
  const asked = listAsked(service);
  if (asked.length === 0) return explainUnselective({ service, deployments, left });
  if (pods === undefined) return explainUnread(service);
  const alive = pods.filter((pod) => !isDeleting(pod) && !isOver(pod));
  const selected = alive.filter((pod) => lacks(readLabels(pod), asked).length === 0);
  if (selected.length > 0) return explainSelected(selected);
  const workload = deployments.find(
    ({ spec }) => lacks(spec?.template?.metadata?.labels, asked).length === 0,
  );
  if (workload !== undefined) return explainWorkload(workload, left);
  return explainSelector({ service, left }, asked, alive);
}

const field = "spec.selector";

const managedBy = "endpointslice.kubernetes.io/managed-by";
const mirroring = "endpointslicemirroring-controller.k8s.io";

/**
 * Ready addresses that were made by hand, and none for the port that is called: ports are matched by
 * their names. A controller gives those of a Service with a selector their names by itself.
 */
export function findMisnamed(
  { service, left }: Owned,
  slices: readonly EndpointSlice[],
  port: EndpointPort | undefined,
): Finding | undefined {
  const ready = slices.filter((one) => readyEndpoints([one]) > 0);
  const [slice] = ready;
  const isMade = listAsked(service).length > 0;
  if (slice === undefined || isMade || ready.some((one) => carriesPort(one, port)))
    return undefined;
  const name = readPortName(port);
  const quoted = name === "" ? "no name" : `the name ${name}`;
  const isCopied = slice.metadata.labels?.[managedBy] === mirroring;
  const isOnly = slice.ports?.length === 1;
  const patch = [{ op: "add", path: "/ports/0/name", value: name }];
  const byHand = `give ${quoted} to the port on which the webhook listens`;
  const remedy = isCopied
    ? seeObject(byHand, { ...service, kind: "Endpoints" })
    : isOnly
      ? byPatch(`give ${quoted} to its port`, slice, { patch, left })
      : seeObject(byHand, slice);
  return webhookFinding("noEndpoints", {
    object: objectLabel(slice),
    field: "ports",
    cause: `the port of ${objectLabel(service)} has ${quoted}, and no port of its ready endpoints has: every call would fail`,
    remedies: [remedy],
  });
}

/** The slices that calls of a Service are passed on to: addresses of the family in which it is called. */
export function listServed(
  { spec }: Service,
  slices: readonly EndpointSlice[],
): readonly EndpointSlice[] {
  const family = spec?.ipFamilies?.[0];
  return slices.filter(
    ({ addressType: type }) =>
      type === undefined || (type !== "FQDN" && (family === undefined || type === family)),
  );
}

/** Ready endpoints, none of which calls are passed on to. */
export function findUnserved(
  service: Service,
  slices: readonly EndpointSlice[],
): Finding | undefined {
  const [slice] = slices.filter((one) => readyEndpoints([one]) > 0);
  if (slice === undefined || readyEndpoints(listServed(service, slices)) > 0) return undefined;
  const family = service.spec?.ipFamilies?.[0] ?? "IPv4";
  const isName = slice.addressType === "FQDN";
  const has = isName ? "names of DNS" : `addresses of ${String(slice.addressType)}`;
  return webhookFinding("noEndpoints", {
    object: objectLabel(service),
    field: "spec.ipFamilies",
    cause: `it is called by an address of ${family}, and its ready endpoints are ${has}, to which no such call is passed on: every call would fail`,
    remedies: [
      isName
        ? seeObject("replace that EndpointSlice by one with addresses", slice)
        : seeObject(
            "have an endpoint of that family, or recreate the Service with the family of its endpoints first",
            service,
          ),
    ],
  });
}

function carriesPort({ ports }: EndpointSlice, port: EndpointPort | undefined): boolean {
  const all = ports ?? [];
  return all.length === 0 || all.some((one) => readPortName(one) === readPortName(port));
}

function readPortName(port: EndpointPort | undefined): string {
  return port?.name ?? "";
}

function explainUnread(service: Service): Explanation {
  const says = "restart the pod behind the Service and wait for it, or run again with --wait";
  return {
    what: "noEndpoints",
    cause: "the Service has no ready endpoint: every call would fail",
    remedies: [describeOne(says, service)],
  };
}

/** Pods that a Service with this selector is for; undefined without a selector or where they are not known. */
export function listSelected(
  service: Service,
  pods: readonly Pod[] | undefined,
): readonly Pod[] | undefined {
  const asked = listAsked(service);
  if (asked.length === 0) return undefined;
  return pods
    ?.filter((pod) => !isDeleting(pod) && !isOver(pod))
    .filter((pod) => lacks(readLabels(pod), asked).length === 0);
}

/** Its endpoints are made by hand, or it has lost its selector. */
function explainUnselective({
  service,
  deployments,
  left,
}: Owned & { readonly deployments: readonly Deployment[] }): Explanation {
  const found = deployments
    .map(({ spec }) => spec?.selector?.matchLabels)
    .find((labels) => labels !== undefined);
  return {
    what: "noEndpoints",
    field,
    cause:
      "the Service has no selector, so that no pod is behind it, and no endpoint made by hand is ready: every call would fail",
    remedies: [
      found === undefined
        ? describeOne(
            "give it the selector of the release with: upgrade-operator --release SOURCE",
            service,
          )
        : byPatch("give it the selector of the pods that answer", service, {
            ...{ patch: { spec: { selector: found } }, left },
          }),
    ],
  };
}

function listAsked({ spec }: Service): readonly Asked[] {
  return Object.entries(spec?.selector ?? {});
}

function readLabels({ metadata }: Pod): Pod["metadata"]["labels"] {
  return metadata.labels;
}

/** What the selector asks for and the labels do not have. */
function lacks(labels: unknown, asked: readonly Asked[]): readonly Asked[] {
  return asked.filter(([key, value]) => getOwn(labels, key) !== value);
}

function explainSelected(selected: readonly Pod[]): Explanation {
  const troubled = selected.map((pod) => ({ pod, trouble: podTrouble(pod) }));
  for (const { pod, trouble } of troubled) {
    if (trouble === undefined) continue;
    return {
      what: "podsNotReady",
      cause: `the Service has no ready endpoint, ${objectLabel(pod)} behind it is not ready (${trouble.cause}): every call would fail`,
      remedies: [describeOne("repair the pod and wait for it, or run again with --wait", pod)],
    };
  }
  return {
    what: "noEndpoints",
    cause: `the Service has no endpoint, although its selector finds ${few(selected.map(objectLabel))}, which is ready: every call would fail`,
    remedies: [
      {
        says: "run again in a minute, or with --wait",
        then: kubectl(
          "replace what is behind it, if it stays so",
          ...selected.slice(0, 1).flatMap((pod) => wordsOn("delete", pod)),
        ),
      },
    ],
  };
}

/** Endpoints that count as ready by the word of the Service alone: none of its pods is. */
export function findPublished(
  { service, left }: Owned,
  selected: readonly Pod[],
): Finding | undefined {
  if (service.spec?.publishNotReadyAddresses !== true) return undefined;
  const troubled = selected.flatMap((pod) => {
    const trouble = podTrouble(pod);
    return trouble === undefined ? [] : [{ pod, trouble }];
  });
  const [first] = troubled;
  if (first === undefined || troubled.length < selected.length) return undefined;
  const label = objectLabel(first.pod);
  const behind =
    selected.length === 1
      ? `the only pod behind it, ${label}, is not ready (${first.trouble.cause})`
      : `none of the ${selected.length} pods behind it is ready, ${label} for example (${first.trouble.cause})`;
  const patch = { spec: { publishNotReadyAddresses: null } };
  return webhookFinding("publishesUnready", {
    object: objectLabel(service),
    field: "spec.publishNotReadyAddresses",
    cause: `${behind}, and the Service publishes addresses that are not ready: every call would fail`,
    remedies: [
      {
        ...describeOne("repair the pod and wait for it, or run again with --wait", first.pod),
        then: byPatch("take the field off the Service", service, { patch, left }),
      },
    ],
  });
}

function explainWorkload(workload: Deployment, left: LeftMarks | undefined): Explanation {
  const isOff = workload.spec?.replicas === 0;
  const refusal = isOff ? undefined : readRefusal(workload);
  const label = objectLabel(workload);
  const why = refusal === undefined ? "" : `, and none may be created (${refusal})`;
  return {
    what: "noPods",
    cause: `the Service has no endpoint, ${label}, whose pods its selector finds, ${isOff ? "is scaled to 0" : "has none"}${why}: every call would fail`,
    remedies: [
      isOff
        ? kubectl(
            `have its pods started${ownerBeside(workload, left)}`,
            ...wordsOn("scale", workload, "--replicas=1"),
          )
        : findPodsWay(workload, refusal),
    ],
  };
}

/** Nothing is waited for that the API server refuses. */
function findPodsWay(workload: Deployment, refusal: string | undefined): Remedy {
  const waits = "have its pods started and wait for them, or run again with --wait";
  if (refusal === undefined) return describeOne(waits, workload);
  const way = findRefusalWay(refusal) ?? "change what the message names";
  return typeof way === "string" ? describeOne(way, workload) : way;
}

/** No pod has all that the selector asks for. */
function explainSelector(
  { service, left }: Owned,
  asked: readonly Asked[],
  pods: readonly Pod[],
): Explanation {
  const near = nearestTo(service, asked, pods);
  const [first] = near;
  const isCarried = (pair: Asked): boolean =>
    pods.some((pod) => lacks(readLabels(pod), [pair]).length === 0);
  if (first === undefined) {
    const meant = pods.find((pod) => carriesOther(pod, asked) && opensTarget(pod, service));
    if (meant !== undefined) return explainValues({ service, left }, asked, meant);
    const missing = asked.filter((pair) => !isCarried(pair));
    const shown = renderPairs(missing.length === 0 ? asked : missing);
    return {
      what: "selectsNothing",
      field,
      cause: `the Service has no endpoint: its selector asks for ${shown}, which no pod carries: every call would fail`,
      remedies: [
        look(
          "start the pod that carries it, or give the Service the selector of the release with upgrade-operator --release SOURCE",
          ...["get", "pods", "--show-labels", `--namespace=${readNamespace(service)}`],
        ),
      ],
    };
  }
  const stale = lacks(readLabels(first), asked);
  const whose = stale.some(isCarried) ? `${readName(first)} does not carry` : "no pod carries";
  const selector = Object.fromEntries(stale.map(([key]) => [key, null]));
  return {
    what: "selectsNothing",
    field,
    cause: `the Service has no endpoint: its selector asks for ${renderPairs(stale)}, which ${whose}; without it ${few(near.map(objectLabel))} would match: every call would fail`,
    remedies: [
      byPatch("take it out of the selector", service, { patch: { spec: { selector } }, left }),
    ],
  };
}

/** A pod that listens where the Service sends to, with other values of the keys that are asked for. */
function explainValues({ service, left }: Owned, asked: readonly Asked[], pod: Pod): Explanation {
  const carried = asked.map(([key]) => [key, getOwn(readLabels(pod), key) ?? null] as const);
  const patch = { spec: { selector: Object.fromEntries(carried) } };
  return {
    what: "selectsNothing",
    field,
    cause: `the Service has no endpoint: its selector asks for ${renderPairs(asked)}, which no pod carries, and ${objectLabel(pod)} listens on its port: every call would fail`,
    remedies: [byPatch("have it select that pod", service, { patch, left })],
  };
}

function carriesOther(pod: Pod, asked: readonly Asked[]): boolean {
  return asked.some(([key]) => getOwn(readLabels(pod), key) !== undefined);
}

function opensTarget(pod: Pod, { spec }: Service): boolean {
  return spec?.ports?.map(readTarget).some((target) => opens(pod, target) === "yes") === true;
}

/** The pods that meet most of the selector and may listen where the Service sends to; of one kind. */
function nearestTo(
  service: Service,
  asked: readonly Asked[],
  pods: readonly Pod[],
): readonly Pod[] {
  const missing = new Map<Pod, readonly Asked[]>(
    pods
      .filter((pod) => mayListen(pod, service))
      .map((pod) => [pod, lacks(readLabels(pod), asked)] as const)
      .filter(([, lacked]) => lacked.length < asked.length),
  );
  const fewest = Math.min(...[...missing.values()].map(({ length }) => length));
  const [best] = [...missing.values()].filter(({ length }) => length === fewest);
  return [...missing].flatMap(([pod, lacked]) => (sameJson(lacked, best) ? [pod] : []));
}

function renderPairs(pairs: readonly Asked[]): string {
  return boundList(pairs.map(([key, value]) => `${key}=${value}`));
}
