/**
 * The way from the API server to the container that answers, link by link: the entry, its Service, the
 * pods behind it, and the certificate that they serve (Facts 4.5; admission facts 2). What comes first
 * explains what comes after, and what was not read breaks nothing.
 */
import type { Remedy } from "../base/remedy";
import type { Finding } from "../base/findings";
import { type FactObjects, type Facts, isKnown } from "../facts/facts";
import type {
  EndpointSlice,
  Service,
  ServicePort,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
  WebhookConfiguration,
} from "../kube/models";
import { readName, readNamespace, objectLabel } from "../kube/objects";
import { leftovers, type Names } from "../names/names";
import type { ComponentHealth } from "../rollout/health";
import { isReady } from "../rollout/pod-causes";
import { countNoun, renderValue } from "../base/values";
import {
  callsSame,
  callsService,
  entriesInForce,
  findEntry,
  type EntryInForce,
  hasOlmPair,
  policiesTo,
  isOlmServed,
  isOthers,
  readyEndpoints,
  readServiceName,
  readServiceNamespace,
  compareTrust,
} from "./configuration";
import {
  addConsequence,
  describePlanned,
  type Extent,
  listPolicies,
  policiesOf,
} from "./consequence";
import {
  findMisnamed,
  findPublished,
  findUnserved,
  judgeEndpoints,
  listSelected,
  listServed,
} from "./endpoints";
import { webhookFinding, webhookFindings } from "./findings";
import { type Callable, deletionOf, isLeftWhole, judgeOthers } from "./others";
import { judgeNetwork } from "./network";
import { judgeAddressed, judgeStrangers, judgeTarget, listAddressed } from "./ports";
import { fixByOwner } from "./owned";
import type { LeftMarks } from "../kube/owners";
import { isTcp, readTarget } from "./service";
import { judgeAlias, reportMissingPort, serviceUrl } from "./called-service";

/** The links in their order, as they are called. */
export const wayLinks = {
  configuration: "configuration",
  service: "Service",
  port: "port of the Service",
  selector: "selector of the Service",
  pods: "pods",
  container: "port of the container",
  network: "NetworkPolicy",
  certificate: "certificate",
  answer: "answer",
} as const;

/** One link. */
export type WayLink = keyof typeof wayLinks;

/** The lists that the way is judged from; the Service's namespace is the operator's. */
type WayFactKey =
  "namespaces" | "services" | "endpointSlices" | "pods" | "deployments" | "networkPolicies";

/** What was read; a list that is not known is undefined. */
interface WayFacts {
  readonly names: Names;
  readonly namespace: string;
  readonly lists: { readonly [Key in WayFactKey]?: FactObjects[Key] | undefined };
  readonly certificate?: Facts["certificate"];
  /** The configurations whose owner is gone. */
  readonly left?: LeftMarks | undefined;
}

/** What an entry calls: what the template says, where one is known. */
export interface Called {
  readonly name: string;
  readonly port: ServicePort["port"];
  readonly path: string | undefined;
}

/** One way: where it leads, and where it is broken. */
export interface Way {
  /** What calls pass, as far as the way is whole: `admission:443`, `2 pods`. */
  readonly stations: readonly string[];
  readonly broken: WayLink | undefined;
  /** Of the broken link; of a certificate its own checks tell. */
  readonly findings: readonly Finding[];
  /** Warnings on a link of which it is not known whether it is broken. */
  readonly doubts?: readonly Finding[];
  /** How many of the calls fail by it; absent: all. */
  readonly extent?: Extent;
  /** The entry calls a URL: whether the API server resolves its name is not known. */
  readonly isByUrl?: true;
}

/** True where the entry leads nowhere, whatever else is read. */
export function isEntryBroken({ broken, isByUrl }: Way): boolean {
  return broken === "configuration" || (isByUrl === true && broken !== undefined);
}

/** What may be broken is not well. */
export function judgeDoubts(ways: readonly Way[]): ComponentHealth | undefined {
  const [doubt] = ways.flatMap(({ doubts = [] }) => doubts);
  return doubt && { is: "unknown", because: `${String(doubt.object)}: ${doubt.cause}` };
}

