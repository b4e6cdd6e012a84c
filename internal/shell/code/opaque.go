package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// An opaqueProgram is a program that runs code in a language that this package does not read.
type opaqueProgram struct {
	name   string
	code   string // options whose value is code
	loads  string // options whose value is a file of code
	runs   string // code without any of these words runs no program; "" if unknown
	script bool   // the first operand is a file of code
	stdin  bool   // without operands, standard input is code
	editor bool   // code may follow + in an operand, or an option that ends in c, such as -sc
	lines  bool   // standard input has a command of an editor in each line, as opposed to keystrokes
}

// opaquePrograms is sorted by name. Other interpreters of opaque languages are in interpreters.
var opaquePrograms = [...]opaqueProgram{
	{name: "bb", code: "-e --eval", loads: "-f --file", script: true},
	{name: "clisp", code: "-x", loads: "-i", script: true},
	{name: "clj", code: "-e --eval", loads: "-i --init", script: true},
	{name: "clojure", code: "-e --eval", loads: "-i --init", script: true},
	{name: "dc", code: "-e --expression", loads: "-f --file", runs: "!", stdin: true},
	{name: "ed", stdin: true, editor: true, lines: true},
	{name: "emacs", code: "--eval -eval --execute", loads: "-l --load -load --script -script"},
	{name: "emacsclient", code: "-e --eval"},
	{name: "erl", code: "-eval"},
	{name: "ex", code: "-c --cmd", loads: "-S -u", stdin: true, editor: true, lines: true},
	{name: "expect", code: "-c", loads: "-f", script: true, stdin: true},
	{name: "ghc", code: "-e"},
	{name: "gnuplot", code: "-e", runs: "! ` system popen", script: true, stdin: true},
	{name: "guile", code: "-c", loads: "-l -s", script: true, stdin: true},
	{name: "gvim", code: "-c --cmd", loads: "-S -u", editor: true},
	{name: "java", script: true},
	{name: "jimsh", code: "-e", script: true, stdin: true},
	{name: "m4", runs: "syscmd", script: true, stdin: true},
	{name: "matlab", code: "-batch -r"},
	{name: "nim", code: "--eval"},
	{name: "nvim", code: "-c --cmd", loads: "-S -u -l", stdin: true, editor: true},
	{name: "ocaml", code: "-e", script: true, stdin: true},
	{name: "octave", code: "--eval -eval", script: true, stdin: true},
	{name: "racket", code: "-e --eval", loads: "-f -r -t -u", script: true},
	{name: "raku", code: "-e", script: true, stdin: true},
	{name: "red", stdin: true, editor: true, lines: true},
	{name: "runghc", script: true, stdin: true},
	{name: "runhaskell", script: true, stdin: true},
	{name: "rview", code: "-c --cmd", loads: "-S -u", stdin: true, editor: true},
	{name: "rvim", code: "-c --cmd", loads: "-S -u", stdin: true, editor: true},
	{name: "sbcl", code: "--eval", loads: "--load --script"},
	{name: "tclsh", script: true, stdin: true},
	{name: "vi", code: "-c --cmd", loads: "-S -u", stdin: true, editor: true},
	{name: "view", code: "-c --cmd", loads: "-S -u", stdin: true, editor: true},
	{name: "vim", code: "-c --cmd", loads: "-S -u", stdin: true, editor: true},
	{name: "vimdiff", code: "-c --cmd", loads: "-S -u", stdin: true, editor: true},
	{name: "wish", script: true, stdin: true},
}

// findOpaqueProgram returns the opaque program with the given name, or nil.
func findOpaqueProgram(name string) *opaqueProgram {
	for i := range opaquePrograms {
		if opaquePrograms[i].name == name {
			return &opaquePrograms[i]
		}
	}
	return nil
}

// effects returns the effects of c, a call of p, whose code is not read. Code that can do no harm is
// safe. It reports false if c runs no code, or only files from disk.
func (p *opaqueProgram) effects(c *shell.Call) ([]shell.Effect, []string, bool) {
	operands, harmless := 0, false
	for i := 0; i < len(c.Args); i++ {
		w := c.Args[i].Text
		value, kind := p.parseOption(w)
		if kind != "" && value == "" && i+1 < len(c.Args) {
			i++
			value = c.Args[i].Text
		}
		switch {
		case kind == "code" && p.mayDoHarm(value), kind == "load" && p.runsHarmfulFile(c, value):
			return unreadCodeEffects(c)
		case kind != "":
			harmless = harmless || kind == "code"
		case p.editor && strings.HasPrefix(w, "!"):
			return unreadCodeEffects(c) // ed edits the output of a command
		case w == "-":
			if p.editor {
				return nil, nil, false // the editor edits its standard input
			}
		case !strings.HasPrefix(w, "-"):
			operands++
			if p.script && (operands == 1 || hasExtensionOf(w, opaque)) && p.runsHarmfulFile(c, w) {
				return unreadCodeEffects(c)
			}
		}
	}
	if p.stdin && (operands == 0 || p.editor) {
		text, have, sure := stdinText(c)
		switch {
		case have && !sure:
			return []shell.Effect{pipedCodeEffect(c)}, nil, true
		case have && p.mayDoHarm(text) && !(p.lines && onlyEdits(text)):
			return unreadCodeEffects(c)
		}
		harmless = harmless || have
	}
	if harmless {
		return new(result).finish(c)
	}
	return nil, nil, false
}

