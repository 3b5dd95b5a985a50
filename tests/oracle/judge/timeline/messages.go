// SPDX-License-Identifier: Apache-2.0

package timeline

import (
	"regexp"
	"slices"
	"strings"
)

var noVictims = regexp.MustCompile(`\[expected at least one victim [^\]]*\]`)

// InOrder sorts the errors about nodes that an extender rejected and that the plugins take as they are: upstream tells of them in the order in which its workers met them.
func InOrder(message string) string {
	return noVictims.ReplaceAllStringFunc(message, func(list string) string {
		errors := strings.Split(list[1:len(list)-1], ", ")
		slices.Sort(errors)
		return "[" + strings.Join(errors, ", ") + "]"
	})
}
