package coverage

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/resolve"
)

// tool covers what some programs run by words of their own.
func (p *planner) tool(c *shell.Call, at spot) {
	p.dashed(c, at)
	switch c.Name {
	case "vim", "vi", "nvim", "ex", "view", "gvim", "rvim", "vimdiff":
		p.vim(c, at)
	case "ed", "red":
		p.input(c, nil, at)
	case "sqlite3":
		p.sqlite(c, at)
	case "groff", "troff", "gtroff", "pic", "gpic", "man":
		p.roff(c, at)
	}
	if facts.TongueOf(c.Name).JavaScript() {
		p.envFiles(c, at)
	}
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

// vim covers the files that commands of vi and its like read.
func (p *planner) vim(c *shell.Call, at spot) {
	for i := range c.Args {
		t := c.Args[i].Text
		switch {
		case i > 0 && (hasWord("-c --cmd", c.Args[i-1].Text) || len(c.Args[i-1].Text) > 2 && strings.HasPrefix(c.Args[i-1].Text, "-") && strings.HasSuffix(c.Args[i-1].Text, "c")):
		case strings.HasPrefix(t, "+"), strings.HasPrefix(t, "-c"):
			t = strings.TrimPrefix(strings.TrimPrefix(t, "+"), "-c")
		case t == "-S":
			if i == len(c.Args)-1 {
				p.script(c, shell.Word{Text: "Session.vim"}, at, "")
			}
			continue
		default:
			continue
		}
		for line := range strings.FieldsFuncSeq(t, func(r rune) bool { return r == '|' || r == '\n' }) {
			p.vimLine(c, line, at)
		}
	}
	if fed(c) {
		p.input(c, nil, at)
	}
}

func (p *planner) vimLine(c *shell.Call, line string, at spot) {
	line = strings.TrimLeft(line, ": \t")
	for _, word := range [...]string{"silent", "sil", "noautocmd", "noa", "keepalt", "exe", "execute"} {
		rest, ok := strings.CutPrefix(line, word)
		if ok && rest != "" && strings.ContainsRune(" !\t'\"", rune(rest[0])) {
			line = strings.Trim(rest, "! \t'\"")
		}
	}
	name, file, _ := strings.Cut(strings.ReplaceAll(line, "!", " "), " ")
	if name == "" || len(name) < 2 {
		return
	}
	for _, full := range [...]string{"source", "luafile", "pyfile", "py3file", "pyxfile", "rubyfile", "perlfile", "mzfile", "tclfile", "runtime", "loadview"} {
		if strings.HasPrefix(full, name) {
			p.script(c, shell.Word{Text: strings.TrimSpace(file)}, at, "which file "+c.Name+" runs")
		}
	}
}

// fed reports whether a call is given something to read beside the event.
func fed(c *shell.Call) bool {
	for i := range c.Redir {
		if r := &c.Redir[i]; (r.Fd == "" || r.Fd == "0") && strings.HasPrefix(r.Op, "<") {
			return r.Target.Text != "/dev/null"
		}
	}
	return c.In != nil
}

// sqlite covers what commands of sqlite3 run.
func (p *planner) sqlite(c *shell.Call, at spot) {
	operands := 0
	for i := 0; i < len(c.Args); i++ {
		t := c.Args[i].Text
		switch {
		case hasWord("-init --init", t):
			i++
			continue
		case hasWord("-cmd --cmd", t) && i+1 < len(c.Args):
			i++
			t = c.Args[i].Text
		case hasWord("-separator -newline -nullvalue -mmap -maxsize -vfs -A", t):
			i++
			continue
		case strings.HasPrefix(t, "-"):
			continue
		default:
			operands++
		}
		p.sqlText(c, t, at)
	}
	if c.In != nil && c.In.Sure {
		p.sqlText(c, c.In.Text, at)
	}
	if operands < 2 {
		p.input(c, nil, at)
	}
}

func (p *planner) sqlText(c *shell.Call, text string, at spot) {
	if strings.Contains(strings.ToLower(text), "load_extension") {
		p.unsure("sqlite3 loads an extension")
	}
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		word, rest, _ := strings.Cut(line, " ")
		rest = strings.TrimSpace(rest)
		if len(word) < 2 || word[0] != '.' {
			continue
		}
		if at0 := strings.IndexByte(rest, '|'); at0 >= 0 && len(at.dirs) > 0 { // .read '|x', .once '|x'
			p.follow(strings.Trim(rest[at0+1:], "'\""), at.dirs[0], nil)
			continue
		}
		switch {
		case strings.HasPrefix(".read", word) && len(word) > 3, strings.HasPrefix(".load", word) && len(word) > 2:
			p.loaded(c.Name, resolve.LoadsFile, shell.Word{Text: strings.Trim(rest, "'\""), Quoted: true}, at)
		case (strings.HasPrefix(".shell", word) || strings.HasPrefix(".system", word)) && len(at.dirs) > 0:
			p.follow(rest, at.dirs[0], nil)
		}
	}
}

