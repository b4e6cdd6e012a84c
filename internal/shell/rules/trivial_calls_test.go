package rules

import (
	"reflect"
	"testing"

	"github.com/checkrein/checkrein/internal/shell"
)

// TestTrivialEffect checks that the effect without a search is the one that the search finds.
func TestTrivialEffect(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"echo", "printf", "[", "test"} {
		for _, args := range [][]string{nil, {"hi"}, {"-n", "a b"}, {"-f", "x", "]"}, {"--help"}, {"%s\n", "rm -rf /"}, {"-v", "x", "y"}} {
			c := &shell.Call{Name: name, Path: name}
			words := name
			for _, a := range args {
				c.Args = append(c.Args, shell.Word{Text: a})
				words += " " + a
			}
			got, known := Effects(c, nil)
			if !IsTrivial(c) || !known || len(got) != 1 || got[0].Label != shell.Safe {
				t.Errorf("%s: %+v", words, got)
				continue
			}
			want := TrivialEffect(got[0].Words)
			if len(args) > 0 && args[0] == "--help" {
				continue // it prints help, which is harmless too
			}
			if !reflect.DeepEqual(got[0], want) {
				t.Errorf("%s: %+v, want %+v", words, got[0], want)
			}
		}
	}
	for _, c := range []*shell.Call{
		{Name: "echo", Path: "/tmp/echo"}, {Name: "rm", Path: "rm"}, {Name: "echo", Path: "echo", Remote: "h"}, {Name: "echo", Path: "echo", Elevated: true},
		{Name: "echo", Path: "echo", Redir: []shell.Redirect{{Op: ">"}}}, {Name: "test", Path: "test", Env: []shell.Variable{{Name: "LD_PRELOAD"}}},
	} {
		if IsTrivial(c) {
			t.Errorf("%+v is trivial", c)
		}
	}
}
