package exfil

import (
	"strings"

	"github.com/checkrein/checkrein/internal/catalog/facts"
	"github.com/checkrein/checkrein/internal/shell"
	"github.com/checkrein/checkrein/internal/shell/program"
)

// remotePath splits host:path. A colon after a slash is part of a local name,
// and one letter before a colon is a drive.
func remotePath(text string) (h facts.Host, ok bool) {
	for _, scheme := range [...]string{"scp://", "sftp://", "ssh://", "rsync://", "ftp://"} {
		if strings.HasPrefix(text, scheme) {
			return facts.HostOf(text), true
		}
	}
	if strings.HasPrefix(text, "[") || strings.Contains(text, "@[") {
		addr, _, ok := strings.Cut(text, "]:")
		return facts.HostOf(addr + "]"), ok
	}
	i := strings.IndexByte(text, ':')
	if i <= 0 || i == 1 && facts.Letter(text[0]) && len(text) > 2 && (text[2] == '\\' || text[2] == '/') {
		return facts.Host{}, false
	}
	if slash := strings.IndexByte(text, '/'); slash >= 0 && slash < i {
		return facts.Host{}, false
	}
	return facts.HostOf(text[:i]), true
}

// toRemote judges a copy of args[:last] to args[last].
func (t *tracer) toRemote(c *shell.Call, args []shell.Word) (shell.Effect, bool) {
	if len(args) < 2 {
		return shell.Effect{}, false
	}
	target := args[len(args)-1]
	h, ok := remotePath(target.Text)
	if !ok {
		if target.Known() || strings.HasPrefix(target.Text, "/") || strings.HasPrefix(target.Text, ".") {
			return shell.Effect{}, false
		}
		// The target is not known: a secret counts as sent away, a file may be.
		h = facts.Host{Zone: facts.Away}
	}
	s := transfer{to: h}
	for i := range args[:len(args)-1] {
		w := &args[i]
		if _, remote := remotePath(w.Text); remote {
			continue
		}
		l := t.fileWordLoad(c, w)
		if l.level < file && (len(w.From) > 0 || hasInput(c)) {
			l = worseLoad(load{level: file, what: "unknown files"}, t.inputLoad(c))
		}
		l.shareable = l.shareable || !ok || deletes(c)
		s.addLoad(l, copied)
	}
	return s.effect(c)
}

// deletes reports whether a copy also deletes what is only at the target. That
// is the worse half, and others tell of it; ordinary files do not outdo it.
func deletes(c *shell.Call) bool {
	for i := range c.Args {
		a := c.Args[i].Text
		if (a == "-e" || a == "--rsh") && i+1 < len(c.Args) && runsShell(c.Args[i+1].Text) {
			return true // what the shell does counts, and it sends nothing
		}
		if strings.HasPrefix(a, "--del") || a == "sync" && program.SendsOf(c.Name) == program.SendsBucket || a == "--remove" || a == "-d" && hasArg(c, "rsync") || a == "--remove-source-files" {
			return true
		}
	}
	return false
}

// maxArgs bounds how many arguments of one call are held.
const maxArgs = 1024

// arguments returns the words that are neither options nor their values. With
// many, the first ones and the last one stay.
func arguments(c *shell.Call) []shell.Word {
	var list []shell.Word
	var w program.Walk
	for w.Start(c); w.Next(); {
		if w.Name != "" {
			continue
		}
		if len(list) >= maxArgs {
			list = list[:maxArgs-1]
		}
		list = append(list, w.Arg)
	}
	return list
}

func (t *tracer) scp(c *shell.Call) (shell.Effect, bool) {
	return t.toRemote(c, arguments(c))
}

func (t *tracer) rsync(c *shell.Call) (shell.Effect, bool) {
	if hasArg(c, "--dry-run") || hasArg(c, "--list-only") || bundled(c, 'n') {
		return shell.Effect{}, false
	}
	return t.toRemote(c, arguments(c))
}

// bundled reports whether a letter is among a call's short options.
func bundled(c *shell.Call, b byte) bool {
	for i := range c.Args {
		a := c.Args[i].Text
		if len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.IndexByte(a, b) > 0 && strings.IndexByte(a, '=') < 0 {
			return true
		}
	}
	return false
}

// ssh sends what is piped into it and what is substituted into its command.
func (t *tracer) ssh(c *shell.Call) (shell.Effect, bool) {
	var h facts.Host
	var command load
	script, forward := false, false
	var w program.Walk
	for w.Start(c); w.Next(); {
		switch {
		case w.Name == "R":
			forward = true
		case w.Name == "o":
			command = worseLoad(command, sentVariables(w.Arg.Text))
		case w.Name != "":
		case !h.Set():
			h = facts.HostOf(w.Arg.Text)
		default:
			// the rest is the command over there
			command = worseLoad(command, t.wordLoad(&w.Arg))
			script = script || runsShell(strings.TrimPrefix(w.Arg.Text, "sudo "))
		}
	}
	if !h.Set() {
		return shell.Effect{}, false
	}
	s := transfer{to: h}
	if command.level > unclear {
		s.addLoad(command, body)
	}
	if forward {
		// A remote forward lets others in, even without input.
		s.addLoad(load{level: unclear, what: "data from a port on this machine"}, body)
	}
	if hasInput(c) {
		in := t.inputLoad(c)
		in.shareable = in.shareable || script && in.level == file
		s.addLoad(in, copied)
	}
	return s.effect(c)
}

