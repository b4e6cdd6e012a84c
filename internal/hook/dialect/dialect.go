// Package dialect is the table of dialects: whose files are read, and in whose
// words hooks are spoken to.
package dialect

import (
	"github.com/checkrein/checkrein/internal/hook/dialect/claude"
	"github.com/checkrein/checkrein/internal/hook/dialect/dockeragent"
	"github.com/checkrein/checkrein/internal/hook/dialect/hookmd"
	"github.com/checkrein/checkrein/internal/hook/dialect/native"
	"github.com/checkrein/checkrein/internal/hook/dialect/starchild"
	"github.com/checkrein/checkrein/internal/hook/hookfile"
)

var table = [...]*hookfile.Dialect{&hookmd.Dialect, &dockeragent.Dialect, &native.Dialect, &starchild.Dialect, &claude.Dialect}

// Table returns the dialects, in the order in which files are tried.
// Callers must not change it.
func Table() []*hookfile.Dialect { return table[:] }

// Named returns the dialect of a hook. A hook that names none is native.
func Named(name string) (*hookfile.Dialect, bool) {
	if name == "" {
		return &native.Dialect, true
	}
	for _, d := range table {
		if d.Name == name {
			return d, true
		}
	}
	return nil, false
}

// Of finds the dialect of a file.
func Of(src hookfile.Source) (*hookfile.Dialect, bool) {
	for _, d := range table {
		if d.Detect(src) {
			return d, true
		}
	}
	return nil, false
}

// ToolName is a dialect's word for a tool, "" when it has none.
func ToolName(dialect, canonical string) string {
	if d, ok := Named(dialect); ok && d.ToolName != nil {
		return d.ToolName(canonical)
	}
	return ""
}
