// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// anyKind is a client for objects that have no types here.
type anyKind struct {
	client *dynamic.DynamicClient
	mapper meta.RESTMapper
}

// anyKind asks the API server which kinds it has.
func (l *live) anyKind() (anyKind, error) {
	config := *l.config
	config.ContentType = "application/json" // There is no protobuf of objects without types.
	client, err := dynamic.NewForConfig(&config)
	if err != nil {
		return anyKind{}, err
	}
	groups, err := restmapper.GetAPIGroupResources(l.client.Discovery())
	return anyKind{client, restmapper.NewDiscoveryRESTMapper(groups)}, err
}

// of is where objects of this one's kind go: into the namespace, if the kind has namespaces.
func (a anyKind) of(object *unstructured.Unstructured, namespace string) (api dynamic.ResourceInterface, namespaced bool, err error) {
	kind := object.GroupVersionKind()
	mapping, err := a.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return nil, false, err
	}
	all := a.client.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		return all.Namespace(namespace), true, nil
	}
	return all, false, nil
}

func (l *live) addObjects(ctx context.Context, namespace string, objects []*unstructured.Unstructured) error {
	if len(objects) == 0 {
		return nil
	}
	all, err := l.anyKind()
	if err != nil {
		return err
	}
	api, namespaced, err := all.of(objects[0], namespace)
	if err != nil {
		return err
	}
	if namespaced != (namespace != "") {
		return fmt.Errorf("namespace %q is given, and that a %s is in a namespace is %t", namespace, objects[0].GetKind(), namespaced)
	}
	return inParallel(ctx, len(objects), func(i int) error {
		_, err := api.Create(ctx, objects[i], metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
		return err
	})
}

func (l *live) addCSINodes(ctx context.Context, nodes []*storagev1.CSINode) error {
	return inParallel(ctx, len(nodes), func(i int) error {
		return l.client.StorageV1().RESTClient().Post().Resource("csinodes").Body(nodes[i]).Do(ctx).Error()
	})
}

// addVolume writes each of the two and then its status, which an object does not have when it is created.
func (l *live) addVolume(ctx context.Context, v boundVolume) error {
	if err := l.post(ctx, "persistentvolumeclaims", v.claim.Namespace, v.claim); err != nil {
		return err
	}
	core := l.client.CoreV1().RESTClient()
	status := func(request *rest.Request, resource, name string) *rest.Request {
		return request.Resource(resource).Name(name).SubResource("status").VersionedParams(&metav1.UpdateOptions{}, scheme.ParameterCodec)
	}
	if err := status(core.Put().Namespace(v.claim.Namespace), "persistentvolumeclaims", v.claim.Name).Body(v.claim).Do(ctx).Error(); err != nil {
		return err
	}
	if err := l.post(ctx, "persistentvolumes", "", v.volume); err != nil {
		return err
	}
	return status(core.Put(), "persistentvolumes", v.volume.Name).Body(v.volume).Do(ctx).Error()
}
