// Package dialect is the table of dialects: the formats of hook files, payloads and answers.
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

// Table returns the dialects in the order in which Detect tries them. Callers must not modify it.
func Table() []*hookfile.Dialect { return table[:] }

// Lookup returns the dialect name; "" stands for native. It returns false if there is no such dialect.
func Lookup(name string) (*hookfile.Dialect, bool) {
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

// Detect returns the dialect of the file src, or false if no dialect recognises it.
func Detect(src hookfile.Source) (*hookfile.Dialect, bool) {
	for _, d := range table {
		if d.Detect(src) {
			return d, true
		}
	}
	return nil, false
}

// ToolName returns the dialect's name for the tool canonical, or "" if it has none.
func ToolName(dialect, canonical string) string {
	if d, ok := Lookup(dialect); ok && d.ToolName != nil {
		return d.ToolName(canonical)
	}
	return ""
}
