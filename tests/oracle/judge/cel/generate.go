// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// kind is a static type: one of the words below, or list, optional and map (of strings to) with
// the type of what is within.
type kind struct {
	name   string
	within *kind
}

var (
	boolKind     = kind{name: "bool"}
	intKind      = kind{name: "int"}
	uintKind     = kind{name: "uint"}
	doubleKind   = kind{name: "double"}
	stringKind   = kind{name: "string"}
	bytesKind    = kind{name: "bytes"}
	quantityKind = kind{name: "quantity"}
	semverKind   = kind{name: "semver"}
	anyKind      = kind{name: "any"} // an attribute
	dynKind      = kind{name: "dyn"}
)

func listOf(k kind) kind     { return kind{"list", &k} }
func optionalOf(k kind) kind { return kind{"optional", &k} }
func mapOf(k kind) kind      { return kind{"map", &k} }

type variable struct {
	name string
	kind kind
}

// generator makes expressions of a wanted type, mostly, out of what the device has.
type generator struct {
	*rand.Rand
	now       *device
	variables []variable
	made      int
}

func newGenerator(seed uint64) *generator {
	return &generator{Rand: rand.New(rand.NewPCG(seed, 0xce1))}
}

func pick[T any](g *generator, of ...T) T { return of[g.IntN(len(of))] }

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

var drivers = []string{"gpu.example.com", "dra.example.com", "x.io"}
var ids = []string{"model", "memory", "version", "count", "ecc", "a", "b_1"}

func (g *generator) device() *device {
	d := &device{driver: pick(g, drivers...), shared: g.chance(50)}
	seen := map[string]bool{}
	for range g.IntN(9) {
		domain, id := d.driver, pick(g, ids...)
		name := id
		if g.chance(40) {
			domain = pick(g, drivers...)
			name = domain + "/" + id
		}
		each := named{pick(g, "bool", "int", "string", "string", "version", "capacity", "capacity"), name, ""}
		key := fmt.Sprint(each.kind == "capacity", domain, id)
		if seen[key] {
			continue
		}
		seen[key] = true
		switch each.kind {
		case "bool":
			each.value = pick(g, "true", "false")
		case "int":
			each.value = pick(g, "0", "1", "2", "-7", "80", "9223372036854775807", "-9223372036854775808")
		case "string":
			each.value = pick(g, strings_...)
		case "version":
			each.value = pick(g, "1.0.0", "1.2.3", "10.0.1-alpha.1", "1.2.3+build", "0.0.0", "1.2.3-rc.1+b.2")
		default:
			each.value = pick(g, quantities...)
		}
		d.all = append(d.all, each)
	}
	g.now = d
	return d
}

var strings_ = []string{"", "A100", "a", "b", "abc", "gpu", "NVIDIA-A100-40GB", "true", "12", "-3", "1.5", "ü€😀", "a,b,,c", " x\t", "1.2.3", "40Gi", "aAbB", "v2"}
var quantities = []string{"0", "1", "2", "40Gi", "80Gi", "1500m", "1k", "1e3", "-1", "100", "1Ki", "1024", "5M", "0.5", "1E", "0.001"}
var versions = []string{"1.2.3", "1.0.0", "2.0.0-alpha", "2.0.0-alpha.1", "10.20.30+meta", "v1.2", "1", "01.2.3", "1.2", "", "1.2.3-", "1.2.3-01", "x.1.2", "1.2.3+a..b", "99999999999999999999.0.0"}
var patterns = []string{"^A", "a+", "[a-c]", "", "100$", "(a|b)*c", "\\\\d+", ".", "^$", "[^a]", "a{1,2}", "\\\\bA", "(?i)gpu", "a*", "x?y"}
var wrongPatterns = []string{"[a", "(", "a)", "*", "a**", "a{2,1}", "\\\\", "(?P<n", "[b-a]", "a{1001}", "(?x)"}

