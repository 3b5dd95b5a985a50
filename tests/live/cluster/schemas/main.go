// SPDX-License-Identifier: Apache-2.0

// Command schemas makes of Kubernetes' OpenAPI document a JSON schema for each kind, as kubeconform reads them, strict ones: a
// field that the API does not have is an error.
//
//	schemas SWAGGER DIR    writes DIR/KIND-GROUP-VERSION.json, in lower case; without the group for v1
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: schemas SWAGGER DIR")
		os.Exit(2)
	}
	if err := generate(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "schemas:", err)
		os.Exit(1)
	}
}

type object = map[string]any

func generate(swagger, dir string) error {
	text, err := os.ReadFile(swagger)
	if err != nil {
		return err
	}
	var document struct{ Definitions map[string]object }
	if err := errors.Join(json.Unmarshal(text, &document), os.MkdirAll(dir, 0o755)); err != nil {
		return err
	}
	definitions := document.Definitions
	for _, definition := range definitions {
		strict(definition)
	}
	// A quantity may be written as a number.
	definitions["io.k8s.apimachinery.pkg.api.resource.Quantity"] = object{"type": []string{"string", "number"}}
	for name, definition := range definitions {
		kinds, _ := definition["x-kubernetes-group-version-kind"].([]any)
		if len(kinds) != 1 { // Those of every group, such as DeleteOptions, are no objects.
			continue
		}
		kind := kinds[0].(object)
		schema, err := json.Marshal(object{
			"$schema": "http://json-schema.org/schema#", "$ref": "#/definitions/" + name, "definitions": reached(name, definitions),
		})
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, fileOf(kind)), schema, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// fileOf is how kubeconform names it: of the group only what stands before the first dot.
func fileOf(kind object) string {
	parts := []string{kind["kind"].(string)}
	if group, _, _ := strings.Cut(kind["group"].(string), "."); group != "" {
		parts = append(parts, group)
	}
	return strings.ToLower(strings.Join(append(parts, kind["version"].(string)), "-")) + ".json"
}

// strict closes every object that says what its fields are, here and below.
func strict(schema object) {
	properties, has := schema["properties"].(object)
	if _, open := schema["additionalProperties"]; has && !open {
		schema["additionalProperties"] = false
	}
	if schema["format"] == "int-or-string" {
		delete(schema, "format")
		schema["type"] = []string{"string", "integer"}
	}
	for _, property := range properties {
		strict(property.(object))
	}
	for _, part := range []string{"items", "additionalProperties"} {
		if inner, is := schema[part].(object); is {
			strict(inner)
		}
	}
}

const definition = "#/definitions/"

// reached are the definitions that one needs, with itself.
func reached(name string, all map[string]object) map[string]object {
	found := map[string]object{}
	var visit func(value any)
	add := func(name string) {
		if _, seen := found[name]; !seen {
			found[name] = all[name]
			visit(all[name])
		}
	}
	visit = func(value any) {
		switch value := value.(type) {
		case object:
			if reference, is := value["$ref"].(string); is {
				add(strings.TrimPrefix(reference, definition))
			}
			for _, inner := range value {
				visit(inner)
			}
		case []any:
			for _, inner := range value {
				visit(inner)
			}
		}
	}
	add(name)
	return found
}
