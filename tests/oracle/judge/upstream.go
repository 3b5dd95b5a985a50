// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"berth/tests/oracle/judge/release"
	"berth/tests/oracle/judge/timeline"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkplugins "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// machinery is what frameworks need of their process and no plugin looks into.
type machinery struct {
	ctx      context.Context
	recorder *metrics.MetricAsyncRecorder
	registry frameworkruntime.Registry
}

// process returns the machinery, made once.
var process = sync.OnceValue(func() *machinery {
	klog.SetLogger(klog.Logger{}) // Upstream's own chatter goes nowhere.
	ctx := context.Background()
	metrics.Register()
	return &machinery{
		ctx:      ctx,
		recorder: metrics.NewMetricsAsyncRecorder(1000, time.Second, ctx.Done()),
		registry: frameworkplugins.NewInTreeRegistry(),
	}
})

// surroundings is what the frameworks of one cluster see of it beside the snapshot: a fake API server with the objects
// that are neither nodes nor pods, and informers over it. Pods and nodes are put into their informers by the world.
type surroundings struct {
	ctx       context.Context
	client    *fake.Clientset
	informers informers.SharedInformerFactory
	devices   *devices
	nominator *nominator
	extenders []fwk.Extender // in the order in which they are asked
	ledger    *ledger        // while PreBind plugins write
}

func newSurroundings(ctx context.Context, objects []runtime.Object) *surroundings {
	client := fake.NewSimpleClientset(objects...)
	factory := informers.NewSharedInformerFactory(client, 0)
	factory.Core().V1().Pods().Informer()
	factory.Core().V1().Nodes().Informer()
	s := &surroundings{
		ctx: ctx, client: client, informers: factory,
		devices:   newDevices(ctx, client, factory),
		nominator: newNominator(),
	}
	client.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		if s.ledger == nil {
			return false, nil, nil
		}
		return s.ledger.answer(action)
	})
	return s
}

// start lets the informers read their objects, once every plugin has asked for its own.
func (s *surroundings) start() {
	s.informers.Start(s.ctx.Done())
	for {
		// What the informers' own wait does, without its pause of a tenth of a second.
		expired, cancel := context.WithTimeout(s.ctx, 0)
		synced := true
		for _, done := range s.informers.WaitForCacheSync(expired.Done()) {
			synced = synced && done
		}
		cancel()
		if synced && s.devices.synced() {
			break
		}
		time.Sleep(time.Millisecond)
	}
}

// profile is one real framework, with its plugins within reach: the framework itself does not
// hand out raw scores.
type profile struct {
	name    string
	fw      framework.Framework
	plugins map[string]fwk.Plugin
	points  *config.Plugins // the expanded lists, in the order in which they run

	preemption *dryRun       // nil without DefaultPreemption
	binder     *volumeBinder // nil without VolumeBinding
	timeouts   timeouts
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
func newProfile(cfg *config.KubeSchedulerProfile, snapshot *internalcache.Snapshot, s *surroundings) (*profile, error) {
	p := process()
	result := &profile{name: cfg.SchedulerName, plugins: map[string]fwk.Plugin{}, timeouts: timeoutsOf(cfg)}
	registry := frameworkruntime.Registry{}
	for name, factory := range p.registry {
		registry[name] = func(ctx context.Context, args runtime.Object, handle fwk.Handle) (fwk.Plugin, error) {
			plugin, err := factory(ctx, args, handle)
			if volumes, ok := plugin.(*volumebinding.VolumeBinding); ok {
				timeline.CapacitiesInOrder(volumes)
				result.binder = &volumeBinder{SchedulerVolumeBinder: volumes.Binder}
				volumes.Binder = result.binder
			}
			result.plugins[name] = plugin
			if preempting, ok := plugin.(*defaultpreemption.DefaultPreemption); ok {
				result.preemption = watchPreemption(preempting)
			}
			return plugin, err
		}
	}
	options := append(release.WithSnapshot(snapshot),
		frameworkruntime.WithClientSet(s.client),
		frameworkruntime.WithInformerFactory(s.informers),
		frameworkruntime.WithSharedDRAManager(s.devices.manager),
		frameworkruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(s.informers.Storage().V1().CSINodes().Lister())),
		frameworkruntime.WithPodNominator(s.nominator),
		frameworkruntime.WithExtenders(s.extenders),
		frameworkruntime.WithPodActivator(nobody{}),
		frameworkruntime.WithWaitingPods(frameworkruntime.NewWaitingPodsMap()),
		frameworkruntime.WithPodsInPreBind(frameworkruntime.NewPodsInPreBindMap()),
		frameworkruntime.WithMetricsRecorder(p.recorder),
		frameworkruntime.WithEventRecorder(&events.FakeRecorder{}),
		frameworkruntime.WithParallelism(1),
	)
	fw, err := frameworkruntime.NewFramework(p.ctx, registry, cfg, options...)
	if err != nil {
		return nil, err
	}
	result.fw = fw
	result.points = fw.ListPlugins()
	for name, plugin := range result.plugins {
		timeline.DeviceScores(plugin, timeline.InPreScore(result.points, name))
	}
	return result, nil
}
