/** `validate`: files to objects, objects to verdicts (S56, S61, S67). */
import { readManifests, type Manifest } from "../adapters/manifests";
import { parseDocuments, renderDocuments } from "../adapters/yaml";
import { clusterKey, clustersOf, isOfKind, projectCluster } from "../domain/clusters";
import { InputError } from "../domain/errors";
import type { Names } from "../domain/names";
import type { ClusterFacts } from "../domain/rules/types";
import { kindOf, labelOf, type RuleWorld } from "../domain/validate";
import { asString, getOwn, getPath, isObject, omit } from "../domain/values";
import { renderText, type TextStyle } from "../output/text";
import { Recorder } from "../run/engine/recorder";
import type { Report } from "../run/report";
import { type AskedEdit, readStored, reportRules } from "../run/rules";
import type { CommandContext } from "./context";
import { recorderOf } from "./run-ports";
import type { ValidateFlags } from "./specs/rules";

/** Judges manifests; every expected end comes back as a report. */
export async function runValidate(
  context: CommandContext,
  _args: readonly string[],
  flags: ValidateFlags,
): Promise<Report> {
  const { names, clock, signal, event, readInput } = context;
  const { recursive, strict, live, old } = flags;
  const input = await readManifests(flags.files, { recursive, readInput });
  const before = await readManifests(old === undefined ? [] : [old], { recursive, readInput });
  for (const text of [...input.warnings, ...before.warnings]) event({ type: "warning", text });
  const problems = [...input.problems, ...before.problems];
  const known = { clusters: await readClusters(context, flags), databases: valuesOf(before) };
  const { namespace = "default" } = context.options;
  if (!live) {
    const recorder = new Recorder({ kind: "Validation" }, { clock, event });
    const judged = judgedOf(context, flags, { manifests: input.manifests, known, namespace });
    return reportRules(recorder, judged, { problems, strict });
  }
  const recorder = await recorderOf(context, "Validation");
  try {
    const cluster = await context.connect();
    const deps = { names, clock, signal, cluster, recorder, yaml: renderDocuments };
    const stored = await readStored(deps, operatorsOf(context, flags));
    const { manifests } = input;
    const place = { manifests, known: stored, namespace: cluster.namespace };
    return reportRules(recorder, judgedOf(context, flags, place), { problems, strict });
  } catch (error) {
    return recorder.failure(error);
  }
}

/** What is judged, and what was known before. */
interface Judged {
  readonly manifests: readonly Manifest[];
  readonly known: {
    readonly clusters: readonly ClusterFacts[];
    readonly databases: readonly unknown[];
  };
  /** Of what names none. */
  readonly namespace: string;
}

function judgedOf(
  context: CommandContext,
  flags: ValidateFlags,
  { manifests, known, namespace }: Judged,
): { readonly world: RuleWorld; readonly asked: readonly AskedEdit[] } {
  const { names } = context;
  const own = manifests.filter(({ value }) => isOfKind(value, "ec", names));
  const world: RuleWorld = {
    options: { ...flags.rules, names },
    operatorNamespace: operatorsOf(context, flags),
    clusters: merged(
      own.flatMap(({ value }) => projectOwn(value, namespace, names)),
      known.clusters,
    ),
    complete: flags.live || flags.clusters !== undefined,
  };
  return { world, asked: editsOf(manifests, known.databases, { namespace, names }) };
}

const valuesOf = ({ manifests }: Pick<Judged, "manifests">): readonly unknown[] =>
  manifests.map(({ value }) => value);

function operatorsOf({ names }: CommandContext, { operatorNamespace }: ValidateFlags): string {
  return operatorNamespace ?? names.operator.namespace;
}

/** The findings and the end; the objects one by one are for programs. */
export function rulesText(report: Report, style: TextStyle): string {
  return renderText(omit(report, "details"), style);
}

/** The file that the webhook takes for its clusters. */
async function readClusters(
  { names, readInput }: CommandContext,
  { clusters: file }: ValidateFlags,
): Promise<readonly ClusterFacts[]> {
  if (file === undefined) return [];
  const documents = parseDocuments(await readInput(file), file);
  try {
    return clustersOf(documents, names);
  } catch (error) {
    throw new InputError(`--clusters: ${file}: ${error instanceof Error ? error.message : ""}`);
  }
}

/** An EC of a manifest, and whether it says what the cluster publishes. */
interface OwnCluster {
  readonly facts: ClusterFacts;
  readonly hasStatus: boolean;
}

function projectOwn(value: unknown, namespace: string, names: Names): readonly OwnCluster[] {
  if (!isObject(value)) return [];
  const metadata = { namespace, ...(isObject(value["metadata"]) ? value["metadata"] : {}) };
  const facts = projectCluster({ ...value, metadata }, names);
  return facts === undefined ? [] : [{ facts, hasStatus: isObject(value["status"]) }];
}

/** The ECs of the manifests over those known: what a manifest without a status does not say is theirs. */
function merged(
  own: readonly OwnCluster[],
  known: readonly ClusterFacts[],
): readonly ClusterFacts[] {
  const all = new Map(known.map((cluster) => [clusterKey(cluster), cluster]));
  for (const { facts, hasStatus } of own) {
    const key = clusterKey(facts);
    const { policy, userModules } = facts;
    const running = hasStatus ? undefined : all.get(key);
    all.set(key, running === undefined ? facts : { ...running, policy, userModules });
  }
  return [...all.values()];
}

interface Place {
  readonly namespace: string;
  readonly names: Names;
}

/** The databases among the manifests, each with what it was before. */
function editsOf(
  manifests: readonly Manifest[],
  olds: readonly unknown[],
  { namespace: usual, names }: Place,
): readonly AskedEdit[] {
  const namespaceOf = (object: unknown): string =>
    asString(getPath(object, ["metadata", "namespace"])) ?? usual;
  const keyOf = (object: unknown): string | undefined =>
    isObject(object) && asString(getPath(object, ["metadata", "name"])) !== undefined
      ? labelOf(object, namespaceOf(object))
      : undefined;
  const before = new Map(olds.filter(isObject).map((object) => [keyOf(object), object]));
  return manifests.flatMap(({ value, locate }) => {
    const kind = kindOf(value, names);
    if (kind === undefined || !isObject(value)) return [];
    const key = keyOf(value);
    const edit = { kind, before: key === undefined ? undefined : before.get(key), after: value };
    const located = (field: string) => locate(pathOf(field, value));
    return [{ edit, namespace: namespaceOf(value), locate: located }];
  });
}

/** The way to a field as findings write it; of none to the object's name, where a person looks for it. */
function pathOf(field: string, object: unknown): readonly (string | number)[] {
  if (field === "") return getOwn(object, "metadata") === undefined ? [] : ["metadata", "name"];
  const parts = field.split(/[.[\]]+/).filter((part) => part !== "");
  return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
