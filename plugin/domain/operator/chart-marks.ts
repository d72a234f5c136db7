/** The marks of a chart's release on objects, and what to do where helm does not know that release (S20). */
import type { Finding } from "../base/findings";
import { asString, getOwn } from "../base/values";
import { type KubeObject, objectLabel, readName } from "../kube/objects";
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

/** A command line for a person, of kubectl or helm. */
type Command = (words: readonly string[]) => string;

/** How helm adopts objects that are there already. */
export interface Adoption {
  readonly release: string;
  /** As given, else a placeholder. */
  readonly chart?: string | undefined;
  /** What runs: the chart of that version changes nothing else. */
  readonly version?: string | undefined;
  readonly helmCommand: Command;
}

/** The line that adopts what runs; helm before 3.17 has no such flag, and adopts what has its marks. */
export function renderAdoption({
  release,
  chart = "REF",
  version = "VERSION",
  helmCommand,
}: Adoption): string {
  const words = ["helm", "install", release, chart, "--version", version];
  return `${helmCommand([...words, "--values", "FILE", "--take-ownership"])} (FILE: all values that were given so far; helm before 3.17 has no --take-ownership, and adopts only what has its marks)`;
}

/** The lines that take the marks of a release off. */
function renderUnmarking(objects: readonly KubeObject[], command: Command): string {
  return objects
    .map((object) => {
      const what = [object.kind.toLowerCase(), readName(object)];
      const annotate = command(["kubectl", "annotate", ...what, `${nameKey}-`, `${namespaceKey}-`]);
      return `${annotate} && ${command(["kubectl", "label", ...what, `${managedBy}-`])}`;
    })
    .join("; ");
}

/** The objects in which helm keeps the records of its releases. */
export type ChartStorage = "Secrets" | "ConfigMaps";

/** By HELM_DRIVER; undefined where they are in no object of the cluster, or where that is not known. */
export function chooseStorage(driver = ""): ChartStorage | undefined {
  if (["", "secret", "secrets"].includes(driver)) return "Secrets";
  return ["configmap", "configmaps"].includes(driver) ? "ConfigMaps" : undefined;
}

/** Objects with the marks of a release that helm has no record of. */
interface Lost extends Adoption {
  /** What was looked for; absent: helm was asked. */
  readonly kept?: ChartStorage | undefined;
  readonly namespace: string;
  /** All that are known to have the marks. */
  readonly objects: readonly KubeObject[];
  readonly command: Command;
}

/** The ways out of lost records: back to the records, or without them. */
export function renderWaysOut({ objects, command, kept = "Secrets", ...adoption }: Lost): string {
  const { release, namespace } = adoption;
  return [
    `restore its records from a backup of namespace ${namespace} (${kept} sh.helm.release.v1.${release}.vN, label owner=helm), then run again`,
    `or let helm adopt the objects at what runs: ${renderAdoption(adoption)}, then run again`,
    `or take the marks off and use the bundle (--release), which lists the fields that helm has set for --take-fields: ${renderUnmarking(objects, command)}`,
  ].join("; ");
}

/** The finding for objects whose release helm does not know. */
export function findLostRelease(lost: Lost): Finding {
  const { release, namespace, objects, kept } = lost;
  const object = objects.slice(0, 1).map(objectLabel).join("");
  const have = objects.length > 1 ? `it and ${objects.length - 1} more have` : "it has";
  return operatorFinding("chartLost", {
    object,
    cause:
      kept === undefined
        ? `${have} the marks of release ${release}, and helm knows no release of that name in namespace ${namespace}: its records are gone`
        : `${have} the marks of release ${release}, and no ${kept} with owner=helm,name=${release} are in namespace ${namespace}: its records are gone, or helm keeps them elsewhere (HELM_DRIVER)`,
    fix: renderWaysOut(lost),
  });
}