// roff covers documents that may run programs: by -U.
func (p *planner) roff(c *shell.Call, at spot) {
	unsafe := false
	for i := range c.Args {
		t := c.Args[i].Text
		unsafe = unsafe || len(t) > 1 && t[0] == '-' && t[1] != '-' && strings.Contains(t, "U")
	}
	if !unsafe {
		return
	}
	p.unsure(c.Name + " -U runs what documents say, and what they include")
	for i := range c.Args {
		if !strings.HasPrefix(c.Args[i].Text, "-") {
			p.script(c, c.Args[i], at, "which file "+c.Name+" runs")
		}
	}
	if fed(c) {
		p.input(c, nil, at)
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

// nodeModules are modules that node has itself: node_modules does not come before them.
const nodeModules = "assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib"

// bare covers a package of node_modules, or the repository's own, that code loads by
// its name.
func (p *planner) bare(c *shell.Call, name, dir string) {
	first, _, _ := strings.Cut(name, "/")
	switch {
	case !facts.TongueOf(c.Name).JavaScript(), name == "", len(name) > 200,
		strings.ContainsAny(name, " \t\n\\:<>(){};"+string(shell.Hole)), strings.ContainsAny(name[:1], "./~-"), hasWord(nodeModules, name), hasWord(nodeModules, first) && first == name:
		return
	}
	if rest := strings.TrimPrefix(name, first+"/"); name[0] == '@' && rest != name {
		second, _, _ := strings.Cut(rest, "/")
		first += "/" + second
	}
	for d := dir; p.brought(d); d = filepath.Dir(d) {
		at := filepath.Join(d, "node_modules", name)
		for _, end := range [...]string{"", ".js", ".mjs", ".cjs", ".json", ".node"} {
			p.part(at+end, false)
		}
		if pkg := filepath.Join(d, "node_modules", first); p.look.Kind(pkg) == Directory {
			for _, file := range [...]string{"package.json", "index.js"} {
				p.part(filepath.Join(pkg, file), false)
			}
			p.anywhere(c.Name + " loads " + visible(first) + " of this repository's node_modules")
			return
		}
		own := filepath.Join(d, "package.json")
		if name[0] == '#' && p.look.Kind(own) == Regular || p.owns(own, first) {
			p.part(own, false)
			p.anywhere(c.Name + " loads " + visible(name) + " of this repository")
		}
		if d == filepath.Dir(d) {
			return
		}
	}
}

// owns reports whether a package.json lets its package be loaded by its name.
func (p *planner) owns(path, name string) bool {
	if p.look.Kind(path) != Regular {
		return false
	}
	text, err := p.look.File(path)
	return err != nil || strings.Contains(string(text), `"exports"`) && strings.Contains(string(text), `"`+name+`"`)
}
