/**
 * The chart's way to its definitions: a Job before install and upgrade that applies them where they
 * are newer. No Job runs without controllers: the operator at play does its work from the ConfigMap.
 */
import { defaultNames as names } from "../../../plugin/domain/names/names";

/** What the hook's objects are called. */
export const definitionsHook = `${names.operator.chart}-crds`;

/** The Job, the ConfigMap with the definitions (a key for each file), and what the Job may do. */
export function chartHooks(): string {
  return `${head("v1", "ServiceAccount", -10)}
---
${head("v1", "ConfigMap", -10)}
data:
  {{- range $path, $bytes := .Files.Glob "files/crds/*.yaml" }}
  {{ base $path }}: {{ $.Files.Get $path | toJson }}
  {{- end }}
---
${head("rbac.authorization.k8s.io/v1", "ClusterRole", -10)}
rules:
  - apiGroups: [apiextensions.k8s.io]
    resources: [customresourcedefinitions]
    verbs: [get, create, patch]
---
${head("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", -9)}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: ${scoped("ClusterRole")}
subjects:
  - kind: ServiceAccount
    name: ${definitionsHook}
    namespace: {{ .Release.Namespace }}
---
${head("batch/v1", "Job", -5)}
spec:
  backoffLimit: 3
  template:
    metadata:
      labels:
        app: ${names.operator.appLabel}
    spec:
      restartPolicy: Never
      serviceAccountName: ${definitionsHook}
      containers:
        - name: crds
          image: "{{ .Values.operator.image.repository }}:{{ .Values.operator.image.tag }}"
          args: [--crds=/crds, --only-newer]
          volumeMounts:
            - name: crds
              mountPath: /crds
      volumes:
        - name: crds
          configMap:
            name: ${definitionsHook}
`;
}

/** Cluster-scoped objects of two releases must not meet. */
function scoped(kind: string): string {
  return kind.startsWith("Cluster")
    ? `${definitionsHook}-{{ .Release.Namespace }}`
    : definitionsHook;
}

function head(apiVersion: string, kind: string, weight: number): string {
  return `apiVersion: ${apiVersion}
kind: ${kind}
metadata:
  name: ${scoped(kind)}
  labels:
    app: ${names.operator.appLabel}
  annotations:
    ${names.annotations.operatorVersion[0]}: {{ .Values.operator.image.tag | quote }}
    helm.sh/hook: pre-install,pre-upgrade
    helm.sh/hook-weight: "${weight}"
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded`;
}
