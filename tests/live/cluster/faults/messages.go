// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// messages is how the events of a watch follow each other: each on a line in JSON, each after its length in protobuf.
type messages struct {
	next func(*bufio.Reader) ([]byte, error) // one event with what is around it; with an error, what there is of it
	gone []byte                              // an event by which a server says that it knows a version no more
}

func messagesOf(answer *http.Response) messages {
	if strings.HasPrefix(answer.Header.Get("Content-Type"), runtime.ContentTypeProtobuf) {
		return messages{frame, framed(goneInProtobuf())}
	}
	line := func(from *bufio.Reader) ([]byte, error) { return from.ReadBytes('\n') }
	return messages{line, fmt.Appendf(nil, "{\"type\":\"ERROR\",\"object\":%s}\n", status(http.StatusGone, "Expired"))}
}

func frame(from *bufio.Reader) ([]byte, error) {
	const head = 4
	event := make([]byte, head)
	if n, err := io.ReadFull(from, event); err != nil {
		return event[:n], err
	}
	event = append(event, make([]byte, binary.BigEndian.Uint32(event))...)
	n, err := io.ReadFull(from, event[head:])
	return event[:head+n], err
}

func framed(event []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(event))), event...)
}

func goneInProtobuf() []byte {
	said := metav1.Status{Status: metav1.StatusFailure, Message: "injected by the fault bench", Reason: metav1.StatusReasonExpired,
		Code: http.StatusGone}
	raw, err := said.Marshal()
	if err != nil {
		panic(err)
	}
	enveloped := runtime.Unknown{TypeMeta: runtime.TypeMeta{APIVersion: "v1", Kind: "Status"}, Raw: raw}
	if raw, err = enveloped.Marshal(); err != nil {
		panic(err)
	}
	event := metav1.WatchEvent{Type: "ERROR", Object: runtime.RawExtension{Raw: append([]byte("k8s\x00"), raw...)}}
	if raw, err = event.Marshal(); err != nil {
		panic(err)
	}
	return raw
}
