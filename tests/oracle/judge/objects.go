// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
)

// kindOf reads what an object says of its own kind.
func kindOf(text []byte) (schema.GroupVersionKind, error) {
	var head struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
	}
	err := json.Unmarshal(text, &head)
	return schema.FromAPIVersionAndKind(head.APIVersion, head.Kind), err
}

// loadObject reads an object that is neither Node nor Pod, with the defaults that the API server fills in. A kind that
// Kubernetes does not define gives nil: no plugin of upstream's looks at it.
func loadObject(text []byte) (runtime.Object, error) {
	kind, err := kindOf(text)
	if err != nil || !scheme.Scheme.Recognizes(kind) {
		return nil, err
	}
	object, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(text, nil, nil)
	if err != nil {
		return nil, err
	}
	legacyscheme.Scheme.Default(object)
	return object, nil
}

// strict decodes without mercy for unknown or doubled fields.
var strict = serializer.NewCodecFactory(legacyscheme.Scheme, serializer.EnableStrict).UniversalDeserializer()

// validators are the API server's own validations, by kind; a subject of the generator adds those of its kinds. The
// object given is the internal type.
var validators = map[string]func(internal runtime.Object) field.ErrorList{}

// admissibleObject tells whether the API server would admit an object that is neither Node nor Pod.
func admissibleObject(text []byte) bool {
	object, kind, err := strict.Decode(text, nil, nil)
	if err != nil {
		lastRefusal = err.Error()
		return false
	}
	legacyscheme.Scheme.Default(object)
	validate := validators[kind.Kind]
	if validate == nil {
		return true
	}
	internal, err := legacyscheme.Scheme.ConvertToVersion(object, schema.GroupVersion{Group: kind.Group, Version: runtime.APIVersionInternal})
	if err != nil {
		lastRefusal = err.Error()
		return false
	}
	errors := validate(internal)
	for _, e := range errors {
		lastRefusal = fmt.Sprintf("%s: %s", kind.Kind, e)
	}
	return len(errors) == 0
}
