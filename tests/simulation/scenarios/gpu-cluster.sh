#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# gpu-cluster.sh: writes the scenario gpu-cluster.yaml. 48 nodes have eight whole GPUs; 16 have eight GPUs that can be cut into
# parts, which share the compute and memory slices of their GPU.
set -euo pipefail

object() { printf '  - {apiVersion: %s, kind: %s, metadata: {name: %s}, %s}\n' "$@"; }
# numbered PREFIX FROM TO: names, separated by commas.
numbered() { seq -f "$1-%03g" -s ', ' "$2" "$3"; }
# slice NAME NODE POOL-SLICES KEY
slice() { object resource.k8s.io/v1 ResourceSlice "$1" "spec: {driver: gpu.example.com, nodeName: $2, pool: {name: $2, generation: 1, resourceSliceCount: $3}, $4}"; }
template() {
  object resource.k8s.io/v1 ResourceClaimTemplate "$1" "spec: {spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: $2, allocationMode: ExactCount, count: $3}}]}}}"
}
pod() { echo "$1- {apiVersion: v1, kind: Pod, metadata: {name: $2}, spec: {resourceClaims: [{name: gpu, resourceClaimTemplateName: $3}], containers: *main}}"; }
pods() { local n; for n in $(seq -f %03g "$3" "$4"); do pod "$1" "$2-$n" "$2"; done; }
# gpus FROM TO: the devices of those GPUs: the whole one, two halves and seven small parts of each.
gpus() {
  local gpu n part
  for gpu in $(seq "$1" "$2"); do
    part="consumesCounters: [{counterSet: gpu-$gpu, counters"
    echo "        - {name: gpu-$gpu, attributes: {type: {string: gpu}, productName: {string: P80}}, $part: {compute: {value: \"7\"}, memory: {value: \"8\"}}}]}"
    for n in 0 1; do
      echo "        - {name: gpu-$gpu-half-$n, attributes: {type: {string: part}, productName: {string: P80}, profile: {string: 3g}}, $part: {compute: {value: \"3\"}, memory: {value: \"4\"}}}]}"
    done
    for n in $(seq 0 6); do
      echo "        - {name: gpu-$gpu-small-$n, attributes: {type: {string: part}, productName: {string: P80}, profile: {string: 1g}}, $part: {compute: {value: \"1\"}, memory: {value: \"1\"}}}]}"
    done
  done
}

cat <<'END'
# SPDX-License-Identifier: Apache-2.0
# Written by gpu-cluster.sh.
apiVersion: berth/v1alpha1
kind: Scenario
metadata: {name: gpu-cluster}
description: >-
  64 nodes with eight GPUs each. Those of 48 are whole; those of 16 can be cut into parts that share the slices of their
  GPU. Training takes whole nodes, evaluation half of one; whole GPUs and pairs of halves take all that can be cut. What
  comes then waits, until a training pod and a pair end.
objects:
END
for n in $(seq -w 64); do
  object v1 Node "gpu-$n" "status: {capacity: $([ "$n" = 01 ] && echo '&r {cpu: "96", memory: 768Gi, pods: "110"}' || echo '*r'), allocatable: *r}"
done
cat <<'END'
  - {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: h100}, spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].productName == "H100"'}}]}}
  - {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: whole}, spec: {selectors: [{cel: {expression: 'device.driver == "gpu.example.com" && device.attributes["gpu.example.com"].productName == "P80" && device.attributes["gpu.example.com"].type == "gpu"'}}]}}
  - {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: half}, spec: {selectors: [{cel: {expression: 'device.attributes["gpu.example.com"].?profile.orValue("") == "3g"'}}]}}
  - {apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: small}, spec: {selectors: [{cel: {expression: 'device.attributes["gpu.example.com"].?profile.orValue("") == "1g"'}}]}}
  - apiVersion: resource.k8s.io/v1
    kind: ResourceSlice
    metadata: {name: gpu-01}
    spec:
      driver: gpu.example.com
      nodeName: gpu-01
      pool: {name: gpu-01, generation: 1, resourceSliceCount: 1}
      devices: &eight
END
for n in $(seq 0 7); do
  echo "        - {name: gpu-$n, attributes: $([ "$n" = 0 ] && echo '&h100 {type: {string: gpu}, productName: {string: H100}}' || echo '*h100'), capacity: {memory: {value: 80Gi}}}"
done
for n in $(seq -w 2 48); do slice "gpu-$n" "gpu-$n" 1 'devices: *eight'; done
cat <<'END'
  - apiVersion: resource.k8s.io/v1
    kind: ResourceSlice
    metadata: {name: gpu-49-counters}
    spec:
      driver: gpu.example.com
      nodeName: gpu-49
      pool: {name: gpu-49, generation: 1, resourceSliceCount: 3}
      sharedCounters: &counters
END
for n in $(seq 0 7); do echo "        - {name: gpu-$n, counters: {compute: {value: \"7\"}, memory: {value: \"8\"}}}"; done
for half in first:0:3 last:4:7; do
  IFS=: read -r name from to <<<"$half"
  cat <<END
  - apiVersion: resource.k8s.io/v1
    kind: ResourceSlice
    metadata: {name: gpu-49-$name}
    spec:
      driver: gpu.example.com
      nodeName: gpu-49
      pool: {name: gpu-49, generation: 1, resourceSliceCount: 3}
      devices: &$name
END
  gpus "$from" "$to"
done
for n in $(seq 50 64); do
  slice "gpu-$n-counters" "gpu-$n" 3 'sharedCounters: *counters'
  slice "gpu-$n-first" "gpu-$n" 3 'devices: *first'
  slice "gpu-$n-last" "gpu-$n" 3 'devices: *last'
done
template train h100 8
template evaluate h100 4
template whole whole 1
template pair half 2
template small small 1
echo '  - {apiVersion: v1, kind: Pod, metadata: {name: train-001}, spec: {resourceClaims: [{name: gpu, resourceClaimTemplateName: train}], containers: &main [{name: main, image: "example/main:1"}]}}'
pods '  ' train 2 46
pods '  ' whole 1 20
cat <<'END'
timeline:
  # Two nodes of eight are left, and 108 GPUs that can be cut in two.
  - at: 20s
    apply:
END
pods '      ' evaluate 1 4
pods '      ' pair 1 108
cat <<'END'
  - at: 60s
    apply:
END
pod '      ' train-047 train
pod '      ' pair-109 pair
cat <<END
  # A node of eight is free again, and two halves.
  - at: 70s
    delete: [{kind: Pod, name: train-001}, {kind: Pod, name: pair-001}]
  - at: 100s
    apply:
END
pod '      ' evaluate-005 evaluate
pod '      ' whole-021 whole
pod '      ' small-001 small
cat <<END
expect:
  - at: 19s
    placed: {$(numbered train 1 46 | sed 's/,/: null,/g'): null, $(numbered whole 1 20 | sed 's/,/: null,/g'): null}
  - at: 59s
    placed: {$(numbered evaluate 1 4 | sed 's/,/: null,/g'): null, $(numbered pair 1 108 | sed 's/,/: null,/g'): null}
  - at: 69s
    pending:
      train-047: &full "0/64 nodes are available: 64 cannot allocate all claims. still not schedulable, preemption: 0/64 nodes are available: 64 Preemption is not helpful for scheduling."
      pair-109: *full
  - placed: {train-047: null, pair-109: null}
    pending: {evaluate-005: *full, whole-021: *full, small-001: *full}
END
