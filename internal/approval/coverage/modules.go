package coverage

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A language is how code of one language loads other files of it by plain words. What
// it loads by a name that is made while it runs is not followed.
type language struct {
	tongue facts.Tongue
	words  string   // a line with one of these may name a file
	ends   []string // that a name may go without
	here   bool     // names count from where it runs, too, not only from beside the file
	bare   bool     // a name need not begin with a dot
}

var languages = [...]language{
	{tongue: facts.Python, ends: []string{".py"}},
	{tongue: facts.Node, words: "require import from export fork( Worker(", ends: []string{".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx", "/index.js", "/index.mjs", "/index.cjs", "/index.ts"}},
	{tongue: facts.Ruby, words: "require_relative require load autoload", ends: []string{".rb"}, here: true, bare: true},
	{tongue: facts.Perl, words: "require do use", ends: []string{".pm", ".pl"}, here: true, bare: true},
	{tongue: facts.PHP, words: "require include require_once include_once", here: true, bare: true},
	{tongue: facts.Lua, words: "require dofile loadfile", ends: []string{".lua", "/init.lua"}, here: true, bare: true},
	{tongue: facts.R, words: "source(", here: true, bare: true},
}

// languageOf is the language of an interpreter; nil = its files are not looked into.
func languageOf(program string) *language {
	tongue := facts.TongueOf(program)
	if tongue.JavaScript() {
		tongue = facts.Node
	}
	for i := range languages {
		if l := &languages[i]; l.tongue == tongue {
			return l
		}
	}
	return nil
}

// A speaking is what is known of the interpreter whose files are covered.
type speaking struct {
	language
	bases []string // where it looks for modules first
	dirs  []string // where it runs
}

// speak begins with the files of an interpreter. Its language counts until the returned
// function is called.
func (p *planner) speak(c *shell.Call, file string, at spot) func() {
	before := p.speaks
	p.speaks = nil
	if l := languageOf(c.Name); l != nil {
		p.speaks = &speaking{language: *l, bases: at.dirs, dirs: at.dirs}
		if file != "" {
			p.speaks.bases = nil
			list, _ := p.paths(argument(c, file), at)
			for _, path := range list {
				p.speaks.bases = append(p.speaks.bases, pyFirst(path)...)
			}
		}
		if isPython(c.Name) && pySafe(c) {
			p.speaks.bases = nil
		}
		if c.Name == "perl" || c.Name == "ruby" {
			for i, w := range c.Args {
				if dir, ok := strings.CutPrefix(w.Text, "-I"); ok {
					if dir == "" && i+1 < len(c.Args) {
						dir = c.Args[i+1].Text
					}
					for _, at := range at.dirs {
						p.speaks.bases = append(p.speaks.bases, joined(at, dir))
					}
				}
			}
		}
	}
	return func() { p.speaks = before }
}

