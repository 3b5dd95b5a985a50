// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// operation is one step of a workload, with the meaning that it has in upstream's operations.go and executor.go.
type operation interface{}

type counted struct {
	Opcode     string `json:"opcode"`
	Count      int    `json:"count"`
	CountParam string `json:"countParam"`
}

type createNodes struct {
	counted
	NodeTemplatePath string `json:"nodeTemplatePath"`
	// At most one of the strategies.
	AllocatableStrategy *nodeAllocatable `json:"nodeAllocatableStrategy"`
	LabelStrategy       *nodeLabels      `json:"labelNodePrepareStrategy"`
	UniqueStrategy      *nodeLabels      `json:"uniqueNodeLabelStrategy"`
}

// nodeAllocatable gives each node more that is allocatable, and a CSINode with drivers.
type nodeAllocatable struct {
	NodeAllocatable    map[corev1.ResourceName]resource.Quantity `json:"nodeAllocatable"`
	CSINodeAllocatable map[string]*storagev1.VolumeNodeResources `json:"csiNodeAllocatable"` // by the name of the driver
	MigratedPlugins    []string                                  `json:"migratedPlugins"`
}

// nodeLabels gives each node one of the values in turn, or, without values, one of its own.
type nodeLabels struct {
	LabelKey    string   `json:"labelKey"`
	LabelValues []string `json:"labelValues"`
}

type createNamespaces struct {
	counted
	Prefix                string `json:"prefix"`
	NamespaceTemplatePath string `json:"namespaceTemplatePath"`
}

type createPods struct {
	counted
	CollectMetrics       bool   `json:"collectMetrics"`
	Namespace            string `json:"namespace"` // empty: one of its own
	PodTemplatePath      string `json:"podTemplatePath"`
	SkipWaitToCompletion bool   `json:"skipWaitToCompletion"`
	// For a duration, so many pods are created, bound and deleted, over and over.
	SteadyState      bool   `json:"steadyState"`
	SteadyStateParam string `json:"steadyStateParam"`
	Duration         string `json:"duration"`
	DurationParam    string `json:"durationParam"`
	length           time.Duration
	// Both or neither: each pod has a claim that is bound to a volume.
	VolumeTemplatePath string `json:"persistentVolumeTemplatePath"`
	ClaimTemplatePath  string `json:"persistentVolumeClaimTemplatePath"`
}

// createAny creates objects of any kind.
type createAny struct {
	counted             // one, if it says nothing
	Namespace    string `json:"namespace"` // empty for a kind that has no namespaces
	TemplatePath string `json:"templatePath"`
}

type createPodSets struct {
	counted
	NamespacePrefix string          `json:"namespacePrefix"`
	CreatePodsOp    json.RawMessage `json:"createPodsOp"`
	pods            createPods
}

type barrier struct {
	Opcode           string   `json:"opcode"`
	Namespaces       []string `json:"namespaces"` // empty: all with pods that nobody has waited for
	StageRequirement stage    `json:"stageRequirement"`
}

// stage is how far a pod has come.
type stage string

const (
	scheduled stage = "Scheduled" // bound; also what a barrier means that says none
	attempted stage = "Attempted" // bound, or with the condition PodScheduled that says why not
)

type sleep struct {
	Opcode        string `json:"opcode"`
	Duration      string `json:"duration"`
	DurationParam string `json:"durationParam"`
	length        time.Duration
}

// churn creates objects beside everything else until the workload ends; with mode recreate it deletes each again, Number
// rounds later.
type churn struct {
	Opcode               string   `json:"opcode"`
	Mode                 string   `json:"mode"`
	Number               int      `json:"number"` // with mode create the most rounds there are; 0 is no limit
	IntervalMilliseconds int64    `json:"intervalMilliseconds"`
	Namespace            string   `json:"namespace"` // empty: one of its own
	TemplatePaths        []string `json:"templatePaths"`
}

type deletePods struct {
	Opcode               string            `json:"opcode"`
	Namespace            string            `json:"namespace"`
	LabelSelector        map[string]string `json:"labelSelector"`
	SkipWaitToCompletion bool              `json:"skipWaitToCompletion"`
	DeletePodsPerSecond  int               `json:"deletePodsPerSecond"` // 0: all at once
}

type startMeasuring struct {
	Opcode     string   `json:"opcode"`
	Name       string   `json:"name"`
	Namespaces []string `json:"namespaces"`
}

type stopMeasuring struct {
	Opcode string `json:"opcode"`
}

// readOperation decodes one; paths become whole ones and parameters values.
func readOperation(text json.RawMessage, folder string, params map[string]any) (operation, error) {
	var head struct{ Opcode string }
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, err
	}
	op, err := decodeOperation(head.Opcode, text, folder, params)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", head.Opcode, err)
	}
	return op, nil
}