// sentVariables is what a setting of ssh takes along of the environment.
func sentVariables(setting string) load {
	const name = "sendenv"
	if len(setting) <= len(name) || !strings.EqualFold(setting[:len(name)], name) {
		return load{}
	}
	for _, v := range strings.FieldsFunc(setting[len(name):], func(r rune) bool { return r == ' ' || r == '=' || r == ',' }) {
		if v == "*" || facts.SecretName(v) {
			return load{level: secret, from: fromVariable, what: "$" + v, vendor: facts.Owner(v)}
		}
	}
	return load{}
}

// ftpHost returns the host that an ftp program connects to: the first argument that is no
// command.
func ftpHost(c *shell.Call) facts.Host {
	for _, w := range arguments(c) {
		a := w.Text
		if a == "" || isDigits(a) || strings.ContainsAny(a, " \n") {
			continue
		}
		if verb(a) {
			break
		}
		return facts.HostOf(strings.TrimLeft(a, `\/`))
	}
	return facts.Host{}
}

// ftp is about programs that take their commands as text: put sends.
func (t *tracer) ftp(c *shell.Call) (shell.Effect, bool) {
	s := transfer{to: ftpHost(c)}
	for i := range c.Args {
		w := &c.Args[i]
		t.puts(c, &s, w.Text)
		if verb(w.Text) && i+1 < len(c.Args) {
			s.need()
			s.addLoad(t.fileWordLoad(c, &c.Args[i+1]), copied)
		}
		if i > 1 && strings.Contains(c.Args[i-1].Text, "://") && c.Args[i-2].Text == "-u" {
			s.to = facts.Farther(s.to, facts.HostOf(c.Args[i-1].Text))
			s.addLoad(t.fileWordLoad(c, w), copied)
		}
		// busybox: tftp -p -l file host
		if w.Text == "-l" && hasArg(c, "-p") && i+1 < len(c.Args) {
			s.addLoad(t.fileWordLoad(c, &c.Args[i+1]), copied)
		}
		if len(w.From) > 0 {
			if l := t.callsLoad(w.From); !l.isToken() || i == 0 || c.Args[i-1].Text != "-u" && c.Args[i-1].Text != "-U" {
				s.addLoad(l, body)
			}
		}
	}
	for i := range c.Redir {
		if r := &c.Redir[i]; strings.HasPrefix(r.Op, "<<") {
			t.puts(c, &s, r.Target.Text)
		}
	}
	if c.In != nil {
		if c.In.Sure {
			t.puts(c, &s, c.In.Text)
		}
		for i, f := range c.In.From {
			if f == nil || i > 4 {
				break
			}
			for j := range f.Args {
				if j > 16 {
					break
				}
				t.puts(c, &s, f.Args[j].Text)
			}
		}
	}
	return s.effect(c)
}

// need makes sure that there is a host, be it one that is not known.
func (s *transfer) need() {
	if !s.to.Set() {
		s.to = facts.Host{Zone: facts.Away}
	}
}

// verb reports whether a command of an ftp program sends files.
func verb(s string) bool {
	switch strings.ToLower(s) {
	case "put", "mput", "send", "reput", "append":
		return true
	}
	return false
}

// puts reads commands of an ftp program. They are separated by lines or ;.
func (t *tracer) puts(c *shell.Call, s *transfer, text string) {
	if len(text) > maxScript || !strings.ContainsAny(text, " \t") {
		return
	}
	for text != "" {
		line := text
		if i := strings.IndexAny(text, ";\n"); i >= 0 {
			line, text = text[:i], text[i+1:]
		} else if i := strings.Index(text, `\n`); i >= 0 {
			line, text = text[:i], text[i+2:]
		} else {
			text = ""
		}
		command, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		rest = strings.TrimSpace(rest)
		switch {
		case command == "open" && rest != "":
			addr, _, _ := strings.Cut(rest, " ")
			s.to = facts.Farther(s.to, facts.HostOf(addr))
		case command == "mirror" && (strings.Contains(rest, "-R") || strings.Contains(rest, "--reverse")):
			s.need()
			l := load{level: file, from: fromPath, what: "a directory"}
			for rest != "" {
				word, tail, _ := strings.Cut(rest, " ")
				if rest = tail; word != "" && word[0] != '-' {
					l = t.fileLoad(c, word)
					break
				}
			}
			s.addLoad(l, copied)
		case verb(command):
			s.need()
			for rest != "" && rest[0] == '-' {
				option, tail, _ := strings.Cut(rest, " ")
				if rest = tail; option == "-O" || option == "-o" {
					_, rest, _ = strings.Cut(tail, " ") // the place over there
				}
			}
			path, _, _ := strings.Cut(rest, " ")
			s.addLoad(t.fileLoad(c, path), copied)
		}
	}
}

// maxScript bounds the text in which commands are looked for.
const maxScript = 16 << 10

// tape is about tar, which takes an archive HOST:FILE for one on another machine.
func (t *tracer) tape(c *shell.Call) (shell.Effect, bool) {
	if hasArg(c, "--force-local") {
		return shell.Effect{}, false
	}
	var s transfer
	var files []int
	for i := range c.Args {
		text := c.Args[i].Text
		name, isFile := strings.CutPrefix(text, "--file=")
		if !isFile && strings.HasPrefix(text, "-") {
			continue
		}
		if h, ok := remotePath(name); ok && s.to.Name == "" && !strings.Contains(name, "://") {
			s.to = h
		} else if i > 0 || strings.ContainsRune(text, '/') {
			files = append(files, i)
		}
	}
	if s.to.Name == "" {
		return shell.Effect{}, false
	}
	for _, i := range files {
		s.addLoad(t.fileWordLoad(c, &c.Args[i]), copied)
	}
	return s.effect(c)
}