// text is an expression, right or wrong.
func (g *generator) text() string {
	g.variables = nil
	want := boolKind
	switch {
	case g.chance(4):
		want = anyKind
	case g.chance(3):
		want = g.someKind(1)
	}
	text := g.expr(want, 2+g.IntN(3))
	if g.chance(12) {
		text = g.mutated(text)
	}
	return text
}

func (g *generator) someKind(depth int) kind {
	if depth > 0 && g.chance(35) {
		within := g.someKind(depth - 1)
		return pick(g, listOf(within), listOf(within), mapOf(within), optionalOf(within))
	}
	return pick(g, boolKind, intKind, intKind, uintKind, doubleKind, stringKind, stringKind, bytesKind, quantityKind, semverKind)
}

func (g *generator) name() string {
	g.made++
	return pick(g, "x", "y", "v", "x"+strconv.Itoa(g.made%5), "device", "a")
}

// with is what f makes with a variable in scope.
func (g *generator) with(name string, k kind, f func() string) string {
	g.variables = append(g.variables, variable{name, k})
	text := f()
	g.variables = g.variables[:len(g.variables)-1]
	return text
}

// ofVariable is a variable of that type, if there is one.
func (g *generator) ofVariable(k kind) (string, bool) {
	for _, i := range g.Perm(len(g.variables)) {
		v := g.variables[i]
		if !v.kind.equal(k) {
			continue
		}
		shadowed := false
		for _, later := range g.variables[i+1:] {
			shadowed = shadowed || later.name == v.name
		}
		if !shadowed {
			return v.name, true
		}
	}
	return "", false
}

func (k kind) equal(other kind) bool {
	if k.name != other.name || (k.within == nil) != (other.within == nil) {
		return false
	}
	return k.within == nil || k.within.equal(*other.within)
}

// expr is an expression of the type k, with about depth levels.
func (g *generator) expr(k kind, depth int) string {
	if text, found := g.ofVariable(k); found && g.chance(45) {
		return text
	}
	if g.chance(2) {
		// A wrong type, to see what is said of it.
		k = g.someKind(1)
	}
	if g.chance(3) && k.name != "any" && k.name != "dyn" {
		return "dyn(" + g.expr(g.someKind(0), depth-1) + ")"
	}
	if depth <= 0 {
		return g.leaf(k)
	}
	if g.chance(18) {
		return g.ofAnyType(k, depth-1)
	}
	switch k.name {
	case "bool":
		return g.boolean(depth - 1)
	case "int":
		return g.integer(depth - 1)
	case "uint":
		return g.natural(depth - 1)
	case "double":
		return g.real(depth - 1)
	case "string":
		return g.str(depth - 1)
	case "bytes":
		return g.bytes(depth - 1)
	case "list":
		return g.list(*k.within, depth-1)
	case "map":
		return g.mapping(*k.within, depth-1)
	case "optional":
		return g.optional(*k.within, depth-1)
	case "quantity":
		return g.quantity(depth - 1)
	case "semver":
		return g.version(depth - 1)
	case "any":
		return g.attribute(depth - 1)
	}
	return g.leaf(k)
}

func quote(text string) string {
	return strconv.Quote(text)
}

