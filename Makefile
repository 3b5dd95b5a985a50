# SPDX-License-Identifier: Apache-2.0
# The commands of this tree. CMakePresets.json has the builds for daily work: cmake --preset dev.
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help
.PHONY: help setup build run test soak shows abi oracle oracle-queue oracle-cel live faults fuzz systems chart image push packages dist quickstart bench cluster cluster-down format tidy clean

ISSUE ?= first-berth
N ?= 2000
SEED ?= 1
MINUTES ?= 5
SECONDS ?= 60
TARGETS ?=
W ?= SchedulingBasic/500Nodes
WORLD ?= live
IMAGE ?=
SCHEDULERS ?= kube-scheduler,berth,ceiling

help:
	@echo 'make build                   build the scheduler and its plugins and install them in out/'
	@echo 'make run                     build, then schedule a cluster of 1,523 production nodes from files'
	@echo 'make test                    every check of this tree; ends with "N passed, N failed"'
	@echo 'make soak                    make test, longer: the whole tree linted, many more random decisions, the image'
	@echo 'make shows ISSUE=speed [LONG=1]   what was promised, one line each (tests/acceptance)'
	@echo 'make abi                     what the ABI promises: headers, layout, types, symbols, hostile and golden libraries, languages'
	@echo 'make oracle N=2000 SEED=1    compare N random decisions with the real kube-scheduler; KUBERNETES=1.37 with that one'
	@echo 'make oracle-queue N=10000 SEED=7   play N random scripts on the real scheduling queue and on ours'
	@echo 'make oracle-cel N=100000 SEED=7   compare N random selectors of devices with Kubernetes'"'"' CEL'
	@echo 'make live                    berth on a real control plane; ends with "N passed, N failed"'
	@echo 'make faults MINUTES=5 SEED=1   berth behind a proxy that fails it at random; ends with "N pods, N violations"'
	@echo 'make fuzz SECONDS=60 [TARGETS=…]   libFuzzer on every input from outside; ends with "N passed, N failed"'
	@echo 'make systems                 the schedulers of configs/ simulated and on a real control plane, as their manifests say'
	@echo 'make chart                   the Helm chart: linted, rendered, refused, its rights compared; ends with "N passed, N failed"'
	@echo 'make image                   the image berth:VERSION and its SBOM, with Docker or, where there is none, with buildah'
	@echo 'make push IMAGE=REGISTRY/NAME:TAG   bring it to a registry'
	@echo 'make packages                Debian packages in build/packages: berth, berth-sdk, berth-plugins-kubernetes'
	@echo 'make dist                    the release archive of HEAD in build/dist, the same bytes each time'
	@echo 'make quickstart              the commands of docs/quick-start.md, live too; ends with "quick start: N s, N passed, N failed"'
	@echo 'make bench W=SchedulingBasic/500Nodes [WORLD=live|simulated]   measure Berth beside the real kube-scheduler'
	@echo 'make cluster                 start a real Kubernetes control plane on 127.0.0.1 to play with; make cluster-down'
	@echo 'make format | tidy | clean   format every source, wrap the pages | lint the changed ones | remove build/ and out/'

setup:
	@tools/setup.sh build

build: setup
	@[ -f build/release/build.ninja ] || cmake --preset release
	@cmake --build build/release --target product
	@cmake --install build/release >/dev/null

run: build
	@out/bin/berth simulate --config configs/openb.yaml tests/simulation/scenarios/openb

test:
	@tests/run.sh

soak:
	@tests/run.sh --soak

shows: build
	@LONG="$(LONG)" RECORD="$(RECORD)" tests/acceptance/show.sh "$(ISSUE)"

abi: build
	@tools/setup.sh test
	@tests/abi/promise/promise.sh

oracle: build
	@tools/setup.sh test
	@tests/oracle/decisions/run.sh $(N) $(SEED)

oracle-queue: build
	@tools/setup.sh test
	@tests/oracle/queue/run.sh $(N) $(SEED)

oracle-cel: build
	@tools/setup.sh test
	@tests/oracle/cel/run.sh $(N) $(SEED)

live: build
	@tests/live/end-to-end/run.sh

faults: build
	@tests/live/cluster/faults.sh $(MINUTES) $(SEED)

fuzz:
	@tools/setup.sh test
	@tests/robustness/fuzz/fuzz.sh $(SECONDS) $(TARGETS)

systems: build
	@RECORD="$(RECORD)" tests/acceptance/reference-systems.sh

chart: build
	@tests/packaging/chart/run.sh

image:
	@tests/packaging/image/image.sh build

push:
	@tests/packaging/image/image.sh push $(IMAGE)

packages: build
	@packages/packages.sh

dist:
	@packages/dist.sh

quickstart: build
	@tests/packaging/packages/quickstart.sh

bench: build
	@tests/bench/schedulers/bench.sh $(W) $(WORLD) $(SCHEDULERS)

cluster:
	@tests/live/cluster/cluster.sh up
	@tests/live/cluster/cluster.sh next

cluster-down:
	@tests/live/cluster/cluster.sh down

format:
	@tools/setup.sh test
	@tools/style.sh format

tidy: build
	@tools/setup.sh test
	@tools/style.sh tidy changed

clean:
	@rm -rf build out
