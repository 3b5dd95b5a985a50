{{/* SPDX-License-Identifier: Apache-2.0 */}}
{{- define "berth.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "berth.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else if contains (include "berth.name" .) .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "berth.name" .) | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "berth.selector" -}}
app.kubernetes.io/name: {{ include "berth.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "berth.labels" -}}
{{ include "berth.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "berth.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "berth.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- define "berth.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{/* berth.pluginDir: where the files of a source are in the container. */}}
{{- define "berth.pluginDir" -}}
{{- $path := "" -}}
{{- if .source.image -}}{{- $path = ternary (default "/plugins" .source.image.path) "/lib" .volumes -}}
{{- else if .source.claim -}}{{- $path = default "" .source.claim.path -}}{{- end -}}
{{- printf "/plugins/%s/%s" .source.name $path | clean -}}
{{- end -}}

{{/* berth.memory: what a cluster of clusterSize takes at most, by the formula of docs/operate.md. */}}
{{- define "berth.memory" -}}
{{- $kib := add (mul 64 1024) (mul 32 (int64 .Values.clusterSize.nodes)) (mul 36 (int64 .Values.clusterSize.pods)) -}}
{{- printf "%dMi" (div (add $kib 1023) 1024) -}}
{{- end -}}