func (g *generator) leaf(k kind) string {
	switch k.name {
	case "bool":
		if g.chance(10) {
			return "device.allowMultipleAllocations"
		}
		return pick(g, "true", "false")
	case "int":
		return pick(g, "0", "1", "2", "3", "-1", "10", "80", "0x1F", "9223372036854775807", "-9223372036854775808", "1000000")
	case "uint":
		return pick(g, "0u", "1u", "2u", "7u", "18446744073709551615u", "0x10u")
	case "double":
		return pick(g, "0.0", "1.0", "-1.5", "2.5", "1e3", "1e-7", "1e300", ".5", "3.0", "123456789.5", "1e19")
	case "string":
		if g.chance(8) {
			return "device.driver"
		}
		if g.chance(8) {
			return pick(g, "r'a\\b'", "'''a'b'''", `"\u00fc\x41\101"`, `'a"b'`, `"\n"`, "'ü€😀'")
		}
		return quote(pick(g, strings_...))
	case "bytes":
		return pick(g, "b''", "b'abc'", `b'\xff'`, "b'ü'", "bytes('x')", `b"A100"`)
	case "list":
		if g.chance(12) {
			return "[]"
		}
		elements := make([]string, 1+g.IntN(4))
		for i := range elements {
			elements[i] = g.leaf(*k.within)
		}
		return "[" + strings.Join(elements, ", ") + "]"
	case "map":
		if g.chance(12) {
			return "{}"
		}
		return "{" + quote(pick(g, "a", "b", "model")) + ": " + g.leaf(*k.within) + "}"
	case "optional":
		if g.chance(40) {
			return "optional.none()"
		}
		return "optional.of(" + g.leaf(*k.within) + ")"
	case "quantity":
		if text, found := g.capacityOf(); found && g.chance(60) {
			return text
		}
		if g.chance(4) {
			return "quantity(" + quote(pick(g, "", "x", "1.2.3", "1Gx", "+", ".")) + ")"
		}
		return "quantity(" + quote(pick(g, quantities...)) + ")"
	case "semver":
		if g.chance(10) {
			return "semver(" + quote(pick(g, versions...)) + ", " + pick(g, "true", "false") + ")"
		}
		if g.chance(10) {
			return "semver(" + quote(pick(g, versions...)) + ")"
		}
		return "semver(" + quote(pick(g, versions[:5]...)) + ")"
	case "null":
		return "null"
	case "any":
		return g.attribute(0)
	}
	return g.leaf(g.someKind(0))
}

// capacityOf is a capacity that the device has.
func (g *generator) capacityOf() (string, bool) {
	for _, i := range g.Perm(len(g.now.all)) {
		each := g.now.all[i]
		if each.kind != "capacity" || g.hidden() {
			continue
		}
		domain, id, found := strings.Cut(each.name, "/")
		if !found {
			domain, id = g.now.driver, each.name
		}
		return "device.capacity[" + quote(domain) + "]." + id, true
	}
	return "", false
}

// hidden: a variable has the name device.
func (g *generator) hidden() bool {
	for _, each := range g.variables {
		if each.name == "device" {
			return true
		}
	}
	return false
}

// attribute is one, mostly one that the device has.
func (g *generator) attribute(depth int) string {
	domain, id := pick(g, drivers...), pick(g, ids...)
	if len(g.now.all) > 0 && g.chance(85) {
		each := pick(g, g.now.all...)
		var found bool
		if domain, id, found = strings.Cut(each.name, "/"); !found {
			domain, id = g.now.driver, each.name
		}
	}
	inner := "device.attributes[" + quote(domain) + "]"
	if depth > 0 && g.chance(10) {
		inner = "device.attributes[" + g.expr(stringKind, depth) + "]"
	}
	if g.chance(15) {
		return inner + "[" + quote(id) + "]"
	}
	return inner + "." + id
}

