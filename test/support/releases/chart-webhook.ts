/** The chart's admission part: a Secret that is kept, and the configuration (domain facts 4.2, 4.4). */
import { defaultNames as names } from "../../../plugin/domain/names/names";

const { webhook, operator, labels } = names;

/** Both objects: the pair is looked up, and made where there is none. */
export function chartAdmission(): string {
  const plurals = [names.edb, names.eaadb, names.erc].map(({ plural }) => plural).join(", ");
  return `{{- $host := printf "${webhook.service}.%s" .Release.Namespace }}
{{- $found := lookup "v1" "Secret" .Release.Namespace "${webhook.secret}" }}
{{- $pair := dict }}
{{- if $found }}
{{- $_ := set $pair "cert" (index $found.data "${webhook.secretCert}") }}
{{- $_ := set $pair "key" (index $found.data "${webhook.secretKey}") }}
{{- else }}
{{- $svc := printf "%s.svc" $host }}
{{- $made := genSelfSignedCert $svc nil (list $host $svc (printf "%s.cluster.local" $svc)) 1825 }}
{{- $_ := set $pair "cert" ($made.Cert | b64enc) }}
{{- $_ := set $pair "key" ($made.Key | b64enc) }}
{{- end }}
apiVersion: v1
kind: Secret
metadata:
  name: ${webhook.secret}
  labels:
    app: ${operator.appLabel}
type: Opaque
data:
  ${webhook.secretCert}: {{ $pair.cert }}
  ${webhook.secretKey}: {{ $pair.key }}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata:
  name: ${webhook.configuration}{{ if .Values.admission.limitToNamespace }}-{{ .Release.Namespace }}{{ end }}
  labels:
    app: ${operator.appLabel}
webhooks:
  - name: ${webhook.entry}
    admissionReviewVersions: [v1beta1]
    clientConfig:
      service:
        name: ${webhook.service}
        namespace: {{ .Release.Namespace }}
        path: ${webhook.path}
      {{- if .Values.admission.setCABundle }}
      caBundle: {{ $pair.cert }}
      {{- end }}
    failurePolicy: Fail
    matchPolicy: Exact
    sideEffects: None
    timeoutSeconds: 30
    {{- if .Values.admission.limitToNamespace }}
    namespaceSelector:
      matchLabels:
        ${labels.admissionEnable}: {{ .Release.Namespace }}
    {{- end }}
    rules:
      - apiGroups: [${names.group}]
        apiVersions: [${names.version}]
        operations: [CREATE, UPDATE]
        resources: [${plurals}]
`;
}
