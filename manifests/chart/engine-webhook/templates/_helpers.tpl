{{/* The product's names, with those that were given. */}}
{{- define "engine-webhook.names" -}}
{{ $given := fromYaml .Values.names }}{{ with $given.Error }}{{ fail (printf "names: %s" .) }}{{ end -}}
{{ mergeOverwrite (fromYaml (.Files.Get "files/names.yaml")) $given | toYaml }}
{{- end }}

{{- define "engine-webhook.name" -}}
{{ (include "engine-webhook.names" . | fromYaml).companion.deployment }}
{{- end }}

{{/* Which way the certificate comes: own, certManager or secret. */}}
{{- define "engine-webhook.certificate" -}}
{{ with .Values.certificate }}{{ ternary "certManager" (ternary "secret" "own" (hasKey .secret "name")) (hasKey .certManager "name") }}{{ end }}
{{- end }}

{{/* The head of an object: list ROOT VERSION KIND NAME [MORE LABELS]. */}}
{{- define "engine-webhook.object" }}
{{- $root := index . 0 }}{{ $kind := index . 2 }}{{ $name := include "engine-webhook.name" $root }}
---
apiVersion: {{ index . 1 }}
kind: {{ $kind }}
metadata:
  name: {{ index . 3 }}
  {{- if not (regexMatch "^(Cluster|Validating)" $kind) }}
  namespace: {{ $root.Release.Namespace }}
  {{- end }}
  labels:
    app.kubernetes.io/name: {{ hasSuffix "-renewal" (index . 3) | ternary (printf "%s-renewal" $name) $name }}
    app.kubernetes.io/instance: {{ $root.Release.Name }}
    app.kubernetes.io/managed-by: {{ $root.Release.Service }}
    app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
    helm.sh/chart: {{ $root.Chart.Name }}-{{ $root.Chart.Version }}
    {{- range $key, $value := first (slice . 4) }}
    {{ $key }}: {{ $value | quote }}
    {{- end }}
{{- end }}

{{/* A role's binding to an account: list ROOT KIND NAME ACCOUNT. */}}
{{- define "engine-webhook.binding" }}
{{- $root := index . 0 }}{{ $group := "rbac.authorization.k8s.io" }}
{{- include "engine-webhook.object" (list $root (printf "%s/v1" $group) (printf "%sBinding" (index . 1)) (index . 2)) }}
roleRef: { apiGroup: {{ $group }}, kind: {{ index . 1 }}, name: {{ index . 2 }} }
subjects:
  - { kind: ServiceAccount, name: {{ index . 3 }}, namespace: {{ $root.Release.Namespace }} }
{{- end }}

{{/* A pod template as far as both Deployments share it: list ROOT NAME. */}}
{{- define "engine-webhook.pod" }}
{{- $root := index . 0 }}{{ $name := index . 1 }}{{ $names := dict }}
{{- with $root.Values.names }}{{ $names = dict "checksum/names" (sha256sum .) }}{{ end }}
metadata:
  labels: {{- merge (dict "app.kubernetes.io/name" $name) $root.Values.podLabels | toYaml | nindent 4 }}
  annotations: {{- merge $names $root.Values.podAnnotations | toYaml | nindent 4 }}
spec:
  serviceAccountName: {{ $name }}
  automountServiceAccountToken: true
  enableServiceLinks: false
  # No user of its own: the image names one, and OpenShift gives each namespace users of its own.
  securityContext: { runAsNonRoot: true, seccompProfile: { type: RuntimeDefault } }
  {{- range $key := list "imagePullSecrets" "nodeSelector" "tolerations" "affinity" "priorityClassName" }}
  {{- with index $root.Values $key }}
  {{ $key }}: {{ toJson . }}
  {{- end }}
  {{- end }}
{{- end }}

{{/* What their containers share: list ROOT ENV, the variables by name. */}}
{{- define "engine-webhook.container" }}
{{- $root := index . 0 }}{{ $names := dict }}
{{- with $root.Values.names }}{{ $names = dict "ENGINE_NAMES" "/etc/names/names.yaml" }}{{ end }}
{{- with $root.Values.image }}
image: {{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $root.Chart.AppVersion }}{{ end }}
imagePullPolicy: {{ .pullPolicy }}
{{- end }}
env:
  {{- range $key, $value := merge $names (index . 1) }}
  - { name: {{ $key }}, value: {{ $value | quote }} }
  {{- end }}
securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: [ALL] } }
{{- end }}