// ofAnyType is an expression whose form does not depend on its type.
func (g *generator) ofAnyType(k kind, depth int) string {
	switch g.IntN(11) {
	case 0:
		return "(" + g.expr(boolKind, depth) + " ? " + g.expr(k, depth) + " : " + g.expr(k, depth) + ")"
	case 1:
		name, value := g.name(), g.someKind(1)
		init := g.expr(value, depth)
		if init == "[]" || init == "{}" {
			// Upstream changes such a list in place.
			init = "dyn(" + init + ")"
		}
		return "cel.bind(" + name + ", " + init + ", " + g.with(name, value, func() string { return g.expr(k, depth) }) + ")"
	case 2:
		return g.expr(listOf(k), depth) + "[" + pick(g, "0", "1", "0", "-1", "0u", "0.0", g.expr(intKind, depth)) + "]"
	case 3:
		return g.expr(mapOf(k), depth) + pick(g, ".a", ".model", `["b"]`, "["+g.expr(stringKind, depth)+"]")
	case 4:
		return g.expr(optionalOf(k), depth) + ".orValue(" + g.expr(k, depth) + ")"
	case 5:
		return g.expr(optionalOf(k), depth) + ".value()"
	case 6:
		if k.name == "any" || k.name == "dyn" {
			return g.leaf(k)
		}
		return "dyn(" + g.expr(k, depth) + ")"
	case 7:
		switch k.name {
		case "bool", "int", "string", "semver":
			// An attribute may have the type.
			return g.attribute(depth)
		}
		return g.leaf(k)
	case 8:
		return "(" + g.expr(k, depth) + ")"
	case 9:
		switch k.name {
		case "int", "double", "bool", "string", "uint", "bytes":
			return g.expr(listOf(k), depth) + pick(g, ".min()", ".max()")
		}
		return g.expr(listOf(k), depth) + pick(g, ".first()", ".last()") + ".value()"
	}
	return g.leaf(k)
}

func (g *generator) boolean(depth int) string {
	e := func(k kind) string { return g.expr(k, depth) }
	comparison := func() string {
		k := pick(g, intKind, intKind, uintKind, doubleKind, stringKind, boolKind, bytesKind, anyKind)
		other := k
		if g.chance(15) {
			other = pick(g, intKind, uintKind, doubleKind)
		}
		return e(k) + " " + pick(g, "<", "<=", ">", ">=") + " " + e(other)
	}
	equality := func() string {
		k := g.someKind(2)
		if g.chance(30) {
			k = anyKind
		}
		other := k
		if g.chance(12) {
			other = pick(g, anyKind, g.someKind(1))
		}
		return e(k) + " " + pick(g, "==", "==", "!=") + " " + e(other)
	}
	switch g.IntN(24) {
	case 0, 1, 2:
		return e(boolKind) + " && " + e(boolKind)
	case 3, 4:
		return e(boolKind) + " || " + e(boolKind)
	case 5:
		return "!" + e(boolKind)
	case 6, 7, 8:
		return equality()
	case 9, 10:
		return comparison()
	case 11:
		k := g.someKind(0)
		return e(k) + " in " + e(pick(g, listOf(k), listOf(k), listOf(anyKind)))
	case 12:
		return e(stringKind) + " in " + e(mapOf(g.someKind(0)))
	case 13:
		return e(pick(g, stringKind, anyKind)) + "." + pick(g, "startsWith", "endsWith", "contains") + "(" + e(stringKind) + ")"
	case 14:
		return e(pick(g, stringKind, anyKind)) + ".matches(" + g.pattern(depth) + ")"
	case 15, 16:
		name, k := g.name(), pick(g, g.someKind(1), intKind, stringKind)
		macro := pick(g, "all", "exists", "exists_one")
		return e(listOf(k)) + "." + macro + "(" + name + ", " + g.with(name, k, func() string { return e(boolKind) }) + ")"
	case 17:
		return g.presence(depth)
	case 18:
		k := pick(g, quantityKind, semverKind)
		return e(k) + "." + pick(g, "isGreaterThan", "isLessThan") + "(" + e(k) + ")"
	case 19:
		return pick(g, "isQuantity", "isSemver") + "(" + e(stringKind) + ")"
	case 20:
		k := g.someKind(0)
		return "sets." + pick(g, "contains", "equivalent", "intersects") + "(" + e(listOf(k)) + ", " + e(listOf(k)) + ")"
	case 21:
		return e(optionalOf(g.someKind(0))) + ".hasValue()"
	case 22:
		return "type(" + e(g.someKind(1)) + ") == " + pick(g, "int", "string", "bool", "list", "map", "double", "uint", "bytes", "null_type", "type", "type(1)")
	}
	return pick(g,
		e(listOf(pick(g, intKind, stringKind, doubleKind)))+".isSorted()",
		e(quantityKind)+".isInteger()",
		"bool("+e(pick(g, stringKind, boolKind))+")",
		e(optionalOf(boolKind))+".or("+e(optionalOf(boolKind))+") == optional.of(true)",
		"isSemver("+e(stringKind)+", true)")
}