/** The lists of a snapshot that the way is judged from. */
export function wayFacts(facts: Facts): WayFacts {
  const { names, namespace, certificate, objects } = facts;
  const pick = <Key extends WayFactKey>(key: Key): FactObjects[Key] | undefined =>
    isKnown(facts, key) ? objects[key] : undefined;
  const lists = {
    namespaces: pick("namespaces"),
    services: pick("services"),
    endpointSlices: pick("endpointSlices"),
    pods: pick("pods"),
    deployments: pick("deployments"),
    networkPolicies: pick("networkPolicies"),
  };
  const { left } = facts;
  return { names, namespace, lists, left, ...(certificate !== undefined && { certificate }) };
}

/** What the operator's own entry calls, by its template or as the bundle has it. */
export function readCalled(
  template: ValidatingWebhookConfiguration | undefined,
  { webhook }: Names,
): Called {
  const entry = findEntry(template, webhook.entry);
  if (entry === undefined) return { name: webhook.service, port: 443, path: webhook.path };
  return readCall(entry);
}

function readCall(entry: ValidatingWebhook): Called {
  const service = entry.clientConfig?.service;
  return {
    name: String(readServiceName(entry)),
    port: service?.port ?? 443,
    path: service?.path ?? undefined,
  };
}

/**
 * The ways of the entries in force, and of what the operator's own entry would call where none of
 * them calls it: what is to be written leads there.
 */
export function judgeWays(
  configurations: readonly WebhookConfiguration[],
  facts: WayFacts,
  wanted: Called,
): readonly Way[] {
  const { names, namespace } = facts;
  const service = { namespace, name: names.webhook.service };
  const callable = { names, namespace, left: facts.left, ...readLiving(facts) };
  const gone = judgeOthers(configurations, callable).map(({ object }) => object);
  const entries = configurations
    .filter((one) => !isLeftWhole(one, names) || !gone.includes(objectLabel(one)))
    .flatMap((one) => entriesInForce(one, service, names));
  const ways = entries.map((one) => {
    const way = judgeWay(one, facts, wanted);
    // what is broken behind a Service breaks the calls of every entry that calls it
    const calling = entries.filter(({ entry }) => callsSame(entry, one.entry));
    const concerned = way.broken === "configuration" ? [one] : [one, ...calling];
    return addConsequence(way, policiesOf(concerned));
  });
  const meant = { namespace, name: wanted.name };
  const leadsThere = entries.some(
    ({ entry }, index) => ways[index]?.broken !== "configuration" && callsService(entry, meant),
  );
  // what cannot be repaired by a new entry comes before what can; OLM calls a Service of its own
  const isOlms = isOlmServed(configurations, facts);
  return ways.length === 0 || leadsThere || isOlms
    ? ways
    : [addConsequence(judgeServerWay(wanted, facts), policiesTo(entries, meant)), ...ways];
}

function readLiving({ lists }: WayFacts): Pick<Callable, "living" | "services"> {
  return { living: lists.namespaces?.map(readName), services: lists.services?.map(readName) };
}

/** The way of one entry that is in the cluster, beside what it should call. */
function judgeWay(one: EntryInForce, facts: WayFacts, wanted: Called): Way {
  const { namespace, names } = facts;
  const tokens = leftovers(one.entry, names);
  if (tokens.length > 0) {
    return breakLink(
      "configuration",
      tokens.map((token) => reportLeft(one, token, facts)),
    );
  }
  const place = readServiceNamespace(one.entry);
  if (place === undefined) return judgeUrl(one, facts);
  return place === namespace ? judgeHere(one, facts, wanted) : judgeElsewhere(one, facts, place);
}

/** An entry that calls this namespace. */
function judgeHere(one: EntryInForce, facts: WayFacts, wanted: Called): Way {
  const { lists, certificate } = facts;
  const other = judgeCall(one, facts, wanted);
  if (other !== undefined) return breakLink("configuration", [other]);
  const called = readCall(one.entry);
  // of a Service that is not there either only the operator's own is missed
  const isThere = lists.services?.some((each) => readName(each) === called.name) !== false;
  const server = judgeServerWay(isThere ? called : wanted, facts);
  const isJudged = certificate !== undefined && !hasOlmPair(one.configuration, facts);
  if (server.broken !== undefined || !isJudged) return server;
  return compareTrust(one.entry, certificate) === "fit"
    ? server
    : { ...server, broken: "certificate" };
}

/** What no command of this tool writes is not advised to be written by one. */
export function deletionOfOthers(
  { configuration }: Pick<EntryInForce, "configuration">,
  { names, left }: Pick<WayFacts, "names" | "left">,
): { readonly remedies?: readonly Remedy[] } {
  return isOthers(configuration, names) ? { remedies: [deletionOf(configuration, left)] } : {};
}

