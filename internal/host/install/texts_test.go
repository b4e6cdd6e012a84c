package install_test

import (
	"fmt"
	"strings"
)

// joinTexts returns the texts of list, one per line.
func joinTexts[T fmt.Stringer](list []T) string {
	var b strings.Builder
	for _, m := range list {
		b.WriteString(m.String() + "\n")
	}
	return b.String()
}