func (g *generator) pattern(depth int) string {
	if g.chance(5) {
		return "'" + pick(g, wrongPatterns...) + "'"
	}
	if depth > 0 && g.chance(10) {
		return g.expr(stringKind, depth)
	}
	return "'" + pick(g, patterns...) + "'"
}

func (g *generator) presence(depth int) string {
	if g.hidden() {
		return "true"
	}
	domain := quote(pick(g, drivers...))
	if all := g.now.domains(false); len(all) > 0 && g.chance(80) {
		domain = quote(pick(g, all...))
	}
	id := pick(g, ids...)
	switch g.IntN(7) {
	case 0:
		return domain + " in device.attributes"
	case 1:
		return quote(id) + " in device.attributes[" + domain + "]"
	case 2:
		return "has(device." + pick(g, "attributes", "capacity", "driver") + ")"
	case 3:
		return "has(" + g.expr(mapOf(g.someKind(0)), depth) + "." + pick(g, "a", "b") + ")"
	case 4:
		return "has(device.attributes.missing)"
	case 5:
		return "has(device.capacity[" + domain + "]." + id + ")"
	}
	return "has(device.attributes[" + domain + "]." + id + ")"
}

func (g *generator) integer(depth int) string {
	e := func(k kind) string { return g.expr(k, depth) }
	switch g.IntN(14) {
	case 0, 1, 2, 3:
		return "(" + e(intKind) + " " + pick(g, "+", "-", "*", "/", "%") + " " + e(pick(g, intKind, intKind, intKind, anyKind)) + ")"
	case 4:
		return "-" + e(intKind)
	case 5:
		return "size(" + e(pick(g, stringKind, listOf(intKind), mapOf(intKind), bytesKind)) + ")"
	case 6:
		return e(pick(g, stringKind, listOf(stringKind), mapOf(intKind))) + ".size()"
	case 7:
		return "int(" + e(pick(g, stringKind, doubleKind, uintKind, intKind)) + ")"
	case 8:
		return e(stringKind) + "." + pick(g, "indexOf", "lastIndexOf") + "(" + e(stringKind) + pick(g, "", "", ", "+e(intKind)) + ")"
	case 9:
		k := pick(g, quantityKind, semverKind)
		return e(k) + ".compareTo(" + e(k) + ")"
	case 10:
		return e(semverKind) + "." + pick(g, "major", "minor", "patch") + "()"
	case 11:
		return pick(g, e(quantityKind)+".asInteger()", "sign("+e(quantityKind)+")")
	case 12:
		return e(listOf(intKind)) + ".sum()"
	}
	k := g.someKind(0)
	return e(listOf(k)) + "." + pick(g, "indexOf", "lastIndexOf") + "(" + e(k) + ")"
}

func (g *generator) natural(depth int) string {
	e := func(k kind) string { return g.expr(k, depth) }
	switch g.IntN(3) {
	case 0:
		return "(" + e(uintKind) + " " + pick(g, "+", "-", "*", "/", "%") + " " + e(uintKind) + ")"
	case 1:
		return "uint(" + e(pick(g, stringKind, doubleKind, intKind)) + ")"
	}
	return e(listOf(uintKind)) + ".sum()"
}

func (g *generator) real(depth int) string {
	e := func(k kind) string { return g.expr(k, depth) }
	switch g.IntN(5) {
	case 0, 1:
		return "(" + e(doubleKind) + " " + pick(g, "+", "-", "*", "/") + " " + e(doubleKind) + ")"
	case 2:
		return "double(" + e(pick(g, stringKind, intKind, uintKind)) + ")"
	case 3:
		return e(quantityKind) + ".asApproximateFloat()"
	}
	return pick(g, "-"+e(doubleKind), e(listOf(doubleKind))+".sum()")
}

