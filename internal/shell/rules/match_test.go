package rules

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestWildcardCommands checks that ** in a rule's Cmd matches one to three words.
func TestWildcardCommands(t *testing.T) {
	hole := string(shell.Placeholder)
	rule := &shell.Rule{Cmd: "x ** list|get *", Label: shell.Destructive}
	for args, want := range map[string]truth{
		"list a":                      no,
		"a list":                      no,
		"a list b":                    yes,
		"a b get c d":                 yes,
		"a b c list d":                yes,
		"a b c d list e":              no,
		"list list list":              yes,
		"a " + hole + " b":            maybe,
		hole + " list " + hole + " b": yes,
	} {
		c := &shell.Call{Name: "x"}
		for word := range strings.FieldsSeq(args) {
			c.Args = append(c.Args, shell.Word{Text: word, Quoted: true})
		}
		r := newReading(c)
		if got, _ := r.match(rule, callName{name: "x"}, 0); got != want {
			t.Errorf("x %s: %v, want %v", args, got, want)
		}
	}
}