// parseOption returns the kind and value of the option w. The kind is "code" if the value is code,
// "load" if it is a file of code, and "" if w is no such option. The value is "" if it is in the next
// argument.
func (p *opaqueProgram) parseOption(w string) (value, kind string) {
	flag, value, joined := strings.Cut(strings.Replace(w, ":", "=", 1), "=") // nim accepts --eval:code
	switch {
	case facts.InList(p.code, w), p.editor && len(w) > 2 && strings.Trim(w, "-esEnNRymbZc") == "" && strings.HasSuffix(w, "c"):
		return "", "code"
	case facts.InList(p.loads, w):
		return "", "load"
	case joined && facts.InList(p.code, flag):
		return value, "code"
	case joined && facts.InList(p.loads, flag):
		return value, "load"
	case len(w) > 2 && w[1] != '-' && facts.InList(p.code, w[:2]):
		return w[2:], "code"
	case p.editor && len(w) > 1 && w[0] == '+':
		return w[1:], "code"
	case strings.HasPrefix(w, "("):
		return w, "code"
	}
	return "", ""
}

// mayDoHarm reports whether code may start programs or change files. An editor may save the file that
// it edits.
func (p *opaqueProgram) mayDoHarm(code string) bool {
	if p.runs != "" {
		return containsAny(code, strings.Fields(p.runs)...)
	}
	if !p.editor {
		return !isPlainCall(code)
	}
	for line := range strings.Lines(code) {
		word, rest, _ := strings.Cut(strings.Trim(line, ": \t\n"), " ")
		word = strings.TrimSuffix(word, "!")
		plugin := word != "" && word[0] >= 'A' && word[0] <= 'Z'
		saves := rest == "" && facts.InList("w wa wq wqa x xa", word)
		known := facts.InList("q qa qall quit set", word) || strings.Trim(word, "0123456789") == ""
		if p.lines && onlyEdits(line) {
			continue
		}
		if !plugin && !saves && !known || strings.Trim(word+rest, identChars+"= ") != "" {
			return true
		}
	}
	return false
}

// projectTools are functions that test, check and prepare a project. Their words name no file and no
// command.
const projectTools = "devtools::test devtools::check devtools::document devtools::load_all devtools::install_deps " +
	"renv::restore renv::status renv::snapshot lintr::lint_package styler::style_pkg covr::package_coverage " +
	"Pkg.test Pkg.instantiate Pkg.status Pkg.resolve Pkg.precompile"

// isPlainCall reports whether code is an identifier or a single call without string arguments, such as
// devtools::test() or disp(1), after any number of loads of packages, as `using Pkg`. A call of one of
// projectTools may have words as arguments. Such code names neither a file nor a command.
func isPlainCall(code string) bool {
	for {
		first, rest, more := strings.Cut(code, ";")
		name, ok := strings.CutPrefix(strings.TrimSpace(first), "using ")
		if !ok || !more || !facts.InList("Pkg Test", strings.TrimSpace(name)) {
			break
		}
		code = rest
	}
	if text, ok := strings.CutPrefix(code, "display notification "); ok { // AppleScript
		return !strings.ContainsAny(text, "&(\n")
	}
	code = strings.TrimSuffix(strings.TrimSpace(code), ";")
	if fn, args, ok := strings.Cut(code, "("); ok {
		if facts.InList(projectTools, fn) && strings.HasSuffix(args, ")") {
			args = strings.Map(func(r rune) rune {
				if strings.ContainsRune("\"'= ", r) {
					return -1
				}
				return r
			}, args)
		}
		code = fn + strings.TrimRight(strings.TrimSuffix(args, ")"), ",. ")
	}
	return strings.Trim(code, identChars+":.") == ""
}

// runsHarmfulFile reports whether the file at path may do harm, and the same command line wrote it or
// opens it as a stream. It reports false for files from disk, because they belong to the project.
func (p *opaqueProgram) runsHarmfulFile(c *shell.Call, path string) bool {
	if f := knownFile(c, path); f != nil && f.Source != nil || path == "-" {
		return false
	}
	text, have, sure := scriptText(c, path)
	return have && (!sure || p.mayDoHarm(text))
}

// unreadCodeEffects returns the effects of c running code in a language that is not read.
func unreadCodeEffects(c *shell.Call) ([]shell.Effect, []string, bool) {
	return []shell.Effect{shell.OpaqueEffect(c.Name, "runs code in a language that checkrein does not read")}, nil, true
}

// opaqueEffects returns the effects of c, a call of an interpreter whose language is not read.
func (g *codeSource) opaqueEffects(c *shell.Call) ([]shell.Effect, []string, bool) {
	text, have, sure := "", false, false
	switch {
	case g.found:
		text, have, sure = g.code, true, true
	case g.script:
		have = new(opaqueProgram).runsHarmfulFile(c, g.file)
	default:
		text, have, sure = stdinText(c)
	}
	switch {
	case !have:
		return preloadEffects(c, opaque, g)
	case !sure && !g.script:
		return []shell.Effect{pipedCodeEffect(c)}, nil, true
	case sure && isPlainCall(text):
		return new(result).finish(c)
	}
	return unreadCodeEffects(c)
}
