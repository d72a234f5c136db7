/** `validate`: files to objects, objects to verdicts (S56, S61, S67). */
import { readManifests, type Manifest } from "../../adapters/manifests";
import { parseDocuments, renderCompactly } from "../../adapters/kubernetes/text/yaml";
import { resolve } from "node:path";
import { clusterKey, listClusters, isOfKind, projectCluster } from "../../domain/rules/clusters";
import { InputError } from "../../domain/base/errors";
import type { Finding } from "../../domain/base/findings";
import type { Names } from "../../domain/names/names";
import { carrierFindings } from "./carriers";
import { isKustomization, kustomizationFindings, listPatchFiles } from "./kustomizations";
import { findNearMisses } from "./near-misses";
import { isPlaceholder } from "./placeholders";
import { ruleFinding } from "../../domain/rules/findings";
import { listJudgedPaths } from "../../domain/rules/fields";
import type { ClusterFacts } from "../../domain/rules/types";
import { findKind, labelManifest, type RuleWorld } from "./violations";
import {
  asString,
  boundList,
  getOwn,
  getPath,
  groupBy,
  isObject,
  type Json,
  omit,
} from "../../domain/base/values";
import { renderText, type TextStyle } from "../../output/text";
import { Recorder } from "../../kernel/recorder";
import type { Report } from "../../kernel/report";
import { type AskedEdit, readStored, reportRules } from "./validate";
import type { CommandContext } from "../../cmdutil/context";
import { startRecorder } from "../../cmdutil/run-ports";
import { templateFindings } from "./templates";
import type { ValidateFlags } from "./flags";

/** Judges manifests; every expected end comes back as a report. */
export async function runValidate(
  context: CommandContext,
  _args: readonly string[],
  flags: ValidateFlags,
): Promise<Report> {
  const { names, clock, signal, event, readInput, needs } = context;
  const { recursive, strict, live, old } = flags;
  const input = await readManifests(flags.files, { recursive, readInput });
  const before = await readManifests(old === undefined ? [] : [old], { recursive, readInput });
  for (const text of [...input.warnings, ...before.warnings]) event({ type: "warning", text });
  const unrendered = templateFindings([...input.templates, ...before.templates], context.options);
  const problems = [...input.problems, ...before.problems, ...unrendered.problems];
  const known = { clusters: await readClusters(context, flags), olds: before.manifests };
  const { namespace = "default" } = context.options;
  const remarks = [
    ...unrendered.remarks,
    ...kustomizationFindings(input, context.options, names),
    ...carrierFindings(input.manifests, context.options, names),
  ];
  const isRead = problems.length + remarks.length === 0;
  const read = { manifests: input.manifests, remarks, isRead };
  if (!live) {
    const recorder = new Recorder({ kind: "Validation" }, { clock, event, needs });
    const judged = judgeManifests(context, flags, { ...read, known, namespace });
    return reportRules(recorder, judged, { problems, strict });
  }
  const recorder = await startRecorder(context, "Validation");
  try {
    const cluster = await context.connect();
    const deps = { names, clock, signal, cluster, recorder, yaml: renderCompactly };
    const stored = await readStored(deps, findOperators(context, flags), "validate");
    const { clusters } = stored;
    const olds = stored.databases.map((value) => ({ value, file: "", locate: nowhere }));
    const place = { ...read, known: { clusters, olds }, namespace: cluster.namespace };
    return reportRules(recorder, judgeManifests(context, flags, place), { problems, strict });
  } catch (error) {
    return recorder.failure(error);
  }
}

/** What is judged, and what was known before. */
interface Judged {
  readonly manifests: readonly Manifest[];
  readonly known: {
    readonly clusters: readonly ClusterFacts[];
    /** The databases before the change. */
    readonly olds: readonly Manifest[];
  };
  /** Of what names none. */
  readonly namespace: string;
  /** What is said of the files already. */
  readonly remarks: readonly Finding[];
  /** False where some of the files were not read. */
  readonly isRead: boolean;
}

