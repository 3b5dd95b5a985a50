// SPDX-License-Identifier: Apache-2.0

// Gojson writes random strange JSON and what Kubernetes' decoder makes of it, for tests/oracle/json to compare with Berth's reader.
// `gojson items KIND` reads lists of objects as an API server answers them, one after the other, and writes of each object
// KIND, namespace/name and a digest of its spec, as tests/robustness/attacks/strange/plugin/reads_all.cpp does.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand"
	"os"
	"sort"
	"strconv"

	kjson "sigs.k8s.io/json"
)

// canonical appends a value in a form that two programs write alike only if they mean the same.
func canonical(out []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(out, 'n')
	case bool:
		return append(out, map[bool]byte{true: 't', false: 'f'}[v])
	case int64:
		return append(strconv.AppendInt(append(out, 'i'), v, 10), ';')
	case float64:
		return append(strconv.AppendUint(append(out, 'd'), math.Float64bits(v), 16), ';')
	case string:
		out = append(strconv.AppendInt(append(out, 's'), int64(len(v)), 10), ':')
		return append(out, v...)
	case []any:
		out = append(out, '[')
		for _, item := range v {
			out = canonical(out, item)
		}
		return append(out, ']')
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		out = append(out, '{')
		for _, key := range keys {
			out = canonical(canonical(out, key), v[key])
		}
		return append(out, '}')
	}
	panic(fmt.Sprintf("%T", v))
}

// Verdicts: what Go makes of a text.
const (
	read       = 'R' // the value that follows
	refused    = 'F' // nothing
	outOfRange = 'O' // nothing either, but only for a number that no double can hold: Berth holds it at a bound
)

func decode(text []byte) (byte, any) {
	var v any
	err := kjson.UnmarshalCaseSensitivePreserveInts(text, &v)
	var wrongType *json.UnmarshalTypeError
	switch {
	case err == nil:
		return read, v
	case errors.As(err, &wrongType):
		return outOfRange, nil
	}
	return refused, nil
}

type writer struct {
	*bufio.Writer
	n int
}

func (w *writer) bytes(b []byte) {
	var size [4]byte
	binary.BigEndian.PutUint32(size[:], uint32(len(b)))
	w.Write(size[:])
	w.Write(b)
}

// tell writes one text and what comes of it.
func (w *writer) tell(text []byte) any {
	verdict, v := decode(text)
	w.bytes(text)
	w.WriteByte(verdict)
	if verdict == read {
		w.bytes(canonical(nil, v))
	}
	w.n++
	return v
}

func items(kind string, in io.Reader, out io.Writer) error {
	lists := json.NewDecoder(in)
	for {
		var list struct{ Items []json.RawMessage }
		if err := lists.Decode(&list); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		for _, item := range list.Items {
			var object map[string]any
			if err := kjson.UnmarshalCaseSensitivePreserveInts(item, &object); err != nil {
				return err
			}
			metadata := object["metadata"].(map[string]any)
			digest := fnv.New64a()
			digest.Write(canonical(nil, object["spec"]))
			fmt.Fprintf(out, "%s %v/%v %016x\n", kind, metadata["namespace"], metadata["name"], digest.Sum64())
		}
	}
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "items" {
		if err := items(os.Args[2], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, "gojson:", err)
			os.Exit(2)
		}
		return
	}
	n := flag.Int("n", 20000, "number of random texts")
	seed := flag.Int64("seed", 1, "their seed")
	flag.Parse()
	out := writer{Writer: bufio.NewWriterSize(os.Stdout, 1<<20)}
	random := maker{rand.New(rand.NewSource(*seed))}
	for i := 0; i < *n; i++ {
		text := random.text(i)
		// As a server sends it on to those who watch.
		if v := out.tell(text); v != nil {
			if again, err := json.Marshal(v); err == nil {
				out.tell(again)
			}
		}
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "gojson:", err)
		os.Exit(2)
	}
}
