package code

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// An opaqueProgram runs code in a language that is not read.
type opaqueProgram struct {
	name   string
	code   string // options whose value is code
	loads  string // options whose value is a file with code
	runs   string // words without which code runs no program; "" means that any code may
	script bool   // the first operand is a file with code
	stdin  bool   // without a file, standard input is code
	editor bool   // operands with a plus are code, and so are the values of -c, -sc and similar options
}

// opaquePrograms is sorted by name. Interpreters with a row of their own are in interpreters.
var opaquePrograms = [...]opaqueProgram{
	{name: "bb", code: "-e --eval", loads: "-f --file", script: true},
	{name: "clisp", code: "-x", loads: "-i", script: true},
	{name: "clj", code: "-e --eval", loads: "-i --init", script: true},
	{name: "clojure", code: "-e --eval", loads: "-i --init", script: true},
	{name: "dc", code: "-e --expression", loads: "-f --file", runs: "!", stdin: true},
	{name: "ed", stdin: true, editor: true},
	{name: "emacs", code: "--eval -eval --execute", loads: "-l --load -load --script -script"},
	{name: "emacsclient", code: "-e --eval"},
	{name: "erl", code: "-eval"},
	{name: "ex", code: "-c --cmd", loads: "-S -u", stdin: true, editor: true},
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
	{name: "red", stdin: true, editor: true},
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

// opaqueOf returns the program of that name; nil = it is none whose code is not read.
func opaqueOf(name string) *opaqueProgram {
	for i := range opaquePrograms {
		if opaquePrograms[i].name == name {
			return &opaquePrograms[i]
		}
	}
	return nil
}

// run returns the effect of a call with code that is not read. It reports false where the
// call holds no code, or none that can do harm.
func (p *opaqueProgram) run(c *shell.Call) ([]shell.Effect, []string, bool) {
	operands, harmless := 0, false
	for i := 0; i < len(c.Args); i++ {
		w := c.Args[i].Text
		value, kind := p.option(w)
		if kind != "" && value == "" && i+1 < len(c.Args) {
			i++
			value = c.Args[i].Text
		}
		switch {
		case kind == "code" && p.mayRun(value), kind == "load" && p.runsFile(c, value):
			return unreadCode(c)
		case kind != "":
			harmless = harmless || kind == "code"
		case w == "-":
			if p.editor {
				return nil, nil, false // standard input is the text to edit
			}
		case !strings.HasPrefix(w, "-"):
			operands++
			if p.script && (operands == 1 || langIs(w, opaque)) && p.runsFile(c, w) {
				return unreadCode(c)
			}
		}
	}
	if p.stdin && (operands == 0 || p.editor) {
		text, have, sure := stdinText(c)
		switch {
		case have && !sure:
			return []shell.Effect{pipedCodeEffect(c)}, nil, true
		case have && p.mayRun(text):
			return unreadCode(c)
		}
		harmless = harmless || have
	}
	if harmless {
		return new(result).finish(c)
	}
	return nil, nil, false
}

// option returns what a word is: an option with "code" or with a file to "load". The value
// is empty where it is the next word.
func (p *opaqueProgram) option(w string) (value, kind string) {
	flag, value, joined := strings.Cut(strings.Replace(w, ":", "=", 1), "=") // nim uses a colon
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

// mayRun reports whether code may do harm.
func (p *opaqueProgram) mayRun(code string) bool {
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
		if !plugin && !saves && !known || strings.Trim(word+rest, wordLetters+"= ") != "" {
			return true
		}
	}
	return false
}

// isPlainCall reports whether code is one word or one call without texts, which names no
// file and no command: devtools::test(), disp(1).
func isPlainCall(code string) bool {
	if text, ok := strings.CutPrefix(code, "display notification "); ok { // AppleScript
		return !strings.ContainsAny(text, "&(\n")
	}
	code = strings.TrimSuffix(strings.TrimSpace(code), ";")
	if fn, args, ok := strings.Cut(code, "("); ok {
		code = fn + strings.TrimRight(strings.TrimSuffix(args, ")"), ",. ")
	}
	return strings.Trim(code, wordLetters+":.") == ""
}

// runsFile reports whether a file is code that may do harm: one that the same text wrote, or
// a stream that it opens. Files that were there before are the project's own.
func (p *opaqueProgram) runsFile(c *shell.Call, path string) bool {
	if f := written(c, path); f != nil && f.Source != nil || path == "-" {
		return false
	}
	text, have, sure := scriptText(c, path)
	return have && (!sure || p.mayRun(text))
}

// unreadCode is the result for code in a language that is not read.
func unreadCode(c *shell.Call) ([]shell.Effect, []string, bool) {
	return []shell.Effect{shell.Evaluates(c.Name, "runs code in a language that checkrein does not read")}, nil, true
}

// opaque returns the effect of an interpreter whose language is not read.
func (g *given) opaque(c *shell.Call) ([]shell.Effect, []string, bool) {
	text, have, sure := "", false, false
	switch {
	case g.found:
		text, have, sure = g.code, true, true
	case g.script:
		have = new(opaqueProgram).runsFile(c, g.file)
	default:
		text, have, sure = stdinText(c)
	}
	switch {
	case !have:
		return loaded(c, opaque, g)
	case !sure && !g.script:
		return []shell.Effect{pipedCodeEffect(c)}, nil, true
	case sure && isPlainCall(text):
		return new(result).finish(c)
	}
	return unreadCode(c)
}
