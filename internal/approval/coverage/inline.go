package coverage

import (
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/code"
)

// addInlineCode covers what text runs, which is code in the arguments of c. If text is "", it covers
// the standard input of c as far as that is known.
func (p *planner) addInlineCode(c *shell.Call, text string, at spot) {
	if trimmed := strings.TrimSpace(text); trimmed != "" && strings.Trim(trimmed, string(shell.Placeholder)) == "" {
		w := argumentWord(c, text)
		if len(w.From) > 0 {
			p.addPrintedFiles(w.From, "what "+c.Name+" runs", at, func(string, spot) {})
		} else {
			p.noteUnknownWord(w, "what "+c.Name+" runs")
		}
	}
	if text == "" && c.In != nil && c.In.Complete {
		text = c.In.Text
	}
	for _, dir := range at.dirs {
		p.addLoadedByCode(c, text, dir)
	}
	if len(at.dirs) == 0 {
		return
	}
	place := p.shellPlace(at.dirs[0])
	effects, nested, _ := code.Effects(c, &place)
	for i := range effects {
		if effects[i].Gap() == shell.GapOpaque {
			p.noteUnsure(c.Name + ": " + effects[i].Reason)
		}
	}
	for _, text := range nested {
		p.followText(text, at.dirs[0], nil)
		if strings.Contains(text, " > ") || strings.Contains(text, " >> ") {
			p.change = "the code of " + c.Name
		}
	}
}

// loadWords lists words with which code in one of several languages loads or runs files.
const loadWords = "exec eval compile runpy importlib __import__ require import fork( load dofile include source do"

// codeSuffixes lists the file name extensions that code may omit when it loads a file.
var codeSuffixes = [...]string{"", ".js", ".mjs", ".cjs", ".ts", ".rb", ".lua", ".py", ".pl", ".pm"}

// nodeModules lists the modules that are built into Node.js.
const nodeModules = "assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns " +
	"domain events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl " +
	"stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib"

// addLoadedByCode covers the files that text, the code of a call in the hook's own text, loads by a
// literal name when it runs in dir.
func (p *planner) addLoadedByCode(c *shell.Call, text, dir string) {
	for _, word := range [...]string{"sys.path", "use lib", "$LOAD_PATH", "$:", "package.path", "module.paths"} {
		if strings.Contains(text, word) {
			p.noteUnsure(c.Name + " searches for code where " + word + " points")
		}
	}
	loads := false
	for word := range strings.FieldsSeq(loadWords) {
		loads = loads || strings.Contains(text, word)
	}
	if !loads {
		return
	}
	eachQuoted(text, func(name string) {
		if len(name) > 4096 || strings.ContainsAny(name, "\x00\n") || strings.HasSuffix(name, ".json") || hasWord(nodeModules, name) {
			return
		}
		p.addLoadedName(c, name, p.resolveDots(dir, name), dir)
		if !facts.LanguageOf(c.Name).IsJavaScript() || strings.ContainsAny(name[:1], "./") {
			return
		}
		for d := dir; p.inRepo(d); d = filepath.Dir(d) { // a package in the repository
			p.addLoadedName(c, name, filepath.Join(d, "node_modules", name), dir)
			if d == filepath.Dir(d) {
				break
			}
		}
	})
}

// addLoadedName covers the file at path, with one of codeSuffixes, which code in dir loads as name. If
// path is a directory, it records in Plan.Unsure that code is loaded from there.
func (p *planner) addLoadedName(c *shell.Call, name, path, dir string) {
	if !p.inRepo(path) {
		return
	}
	for _, end := range codeSuffixes {
		if p.disk.Kind(path+end) == Regular {
			p.addFile(path+end, false)
			return
		}
	}
	if p.disk.Kind(path) == Directory && path != dir {
		p.noteUnsureAnywhere(c.Name + " loads code of this repository from " + messageText(name))
	}
}

// eachQuoted calls fn with each non-empty quoted string in text.
func eachQuoted(text string, fn func(s string)) {
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