/** What is judged, and what is said of the files besides. */
interface Asked {
  readonly world: RuleWorld;
  readonly asked: readonly AskedEdit[];
  readonly remarks: readonly Finding[];
}

function judgeManifests(
  context: CommandContext,
  flags: ValidateFlags,
  { manifests, known, namespace, remarks: said, isRead }: Judged,
): Asked {
  const { names } = context;
  const whole = dropFragments(manifests);
  const own = whole.flatMap((each) => projectOwn(each, namespace, names));
  const world: RuleWorld = {
    options: { ...flags.rules, names },
    operatorNamespace: findOperators(context, flags),
    clusters: mergeClusters(own, known.clusters),
    complete: (flags.live || flags.clusters !== undefined) && own.every(isPlaced),
    unfilled: true,
  };
  const asked = listEdits(whole, known.olds, { namespace, names });
  const near = whole.flatMap((each) => nearMisses(each, namespace, names));
  const remarks = [...said, ...near, ...candidateFindings(own, names)];
  const isNothing = isRead && asked.length === 0 && near.length === 0;
  return { world, asked, remarks: isNothing ? [...remarks, ruleFinding("nothing", {})] : remarks };
}

function nearMisses(
  { value, locate }: Manifest,
  namespace: string,
  names: Names,
): readonly Finding[] {
  return findNearMisses(value, names).map(({ is, path, ...about }) => {
    const object = isObject(value) ? { object: labelManifest(value, namespace) } : {};
    return ruleFinding(is, { ...object, ...about, location: locate(path) });
  });
}

type Location = ReturnType<Manifest["locate"]>;

/** What is stored stands in no file. */
const nowhere = (): Location => ({ file: "", line: 0, column: 0 });

function findOperators({ names }: CommandContext, { operatorNamespace }: ValidateFlags): string {
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
    return listClusters(documents, names);
  } catch (error) {
    throw new InputError(`--clusters: ${file}: ${error instanceof Error ? error.message : ""}`);
  }
}

/** An EC of a manifest, and whether it says what the cluster publishes. */
interface OwnCluster {
  readonly facts: ClusterFacts;
  readonly hasStatus: boolean;
  readonly location: Location;
}

function projectOwn(
  { value, locate }: Manifest,
  namespace: string,
  names: Names,
): readonly OwnCluster[] {
  if (!isOfKind(value, "ec", names)) return [];
  const metadata = { namespace, ...(isObject(value["metadata"]) ? value["metadata"] : {}) };
  const facts = projectCluster({ ...value, metadata }, names);
  const hasStatus = isObject(value["status"]);
  return facts === undefined ? [] : [{ facts, hasStatus, location: locate(["metadata", "name"]) }];
}

/** An EC without placeholders in its name: with them it may be any. */
function isPlaced({ facts: { namespace, name } }: OwnCluster): boolean {
  return ![namespace, name].some(isPlaceholder);
}

/**
 * The ECs of the manifests over those known, each document of one that differs from the others: what a
 * manifest without a status does not say is what the cluster, or another document of it, publishes.
 */
function mergeClusters(
  own: readonly OwnCluster[],
  known: readonly ClusterFacts[],
): readonly ClusterFacts[] {
  const documents = groupBy(own, ({ facts }) => clusterKey(facts));
  const others = known.filter((cluster) => !documents.has(clusterKey(cluster)));
  const running = new Map(known.map((cluster) => [clusterKey(cluster), cluster]));
  return [
    ...others,
    ...[...documents].flatMap(([key, group]) => {
      const published = running.get(key) ?? group.find(({ hasStatus }) => hasStatus)?.facts;
      return listDiffering(
        group.map(({ facts, hasStatus }) => {
          const { policy, userModules } = facts;
          return hasStatus || published === undefined
            ? facts
            : { ...published, policy, userModules };
        }),
      );
    }),
  ];
}

/** Those that the rules could tell apart. */
function listDiffering(clusters: readonly ClusterFacts[]): readonly ClusterFacts[] {
  const distinct = clusters.map((facts) => {
    const { policy, versions, installedModules, userModules } = facts;
    return [JSON.stringify([policy, versions, installedModules, userModules]), facts] as const;
  });
  return [...new Map(distinct).values()];
}

