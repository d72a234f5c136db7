/** What speaks against upgrading this operator in this way, before anything is written. */
import { parseImage, registryOf } from "../image";
import type { Finding } from "../findings";
import type { Names } from "../names";
import { type KubeObject, objectLabel } from "../objects";
import { ownerOf } from "../owners";
import { own, text } from "../values";
import { isOlder } from "../versions";
import { operatorFinding } from "./codes";
import { isBrought, type Olm, olmWay } from "./olm";
import { imagesOf, operatorVersionOf } from "./wanted";

/** The operator as it was found. */
export interface Installed {
  readonly deployment: KubeObject | undefined;
  /** Every object of the bundle that is there, the Deployment among them. */
  readonly objects: readonly KubeObject[];
  readonly olm: Olm;
  readonly namespace: string;
  readonly names: Names;
  /** A command line for a person. */
  readonly command: (words: readonly string[]) => string;
}

/** True when OLM looks after the operator and has brought it to the release: nothing is left to write. */
export function isOlmDone(
  { deployment, olm, names }: Installed,
  target: string | undefined,
): boolean {
  if (deployment === undefined || ownerOf(deployment)?.name !== "OLM") return false;
  return isBrought(olm, { runs: operatorVersionOf(deployment, names), target });
}

/** Objects that Helm, OLM or a GitOps controller looks after, each with that owner's way. */
export function judgeOwners(installed: Installed, target: string | undefined): readonly Finding[] {
  return installed.objects.flatMap((object) => {
    const owner = ownerOf(object);
    if (owner === undefined) return [];
    const cause = `${owner.name} owns the object and would undo or fight the change`;
    return [
      operatorFinding("owned", {
        object: objectLabel(object),
        cause,
        fix: wayOf(owner.name, object, { ...installed, target }) ?? owner.way,
      }),
    ];
  });
}

function wayOf(
  owner: string,
  object: KubeObject,
  installed: Installed & { readonly target: string | undefined },
): string | undefined {
  const { command, olm } = installed;
  if (owner === "Helm") {
    const release = chartReleaseOf(object) ?? "NAME";
    const words = ["--chart", "REF", "--release-name", release, "--version", "V"];
    return `upgrade the chart: ${command(["kubectl", "engine", "upgrade-operator", ...words])}`;
  }
  return owner === "OLM" ? olmWay(olm, installed) : undefined;
}

/** The chart's release that Helm has marked the object with. */
export function chartReleaseOf({ metadata }: KubeObject): string | undefined {
  return text(own(metadata.annotations, "meta.helm.sh/release-name"));
}

/** A release behind the one that runs. */
export function judgeDirection(
  installed: Installed,
  release: string | undefined,
): readonly Finding[] {
  const { deployment, names } = installed;
  const runs = operatorVersionOf(deployment, names);
  if (deployment === undefined || !isOlder(release, runs)) return [];
  return [
    operatorFinding("older", {
      object: objectLabel(deployment),
      cause: `the release has operator ${String(release)}, and ${String(runs)} runs: this command goes forward only`,
    }),
  ];
}

/** Images that are pulled from elsewhere than the release would have them pulled from (S17). */
export function judgeRegistry(
  { deployment }: Pick<Installed, "deployment">,
  wanted: KubeObject,
  takeFields: readonly string[],
): readonly Finding[] {
  if (deployment === undefined || takeFields.some((field) => field.endsWith(".image"))) return [];
  const wants = imagesOf(wanted);
  const moved = [...imagesOf(deployment)].flatMap(([container, image]) => {
    const other = wants.get(container);
    if (other === undefined) return [];
    const [from, to] = [repositoryOf(image), repositoryOf(other)];
    return from === to ? [] : [{ container, from, to }];
  });
  const [first] = moved;
  if (first === undefined) return [];
  const { container, from, to } = first;
  return [
    operatorFinding("registry", {
      object: objectLabel(deployment),
      field: `.spec.template.spec.containers[name=${JSON.stringify(container)}].image`,
      cause: `the operator that runs is pulled from ${from}, the release names ${to}`,
      fix: `give upgrade or upgrade-operator its registry with --image-registry ${registryOf(from, to) ?? "HOST[/PATH]"}, or take the release's with --take-fields .image`,
    }),
  ];
}

/** What is no reference stands for itself. */
function repositoryOf(image: string): string {
  return parseImage(image)?.repository ?? image;
}
