// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// field is one field of a message: what it is called in JSON and how its value looks in both.
type field struct {
	number   int
	name     string
	shape    string // an enumerator of decode's Shape
	form     string // of Form
	presence string // of Presence
	message  reflect.Type
}

// tables collects the messages that some kinds consist of, in the order in which they are met.
type tables struct {
	order  []reflect.Type
	fields map[reflect.Type][]field
}

var special = map[reflect.Type]string{
	reflect.TypeFor[resource.Quantity]():    "Quantity",
	reflect.TypeFor[metav1.Time]():          "Time",
	reflect.TypeFor[intstr.IntOrString]():   "IntOrString",
	reflect.TypeFor[metav1.FieldsV1]():      "Json",
	reflect.TypeFor[runtime.RawExtension](): "Json",
}

func (s *tables) add(t reflect.Type) error {
	if _, known := s.fields[t]; known {
		return nil
	}
	s.fields[t] = nil
	s.order = append(s.order, t)
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Type == reflect.TypeFor[metav1.TypeMeta]() {
			continue // stands in the envelope
		}
		one, err := s.field(f)
		if err != nil {
			return fmt.Errorf("%s.%s: %w", t, f.Name, err)
		}
		out = append(out, one)
	}
	slices.SortFunc(out, func(a, b field) int { return a.number - b.number })
	s.fields[t] = out
	return nil
}

func (s *tables) field(f reflect.StructField) (field, error) {
	tag := strings.Split(f.Tag.Get("protobuf"), ",")
	if len(tag) < 2 {
		return field{}, fmt.Errorf("has no number in protobuf")
	}
	number, err := strconv.Atoi(tag[1])
	if err != nil {
		return field{}, err
	}
	json := strings.Split(f.Tag.Get("json"), ",")
	out := field{number: number, name: json[0], form: "One", presence: "Always"}
	t := f.Type
	if t == reflect.TypeFor[[]metav1.ManagedFieldsEntry]() {
		out.shape, out.presence = "LeftOut", "IfSent"
		return out, nil
	}
	omitEmpty, ifSentOrNull := slices.Contains(json[1:], "omitempty"), "OrNull"
	if omitEmpty {
		ifSentOrNull = "IfSent"
	}
	switch {
	case t.Kind() == reflect.Pointer:
		t = t.Elem()
		out.presence = ifSentOrNull
	case t.Kind() == reflect.Map:
		if t.Key().Kind() != reflect.String {
			return out, fmt.Errorf("a map of %s", t.Key())
		}
		out.form, t, out.presence = "Map", t.Elem(), ifSentOrNull
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8:
		out.form, t, out.presence = "List", t.Elem(), ifSentOrNull
	case t.Kind() == reflect.Struct:
		if slices.Contains(json[1:], "inline") {
			out.form = "Inline"
		}
		if slices.Contains(json[1:], "omitzero") {
			out.presence = "IfNotZero"
		}
	case omitEmpty:
		out.presence = "IfNotZero"
	}
	if out.name == "" && out.form != "Inline" {
		return out, fmt.Errorf("has no name in JSON")
	}
	if shape, ok := special[t]; ok {
		out.shape = shape
		return out, nil
	}
	switch t.Kind() {
	case reflect.String:
		out.shape = "String"
	case reflect.Int32, reflect.Int64:
		out.shape = "Integer"
	case reflect.Bool:
		out.shape = "Boolean"
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return out, fmt.Errorf("a list of lists")
		}
		out.shape = "Bytes"
	case reflect.Struct:
		out.shape, out.message = "Message", t
		return out, s.add(t)
	default:
		return out, fmt.Errorf("of a type that is not known here: %s", t)
	}
	return out, nil
}

// writeSchema writes the tables of host/decode/protobuf_schema.cpp.
func writeSchema(to io.Writer) error {
	s := tables{fields: map[reflect.Type][]field{}}
	if err := s.add(reflect.TypeFor[metav1.ListMeta]()); err != nil {
		return err
	}
	if err := s.add(reflect.TypeFor[metav1.Status]()); err != nil {
		return err
	}
	for _, k := range kinds {
		if err := s.add(reflect.TypeOf(k.object).Elem()); err != nil {
			return err
		}
	}
	w := bufio.NewWriter(to)
	fmt.Fprint(w, `// SPDX-License-Identifier: Apache-2.0
// Written by tests/oracle/protobuf/run.sh --write from the types of Kubernetes; do not edit.
#include "decode/protobuf_schema.h"

namespace berth::decode::protobuf {
namespace {

using enum Shape;
using enum Form;
using enum Presence;

constexpr Field fields[] = {
`)
	index := map[reflect.Type]int{}
	for i, t := range s.order {
		index[t] = i
	}
	var ends []int
	n := 0
	for _, t := range s.order {
		fmt.Fprintf(w, "    // %s\n", t)
		for _, f := range s.fields[t] {
			message := 0
			if f.message != nil {
				message = index[f.message]
			}
			fmt.Fprintf(w, "    {%d, %s, %s, %s, %d, %q},\n", f.number, f.shape, f.form, f.presence, message, f.name)
			n++
		}
		ends = append(ends, n)
	}
	fmt.Fprint(w, "};\n\nconstexpr std::uint16_t ends[] = {")
	for i, end := range ends {
		if i%16 == 0 {
			fmt.Fprint(w, "\n    ")
		} else {
			fmt.Fprint(w, " ")
		}
		fmt.Fprintf(w, "%d,", end)
	}
	fmt.Fprint(w, "\n};\n\nconstexpr Kind kinds[] = {\n")
	fmt.Fprintf(w, "    {\"v1\", \"ListMeta\", %d},\n", index[reflect.TypeFor[metav1.ListMeta]()])
	fmt.Fprintf(w, "    {\"v1\", \"Status\", %d},\n", index[reflect.TypeFor[metav1.Status]()])
	for _, k := range kinds {
		fmt.Fprintf(w, "    {%q, %q, %d},\n", k.version.String(), k.kind(), index[reflect.TypeOf(k.object).Elem()])
	}
	fmt.Fprint(w, `};

}  // namespace

std::span<const Field> fields_of(std::uint16_t message) {
    const std::uint16_t begin = message == 0 ? 0 : ends[message - 1];
    return {fields + begin, fields + ends[message]};
}

const Kind *find_kind(std::string_view api_version, std::string_view kind) {
    for (const auto &one : kinds)
        if (one.name == kind && one.api_version == api_version) return &one;
    return nullptr;
}

}  // namespace berth::decode::protobuf
`)
	return w.Flush()
}
