// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"

	v1 "k8s.io/api/core/v1"
	resource "k8s.io/api/resource/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// use is a device that some claim has already.
type use struct {
	Driver   string                                       `json:"driver"`
	Pool     string                                       `json:"pool"`
	Device   string                                       `json:"device"`
	ShareID  string                                       `json:"shareID,omitempty"`
	Consumed map[resource.QualifiedName]quantity.Quantity `json:"consumed,omitempty"`
}

// selected is what a selector says of a device.
type selected struct {
	Matches bool   `json:"matches,omitempty"`
	Fault   string `json:"fault,omitempty"`
}

// testCase is a cluster and the claims of one pod. The nodes are asked one after the other.
type testCase struct {
	Name    string                    `json:"name"`
	Nodes   []*v1.Node                `json:"nodes"`
	Slices  []*resource.ResourceSlice `json:"slices"`
	Classes []*resource.DeviceClass   `json:"classes"`
	Claims  []*resource.ResourceClaim `json:"claims"`
	Uses    []use                     `json:"uses"`
	// Selectors has the real answers, by expression, for each device: those of the first slice, then of the next.
	Selectors map[string][]selected `json:"selectors,omitempty"`
}

// answer is what an allocator says of one node.
type answer struct {
	Outcome     string `json:"outcome"` // found, none or error
	Text        string `json:"text,omitempty"`
	Allocations []any  `json:"allocations,omitempty"`
	Steps       int64  `json:"steps"`
}

var digits = regexp.MustCompile(`[0-9]+`)
var quoted = regexp.MustCompile(`(claim|class|request|pool|device|claim-)[ ]?[a-z./0-9-]+`)

// kind says what sort of answer it is, to count these.
func (a *answer) kind() string {
	return a.Outcome + " " + digits.ReplaceAllString(quoted.ReplaceAllString(a.Text, "$1 X"), "N")
}

// asRead has allocations as a reader of their JSON sees them, with how amounts are written. The id of a share is random.
func asRead(allocations []resource.AllocationResult) []any {
	for i := range allocations {
		for k := range allocations[i].Devices.Results {
			if r := &allocations[i].Devices.Results[k]; r.ShareID != nil {
				r.ShareID = ptr.To(types.UID("some"))
			}
		}
	}
	var read []any
	text, err := json.Marshal(allocations)
	if err == nil {
		err = json.Unmarshal(text, &read)
	}
	if err != nil {
		panic(err)
	}
	return read
}

// differs compares two answers.
func (a *answer) differs(b answer) string {
	if a.Outcome != b.Outcome || a.Text != b.Text {
		return fmt.Sprintf("upstream says %s %q, Berth %s %q", a.Outcome, a.Text, b.Outcome, b.Text)
	}
	if len(a.Allocations)+len(b.Allocations) > 0 && !reflect.DeepEqual(a.Allocations, b.Allocations) {
		want, _ := json.Marshal(a.Allocations)
		got, _ := json.Marshal(b.Allocations)
		return fmt.Sprintf("upstream allocates %s, Berth %s", want, got)
	}
	if a.Outcome != "error" && a.Steps != b.Steps {
		return fmt.Sprintf("upstream takes %d steps, Berth %d", a.Steps, b.Steps)
	}
	return ""
}