func decodeOperation(opcode string, text json.RawMessage, folder string, params map[string]any) (operation, error) {
	switch opcode {
	case "createNodes":
		var op createNodes
		err := errors.Join(strictly(text, &op), op.fill(params))
		if op.LabelStrategy != nil && len(op.LabelStrategy.LabelValues) == 0 {
			err = errors.Join(err, errors.New("labelNodePrepareStrategy.labelValues is missing"))
		}
		if op.AllocatableStrategy != nil && (op.LabelStrategy != nil || op.UniqueStrategy != nil) {
			err = errors.Join(err, errors.New("nodeAllocatableStrategy excludes the strategies of labels"))
		}
		op.NodeTemplatePath = within(folder, op.NodeTemplatePath)
		return op, err
	case "createNamespaces":
		var op createNamespaces
		err := errors.Join(strictly(text, &op), op.fill(params))
		op.NamespaceTemplatePath = within(folder, op.NamespaceTemplatePath)
		return op, err
	case "createPods":
		return decodePods(text, folder, params)
	case "createPodSets":
		var op createPodSets
		if err := errors.Join(strictly(text, &op), op.fill(params)); err != nil {
			return nil, err
		}
		var err error
		op.pods, err = decodePods(op.CreatePodsOp, folder, params)
		if err == nil && op.pods.CollectMetrics {
			err = errors.New("createPodsOp.collectMetrics is not understood here")
		}
		return op, err
	case "barrier":
		var op barrier
		err := strictly(text, &op)
		if err == nil && op.StageRequirement != "" && op.StageRequirement != scheduled && op.StageRequirement != attempted {
			err = fmt.Errorf("stageRequirement: %s is not understood here", op.StageRequirement)
		}
		return op, err
	case "createAny":
		op := createAny{counted: counted{Count: 1}}
		err := errors.Join(strictly(text, &op), op.fill(params))
		if op.TemplatePath == "" {
			err = errors.Join(err, errors.New("templatePath is missing"))
		}
		op.TemplatePath = within(folder, op.TemplatePath)
		return op, err
	case "sleep":
		var op sleep
		if err := strictly(text, &op); err != nil {
			return nil, err
		}
		var err error
		op.length, err = duration(op.Duration, op.DurationParam, params)
		return op, err
	case "createResourceDriver":
		return decodeDriver(text, params)
	case "allocResourceClaims":
		var op allocateClaims
		return op, strictly(text, &op)
	case "churn":
		return decodeChurn(text, folder)
	case "deletePods":
		var op deletePods
		err := strictly(text, &op)
		if err == nil && (op.Namespace == "" || op.DeletePodsPerSecond < 0) {
			err = errors.New("expected a namespace, and deletePodsPerSecond not below 0")
		}
		return op, err
	case "startCollectingMetrics":
		var op startMeasuring
		err := strictly(text, &op)
		if err == nil && len(op.Namespaces) == 0 {
			err = errors.New("namespaces is missing")
		}
		return op, err
	case "stopCollectingMetrics":
		var op stopMeasuring
		return op, strictly(text, &op)
	}
	return nil, errors.New("this opcode is not understood here")
}

func decodePods(text json.RawMessage, folder string, params map[string]any) (createPods, error) {
	var op createPods
	err := errors.Join(strictly(text, &op), op.fill(params))
	if op.CollectMetrics && op.SkipWaitToCompletion {
		err = errors.Join(err, errors.New("collectMetrics and skipWaitToCompletion exclude each other"))
	}
	if op.SteadyStateParam != "" {
		steady, given := params[strings.TrimPrefix(op.SteadyStateParam, "$")].(bool)
		if !given {
			err = errors.Join(err, fmt.Errorf("steadyStateParam: params has no %s that is true or false", op.SteadyStateParam))
		}
		op.SteadyState = steady
	}
	if err == nil && op.SteadyState {
		op.length, err = duration(op.Duration, op.DurationParam, params)
		if err != nil || op.length <= 0 || op.Count < 1 || op.SkipWaitToCompletion || op.VolumeTemplatePath != "" {
			err = errors.Join(err, errors.New("steadyState: expected a duration, and pods without volumes that are waited for"))
		}
	}
	if (op.VolumeTemplatePath == "") != (op.ClaimTemplatePath == "") {
		err = errors.Join(err, errors.New("persistentVolumeTemplatePath and persistentVolumeClaimTemplatePath need each other"))
	}
	op.PodTemplatePath = within(folder, op.PodTemplatePath)
	op.VolumeTemplatePath = within(folder, op.VolumeTemplatePath)
	op.ClaimTemplatePath = within(folder, op.ClaimTemplatePath)
	return op, err
}

func decodeChurn(text json.RawMessage, folder string) (churn, error) {
	var op churn
	err := strictly(text, &op)
	if err == nil && (op.Mode != "create" && op.Mode != "recreate" || op.Number < 0 || op.Mode == "recreate" && op.Number == 0) {
		err = errors.New("expected mode create, or mode recreate with a number")
	}
	if err == nil && len(op.TemplatePaths) == 0 {
		err = errors.New("templatePaths is missing")
	}
	if op.IntervalMilliseconds == 0 {
		op.IntervalMilliseconds = 500
	}
	for i, path := range op.TemplatePaths {
		op.TemplatePaths[i] = within(folder, path)
	}
	return op, err
}

// duration is the parameter's, if one is named.
func duration(value, param string, params map[string]any) (time.Duration, error) {
	if param != "" {
		value, _ = params[strings.TrimPrefix(param, "$")].(string)
	}
	return time.ParseDuration(value)
}

// fill puts the value of countParam in count's place.
func (c *counted) fill(params map[string]any) error {
	if c.CountParam != "" {
		value, given := params[strings.TrimPrefix(c.CountParam, "$")].(float64)
		if !given {
			return fmt.Errorf("countParam: params has no number %s", c.CountParam)
		}
		c.Count = int(value)
	}
	if c.Count < 0 {
		return fmt.Errorf("count: %d is negative", c.Count)
	}
	return nil
}

func within(folder, path string) string {
	if path == "" {
		return ""
	}
	return filepath.Join(folder, path)
}
