#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# made-up-cluster.sh FORMAT NODES PODS [PADDING [PLACED]]: writes a made-up cluster, the same one in every format. FORMAT: yaml
# (documents), yaml-list, json-list. PADDING bytes of annotation on each pod; PLACED=1 gives every pod a node already.
# Every 5th pod wants one zone, every 50th more CPU than a node has.
set -euo pipefail
awk -v format="$1" -v nodes="$2" -v pods="$3" -v padding="${4:-0}" -v placed="${5:-0}" '
function json(text) { return (written++ ? ",\n" : "") text }
# line DEPTH TEXT: one line of block YAML, where a list item begins with "- " and goes on two columns further in.
function line(depth, text,    lead) {
  lead = format == "yaml-list" ? (first ? "- " : "  ") : ""
  first = 0
  printf "%s%*s%s\n", lead, depth * 2, "", text
}
function begin() { first = 1; if (format == "yaml" && written++) print "---" }
function node(i,    name, zone, gib) {
  name = sprintf("node-%05d", i); zone = "zone-" i % 3; gib = i % 4 ? 32 : 64
  if (format == "json-list") {
    printf "%s", json(sprintf("{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"%s\", \"labels\": " \
      "{\"kubernetes.io/hostname\": \"%s\", \"topology.kubernetes.io/zone\": \"%s\"}}, \"status\": {\"allocatable\": " \
      "{\"cpu\": \"16\", \"memory\": \"%dGi\", \"pods\": \"110\"}}}", name, name, zone, gib))
    return
  }
  begin(); line(0, "apiVersion: v1"); line(0, "kind: Node"); line(0, "metadata:"); line(1, "name: " name)
  line(1, "labels:"); line(2, "kubernetes.io/hostname: " name); line(2, "topology.kubernetes.io/zone: " zone)
  line(0, "status:"); line(1, "allocatable:"); line(2, "cpu: \"16\""); line(2, "memory: " gib "Gi")
  line(2, "pods: \"110\"")
}
function pod(i,    name, cpu, zone, home) {
  name = sprintf("pod-%06d", i); cpu = i % 50 ? (i % 4 + 1) * 100 "m" : "17"; zone = "zone-" i % 3
  home = sprintf("node-%05d", i % nodes)
  if (format == "json-list") {
    printf "%s", json(sprintf("{\"apiVersion\": \"v1\", \"kind\": \"Pod\", \"metadata\": {\"name\": \"%s\", \"namespace\": " \
      "\"default\", \"labels\": {\"app\": \"app-%d\"}, \"annotations\": {\"note\": \"%s\"}}, \"spec\": {%s%s\"containers\": " \
      "[{\"name\": \"main\", \"image\": \"registry.example/app-%d:1\", \"resources\": {\"requests\": {\"cpu\": \"%s\", " \
      "\"memory\": \"200Mi\"}}}]}}", name, i % 20, pad, placed ? "\"nodeName\": \"" home "\", " : "",
      i % 5 ? "" : "\"nodeSelector\": {\"topology.kubernetes.io/zone\": \"" zone "\"}, ", i % 20, cpu))
    return
  }
  begin(); line(0, "apiVersion: v1"); line(0, "kind: Pod"); line(0, "metadata:"); line(1, "name: " name)
  line(1, "namespace: default"); line(1, "labels:"); line(2, "app: app-" i % 20)
  line(1, "annotations:"); line(2, "note: \"" pad "\"")
  line(0, "spec:")
  if (placed) line(1, "nodeName: " home)
  if (i % 5 == 0) { line(1, "nodeSelector:"); line(2, "topology.kubernetes.io/zone: " zone) }
  line(1, "containers:"); line(1, "- name: main"); line(2, "image: registry.example/app-" i % 20 ":1")
  line(2, "resources:"); line(3, "requests:"); line(4, "cpu: \"" cpu "\""); line(4, "memory: 200Mi")
}
BEGIN {
  for (pad = "x"; length(pad) < padding; ) pad = pad pad
  pad = substr(pad, 1, padding)
  if (format == "json-list") print "{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": ["
  if (format == "yaml-list") { print "apiVersion: v1"; print "kind: List"; print "items:" }
  for (n = 0; n < nodes; ++n) node(n)
  for (n = 1; n <= pods; ++n) pod(n)
  if (format == "json-list") print "\n]}"
}'
