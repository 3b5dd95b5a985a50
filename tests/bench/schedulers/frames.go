// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
)

// taker reads one event of a watch; the object is in protobuf, in its envelope.
type taker func(kind watch.EventType, object []byte) error

// watchFrames shows every event of a resource, from all that is there on, and decodes no object by itself.
func watchFrames(ctx context.Context, client rest.Interface, resource string, take taker) error {
	for ctx.Err() == nil {
		// Without a version it begins with all that is there. The API server hangs up on a watcher that is behind.
		stream, err := client.Get().Resource(resource).SetHeader("Accept", runtime.ContentTypeProtobuf+";stream=watch").
			VersionedParams(&metav1.ListOptions{Watch: true}, scheme.ParameterCodec).Stream(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		err = readFrames(stream, take)
		_ = stream.Close()
		if err != nil && ctx.Err() == nil {
			return fmt.Errorf("the watch of %s: %w", resource, err)
		}
	}
	return nil
}

// readFrames goes on until the stream ends: frames of a length, big endian, and a WatchEvent in protobuf.
func readFrames(stream io.Reader, take taker) error {
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
		if err := takeFrame(frame, take); err != nil {
			return err
		}
	}
}

func takeFrame(frame []byte, take taker) error {
	var event metav1.WatchEvent
	if err := event.Unmarshal(frame); err != nil {
		return err
	}
	kind := watch.EventType(event.Type)
	if kind != watch.Error {
		return take(kind, event.Object.Raw)
	}
	object, err := runtime.Decode(scheme.Codecs.UniversalDeserializer(), event.Object.Raw)
	if err != nil {
		return err
	}
	return apierrors.FromObject(object)
}

// decode reads an object in protobuf, in its envelope.
func decode(text []byte, object interface{ Unmarshal([]byte) error }) error {
	const magic = "k8s\x00"
	if len(text) < len(magic) || string(text[:len(magic)]) != magic {
		return errors.New("an object that is not in protobuf")
	}
	var envelope runtime.Unknown
	if err := envelope.Unmarshal(text[len(magic):]); err != nil {
		return err
	}
	return object.Unmarshal(envelope.Raw)
}