function renderPlaces(all: readonly { readonly location: Location }[]): string {
  return boundList(all.map(({ location: { file, line } }) => `${file}:${line}`));
}

/** One warning for each EC of which several documents differ. */
function candidateFindings(own: readonly OwnCluster[], names: Names): readonly Finding[] {
  const documents = groupBy(own, ({ facts }) => clusterKey(facts));
  return [...documents].flatMap(([key, group]) => {
    const [first] = group;
    if (first === undefined || listDiffering(mergeClusters(group, [])).length < 2) return [];
    const cause = `${group.length} documents describe it and differ: ${renderPlaces(group)}`;
    const object = `${names.ec.kind}/${key}`;
    return [ruleFinding("candidates", { object, cause, location: first.location })];
  });
}

/** Without the patches of kustomizations among the files: they are parts of objects. */
function dropFragments(manifests: readonly Manifest[]): readonly Manifest[] {
  const patches = new Set(manifests.filter(isKustomization).flatMap(listPatchFiles));
  return manifests.filter(
    ({ value, file }) => getOwn(value, "$patch") === undefined && !patches.has(resolve(file)),
  );
}

interface Place {
  readonly namespace: string;
  readonly names: Names;
}

/** The databases among the manifests, each with what it was before. */
function listEdits(
  manifests: readonly Manifest[],
  olds: readonly Manifest[],
  place: Place,
): readonly AskedEdit[] {
  const before = befores(olds, place);
  return manifests.flatMap((manifest) => {
    const { value, locate } = manifest;
    const kind = findKind(value, place.names);
    if (kind === undefined || !isObject(value)) return [];
    const [first, ...others] = before.get(editKey(manifest, place)) ?? [];
    const edit = { kind, before: first?.object, after: value };
    const asked = {
      edit,
      namespace: namespaceIn(value, place),
      locate: (field: string) => locate(findPath(field, value)),
    };
    if (first === undefined || others.length === 0) return [asked];
    const all = [first, ...others];
    const because = `${all.length} documents of it before the change differ: ${renderPlaces(all)}`;
    return [{ ...asked, befores: { objects: all.map(({ object }) => object), because } }];
  });
}

/** A document of a database before its change. */
interface Before {
  readonly object: Json;
  readonly location: Location;
}

/** Those that the rules could tell apart, by their databases. */
function befores(
  olds: readonly Manifest[],
  place: Place,
): ReadonlyMap<string | undefined, readonly Before[]> {
  const databases = dropFragments(olds).filter(({ value }) => findKind(value, place.names));
  const documents = groupBy(databases, (manifest) => editKey(manifest, place));
  const paths = listJudgedPaths(place.names);
  const readJudged = ({ object }: Before): string =>
    JSON.stringify(paths.map((path) => getPath(object, path)));
  const distinct = (group: readonly Manifest[]): readonly Before[] => {
    const all = group.flatMap(({ value, locate }) =>
      isObject(value) ? [{ object: value, location: locate(["metadata", "name"]) }] : [],
    );
    return [...groupBy(all, readJudged).values()].flatMap((same) => same.slice(0, 1));
  };
  return new Map(
    [...documents].flatMap(([key, group]) => (key === undefined ? [] : [[key, distinct(group)]])),
  );
}

function namespaceIn(object: unknown, { namespace }: Place): string {
  return asString(getPath(object, ["metadata", "namespace"])) ?? namespace;
}

/** Undefined for a database without a name. */
function editKey({ value }: Manifest, place: Place): string | undefined {
  return isObject(value) && asString(getPath(value, ["metadata", "name"])) !== undefined
    ? labelManifest(value, namespaceIn(value, place))
    : undefined;
}

/** The way to a field as findings write it; of none to the object's name, where a person looks for it. */
function findPath(field: string, object: unknown): readonly (string | number)[] {
  if (field === "") return getOwn(object, "metadata") === undefined ? [] : ["metadata", "name"];
  const parts = field.split(/[.[\]]+/).filter((part) => part !== "");
  return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
