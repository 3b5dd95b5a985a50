// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"reflect"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/randfill"
)

var (
	inProtobuf = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	raw        = protobuf.NewRawSerializer(scheme.Scheme, scheme.Scheme)
	inJSON     = kjson.NewSerializerWithOptions(kjson.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, kjson.SerializerOptions{})
)

func filler(seed int64) *randfill.Filler {
	quantities := []string{"0", "1", "100m", "1500m", "4Gi", "1e3", "12345678901234", "0.5", "9223372036854775807", "1.5Gi", "-1", "3u"}
	return randfill.NewWithSeed(seed).NilChance(.4).NumElements(0, 3).Funcs(
		func(q *resource.Quantity, c randfill.Continue) {
			*q = resource.MustParse(quantities[c.Intn(len(quantities))])
		},
		func(t *metav1.Time, c randfill.Continue) {
			if c.Intn(4) > 0 {
				t.Time = time.Unix(c.Int63n(253402300800)-1, 0) // up to the year 9999, and just before 1970
			}
		},
		func(s *string, c randfill.Continue) {
			*s = c.String(12)
			if c.Intn(50) == 0 {
				*s += "\xff\xfe" + *s + "\xe2\x82" // whoever writes protobuf may write what is no UTF-8
			}
		},
		func(m *[]metav1.ManagedFieldsEntry, c randfill.Continue) {}, // templates have none; object() gives them to an object
		func(v *intstr.IntOrString, c randfill.Continue) {
			if c.Bool() {
				*v = intstr.FromInt32(int32(c.Uint32()))
			} else {
				*v = intstr.FromString(c.String(8))
			}
		},
		func(r *runtime.RawExtension, c randfill.Continue) {
			texts := []string{`{"a":[1,2.5,{"b":null}]}`, `"text"`, `[]`, `{}`}
			r.Raw = []byte(texts[c.Intn(len(texts))])
		},
	)
}

// object is a random one as a server has it, which read it from protobuf.
func object(k kind, from *randfill.Filler) (runtime.Object, error) {
	empty := reflect.New(reflect.TypeOf(k.object).Elem()).Interface().(runtime.Object)
	from.Fill(empty)
	// The random type is none of Kubernetes.
	empty.GetObjectKind().SetGroupVersionKind(k.version.WithKind(k.kind()))
	accessor, err := meta.Accessor(empty)
	if err != nil {
		return nil, err
	}
	accessor.SetResourceVersion("7")
	accessor.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "somebody", FieldsV1: &metav1.FieldsV1{Raw: []byte("{}")}}})
	var written bytes.Buffer
	if err := inProtobuf.Encode(empty, &written); err != nil {
		return nil, err
	}
	out, _, err := inProtobuf.Decode(written.Bytes(), nil, nil)
	if err == nil {
		out.GetObjectKind().SetGroupVersionKind(k.version.WithKind(k.kind()))
	}
	return out, err
}

type pair struct{ protobuf, json []byte }

// event is a watch's news of the object: the bytes of a frame and those of a line.
func event(o runtime.Object) (pair, error) {
	var inner, inner2, frame bytes.Buffer
	if err := inProtobuf.Encode(o, &inner); err != nil {
		return pair{}, err
	}
	if err := raw.Encode(&metav1.WatchEvent{Type: string(watch.Modified), Object: runtime.RawExtension{Raw: inner.Bytes()}}, &frame); err != nil {
		return pair{}, err
	}
	if err := inJSON.Encode(o, &inner2); err != nil {
		return pair{}, err
	}
	line, err := json.Marshal(&metav1.WatchEvent{Type: string(watch.Modified), Object: runtime.RawExtension{Raw: inner2.Bytes()}})
	return pair{frame.Bytes(), line}, err
}

func list(k kind, objects []runtime.Object) (pair, error) {
	of := k.version.WithKind(k.kind() + "List")
	out, err := scheme.Scheme.New(of)
	if err != nil {
		return pair{}, err
	}
	for _, o := range objects {
		o.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{}) // as the items of a list are
	}
	if err := meta.SetList(out, objects); err != nil {
		return pair{}, err
	}
	out.GetObjectKind().SetGroupVersionKind(of)
	accessor, err := meta.ListAccessor(out)
	if err != nil {
		return pair{}, err
	}
	accessor.SetResourceVersion("12")
	accessor.SetContinue("more")
	var a, b bytes.Buffer
	if err := inProtobuf.Encode(out, &a); err != nil {
		return pair{}, err
	}
	if err := inJSON.Encode(out, &b); err != nil {
		return pair{}, err
	}
	return pair{a.Bytes(), b.Bytes()}, nil
}

// writeObjects writes, for each kind, n events and one list of all objects: a letter for which (E or L), then twice the
// length as four bytes, the highest first, and so many bytes: in protobuf, and in JSON. Before that a line with the
// version and the name of the kind.
func writeObjects(to io.Writer, n int, seed int64) error {
	w := bufio.NewWriter(to)
	from := filler(seed)
	write := func(letter byte, p pair) {
		w.WriteByte(letter)
		for _, text := range [][]byte{p.protobuf, p.json} {
			binary.Write(w, binary.BigEndian, uint32(len(text)))
			w.Write(text)
		}
	}
	for _, k := range kinds {
		w.WriteString("K" + k.version.String() + " " + k.kind() + "\n")
		var objects []runtime.Object
		for range n {
			o, err := object(k, from)
			if err != nil {
				return err
			}
			p, err := event(o)
			if err != nil {
				return err
			}
			write('E', p)
			objects = append(objects, o)
		}
		p, err := list(k, objects)
		if err != nil {
			return err
		}
		write('L', p)
	}
	return w.Flush()
}
