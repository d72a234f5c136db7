/** Whether a chart brings the operator that was asked for, and which values keep it from that (S20–S22). */
import type { Finding } from "../base/findings";
import { parseImage } from "../release/images";
import type { Names } from "../names/names";
import type { KubeObject } from "../kube/objects";
import { isObject, type Json } from "../base/values";
import { compareReleaseTags, parseReleaseTag } from "../base/versions";
import { operatorFinding } from "./findings";
import { findFixedFields } from "./fixed-fields";
import { listImages } from "./wanted";

/** What helm says that it would write, and the values of a person that it used. */
export interface RenderedChart {
  readonly objects: readonly unknown[];
  /** Definitions that hooks of an upgrade bring, which leave a newer one as it is; absent: none. */
  readonly hooked?: readonly KubeObject[];
  readonly values: Json;
}

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
  { objects }: RenderedChart,
  { operator }: Names,
): KubeObject | undefined {
  return (objects as readonly KubeObject[]).find(
    (object) =>
      isObject(object) &&
      object.kind === "Deployment" &&
      isObject(object.metadata) &&
      object.metadata.name === operator.deployment,
  );
}

/** What the API server never changes of the operator's Deployment, where the chart has it otherwise (Facts 8). */
export function judgeFixedByChart(
  rendered: RenderedChart,
  live: KubeObject | undefined,
  names: Names,
): readonly Finding[] {
  const wanted = findRenderedOperator(rendered, names);
  if (live === undefined || wanted === undefined) return [];
  return findFixedFields(live, wanted).map(({ what, about }) => operatorFinding(what, about));
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
