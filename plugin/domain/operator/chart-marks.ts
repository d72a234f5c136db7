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

/** A place with helm's records of a release. */
interface RecordPlace {
  readonly namespace: string;
  readonly storage: ChartStorage;
}

/** One list of objects in which helm keeps records; without a namespace it is of all. */
export interface RecordList {
  readonly storage: ChartStorage;
  readonly namespace?: string;
}

/** What was looked for where helm had not been asked. */
export interface RecordSearch {
  readonly found: readonly RecordPlace[];
  /** Lists that were forbidden: what they hold is not known. */
  readonly unread: readonly RecordList[];
}

/** Where records are looked for that are not where they were expected: as helm keeps them everywhere, and otherwise here. */
export function listRecordLists(
  home: ChartHome | undefined,
  namespace: string,
): readonly RecordList[] {
  const storages = ["Secrets", "ConfigMaps"] as const;
  return storages.map((storage) => (storage === home ? { storage } : { storage, namespace }));
}

/** True where that place was read, and has none of the records. */
export function isAbsent(
  { found, unread }: RecordSearch,
  { storage, namespace }: { readonly storage: ChartHome; readonly namespace: string },
): boolean {
  const isPlace = (one: RecordList): boolean =>
    one.storage === storage && (one.namespace ?? namespace) === namespace;
  return storage !== "database" && ![...found, ...unread].some(isPlace);
}

const nameList = ({ storage, namespace }: RecordList): string =>
  `${storage} of ${namespace === undefined ? "all namespaces" : `namespace ${namespace}`}`;

/** A sentence's end; empty where nothing was looked for. */
export function describeSearch(search: RecordSearch | undefined): string {
  if (search === undefined) return "";
  const { found, unread } = search;
  return [
    ...(found.length === 0
      ? []
      : [`; records of a release of that name are in ${joinPlaces(found)}`]),
    ...(unread.length === 0
      ? []
      : [`; whether some are in ${joinPlaces(unread)} is not known, since listing is forbidden`]),
  ].join("");
}

const joinPlaces = (places: readonly RecordList[]): string => places.map(nameList).join(" and ");

/** A line for each place with records, and for each that may have some. */
export function listPlaceWays(
  search: RecordSearch | undefined,
  { release, namespace, kept }: Pick<Lost, "release" | "namespace" | "kept">,
): readonly Remedy[] {
  const { found = [], unread = [] } = search ?? {};
  const labels = ["-l", `owner=helm,name=${release}`];
  const inStorage = (one: RecordPlace): Remedy => ({
    ...look(
      `set HELM_DRIVER=${one.storage === "Secrets" ? "secret" : "configmap"}, since the records are in ${one.storage}`,
      ...["get", one.storage.toLowerCase(), ...labels, `--namespace=${one.namespace}`],
    ),
    then: again,
  });
  const inNamespace = (one: RecordPlace): Remedy => ({
    says: `where the operator of release ${release} in namespace ${one.namespace} is meant, give -n ${one.namespace}`,
    see: {
      of: "helm",
      words: ["get", "manifest", release, `--namespace=${one.namespace}`],
    },
  });
  return [
    ...found.map((one) =>
      one.storage === kept && one.namespace !== namespace ? inNamespace(one) : inStorage(one),
    ),
    ...unread.map(({ storage, namespace: only }) =>
      look(
        `with the permission to list them, see whether there are ${nameList({ storage, ...(only !== undefined && { namespace: only }) })} with records`,
        ...["get", storage.toLowerCase(), ...labels],
        only === undefined ? "--all-namespaces" : `--namespace=${only}`,
      ),
    ),
  ];
}

/** Objects with the marks of a release that helm has no record of. */
interface Lost extends Adoption {
  /** Where the records are kept; absent: that is not known. */
  readonly kept?: ChartHome | undefined;
  /** Helm itself was asked; else the objects were looked for. */
  readonly isByHelm?: true;
  /** All that are known to have the marks. */
  readonly objects: readonly KubeObject[];
  /** Absent: nothing was looked for elsewhere. */
  readonly search?: RecordSearch | undefined;
}

/** The ways out of lost records: to where they are, back to the records, or without them. */
export function listWaysOut(lost: Lost): readonly Remedy[] {
  const { objects, kept = "Secrets", search, ...adoption } = lost;
  const places = listPlaceWays(search, { ...adoption, kept });
  // with its records in the other storage, the release is not lost
  if (search?.found.some(({ namespace }) => namespace === adoption.namespace) === true) {
    return places;
  }
  const bare = unmark(
    "take the marks off and use the bundle (--release), which lists the fields that helm has set for --take-fields",
    objects,
  );
  return [
    ...places,
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
  const { release, objects, search } = lost;
  const object = objects.slice(0, 1).map(objectLabel).join("");
  const have = objects.length > 1 ? `it and ${objects.length - 1} more have` : "it has";
  return operatorFinding("chartLost", {
    object,
    cause: `${have} the marks of release ${release}, and ${describeAbsence(lost)}${describeSearch(search)}`,
    remedies: listWaysOut(lost),
  });
}

function describeAbsence({ release, namespace, kept, isByHelm, search }: Lost): string {
  const isSeen = search !== undefined && search.found.length > 0;
  const isAsked = isByHelm === true || kept === undefined;
  const absent = isAsked
    ? `helm knows no release of that name in namespace ${namespace}`
    : `no ${kept} with owner=helm,name=${release} are in namespace ${namespace}`;
  if (isSeen) return absent;
  const from = isAsked && kept !== undefined ? ` from ${renderHome(kept)}` : "";
  const elsewhere = kept === undefined ? "" : ", or helm keeps them elsewhere (HELM_DRIVER)";
  return `${absent}: its records are gone${from}${elsewhere}`;
}
