/** A minimal chart of each release, for a real helm (S20–S22; domain facts 4.4, 5, 8). */
import { dump } from "js-yaml";
import { defaultNames as names } from "../../../plugin/domain/names/names";
import type { KubeObject } from "../../../plugin/domain/kube/objects";
import { chartHooks } from "./chart-hooks";
import { chartAdmission } from "./chart-webhook";
import { definitionsOf } from "./definitions";
import { deployment, service } from "./operator";
import { packFiles } from "./pack";
import { binding, constraint, operatorRules, role } from "./rights";
import { writeFiles } from "./tree";
import type { ReleaseVersion } from "./versions";

const { operator, annotations } = names;

/** The texts of a chart's files by their paths. */
export function chartFiles(version: ReleaseVersion): Readonly<Record<string, string>> {
  const definitions = Object.fromEntries(
    definitionsOf(version).map((definition) => [
      `files/crds/${definition.metadata.name ?? ""}.yaml`,
      dump(annotated(definition, { [annotations.operatorVersion[0]]: version })),
    ]),
  );
  return {
    "Chart.yaml": dump({
      apiVersion: "v2",
      name: operator.chart,
      description: "The operator of Engine Enterprise",
      type: "application",
      version,
      appVersion: version,
    }),
    "values.yaml": dump(values(version)),
    "templates/operator.yaml": objects(version),
    "templates/admission.yaml": chartAdmission(),
    "templates/crds.yaml": chartHooks(),
    ...definitions,
  };
}

/** The texts of files that are added to a chart, by their paths; undefined takes a file or a folder away. */
export type ChartFiles = Readonly<Record<string, string | undefined>>;

/** The same with other files beside it. */
export function chartFilesWith(
  version: ReleaseVersion,
  more: ChartFiles,
): Readonly<Record<string, string>> {
  const kept = Object.entries({ ...chartFiles(version), ...more }).filter(
    ([path]) =>
      !Object.entries(more).some(
        ([other, text]) => text === undefined && (path === other || path.startsWith(`${other}/`)),
      ),
  );
  return Object.fromEntries(kept.map(([path, text]) => [path, text ?? ""]));
}

/** Writes the chart of a release into a folder, and gives the folder back. */
export function writeChart(folder: string, version: ReleaseVersion, more: ChartFiles = {}): string {
  return writeFiles(folder, chartFilesWith(version, more));
}

/** Packs the same as `helm package` does: an archive with the chart's folder. */
export async function packChart(version: ReleaseVersion, more: ChartFiles = {}): Promise<Buffer> {
  const entries = Object.entries(chartFilesWith(version, more)).map(([path, text]) => ({
    name: `${operator.chart}/${path}`,
    text,
  }));
  return await packFiles(entries);
}

function values(version: ReleaseVersion): object {
  return {
    operator: { image: { repository: names.images.operator, tag: version } },
    imagePullSecrets: [],
    admission: { setCABundle: true, limitToNamespace: true },
    openshift: { mode: false, scc: { install: false, shared: false } },
  };
}

function objects(version: ReleaseVersion): string {
  const head = {
    [annotations.operatorVersion[0]]: "{{ .Values.operator.image.tag }}",
    [annotations.chartVersion[0]]: "{{ .Chart.Version }}",
  };
  const ownRole = (openshift: boolean): string =>
    yaml(role("Role", operator.role, operatorRules(version, openshift)));
  return [
    serviceAccount,
    `{{- if .Values.openshift.mode }}\n${ownRole(true)}{{- else }}\n${ownRole(false)}{{- end }}\n`,
    yaml(binding("Role", operator.roleBinding, [{ name: operator.serviceAccount }])),
    yaml(service()),
    yaml(
      annotated(
        deployment({
          version,
          openshift: "{{ .Values.openshift.mode }}",
          image: "{{ .Values.operator.image.repository }}:{{ .Values.operator.image.tag }}",
        }),
        head,
      ),
    ),
    `{{- if .Values.openshift.scc.install }}\n${yaml(
      annotated(constraint(version), { "helm.sh/resource-policy": "keep" }),
    )}{{- end }}\n`,
  ].join("---\n");
}

const serviceAccount = `apiVersion: v1
kind: ServiceAccount
metadata:
  name: ${operator.serviceAccount}
  labels:
    app: ${operator.appLabel}
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
`;

function yaml(object: KubeObject): string {
  return dump(object, { noRefs: true, lineWidth: -1 });
}

function annotated(object: KubeObject, more: Readonly<Record<string, string>>): KubeObject {
  const { metadata } = object;
  return {
    ...object,
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...more } },
  };
}
