package coverage

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
)

// A commander is a program that takes commands of its own, which are not read: as values of
// options, as operands from one on, or as what flows in.
type commander struct {
	names   string
	options string
	operand int    // the first operand that is a command; 0 = none
	quiet   string // commands that run nothing
	dotted  bool   // only those run something that begin with a dot
	input   bool
}

var commanders = [...]commander{
	{names: "vim vi nvim ex view gvim rvim vimdiff", options: "-c --cmd -S +", quiet: "q q! qa qa! wq x w", input: true},
	{names: "sqlite3", options: "-cmd --cmd", operand: 2, dotted: true, input: true,
		quiet: ".tables .schema .mode .headers .quit .exit .dump .width .timeout .databases .indexes"},
	{names: "ed red", input: true},
	{names: "groff troff gtroff pic gpic man", options: "-U"},
}

// runs reports whether a text has a command that may run something.
func (by *commander) runs(text string) bool {
	for line := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == '|' || r == '\n' }) {
		word, _, _ := strings.Cut(strings.TrimLeft(line, ":+ \t"), " ")
		low := strings.ToLower(line)
		plain := by.dotted && !strings.HasPrefix(word, ".") && !strings.Contains(low, "load_extension") && !strings.Contains(low, "edit(")
		if !plain && !hasWord(by.quiet, word) {
			return true
		}
	}
	return false
}

// tool covers what some programs run by words of their own.
func (p *planner) tool(c *shell.Call, at spot) {
	p.dashed(c, at)
	if facts.TongueOf(c.Name).JavaScript() {
		p.envFiles(c, at)
	}
	for i := range commanders {
		if by := &commanders[i]; hasWord(by.names, c.Name) {
			if by.commanded(c) || by.input && c.In != nil && c.In.Sure && by.runs(c.In.Text) {
				p.unsure(c.Name + " runs commands of its own, which are not read")
			}
			if by.input && fed(c) {
				p.input(c, nil, at)
			}
		}
	}
}

// commanded reports whether the words of a call hold commands that may run something.
func (by *commander) commanded(c *shell.Call) bool {
	operands := 0
	for i, w := range c.Args {
		if w.Text != "" && w.Text[0] != '-' && w.Text[0] != '+' {
			if operands++; by.operand > 0 && operands >= by.operand && by.runs(w.Text) {
				return true
			}
			continue
		}
		for option := range strings.FieldsSeq(by.options) {
			text, is := cutOption(w.Text, option)
			if is && text == "" && i+1 < len(c.Args) {
				text = c.Args[i+1].Text
			}
			if is && (text == "" || by.runs(text)) {
				return true
			}
		}
	}
	return false
}

// cutOption cuts an option, which may stand behind other letters, off a word with its value.
func cutOption(word, option string) (value string, ok bool) {
	if value, ok = strings.CutPrefix(word, option); ok || len(option) != 2 || strings.HasPrefix(word, "--") {
		return value, ok
	}
	at := strings.Index(word, option[1:])
	if at < 1 || word[0] != '-' {
		return "", false
	}
	return word[at+1:], true
}

// fed reports whether a call is given a file or a text to read.
func fed(c *shell.Call) bool {
	for i := range c.Redir {
		if r := &c.Redir[i]; (r.Fd == "" || r.Fd == "0") && strings.HasPrefix(r.Op, "<") {
			return r.Target.Text != "/dev/null"
		}
	}
	return c.In != nil
}

// harmless are programs that no option makes run anything.
const harmless = "echo printf cat tac ls stat file wc head tail nl cut paste tr uniq comm diff cmp md5sum sha1sum sha256sum sha512sum cksum sum b2sum rm rmdir unlink cp mv ln mkdir touch chmod chown chgrp test [ true false : basename dirname realpath readlink du df grep egrep fgrep jq shellcheck gofmt gzip gunzip zcat xz bzip2 tee"

// dashed notes names of files that a program would read as options: * has them too.
func (p *planner) dashed(c *shell.Call, at spot) {
	if hasWord(harmless, c.Name) {
		return
	}
	for i := range c.Args {
		w := &c.Args[i]
		if w.Text == "--" {
			return
		}
		if !w.Glob || w.Text == "" || !strings.ContainsRune("*?[", rune(w.Text[0])) {
			continue
		}
		pattern, _, _ := strings.Cut(strings.ReplaceAll(w.Text, "[!", "[^"), "/")
		for _, dir := range at.dirs {
			if !p.brought(dir) {
				continue
			}
			names, err := p.look.Names(dir)
			if err != nil {
				p.unsure("whether " + visible(w.Text) + " has names that " + c.Name + " reads as options")
			}
			for _, name := range names {
				if is, err := path.Match(pattern, name); name[0] == '-' && (is || err != nil) {
					p.anywhere(c.Name + " reads the name of the file " + visible(name) + " as an option; ./* instead of * keeps it from that")
				}
			}
		}
	}
}

// envFiles notes files of variables that give node options. They are read, and are not
// covered otherwise: they hold secrets.
func (p *planner) envFiles(c *shell.Call, at spot) {
	note := func(w shell.Word) {
		list, _ := p.paths(w, at)
		for _, path := range list {
			text, _ := p.look.File(path)
			for line := range strings.Lines(string(text)) {
				name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
				if strings.TrimSpace(name) == "NODE_OPTIONS" {
					p.anywhere("NODE_OPTIONS in " + visible(filepath.Base(path)) + " may make " + c.Name + " load files")
				}
			}
		}
	}
	for i := range c.Args {
		w := c.Args[i]
		key, val, given := strings.Cut(w.Text, "=")
		switch {
		case !hasWord("--env-file --env-file-if-exists", key):
		case given:
			w.Text = val
			note(w)
		case i+1 < len(c.Args):
			note(c.Args[i+1])
		}
	}
}
