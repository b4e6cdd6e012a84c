package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// knownFile returns the file at path if the same command line wrote it or it was read from disk, or
// nil. The last write counts.
func knownFile(c *shell.Call, path string) *shell.File {
	path = strings.TrimPrefix(path, "./")
	for i := len(c.Files) - 1; i >= 0; i-- {
		if f := &c.Files[i]; strings.TrimPrefix(f.Path, "./") == path {
			return f
		}
	}
	return nil
}

// scriptEffects returns the effects of the script g.file and of its preloaded files if they are known
// files of c. For other scripts, which package resolve reads, it returns only the effects of preloaded
// code.
func scriptEffects(c *shell.Call, l lang, g *codeSource) ([]shell.Effect, []string, bool) {
	f := knownFile(c, g.file)
	if f == nil && l == javascript && len(c.Files) > 0 { // "node a" runs a.js
		for _, end := range [...]string{".js", ".mjs", ".cjs", ".ts", ".json", "/index.js"} {
			if f = knownFile(c, g.file+end); f != nil {
				break
			}
		}
	}
	if f == nil {
		if g.checks {
			return nil, nil, false
		}
		return preloadEffects(c, l, g)
	}
	effects, nested, known := knownFileEffects(c, l, f, g.rest)
	for _, path := range g.loads { // preloaded files run, too
		if f := knownFile(c, path); f != nil {
			e, n, _ := knownFileEffects(c, l, f, nil)
			effects, nested = append(effects, e...), append(nested, n...)
		}
	}
	return effects, nested, known
}

// knownFileEffects returns the effects of running f with args. It reports false for a file from disk
// in an opaque language.
func knownFileEffects(c *shell.Call, l lang, f *shell.File, args []shell.Word) ([]shell.Effect, []string, bool) {
	if !f.Complete {
		if program.OnlyPrintFiles(f.From) || f.Text == "" && len(f.From) == 0 { // a copy, or a file in a directory that the command line created
			return []shell.Effect{shell.UnreadEffect(c.Name+" "+f.Path, "runs a file that checkrein did not read")}, nil, true
		}
		return []shell.Effect{shell.OpaqueEffect(c.Name+" "+f.Path, "runs a newly written script that checkrein can only partly read")}, nil, true
	}
	if l == opaque {
		if f.Source != nil {
			return nil, nil, false
		}
		return unreadCodeEffects(c)
	}
	o := &result{}
	o.addCodeEffects(f.Text, l, &job{args: args, env: c.Env, input: stdinValue(c), files: c.Files})
	return o.finish(c)
}

// knownScriptEffects returns the effects of a known file that c runs by its path or through a program
// that runs scripts in several languages, such as uv run. It reports false if c runs no such script.
func knownScriptEffects(c *shell.Call) ([]shell.Effect, []string, bool) {
	if f := knownFile(c, c.Path); f != nil {
		if l, ok := shebangLang(f.Text); ok {
			return knownFileEffects(c, l, f, c.Args)
		}
		if l, ok := langByExtension(f.Path); ok { // without a shebang line, as in uv run a.py
			return knownFileEffects(c, l, f, c.Args)
		}
		return nil, nil, false
	}
	if !program.Is(c.Name, program.IsScriptRunner) {
		return nil, nil, false
	}
	if program.ReachOf(c.Name) == program.ReachGo && len(c.Args) > 0 && (c.Args[0].Text == "run" || c.Args[0].Text == "test") {
		return writtenGoEffects(c)
	}
	for i := range c.Args {
		w := c.Args[i].Text
		l, ok := langByExtension(w)
		if !ok {
			continue
		}
		if f := knownFile(c, w); f != nil {
			return knownFileEffects(c, l, f, c.Args[i+1:])
		}
	}
	return nil, nil, false
}

// shebangLang returns the language of the interpreter in the shebang line of src. It reports false if
// there is none or it is a shell, because package resolve reads shell scripts.
func shebangLang(src string) (lang, bool) {
	line, ok := strings.CutPrefix(restOfLine(src, 0), "#!")
	if !ok {
		return 0, false
	}
	for w := range strings.FieldsSeq(line) {
		n := trimVersion(w[strings.LastIndexByte(w, '/')+1:])
		if n == "env" || strings.HasPrefix(n, "-") || strings.Contains(n, "=") {
			continue
		}
		if n == "uv" { // as in #!/usr/bin/env -S uv run --script
			return python, true
		}
		if p := interpreterByName(strings.ToLower(n)); p != nil {
			return p.lang, true
		}
		return 0, false
	}
	return 0, false
}

// langByExtension returns the language of the file at path according to its extension. It reports
// false if the extension is not that of a script.
func langByExtension(path string) (lang, bool) {
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

// hasExtensionOf reports whether path has a file name extension of the language l.
func hasExtensionOf(path string, l lang) bool {
	got, ok := langByExtension(path)
	return ok && got == l
}
