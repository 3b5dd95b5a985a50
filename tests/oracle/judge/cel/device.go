// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"strings"

	resourceapi "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	dracel "k8s.io/dynamic-resource-allocation/cel"
)

// named is an attribute or a capacity.
type named struct {
	kind  string // bool, int, string, version or capacity
	name  string // with or without domain
	value string
}

type device struct {
	driver string
	shared bool
	all    []named
}

func (d *device) String() string { return fmt.Sprintf("%s shared=%v %q", d.driver, d.shared, d.all) }

// line is the device for the program with Berth's code.
func (d *device) line() string {
	words := []string{"device", encoded(d.driver), encoded(fmt.Sprint(d.shared))}
	for _, each := range d.all {
		words = append(words, each.kind, encoded(each.name), encoded(each.value))
	}
	return strings.Join(words, " ") + "\n"
}

func (d *device) upstream() dracel.Device {
	result := dracel.Device{
		Driver:                   d.driver,
		AllowMultipleAllocations: &d.shared,
		Attributes:               map[resourceapi.QualifiedName]resourceapi.DeviceAttribute{},
		Capacity:                 map[resourceapi.QualifiedName]resourceapi.DeviceCapacity{},
	}
	for _, each := range d.all {
		value := each.value
		name := resourceapi.QualifiedName(each.name)
		switch each.kind {
		case "bool":
			truth := value == "true"
			result.Attributes[name] = resourceapi.DeviceAttribute{BoolValue: &truth}
		case "int":
			var integer int64
			_, _ = fmt.Sscan(value, &integer)
			result.Attributes[name] = resourceapi.DeviceAttribute{IntValue: &integer}
		case "string":
			result.Attributes[name] = resourceapi.DeviceAttribute{StringValue: &value}
		case "version":
			result.Attributes[name] = resourceapi.DeviceAttribute{VersionValue: &value}
		default:
			result.Capacity[name] = resourceapi.DeviceCapacity{Value: resource.MustParse(value)}
		}
	}
	return result
}

// domains are those of a device's attributes.
func (d *device) domains(capacity bool) []string {
	seen := map[string]bool{}
	var domains []string
	for _, each := range d.all {
		if (each.kind == "capacity") != capacity {
			continue
		}
		domain, _, found := strings.Cut(each.name, "/")
		if !found {
			domain = d.driver
		}
		if !seen[domain] {
			domains = append(domains, domain)
		}
		seen[domain] = true
	}
	return domains
}

func fixedDevices() []*device {
	return []*device{
		{driver: "gpu.example.com", all: []named{
			{"string", "model", "A100"}, {"int", "count", "4"}, {"bool", "ecc", "true"},
			{"version", "other.example.com/driver", "1.2.3-rc.1+build"}, {"capacity", "memory", "80Gi"},
		}},
		{driver: "empty.example.com", shared: true},
	}
}
