/** What the files of a release hold for a platform, judged before anything is applied (S15–S19). */
import { UsageError } from "../base/errors";
import type { Names } from "../names/names";
import { type KubeObject, objectLabel } from "../kube/objects";
import { getPath, isObject, asArray, getOwn, oncePer, renderValue, asString } from "../base/values";
import { clusterVersionFor, type Platform } from "./platforms";
import { judgeImages, operatorImages, findRelatedClusterTag } from "./images";
import { isSameRelease, parseReleaseTag } from "../base/versions";

/** A file of a release. */
export interface ReleaseFile {
  readonly text: string;
  /** Where it was found, for people. */
  readonly source: string;
}

/** An opened release; nothing of it is judged yet. */
export interface Release {
  /** As it was given, without credentials. */
  readonly source: string;
  /** SHA-256 in hex: of the archive's bytes, or of a folder's files, so that a change is seen. */
  readonly sha256: string;
  /** The first of these paths that it holds. */
  readonly file: (paths: readonly string[]) => ReleaseFile | undefined;
}

/** A tag of the cluster image, and what tells it. */
export interface ToldTag {
  readonly tag: string;
  readonly by: string;
}

/** What the files of a release hold, for one platform. */
export interface ReleaseContents {
  readonly source: string;
  readonly sha256: string;
  readonly platform: Platform;
  /** The tag of the operator's image in its Deployment; undefined where it is pinned by digest. */
  readonly operatorVersion: string | undefined;
  /** The tag of the cluster image that belongs to it; undefined where it is not known. */
  readonly clusterVersion: string | undefined;
  /** Every file of the release that tells it, the surest first. */
  readonly clusterTold?: readonly ToldTag[];
  /** Every object of the bundle of the platform, in the file's order; empty without a bundle. */
  readonly bundle: readonly KubeObject[];
  /** The definitions among them. */
  readonly definitions: readonly KubeObject[];
  readonly webhook: ReleaseFile | undefined;
  /** Files of the managed namespaces and of label mode, those that are there. */
  readonly rbac: readonly ReleaseFile[];
  readonly scc: ReleaseFile | undefined;
}

/** Every path at which a file of a release may lie: nothing else of it is read. */
export function releasePaths({ release }: Names): readonly string[] {
  return [...new Set(Object.values(release).flat())].sort();
}

/** What the files are read for. */
export interface Reading {
  readonly platform: Platform;
  readonly names: Names;
  /** The documents of a YAML text; throws UsageError that names the source and the line. */
  readonly parse: (text: string, source: string) => readonly unknown[];
  /** The operator release that was asked for; the bundle has to be of it. */
  readonly target?: string | undefined;
}

/** The contents, or every problem of the files. */
type ContentsResult =
  | { readonly is: "read"; readonly contents: ReleaseContents }
  | { readonly is: "unfit"; readonly problems: readonly string[] };

/** Reads the bundle of the platform, and says which other files are there. */
export function judgeContents(release: Release, reading: Reading): ContentsResult {
  const { names, platform } = reading;
  const files = names.release;
  const file = release.file(platform === "openshift" ? files.openshiftBundle : files.bundle);
  const problems: string[] = [];
  const bundle = file === undefined ? [] : bundleIn(file, reading, problems);
  const operatorVersion = file === undefined ? undefined : versionIn(bundle, names);
  if (file !== undefined) problems.push(...judgeBundle(bundle, file, reading));
  if (problems.length > 0) return { is: "unfit", problems };
  const clusterTold = clusterToldBy(release, bundle, reading);
  const clusterVersion =
    clusterTold[0]?.tag ??
    (operatorVersion === undefined ? undefined : clusterVersionFor(operatorVersion));
  return {
    is: "read",
    contents: {
      source: release.source,
      sha256: release.sha256,
      platform,
      operatorVersion,
      clusterVersion,
      clusterTold,
      bundle,
      definitions: bundle.filter(({ kind }) => kind === definitionKind),
      webhook: release.file(files.webhook),
      rbac: [files.consumerRole, files.consumerBinding, files.labelRole, files.labelBinding]
        .map((paths) => release.file(paths))
        .filter((found) => found !== undefined),
      scc: release.file(files.scc),
    },
  };
}

/** The tag that belongs to the operator, as the bundle and the sample cluster tell it (domain facts 8). */
function clusterToldBy(
  release: Release,
  bundle: readonly KubeObject[],
  reading: Pick<Reading, "names" | "parse">,
): readonly ToldTag[] {
  const { names } = reading;
  const related = findRelatedClusterTag(bundle, names);
  const file = release.file(names.release.sampleCluster);
  const byBundle = related === undefined ? [] : [{ tag: related, by: "the bundle" }];
  if (file === undefined) return byBundle;
  const tags = bundleIn(file, reading, [])
    .filter(({ kind }) => kind === names.ec.kind)
    .flatMap((sample) => asString(getPath(sample, names.ecFields.versionTag)) ?? [])
    // a placeholder or a tag of another grammar tells nothing
    .filter((tag) => parseReleaseTag(tag) !== undefined);
  return [...byBundle, ...tags.map((tag) => ({ tag, by: `the sample cluster ${file.source}` }))];
}

