/**
 * Reads a cluster into facts: one LIST for each kind, all at once, then by GET the owners that marks name and the
 * Services that others call (S57; cli contract, status).
 */
import type { Sourced } from "../domain/advisories/row";
import { isForbidden, unlessForbidden } from "../ports/forbidden";
import type { CertificateFacts } from "../domain/certificate/certificate";
import { findKeeper, type Keeper } from "../domain/certificate/keepers";
import { listPlaces } from "../domain/checks/context";
import {
  listNamedSecrets,
  listNamers,
  type NamedList,
  type NamedSecret,
  namingLists,
} from "../domain/references/secrets";
import { atMost } from "../domain/base/concurrency";
import { ApiError } from "../domain/base/errors";
import {
  type FactKey,
  factKeys,
  type FactObjects,
  type Facts,
  type FactSource,
  factSources,
  notAsked,
  unreadFacts,
  withObjects,
} from "../domain/facts/facts";
import { liveBundles } from "../domain/admission/injector";
import type { Names } from "../domain/names/names";
import type { CustomResourceDefinition, Secret } from "../domain/kube/models";
import type { KubeObject, Resource } from "../domain/kube/objects";
import { isKind, ofKind } from "../domain/kube/typed";
import { getTyped } from "../ports/typed";
import { omit } from "../domain/base/values";
import type { Certificates } from "./certificate";
import { listJudging, listOthersEntries } from "../domain/admission/others";
import { readGoneServices } from "./called-services";
import { readLeftMarks } from "./left-marks";
import type { Clock, KubeClient, ListOptions } from "../ports/kubernetes";
import { kinds } from "../domain/kube/kinds";

/** Whose facts, and how they are read. */
export interface SnapshotDeps {
  readonly cluster: KubeClient;
  readonly clock: Clock;
  readonly names: Names;
  readonly signal: AbortSignal;
  /** What is known of releases; absent: what ships with the tool. */
  readonly advised?: readonly Sourced[] | undefined;
  /** Without it the webhook's certificate is not judged. */
  readonly certificates?: Pick<Certificates, "readSecretCertificate">;
}

/** What this tool writes, and others may own. */
const markedKeys = [
  "definitions",
  "deployments",
  "roles",
  "roleBindings",
  "webhookConfigurations",
  "mutatingConfigurations",
  "networkPolicies",
  "webhookSecrets",
  ...(["ecs", "edbs", "eaadbs", "statefulSets", "operatorGroups"] as const),
] as const satisfies readonly FactKey[];

/** A LIST that came to an end: objects, an unknown kind, a refusal, or objects that are not as they were stored. */
type ListResult =
  | { readonly is: "read"; readonly objects: readonly KubeObject[] }
  | { readonly is: "unserved" }
  | {
      readonly is: "refused" | "misfit";
      readonly why: string;
      /** What of it the operator's namespace has, where that may be read. */
      readonly here?: readonly KubeObject[];
    };

export const none: ListResult = { is: "unserved" };

