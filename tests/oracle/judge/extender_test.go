// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"net/url"
	"os"
	"testing"

	v1 "k8s.io/api/core/v1"
	extenderv1 "k8s.io/kube-scheduler/extender/v1"
	fwk "k8s.io/kube-scheduler/framework"
)

// moody is an extender that first says one thing, some times, and then lets every node through.
type moody struct {
	fwk.Extender
	says  error
	times int
}

func (e *moody) Filter(_ *v1.Pod, nodes []fwk.NodeInfo) ([]fwk.NodeInfo, extenderv1.FailedNodesMap, extenderv1.FailedNodesMap, error) {
	if e.times--; e.times >= 0 {
		return nil, nil, nil, e.says
	}
	return nodes, nil, nil, nil
}

// An extender that was not answered in time is asked again, one that failed is not.
func TestPatience(t *testing.T) {
	late := &url.Error{Op: "Post", URL: "http://extender.oracle/filter", Err: os.ErrDeadlineExceeded}
	for _, c := range []struct {
		says   error
		times  int
		passes bool
	}{{late, patience, true}, {late, patience + 1, false}, {errors.New("out to lunch"), 1, false}} {
		_, _, _, err := (&watchedExtender{Extender: &moody{says: c.says, times: c.times}}).Filter(nil, nil)
		if (err == nil) != c.passes {
			t.Errorf("%v, %d times: %v", c.says, c.times, err)
		}
	}
}
