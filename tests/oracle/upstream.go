// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	clientset "k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkplugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

// surroundings is what every framework needs of its process and no plugin that is compared
// looks into: one empty fake API server, its informers, the metrics recorder. Plugins that do
// read further kinds of objects get a client of their own case here.
type surroundings struct {
	ctx       context.Context
	client    clientset.Interface
	informers informers.SharedInformerFactory
	dra       fwk.SharedDRAManager
	recorder  *metrics.MetricAsyncRecorder
	registry  frameworkruntime.Registry
}

// process returns the surroundings, made once.
var process = sync.OnceValue(func() *surroundings {
	klog.SetLogger(klog.Logger{}) // Upstream's own chatter goes nowhere.
	ctx := context.Background()
	metrics.Register()
	client := fake.NewSimpleClientset()
	factory := informers.NewSharedInformerFactory(client, 0)
	logger := klog.FromContext(ctx)
	claims := assumecache.NewAssumeCache(logger, factory.Resource().V1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	slices, err := resourceslicetracker.StartTracker(ctx, resourceslicetracker.Options{
		SliceInformer: factory.Resource().V1().ResourceSlices(),
		KubeClient:    client,
	})
	if err != nil {
		panic(err)
	}
	s := &surroundings{
		ctx: ctx, client: client, informers: factory,
		dra:      dynamicresources.NewDRAManager(ctx, claims, slices, factory),
		recorder: metrics.NewMetricsAsyncRecorder(1000, time.Second, ctx.Done()),
		registry: frameworkplugins.NewInTreeRegistry(),
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	return s
})

// profile is one real framework, with its plugins within reach: the framework itself does not
// hand out raw scores.
type profile struct {
	name    string
	fw      framework.Framework
	plugins map[string]fwk.Plugin
	points  *config.Plugins // the expanded lists, in the order in which they run
}

// loadConfig reads a KubeSchedulerConfiguration as kube-scheduler does: strictly, with defaults
// and validation.
func loadConfig(text []byte) (*config.KubeSchedulerConfiguration, error) {
	object, _, err := scheme.Codecs.UniversalDecoder().Decode(text, nil, nil)
	if err != nil {
		return nil, err
	}
	cfg, ok := object.(*config.KubeSchedulerConfiguration)
	if !ok {
		return nil, fmt.Errorf("the configuration is a %T", object)
	}
	if err := validation.ValidateKubeSchedulerConfiguration(cfg); err != nil {
		return nil, err
	}
	return cfg, nil
}

// newProfile builds the framework of one profile over a snapshot.
func newProfile(cfg *config.KubeSchedulerProfile, snapshot *internalcache.Snapshot) (*profile, error) {
	p := process()
	result := &profile{name: cfg.SchedulerName, plugins: map[string]fwk.Plugin{}}
	registry := frameworkruntime.Registry{}
	for name, factory := range p.registry {
		registry[name] = func(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
			plugin, err := factory(ctx, args, handle)
			result.plugins[name] = plugin
			return plugin, err
		}
	}
	fw, err := frameworkruntime.NewFramework(p.ctx, registry, cfg,
		frameworkruntime.WithClientSet(p.client),
		frameworkruntime.WithInformerFactory(p.informers),
		frameworkruntime.WithSharedDRAManager(p.dra),
		frameworkruntime.WithSnapshotSharedLister(snapshot),
		frameworkruntime.WithPodNominator(noNominations{}),
		frameworkruntime.WithMetricsRecorder(p.recorder),
		frameworkruntime.WithParallelism(1),
	)
	if err != nil {
		return nil, err
	}
	result.fw = fw
	result.points = fw.ListPlugins()
	return result, nil
}

// noNominations is the nominator of a world in which nobody preempts.
type noNominations struct{}

func (noNominations) AddNominatedPod(klog.Logger, fwk.PodInfo, *fwk.NominatingInfo) {}
func (noNominations) DeleteNominatedPodIfExists(*v1.Pod)                            {}
func (noNominations) UpdateNominatedPod(klog.Logger, *v1.Pod, fwk.PodInfo)          {}
func (noNominations) NominatedPodsForNode(string) []fwk.PodInfo                     { return nil }
