// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math/rand"
	"strings"
)

// maker makes texts that are JSON, mostly, in every strange way.
type maker struct{ *rand.Rand }

func (m maker) one(of ...string) string { return of[m.Intn(len(of))] }

func (m maker) blanks() string {
	if m.Intn(4) > 0 {
		return ""
	}
	return m.one(" ", "\n", "\t", "\r", "  \n ")
}

func (m maker) digits(most int) string {
	var out strings.Builder
	for i := 1 + m.Intn(most); i > 0; i-- {
		out.WriteByte(byte('0' + m.Intn(10)))
	}
	return out.String()
}

func (m maker) number() string {
	switch m.Intn(8) {
	case 0:
		return m.one("0", "-0", "-0.0", "0e5", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
			"-9223372036854775809", "18446744073709551615", "18446744073709551616", "9007199254740993",
			"100000000000000000000", "1e20", "1E+2", "1e308", "1.7976931348623157e308", "1.7976931348623159e308", "5e-324", "2e-324",
			"1e-400", "0.1e-99999999999999999999", "0e99999999999999999999")
	case 1:
		return m.one("1e309", "-1e999", "1e99999999999999999999", "1"+strings.Repeat("0", 400))
	}
	out := m.one("", "", "-") + m.one("0", fmt.Sprint(1+m.Intn(9))+m.one("", m.digits(3), m.digits(30)))
	if m.Intn(3) == 0 {
		out += "." + m.digits(20)
	}
	if m.Intn(4) == 0 {
		out += m.one("e", "E") + m.one("", "+", "-") + m.digits(3)
	}
	return out
}

func (m maker) str(pieces int) string {
	var out strings.Builder
	out.WriteByte('"')
	for i := m.Intn(pieces); i > 0; i-- {
		switch m.Intn(9) {
		case 0:
			out.WriteString(m.one(`\"`, `\\`, `\/`, `\b`, `\f`, `\n`, `\r`, `\t`, `\u0000`, `\u001f`, `\u0061`, `\u00e9`, `\u2028`, `\uFFFD`))
		case 1:
			out.WriteString(m.one(`\ud800`, `\udc00`, `\uD83D\uDE00`, `\ud800\ud800`, `\ud83d\u0061`, `\udbff\udfff`, `\ud800\n`))
		case 2: // bytes that are no UTF-8, or not quite
			out.WriteString(m.one("\xff", "\xc0\x80", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80", "\xf0\x9f\x98", "\xc3", "\xe2\x28\xa1"))
		case 3:
			out.WriteString(m.one("é", "€", "😀", "\u2028", "\ufeff", "\x7f", "\ufffd", "\u0080"))
		case 4:
			out.WriteString(fmt.Sprintf(`\u%04x`, m.Intn(0x10000)))
		default:
			out.WriteString(m.one("a", "key", "metadata", "}", "]", "{", ",", ":", " ", "items"))
		}
	}
	out.WriteByte('"')
	return out.String()
}

func (m maker) key() string {
	if m.Intn(3) > 0 {
		return m.one(`"a"`, `"b"`, `"A"`, `"\u0061"`, `"metadata"`, `""`, "\"\xff\"", "\"\xfe\"", `"\ud800"`)
	}
	return m.str(3)
}

func (m maker) value(levels int) string {
	if levels == 0 || m.Intn(3) == 0 {
		switch m.Intn(6) {
		case 0:
			return m.one("true", "false", "null")
		case 1, 2:
			return m.str(8)
		case 3:
			return m.one("{}", "[]", "{ }", "[\n]")
		}
		return m.number()
	}
	var out strings.Builder
	object := m.Intn(2) == 0
	n := m.Intn(5)
	if m.Intn(20) == 0 {
		n = m.Intn(60)
	}
	out.WriteString(map[bool]string{true: "{", false: "["}[object])
	for i := 0; i < n; i++ {
		if i > 0 {
			out.WriteString("," + m.blanks())
		}
		if object {
			out.WriteString(m.key() + m.blanks() + ":" + m.blanks())
		}
		out.WriteString(m.value(levels-1) + m.blanks())
	}
	out.WriteString(map[bool]string{true: "}", false: "]"}[object])
	return out.String()
}

// deep makes about as many levels as the decoder takes, or as simdjson does.
func (m maker) deep() string {
	levels := []int{200, 1000, 1023, 1024, 1025, 5000, 9999, 10000, 10001, 10002, 20000}[m.Intn(11)]
	var open, closed strings.Builder
	brackets := make([]bool, levels)
	for i := range brackets {
		brackets[i] = m.Intn(2) == 0
		open.WriteString(map[bool]string{true: m.one(`{"a":`, `{"a":1,"a":`), false: m.one("[", "[1,")}[brackets[i]])
	}
	for i := levels; i > 0; i-- {
		closed.WriteString(map[bool]string{true: "}", false: m.one("]", ",2]")}[brackets[i-1]])
	}
	return open.String() + m.value(0) + closed.String()
}

// broken changes some bytes.
func (m maker) broken(text []byte) []byte {
	const likely = "{}[]\",:\\0123456789.eE+-truefalsn \n\x00\x1f\x7f\xff"
	for i := 1 + m.Intn(3); i > 0 && len(text) > 0; i-- {
		at := m.Intn(len(text))
		letter := likely[m.Intn(len(likely))]
		switch m.Intn(3) {
		case 0:
			text[at] = letter
		case 1:
			text = append(text[:at], text[at+1:]...)
		case 2:
			text = append(text[:at], append([]byte{letter}, text[at:]...)...)
		}
	}
	return text
}

func (m maker) text(i int) []byte {
	var text []byte
	switch {
	case i%200 == 0:
		text = []byte(m.deep())
	case i%1000 == 1: // an annotation as large as they come, or a custom resource
		text = []byte(`{"data":` + `"` + strings.Repeat(m.one("a", "é", `\u00e9`, "\xff"), 1<<17) + `"}`)
	default:
		text = []byte(m.blanks() + m.value(1+m.Intn(6)) + m.blanks())
	}
	if m.Intn(4) == 0 {
		text = m.broken(text)
	}
	return text
}
