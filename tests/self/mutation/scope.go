// SPDX-License-Identifier: Apache-2.0

package main

import (
	"regexp"
	"strings"
)

// scope is a piece of a source between braces, with the name of its function, or of its class.
type scope struct {
	from, to int // offsets
	name     string
}

var (
	functionHead = regexp.MustCompile(`(\w+)\s*\(`)
	classHead    = regexp.MustCompile(`\b(?:class|struct|enum|union)\s+(?:class\s+)?(\w+)`)
	statement    = regexp.MustCompile(`^(if|else|for|while|switch|do|try|catch|return|case|default|namespace)\b`)
)

// scopes finds the functions and classes of a source by its braces. What stands between the parameters and the body belongs to
// the function; lambdas and blocks belong to the function around them.
func scopes(source string) []scope {
	type open struct {
		head string
		from int // of the head
		name string
	}
	var (
		list  []scope
		stack []open
		head  strings.Builder
		start = 0 // of the head
	)
	reset := func(at int) {
		head.Reset()
		start = at
	}
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case strings.HasPrefix(source[i:], "//") || c == '#' && strings.TrimSpace(head.String()) == "":
			for i < len(source) && source[i] != '\n' {
				i++
			}
		case c == '"' || c == '\'' && (i == 0 || !isWord(source[i-1])): // no separator of digits
			for i++; i < len(source) && source[i] != c; i++ {
				if source[i] == '\\' {
					i++
				}
			}
			head.WriteByte(c)
		case c == '{':
			text := strings.TrimSpace(head.String())
			o := open{head: head.String(), from: start}
			if balanced(text) {
				o.head = ""
				o.name = nameOf(text)
			}
			stack = append(stack, o)
			reset(i + 1)
		case c == '}':
			if len(stack) == 0 {
				continue
			}
			o := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			if o.name != "" {
				list = append(list, scope{o.from, i, o.name})
			}
			reset(i + 1)
			if o.head != "" { // within parentheses: the head goes on
				head.WriteString(o.head)
				start = o.from
			}
		case c == ';' && balanced(head.String()):
			reset(i + 1)
		default:
			head.WriteByte(c)
		}
	}
	return list
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// balanced tells whether every parenthesis of a text is closed.
func balanced(text string) bool { return strings.Count(text, "(") == strings.Count(text, ")") }

// nameOf is the name of the function or the class that a head begins, or "".
func nameOf(head string) string {
	for _, label := range []string{"public:", "private:", "protected:"} {
		head = strings.TrimSpace(strings.TrimPrefix(head, label))
	}
	if statement.MatchString(head) || strings.Contains(head, "](") || strings.Contains(head, "] (") {
		return ""
	}
	if class := classHead.FindStringSubmatch(head); class != nil && !strings.Contains(head, "(") {
		return class[1]
	}
	if !strings.Contains(head, "(") || strings.Contains(strings.SplitN(head, "(", 2)[0], "=") {
		return ""
	}
	if function := functionHead.FindStringSubmatch(head); function != nil {
		return function[1]
	}
	return ""
}

// scopeAt is the name of the innermost function or class around an offset, or "-".
func scopeAt(list []scope, offset int) string {
	name, size := "-", -1
	for _, s := range list {
		if s.from <= offset && offset <= s.to && (size < 0 || s.to-s.from < size) {
			name, size = s.name, s.to-s.from
		}
	}
	return name
}
