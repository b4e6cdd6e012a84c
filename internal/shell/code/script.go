package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// written returns the file of that name that the same text wrote before.
func written(c *shell.Call, path string) *shell.File {
	path = strings.TrimPrefix(path, "./")
	for i := len(c.Files) - 1; i >= 0; i-- {
		if f := &c.Files[i]; strings.TrimPrefix(f.Path, "./") == path {
			return f
		}
	}
	return nil
}

// scripted reads the script that an interpreter is given, when the same text
// wrote it. Other scripts are the project's own and judged elsewhere.
func scripted(c *shell.Call, l lang, g *given) ([]shell.Effect, []string, bool) {
	f := written(c, g.file)
	if f == nil && l == javascript && len(c.Files) > 0 { // node a finds a.js
		for _, end := range [...]string{".js", ".mjs", ".cjs", ".ts", ".json", "/index.js"} {
			if f = written(c, g.file+end); f != nil {
				break
			}
		}
	}
	if f == nil {
		if g.checks {
			return nil, nil, false
		}
		return loaded(c, l, g)
	}
	effects, nested, known := readFile(c, l, f, g.rest)
	for _, path := range g.loads { // what is loaded first runs as well
		if f := written(c, path); f != nil {
			e, n, _ := readFile(c, l, f, nil)
			effects, nested = append(effects, e...), append(nested, n...)
		}
	}
	return effects, nested, known
}

// readFile reads a file that the same text wrote as code.
func readFile(c *shell.Call, l lang, f *shell.File, args []shell.Word) ([]shell.Effect, []string, bool) {
	if !f.Sure {
		if program.Copies(f.From) || f.Text == "" && len(f.From) == 0 { // the latter lies in a directory that the text made
			return []shell.Effect{shell.Unreads(c.Name+" "+f.Path, "runs a file that checkrein did not read")}, nil, true
		}
		return []shell.Effect{shell.Evaluates(c.Name+" "+f.Path, "runs a newly written script that checkrein can only partly read")}, nil, true
	}
	if l == opaque {
		if f.Source != nil {
			return nil, nil, false
		}
		return unreadCodeEffects(c)
	}
	o := &result{}
	o.readCode(f.Text, l, &job{args: args, env: c.Env, input: stdinValue(c), files: c.Files})
	return o.finish(c)
}

// runWritten reads a script that is called by its own name, or through a program
// that runs scripts of many languages.
func runWritten(c *shell.Call) ([]shell.Effect, []string, bool) {
	if f := written(c, c.Path); f != nil {
		if l, ok := shebang(f.Text); ok {
			return readFile(c, l, f, c.Args)
		}
		if l, ok := langOf(f.Path); ok { // uv run a.py
			return readFile(c, l, f, c.Args)
		}
		return nil, nil, false
	}
	if !program.Is(c.Name, program.IsScriptRunner) {
		return nil, nil, false
	}
	for i := range c.Args {
		w := c.Args[i].Text
		l, ok := langOf(w)
		if !ok {
			continue
		}
		if f := written(c, w); f != nil {
			return readFile(c, l, f, c.Args[i+1:])
		}
	}
	if program.ReachOf(c.Name) == program.ReachGo && len(c.Args) > 0 && (c.Args[0].Text == "run" || c.Args[0].Text == "test") {
		return goSources(c)
	}
	return nil, nil, false
}

// goSources is the effect of go run . and go test ./... on files that the text wrote.
func goSources(c *shell.Call) ([]shell.Effect, []string, bool) {
	for i := range c.Files {
		if f := &c.Files[i]; strings.HasSuffix(f.Path, ".go") && f.Source == nil {
			return unreadCodeEffects(c)
		}
	}
	return nil, nil, false
}

// shebang is the language that the first line of a script names. Shells are read
// elsewhere.
func shebang(src string) (lang, bool) {
	line, ok := strings.CutPrefix(lineFrom(src, 0), "#!")
	if !ok {
		return 0, false
	}
	for w := range strings.FieldsSeq(line) {
		n := trimVersion(w[strings.LastIndexByte(w, '/')+1:])
		if n == "env" || strings.HasPrefix(n, "-") || strings.Contains(n, "=") {
			continue
		}
		if n == "uv" { // env -S uv run --script
			return python, true
		}
		if p := interpreterOf(strings.ToLower(n)); p != nil {
			return p.lang, true
		}
		return 0, false
	}
	return 0, false
}

// langOf is the language that the end of a file's name says.
func langOf(path string) (lang, bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return 0, false
	}
	switch strings.ToLower(path[i+1:]) {
	case "py", "pyw", "ipy":
		return python, true
	case "js", "mjs", "cjs", "ts", "mts", "cts", "jsx", "tsx":
		return javascript, true
	case "rb", "ex", "exs", "rake", "cr":
		return ruby, true
	case "pl", "pm", "raku":
		return perl, true
	case "php":
		return php, true
	case "lua", "r", "jl", "go", "java", "groovy", "kts", "scala", "sc", "swift", "jsh", "applescript", "scpt", "tcl", "exp":
		return opaque, true
	}
	return 0, false
}

// langIs reports whether the end of a file's name says that it is in a language.
func langIs(path string, l lang) bool {
	got, ok := langOf(path)
	return ok && got == l
}
