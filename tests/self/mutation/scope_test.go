// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const scoped = `#pragma once
namespace k {
struct Kept {
    bool first = true;  // field of Kept {
    int limit() const { return 1'000; }
};
class Plugin {
public:
    explicit Plugin(Host &host) : host_(host), all_(host.kind("a", "{")) { begin_ = 1; }
    template <class F>
    static bool each(Pod pod, Names names = {}, F visit = {}) {
        for (auto &one : names) {
            if (one.empty()) continue;  // in each
        }
        auto inner = [&](int a) {
            return a + 1;  // inner of each
        };
        visit(Thing{inner(2)}, {3, 4});
        return true;  // end of each
    }
    int last = 7;
};
inline std::string text(std::string_view of) {
    return of == "}" ? "" : "x";  // in text
}
}
`

func TestEachPlaceHasItsFunction(t *testing.T) {
	list := scopes(scoped)
	for place, want := range map[string]string{"first = true": "Kept", "1'000": "limit", "begin_ = 1": "Plugin", "host_(host)": "Plugin",
		"continue;  // in each": "each", "a + 1": "each", "{3, 4}": "each", "true;  // end": "each", "last = 7": "Plugin", `"x";`: "text"} {
		if got := scopeAt(list, strings.Index(scoped, place)); got != want {
			t.Errorf("%s is in %q, expected %q", place, got, want)
		}
	}
}

// TestMutantsHaveTheirPlaces makes sure that the sources are understood: hardly anything stands outside all functions.
func TestMutantsHaveTheirPlaces(t *testing.T) {
	sources, err := filepath.Glob("../../../plugins/kubernetes/*.h")
	if err != nil || len(sources) == 0 {
		t.Fatal(err)
	}
	all, outside := 0, 0
	for _, path := range sources {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mutants(string(text)) {
			all++
			if m.scope == "-" {
				outside++
				t.Logf("%s: %s", filepath.Base(path), m)
			}
		}
	}
	if outside*100 > all {
		t.Errorf("%d of %d mutants are in no function", outside, all)
	}
}
