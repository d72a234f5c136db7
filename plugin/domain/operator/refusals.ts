/** What speaks against upgrading this operator in this way, before anything is written. */
import { parseImage } from "../image";
import type { Finding } from "../findings";
import type { Names } from "../names";
import { type KubeObject, objectLabel } from "../objects";
import { ownerOf } from "../owners";
import { own, text } from "../values";
import { compareReleaseTags, parseReleaseTag } from "../versions";
import { operatorFinding } from "./codes";
import { imagesOf, operatorVersionOf } from "./wanted";

/** The operator as it was found. */
export interface Installed {
  readonly deployment: KubeObject | undefined;
  /** Every object of the bundle that is there, the Deployment among them. */
  readonly objects: readonly KubeObject[];
  /** Subscriptions of OLM in the namespace. */
  readonly subscriptions: readonly KubeObject[];
  readonly names: Names;
  /** A command line for a person. */
  readonly command: (words: readonly string[]) => string;
}

/** Objects that Helm, OLM or a GitOps controller looks after, each with that owner's way. */
export function judgeOwners(installed: Installed): readonly Finding[] {
  return installed.objects.flatMap((object) => {
    const owner = ownerOf(object);
    if (owner === undefined) return [];
    const cause = `${owner.name} owns the object and would undo or fight the change`;
    return [
      operatorFinding("owned", {
        object: objectLabel(object),
        cause,
        fix: wayOf(owner.name, object, installed) ?? owner.way,
      }),
    ];
  });
}

function wayOf(owner: string, object: KubeObject, installed: Installed): string | undefined {
  const { command, names, subscriptions } = installed;
  if (owner === "Helm") {
    const release = chartReleaseOf(object) ?? "NAME";
    const words = ["--chart", "REF", "--release-name", release, "--version", "V"];
    return `upgrade the chart: ${command(["kubectl", "engine", "upgrade-operator", ...words])}`;
  }
  if (owner !== "OLM") return undefined;
  const named = subscriptions.map(({ metadata }) => metadata.name ?? "").join(", ");
  const which = named === "" ? `of ${names.operator.deployment}` : named;
  const list = command(["kubectl", "get", "installplans.operators.coreos.com"]);
  return `approve the InstallPlan of Subscription ${which}: find it with ${list}, then set its spec.approved to true`;
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

/** True when both are tags and the first is the older one. */
export function isOlder(one: string | undefined, other: string | undefined): boolean {
  const [left, right] = [parseReleaseTag(one), parseReleaseTag(other)];
  return left !== undefined && right !== undefined && compareReleaseTags(left, right) < 0;
}

/** Images that are pulled from elsewhere than the release would have them pulled from (S17). */
export function judgeRegistry(
  { deployment }: Installed,
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
      fix: `give its registry with --image-registry ${registryOf(from, to) ?? "HOST[/PATH]"}, or take the release's with --take-fields .image`,
    }),
  ];
}

/** What stands before the release's own path in the image that runs. */
function registryOf(from: string, to: string): string | undefined {
  return from.endsWith(`/${to}`) ? from.slice(0, -to.length - 1) : undefined;
}

/** What is no reference stands for itself. */
function repositoryOf(image: string): string {
  return parseImage(image)?.repository ?? image;
}