/** Of a namespace that exists, and that is not this operator's, nothing is read. */
function judgeElsewhere(
  { configuration, field }: EntryInForce,
  { lists: { namespaces }, names, left }: WayFacts,
  place: string,
): Way {
  const isThere = namespaces?.some((each) => readName(each) === place) !== false;
  // no command of this tool writes what is of others: judgeOthers tells of it
  if (isThere || isOthers(configuration, names)) return open([]);
  const cause = `namespace ${place} does not exist: every call fails`;
  return breakLink("configuration", [
    webhookFinding("namespaceGone", {
      object: objectLabel(configuration),
      ...{ field, cause },
      ...fixByOwner(configuration, { left }),
    }),
  ]);
}

/** Of a URL only a name of the cluster's own is known to lead anywhere. */
function judgeUrl(one: EntryInForce, facts: WayFacts): Way {
  const url = String(one.entry.clientConfig?.url);
  const [, name = "", place, port = "443"] = serviceUrl.exec(url) ?? [];
  if (place === undefined) return open([]);
  if (place !== facts.namespace) return judgeElsewhere(one, facts, place);
  return { ...judgeServerWay({ name, port: Number(port) }, facts), isByUrl: true };
}

function reportLeft(one: EntryInForce, token: string, facts: WayFacts): Finding {
  const { configuration, field } = one;
  return webhookFinding("placeholder", {
    object: objectLabel(configuration),
    field,
    cause: `${token} is left in it: every call fails`,
    ...deletionOfOthers(one, facts),
    ...fixByOwner(configuration, facts),
  });
}

/** An entry that calls what is not there, where what it should call is: only the entry is wrong. */
function judgeCall(one: EntryInForce, facts: WayFacts, wanted: Called): Finding | undefined {
  const { configuration, entry, field } = one;
  const { lists, namespace } = facts;
  const { name, port, path } = readCall(entry);
  const { services } = lists;
  const byName = (one: string): Service | undefined =>
    services?.find((each) => readName(each) === one && readNamespace(each) === namespace);
  const other = (key: keyof Called, cause: string): Finding =>
    webhookFinding("callsOther", {
      object: objectLabel(configuration),
      field: `${field}.clientConfig.service.${key}`,
      cause: `${cause}: every call fails`,
      ...deletionOfOthers(one, facts),
      ...fixByOwner(configuration, facts),
    });
  const [called, meant] = [name, wanted.name].map(byName);
  if (services !== undefined && called === undefined && meant !== undefined) {
    return other(
      "name",
      `it calls Service ${name}, which does not exist, in place of ${wanted.name}`,
    );
  }
  if (meant === undefined || called !== meant) return undefined;
  if (findPort(meant, port) === undefined && findPort(meant, wanted.port) !== undefined) {
    const has = `${objectLabel(meant)} has port ${renderValue(wanted.port)}`;
    return other("port", `it calls port ${renderValue(port)}, and ${has}`);
  }
  if (bare(path) === bare(wanted.path)) return undefined;
  return other(
    "path",
    `it calls the path ${renderValue(path ?? "/")}, and the webhook answers on ${renderValue(wanted.path)}`,
  );
}

function bare(path = ""): string {
  return path.replace(/\/$/, "");
}

function findPort({ spec }: Service, port: ServicePort["port"]): ServicePort | undefined {
  return spec?.ports?.find((one) => one.port === port && isTcp(one));
}

function breakLink(
  link: WayLink,
  findings: readonly Finding[],
  stations: readonly string[] = [],
): Way {
  return { stations, broken: link, findings };
}

function open(stations: readonly string[]): Way {
  return { stations, broken: undefined, findings: [] };
}

/** From the Service on: the same for every entry that calls it. */
export function judgeServerWay(
  { name, port }: Pick<Called, "name" | "port">,
  facts: WayFacts,
): Way {
  const { lists, namespace } = facts;
  const at = [`${name}:${String(port)}`];
  if (lists.services === undefined) return open(at);
  const service = lists.services.find(
    (one) => readName(one) === name && readNamespace(one) === namespace,
  );
  if (service === undefined) {
    const object = `Service/${namespace}/${name}`;
    return breakLink("service", [webhookFinding("serviceMissing", { object })]);
  }
  if (service.spec?.type === "ExternalName") {
    const lost = judgeAlias(service, facts);
    return lost === undefined ? open(at) : breakLink("service", [lost]);
  }
  const found = findPort(service, port);
  // without any port it was not read whole: the API server stores none like that
  const ports = service.spec?.ports ?? [];
  if (found === undefined && ports.length > 0)
    return breakLink("port", [reportMissingPort({ service, ports }, port, facts)]);
  return judgeBehind({ service, found, at }, facts);
}

