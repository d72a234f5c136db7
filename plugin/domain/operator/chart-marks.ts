/** The marks of a chart's release on objects, and what to do where helm does not know that release (S20). */
import type { Finding } from "../base/findings";
import { kubectl, look, type Remedy } from "../base/remedy";
import { asString, getOwn } from "../base/values";
import { type KubeObject, objectLabel, readName, readNamespace } from "../kube/objects";
import { operatorFinding } from "./findings";

/** The release that an object is marked with. */
export interface ChartMarks {
  readonly name: string;
  /** Where helm keeps the release; absent: not said. */
  readonly namespace?: string;
}

const nameKey = "meta.helm.sh/release-name";
const namespaceKey = "meta.helm.sh/release-namespace";
const managedBy = "app.kubernetes.io/managed-by";

/** Undefined where no release is named. */
export function readChartMarks({ metadata }: KubeObject): ChartMarks | undefined {
  const [name, namespace] = [nameKey, namespaceKey].map((key) =>
    asString(getOwn(metadata.annotations, key)),
  );
  return name === undefined ? undefined : { name, ...(namespace !== undefined && { namespace }) };
}

/** The object with the marks that helm gives all that it writes. */
export function withChartMarks(object: KubeObject, { name, namespace }: ChartMarks): KubeObject {
  const { labels, annotations } = object.metadata;
  const marks = { [nameKey]: name, ...(namespace !== undefined && { [namespaceKey]: namespace }) };
  return {
    ...object,
    metadata: {
      ...object.metadata,
      labels: { ...labels, [managedBy]: "Helm" },
      annotations: { ...annotations, ...marks },
    },
  };
}

/** Helm by itself, and what runs it: their fields are those of an earlier chart. */
export function isHelmsManager(manager: string): boolean {
  return /helm/i.test(manager);
}

/** How helm adopts objects that are there already. */
export interface Adoption {
  readonly namespace: string;
  readonly release: string;
  /** As given, else a placeholder. */
  readonly chart?: string | undefined;
  /** What runs: the chart of that version changes nothing else. */
  readonly version?: string | undefined;
}

/** Helm adopts what runs; before 3.17 it has no such flag, and adopts what has its marks. */
export function adopt(says: string, adoption: Adoption): Remedy {
  const { namespace, release, chart = "REF", version = "VERSION" } = adoption;
  const hint =
    "(FILE: all values that were given so far; helm before 3.17 has no --take-ownership, and adopts only what has its marks)";
  const given = [release, chart, "--version", version, `--namespace=${namespace}`];
  const more = ["--values", "FILE", "--take-ownership"];
  return { ...helm(`${says} ${hint}`, "install", ...given, ...more), then: again };
}

/** A remedy with a command of helm. */
export function helm(says: string, ...words: readonly string[]): Remedy {
  return { says, run: { of: "helm", words } };
}

/** The last step of many a remedy. */
export const again: Remedy = { says: "run again" };

/** Takes the marks of a release off, one object after the other. */
function unmark(says: string, [first, ...others]: readonly KubeObject[]): Remedy | undefined {
  if (first === undefined) return undefined;
  const place = readNamespace(first);
  const at = [
    first.kind.toLowerCase(),
    readName(first),
    ...(place === "" ? [] : [`--namespace=${place}`]),
  ];
  const next = unmark("the same", others);
  const then = kubectl("take its label off", "label", ...at, `${managedBy}-`);
  return {
    ...kubectl(says, "annotate", ...at, `${nameKey}-`, `${namespaceKey}-`),
    then: next === undefined ? then : { ...then, then: next },
  };
}

/** The objects in which helm keeps the records of its releases. */
export type ChartStorage = "Secrets" | "ConfigMaps";

/** Where helm keeps its records: in objects of the cluster, or in a database, which cannot be seen from here. */
export type ChartHome = ChartStorage | "database";

/** By HELM_DRIVER; undefined where they are in no object of the cluster, or where that is not known. */
export function chooseStorage(driver: string | undefined): ChartStorage | undefined {
  const home = chooseHome(driver);
  return home === "database" ? undefined : home;
}

/** By HELM_DRIVER; undefined where helm keeps none, or does not know the word. */
export function chooseHome(driver = ""): ChartHome | undefined {
  if (["", "secret", "secrets"].includes(driver)) return "Secrets";
  if (["configmap", "configmaps"].includes(driver)) return "ConfigMaps";
  return driver === "sql" ? "database" : undefined;
}

/** As a sentence names it. */
export function renderHome(home: ChartHome): string {
  return home === "database"
    ? "the database of HELM_DRIVER_SQL_CONNECTION_STRING (table releases_v1), which cannot be seen from here"
    : home;
}

/** Objects with the marks of a release that helm has no record of. */
interface Lost extends Adoption {
  /** Where the records are kept; absent: that is not known. */
  readonly kept?: ChartHome | undefined;
  /** Helm itself was asked; else the objects were looked for. */
  readonly isByHelm?: true;
  /** All that are known to have the marks. */
  readonly objects: readonly KubeObject[];
}

/** The ways out of lost records: back to the records, or without them. */
export function listWaysOut({ objects, kept = "Secrets", ...adoption }: Lost): readonly Remedy[] {
  const bare = unmark(
    "take the marks off and use the bundle (--release), which lists the fields that helm has set for --take-fields",
    objects,
  );
  return [
    { ...restore(kept, adoption), then: again },
    adopt("let helm adopt the objects at what runs", adoption),
    ...(bare === undefined ? [] : [bare]),
  ];
}

function restore(kept: ChartHome, { release, namespace }: Adoption): Remedy {
  if (kept === "database") return { says: `restore its records in ${renderHome(kept)}` };
  return look(
    `restore its records from a backup of namespace ${namespace} (${kept} sh.helm.release.v1.${release}.vN, label owner=helm)`,
    ...["get", kept.toLowerCase(), "-l", `owner=helm,name=${release}`, `--namespace=${namespace}`],
  );
}

/** The finding for objects whose release helm does not know. */
export function findLostRelease(lost: Lost): Finding {
  const { release, namespace, objects, kept, isByHelm } = lost;
  const object = objects.slice(0, 1).map(objectLabel).join("");
  const have = objects.length > 1 ? `it and ${objects.length - 1} more have` : "it has";
  return operatorFinding("chartLost", {
    object,
    cause:
      isByHelm === true || kept === undefined
        ? `${have} the marks of release ${release}, and helm knows no release of that name in namespace ${namespace}: its records are gone${kept === undefined ? "" : ` from ${renderHome(kept)}, or helm keeps them elsewhere (HELM_DRIVER)`}`
        : `${have} the marks of release ${release}, and no ${kept} with owner=helm,name=${release} are in namespace ${namespace}: its records are gone, or helm keeps them elsewhere (HELM_DRIVER)`,
    remedies: listWaysOut(lost),
  });
}