/** The lists named by `keys`, all without; what is not asked for counts as unread. */
export async function readSnapshot(
  deps: SnapshotDeps,
  namespace: string,
  keys: readonly FactKey[] = factKeys,
): Promise<Facts> {
  const { cluster, clock, names } = deps;
  const sources = factSources(names);
  const atOnce = keys.filter((key) => sources[key].named !== true);
  const [apiServer, ...answers] = await Promise.all([
    cluster.version().catch(ignoreRefusal),
    ...atOnce.map(async (key) => [key, await readList(deps, sources[key], namespace)] as const),
  ]);
  const answered = new Map<FactKey, ListResult>(answers);
  for (const list of ["namedSecrets", "referredSecrets"] as const) {
    if (keys.includes(list)) {
      answered.set(list, await readNamedSecrets(deps, { namespace, list }, answered));
    }
  }
  const [secret] = collectObjects(answered, "webhookSecrets");
  const configurations = collectObjects(answered, "webhookConfigurations");
  const live = liveBundles(ofKind(configurations, kinds.webhookConfiguration.kind), {
    names,
    now: clock.now(),
  });
  const certificate = secret && deps.certificates?.readSecretCertificate(secret, names, live);
  const objects = collectAll(answered, (each) => withheld(each, names));
  const partly = factKeys.filter((key) => hereOf(answered.get(key)) !== undefined);
  const misfits = factKeys.filter((key) => answered.get(key)?.is === "misfit");
  const own = objects.services.filter((one) => one.metadata.name === names.webhook.service);
  const marked = [...markedKeys.flatMap((key) => objects[key]), ...own];
  const left = await readLeftMarks(deps, marked);
  const entries = listOthersEntries(listJudging({ objects }), names);
  const goneServices = await readGoneServices(deps, entries);
  return {
    left,
    ...(goneServices.size > 0 && { goneServices }),
    names,
    now: clock.now(),
    namespace,
    apiServer,
    objects,
    unserved: new Set(factKeys.filter((key) => answered.get(key)?.is === "unserved")),
    unread: new Map(
      factKeys.flatMap((key) => {
        const answer = answered.get(key);
        if (answer === undefined) return [[key, notAsked]];
        return "why" in answer ? [[key, answer.why]] : [];
      }),
    ),
    ...(partly.length > 0 && { partly: new Set(partly) }),
    ...(misfits.length > 0 && { misfits: new Set(misfits) }),
    ...(certificate !== undefined && {
      certificate: withKeeper(certificate, secret && findKeeper(secret, names, left)),
    }),
  };
}

function collectObjects(
  answered: ReadonlyMap<FactKey, ListResult>,
  key: FactKey,
): readonly KubeObject[] {
  const answer = answered.get(key);
  return answer?.is === "read" ? answer.objects : (hereOf(answer) ?? []);
}

function collectAll(
  answered: ReadonlyMap<FactKey, ListResult>,
  keep: (object: KubeObject) => KubeObject = (object) => object,
): FactObjects {
  return Object.fromEntries(
    factKeys.map((key) => [key, collectObjects(answered, key).map(keep)] as const),
  ) as unknown as FactObjects;
}

function hereOf(answer: ListResult | undefined): readonly KubeObject[] | undefined {
  return answer !== undefined && "here" in answer ? answer.here : undefined;
}

/** What keeps the Secret is known once its owners were looked for. */
function withKeeper(facts: CertificateFacts, keeper: Keeper | undefined): CertificateFacts {
  if (facts.secret === undefined) return facts;
  const secret = { ...omit(facts.secret, "keeper"), ...(keeper !== undefined && { keeper }) };
  return { ...facts, secret };
}

/** A Secret without its values, but for the certificate; every other object as it is. */
function withheld(object: KubeObject, names: Names): KubeObject {
  if (!isKind(object, "Secret")) return object;
  const { webhook } = names;
  const open = object.metadata.name === webhook.secret ? webhook.secretCert : undefined;
  const items = Object.entries(object.data ?? {}).map(
    ([key, value]) => [key, key === open ? value : ""] as const,
  );
  // kubectl's last-applied annotation repeats the values
  const metadata = { ...object.metadata, annotations: {} };
  return {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata,
    type: object.type,
    data: Object.fromEntries(items),
  } satisfies Secret;
}

/** The Secrets of a list: what names them may not be known. */
async function readNamedSecrets(
  deps: SnapshotDeps,
  { namespace, list }: { readonly namespace: string; readonly list: NamedList },
  answered: ReadonlyMap<FactKey, ListResult>,
): Promise<ListResult> {
  const failed = namingLists[list]
    .map((key) => answered.get(key) ?? none)
    .find((one) => "why" in one);
  if (failed !== undefined) return omit(failed, "here");
  const facts = { ...unreadFacts(deps.names, namespace), objects: collectAll(answered) };
  const namers = listNamers({ ...facts, places: listPlaces(facts) }, list);
  return await listEach(deps, listNamedSecrets(namers, list, facts));
}