/** The operator's release by its bundle, of whichever platform; undefined without a bundle or a tag. */
export function releaseVersion(
  release: Release,
  reading: Pick<Reading, "names" | "parse">,
): string | undefined {
  const { names } = reading;
  const { bundle, openshiftBundle } = names.release;
  const files = [bundle, openshiftBundle].flatMap((paths) => release.file(paths) ?? []);
  return files
    .map((file) => versionIn(bundleIn(file, reading, []), names))
    .find((version) => version !== undefined);
}

/** What says that a release is another one than was asked for, in each bundle that it holds. */
export function targetProblems(
  release: Release,
  reading: Omit<Reading, "platform">,
): readonly string[] {
  const { bundle, openshiftBundle } = reading.names.release;
  return [bundle, openshiftBundle].flatMap((paths) => {
    const file = release.file(paths);
    if (file === undefined) return [];
    const problems: string[] = [];
    const version = versionIn(bundleIn(file, reading, problems), reading.names);
    const other = otherVersion(version, reading.target);
    return [...problems, ...other.map((problem) => `${file.source}: ${problem}`)];
  });
}

const definitionKind = "CustomResourceDefinition";
const webhookKinds = ["ValidatingWebhookConfiguration", "MutatingWebhookConfiguration"];

interface Bundle {
  readonly objects: readonly KubeObject[];
  readonly problems: readonly string[];
}

/** The parts of an upgrade ask for the same few files: each is parsed once. */
const bundlesBy = oncePer((parse: Reading["parse"]) =>
  oncePer((file: ReleaseFile) => readBundle(file, parse)),
);

function bundleIn(
  file: ReleaseFile,
  { parse }: Pick<Reading, "parse">,
  problems: string[],
): readonly KubeObject[] {
  const bundle = bundlesBy(parse)(file);
  problems.push(...bundle.problems);
  return bundle.objects;
}

function readBundle({ text, source }: ReleaseFile, parse: Reading["parse"]): Bundle {
  const problems: string[] = [];
  const documents = parsePart(() => parse(text, source), problems);
  const objects = documents.flatMap((document, index) => {
    const items =
      getOwn(document, "kind") === "List" ? asArray(getOwn(document, "items")) : [document];
    const found = items.filter(isKubeObject);
    if (found.length < items.length) {
      problems.push(
        `${source}: document ${index + 1} is not an object with apiVersion, kind and metadata.name`,
      );
    }
    return found;
  });
  return { objects, problems };
}

function parsePart(read: () => readonly unknown[], problems: string[]): readonly unknown[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    problems.push(...error.problems);
    return [];
  }
}

function isKubeObject(document: unknown): document is KubeObject {
  return (
    isObject(document) &&
    asString(document["apiVersion"]) !== undefined &&
    asString(document["kind"]) !== undefined &&
    asString(getPath(document, ["metadata", "name"])) !== undefined
  );
}

/** The tag of the operator's image; undefined where it is pinned by its digest alone. */
function versionIn(bundle: readonly KubeObject[], names: Names): string | undefined {
  return operatorImages(bundle, names).map(({ tag }) => tag)[0];
}

function judgeBundle(
  bundle: readonly KubeObject[],
  { source }: ReleaseFile,
  { names, target }: Reading,
): readonly string[] {
  return [
    ...duplicates(bundle),
    ...bundle.flatMap(findMisplaced),
    ...judgeImages(bundle, names),
    ...otherVersion(versionIn(bundle, names), target),
  ].map((problem) => `${source}: ${problem}`);
}

/** An image without a tag cannot be compared: its release stays unknown. */
function otherVersion(version: string | undefined, target: string | undefined): readonly string[] {
  if (target === undefined || version === undefined || isSameRelease(version, target)) return [];
  return [`its operator is ${version}, not ${target} that was asked for`];
}

function duplicates(bundle: readonly KubeObject[]): readonly string[] {
  const seen = new Set<string>();
  return bundle.flatMap((object) => {
    const key = `${readGroup(object)} ${objectLabel(object)}`;
    const known = seen.has(key);
    seen.add(key);
    return known ? [`${objectLabel(object)} is there twice`] : [];
  });
}

/** Versions of one group are one object. */
function readGroup({ apiVersion }: KubeObject): string {
  return apiVersion.replace(/\/?[^/]*$/, "");
}

/** A bundle goes where it is applied, and the webhook is a step of its own (S24–S30). */
function findMisplaced(object: KubeObject): readonly string[] {
  const { namespace } = object.metadata;
  return [
    ...(namespace === undefined
      ? []
      : [`${objectLabel(object)} is fixed to namespace ${renderValue(namespace)}`]),
    ...(webhookKinds.includes(object.kind)
      ? [`${objectLabel(object)} is a webhook, which has a file of its own`]
      : []),
  ];
}