func (g *generator) str(depth int) string {
	e := func(k kind) string { return g.expr(k, depth) }
	switch g.IntN(13) {
	case 0, 1:
		return "(" + e(stringKind) + " + " + e(pick(g, stringKind, stringKind, anyKind)) + ")"
	case 2:
		return "string(" + e(pick(g, intKind, uintKind, doubleKind, boolKind, bytesKind, stringKind)) + ")"
	case 3:
		return e(pick(g, stringKind, anyKind)) + "." + pick(g, "lowerAscii", "upperAscii", "trim") + "()"
	case 4:
		return e(stringKind) + ".substring(" + e(intKind) + pick(g, "", ", "+e(intKind)) + ")"
	case 5:
		return e(stringKind) + ".replace(" + e(stringKind) + ", " + e(stringKind) + pick(g, "", ", "+e(intKind)) + ")"
	case 6:
		return e(stringKind) + ".charAt(" + e(intKind) + ")"
	case 7:
		return e(listOf(stringKind)) + ".join(" + pick(g, "", e(stringKind)) + ")"
	case 8:
		return "strings.quote(" + e(stringKind) + ")"
	case 9:
		return e(stringKind) + ".find(" + g.pattern(depth) + ")"
	case 10:
		return e(stringKind) + ".split(" + e(stringKind) + pick(g, "", ", "+e(intKind)) + ")" + "[0]"
	}
	return g.leaf(stringKind)
}

func (g *generator) bytes(depth int) string {
	if g.chance(50) {
		return "(" + g.expr(bytesKind, depth) + " + " + g.expr(bytesKind, depth) + ")"
	}
	return "bytes(" + g.expr(pick(g, stringKind, bytesKind), depth) + ")"
}

func (g *generator) list(of kind, depth int) string {
	e := func(k kind) string { return g.expr(k, depth) }
	switch g.IntN(14) {
	case 0, 1, 2:
		elements := make([]string, g.IntN(4))
		for i := range elements {
			elements[i] = e(of)
		}
		if len(elements) > 0 && g.chance(10) {
			elements[0] = "?" + e(optionalOf(of))
		}
		return "[" + strings.Join(elements, ", ") + "]"
	case 3:
		return "(" + e(listOf(of)) + " + " + e(listOf(of)) + ")"
	case 4, 5:
		name, k := g.name(), pick(g, intKind, stringKind, g.someKind(0))
		inner := g.with(name, k, func() string {
			if g.chance(25) {
				return e(boolKind) + ", " + e(of)
			}
			return e(of)
		})
		return e(listOf(k)) + ".map(" + name + ", " + inner + ")"
	case 6:
		name := g.name()
		return e(listOf(of)) + ".filter(" + name + ", " + g.with(name, of, func() string { return e(boolKind) }) + ")"
	case 7:
		return e(listOf(of)) + ".slice(" + e(intKind) + ", " + e(intKind) + ")"
	case 8:
		return e(listOf(of)) + pick(g, ".reverse()", ".distinct()")
	case 9:
		return pick(g, e(listOf(listOf(of)))+".flatten()", e(listOf(of))+".flatten(1)")
	case 10:
		switch of.name {
		case "int":
			return pick(g, "lists.range("+pick(g, "0", "3", "5", "-1", e(intKind)+" % 50")+")", e(listOf(of))+".sort()")
		case "string":
			return pick(g, e(stringKind)+".split("+e(stringKind)+")", e(listOf(of))+".sort()", e(stringKind)+".findAll("+g.pattern(depth)+pick(g, "", ", 2", ", 0")+")")
		}
		return e(listOf(of)) + ".slice(0, 1)"
	case 11:
		name := g.name()
		return e(listOf(of)) + ".sortBy(" + name + ", " + g.with(name, of, func() string { return e(pick(g, intKind, stringKind)) }) + ")"
	case 12:
		return "optional.unwrap(" + e(listOf(optionalOf(of))) + ")"
	}
	return e(listOf(optionalOf(of))) + ".unwrapOpt()"
}

