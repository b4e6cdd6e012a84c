package install_test

import (
	"fmt"
	"strings"
)

// texts returns messages as lines.
func texts[T fmt.Stringer](list []T) string {
	var b strings.Builder
	for _, m := range list {
		b.WriteString(m.String() + "\n")
	}
	return b.String()
}
