{{/* SPDX-License-Identifier: Apache-2.0 */}}
{{/* berth.config: the KubeSchedulerConfiguration as JSON. What the values leave open about the lease is filled in, so that
     two releases do not take it from one another, and a second scheduler not from kube-scheduler. */}}
{{- define "berth.config" -}}
{{- $config := dict -}}
{{- if .Values.config -}}
{{- if .Values.profiles -}}{{- fail "values: config and profiles are both given; give one of them" -}}{{- end -}}
{{- $config = deepCopy .Values.config -}}
{{- else -}}
{{- $default := ternary "default-scheduler" (include "berth.fullname" .) (eq .Values.mode "replace") -}}
{{- $profiles := list -}}
{{- range default (list dict) .Values.profiles -}}
{{- $profile := dict "schedulerName" (default $default .schedulerName) -}}
{{- $enabled := list -}}
{{- $disabled := list -}}
{{- range $name, $weight := default dict .plugins -}}
{{- if kindIs "bool" $weight -}}
{{- if $weight -}}{{- $enabled = append $enabled (dict "name" $name) -}}
{{- else -}}{{- $disabled = append $disabled (dict "name" $name) -}}{{- end -}}
{{- else -}}
{{- $enabled = append $enabled (dict "name" $name "weight" (int64 $weight)) -}}
{{- end -}}
{{- end -}}
{{- $set := dict -}}
{{- if $disabled -}}{{- $_ := set $set "disabled" $disabled -}}{{- end -}}
{{- if $enabled -}}{{- $_ := set $set "enabled" $enabled -}}{{- end -}}
{{- if $set -}}{{- $_ := set $profile "plugins" (dict "multiPoint" $set) -}}{{- end -}}
{{- $args := list -}}
{{- range $name, $of := default dict .args -}}{{- $args = append $args (dict "name" $name "args" $of) -}}{{- end -}}
{{- if $args -}}{{- $_ := set $profile "pluginConfig" $args -}}{{- end -}}
{{- if .percentageOfNodesToScore -}}{{- $_ := set $profile "percentageOfNodesToScore" (int64 .percentageOfNodesToScore) -}}{{- end -}}
{{- $profiles = append $profiles $profile -}}
{{- end -}}
{{- $config = dict "apiVersion" "kubescheduler.config.k8s.io/v1" "kind" "KubeSchedulerConfiguration" "profiles" $profiles -}}
{{- end -}}
{{- $election := default dict $config.leaderElection -}}
{{- if not (hasKey $election "leaderElect") -}}{{- $_ := set $election "leaderElect" true -}}{{- end -}}
{{- if and $election.leaderElect (not (or $election.resourceName $election.lockObjectName)) -}}
{{- if eq .Values.mode "replace" -}}
{{- $_ := set $election "resourceName" "kube-scheduler" -}}
{{- $_ := set $election "resourceNamespace" "kube-system" -}}
{{- else -}}
{{- $_ := set $election "resourceName" (include "berth.fullname" .) -}}
{{- $_ := set $election "resourceNamespace" .Release.Namespace -}}
{{- end -}}
{{- end -}}
{{- $_ := set $config "leaderElection" $election -}}
{{- $config | toJson -}}
{{- end -}}

{{/* berth.lease: where it is, as JSON. */}}
{{- define "berth.lease" -}}
{{- $election := (include "berth.config" . | fromJson).leaderElection -}}
{{- dict "elect" $election.leaderElect "name" (coalesce $election.lockObjectName $election.resourceName "kube-scheduler")
      "namespace" (coalesce $election.lockObjectNamespace $election.resourceNamespace "kube-system") | toJson -}}
{{- end -}}
