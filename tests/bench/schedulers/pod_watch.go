// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
)

// openPods shows each pod once, when it is open for a scheduler: neither bound nor gated nor being deleted. It reads no more of
// the watch than that takes: a pod that was shown is not decoded again.
func openPods(ctx context.Context, client kubernetes.Interface, show func(*corev1.Pod)) error {
	p := &podWatch{shown: map[types.UID]bool{}, show: show}
	for ctx.Err() == nil {
		// Without a version it begins with all that is there. The API server hangs up on a watcher that is behind.
		stream, err := client.CoreV1().RESTClient().Get().Resource("pods").SetHeader("Accept", runtime.ContentTypeProtobuf+";stream=watch").
			VersionedParams(&metav1.ListOptions{Watch: true}, scheme.ParameterCodec).Stream(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		err = p.read(stream)
		_ = stream.Close()
		if err != nil && ctx.Err() == nil {
			return err
		}
	}
	return nil
}

type podWatch struct {
	shown map[types.UID]bool
	gated int // pods that have come with gates, ever: where there are none, changes are of no interest
	show  func(*corev1.Pod)
}

// read goes on until the stream ends: frames of a length, big endian, and a WatchEvent in protobuf.
func (p *podWatch) read(stream io.Reader) error {
	in := bufio.NewReaderSize(stream, 64<<10)
	var frame []byte
	for {
		var length [4]byte
		if _, err := io.ReadFull(in, length[:]); err != nil {
			return nil // It ended, or broke off; either way it is opened again.
		}
		size := int(binary.BigEndian.Uint32(length[:]))
		if cap(frame) < size {
			frame = make([]byte, size)
		}
		frame = frame[:size]
		if _, err := io.ReadFull(in, frame); err != nil {
			return nil
		}
		if err := p.take(frame); err != nil {
			return err
		}
	}
}

func (p *podWatch) take(frame []byte) error {
	var event metav1.WatchEvent
	if err := event.Unmarshal(frame); err != nil {
		return fmt.Errorf("the watch of pods: %w", err)
	}
	switch kind := watch.EventType(event.Type); {
	case kind == watch.Error:
		object, err := runtime.Decode(scheme.Codecs.UniversalDeserializer(), event.Object.Raw)
		if err != nil {
			return err
		}
		return apierrors.FromObject(object)
	case kind != watch.Added && (kind != watch.Modified || p.gated == 0):
		return nil
	}
	pod, err := podOf(event.Object.Raw)
	if err != nil || p.shown[pod.UID] {
		return err
	}
	if len(pod.Spec.SchedulingGates) > 0 {
		p.gated++
		return nil
	}
	if pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil {
		p.shown[pod.UID] = true
		p.show(pod)
	}
	return nil
}

// podOf decodes a pod in protobuf, in its envelope.
func podOf(text []byte) (*corev1.Pod, error) {
	const magic = "k8s\x00"
	if len(text) < len(magic) || string(text[:len(magic)]) != magic {
		return nil, errors.New("the watch of pods: an object that is not in protobuf")
	}
	var envelope runtime.Unknown
	pod := &corev1.Pod{}
	err := envelope.Unmarshal(text[len(magic):])
	if err == nil {
		err = pod.Unmarshal(envelope.Raw)
	}
	if err != nil {
		return nil, fmt.Errorf("the watch of pods: %w", err)
	}
	return pod, nil
}
