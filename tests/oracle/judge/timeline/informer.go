// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"context"
	"time"

	"k8s.io/client-go/tools/cache"
)

// informer is a SharedIndexInformer without goroutines: it tells of a change when it is given one, and has told every handler
// when that call returns. What it holds is changed first, as in the real one.
type informer struct {
	store    cache.Indexer
	handlers []cache.ResourceEventHandler
}

func newInformer() *informer {
	return &informer{store: cache.NewIndexer(cache.MetaNamespaceKeyFunc,
		cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc})}
}

// take brings a change into force; before is nil for a new object, after for one that is gone.
func (i *informer) take(before, after any) {
	var err error
	switch {
	case after == nil:
		err = i.store.Delete(before)
	case before == nil:
		err = i.store.Add(after)
	default:
		err = i.store.Update(after)
	}
	if err != nil {
		panic(err)
	}
	for _, h := range i.handlers {
		switch {
		case after == nil:
			h.OnDelete(before)
		case before == nil:
			h.OnAdd(after, false)
		default:
			h.OnUpdate(before, after)
		}
	}
}

func (i *informer) AddEventHandler(told cache.ResourceEventHandler) (cache.ResourceEventHandlerRegistration, error) {
	i.handlers = append(i.handlers, told)
	return synced{}, nil
}

func (i *informer) AddEventHandlerWithResyncPeriod(handler cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(handler)
}

func (i *informer) AddEventHandlerWithOptions(handler cache.ResourceEventHandler, _ cache.HandlerOptions) (cache.ResourceEventHandlerRegistration, error) {
	return i.AddEventHandler(handler)
}

func (i *informer) RemoveEventHandler(cache.ResourceEventHandlerRegistration) error { return nil }
func (i *informer) GetStore() cache.Store                                           { return i.store }
func (i *informer) GetIndexer() cache.Indexer                                       { return i.store }
func (i *informer) AddIndexers(indexers cache.Indexers) error                       { return i.store.AddIndexers(indexers) }
func (i *informer) GetController() cache.Controller                                 { return nil }
func (i *informer) Run(<-chan struct{})                                             {}
func (i *informer) RunWithContext(context.Context)                                  {}
func (i *informer) HasSynced() bool                                                 { return true }
func (i *informer) HasSyncedChecker() cache.DoneChecker                             { return synced{} }
func (i *informer) LastSyncResourceVersion() string                                 { return "" }
func (i *informer) SetWatchErrorHandler(cache.WatchErrorHandler) error              { return nil }
func (i *informer) SetTransform(cache.TransformFunc) error                          { return nil }
func (i *informer) IsStopped() bool                                                 { return false }
func (i *informer) SetWatchErrorHandlerWithContext(cache.WatchErrorHandlerWithContext) error {
	return nil
}

// synced is a registration that has heard of everything.
type synced struct{}

var always = func() chan struct{} {
	closed := make(chan struct{})
	close(closed)
	return closed
}()

func (synced) HasSynced() bool                     { return true }
func (synced) HasSyncedChecker() cache.DoneChecker { return synced{} }
func (synced) Name() string                        { return "timeline" }
func (synced) Done() <-chan struct{}               { return always }
