/** Whether a chart brings the operator that was asked for, and which values keep it from that (S20–S22). */
import type { ChartHook } from "./chart-hooks";
import type { Finding } from "../base/findings";
import type { Remedy } from "../base/remedy";
import { parseImage } from "../release/images";
import type { Names } from "../names/names";
import type { KubeObject } from "../kube/objects";
import { boundList, getOwn, getPath, isObject, type Json } from "../base/values";
import { compareReleaseTags, parseReleaseTag } from "../base/versions";
import { operatorFinding } from "./findings";
import { again, helm } from "./chart-marks";
import { type ChartUpgrade, helmWords } from "./refusals";
import { listImages } from "./wanted";

/** What helm says that it would write, and the values of a person that it used. */
export interface RenderedChart {
  /** The items of a List in its place. */
  readonly objects: readonly unknown[];
  /** What of it cannot be read, each as a sentence that names its place; absent: nothing. */
  readonly unread?: readonly string[];
  /** Definitions that hooks of an upgrade bring, which leave a newer one as it is; absent: none. */
  readonly hooked?: readonly KubeObject[];
  /** As helm prints them; absent: none. */
  readonly hooks?: readonly ChartHook[];
  /** The API server merges what helm applies; absent: helm itself does, of the manifests before and now. */
  readonly appliesOnServer?: boolean;
  readonly values: Json;
}

/** The objects of a release as it is deployed. */
export type DeployedChart = Pick<RenderedChart, "objects" | "unread">;

/** Which operator is asked for. */
export interface ChartWish {
  /** Version of the chart, which is the operator's release. */
  readonly version: string;
  /** The Deployment of another release: an image without a tag that tells its release is compared with it. */
  readonly live: KubeObject | undefined;
  readonly namespace: string;
  readonly names: Names;
}

interface ContainerImage {
  readonly container: string;
  readonly image: string;
}

/** The operator's images that are not of the release that is asked for. */
export function strayImages(
  deployment: KubeObject | undefined,
  { version, live, names }: ChartWish,
): readonly ContainerImage[] {
  const asked = parseReleaseTag(version);
  const before = listImages(live);
  const own = [names.operator.container, names.operator.admissionContainer];
  return [...listImages(deployment)]
    .filter(([container]) => own.includes(container))
    .filter(([container, image]) => {
      // a version of another grammar tells no release; an image without one that stays brings no other operator
      const tag = parseReleaseTag(parseImage(image)?.tag);
      if (asked === undefined) return false;
      if (tag === undefined) return before.get(container) === image;
      return compareReleaseTags(tag, asked) !== 0;
    })
    .map(([container, image]) => ({ container, image }));
}

/** The operator's Deployment among what helm would write. */
export function findRenderedOperator(
  rendered: RenderedChart,
  names: Names,
): KubeObject | undefined {
  return listRenderedOperators(rendered, names)[0];
}

function listRenderedOperators(
  { objects }: RenderedChart,
  { operator }: Names,
): readonly KubeObject[] {
  return (objects as readonly KubeObject[]).filter(
    (object) =>
      isObject(object) &&
      object.kind === "Deployment" &&
      isObject(object.metadata) &&
      object.metadata.name === operator.deployment,
  );
}

/**
 * Why what runs cannot be compared with what helm would write: only a render that is read as a whole and holds the
 * operator's Deployment once, in its namespace, says what becomes of the Deployment. `upgrade` is helm's own.
 */
export function judgeComparable(
  rendered: RenderedChart,
  { live, namespace, names }: ChartWish,
  upgrade: ChartUpgrade,
): readonly Finding[] {
  const { unread = [] } = rendered;
  const words = [...helmWords(upgrade).slice(1), `--namespace=${namespace}`];
  const cause =
    unread.length > 0
      ? `${boundList(unread)}: what would become of the operator is not known`
      : describeAbsent(rendered, { live, namespace, names });
  if (cause === undefined) return [];
  return [
    operatorFinding("chartUncompared", {
      object: `Deployment/${namespace}/${names.operator.deployment}`,
      cause,
      remedies: [
        { ...helm("see what helm renders", ...words, "--dry-run=server"), then: corrected },
        helm("where the change is meant, make it yourself", ...words),
      ],
    }),
  ];
}

