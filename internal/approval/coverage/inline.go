package coverage

import (
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/code"
)

// inline covers what code in the arguments, or in a known input, runs.
func (p *planner) inline(c *shell.Call, text string, at spot) {
	if trimmed := strings.TrimSpace(text); trimmed != "" && strings.Trim(trimmed, string(shell.Hole)) == "" {
		w := argument(c, text)
		if len(w.From) > 0 {
			p.printed(w.From, "what "+c.Name+" runs", at, func(string, spot) {})
		} else {
			p.unknown(w, "what "+c.Name+" runs")
		}
	}
	if text == "" && c.In != nil && c.In.Sure {
		text = c.In.Text
	}
	for _, dir := range at.dirs {
		p.imports(c, text, dir)
	}
	if len(at.dirs) == 0 {
		return
	}
	place := p.shellPlace(at.dirs[0])
	effects, nested, _ := code.Effects(c, &place)
	for i := range effects {
		if effects[i].Gap() == shell.GapOpaque {
			p.unsure(c.Name + ": " + effects[i].Reason)
		}
	}
	for _, text := range nested {
		p.follow(text, at.dirs[0], nil)
		if strings.Contains(text, " > ") || strings.Contains(text, " >> ") {
			p.change = "the code of " + c.Name
		}
	}
}

// imports covers the files that code in a hook's own words loads by a plain name.
func (p *planner) imports(c *shell.Call, text, dir string) {
	if isPython(c.Name) {
		eachImport(text, func(name string, _ []string) { p.imported(c, name, dir) })
	}
	for _, word := range [...]string{"sys.path", "use lib", "$LOAD_PATH", "$:", "package.path", "module.paths"} {
		if strings.Contains(text, word) {
			p.unsure(c.Name + " is told by " + word + " where to look for code")
		}
	}
	if !loads(c.Name, text) {
		return
	}
	eachLiteral(text, func(s string) {
		if strings.HasSuffix(s, ".json") || len(s) > 4096 || strings.ContainsAny(s, "\x00\n") {
			return
		}
		p.bare(c, s, dir)
		path := filepath.Clean(s)
		if !isAbs(s) {
			path = filepath.Join(dir, s)
		}
		if !p.brought(path) {
			return
		}
		for _, end := range [...]string{"", ".js", ".mjs", ".cjs", ".ts", ".rb", ".lua", ".py"} {
			if p.look.Kind(path+end) == Regular {
				p.part(path+end, false)
				return
			}
		}
		if p.look.Kind(path) == Directory && path != dir {
			p.unsure(c.Name + " loads code of this repository from " + visible(s))
		}
	})
}

// loads reports whether code has a word by which it runs files.
func loads(program, text string) bool {
	for _, word := range [...]string{"exec", "eval", "compile", "runpy", "importlib", "__import__", "require", "import(", "import ", "fork(", "load", "dofile", "include", "source"} {
		if word == "import " && strings.HasPrefix(program, "python") {
			continue // by names, not by files
		}
		if strings.Contains(text, word) {
			return true
		}
	}
	return program == "perl" && strings.Contains(text, "do ")
}

// eachLiteral calls fn with the texts in quotes.
func eachLiteral(text string, fn func(s string)) {
	for {
		i := strings.IndexAny(text, "'\"`")
		if i < 0 {
			return
		}
		quote := text[i]
		text = text[i+1:]
		end := strings.IndexByte(text, quote)
		if end < 0 {
			return
		}
		if end > 0 {
			fn(text[:end])
		}
		text = text[end+1:]
	}
}