/** One LIST for each name: whoever may read but these Secrets can be asked for them. */
async function listEach(deps: SnapshotDeps, named: readonly NamedSecret[]): Promise<ListResult> {
  const { resource } = factSources(deps.names).namedSecrets;
  const next = atMost(namedAtOnce);
  const found = await Promise.all(
    named.map(({ name: only, namespace }) =>
      next(async () => await readList(deps, { resource, own: true, only }, namespace)),
    ),
  );
  const refused = found.find((one) => "why" in one);
  if (refused !== undefined) return refused;
  return { is: "read", objects: found.flatMap((one) => (one.is === "read" ? one.objects : [])) };
}

/** So many Secrets are asked for at once: there may be one for each database. */
const namedAtOnce = 20;

/** The facts with the Secrets that some objects name, wherever they are. */
export async function readReferred(
  deps: SnapshotDeps,
  facts: Facts,
  named: readonly NamedSecret[],
): Promise<Facts> {
  const result = await listEach(deps, named);
  if ("why" in result) {
    return { ...facts, unread: new Map([...facts.unread, ["referredSecrets", result.why]]) };
  }
  const found = result.is === "read" ? result.objects : [];
  const kept = found.map((one) => withheld(one, deps.names));
  return withObjects(facts, { referredSecrets: ofKind(kept, kinds.secret.kind) });
}

async function readList(
  deps: SnapshotDeps,
  source: FactSource,
  namespace: string,
): Promise<ListResult> {
  const { cluster, signal } = deps;
  const options = { signal, whole: true, ...listOptions(source, namespace) };
  const [newest, ...older] = listVersions(source);
  const why = cluster.misfits?.(newest, options.namespace);
  if (why !== undefined) return { is: "misfit", why };
  try {
    const found = await cluster.list(newest, options);
    const [second] = found === undefined ? older : [];
    const objects = second === undefined ? found : await cluster.list(second, options);
    return objects === undefined ? none : { is: "read", objects };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    const served = await Promise.all([newest, ...older].map((each) => isServed(cluster, each)));
    if (!served.includes(true)) return none;
    return { is: "refused", why: error.message, ...(await readHere(deps, source, namespace)) };
  }
}

async function readHere(
  deps: SnapshotDeps,
  source: FactSource,
  namespace: string,
): Promise<{ readonly here?: readonly KubeObject[] }> {
  if (source.orOwn !== true) return {};
  const own = await readList(deps, { ...omit(source, "orOwn"), own: true }, namespace);
  return own.is === "read" ? { here: own.objects } : {};
}

function listOptions({ own, only, lean, labels }: FactSource, namespace: string): ListOptions {
  return {
    lean: lean === true,
    ...(own === true && { namespace }),
    ...(labels !== undefined && { labelSelector: labels }),
    ...(only !== undefined && { fieldSelector: `metadata.name=${only}` }),
  };
}

function listVersions({
  resource,
  olderVersion: version,
}: FactSource): readonly [Resource, ...Resource[]] {
  return [resource, ...(version === undefined ? [] : [{ ...resource, version }])];
}

/** A kind that does not exist is refused too to whoever may not read it; everybody may discover. */
async function isServed(
  cluster: KubeClient,
  { group, version, plural }: Resource,
): Promise<boolean> {
  if (group === "") return true;
  try {
    return ((await cluster.serves(group, version)) ?? []).some((kind) => kind.plural === plural);
  } catch (error) {
    if (error instanceof ApiError) return true;
    throw error;
  }
}

/** A refusal leaves the release unknown; no answer at all ends the run. */
function ignoreRefusal(error: unknown): undefined {
  if (error instanceof ApiError) return undefined;
  throw error;
}

/** One definition alone; undefined where it may not be read. */
export async function readDefinition(
  { cluster, names, signal }: Pick<SnapshotDeps, "cluster" | "names" | "signal">,
  kind: "ec" | "eaadb",
): Promise<CustomResourceDefinition | undefined> {
  const name = `${names[kind].plural}.${names.group}`;
  const asked = getTyped(cluster, { resource: kinds.definition, name }, { signal });
  return await unlessForbidden(asked, undefined);
}

/** The facts with that definition, of which no list was read. */
export function withDefinition(
  facts: Facts,
  definition: CustomResourceDefinition | undefined,
): Facts {
  const definitions = definition === undefined ? [] : [definition];
  return { ...facts, objects: { ...facts.objects, definitions } };
}
