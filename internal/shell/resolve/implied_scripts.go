package resolve

import (
	"path"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// addImpliedFiles appends to out the recorded files that call runs without naming them in full: node a
// runs a.js, python -m a runs a.py, and go run . runs all files of a directory.
func (w *fileTable) addImpliedFiles(out []shell.File, call *shell.Call, at *context) []shell.File {
	switch tongue := facts.LanguageOf(call.Name); {
	case tongue.IsJavaScript():
		if path := firstOperand(call.Args); path != "" {
			return w.addFirstFile(out, call, path, ".js .mjs .cjs .ts .tsx .mts .cts .jsx .json /index.js /index.ts /index.mjs", at)
		}
	case tongue == facts.Python:
		return w.addPythonFile(out, call, at)
	case program.ProjectOf(call.Name) == program.ProjectPackages:
		return w.addGoFiles(out, call, at)
	}
	return out
}

// firstOperand returns the first argument of a JavaScript interpreter that is not an option, or "" if
// there is none or an option contains the code.
func firstOperand(args []shell.Word) string {
	for i, a := range args {
		if i == 0 && (a.Text == "run" || a.Text == "watch") {
			continue
		}
		if a.Text == "-e" || a.Text == "-p" || a.Text == "--eval" || a.Text == "--print" {
			return ""
		}
		if a.Text != "" && a.Text[0] != '-' {
			return a.Text
		}
	}
	return ""
}

// addFirstFile appends to out the first recorded file whose name is path followed by one of the
// endings, which are separated by spaces.
func (w *fileTable) addFirstFile(out []shell.File, call *shell.Call, path, endings string, at *context) []shell.File {
	if len(path) > maxPath {
		return out
	}
	for endings != "" {
		var end string
		end, endings, _ = strings.Cut(endings, " ")
		name := strings.TrimSuffix(path, "/") + end
		if f := w.fileAt(name, at); f != nil && !f.isDir {
			return append(out, w.newShellFile(f, name, f.isCreatedFor(call)))
		}
	}
	return out
}

// addPythonFile appends to out the file that python -m NAME or python DIR runs.
func (w *fileTable) addPythonFile(out []shell.File, call *shell.Call, at *context) []shell.File {
	for i, a := range call.Args {
		switch {
		case a.Text == "-m" && i+1 < len(call.Args):
			return w.addFirstFile(out, call, strings.ReplaceAll(call.Args[i+1].Text, ".", "/"), ".py /__main__.py /__init__.py", at)
		case a.Text == "-c" || a.Text == "-":
			return out
		case a.Text != "" && a.Text[0] != '-':
			return w.addFirstFile(out, call, a.Text, "/__main__.py", at)
		}
	}
	return out
}

// addGoFiles appends to out the files in the directories that go run, go test or go generate names.
func (w *fileTable) addGoFiles(out []shell.File, call *shell.Call, at *context) []shell.File {
	if len(call.Args) == 0 || call.Args[0].Text != "run" && call.Args[0].Text != "test" && call.Args[0].Text != "generate" {
		return out
	}
	named := false
	var have []*file
	for _, a := range call.Args[1:] {
		if a.Text == "" || a.Text[0] == '-' {
			continue
		}
		if a.Text[0] == '.' || a.Text[0] == '/' {
			out, named = w.addGoDir(out, &have, call, a.Text, at), true
		}
	}
	if !named && call.Args[0].Text != "run" {
		out = w.addGoDir(out, &have, call, ".", at)
	}
	if slices.ContainsFunc(out, func(f shell.File) bool { return strings.HasSuffix(f.Path, ".go") }) {
		out = w.addGoDir(out, &have, call, "/...", at) // it may import or link any other that the command line wrote
	}
	return out
}

// goSources lists the extensions of files that go compiles.
const goSources = "go s S c cc cpp cxx m h syso"

// addGoDir appends to out the recorded sources in dir, and below it if dir ends in "...". It skips those
// in have, and adds the others to it.
func (w *fileTable) addGoDir(out []shell.File, have *[]*file, call *shell.Call, dir string, at *context) []shell.File {
	if len(dir) > maxPath {
		return out
	}
	dir, deep := strings.CutSuffix(dir, "...")
	base := strings.TrimSuffix(w.fullPath(dir, at), "/") + "/"
	for i := range w.files {
		f := &w.files[i]
		name, ok := strings.CutPrefix(f.path, base)
		if !ok || f.isDir || !facts.InList(goSources, strings.TrimPrefix(path.Ext(name), ".")) || !deep && strings.Contains(name, "/") {
			continue
		}
		if !slices.Contains(*have, f) && !slices.ContainsFunc(out, func(o shell.File) bool { return w.fileAt(o.Path, at) == f }) {
			*have = append(*have, f)
			out = append(out, w.newShellFile(f, name, f.isCreatedFor(call)))
		}
	}
	return out
}
