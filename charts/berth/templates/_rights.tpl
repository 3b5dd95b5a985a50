{{/* SPDX-License-Identifier: Apache-2.0 */}}
{{/* The least rights: those of the scheduler itself, also with feature gates, and those that the enabled plugins declare. files/rights.yaml is written
     by the program (tests/packaging/chart/rights.sh), for each plugin of the image and for the defaults of each version; the templates
     find out which plugins a configuration enables, by kube-scheduler's rules. */}}

{{/* berth.plugins: the names of the plugins that the configuration enables anywhere, as JSON: {NAME: true}. One of
     multiPoint counts even when each of its points is disabled, because it is made and watches all the same. */}}
{{- define "berth.plugins" -}}
{{- $data := .Files.Get "files/rights.yaml" | fromYaml -}}
{{- $config := include "berth.config" . | fromJson -}}
{{- $version := trimPrefix "kubescheduler.config.k8s.io/" (default "kubescheduler.config.k8s.io/v1" $config.apiVersion) -}}
{{- $defaults := get $data.defaults $version -}}
{{- if not $defaults -}}{{- fail (printf "values: config.apiVersion %s is not known" $config.apiVersion) -}}{{- end -}}
{{- $profiles := default (list (dict "plugins" $config.plugins)) $config.profiles -}}
{{- $all := dict -}}
{{- range $profiles -}}
{{- $points := default dict .plugins -}}
{{- range $point := $data.points -}}
{{- $set := default dict (get $points $point) -}}
{{- $without := dict -}}
{{- range default list $set.disabled -}}{{- $_ := set $without .name true -}}{{- end -}}
{{- range default list (get $defaults $point) -}}
{{- if not (or (hasKey $without .) (hasKey $without "*")) -}}{{- $_ := set $all . true -}}{{- end -}}
{{- end -}}
{{- range default list $set.enabled -}}{{- $_ := set $all .name true -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $all | toJson -}}
{{- end -}}

{{/* berth.rules: a list of rules, as YAML: those of the cluster, each resource once, in order. */}}
{{- define "berth.rules" -}}
{{- $data := .Files.Get "files/rights.yaml" | fromYaml -}}
{{- $rules := concat $data.cluster .Values.rbac.rules -}}
{{- range .Values.pluginSources -}}{{- $rules = concat $rules (default list .rules) -}}{{- end -}}
{{- $release := default $data.release (regexFind "1\\.[0-9]+" .Values.kubernetesVersion) -}}
{{- range $gate, $of := get $data.gates $release -}}
{{- if include "berth.gate" (list $.Values.featureGates $gate $of) -}}{{- $rules = concat $rules (default list $of.cluster) -}}{{- end -}}
{{- end -}}
{{- $aliases := .Values.pluginAliases -}}
{{- range $name, $_ := include "berth.plugins" . | fromJson -}}
{{- $real := $name -}}
{{- with get $aliases $name -}}
{{- $file := regexReplaceAll "[@#].*$" . "" -}}
{{- $real = default (get $data.files $file) (regexReplaceAll "@.*$" (trimPrefix $file .) "" | trimPrefix "#") -}}
{{- end -}}
{{- $rules = concat $rules (default list (get $data.plugins $real)) -}}
{{- range $gate, $of := get $data.gates $release -}}
{{- if include "berth.gate" (list $.Values.featureGates $gate $of) -}}
{{- $rules = concat $rules (default list (get (default dict $of.plugins) $real)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- include "berth.merged" $rules -}}
{{- end -}}

{{/* berth.gate: given the values' featureGates, the name of a gate and its entry in files/rights.yaml: "on" or nothing. */}}
{{- define "berth.gate" -}}
{{- $given := index . 0 -}}
{{- $gate := index . 2 -}}
{{- $on := $gate.default -}}
{{- range $name := list (printf "All%s" (title (lower $gate.stage))) (index . 1) -}}
{{- if hasKey $given $name -}}{{- $on = get $given $name -}}{{- end -}}
{{- end -}}
{{- if $on -}}on{{- end -}}
{{- end -}}

{{/* berth.merged: rules with each group, resource and name once, sorted as berth config rbac sorts them. */}}
{{- define "berth.merged" -}}
{{- $verbs := dict -}}
{{- range . -}}
{{- $rule := . -}}
{{- range $group := $rule.apiGroups -}}
{{- range $resource := $rule.resources -}}
{{- range $name := default (list "") $rule.resourceNames -}}
{{- $key := printf "%s %s %s" $group $resource $name -}}
{{- $_ := set $verbs $key (concat (default list (get $verbs $key)) $rule.verbs) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $key := keys $verbs | sortAlpha -}}
{{- $words := splitList " " $key }}
- apiGroups:
  - {{ index $words 0 | quote }}
  resources:
  - {{ index $words 1 }}
{{- with index $words 2 }}
  resourceNames:
  - {{ . }}
{{- end }}
  verbs:
{{- range get $verbs $key | uniq | sortAlpha }}
  - {{ . | quote }}
{{- end }}
{{- end -}}
{{- end -}}