func joined(dir, path string) string {
	if isAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// loadsMore covers the files that a file of an interpreter's loads.
func (p *planner) loadsMore(path string) {
	if p.speaks == nil || slices.Contains(p.ran, "m"+path) || hasWord(".so .pyc .pyd .pth .cfg .json .node .toml .yaml .yml .sh", filepath.Ext(path)) {
		return
	}
	p.ran = append(p.ran, "m"+path)
	text, err := p.look.File(path)
	if err != nil || bytes.IndexByte(text[:min(len(text), 512)], 0) >= 0 {
		return
	}
	if p.bytes += len(text); p.bytes > maxBytes {
		p.anywhere("it runs more than is followed")
		return
	}
	if p.speaks.words == "" {
		p.pythonLoads(path, string(text))
		return
	}
	for line := range strings.Lines(string(text)) {
		if p.speaks.says(line) {
			p.lineLoads(path, line)
		}
	}
}

// says reports whether a line may name a file to load.
func (s *speaking) says(line string) bool {
	for word := range strings.FieldsSeq(s.words) {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}

// lineLoads covers the files that a line names.
func (p *planner) lineLoads(path, line string) {
	s := p.speaks
	dirs := []string{filepath.Dir(path)}
	if s.here {
		for _, dir := range slices.Concat(s.bases, s.dirs) {
			if !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	if words := strings.Fields(line); len(words) > 1 && words[0] == "use" && s.tongue == facts.Perl {
		p.perlUses(path, words, line, dirs)
		return
	}
	eachLiteral(line, func(name string) {
		if name == "" || len(name) > 4096 || strings.ContainsAny(name, "\x00\n ") || !s.bare && name[0] != '.' && name[0] != '/' {
			return
		}
		name = strings.TrimLeft(name, "/") // __DIR__ . '/x.php'
		if s.tongue == facts.Lua && !strings.HasSuffix(name, ".lua") {
			name = strings.ReplaceAll(name, ".", "/")
		}
		for _, dir := range dirs {
			p.loadedFile(filepath.Join(dir, filepath.FromSlash(name)))
		}
	})
}

// loadedFile covers a file that is loaded, with the ending that it goes without.
func (p *planner) loadedFile(path string) {
	if !p.brought(path) {
		return
	}
	for _, end := range append([]string{""}, p.speaks.ends...) {
		if p.look.Kind(path+end) == Regular {
			if !strings.HasSuffix(path+end, ".json") {
				p.part(path+end, false)
			}
			return
		}
	}
}

// perlUses covers use lib DIR, and use Foo::Bar from such a directory.
func (p *planner) perlUses(path string, words []string, line string, dirs []string) {
	if words[1] == "lib" {
		eachLiteral(strings.NewReplacer("qw(", "'", "qw/", "'", ")", "'", "$FindBin::Bin", filepath.Dir(path), "$FindBin::RealBin", filepath.Dir(path), "${FindBin::Bin}", filepath.Dir(path)).Replace(line), func(dir string) {
			for _, at := range p.speaks.dirs {
				p.speaks.bases = append(p.speaks.bases, joined(at, dir))
			}
		})
		return
	}
	name := strings.Trim(words[1], ";")
	for _, dir := range dirs {
		p.loadedFile(filepath.Join(dir, filepath.FromSlash(strings.ReplaceAll(name, "::", "/"))))
	}
}

// pythonLoads covers the modules that a file of Python imports.
func (p *planner) pythonLoads(path, text string) {
	eachImport(text, func(module string, names []string) {
		name := strings.TrimLeft(module, ".")
		bases := p.speaks.bases
		if dots := len(module) - len(name); dots > 0 {
			base := filepath.Dir(path)
			for range dots - 1 {
				base = filepath.Dir(base)
			}
			bases = []string{base}
		}
		for _, base := range bases {
			p.pythonModule(base, name, names)
		}
	})
}

// pythonModule covers a module with the packages that it lies in, and those of names
// that are modules as well.
func (p *planner) pythonModule(dir, module string, names []string) {
	if !p.brought(dir) {
		return
	}
	if module != "" {
		for name := range strings.SplitSeq(module, ".") {
			if name == "" || strings.ContainsAny(name, "/\\\x00"+string(shell.Hole)) {
				return
			}
			p.part(filepath.Join(dir, name+".py"), false)
			if dir = filepath.Join(dir, name); p.look.Kind(dir) != Directory {
				return
			}
			p.part(filepath.Join(dir, "__init__.py"), false)
		}
	}
	for _, name := range names {
		p.part(filepath.Join(dir, name+".py"), false)
		if sub := filepath.Join(dir, name); p.look.Kind(sub) == Directory {
			p.part(filepath.Join(sub, "__init__.py"), false)
		}
	}
}

// eachImport calls fn with the modules that a text in Python imports, and with what it
// takes from them.
func eachImport(text string, fn func(module string, names []string)) {
	for text != "" {
		end := strings.IndexAny(text, "\n;")
		line, rest := text, ""
		if end >= 0 {
			line, rest = text[:end], text[end+1:]
		}
		line = strings.TrimLeft(line, " \t")
		if strings.HasPrefix(line, "from ") || strings.HasPrefix(line, "from\t") {
			// Names in brackets, or behind a backslash, go on in the next lines.
			for strings.HasSuffix(strings.TrimRight(line, " \t\r"), "\\") || strings.Contains(line, "(") && !strings.Contains(line, ")") {
				more, after, found := strings.Cut(rest, "\n")
				if !found && more == "" {
					break
				}
				line, rest = strings.TrimRight(strings.TrimRight(line, " \t\r"), "\\")+" "+cutComment(more), after
			}
		}
		if text = rest; !strings.Contains(line, "import") {
			continue
		}
		words := strings.FieldsFunc(cutComment(line), func(r rune) bool { return strings.ContainsRune(" \t\r,()", r) })
		switch {
		case len(words) < 2:
		case words[0] == "from":
			module, at := words[1], 3
			if strings.HasSuffix(module, "import") && strings.Trim(module, ".") == "import" { // from .import x
				module, at = strings.TrimSuffix(module, "import"), 2
			}
			fn(module, notAs(words[min(at, len(words)):]))
		case words[0] == "import":
			for _, name := range notAs(words[1:]) {
				fn(name, nil)
			}
		}
	}
}

func cutComment(line string) string {
	line, _, _ = strings.Cut(line, "#")
	return line
}

// notAs are names without those that they are given.
func notAs(words []string) []string {
	var out []string
	for i, w := range words {
		if w != "as" && (i == 0 || words[i-1] != "as") && w != "*" {
			out = append(out, w)
		}
	}
	return out
}
