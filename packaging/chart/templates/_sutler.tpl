{{- define "sutler.name" -}}
{{- if contains "sutler" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-sutler" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "sutler.selector" -}}
app.kubernetes.io/name: sutler
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sutler.labels" -}}
{{ include "sutler.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "sutler.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default (printf "%s-slim" .Chart.AppVersion) }}
{{- end }}

{{/* Files of one pod are not seen by the others. */}}
{{- define "sutler.checked" -}}
{{- if not .Values.existingSecret }}
{{- fail "existingSecret must name a secret with DATABASE_URL and SUTLER_SECRET" }}
{{- end }}
{{- $most := ternary .Values.autoscaling.maxReplicas .Values.replicas .Values.autoscaling.enabled | int }}
{{- if and (gt $most 1) (not .Values.files.existingClaim) (not .Values.settings.SUTLER_S3_BUCKET) }}
{{- fail "more than one replica needs shared files: set settings.SUTLER_S3_BUCKET, or files.existingClaim to a claim with ReadWriteMany" }}
{{- end }}
{{- end }}

{{/* Secrets come as files: an environment is shown to everyone who may describe the pod. */}}
{{- define "sutler.env" -}}
{{- range .Values.secretSettings }}
- { name: {{ . }}_FILE, value: /run/secrets/sutler/{{ . }} }
{{- end }}
{{- range $name, $value := .Values.settings }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- if .Values.files.existingClaim }}
- { name: SUTLER_FILES_DIR, value: /files }
{{- end }}
{{- end }}

{{- define "sutler.mounts" -}}
- { name: data, mountPath: /data }
- { name: tmp, mountPath: /tmp }
- { name: secret, mountPath: /run/secrets/sutler, readOnly: true }
{{- if .Values.files.existingClaim }}
- { name: files, mountPath: /files }
{{- end }}
{{- end }}

{{- define "sutler.volumes" -}}
- { name: data, emptyDir: {} }
- { name: tmp, emptyDir: {} }
- name: secret
  secret: { secretName: {{ .Values.existingSecret | quote }}, defaultMode: 0440 }
{{- if .Values.files.existingClaim }}
- name: files
  persistentVolumeClaim: { claimName: {{ .Values.files.existingClaim | quote }} }
{{- end }}
{{- end }}

{{- define "sutler.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "sutler.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
