// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"testing"
)

func (t *tale) claim(uid, owner string, devices ...string) *tale {
	c := &claim{uid: uid, name: "default/" + uid, owner: owner, devices: devices}
	if owner != "" && len(devices) > 0 {
		c.users = []string{owner}
	}
	return t.tell(change{claim: c})
}
func (t *tale) claimGone(uid string) *tale {
	t.tell(change{claim: &claim{uid: uid}})
	t.changes[len(t.changes)-1].gone = true
	return t
}

func TestDevicesOnceAtATime(t *testing.T) {
	told := func() *tale { return new(tale).node("a", 1000).pod("p", "a", 100).pod("q", "a", 100) }
	told().claim("c", "p", "gpu.example.com/a/0").claim("c", "p", "gpu.example.com/a/0").claim("e", "q", "gpu.example.com/a/1").finds(t)
	told().claim("c", "p", "gpu.example.com/a/0").claim("e", "q", "gpu.example.com/a/0").
		finds(t, "device gpu.example.com/a/0 was given to claim default/e at version 5 while claim default/c has it")
	// Given back, by the claim or with it.
	told().claim("c", "p", "gpu.example.com/a/0").gone("p", "a", 100).claim("c", "").claim("e", "q", "gpu.example.com/a/0").finds(t)
	told().claim("c", "p", "gpu.example.com/a/0").gone("p", "a", 100).claimGone("c").claim("e", "q", "gpu.example.com/a/0").finds(t)
}

func TestClaimsThatStay(t *testing.T) {
	told := new(tale).node("a", 1000).pod("p", "a", 100).claim("c", "p", "gpu.example.com/a/0").gone("p", "a", 100)
	told.finds(t, "claim default/c is reserved for pod p, which is gone", "claim default/c is still there for a pod that is gone")
	told.claimGone("c").finds(t)
}

func TestDevicesOfTheNode(t *testing.T) {
	told := func(devices ...string) *tale { return new(tale).node("a", 1000).pod("p", "a", 200).claim("c", "p", devices...) }
	told("gpu.example.com/a/0", "gpu.example.com/a/1").finds(t)
	told("gpu.example.com/a/0").finds(t, "pod default/p on node a, of 2 units, has 1 devices by claim default/c")
	told("gpu.example.com/a/0", "gpu.example.com/b/1").finds(t, "has device gpu.example.com/b/1")
	told().finds(t, "has 0 devices", "is not among the users of claim default/c")
	told("gpu.example.com/a/0", "gpu.example.com/a/1").pod("q", "a", 100).finds(t, "pod default/q on node a, of 1 units, has 0 claims")
}

func TestClaimsAreRead(t *testing.T) {
	var one item
	err := json.Unmarshal([]byte(`{"metadata":{"namespace":"n","name":"c","uid":"u","ownerReferences":[{"uid":"p"}]},
		"status":{"reservedFor":[{"uid":"p"}],"allocation":{"devices":{"results":[{"driver":"d","pool":"a","device":"0"}]}}}}`), &one)
	c := one.change(claimKind, 3, false).claim
	if err != nil || c.uid != "u" || c.name != "n/c" || c.owner != "p" || len(c.users) != 1 || len(c.devices) != 1 || c.devices[0] != "d/a/0" {
		t.Errorf("%+v %v", c, err)
	}
}
