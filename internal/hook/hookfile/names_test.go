package hookfile

import (
	"testing"

	"github.com/checkrein/checkrein"
)

func TestKindOfEveryName(t *testing.T) {
	t.Parallel()
	for _, row := range checkrein.Contracts()[1:] {
		names := []string{row.Name}
		for _, a := range row.Aliases {
			names = append(names, a.Name)
		}
		for _, name := range names {
			if got, ok := KindOf(name); !ok || got != row.Kind {
				t.Errorf("KindOf(%q) = %v, %v, want %v", name, got, ok, row.Kind)
			}
		}
	}
}

func TestKindOfNothingKnown(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "other", "FileChanged", "pretooluse", "PRE_TOOL_USE", "pre_tool_use "} {
		if got, ok := KindOf(name); ok || got != checkrein.Other {
			t.Errorf("KindOf(%q) = %v, %v, want other, false", name, got, ok)
		}
	}
}
