// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// createDriver publishes a ResourceSlice for each node whose name matches, with as many devices as a node may have claims.
type createDriver struct {
	Opcode                string `json:"opcode"`
	DriverName            string `json:"driverName"`
	Nodes                 string `json:"nodes"` // a pattern, of path.Match
	MaxClaimsPerNode      int    `json:"maxClaimsPerNode"`
	MaxClaimsPerNodeParam string `json:"maxClaimsPerNodeParam"`
}

// allocateClaims gives devices to claims that no pod uses.
type allocateClaims struct {
	Opcode    string `json:"opcode"`
	Namespace string `json:"namespace"` // empty: all
}

func decodeDriver(text json.RawMessage, params map[string]any) (createDriver, error) {
	var op createDriver
	if err := strictly(text, &op); err != nil {
		return op, err
	}
	if op.DriverName == "" || op.Nodes == "" {
		return op, errors.New("expected driverName and nodes")
	}
	if op.MaxClaimsPerNodeParam != "" {
		value, given := params[strings.TrimPrefix(op.MaxClaimsPerNodeParam, "$")].(float64)
		if !given {
			return op, fmt.Errorf("maxClaimsPerNodeParam: params has no number %s", op.MaxClaimsPerNodeParam)
		}
		op.MaxClaimsPerNode = int(value)
	}
	if _, err := path.Match(op.Nodes, ""); err != nil || op.MaxClaimsPerNode < 1 {
		return op, errors.New("expected a pattern of nodes, and at least one claim per node")
	}
	return op, nil
}

// makeSlices makes one for each of the nodes that the driver has.
func makeSlices(op createDriver, nodes []*corev1.Node) (made []*resourcev1.ResourceSlice) {
	for _, node := range nodes {
		if matches, _ := path.Match(op.Nodes, node.Name); matches {
			made = append(made, makeSlice(op, node.Name))
		}
	}
	return made
}

// makeSlice has the same devices as upstream's.
func makeSlice(op createDriver, node string) *resourcev1.ResourceSlice {
	slice := &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: node}, Spec: resourcev1.ResourceSliceSpec{
		Driver: op.DriverName, NodeName: &node, Pool: resourcev1.ResourcePool{Name: node, ResourceSliceCount: 1}}}
	for i := range op.MaxClaimsPerNode {
		slice.Spec.Devices = append(slice.Spec.Devices, resourcev1.Device{
			Name: fmt.Sprintf("instance-%d", i),
			Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
				"model":                {StringValue: ptr.To("A100")},
				"family":               {StringValue: ptr.To("GPU")},
				"driverVersion":        {VersionValue: ptr.To("1.2.3")},
				"dra.example.com/numa": {IntValue: ptr.To(int64(i))},
			},
			Capacity: map[resourcev1.QualifiedName]resourcev1.DeviceCapacity{"memory": {Value: resource.MustParse("1Gi")}},
		})
	}
	return slice
}
