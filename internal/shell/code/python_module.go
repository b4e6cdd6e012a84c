package code

import (
	"strconv"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A moduleOut is a module of python that writes a file when it is run with -m.
type moduleOut struct {
	name   string
	flags  string // options whose value is written
	value  string // further options that take a value
	at     int    // the operand that is written, counted from 1; 0 = none
	script bool   // the first operand is a script that it runs
}

// moduleOuts is sorted by name.
var moduleOuts = [...]moduleOut{
	{name: "cProfile", flags: "-o --outfile", value: "-s --sort", script: true},
	{name: "json", value: "--indent", at: 2},
	{name: "json.tool", value: "--indent", at: 2},
	{name: "pickletools", flags: "-o --output", value: "-l --indentlevel -p --preamble"},
	{name: "profile", flags: "-o --outfile", value: "-s --sort", script: true},
	{name: "profiling.tracing", flags: "-o --outfile", value: "-s --sort", script: true},
	{name: "tarfile", flags: "-c --create"},
	{name: "trace", flags: "-f --file", value: "-C --coverdir --ignore-module --ignore-dir", script: true},
	{name: "uu", at: 2},
	{name: "zipapp", flags: "-o --output", value: "-p --python -m --main"},
	{name: "zipfile", flags: "-c --create", value: "--metadata-encoding"},
}

// moduleWrites is a call of a module that writes a file, as code that does the same.
func moduleWrites(module string, args []shell.Word) (console, bool) {
	k := console{lang: python, found: true}
	for i := range moduleOuts {
		if m := &moduleOuts[i]; m.name == module {
			m.read(&k, args)
		}
	}
	return k, k.code != ""
}

// read takes what the words of a call say that is written.
func (m *moduleOut) read(k *console, args []shell.Word) {
	write := func(path string) { k.code += "open(" + strconv.Quote(path) + ", 'w')\n" }
	operands := 0
	for i := 0; i < len(args); i++ {
		w := args[i].Text
		flag, val, has := strings.Cut(w, "=")
		switch {
		case len(w) < 2 || w[0] != '-':
			if operands++; operands == m.at {
				write(w)
			}
			if m.script {
				k.script = w
				return // what follows are the script's own words
			}
		case !has && facts.InList(m.flags+" "+m.value, w):
			if i++; i < len(args) && facts.InList(m.flags, w) {
				write(args[i].Text)
			}
		case has && facts.InList(m.flags, flag):
			write(val)
		case w[1] != '-' && len(w) > 2 && facts.InList(m.flags, w[:2]):
			write(w[2:])
		}
	}
}

// clearsDirectory is `python -m venv --clear dir`, which empties the directory first.
func clearsDirectory(args []shell.Word) (console, bool) {
	k := console{lang: python, found: true}
	clear := false
	for i := 0; i < len(args); i++ {
		switch w := args[i].Text; {
		case w == "--clear":
			clear = true
		case w == "--prompt":
			i++
		case w != "" && w[0] != '-':
			k.code += "import shutil; shutil.rmtree(" + strconv.Quote(w) + ")\n"
		}
	}
	return k, clear && k.code != ""
}