func (g *generator) mapping(of kind, depth int) string {
	e := func(k kind) string { return g.expr(k, depth) }
	switch g.IntN(4) {
	case 0:
		return "{" + e(stringKind) + ": " + e(of) + "}"
	case 1:
		return "{'a': " + e(of) + ", 'b': " + e(of) + "}"
	case 2:
		return "{?'a': " + e(optionalOf(of)) + "}"
	}
	return "{" + pick(g, "'a'", "'model'") + ": " + e(of) + "}"
}

func (g *generator) optional(of kind, depth int) string {
	e := func(k kind) string { return g.expr(k, depth) }
	switch g.IntN(9) {
	case 0:
		return pick(g, "optional.of(", "optional.ofNonZeroValue(") + e(of) + ")"
	case 1:
		return e(optionalOf(of)) + ".or(" + e(optionalOf(of)) + ")"
	case 2:
		return e(listOf(of)) + "[?" + e(intKind) + "]"
	case 3:
		return e(mapOf(of)) + pick(g, ".?a", ".?b", "[?'a']")
	case 4:
		name, k := g.name(), g.someKind(0)
		return e(optionalOf(k)) + ".optMap(" + name + ", " + g.with(name, k, func() string { return e(of) }) + ")"
	case 5:
		name, k := g.name(), g.someKind(0)
		return e(optionalOf(k)) + ".optFlatMap(" + name + ", " + g.with(name, k, func() string { return e(optionalOf(of)) }) + ")"
	case 6:
		return e(listOf(of)) + pick(g, ".first()", ".last()")
	case 7:
		if g.hidden() {
			return "optional.none()"
		}
		return "device.attributes[" + quote(g.now.driver) + "]" + pick(g, ".?", ".?", "[?\"") + pick(g, ids...) + ""
	}
	return g.leaf(optionalOf(of))
}

func (g *generator) quantity(depth int) string {
	e := func(k kind) string { return g.expr(k, depth) }
	switch g.IntN(4) {
	case 0:
		return e(quantityKind) + "." + pick(g, "add", "sub") + "(" + e(pick(g, quantityKind, intKind)) + ")"
	case 1:
		return "quantity(" + e(stringKind) + ")"
	}
	return g.leaf(quantityKind)
}

func (g *generator) version(depth int) string {
	if g.chance(25) {
		return "semver(" + g.expr(stringKind, depth) + pick(g, "", ", "+g.expr(boolKind, depth)) + ")"
	}
	return g.leaf(semverKind)
}

var tokens = []string{"(", ")", "[", "]", "{", "}", ",", ".", "?", ":", "+", "-", "!", "==", "&&", "||", "in", "1", "1u", "'a'", "null", "true", "x", "device", "size", "foo", "if", "\"", "\\", "@", ".?", "has", "9223372036854775808", "1e999", "`a`", "\n", "\t", "ü"}

// mutated is the text with something added, left out or moved.
func (g *generator) mutated(text string) string {
	for range 1 + g.IntN(2) {
		at := g.IntN(len(text) + 1)
		end := min(len(text), at+g.IntN(6))
		switch g.IntN(4) {
		case 0:
			text = text[:at] + text[end:]
		case 1:
			text = text[:at] + pick(g, tokens...) + text[at:]
		case 2:
			text = text[:at] + pick(g, tokens...) + text[end:]
		default:
			text = strings.Replace(text, pick(g, "x", "a", "1", "[", "==", "."), pick(g, tokens...), 1)
		}
		if len(text) == 0 {
			return "1"
		}
	}
	return strings.ToValidUTF8(text, "?")
}
