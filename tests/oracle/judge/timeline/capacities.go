// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"cmp"
	"slices"

	storage "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/labels"
	storagelisters "k8s.io/client-go/listers/storage/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/volumebinding"
)

// CapacitiesInOrder lets VolumeBinding look at capacities in the order of their names. The first that suffices counts; upstream has
// them in the order of a Go map.
func CapacitiesInOrder(plugin *volumebinding.VolumeBinding) {
	lister := field(plugin.Binder, "csiStorageCapacityLister").Addr().Interface().(*storagelisters.CSIStorageCapacityLister)
	*lister = inOrder{*lister}
}

type inOrder struct {
	storagelisters.CSIStorageCapacityLister
}

func (l inOrder) List(selector labels.Selector) ([]*storage.CSIStorageCapacity, error) {
	list, err := l.CSIStorageCapacityLister.List(selector)
	slices.SortFunc(list, func(a, b *storage.CSIStorageCapacity) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	return list, err
}
