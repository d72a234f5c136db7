/**
 * Local changes that an upgrade by chart would meet (S18): what the operator's Deployment has and the rendered one
 * lacks or has otherwise, in the fields that people and post-renderers set: registry, pull secrets, scheduling,
 * environment.
 */
import type { Finding } from "../../domain/base/findings";
import { asArray, asString, getOwn, getPath, isObject, sameJson } from "../../domain/base/values";
import type { PodSpec } from "../../domain/kube/models";
import { covers } from "../../domain/kube/differences";
import { type KubeObject, objectLabel } from "../../domain/kube/objects";
import { takes } from "../../domain/kube/owners";
import { isHelmsManager } from "../../domain/operator/chart-marks";
import { judgeRegistry } from "../../domain/operator/refusals";
import { localChange } from "./local-changes";

/** The Deployment as it is, and as helm renders it. */
interface Rendered {
  readonly live: KubeObject;
  readonly wanted: KubeObject;
  /** As the release was deployed; absent: what helm takes away is not known. */
  readonly before?: KubeObject | undefined;
}

/** A field with a value that the chart would not leave as it is. */
interface Lost {
  /** As findings and --take-fields name it. */
  readonly field: string;
  /** Its elements in managedFields, from the pod's spec on. */
  readonly elements: readonly string[];
  readonly live: unknown;
  readonly wanted: unknown;
}

/** What stands against the chart, and what it changes of what helm itself has set. */
interface ChartVerdict {
  readonly findings: readonly Finding[];
  /** Variables of the environment, which differ from release to release. */
  readonly byHelm: readonly string[];
  /** Fields that the chart does not have, and that go. */
  readonly gone: readonly string[];
  /** True for a field of which this verdict says all there is to say. */
  readonly covers: (field: string) => boolean;
}

/** Judges every difference; `takeFields` are those that the chart wins. */
export function judgeChartChanges(rendered: Rendered, takeFields: readonly string[]): ChartVerdict {
  const { live, wanted } = rendered;
  const registries = judgeRegistry({ deployment: live }, wanted, takeFields).map((finding) => ({
    ...finding,
    fix: "set the chart's image values to that registry in a file for --values, or let the chart win with --take-fields .image",
  }));
  const lost = listLost(rendered);
  const byHelm = lost.filter((one) => isSetByHelm(live, one));
  const findings = lost
    .filter((one) => !byHelm.includes(one) && !takes(takeFields, one.field))
    .map((one) => {
      const [manager = ""] = listManagers(live, one.elements);
      return localChange({ object: objectLabel(live), ...one, manager, source: "chart" });
    });
  const isImageJudged = registries.length > 0 || takes(takeFields, ".image");
  return {
    findings: [...findings, ...registries],
    byHelm: byHelm.map(({ field }) => field),
    gone: lost.filter((one) => one.wanted === undefined).map(({ field }) => field),
    covers: (field) =>
      (isImageJudged && field.endsWith(".image")) ||
      [...placing.map(placingField), ...lost.map((one) => one.field)].some((one) =>
        field.startsWith(one),
      ),
  };
}

/** What only the cluster has stays where the manifest before is known not to have it either. */
function listLost({ live, wanted, before }: Rendered): readonly Lost[] {
  const differing = listDiffering(live, wanted);
  if (before === undefined) return differing;
  const had = listDiffering(before, wanted).map(({ field }) => field);
  return differing.filter(({ field, wanted: says }) => says !== undefined || had.includes(field));
}

function listDiffering(live: KubeObject, wanted: KubeObject): readonly Lost[] {
  return [...listLostPlacing({ live, wanted }), ...listLostVariables({ live, wanted })];
}

const podPath = ["spec", "template", "spec"];
const placing = [
  "imagePullSecrets",
  "nodeSelector",
  "tolerations",
  "affinity",
  "priorityClassName",
] as const satisfies readonly (keyof PodSpec)[];

function placingField(key: string): string {
  return `.${[...podPath, key].join(".")}`;
}

function podSpec(deployment: KubeObject): Readonly<Record<string, unknown>> {
  const found = getPath(deployment, podPath);
  return isObject(found) ? found : {};
}

function listLostPlacing({ live, wanted }: Rendered): readonly Lost[] {
  return placing.flatMap((key) => {
    const [has, says] = [live, wanted].map((object) => getOwn(podSpec(object), key));
    if (holdsAll(says, has)) return [];
    return [{ field: placingField(key), elements: [`f:${key}`], live: has, wanted: says }];
  });
}

/** The chart has every item of the list, every key of the map; an empty value is none. */
function holdsAll(says: unknown, has: unknown): boolean {
  if (Array.isArray(has)) {
    return asArray(has).every((item) => asArray(says).some((one) => sameJson(one, item)));
  }
  if (!isObject(has)) return (has ?? "") === "" || has === says;
  return Object.entries(has).every(([key, value]) => sameJson(getOwn(says, key), value));
}

function listLostVariables({ live, wanted }: Rendered): readonly Lost[] {
  return asArray(podSpec(live)["containers"]).flatMap((container) => {
    const name = String(getOwn(container, "name"));
    const other = asArray(podSpec(wanted)["containers"]).find(
      (one) => getOwn(one, "name") === name,
    );
    const elements = ["f:containers", `k:${JSON.stringify({ name })}`, "f:env"];
    const place = `.${podPath.join(".")}.containers[name=${JSON.stringify(name)}].env`;
    return asArray(getOwn(container, "env")).flatMap((has) => {
      const key = asString(getOwn(has, "name")) ?? "";
      const says = asArray(getOwn(other, "env")).find((one) => getOwn(one, "name") === key);
      if (says !== undefined && covers(has, says)) return [];
      return [
        {
          field: `${place}[name=${JSON.stringify(key)}]`,
          elements: [...elements, `k:${JSON.stringify({ name: key })}`],
          live: has,
          wanted: says,
        },
      ];
    });
  });
}

/** A variable of which helm alone is the manager is an earlier chart's; without managed fields nobody knows. */
function isSetByHelm(live: KubeObject, { elements }: Lost): boolean {
  const managers = elements.includes("f:env") ? listManagers(live, elements) : [];
  return managers.length > 0 && managers.every(isHelmsManager);
}

/** The managers of a field of the pod's spec. */
function listManagers({ metadata }: KubeObject, elements: readonly string[]): readonly string[] {
  const path = [...podPath.map((key) => `f:${key}`), ...elements];
  return (metadata.managedFields ?? []).flatMap(({ manager = "", fieldsV1 }) =>
    path.reduce<unknown>(getOwn, fieldsV1) === undefined ? [] : [manager],
  );
}
