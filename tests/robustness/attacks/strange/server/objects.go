// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// nested is so many lists around a value.
func nested(levels int, inside string) string {
	return strings.Repeat("[", levels) + inside + strings.Repeat("]", levels)
}

// values are JSON that Kubernetes takes and that is strange. Those of a claim are stored and sent as they are written; of a custom
// resource the API server sends what it has read.
func values(levels, bytes int) []string {
	var members, repeated []string
	for i := 0; i < bytes/20; i++ {
		members = append(members, fmt.Sprintf(`"key-%d":%d`, i, i))
		repeated = append(repeated, fmt.Sprintf(`"key-%d":%d`, i%7, i))
	}
	return []string{
		`{"a":1,"a":2}`, `{"a":{"x":1},"b":0,"a":{"y":2}}`, `{"a":[1],"a":null}`, `{"a":1,"A":2,"\u0061":3}`, `{"":1,"":2}`,
		`{` + strings.Join(repeated, ",") + `}`, `{"n":18446744073709551616}`, `{"n":-9223372036854775809}`, `{"n":1e20}`,
		`{"n":100000000000000000000}`, `{"n":1.7976931348623157e308}`, `{"n":5e-324,"z":1e-400,"m":-0,"d":-0.0}`,
		`{"n":9223372036854775807,"u":18446744073709551615,"f":9007199254740993}`, `{"n":1` + strings.Repeat("0", 300) + `}`,
		`{"n":0.` + strings.Repeat("1", 300) + `}`, `{"deep":` + nested(201, "1") + `}`, `{"deep":` + nested(1030, `{"a":1}`) + `}`,
		`{"deep":` + nested(levels, "") + `}`, "{\"s\":\"\xff\xfe\"}", "{\"\xff\":1,\"\xfe\":2}", "{\"s\":\"\xed\xa0\x80\xe2\x82\"}",
		`{"s":"\ud800"}`, `{"s":"\udc00\ud83d\u0061","t":"\ud83d\ude00"}`, `{"\ud800":1}`, `{"s":"a\u0000b\u001f"}`, "{\"s\":\"\x7f\u2028\ufeff\"}",
		`{"s":"` + strings.Repeat("x", bytes) + `"}`, `{"s":"` + strings.Repeat(`\u00e9`, bytes/6) + `"}`,
		`{"l":[` + strings.Repeat("0,", bytes/2) + `0]}`, `{` + strings.Join(members, ",") + `}`, `{"k` + strings.Repeat("k", bytes/2) + `":1}`,
		`{"o":{},"l":[],"n":null,"t":true}`, "{ \t\"a\" :\r\n[ 1 ,2 ] }",
	}
}

// A real API server takes no more of a claim's parameters than 10 KiB, and of any object than etcd stores in one.
const (
	claimLevels, claimBytes   = 4_900, 9_000
	oddityLevels, oddityBytes = 9_900, 1_000_000
)

func claim(name, parameters string) string {
	return `{"apiVersion":"resource.k8s.io/v1","kind":"ResourceClaim","metadata":{"name":"` + name + `","namespace":"strange"},"spec":{"devices":{` +
		`"requests":[{"name":"r","exactly":{"deviceClassName":"none.example.com"}}],"config":[{"opaque":{"driver":"none.example.com","parameters":` +
		parameters + `}}]}}}`
}

func oddity(name, value string) string {
	return `{"apiVersion":"example.com/v1","kind":"Oddity","metadata":{"name":"` + name + `","namespace":"strange"},"spec":` + value + `}`
}

// writeObjects writes 100 claims and 100 oddities, the first half into DIR/first, the others into DIR/later.
func writeObjects(dir string) error {
	const each = 100
	for _, kind := range []struct {
		name   string
		make   func(name, value string) string
		values []string
	}{{"claim", claim, values(claimLevels, claimBytes)}, {"oddity", oddity, values(oddityLevels, oddityBytes)}} {
		for i := 0; i < each; i++ {
			part := "first"
			if i >= each/2 {
				part = "later"
			}
			value := kind.values[i%len(kind.values)]
			if i >= len(kind.values) && len(value) > 100_000 {
				value = fmt.Sprintf(`{"n":%d%s}`, i, strings.Repeat("0", 30)) // one of each large one is enough
			}
			name := fmt.Sprintf("%s-%d", kind.name, i)
			file := filepath.Join(dir, part, name+".json")
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				return err
			}
			if err := os.WriteFile(file, []byte(kind.make(name, value)), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