/**
 * The way that the entry of a template would take, whatever is in force, with what its failed calls come to where the
 * entries in force are known: the template's own counts where there are none.
 */
export function judgePlannedWay({
  template,
  facts,
}: {
  readonly template: ValidatingWebhookConfiguration;
  readonly facts: Facts;
}): Way {
  const { names, namespace, objects } = facts;
  const called = readCalled(template, names);
  const way = judgeServerWay(called, wayFacts(facts));
  if (!isKnown(facts, "webhookConfigurations")) return way;
  const service = { namespace, name: called.name };
  const inForce = objects.webhookConfigurations.flatMap((one) =>
    entriesInForce(one, service, names),
  );
  if (inForce.length > 0) return addConsequence(way, policiesTo(inForce, service));
  const entry = findEntry(template, names.webhook.entry);
  return addConsequence(way, listPolicies([entry]), describePlanned);
}

interface Reached {
  readonly service: Service;
  /** The port that is called, as the Service has it. */
  readonly found: ServicePort | undefined;
  readonly at: readonly string[];
}

function judgeBehind(reached: Reached, facts: WayFacts): Way {
  const { service, found, at } = reached;
  const { left, lists } = facts;
  const { pods, deployments, endpointSlices } = lists;
  if (endpointSlices === undefined) return open(at);
  const all = listSlices(readName(service), endpointSlices);
  const slices = listServed(service, all);
  const unreached = findUnserved(service, all) ?? findMisnamed({ service, left }, slices, found);
  if (unreached !== undefined) return breakLink("pods", [unreached], at);
  if (readyEndpoints(slices) > 0) return judgePods(reached, slices, facts);
  const finding = judgeEndpoints({ service, pods, deployments, left });
  return breakLink(findLink(finding), [finding], at);
}

/** Of the pods behind ready endpoints: those that are selected, else those that have the addresses. */
function judgePods(
  { service, found, at }: Reached,
  slices: readonly EndpointSlice[],
  { lists, names, left }: WayFacts,
): Way {
  const { pods, deployments, namespaces, networkPolicies: policies = [] } = lists;
  const selected = listSelected(service, pods);
  const published = findPublished({ service, left }, selected ?? []);
  if (published !== undefined) return breakLink("pods", [published], at);
  const listening = (selected ?? listAddressed(slices, pods)).filter(isReady);
  const selection = { service, port: found, pods: listening, deployments, names, left };
  const strangers = selected === undefined ? [] : judgeStrangers(selection);
  if (strangers.length > 0) return { ...breakLink("pods", strangers, at), extent: "some" };
  const target =
    selected === undefined
      ? judgeAddressed({ slices, pods: listening, names, left })
      : judgeTarget(selection);
  const closed = judgeNetwork({ policies, namespaces, left }, listening, readTarget(found));
  // of several pods one may answer
  const extent = listening.length > 1 ? "some" : "all";
  if (target?.severity === "error") return { ...breakLink("container", [target], at), extent };
  if (closed?.severity === "error") return breakLink("network", [closed], at);
  const many = listening.length;
  const behind = many > 0 ? countNoun(many, "pod") : countNoun(readyEndpoints(slices), "endpoint");
  const doubts = [target, closed].filter((one) => one !== undefined);
  return { ...open([...at, behind]), doubts };
}

/** The slices of a Service of their namespace. */
export function listSlices(
  name: string,
  slices: readonly EndpointSlice[],
): readonly EndpointSlice[] {
  return slices.filter(({ metadata }) => metadata.labels?.["kubernetes.io/service-name"] === name);
}

function findLink({ code }: Finding): WayLink {
  return code === webhookFindings.selectsNothing.code ? "selector" : "pods";
}

/** The way as one line, with the link that is broken in it; what else is known stands behind a whole one. */
export function renderWay({ stations, broken: link }: Way, beside: readonly string[]): string {
  const passed = ["API server", ...stations].join(" → ");
  if (link === undefined) return [passed, ...beside].join(", ");
  return `${passed} → broken at the ${wayLinks[link]}`;
}