const corrected: Remedy = {
  says: "correct --chart, its templates, or the values that rename or leave out the operator (--values)",
  then: again,
};

/** Undefined where the Deployment is there as it should be. */
function describeAbsent(
  rendered: RenderedChart,
  { live, namespace, names }: Pick<ChartWish, "live" | "namespace" | "names">,
): string | undefined {
  const { deployment } = names.operator;
  const [found, ...more] = listRenderedOperators(rendered, names);
  if (more.length > 0) {
    return `what helm renders holds Deployment ${deployment} ${more.length + 1} times: which one the operator would become is not known`;
  }
  const { namespace: at = namespace } = found?.metadata ?? {};
  if (found !== undefined && at === namespace) return undefined;
  const where = found === undefined ? "" : ` in namespace ${at}`;
  const labels = rendered.objects.map((object) => labelRendered(object));
  const held = labels.length === 0 ? "no objects" : `${boundList(labels)}${where}`;
  const becomes =
    live === undefined
      ? "helm would bring no operator"
      : "helm would delete the one that runs, since it leaves the release";
  return `what helm renders holds ${held}, and not Deployment ${deployment} of namespace ${namespace}: ${becomes}`;
}

function labelRendered(object: unknown): string {
  return `${String(getOwn(object, "kind"))}/${String(getPath(object, ["metadata", "name"]))}`;
}

/** Values that keep the operator at another release; none where the chart brings what is asked for. */
export function judgeRendered(rendered: RenderedChart, wish: ChartWish): readonly Finding[] {
  const { names, namespace, version } = wish;
  const deployment = findRenderedOperator(rendered, names);
  if (deployment === undefined) return [];
  const stray = strayImages(deployment, wish);
  const images = [...new Set(stray.map(({ image }) => image))];
  return images.map((image) => {
    const pins = findPins(rendered.values, image);
    const by =
      pins.length === 0
        ? "no value that was given holds it, so the chart itself names it"
        : `pinned by ${pins.map(({ path, value }) => `the value ${path} (${value})`).join(", ")}`;
    const paths = pins.map(({ path }) => path).join(", ");
    return operatorFinding("chartPinned", {
      object: `Deployment/${namespace}/${names.operator.deployment}`,
      field: `.spec.template.spec.containers[name=${JSON.stringify(findContainer(stray, image))}].image`,
      cause: `with the chart at ${version} the operator would run ${image}: ${by}`,
      ...(pins.length > 0 && {
        fix: `give a file with --values in which ${paths} ${pins.length === 1 ? "is" : "are"} of ${version}, then run again`,
      }),
    });
  });
}

function findContainer(stray: readonly ContainerImage[], image: string): string | undefined {
  return stray.find((one) => one.image === image)?.container;
}

interface Pin {
  /** `operator.image.tag`, as helm's --set takes it. */
  readonly path: string;
  readonly value: string;
}

/** The values that say this tag, this digest, or the whole of the reference. */
function findPins(values: Json, image: string): readonly Pin[] {
  const { tag, digest } = parseImage(image) ?? {};
  const tail = digest ?? tag;
  if (tail === undefined) return [];
  return listLeaves(values).filter(
    ({ value }) =>
      value === tag ||
      `sha256:${value}` === digest ||
      (value.includes(tail) && image.endsWith(value)),
  );
}

function listLeaves(value: unknown, path = ""): readonly Pin[] {
  if (typeof value === "string") return [{ path, value }];
  if (Array.isArray(value)) {
    return value.flatMap((one, at) => listLeaves(one, `${path}[${at}]`));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    listLeaves(inner, path === "" ? key : `${path}.${key}`),
  );
}
