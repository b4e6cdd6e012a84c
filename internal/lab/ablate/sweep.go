package main

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// sweep switches off each function below a directory, one after another, and prints what changes
// without it. This needs only one build and one run, in which each function is tried only with the
// commands that call it.
func sweep(ctx context.Context, below string, walls bool) error {
	dir, err := os.MkdirTemp("", "checkrein-ablate-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	overlay, names, err := writeSwitches(dir, below)
	if err != nil {
		return err
	}
	list, err := json.Marshal(names)
	if err != nil {
		return err
	}
	file := filepath.Join(dir, "functions.json")
	if err := os.WriteFile(file, list, 0o600); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d functions: some minutes for a thousand …\n", len(names))
	cmd := exec.CommandContext(ctx, "go", "run", "-overlay", overlay, "./internal/lab/ablate/score", "-sweep", file, fmt.Sprintf("-walls=%t", walls))
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	return cmd.Run()
}

// writeSwitches writes copies of the files below a directory in which each function first checks
// whether it is switched off. It returns the overlay for go build and the names of the functions.
func writeSwitches(dir, below string) (overlay string, names []string, err error) {
	replace := map[string]string{}
	err = filepath.WalkDir(below, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		source, err := os.ReadFile(file)
		if err != nil || strings.HasPrefix(string(source), "// Code generated") {
			return err
		}
		text, functions, err := withSwitches(file, source, len(names))
		if err != nil || len(functions) == 0 {
			return err
		}
		from, err := filepath.Abs(file)
		if err != nil {
			return err
		}
		names = append(names, functions...)
		replace[from] = filepath.Join(dir, fmt.Sprint(len(replace), ".go"))
		return os.WriteFile(replace[from], text, 0o600)
	})
	if err != nil {
		return "", nil, err
	}
	overlay, err = saveOverlay(dir, replace)
	return overlay, names, err
}

// withSwitches returns a source file in which each function first checks whether it is switched off,
// and the names of these functions. The functions are numbered from first.
func withSwitches(name string, source []byte, first int) ([]byte, []string, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil || f.Name.Name == "main" {
		return nil, nil, err
	}
	at := func(p token.Pos) int { return files.Position(p).Offset }
	var edits []edit
	var names []string
	for _, decl := range f.Decls {
		d, ok := decl.(*ast.FuncDecl)
		if !ok || d.Body == nil || d.Name.Name == "init" {
			continue
		}
		checks := returnAtOnce(d, "", at)
		checks[0].text = fmt.Sprintf(" if ablated.EnterOff(%d) { return }; ", first+len(names))
		edits = append(edits, checks...)
		lines := files.Position(d.End()).Line - files.Position(d.Pos()).Line + 1
		names = append(names, fmt.Sprintf("%s:%s\t%d lines", name, funcName(d), lines))
	}
	imports := at(f.Name.End())
	edits = append(edits, edit{imports, imports, `; import "github.com/checkrein/checkrein/internal/lab/ablate/ablated"`})
	return applyEdits(source, edits), names, nil
}

// applyEdits returns source with the edits applied, which must not overlap.
func applyEdits(source []byte, edits []edit) []byte {
	slices.SortStableFunc(edits, func(a, b edit) int { return b.from - a.from })
	for _, e := range edits {
		source = slices.Concat(source[:e.from], []byte(e.text), source[e.to:])
	}
	return source
}
